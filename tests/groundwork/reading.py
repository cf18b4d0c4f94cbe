"""Sentences with concepts marked in braces: "{Aspirin|Chemical} lowers {pain|Disease}."""

import re

from groundwork.linking import Mention

_MARK = re.compile(r"\{([^|{}]+)\|(\w+)\}")


def marked(text: str) -> tuple[str, tuple[Mention, ...]]:
    """Returns the sentence without its marks, and the mentions that the marks stand for."""
    plain, mentions, at = "", [], 0
    for match in _MARK.finditer(text):
        plain += text[at : match.start()]
        name, kind = match.groups()
        mentions.append(Mention(name, len(plain), len(plain) + len(name), f"{kind}|{name.lower()}", name, 1.0))
        plain += name
        at = match.end()
    return plain + text[at:], tuple(mentions)
