"""Convert the ids of relations, entity files and documents to keys `Type|ID`. All files have the same rules for ids.

Files write `D003409` or `MESH:D003409`, put an organism behind a gene (`41614(Tax:7227)`), and join several ids by a
comma, a bar or a semicolon. They mark a missing id by `-`, `-1`, `None` or nothing, also behind a prefix (`MESH:-`). A
variant's id may contain each of the separators, so it is never split.

Annotations and relations write variants differently, so `Variants` matches them, and the variants of the edges get
names. Entity files write `Mutation|tmVar:p|SUB|V|600|E;HGVS:p.V600E;RS#:...`. Relation files write
`ProteinMutation|RS#:...;HGVS:...`. Two such ids mean one concept if their RS numbers are equal, or if their HGVS names
and genes are equal. The concept has the key that the relations use.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import unescape

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from groundwork.records import split_key
from groundwork.vocabulary import RELATIONS, VARIANTS
from ingest.rejects import Reason

#: Maximum number of bytes of a key in UTF-8. Neo4j cannot index a text of about 8,000 bytes, and stops the load.
KEY_BYTES = 512
#: Stands for the exact type of a sequence variant if the document does not state the type. The type is then derived
#: from the id of the variant (`identifiers.variant_type`).
BY_ID = "Variant"

#: Pattern of the ids of nearly all concepts other than variants. They are short, and `keys` leaves them unchanged. The
#: regular expressions of Python and of Arrow read the pattern alike.
ORDINARY = "(?:[1-9][0-9]{0,19}|[A-Z]{1,20}:[0-9A-Za-z]{0,20}[0-9][0-9A-Za-z]{0,20})"

_ORDINARY = re.compile(ORDINARY)
_NEVER_SPLIT = VARIANTS | {BY_ID}
_MESH = re.compile(r"(?:mesh\s*:\s*)?([DC]\d+)", re.I)
_CELL_LINE = re.compile(r"CVCL_(?=\w)")
_SEPARATORS = re.compile(r"[,;|]")
_RS_NUMBER = re.compile(r"rs(\d+)")
_TAXON = re.compile(r"(.*?)\s*\(Tax:\s*([0-9]+)\)", re.DOTALL | re.I)
_UNNORMALISED = frozenset({"", "-", "-1", "none"})
_DNA = ("c|", "g|", "m|")
_TMVAR = "tmVar:"
_PMID_DIGITS = 18  # maximum
_PMID = re.compile(f"[0-9]{{1,{_PMID_DIGITS}}}")
#: Schema of the batches of `Variants.carriers`: the key of a variant in annotations (`key`), and the key of the same
#: variant in edges (`carrier`), which gets the names.
CARRIERS = pa.schema([pa.field("key", pa.string(), nullable=False), pa.field("carrier", pa.string(), nullable=False)])


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


def keys(type_name: str, text: str) -> tuple[str, ...] | Reason:
    """Return the keys that an id column names, one per id, or the reason why it names none.

    Args:
        type_name: Entity type as written in the file, known to `entity_type`.
        text: Content of the id column.

    Returns:
        Distinct keys in the order of the text, without ids that mean a missing id. `LONG_KEY` if one of the keys has
        more than `KEY_BYTES` bytes.

    Raises:
        KeyError: If the entity type is unknown.
    """
    kind = ENTITY_TYPES[type_name]
    found: tuple[str, ...]
    if kind in _NEVER_SPLIT:
        ident = whole(text)
        kind = variant_type(ident) if kind == BY_ID else kind
        found = () if _missing(ident) else (f"{kind}|{ident}",)
    elif _ORDINARY.fullmatch(text):
        return (f"{kind}|{text}",)
    else:
        found = tuple(f"{kind}|{ident}" for ident in split(text))
    if not found:
        return Reason.EMPTY_ID
    return Reason.LONG_KEY if any(len(key.encode()) > KEY_BYTES for key in found) else found


def whole(text: str) -> str:
    """Return the id column as one id: HTML entities are unescaped, and blanks around the id are removed."""
    return unescape(text).strip()


def split(text: str) -> tuple[str, ...]:
    """Return the distinct ids of an id column, in order. Ids that mean a missing id are left out.

    `D...` and `C...` become `MESH:...`, `CVCL_...` becomes `CVCL:...` (as in the bulk files), and an organism behind an
    id is removed. Any other id is unchanged.
    """
    parts = (_as_bulk(split_taxon(part)[0]) for part in _SEPARATORS.split(whole(text)))
    return tuple(dict.fromkeys(part for part in parts if not _missing(part)))


def split_taxon(text: str) -> tuple[str, int | None]:
    """Return an id without blanks around it, and the number of the organism behind it; None if there is none.

    An example is `41614(Tax:7227)`: the gene 41614 of the organism 7227 in NCBI's taxonomy.
    """
    text = text.strip()
    found = _TAXON.fullmatch(text) if text.endswith(")") else None
    return (found[1].strip(), int(found[2])) if found else (text, None)


def organisms(kind: str, text: str) -> dict[str, str]:
    """Return the organisms (taxon ids) that an id column names behind genes, by key; see `split_taxon`."""
    if kind != "Gene" or "(tax:" not in text.lower():
        return {}
    found = (split_taxon(part) for part in _SEPARATORS.split(whole(text)))
    return {f"Gene|{_as_bulk(ident)}": str(taxon) for ident, taxon in found if taxon and not _missing(ident)}


def _missing(ident: str) -> bool:
    """Return whether an id means that there is no id: `-`, `None` or the like, also behind a prefix (`MESH:-`)."""
    prefix, colon, rest = ident.partition(":")
    return (rest.strip() if colon else prefix).casefold() in _UNNORMALISED


def _as_bulk(ident: str) -> str:
    if found := _MESH.fullmatch(ident):
        return f"MESH:{found[1].upper()}"
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


class Variants:
    """An index of the variants in edges. They are found by the parts of their ids: RS number, or HGVS name and gene.

    Args:
        ends: Keys of the variants in edges, in any order.
    """

    def __init__(self, ends: Iterable[str]) -> None:
        self._ends = {end: variant(split_key(end)[1]) for end in ends}
        self._alike: dict[tuple[str, ...], list[str]] = {}
        for end, parts in self._ends.items():
            for trait in _traits(parts):
                self._alike.setdefault(trait, []).append(end)

    def carrier(self, key: str) -> str | None:
        """Return the key of the variant in edges that agrees best with a concept, and so gets the concept's names.

        Returns:
            The key. None if the concept keeps its own names, because it is in an edge itself, is not a variant, agrees
            with no variant, or agrees with several equally well (one RS number can have several alleles).
        """
        if key in self._ends or split_key(key)[0] not in VARIANTS:
            return None
        parts = variant(split_key(key)[1])
        alike = {end for trait in _traits(parts) for end in self._alike.get(trait, ())}
        scores = {end: (parts.agreement(self._ends[end]), parts == self._ends[end]) for end in alike}
        best = [end for end, score in scores.items() if score == max(scores.values())]
        return best[0] if len(best) == 1 else None

    def carriers(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For each batch of distinct keys, yield a batch with the schema `CARRIERS`.

        The yielded batch has one row for each key whose names are given to another key (see `carrier`).
        """
        for batch in batches:
            found = [(key, carrier) for key in batch.column("key").to_pylist() if (carrier := self.carrier(key))]
            columns = [pa.array([pair[side] for pair in found], pa.string()) for side in (0, 1)]
            yield pa.RecordBatch.from_arrays(columns, schema=CARRIERS)


