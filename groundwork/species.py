"""Find the organism that a text is about, and the organism of an NCBI GeneID, as far as they can be known.

The lowest GeneIDs are in blocks of one organism each: 1 to 11,286 are human, 11,287 to 22,794 mouse, 22,795 to 24,000
human again, and 24,151 to 25,750 rat. Of the human genes known in 2015, 34 are in the mouse block. Other ids say
nothing about the organism. For these ids, the case of the symbol is used: PCSK9 is a gene of humans, Pcsk9 is a gene of
mice or rats (counted as mice here).
"""

import re
from collections import Counter

from groundwork.records import split_key

HUMAN, MOUSE, RAT, OTHER = "9606", "10090", "10116", "other"

_BLOCKS = ((11_286, HUMAN), (22_794, MOUSE), (24_000, HUMAN), (24_150, None), (25_750, RAT))
#: A gene's symbol: one word that begins with a capital, followed by small letters (group 1) or none.
_SYMBOL = re.compile(r"[A-Z](?:([a-z]+\w*)|[A-Z0-9\-]+(?:orf\d+)?)")
_NAMED = {
    HUMAN: """adult adults boy boys case cases caucasian caucasians child children chinese cohort girl girls human
        humans individuals infant infants japanese man men participants patient patients people person persons proband
        subjects volunteers woman women""",
    MOUSE: "mice mouse murine",
    RAT: "rat rats",
    OTHER: """arabidopsis bovine canine cattle chick chicken chickens chicks cow cows dog dogs drosophila elegans flies
        hamster hamsters macaque macaques monkey monkeys nematode nematodes pig pigs porcine rabbit rabbits
        saccharomyces sheep viral virus viruses worms xenopus yeast zebrafish""",
}
#: The organism of each word that names one.
_TAXA = {word: taxon for taxon, words in _NAMED.items() for word in words.split()}
_WORD = re.compile(r"\w+")
#: Names of other organisms that are not single words, or have many endings.
_BACTERIA = re.compile(r"\b(?:e\. coli|bacteri\w+)\b")


def gene_species(key: str, symbol: str = "") -> str | None:
    """Return the taxon id of a gene's organism, or None if neither the id nor the symbol shows it."""
    kind, ident = split_key(key)
    if kind != "Gene" or not ident.isdigit():
        return None
    taxon = next((taxon for last, taxon in _BLOCKS if int(ident) <= last), None)
    if taxon is None and (written := _SYMBOL.fullmatch(symbol)):
        return MOUSE if written[1] else HUMAN
    return taxon


def species_named(text: str) -> dict[str, int]:
    """Return how often a text names humans, mice, rats and other organisms; zero counts are left out."""
    lowered = text.lower()
    words = Counter(_WORD.findall(lowered))
    counts = Counter({OTHER: len(_BACTERIA.findall(lowered))})
    for word in words.keys() & _TAXA.keys():
        counts[_TAXA[word]] += words[word]
    return dict(+counts)
