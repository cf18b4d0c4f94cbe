"""A text as it can be read: without markup, with each character where it was."""

import re
from html import unescape

_TAG = re.compile(r"""</?[A-Za-z][\w:.-]{0,40}(?:\s+[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+))*\s*/?>""")
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,6}|#x[0-9a-fA-F]{1,5});")
_EMPHASIS = re.compile(r"(?<![\w*])[*_]{1,3}(?=\w)|(?<=\w)[*_]{1,3}(?![\w*])")
#: Control characters, and what a terminal takes for a colour.
_CONTROL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")


def readable(text: str) -> str:
    """The text with blanks for tags, emphasis and control characters, and entities as what they stand for."""
    for pattern in (_TAG, _EMPHASIS, _CONTROL):
        text = pattern.sub(lambda found: " " * len(found[0]), text)
    return _ENTITY.sub(lambda found: unescape(found[0])[:1].ljust(len(found[0])), text)
