"""Find the sentence in the literature that is closest to a claim by BM25.

First the articles that are closest to the claim are found, and then the closest sentence in these articles.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

from fuzzygraph.words.overlap import word_list
from groundwork.language import sentences
from groundwork.ports import LiteratureReader
from groundwork.records import Abstract, IndexInfo, Record

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
    told = [(article, sentence) for article in articles for sentence in _sentences(article)]
    scores = bm25(word_list(claim), [word_list(sentence) for _, sentence in told], index.k1, index.b)
    place = max(range(len(told)), key=scores.__getitem__, default=None)
    if place is None or scores[place] <= 0.0:
        return None
    article, sentence = told[place]
    return ClosestSentence(article.pmid, sentence, scores[place], article.text.retracted)


def _sentences(article: Abstract) -> Iterator[str]:
    for part in (article.text.title, article.text.abstract):
        yield from (sentence.text for sentence in sentences(part))


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
