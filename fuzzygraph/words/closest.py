"""The sentence of the literature that is closest to a claim, by BM25: first the articles, then their sentences."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

from fuzzygraph.words.overlap import word_list
from groundwork.language import sentences
from groundwork.ports import LiteratureReader
from groundwork.records import Abstract, IndexInfo, Record

#: Articles whose sentences are compared.
ARTICLES = 8


@dataclass(frozen=True, slots=True)
class Closest(Record):
    """A sentence of an article.

    Attributes:
        pmid: The article.
        sentence: The sentence, of its title or abstract.
        score: Its BM25 score among all sentences of the articles found, > 0.
        retracted: Whether the article was retracted.
    """

    pmid: int
    sentence: str
    score: float
    retracted: bool


def closest(
    literature: LiteratureReader, claims: Sequence[str], *, before: int | None = None, exclude_retracted: bool = False
) -> tuple[Closest | None, ...]:
    """The closest sentence to each claim; None where no article shares a word with it.

    Of sentences with the same score the one of the article found first stands, and of one article's the first.

    Args:
        literature: Where articles are found.
        claims: Sentences.
        before: Only articles with PMID <= before count.
        exclude_retracted: Leave retracted articles out.
    """
    found = literature.search_many(claims, k=ARTICLES, before=before, exclude_retracted=exclude_retracted)
    articles = literature.get({hit.pmid for hits in found for hit in hits.hits})
    return tuple(
        _best(claim, [articles[hit.pmid] for hit in hits.hits if hit.pmid in articles], hits.index)
        for claim, hits in zip(claims, found, strict=True)
    )


def _best(claim: str, articles: Sequence[Abstract], index: IndexInfo) -> Closest | None:
    """The best sentence of some articles."""
    told = [(article, sentence) for article in articles for sentence in _sentences(article)]
    scores = bm25(word_list(claim), [word_list(sentence) for _, sentence in told], index.k1, index.b)
    place = max(range(len(told)), key=scores.__getitem__, default=None)
    if place is None or scores[place] <= 0.0:
        return None
    article, sentence = told[place]
    return Closest(article.pmid, sentence, scores[place], article.text.retracted)


def _sentences(article: Abstract) -> Iterator[str]:
    for part in (article.text.title, article.text.abstract):
        yield from (sentence.text for sentence in sentences(part))


def bm25(query: Sequence[str], documents: Sequence[Sequence[str]], k1: float, b: float) -> list[float]:
    """Lucene's BM25 of each document among all of them: sum of idf * tf / (tf + k1 (1 - b + b dl/avgdl)).

    Args:
        query: Words; one given twice counts twice.
        documents: The words of each.
        k1: How slowly repetitions saturate.
        b: How much the length counts, 0 to 1.
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
