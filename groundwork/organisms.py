"""Organisms: their names, the organism that a text is about, and the organism of a gene.

The organism of a gene is known for human genes and for the genes in files that `ingest genes` loaded. For other genes
it is guessed. The lowest GeneIDs are in blocks of one organism each: 1 to 11,286 are human, 11,287 to 22,794 mouse,
22,795 to 24,000 human again, and 24,151 to 25,750 rat. Other ids say nothing about the organism. For these ids, a
symbol in the case of rodents' symbols (Pcsk9) is taken to be of a mouse.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from groundwork.errors import InputError
from groundwork.records import Concept, Match, split_key

HUMAN, MOUSE, RAT, OTHER = "9606", "10090", "10116", "other"

_BLOCKS = ((11_286, HUMAN), (22_794, MOUSE), (24_000, HUMAN), (24_150, None), (25_750, RAT))
#: A gene's symbol: one word that begins with a capital, followed by small letters (group 1) or none.
_SYMBOL = re.compile(r"[A-Z](?:([a-z]+\w*)|[A-Z0-9\-]+(?:orf\d+)?)")
_WORD = re.compile(r"\w+")
_TAXON = re.compile(r"0*([1-9][0-9]{0,17})")


@cache
def _rows() -> list[list[str]]:
    """Return the rows of the table of organisms."""
    lines = files("groundwork").joinpath("organisms.tsv").read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


@cache
def _organisms() -> dict[str, str]:
    """Return the name of each organism by its taxon id."""
    return {taxon: name for taxon, name, _, _ in _rows()}


@cache
def _taxa() -> dict[tuple[str, ...], str]:
    """Return the taxon id of each name of an organism, given as its words in small letters."""
    found = dict[tuple[str, ...], str]()
    for taxon, _, words, names in _rows():
        found |= {(word,): taxon for word in words.split()}
        for first, *rest in map(str.split, names.split("; ")):
            short = first[0] if first.istitle() else first  # M. musculus
            found |= {tuple(map(str.lower, name)): taxon for name in ((first, *rest), (short, *rest))}
    return found


@cache
def _lengths() -> dict[str, list[int]]:
    """Return the numbers of words of the names that begin with a word, by this word, the longest first."""
    found = dict[str, set[int]]()
    for words in _taxa():
        found.setdefault(words[0], set()).add(len(words))
    return {first: sorted(lengths, reverse=True) for first, lengths in found.items()}


def organism_name(taxon: str) -> str:
    """Return the name of an organism, such as `mouse`; `taxon N` if it has none here, and "" for the empty id."""
    return _organisms().get(taxon) or (f"taxon {taxon}" if taxon else "")


def taxon_of(text: str) -> str:
    """Return the NCBI taxon id of an organism, given as this id, as its name or with another word for it.

    Raises:
        InputError: The organism is not known.
    """
    said = text.strip().casefold()
    if number := _TAXON.fullmatch(said):
        return number[1]
    taxon = _taxa().get(tuple(_WORD.findall(said)), OTHER)
    if taxon == OTHER:
        known = ", ".join(name for taxon, name in _organisms().items() if taxon != OTHER)
        raise InputError(f"no organism {text!r}", f"an NCBI taxon id, or one of {known}", "correct the organism")
    return taxon


def organism_of(gene: Match | Concept) -> str | None:
    """Return the taxon id of a gene's organism, as known or as guessed from its id and symbol; None if it is open."""
    kind, ident = split_key(gene.key)
    if kind != "Gene":
        return None
    if gene.organism or not ident.isdigit():
        return gene.organism or None
    taxon = next((taxon for last, taxon in _BLOCKS if int(ident) <= last), None)
    if taxon is None and (written := _SYMBOL.fullmatch(gene.name)):
        return MOUSE if written[1] else None
    return taxon


def described(gene: Match | Concept) -> str:
    """Return the name of a concept, for a gene with its organism and its description: `TP53 (human, tumor protein)`."""
    told = [part for part in (organism_name(organism_of(gene) or ""), gene.description) if part]
    return f"{gene.name} ({', '.join(told)})" if told else gene.name


def distinct_name(gene: Match | Concept) -> str:
    """Return the name of a concept, for a gene of another organism than humans with its organism: `Trp53 (mouse)`."""
    taxon = organism_of(gene) or HUMAN
    return gene.name if taxon == HUMAN else f"{gene.name} ({organism_name(taxon)})"


def organism_places(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the place of each name of an organism in a text, in any case: start, end and the organism's taxon id."""
    found = list(_WORD.finditer(text))
    words = tuple(word[0].lower() for word in found)
    free = 0
    for n, first in enumerate(words):
        for length in _lengths().get(first, ()) if n >= free else ():
            name = words[n : n + length]
            if taxon := _taxa().get(name):
                free = n + len(name)
                yield found[n].start(), found[free - 1].end(), taxon
                break


def organisms_named(text: str) -> dict[str, int]:
    """Return how often a text names each organism, by taxon id; zero counts are left out."""
    return dict(Counter(taxon for _, _, taxon in organism_places(text)))


def without_organism(text: str) -> tuple[str, str] | None:
    """Return the taxon id and the rest of a name that begins with an organism: `mouse Trp53`."""
    name = text.strip()
    start, end, taxon = next(organism_places(name), (0, 0, OTHER))
    apart = start == 0 and name[end : end + 1].isspace()
    return (taxon, name[end:].strip()) if apart and taxon != OTHER else None


def misplaced(matches: tuple[Match, ...], words: str, organism: str, *, given: bool) -> frozenset[str]:
    """Return the keys of the genes that a name does not mean, because it means the gene of another organism.

    A symbol means the gene of `organism`, if that has a gene of this name. A name that is written like the symbol of a
    rodent's gene (Tp53), while this gene is written otherwise (TP53), means the gene with this spelling, or else that
    of mice or rats. A gene of mice comes before one of rats.

    Args:
        matches: The concepts that have the name.
        words: The name as written.
        organism: Taxon id of the organism that is meant if the spelling says nothing.
        given: Whether a user chose the organism; then the spelling does not count.
    """
    genes = [match for match in matches if match.type == "Gene"]
    meant = [match for match in genes if organism_of(match) == organism]
    if not given and meant and _is_recased(words, meant):
        others = [match for match in genes if match not in meant]
        mice, rats = ([match for match in others if organism_of(match) == taxon] for taxon in (MOUSE, RAT))
        spelled = [match for match in others if match.matched == words]
        meant = [match for match in spelled if match in mice] or spelled or mice or rats or meant
    return frozenset(match.key for match in genes if match not in meant) if meant else frozenset()


def _is_recased(words: str, genes: list[Match]) -> bool:
    """Return whether a name is in the case of rodents' symbols, and equals a symbol of a gene but for its case."""
    written = _SYMBOL.fullmatch(words)
    symbols = {name for gene in genes for name in (gene.name, gene.matched)}
    return written is not None and written[1] is not None and words.upper() in symbols
