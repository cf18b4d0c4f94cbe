"""WordNet's database files, looked up where they lie: a word's synonyms and antonyms (wndb(5WN), morphy(7WN)).

A word's line is found by bisection in the mapped file, so nothing is loaded and nothing has to be imported: importing
nltk takes seconds. Any folder with WordNet 3's files will do, nltk's and Debian's among them.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile, ZipFile

#: How to get the files, for whoever lacks them.
REMEDY = "python -m nltk.downloader wordnet, or apt-get install wordnet-base, or WNSEARCHDIR=FOLDER"

_PARTS = ("noun", "verb", "adj", "adv")
_FILES = tuple(f"{kind}.{part}" for part in _PARTS for kind in ("index", "data"))
_LETTERS = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
_ANTONYM = "!"
#: Endings that inflection puts on, and what stood there (morphy's rules of detachment).
_ENDINGS = {
    "noun": ("s ", "ses s", "ves f", "xes x", "zes z", "ches ch", "shes sh", "men man", "ies y"),
    "verb": ("s ", "ies y", "es e", "es ", "ed e", "ed ", "ing e", "ing "),
    "adj": ("er ", "est ", "er e", "est e"),
    "adv": (),
}

Files = Mapping[str, bytes | mmap]


class Antonym(NamedTuple):
    """Which word of a synset is the opposite of which word of another; words are counted from 1."""

    word: int
    part: str
    offset: int
    other: int


class Synset(NamedTuple):
    """Words of one meaning, in order, and what is held against them."""

    words: tuple[str, ...]
    antonyms: tuple[Antonym, ...]


class WordNet:
    """Synonyms and antonyms of lower-case words; of an unknown word, none.

    Args:
        files: `index.noun`, `data.noun` and so on: the content of each.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self._known: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    def synonyms(self, word: str) -> frozenset[str]:
        """All words that share a meaning with the word, or with what it is a form of; itself among them."""
        return self._look_up(word)[0]

    def antonyms(self, word: str) -> frozenset[str]:
        """The opposites of the word, or of what it is a form of."""
        return self._look_up(word)[1]

    def _look_up(self, word: str) -> tuple[frozenset[str], frozenset[str]]:
        if word not in self._known:
            synonyms: set[str] = set()
            antonyms: set[str] = set()
            for part in _PARTS:
                for base in dict.fromkeys(_bases(word, part)):
                    for synset in self._synsets(base, part):
                        synonyms.update(synset.words)
                        own = [against for against in synset.antonyms if synset.words[against.word - 1] == base]
                        antonyms.update(self._synset(a.part, a.offset).words[a.other - 1] for a in own)
            self._known[word] = frozenset(synonyms), frozenset(antonyms)
        return self._known[word]

    def _synsets(self, word: str, part: str) -> Iterator[Synset]:
        """The synsets of a word; its line ends with their places, as many as its third field says."""
        fields = _line_of(self._files[f"index.{part}"], word.replace(" ", "_"))
        for offset in fields[len(fields) - int(fields[2]) :] if fields else ():
            yield self._synset(part, int(offset))

    def _synset(self, part: str, offset: int) -> Synset:
        """The synset at a place: lex_file, type, words (hexadecimal count), pointers (decimal count), gloss."""
        data = self._files[f"data.{part}"]
        fields = data[offset : data.find(b"\n", offset)].decode("utf-8").partition(" | ")[0].split()
        count = int(fields[3], 16)
        words = tuple(word.partition("(")[0].lower().replace("_", " ") for word in fields[4 : 4 + 2 * count : 2])
        first = 5 + 2 * count
        pointers = (fields[at : at + 4] for at in range(first, first + 4 * int(fields[first - 1]), 4))
        antonyms = (
            Antonym(int(places[:2], 16), _LETTERS[letter], int(target), int(places[2:], 16))
            for sign, target, letter, places in pointers
            if sign == _ANTONYM
        )
        return Synset(words, tuple(antonyms))


@lru_cache(maxsize=1)
def installed_wordnet() -> WordNet | None:
    """WordNet as it is found on this machine, None where it is not; see `REMEDY`."""
    return next((found for folder in _folders() if (found := wordnet_in(folder)) is not None), None)


def wordnet_in(place: Path) -> WordNet | None:
    """The WordNet of a folder, or of the archive that nltk leaves beside it; None if one of its files is missing."""
    if all((place / name).is_file() for name in _FILES):
        return WordNet({name: _mapped(place / name) for name in _FILES})
    try:
        with ZipFile(place.with_suffix(".zip")) as archive:
            return WordNet({name: archive.read(f"{place.name}/{name}") for name in _FILES})
    except (OSError, KeyError, BadZipFile):
        return None


def _folders() -> Iterator[Path]:
    """Where WordNet may be: where WNSEARCHDIR says, where nltk keeps its data, where Debian does."""
    if named := os.environ.get("WNSEARCHDIR"):
        yield Path(named)
    nltk: Iterable[str] = filter(None, os.environ.get("NLTK_DATA", "").split(os.pathsep))
    prefixes = (Path(sys.prefix), Path("/usr"), Path("/usr/local"))
    roots = [*map(Path, nltk), Path.home() / "nltk_data"]
    roots += [prefix / middle / "nltk_data" for prefix in prefixes for middle in ("", "share", "lib")]
    yield from (root / "corpora" / "wordnet" for root in roots)
    yield Path("/usr/share/wordnet")


def _mapped(path: Path) -> bytes | mmap:
    with path.open("rb") as file:
        return mmap(file.fileno(), 0, access=ACCESS_READ) if path.stat().st_size else b""


def _bases(word: str, part: str) -> Iterator[str]:
    """The word and what it may be an inflected form of."""
    yield word
    for ending, _, stood in (rule.partition(" ") for rule in _ENDINGS[part]):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            yield word.removesuffix(ending) + stood


def _line_of(data: bytes | mmap, word: str) -> list[str]:
    """The fields of the line that begins with a word, in a file of sorted lines; none if there is none."""
    sought = word.encode("utf-8")
    if not sought:
        return []
    low, high = 0, len(data)
    while low < high:
        start = data.rfind(b"\n", 0, (low + high) // 2) + 1
        end = data.find(b"\n", start)
        line = data[start : end if end >= 0 else len(data)]
        found = line[: line.find(b" ")] if line[:1] != b" " else b""  # the licence stands first, indented
        if found == sought:
            return line.decode("utf-8").split()
        if found < sought:
            low = start + len(line) + 1
        else:
            high = start
    return []