def _traits(parts: Variant) -> Iterator[tuple[str, ...]]:
    """Yield the parts of an id by which it can match another id (see `Variant.agreement`)."""
    if parts.rs:
        yield (parts.rs,)
    if parts.hgvs and parts.gene:
        yield parts.hgvs, parts.gene


_POSITIVE = "Positive_Correlation"
_NEGATIVE = "Negative_Correlation"

#: Names that become the same relation for every pair of types.
PLAIN: Mapping[str, str] = {
    "Association": "associate",
    "Bind": "interact",
    "Comparison": "compare",
    "Conversion": "convert",
    "Cotreatment": "cotreat",
    "Drug_Interaction": "drug_interact",
    "CID": "cause",  # BC5CDR: chemical-induced disease
}

#: For correlations between two types whose pair is not in `PAIRED`: the name in the bulk files.
UNPAIRED: Mapping[str, str] = {_POSITIVE: "positive_correlate", _NEGATIVE: "negative_correlate"}

#: Correlations whose name in the bulk files depends on the two types, in either order. `Variant` is any variant type.
PAIRED: Mapping[tuple[str, frozenset[str]], str] = {
    (_POSITIVE, frozenset({"Chemical", "Disease"})): "cause",
    (_NEGATIVE, frozenset({"Chemical", "Disease"})): "treat",
    (_POSITIVE, frozenset({"Disease", "Gene"})): "stimulate",
    (_NEGATIVE, frozenset({"Disease", "Gene"})): "inhibit",
    (_POSITIVE, frozenset({"Disease", "Variant"})): "cause",
    (_NEGATIVE, frozenset({"Disease", "Variant"})): "prevent",
    (_POSITIVE, frozenset({"Chemical", "Variant"})): "stimulate",
    (_NEGATIVE, frozenset({"Chemical", "Variant"})): "inhibit",
}

#: Relations whose columns have fixed types: BC5CDR writes the chemical first and the disease second.
COLUMN_TYPES: Mapping[str, tuple[str, str]] = {"CID": ("Chemical", "Disease")}


#: For each entity type in documents, the type in this program. The types of the bulk files stay the same.
ENTITY_TYPES: Mapping[str, str] = {
    "Chemical": "Chemical",
    "ChemicalEntity": "Chemical",
    "Disease": "Disease",
    "DiseaseOrPhenotypicFeature": "Disease",
    "Gene": "Gene",
    "GeneOrGeneProduct": "Gene",
    "Species": "Species",
    "OrganismTaxon": "Species",
    "CellLine": "CellLine",
    "DNAMutation": "DNAMutation",
    "ProteinMutation": "ProteinMutation",
    "SNP": "SNP",
    "Mutation": "Mutation",
    "SequenceVariant": BY_ID,
    "Variant": BY_ID,
}


def entity_type(name: str) -> str | None:
    """Return this program's type for an entity type in a document; `BY_ID` if the id says the type, None if unknown."""
    return ENTITY_TYPES.get(name)


def rewritten_relation(name: str, head_type: str, tail_type: str) -> str | None:
    """Return the name that PubTator's bulk files use for a relation of a document.

    Args:
        name: BioRED's name, BC5CDR's `CID`, or a bulk name, which is returned unchanged.
        head_type: Type of one of the two concepts, as in this program.
        tail_type: Type of the other concept; the order does not matter.

    Returns:
        A name in `vocabulary.RELATIONS`, or None if the name is unknown.
    """
    if name in RELATIONS:
        return name
    if name in PLAIN:
        return PLAIN[name]
    families = frozenset({_family(head_type), _family(tail_type)})
    return PAIRED.get((name, families)) or UNPAIRED.get(name)


def known_relation(name: str) -> bool:
    """Return whether `rewrite` knows the name. This does not depend on the types of the two concepts."""
    return name in RELATIONS or name in PLAIN or name in UNPAIRED


def _family(type: str) -> str:
    return "Variant" if type in VARIANTS else type
