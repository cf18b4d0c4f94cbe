"""Ids as documents write them, made into keys `Type|ID` as the bulk files write them.

Documents write `D003409` or `MESH:D003409`, join several ids by a comma, a bar or a semicolon, and mark what has no
id by `-`, `-1` or nothing. A variant's id may hold every one of those separators, so it is never split.
"""

import re
from dataclasses import dataclass
from html import unescape

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from groundwork.vocabulary import VARIANTS
from ingest import predicates

_MESH = re.compile(r"[DC]\d+")
_CELL_LINE = re.compile(r"CVCL_(?=\w)")
_SEPARATORS = re.compile(r"[,;|]")
_RS_NUMBER = re.compile(r"rs(\d+)")
_UNNORMALISED = frozenset({"", "-", "-1"})
_DNA = ("c|", "g|", "m|")
_TMVAR = "tmVar:"
_PMID_DIGITS = 18  # at most
_PMID = re.compile(f"[0-9]{{1,{_PMID_DIGITS}}}")


def pmid(text: str) -> int | None:
    """A positive integer in plain digits, at most 18 of them so that it fits the stores' 64 bits; else None."""
    return int(text) or None if _PMID.fullmatch(text) else None


def pmids(texts: pa.StringArray) -> npt.NDArray[np.int64]:
    """A column of PMIDs, each as `pmid` reads it; 0 for what is none."""
    if not _plain(texts):
        digits = pc.and_(pc.ascii_is_decimal(texts), pc.less_equal(pc.binary_length(texts), _PMID_DIGITS))
        texts = pc.if_else(digits, texts, "0")
    numbers: npt.NDArray[np.int64] = texts.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return numbers


def _plain(texts: pa.StringArray) -> bool:
    """Whether all are digits, as many as a PMID may have: one look at their bytes, which stand together."""
    if not len(texts):
        return True
    _, places, letters = texts.buffers()
    offsets = np.frombuffer(places, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    lengths = np.diff(offsets)
    if lengths.min() < 1 or lengths.max() > _PMID_DIGITS:
        return False
    octets = np.frombuffer(letters, np.uint8)[offsets[0] : offsets[-1]]
    return bool((octets - np.uint8(ord("0"))).max() <= 9)  # what is less than a 0 wraps around


def keys(type_name: str, text: str) -> tuple[str, ...]:
    """Keys that an annotation or a role names: one an id, none if it is not normalised.

    Args:
        type_name: The document's entity type, known to `predicates.entity_type`.
        text: The id column as it stands.

    Returns:
        Distinct keys in the order written. `D...` and `C...` become `MESH:...`, `CVCL_...` becomes `CVCL:...` (as in
        the bulk files); any other id is kept.

    Raises:
        KeyError: The entity type is unknown.
    """
    kind = predicates.ENTITY_TYPES[type_name]
    if kind != predicates.BY_ID and kind not in VARIANTS:
        return tuple(f"{kind}|{ident}" for ident in split(text))
    ident = whole(text)
    if ident in _UNNORMALISED:
        return ()
    return (f"{variant_type(ident) if kind == predicates.BY_ID else kind}|{ident}",)


def whole(text: str) -> str:
    """The id column as one id: HTML entities unescaped, blanks around it removed."""
    return unescape(text).strip()


def split(text: str) -> tuple[str, ...]:
    """The distinct ids of a column that may join several, in the order written, without `-`, `-1` and empty ones."""
    parts = (part.strip() for part in _SEPARATORS.split(whole(text)))
    return tuple(dict.fromkeys(_as_bulk(part) for part in parts if part not in _UNNORMALISED))


def _as_bulk(ident: str) -> str:
    if _MESH.fullmatch(ident):
        return f"MESH:{ident}"
    return _CELL_LINE.sub("CVCL:", ident, count=1) if ident.startswith("CVCL_") else ident


def variant_type(ident: str) -> str:
    """Type of a sequence variant by its id: `rs...` SNP, `c| g| m|` DNA, `p|` protein, else `Mutation`."""
    core = ident.removeprefix(_TMVAR)
    if core.startswith("rs"):
        return "SNP"
    if core.startswith(_DNA):
        return "DNAMutation"
    return "ProteinMutation" if core.startswith("p|") else "Mutation"


@dataclass(frozen=True, slots=True)
class Variant:
    """What tells whether two ids mean one variant: RS number, HGVS name and gene, each empty if not written."""

    rs: str = ""
    hgvs: str = ""
    gene: str = ""

    def agreement(self, other: "Variant") -> int:
        """How well two ids agree: 0 if they may not be joined, else the number of equal parts.

        They are joined only on an equal RS number or on an equal HGVS name and gene.
        """
        rs, hgvs, gene = (
            mine != "" and mine == theirs
            for mine, theirs in ((self.rs, other.rs), (self.hgvs, other.hgvs), (self.gene, other.gene))
        )
        return rs + hgvs + gene if rs or (hgvs and gene) else 0


def variant(ident: str) -> Variant:
    """Parts of a variant's id as tmVar and PubTator write it, e.g. `tmVar:rs1;CorrespondingGene:2;RS#:1`."""
    fields = dict(part.split(":", 1) for part in ident.split(";") if ":" in part)
    bare = _RS_NUMBER.fullmatch(ident.removeprefix(_TMVAR).split(";")[0])
    return Variant(
        rs=fields.get("RS#") or (bare[1] if bare else ""),
        hgvs=fields.get("HGVS", ""),
        gene=fields.get("CorrespondingGene", ""),
    )
