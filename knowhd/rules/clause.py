"""Where the clause around a place in a sentence begins and ends, by marks and words alone, without a parse."""

import re
from bisect import bisect_right
from functools import lru_cache

_STOP = re.compile(r";|,?\s(?:but|whereas|while|although)\s(?!not\b|also\b)")
#: Brackets that hold none; masked twice, so that those which hold such are too.
_BRACKETS = re.compile(r"\([^()]*\)|\[[^][]*\]")


def clause_at(text: str, place: int) -> tuple[int, int]:
    """Where the clause around a place begins and ends: at a semicolon, or at "but" and the like, not in brackets.

    "B fell (n = 40; p = .4)" is one clause.
    """
    begins, ends = _stops(text)
    before, behind = bisect_right(ends, place), bisect_right(begins, place)
    return (ends[before - 1] if before else 0), (begins[behind] if behind < len(begins) else len(text))


@lru_cache(maxsize=256)
def _stops(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where the marks and words between clauses begin, and where they end."""
    plain = _BRACKETS.sub(_blank, _BRACKETS.sub(_blank, text))
    stops = [stop.span() for stop in _STOP.finditer(plain)]
    return tuple(begin for begin, _ in stops), tuple(end for _, end in stops)


def _blank(found: re.Match[str]) -> str:
    return "_" * len(found[0])
