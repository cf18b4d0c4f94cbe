"""Read labelled fields and tables: what their values say about the first value.

Each result is a span of the text with what it says as a sentence, or None if the sentences of the span say it.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from groundwork.layout.verbs import function_words, says, states, unfinished
from groundwork.stretches import Span

Told = tuple[Span, str | None]

#: A rule between paragraphs, and the line below the heading of a table.
RULE = re.compile(r"[\s|:+=*_`~-]*$")
#: A labelled field, and the place between two of them: "Drug: X / Effect: Y".
_LABEL = r"[A-Z][\w-]*(?:[ /][\w-]+){0,3}"
FIELD = re.compile(rf"(?P<label>{_LABEL})\s*:\s+(?P<value>\S.*?)[\s.;,]*$", re.S)
_NEXT_FIELD = re.compile(rf"(?:\s*[/|;,.\u2013\u2014]\s+|\n\s*)(?={_LABEL}\s*:\s)")
#: Columns that name the source of a row, and cells that say too little.
_OF_SOURCE = re.compile(r"(?:stud|author|ref|source|year|pmid|citation|number|id\b|no\b|evidence)", re.I)
_WORDED, _VAGUE = re.compile(r"\W*[^\W\d_]\w"), re.compile(r"(?:yes|no|n/?a|nd|ns|none|unknown)\W*", re.I)
#: Maximum number of words of a name that labelled fields are about.
_NAME = 5


def fields(text: str, span: Span, pieces: Sequence[Span] = ()) -> list[Told]:
    """Return what two or more labelled fields say, such as "Drug: X / Effect: Y"; nothing if there are no fields.

    A label that comes again begins the next record.
    """
    if not pieces:
        places = [found.span() for found in _NEXT_FIELD.finditer(text, *span)]
        pieces = [(one[1], other[0]) for one, other in pairwise([(span[0],) * 2, *places, (span[1],) * 2])]
    matches = [match for piece in pieces if (match := FIELD.match(text[slice(*piece)]))]
    named = all(match["label"].split()[0].lower() not in function_words() for match in matches)
    if len(matches) < max(2, len(pieces)) or not named:
        return []
    if all(map(predicate, matches)):
        return [(piece, None) for piece in pieces]
    found: list[list[tuple[str, Span]]] = []
    for match, (start, _) in zip(matches, pieces, strict=True):
        if not found or match["label"] in {label for label, _ in found[-1]}:
            found.append([])
        found[-1].append((match["label"], (start + match.start("value"), start + match.end("value"))))
    return [told for record in found for told in _record(text, record)]


def predicate(field: re.Match[str]) -> bool:
    """Return whether the value of a field says something about its label: "Aspirin: treats headache"."""
    return not says(field["value"]) and states(field["label"], field["value"])


def table(text: str, lines: Sequence[Span]) -> list[Told]:
    """Return what the rows of a table say. The first row gives the labels, unless it is a statement."""
    cells = [_cells(text, line) for line in lines if not RULE.match(text[slice(*line)])]
    labels = [text[slice(*cell)] for cell in cells[0]] if cells else []
    stated = any(map(says, labels)) or (len(labels) > 1 and states(labels[0], " ".join(labels[1:])))
    heads = len(cells) > 1 and (len(cells) < len(lines) or not stated)
    names = labels if heads else []
    told = [list(zip([*names, *[""] * len(row)], row, strict=False)) for row in cells[heads:]]
    return [each for record in told for each in _record(text, record)]


def _cells(text: str, line: Span) -> list[Span]:
    """Return the spans of the cells of a row. Empty cells at the ends are left out."""
    found = []
    for cell in re.finditer(r"(?:^|(?<=[|\t]))[^|\t]*", text[slice(*line)]):
        start, end = line[0] + cell.start(), line[0] + cell.end()
        found.append((end - len(text[start:end].lstrip()), start + len(text[start:end].rstrip())))
    first = int(bool(found) and found[0][0] >= found[0][1])
    return found[first:-1] if found[-1][0] >= found[-1][1] else found[first:]


def _record(text: str, fields: Sequence[tuple[str, Span]]) -> list[Told]:
    """Return what labelled values say: the values that are statements, and what the others say about the first value.

    "Aspirin", "treats headache" is read as one sentence, and so is "Aspirin", "treats", "headache". Otherwise the label
    states the relation: "The effect of cisplatin is nephrotoxicity."
    """
    told = [(label, text[slice(*span)], span) for label, span in fields if not _OF_SOURCE.match(label)]
    told = [each for each in told if _WORDED.match(each[1]) and not _VAGUE.fullmatch(each[1])]
    found: list[Told] = [(span, None) for _, value, span in told if says(value)]
    rest = [each for each in told if not says(each[1])]
    if len(rest) < 2 or len(rest[0][1].split()) > _NAME:
        return found
    whole, subject = (fields[0][1][0], fields[-1][1][1]), rest[0][1]
    verb = ""
    for label, value, _ in rest[1:]:
        words = f"{verb} {value}".strip()
        verb = words if unfinished(words) and states(subject, f"{words} it") else ""
        if not verb and states(subject, words):
            found.append((whole, f"{subject} {words}."))
        elif not verb and re.fullmatch(r"[^\W\d_][^\d_]+", label):
            name = label if label[1:2].isupper() else label[:1].lower() + label[1:]
            is_or_are = "are" if re.search(r"[^sui]s$", name) else "is"
            found.append((whole, f"The {name} of {subject} {is_or_are} {value}."))
    return found
