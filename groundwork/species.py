"""Find the organism that a text is about, and the organism of an NCBI GeneID, as far as they can be known.

NCBI began its numbering with one block per organism: up to 11,286 human, to 22,794 mouse, to 24,000 human again, to
25,750 rat. Of the human genes known in 2015, 34 are in the mouse block. Later ids say nothing; for these, the case of
the symbol is used, which is PCSK9 in humans and Pcsk9 in mice and rats.
"""

import re

from groundwork.records import split_key

HUMAN, MOUSE, RAT, OTHER = "9606", "10090", "10116", "other"

_BLOCKS = ((11_286, HUMAN), (22_794, MOUSE), (24_000, HUMAN), (24_150, None), (25_750, RAT))
#: A gene's symbol: one word that begins with a capital, followed by small letters (group 1) or none.
_SYMBOL = re.compile(r"[A-Z](?:([a-z]+\w*)|[A-Z0-9\-]+(?:orf\d+)?)")
_WORDS = {
    HUMAN: re.compile(
        r"\b(?:humans?|patients?|persons?|people|m[ae]n|wom[ae]n|child(?:ren)?|subjects|infants?|boys?|girls?|adults?|"
        r"cases?|individuals|volunteers|participants|proband|cohort|Caucasians?|Chinese|Japanese)\b",
        re.I,
    ),
    MOUSE: re.compile(r"\b(?:mouse|mice|murine)\b", re.I),
    RAT: re.compile(r"\brats?\b", re.I),
    OTHER: re.compile(
        r"\b(?:yeast|Saccharomyces|Drosophila|flies|zebrafish|elegans|worms|nematodes?|Xenopus|chick(?:en)?s?|rabbits?|"
        r"pigs?|porcine|bovine|cattle|cows?|dogs?|canine|sheep|monkeys?|macaques?|hamsters?|Arabidopsis|E\. coli|"
        r"bacteri\w+|virus(?:es)?|viral)\b",
        re.I,
    ),
}


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
    counts = {taxon: len(words.findall(text)) for taxon, words in _WORDS.items()}
    return {taxon: count for taxon, count in counts.items() if count}
