"""Check that a text can be judged, and remove markup, invisible characters and citations without moving its words."""

import re
from collections.abc import Callable
from html import unescape

from groundwork.errors import UnfitText

#: The maximum length of a text that is judged in one call, in characters.
LONGEST = 1_000_000


def statement(text: str) -> str:
    """Return a text unchanged if it can be judged.

    Raises:
        UnfitText: If the value is not a str, is empty or only white space, has more than `LONGEST` characters, or
            contains a NUL character or an unpaired surrogate. Unpaired surrogates come from command-line bytes that are
            not UTF-8 and from broken JSON escapes.
    """
    if not isinstance(text, str):
        raise UnfitText(f"a value of type {type(text).__name__}", "a text to judge, as a str", "pass a str")
    if not text.strip():
        raise UnfitText("an empty text", "a text to judge", "give a text, or a file with one text per line")
    if len(text) > LONGEST:
        raise UnfitText(
            f"a text of {len(text):,} characters",
            f"at most {LONGEST:,} characters per text",
            "split the text, for instance into one abstract per line, and give the texts as a file",
        )
    if "\0" in text:
        remedy = "remove the NUL characters, or save the text as UTF-8"
        raise UnfitText("a text that contains a NUL character", "a text without NUL", remedy)
    if broken(text):
        raise UnfitText(
            "a text that contains bytes that are not UTF-8, or an unpaired surrogate (half of a UTF-16 pair)",
            "a text in valid Unicode",
            "save the text as UTF-8, or give it as a file",
        )
    return text


def broken(text: str) -> bool:
    """Return whether a text contains an unpaired surrogate."""
    return any(0xD800 <= ord(letter) <= 0xDFFF for letter in text)


