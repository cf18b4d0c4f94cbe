"""Compare the words of a claim with the closest sentence in the literature (paper B, 7.1 and 7.4).

By BM25, first the articles that are closest to the claim are found, and then the closest sentence in these articles.
The Jaccard index of both is computed over plain tokens, and over tokens with their WordNet synonyms if WordNet is
installed. Few common words but many common synonyms indicate a paraphrase. Opposites indicate a contradiction, even if
they differ in few letters ("hyperglycemia", "hypoglycemia": Jaccard 0).

Synonyms and antonyms are looked up in WordNet's database files (wndb(5WN), morphy(7WN)). A word's line is found by
bisection in the memory-mapped file. So nothing is loaded, and nltk, whose import takes seconds, is not needed. Any
folder with WordNet 3's files works, including those of nltk and Debian.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import NamedTuple, Protocol
from zipfile import BadZipFile, ZipFile

from groundwork.language import sentences
from groundwork.ports import LiteratureReader
from groundwork.records import Abstract, IndexInfo, Record
from groundwork.spelling import opposed_pairs

#: The paper's thresholds: for its flag of paraphrases, and for its flag "low Jaccard with high P_net".
RAW_BELOW = 0.3
EXPANDED_ABOVE = 0.5
P_NET_ABOVE = 0.5

#: Words that are too common to count.
_EMPTY = re.compile(r"(?:a|an|the|of|in|on|to|and|or|is|are|was|were|be|by|with|for|that|this|it|as|at|from)")
_TOKEN = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


class Thesaurus(Protocol):
    """Synonyms and antonyms of words, as in `WordNet`. All words are in lower case."""

    def synonyms(self, word: str) -> frozenset[str]:
        """Return the words with the same meaning."""

    def antonyms(self, word: str) -> frozenset[str]:
        """Return the words with the opposite meaning."""


@dataclass(frozen=True, slots=True)
class Overlap(Record):
    """How a claim and a piece of evidence share words.

    Attributes:
        raw: Jaccard index of their tokens, in [0, 1].
        expanded: Jaccard index of the tokens with their synonyms; None without WordNet.
        opposites: Pairs of opposite words (word of the claim, word of the evidence).
        flags: `paraphrase` (raw < 0.3, expanded > 0.5), `low_overlap` (raw < 0.3 and P_net > 0.5), `opposites`,
            `no_wordnet`.
    """

    raw: float
    expanded: float | None
    opposites: tuple[tuple[str, str], ...]
    flags: tuple[str, ...]


def word_list(text: str) -> list[str]:
    """Return the words of a text in order, in lower case, without words that are too common."""
    return [word for word in _TOKEN.findall(text.lower()) if not _EMPTY.fullmatch(word)]


def tokens(text: str) -> frozenset[str]:
    """Return the set of words of a text."""
    return frozenset(word_list(text))


def jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    """Return |A and B| / |A or B|; 0.0 for two empty sets."""
    return len(first & second) / len(first | second) if first | second else 0.0


def overlap(claim: str, evidence: str, *, p_net: float | None = None, wordnet: Thesaurus | None = None) -> Overlap:
    """Compare a claim with the evidence closest to it.

    Args:
        claim: The generated claim.
        evidence: The closest sentence in the literature.
        p_net: P_net of the claim (see `support.Score`), for the flag `low_overlap`.
        wordnet: Result of `installed_wordnet`. With None there is no comparison by synonyms, and the flag
            `no_wordnet` is set.
    """
    left, right = tokens(claim), tokens(evidence)
    raw = jaccard(left, right)
    expanded = jaccard(_with_synonyms(left, wordnet), _with_synonyms(right, wordnet)) if wordnet else None
    opposites = opposed_pairs(claim, evidence)
    if wordnet:
        pairs = ((a, b) for a in sorted(left - right) for b in sorted(right - left) if b in wordnet.antonyms(a))
        opposites = tuple(dict.fromkeys([*opposites, *pairs]))
    flags = ["paraphrase"] if expanded is not None and raw < RAW_BELOW and expanded > EXPANDED_ABOVE else []
    flags += ["low_overlap"] if p_net is not None and raw < RAW_BELOW and p_net > P_NET_ABOVE else []
    flags += ["opposites"] if opposites else []
    flags += [] if wordnet else ["no_wordnet"]
    return Overlap(raw, expanded, opposites, tuple(flags))


def _with_synonyms(words: frozenset[str], wordnet: Thesaurus) -> frozenset[str]:
    return words.union(*(wordnet.synonyms(word) for word in words))


#: Number of articles whose sentences are compared.
ARTICLES = 8


@dataclass(frozen=True, slots=True)
class ClosestSentence(Record):
    """A sentence of an article.

    Attributes:
        pmid: PubMed number of the article.
        sentence: The sentence, from title or abstract.
        score: BM25 score of the sentence among all sentences of the articles found, > 0.
        retracted: Whether the article was retracted.
    """

    pmid: int
    sentence: str
    score: float
    retracted: bool


def closest(
    literature: LiteratureReader, claims: Sequence[str], *, before: int | None = None, exclude_retracted: bool = False
) -> tuple[ClosestSentence | None, ...]:
    """Return the closest sentence for each claim; None if no article shares a word with the claim.

    Ties go to the article that was found first, and within an article to the first sentence.

    Args:
        literature: Store of the articles.
        claims: Sentences.
        before: Use only articles with a PMID up to this one.
        exclude_retracted: Ignore retracted articles.
    """
    found = literature.search_many(claims, k=ARTICLES, before=before, exclude_retracted=exclude_retracted)
    articles = literature.get({hit.pmid for hits in found for hit in hits.hits})
    return tuple(
        _best(claim, [articles[hit.pmid] for hit in hits.hits if hit.pmid in articles], hits.index)
        for claim, hits in zip(claims, found, strict=True)
    )


def _best(claim: str, articles: Sequence[Abstract], index: IndexInfo) -> ClosestSentence | None:
    """Return the sentence of the articles that is closest to a claim; None if no sentence shares a word with it."""
    told = [
        (article, sentence.text)
        for article in articles
        for part in (article.text.title, article.text.abstract)
        for sentence in sentences(part)
    ]
    scores = bm25(word_list(claim), [word_list(sentence) for _, sentence in told], index.k1, index.b)
    place = max(range(len(told)), key=scores.__getitem__, default=None)
    if place is None or scores[place] <= 0.0:
        return None
    article, sentence = told[place]
    return ClosestSentence(article.pmid, sentence, scores[place], article.text.retracted)


def bm25(query: Sequence[str], documents: Sequence[Sequence[str]], k1: float, b: float) -> list[float]:
    """Return Lucene's BM25 score of each document: sum of idf * tf / (tf + k1 (1 - b + b dl/avgdl)).

    Args:
        query: Words; a repeated word counts repeatedly.
        documents: The words of each document.
        k1: Saturation of repeated words.
        b: Influence of the document length, 0 to 1.
    """
    counts = [Counter(words) for words in documents]
    holding = Counter(word for count in counts for word in count)
    average = sum(map(len, documents)) / len(documents) if documents else 1.0
    weights = {w: log(1.0 + (len(documents) - holding[w] + 0.5) / (holding[w] + 0.5)) for w in set(query)}
    scores = []
    for count, words in zip(counts, documents, strict=True):
        norm = k1 * (1.0 - b + b * len(words) / average) if average else k1
        scores.append(sum(weights[word] * count[word] / (count[word] + norm) for word in query if count[word]))
    return scores


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
