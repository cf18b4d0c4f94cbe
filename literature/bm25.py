"""Lucene's BM25: the formula, and the rule by which two scores count as equal.

The formula is from S. Robertson and H. Zaragoza, The probabilistic relevance framework: BM25 and beyond, 2009, in
Lucene's form (without the factor k1 + 1). Lucene stores the length of a document in one byte, so the formula uses
`stored_length` as the document's length. The average length is the mean of the true lengths.
"""

from collections.abc import Iterable, Iterator
from math import isfinite, log

from groundwork.errors import InputError

#: Largest number of hits that one search may ask for (Elasticsearch's default result window).
LARGEST_K = 10_000

#: Two scores that differ by less than this, relative to their size, count as equal. The stores add up scores in single
#: precision and in varying order.
PRECISION = 1e-6

#: Lengths below this value are stored exactly.
_WHOLE = 24


def idf(documents: int, holding: int) -> float:
    """Return the inverse document frequency of a term: ln(1 + (N - n + 0.5) / (n + 0.5)) > 0.

    Args:
        documents: N, the number of documents with at least one token.
        holding: n, the number of documents that contain the term, 0 <= n <= N.
    """
    return log(1.0 + (documents - holding + 0.5) / (holding + 0.5))


def saturation(count: int, length: int, average: float, k1: float, b: float) -> float:
    """Return the saturated term frequency: tf / (tf + k1 (1 - b + b dl/avgdl)), in [0, 1).

    Args:
        count: tf, the number of occurrences in the document.
        length: The document's number of tokens. The formula uses dl = `stored_length(length)`.
        average: avgdl, the mean of the documents' true lengths, > 0.
        k1: Parameter that sets how slowly repetitions saturate.
        b: Weight of the document's length, 0 to 1.
    """
    return count / (count + k1 * (1.0 - b + b * stored_length(length) / average))


def stored_length(length: int) -> int:
    """Return a length as Lucene decodes it from one byte (SmallFloat.intToByte4).

    Lengths up to 40 are exact. Above that, the excess over 24 keeps its four leading bits, so the stored length is at
    most one eighth below the true length.
    """
    if length < _WHOLE:
        return length
    excess = length - _WHOLE
    dropped = max(0, excess.bit_length() - 4)
    return _WHOLE + (excess >> dropped << dropped)


def settle(scored: Iterable[tuple[float, int]]) -> Iterator[tuple[float, int]]:
    """Yield (score, PMID) pairs in the order of a result: best first, equal scores by ascending PMID.

    Neighbouring scores within `PRECISION` of each other count as equal, and all of them get the highest of the scores.
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
    """Return the lowest score that `min_score` accepts, with a margin for single precision; 0 for None.

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
    """Check that a number of hits lies between 1 and `LARGEST_K`.

    Raises:
        InputError: The number lies outside this range.
    """
    if not 1 <= k <= LARGEST_K:
        raise InputError(
            f"k = {k} hits asked for", f"k from 1 to {LARGEST_K}", "ask for a number of hits in that range"
        )
