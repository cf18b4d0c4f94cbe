"""Word lists for the rules that split sentences (words.tsv)."""

from functools import lru_cache
from importlib.resources import files


@lru_cache
def listed(category: str) -> frozenset[str]:
    """Return the words of one category of words.tsv. In the file, phrases are separated by "|"."""
    lines = files("knowhd.claims").joinpath("words.tsv").read_text("utf-8").splitlines()
    rows = (line.partition("\t")[::2] for line in lines if not line.startswith("#"))
    found = (words.split("|" if "|" in words else None) for name, words in rows if name == category)
    return frozenset(word for words in found for word in words)
