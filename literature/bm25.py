"""Lucene's BM25: the formula, and what counts as the same score.

S. Robertson and H. Zaragoza, The probabilistic relevance framework: BM25 and beyond, 2009, in Lucene's form (no factor
k1 + 1). Lucene keeps a document's length in one byte, so the length in the formula is `stored_length`;
the average length is that of the true lengths.
"""

from collections.abc import Iterable, Iterator
from math import isfinite, log

from groundwork.errors import InputError

#: The most hits one search may ask for (Elasticsearch's default result window).
LARGEST_K = 10_000

#: Stores add up scores in single precision, in an order that varies: scores closer than this, relative to their size,
#: are one score.
PRECISION = 1e-6

#: Lengths below it are kept whole in the byte.
_WHOLE = 24


def idf(documents: int, holding: int) -> float:
    """Weight of a term: ln(1 + (N - n + 0.5) / (n + 0.5)) > 0.

    Args:
        documents: N, documents that hold any token.
        holding: n, documents that hold this term, 0 <= n <= N.
    """
    return log(1.0 + (documents - holding + 0.5) / (holding + 0.5))


def saturation(count: int, length: int, average: float, k1: float, b: float) -> float:
    """How much a term's repetitions count: tf / (tf + k1 (1 - b + b dl/avgdl)), in [0, 1).

    Args:
        count: tf, occurrences in the document.
        length: The document's tokens; the formula takes dl = `stored_length` of it.
        average: avgdl, mean of the documents' true lengths, > 0.
        k1: How slowly repetitions saturate.
        b: How much the length counts, 0 to 1.
    """
    return count / (count + k1 * (1.0 - b + b * stored_length(length) / average))


def stored_length(length: int) -> int:
    """A length as Lucene's one byte gives it back (SmallFloat.intToByte4): exact to 40, then the 4 leading bits.

    Beyond 24 the excess keeps its four leading bits, so the stored length is at most an eighth below the true one.
    """
    if length < _WHOLE:
        return length
    excess = length - _WHOLE
    dropped = max(0, excess.bit_length() - 4)
    return _WHOLE + (excess >> dropped << dropped)


def settle(scored: Iterable[tuple[float, int]]) -> Iterator[tuple[float, int]]:
    """Put (score, PMID) pairs in the order of a result: best first, ties by ascending PMID.

    Scores that follow each other within `PRECISION` are ties, and all get the best of them.
    """
    tied: list[int] = []
    best = last = 0.0
    for score, pmid in sorted(scored, reverse=True):
        if tied and last - score > PRECISION * last:
            yield from ((best, pmid) for pmid in sorted(tied))
            tied = []
        if not tied:
            best = score
        tied.append(pmid)
        last = score
    yield from ((best, pmid) for pmid in sorted(tied))


def floor(min_score: float | None) -> float:
    """The lowest score that is not below `min_score`, allowing for single precision; 0 without one.

    Raises:
        InputError: `min_score` is not finite.
    """
    if min_score is None:
        return 0.0
    if not isfinite(min_score):
        raise InputError(
            f"a min_score of {min_score}", "a finite number", "give the lowest score wanted, or no min_score"
        )
    return min_score * (1.0 - PRECISION)


def check_k(k: int) -> None:
    """Refuse a number of hits outside 1 to `LARGEST_K`.

    Raises:
        InputError: It lies outside.
    """
    if not 1 <= k <= LARGEST_K:
        raise InputError(
            f"k = {k} hits asked for", f"k from 1 to {LARGEST_K}", "ask for a number of hits in that range"
        )
