"""Look up synonyms and antonyms in WordNet's database files (wndb(5WN), morphy(7WN)).

A word's line is found by bisection in the memory-mapped file. So nothing is loaded, and nltk, whose import takes
seconds, is not needed. Any folder with WordNet 3's files works, including those of nltk and Debian.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile, ZipFile

#: How to install the files.
REMEDY = "python -m nltk.downloader wordnet, or apt-get install wordnet-base, or WNSEARCHDIR=FOLDER"

_PARTS = ("noun", "verb", "adj", "adv")
_FILES = tuple(f"{kind}.{part}" for part in _PARTS for kind in ("index", "data"))
_LETTERS = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
_ANTONYM = "!"
#: Endings of inflected forms and their replacements (morphy's rules of detachment).
_ENDINGS = {
    "noun": ("s ", "ses s", "ves f", "xes x", "zes z", "ches ch", "shes sh", "men man", "ies y"),
    "verb": ("s ", "ies y", "es e", "es ", "ed e", "ed ", "ing e", "ing "),
    "adj": ("er ", "est ", "er e", "est e"),
    "adv": (),
}

Files = Mapping[str, bytes | mmap]


class Antonym(NamedTuple):
    """A pointer from a word of one synset to the opposite word of another synset.

    Attributes:
        word: Position of the word in its own synset, counted from 1.
        part: Part of speech of the other synset: `noun`, `verb`, `adj` or `adv`.
        offset: Position of the other synset in its data file, in bytes.
        other: Position of the opposite word in the other synset, counted from 1.
    """

    word: int
    part: str
    offset: int
    other: int


class Synset(NamedTuple):
    """Words with one meaning, in order, and their antonyms."""

    words: tuple[str, ...]
    antonyms: tuple[Antonym, ...]


class WordNet:
    """Synonyms and antonyms of lower-case words. An unknown word has none.

    Args:
        files: The content of `index.noun`, `data.noun` and so on, by file name.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self._known: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    def synonyms(self, word: str) -> frozenset[str]:
        """Return all words that share a meaning with the word or its base form, including the word itself."""
        return self._look_up(word)[0]

    def antonyms(self, word: str) -> frozenset[str]:
        """Return the opposites of the word or its base form."""
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
        """Yield the synsets of a word.

        The line of the word in the index file ends with the offsets of its synsets. Their number is in the third field.
        """
        fields = _line_of(self._files[f"index.{part}"], word.replace(" ", "_"))
        for offset in fields[len(fields) - int(fields[2]) :] if fields else ():
            yield self._synset(part, int(offset))

    def _synset(self, part: str, offset: int) -> Synset:
        """Return the synset at an offset in a data file.

        The fields of its line are: offset, number of the lexicographer file, type, number of words (hexadecimal), words
        with their ids, number of pointers (decimal), and pointers. The gloss follows after `|`.
        """
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
    """Return WordNet from this machine; None if it is not installed (see `REMEDY`)."""
    return next((found for folder in _folders() if (found := wordnet_in(folder)) is not None), None)


def wordnet_in(place: Path) -> WordNet | None:
    """Return the WordNet in a folder or in nltk's archive beside it; None if one of its files is missing."""
    if all((place / name).is_file() for name in _FILES):
        return WordNet({name: _mapped(place / name) for name in _FILES})
    try:
        with ZipFile(place.with_suffix(".zip")) as archive:
            return WordNet({name: archive.read(f"{place.name}/{name}") for name in _FILES})
    except (OSError, KeyError, BadZipFile):
        return None


def _folders() -> Iterator[Path]:
    """Yield the folders where WordNet may be: WNSEARCHDIR, folders in nltk's data folders, and Debian's folder."""
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
    """Yield the word and its possible base forms as this part of speech."""
    yield word
    for ending, _, stood in (rule.partition(" ") for rule in _ENDINGS[part]):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            yield word.removesuffix(ending) + stood


def _line_of(data: bytes | mmap, word: str) -> list[str]:
    """Return the fields of the line that begins with a word, in a file of sorted lines; empty if there is none."""
    sought = word.encode("utf-8")
    if not sought:
        return []
    low, high = 0, len(data)
    while low < high:
        start = data.rfind(b"\n", 0, (low + high) // 2) + 1
        end = data.find(b"\n", start)
        line = data[start : end if end >= 0 else len(data)]
        found = line[: line.find(b" ")] if line[:1] != b" " else b""  # the file starts with an indented licence
        if found == sought:
            return line.decode("utf-8").split()
        if found < sought:
            low = start + len(line) + 1
        else:
            high = start
    return []
