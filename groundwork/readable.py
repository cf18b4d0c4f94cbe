"""A text as it can be read: without markup, with each character where it was."""

import re
from html import unescape

_TAG = re.compile(r"""</?[A-Za-z][\w:.-]{0,40}(?:\s+[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+))*\s*/?>""")
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,6}|#x[0-9a-fA-F]{1,5});")
_EMPHASIS = re.compile(r"(?<![\w*])[*_]{1,3}(?=\w)|(?<=\w)[*_]{1,3}(?![\w*])")
#: A link or a picture of Markdown: its words are read, not where it leads.
_LINK = re.compile(r"!?\[(?P<words>[^\[\]\n]{1,200})\]\([^()\s]{1,500}\)")
#: Control characters, what a terminal takes for a colour, and what turns the direction of writing.
_CONTROL = re.compile(
    r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)


def readable(text: str) -> str:
    """The text with blanks for tags, emphasis, targets of links and control characters; entities as what they mean."""
    text = _LINK.sub(_words, text)
    for pattern in (_TAG, _EMPHASIS, _CONTROL):
        text = pattern.sub(lambda found: " " * len(found[0]), text)
    return _ENTITY.sub(lambda found: unescape(found[0])[:1].ljust(len(found[0])), text)


def _words(link: re.Match[str]) -> str:
    """The words of a link where they stood, with blanks for the rest of it."""
    before = " " * (link.start("words") - link.start())
    return f"{before}{link['words']}".ljust(len(link[0]))