#: A character that stands for removed ones until the words around it are joined. No text contains it after `_CONTROL`.
_GONE = "\0"
_LINE_END = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
_CONTROL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
#: Characters without width: soft hyphens, joiners, variation selectors, and marks of the writing direction.
_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
_SPACE = re.compile(r"[^\S\n\t]")
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])[\u2018\u2019\u201b\u02b9\u02bc\u2032\u00b4\uff07`](?=[^\W\d_])")

_TAG = re.compile(
    r"""</?(?:jats:)?(?P<name>[A-Za-z][\w:.-]{0,40})"""
    r"""(?:\s+[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+))*\s*/?>"""
)
#: Tags inside a word ("TNF-<i>α</i>"), and tags between lines and between the cells of a table.
_INNER = frozenset({"b", "bold", "em", "i", "italic", "mark", "small", "strong", "sub", "sup", "u"})
_BETWEEN = {"br": "\n", "tr": "\n", "td": "|", "th": "|"}
_BETWEEN |= dict.fromkeys("div h1 h2 h3 h4 h5 h6 li ol p sec table title ul".split(), "\n\n")  # noqa: SIM905
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,6}|#x[0-9a-fA-F]{1,5});")
_EMPHASIS = re.compile(r"(?<![\w*`])(?:[*_]{1,3}|`)(?=[\w(])|(?<=[\w.:,;!?)])(?:[*_]{1,3}|`)(?![\w*`])")
#: A Markdown link or picture: its words are kept. A link around a citation is a citation.
_LINK = re.compile(
    r"!?\[(?P<words>\[[^\[\]\n]{1,40}\]|[^\[\]\n]{1,200})\]\((?:[^()\s]|\([^()\s]{0,200}\)){1,500}(?:\s+\"[^\"\n]*\")?\)"
)
#: A footnote at the end of a text: "[^1]: Smith 2020".
_FOOTNOTE = re.compile(r"^[^\S\n]*\[\^[^\]\n]+\]:.*", re.M)

_NUMBERS = r"\d{1,3}(?:\s?[,\u2013-]\s?\d{1,3})*"
_RAISED = "[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]"
_LETTER = "[^\\W\\d_\u2070\u00b9\u00b2\u00b3\u2074-\u2079]"
#: Numbers of references above the line, after a word of four characters or after punctuation. Shorter words have
#: exponents and positions: "cm²", "Ca²⁺", "Ser⁴⁷³".
SUPERSCRIPT = re.compile(
    rf"(?:(?<={_LETTER}(?:{_LETTER}|\d){{3}})|(?<=[.,;:!?\"\u201d]))"
    rf"(?:{_RAISED}+(?:[,\u02d2\u207b\u2013-]{_RAISED}+)*(?![\w\u207a\u207b])"
    rf"|\^\[?{_NUMBERS}\]?\^|\$\^\{{{_NUMBERS}\}}\$|<sup>\s*\[?{_NUMBERS}\]?\s*</sup>)"
    rf"|(?<=[a-z]{{4}}\.){_NUMBERS}(?=\s+[A-Z]|\s*$)",
    re.M,
)
_BRACKETS = re.compile(
    r"(?<![^\S\n])[^\S\n]*(?:\[(?P<square>[^\[\]\n]{1,300})\](?![\w-])|\((?P<round>[^()]{1,300})\)|【[^【】\n]{1,60}】)"
)
_SEPARATOR = re.compile(r"\s*[;,]\s*(?:and\s+)?|\s+(?:and|&)\s+")
_NUMBER = re.compile(r"\d{1,3}(?:\s?[\u2013-]\s?\d{1,3})?|\d{7,8}")
_YEAR = r"\(?(?:19|20)\d\d[a-z]?\)?"
#: A source: an author with or without a year, a year, or an identifier or address; or only a word before a source.
_LEAD = r"(?:see|also|e\.g\.|cf\.|reviewed|in|by|from)"
_SOURCE = re.compile(
    rf"(?:{_LEAD}\s+)*(?:"
    r"(?P<id>\^\S+|@\S+|citation needed|(?:https?://|www\.|10\.\d{4,9}/)\S+"
    r"|(?i:PMIDs?|PMC(?:ID)?s?|doi|ref(?:erence)?s?\.?)[\s:#]*\S*\d\S*)"
    r"|(?P<author>(?:[a-z]{2,3}\s+){0,2}[A-Z][\w'.-]+(?:\s+(?:[a-z]{2,3}\s+)?[A-Z][\w'.-]*){0,3}(?:\s+et\s+al\.?)?)"
    rf"(?:\s+(?P<when>{_YEAR}))?|(?P<year>{_YEAR}(?::\d+)?)|{_LEAD}(?:\s+{_LEAD})?|pp?\.\s?[\d\u2013-]+)"
)
#: What a text adds to its statements in brackets, and no evidence repeats: sources, p values and confidence intervals.
_ADDED = re.compile(r"\bp ?[<=>\u2264]|\b(?:CI|et al|PMID)\b", re.I)


def readable(text: str) -> str:
    """Return a text without markup, invisible characters, citations and statistics in brackets.

    HTML entities are resolved, and every apostrophe inside a word becomes "'". See the module for what becomes of
    offsets.
    """
    text = _CONTROL.sub(_blank, _LINE_END.sub("\n", text))
    for pattern, place in _STEPS:
        text = pattern.sub(place, text)
    return _closed(_BRACKETS.sub(_uncited, _APOSTROPHE.sub("'", _closed(_SPACE.sub(" ", text)))))


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _gone(found: re.Match[str]) -> str:
    return _GONE * len(found[0])


def _words(link: re.Match[str]) -> str:
    """Return the words of a link at their old place, in square brackets if they are a citation."""
    words = link["words"].strip("[]")
    kept = f"[{words}]" if _cites(words, square=True) else words
    return kept.rjust(link.end("words") - link.start(), _GONE).ljust(len(link[0]), _GONE)


def _tag(tag: re.Match[str]) -> str:
    """Return what stands in place of a tag: a line end, a cell border, "^" before an exponent, or nothing."""
    name, before = tag["name"].lower(), tag.string[max(0, tag.start() - 1) : tag.start()]
    if tag[0].startswith("</"):
        between = "" if name in {"td", "th", "tr"} else _BETWEEN.get(name, "")
    else:
        between = "^" if name == "sup" and before.isdigit() else _BETWEEN.get(name, "")
    return between.ljust(len(tag[0]), _GONE if name in _INNER else " ")


def _entity(entity: re.Match[str]) -> str:
    letter = unescape(entity[0])[:1]
    return ("" if _INVISIBLE.match(letter) else letter).ljust(len(entity[0]), _GONE)


def _uncited(brackets: re.Match[str]) -> str:
    """Return brackets, or nothing if they contain only sources or statistics.

    A number in round brackets is a citation only before punctuation: "(1) A lowers B (2)."
    """
    square, plain = brackets["square"], brackets["round"]
    if plain is not None:
        closing = brackets.string[brackets.end() : brackets.end() + 1] in {".", ",", ";", ""}
        numbered = (
            closing
            and re.search(r"[a-z]{3}", brackets.string[max(0, brackets.start() - 3) : brackets.start()]) is not None
        )
        cites = _ADDED.search(plain) or _cites(plain, square=numbered)
    else:
        cites = square is None or _cites(square, square=True)
    return _gone(brackets) if cites else brackets[0]


def _cites(content: str, *, square: bool) -> bool:
    """Return whether a text consists only of sources. Numbers alone are sources in square brackets."""
    pieces = _SEPARATOR.split(content.strip())
    if square and all(map(_NUMBER.fullmatch, pieces)):
        return True
    sources = [_SOURCE.fullmatch(piece) for piece in pieces if not _NUMBER.fullmatch(piece)]
    told = {kind for source in sources if source for kind, said in source.groupdict().items() if said}
    return all(sources) and ("id" in told or ("author" in told and not told.isdisjoint({"when", "year"})))


def _closed(text: str) -> str:
    """Close the gaps in the words of a text.

    The blanks go behind the word, or before it if a sentence may end there, so that a sentence begins and ends at the
    same place as before.
    """
    return re.sub(r"\S+", _joined, text) if _GONE in text else text


def _joined(run: re.Match[str]) -> str:
    letters = run[0].replace(_GONE, "")
    ends = re.search(r"[.!?][\"'\u201d\u2019)\]]*$", letters) or run.string[run.end() : run.end() + 1] in {"\n", ""}
    return letters.rjust(len(run[0])) if ends else letters.ljust(len(run[0]))


#: What is removed or replaced, in this order.
_STEPS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (_INVISIBLE, _gone),
    (_FOOTNOTE, _blank),
    (_LINK, _words),
    (SUPERSCRIPT, _gone),
    (_TAG, _tag),
    (_EMPHASIS, _gone),
    (_ENTITY, _entity),
)
