"""Which organism a text is about, and whose gene an NCBI GeneID is, as far as either can be told.

NCBI began its numbering with blocks for one organism each: up to 11,286 human, to 22,794 mouse, human again to 24,000,
rat to 25,750. Of the human genes known in 2015, 34 lie in the mouse's block. Later ids say nothing; there the symbol
does, which is written PCSK9 for man and Pcsk9 for mouse and rat.
"""

import re

from groundwork.records import split_key

HUMAN, MOUSE, RAT, OTHER = "9606", "10090", "10116", "other"

_BLOCKS = ((11_286, HUMAN), (22_794, MOUSE), (24_000, HUMAN), (24_150, None), (25_750, RAT))
#: A gene's symbol: one word with a capital in front, small letters behind it (group 1) or none.
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
    """The taxon of the organism whose gene a key is; None where neither id nor symbol tells."""
    kind, ident = split_key(key)
    if kind != "Gene" or not ident.isdigit():
        return None
    taxon = next((taxon for last, taxon in _BLOCKS if int(ident) <= last), None)
    if taxon is None and (written := _SYMBOL.fullmatch(symbol)):
        return MOUSE if written[1] else HUMAN
    return taxon


def species_named(text: str) -> dict[str, int]:
    """How often a text names humans, mice, rats and others; those it names."""
    counts = {taxon: len(words.findall(text)) for taxon, words in _WORDS.items()}
    return {taxon: count for taxon, count in counts.items() if count}
