"""A text as it can be read: without markup, with each character where it was; and whether a sentence can be read."""

import re
from html import unescape

from fuzzygraph.predicates import predicates

#: The longest sentence that is read, in characters; the longest of 20,000 in BioRED and BC5CDR has about 1,000.
LONGEST_SENTENCE = 2_500

_TAG = re.compile(r"""</?[A-Za-z][\w:.-]{0,40}(?:\s+[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+))*\s*/?>""")
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,6}|#x[0-9a-fA-F]{1,5});")
_EMPHASIS = re.compile(r"(?<![\w*])[*_]{1,3}(?=\w)|(?<=\w)[*_]{1,3}(?![\w*])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_WORD = re.compile(r"[^\W\d_]+")


def readable(text: str) -> str:
    """The text with blanks for tags, emphasis and control characters, and entities as what they stand for."""
    for pattern in (_TAG, _EMPHASIS, _CONTROL):
        text = pattern.sub(lambda found: " " * len(found[0]), text)
    return _ENTITY.sub(lambda found: unescape(found[0])[:1].ljust(len(found[0])), text)


def unread(sentence: str) -> str | None:
    """Why a sentence is not read, as a flag: `too_long` or `not_english`; None if it is."""
    if len(sentence) > LONGEST_SENTENCE:
        return "too_long"
    words = _WORD.findall(sentence.lower())
    letters = "".join(words)
    strange = sum(letter > "\u024f" and not "\u0370" <= letter <= "\u03ff" for letter in letters)  # Greek is at home
    foreign, english = (sum(word in predicates().words[kind] for word in words) for kind in ("foreign", "english"))
    return "not_english" if strange * 2 > len(letters) or (foreign > 1 and foreign > english) else None
