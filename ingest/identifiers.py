"""Convert ids in documents to keys `Type|ID` as in the bulk files.

Documents write `D003409` or `MESH:D003409`, join several ids by a comma, a bar or a semicolon, and mark a missing id by
`-`, `-1` or nothing. A variant's id may contain each of these separators, so it is never split.
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
_PMID_DIGITS = 18  # maximum
_PMID = re.compile(f"[0-9]{{1,{_PMID_DIGITS}}}")


def pmid(text: str) -> int | None:
    """Return a text as PMID, or None if it is not a positive integer of at most 18 digits, which fit into 64 bits."""
    return int(text) or None if _PMID.fullmatch(text) else None


def pmids(texts: pa.StringArray) -> npt.NDArray[np.int64]:
    """Return the PMID of each text, as `pmid` reads it; 0 for a text that is not a PMID."""
    if not _plain(texts):
        digits = pc.and_(pc.ascii_is_decimal(texts), pc.less_equal(pc.binary_length(texts), _PMID_DIGITS))
        texts = pc.if_else(digits, texts, "0")
    numbers: npt.NDArray[np.int64] = texts.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return numbers


def _plain(texts: pa.StringArray) -> bool:
    """Return whether every text consists of 1 to 18 digits. The contiguous bytes of all texts are read once."""
    if not len(texts):
        return True
    _, places, letters = texts.buffers()
    offsets = np.frombuffer(places, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    lengths = np.diff(offsets)
    if lengths.min() < 1 or lengths.max() > _PMID_DIGITS:
        return False
    octets = np.frombuffer(letters, np.uint8)[offsets[0] : offsets[-1]]
    return bool((octets - np.uint8(ord("0"))).max() <= 9)  # bytes below "0" become large numbers


def keys(type_name: str, text: str) -> tuple[str, ...]:
    """Return the keys that the id column of an annotation or relation names, one per id; empty if there is no id.

    Args:
        type_name: Entity type as written in the document, known to `predicates.entity_type`.
        text: Content of the id column.

    Returns:
        Distinct keys in the order of the text. `D...` and `C...` become `MESH:...`, and `CVCL_...` becomes `CVCL:...`
        (as in the bulk files); any other id is unchanged.

    Raises:
        KeyError: If the entity type is unknown.
    """
    kind = predicates.ENTITY_TYPES[type_name]
    if kind != predicates.BY_ID and kind not in VARIANTS:
        return tuple(f"{kind}|{ident}" for ident in split(text))
    ident = whole(text)
    if ident in _UNNORMALISED:
        return ()
    return (f"{variant_type(ident) if kind == predicates.BY_ID else kind}|{ident}",)


def whole(text: str) -> str:
    """Return the id column as one id: HTML entities are unescaped, and blanks around the id are removed."""
    return unescape(text).strip()


def split(text: str) -> tuple[str, ...]:
    """Return the distinct ids of an id column, in order. `-`, `-1` and empty ids are left out."""
    parts = (part.strip() for part in _SEPARATORS.split(whole(text)))
    return tuple(dict.fromkeys(_as_bulk(part) for part in parts if part not in _UNNORMALISED))


def _as_bulk(ident: str) -> str:
    if _MESH.fullmatch(ident):
        return f"MESH:{ident}"
    return _CELL_LINE.sub("CVCL:", ident, count=1) if ident.startswith("CVCL_") else ident


def variant_type(ident: str) -> str:
    """Return the type of a sequence variant from the beginning of its id.

    `rs` gives SNP; `c|`, `g|` and `m|` give DNAMutation; `p|` gives ProteinMutation; any other id gives Mutation.
    """
    core = ident.removeprefix(_TMVAR)
    if core.startswith("rs"):
        return "SNP"
    if core.startswith(_DNA):
        return "DNAMutation"
    return "ProteinMutation" if core.startswith("p|") else "Mutation"


@dataclass(frozen=True, slots=True)
class Variant:
    """The parts of a variant's id that identify the variant: RS number, HGVS name and gene; "" for a missing part."""

    rs: str = ""
    hgvs: str = ""
    gene: str = ""

    def agreement(self, other: "Variant") -> int:
        """Return the number of equal parts of two ids, or 0 if the ids do not name the same variant.

        They name the same variant only if the RS numbers are equal, or if the HGVS names and the genes are equal.
        """
        rs, hgvs, gene = (
            mine != "" and mine == theirs
            for mine, theirs in ((self.rs, other.rs), (self.hgvs, other.hgvs), (self.gene, other.gene))
        )
        return rs + hgvs + gene if rs or (hgvs and gene) else 0


def variant(ident: str) -> Variant:
    """Return the parts of a variant's id, which has the form of tmVar's and PubTator's ids.

    An example is `tmVar:rs1;CorrespondingGene:2;RS#:1`.
    """
    fields = dict(part.split(":", 1) for part in ident.split(";") if ":" in part)
    bare = _RS_NUMBER.fullmatch(ident.removeprefix(_TMVAR).split(";")[0])
    return Variant(
        rs=fields.get("RS#") or (bare[1] if bare else ""),
        hgvs=fields.get("HGVS", ""),
        gene=fields.get("CorrespondingGene", ""),
    )
