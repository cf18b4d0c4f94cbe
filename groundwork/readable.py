"""Replace markup in a text by blanks, so that the offsets of all other characters stay the same."""

import re
from html import unescape

_TAG = re.compile(r"""</?[A-Za-z][\w:.-]{0,40}(?:\s+[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+))*\s*/?>""")
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,6}|#x[0-9a-fA-F]{1,5});")
_EMPHASIS = re.compile(r"(?<![\w*])[*_]{1,3}(?=[\w(])|(?<=[\w.:,;!?)])[*_]{1,3}(?![\w*])")
#: A Markdown link or picture: its words are kept, its target is blanked.
_LINK = re.compile(r"!?\[(?P<words>[^\[\]\n]{1,200})\]\([^()\s]{1,500}\)")
#: Control characters, terminal colour codes, and characters that change the writing direction.
_CONTROL = re.compile(
    r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)


def readable(text: str) -> str:
    """Return the text with blanks in place of markup and control characters, and with HTML entities resolved."""
    text = _LINK.sub(_words, text)
    for pattern in (_TAG, _EMPHASIS, _CONTROL):
        text = pattern.sub(lambda found: " " * len(found[0]), text)
    return _ENTITY.sub(lambda found: unescape(found[0])[:1].ljust(len(found[0])), text)


def _words(link: re.Match[str]) -> str:
    """Return the words of a link at their old place, with blanks for the rest of the link."""
    before = " " * (link.start("words") - link.start())
    return f"{before}{link['words']}".ljust(len(link[0]))
