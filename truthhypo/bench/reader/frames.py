"""Rows made by rule: plain statements, changed sentences, marks of persons, and clauses whose verb states a sign.

Plain statements come from frames. Labelled sentences have a verb turned, denied or made neutral. They teach that small
words decide: a frame or a changed sentence differs from its neighbour in the table by one word, and its label by all
that matters. People labelled relations between concepts, but a claim may be about any two things: "dietary salt raises
arterial pressure". In a plain clause the main verb states the sign whatever its ends are, so the parse can label it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import Any

from groundwork.linking import Mention
from groundwork.reading.encoder import Encoder, Spans, moved
from groundwork.reading.tree import SUBJECTS, Tree, Word, is_phrase, parse_all, with_phrases
from knowhd.claims import Claim
from knowhd.clauses import past, third
from knowhd.marks import Mark
from knowhd.statement import Statement, statement_of
from truthhypo.bench.reader.table import ANY_ACTS, ANY_MANNER, ANY_SIGN, SENTENCE, End, Row, named, only, places, row

#: Words for the gaps of a frame. The names of the ends are never read, as markers replace them.
_ENDS = {"{A}": "Qa", "{B}": "Qb"}
_TURNED = {"up": "down", "down": "up"}
#: Gaps for the forms of a verb that a clause may have, and all gaps that `inflected` fills.
FINITE = ("{v}", "{s}", "{p}")
_FORMS = (*FINITE, "{g}")
_TYPES = ("Chemical", "Disease", "Gene", "Variant", "Other")
#: Share of the plain statements that are joined with a statement about other things.
_JOINED = 0.3
#: Pairs of types that claims are mostly about, drawn as often as all others together.
_USUAL = (
    ("Chemical", "Disease"),
    ("Chemical", "Gene"),
    ("Gene", "Disease"),
    ("Gene", "Gene"),
    ("Chemical", "Chemical"),
)
#: Nouns and adjectives that state a sign, with their opposite.
_NOUNS = (
    ("inhibition", "activation"), ("suppression", "stimulation"), ("reduction", "elevation"),
    ("attenuation", "enhancement"),
    ("inhibitor", "activator"), ("inhibitors", "activators"), ("antagonist", "agonist"), ("antagonists", "agonists"),
    ("downregulation", "upregulation"), ("down-regulation", "up-regulation"), ("inhibitory", "stimulatory"),
    ("downregulated", "upregulated"), ("down-regulated", "up-regulated"), ("down-regulates", "up-regulates"),
    ("prevention", "induction"), ("lower", "higher"), ("decreased", "increased"), ("amelioration", "aggravation"),
)  # fmt: skip
#: Words that leave open whether a clause holds, and tags of a main verb that states something.
_OPEN = frozenset({"whether", "if", "hypothesize", "?"})
_STATING = frozenset({"VB", "VBZ", "VBP", "VBD", "VBN"})
_HEDGES = frozenset({"may", "might", "could"})
#: Name of the set, and of the folder in DATA/labelled with the files that `truthhypo mark export` wrote.
MARKS = "marks"
_SIGNS = {1: "up", -1: "down", 0: "related"}
_SOME = only("up", "down", "related")


def statements(names: list[str], draw: Random, most: int) -> Iterator[Row]:
    """Yield `most` plain statements: each frame about equally often, with drawn verbs, types and third names."""
    frames = _rows("frames.tsv")
    verbs = _verbs()
    for number in range(most):
        frame, sign, manner, acts = frames[number % len(frames)]
        types = draw.choice(_USUAL) if draw.random() < 0.5 else (draw.choice(_TYPES), draw.choice(_TYPES))
        if sign == "improve":
            types = (types[0], "Disease")
        kind = "none" if sign == "nothing" else draw.choice(("up", "down"))
        text = inflected(frame, draw.choice(verbs[kind]))
        if draw.random() < _JOINED and _is_clause(frame, manner):
            other = _aside(frames, names, draw)
            text = _joined(*((text, other) if draw.random() < 0.5 else (other, text)), draw)
        said = {"verb": kind, "turned": _TURNED.get(kind, ""), "improve": "down"}.get(sign, sign)
        signs = only(said) if said in {"up", "down", "related", "none"} else ANY_SIGN
        if sign == "nothing" and manner == "open":
            signs = only("none")
        if sign == "open" and manner == "denied":
            signs = only("related")  # "no effect" denies every relation, not one of a certain sign
        if "{C}" in text:
            text = text.replace("{C}", draw.choice(names))
        text = (text[:1].upper() + text[1:]) if not text.startswith("{") else text
        for gap, name in _ENDS.items():
            text = text.replace(gap, name)
        ends = {
            gap: End(kind_, [(at, at + 2)])
            for gap, kind_ in zip(_ENDS, types, strict=True)
            for at in [text.index(_ENDS[gap])]
        }
        made = row(
            "frames", 0, text, ends["{A}"], ends["{B}"], signs=signs,
            manners=only(manner) if manner != "open" else ANY_MANNER,
            acts=only("first") if acts == "A" else only("neither") if acts == "-" else ANY_ACTS,
        )  # fmt: skip
        if made:
            yield made


def _is_clause(frame: str, manner: str) -> bool:
    """Return whether a frame can be joined with another one: a whole sentence with a verb."""
    return frame.endswith(".") and (manner == "denied" or any(gap in frame for gap in FINITE))


def _aside(frames: list[list[str]], names: list[str], draw: Random) -> str:
    """Return a plain statement about other things than the two ends: stated, denied or asked."""
    frame = draw.choice([f for f, _, manner, _ in frames if _is_clause(f, manner) and "{C}" not in f])
    text = inflected(frame, draw.choice(_verbs()[draw.choice(("up", "down"))]))
    for gap in _ENDS:
        text = text.replace(gap, draw.choice(names))
    return text[:1].upper() + text[1:]


def _joined(first: str, second: str, draw: Random) -> str:
    """Return two sentences as one. A negation or a question then reaches only its own clause."""
    if not second.startswith("{"):
        second = second[:1].lower() + second[1:]
    return first.removesuffix(".") + draw.choice((", and ", "; ", ", but ", ", whereas ", ", while ")) + second


def joined(rows: Iterable[Row], names: list[str], draw: Random) -> Iterator[Row]:
    """Yield labelled sentences followed by a plain statement about other things, which changes no label."""
    frames = _rows("frames.tsv")
    for each in rows:
        if each.level == SENTENCE and each.text.endswith(".") and len(each.text) < 200:
            yield replace(each, source="joined", text=_joined(each.text, _aside(frames, names, draw), draw))


def counterfactuals(rows: Iterable[Row], draw: Random) -> Iterator[Row]:
    """Yield changed copies of signed rows that have exactly one word with a sign: turned, denied and neutral."""
    verbs = _verbs()
    forms = [(inflected(form, verb), verb, kind, form) for kind in _TURNED for verb in verbs[kind] for form in _FORMS]
    formed = {word: verb for word, verb, _, _ in forms}
    opposite = {word: (kind, form) for word, _, kind, form in forms}
    opposite |= {word: (kind, "noun") for pair in _NOUNS for word, kind in zip(pair, ("down", "up"), strict=True)}
    words = re.compile(
        r"(?<![\w-])(" + "|".join(sorted(map(re.escape, opposite), key=len, reverse=True)) + r")(?![\w-])", re.I
    )
    for each in rows:
        signed = each.signs in (only("up"), only("down")) and "result" in each.manners
        if not signed or each.level != SENTENCE:  # a sentence may not state what its document is labelled with
            continue
        found = list(words.finditer(each.text))
        if len(found) != 1 or _overlaps(found[0].span(), each.first + each.second):
            continue
        (cue,) = found
        word = cue[0].lower()
        kind, form = opposite[word]
        (sign,) = each.signs
        if form == "noun":
            other = dict((*_NOUNS, *((b, a) for a, b in _NOUNS)))[word]
        else:
            other = inflected(form, draw.choice(verbs[_TURNED[kind]]))
        yield replace(_swapped(each, cue.span(), other), signs=only(_TURNED[sign]))
        before = each.text[: cue.start()].split()[-1:] or [""]
        passive = each.text[cue.end() :].startswith(" by ")
        base = formed.get(word)
        if form == "{s}" and base:
            denial = draw.choice((f"does not {base}", f"doesn't {base}", f"does not {base}", f"fails to {base}"))
            yield replace(_swapped(each, cue.span(), denial), manners=only("denied"))
        elif (
            form == "{v}" and base and before[0].lower() not in {"to", "can", "may", "could", "might", "would", "will"}
        ):
            yield replace(_swapped(each, cue.span(), f"do not {base}"), manners=only("denied"))
        elif form == "{p}" and before[0].lower() in {"was", "were", "is", "are"}:
            yield replace(_swapped(each, cue.span(), f"not {word}"), manners=only("denied"))
        elif form == "{p}" and base and not passive and any(0 <= cue.start() - e <= 1 for _, e in each.first):
            denial = draw.choice(
                (f"did not {base}", f"did not significantly {base}", f"failed to {base}", f"didn't {base}")
            )
            yield replace(_swapped(each, cue.span(), denial), manners=only("denied"))
        active = form == "{p}" and not passive and any(0 <= cue.start() - e <= 1 for _, e in each.first)
        if form == "{s}" or active:
            neutral = draw.choice(("was studied with", "was measured with", "and", "was compared with"))
            yield replace(
                _swapped(each, cue.span(), neutral),
                signs=only("none", "related"),
                manners=ANY_MANNER,
                acts=ANY_ACTS,
                weight=0.5,
            )


def announcements(rows: Iterable[Row], draw: Random) -> Iterator[Row]:
    """Yield signed sentences inside a question, an aim or a notice, which leave open whether they hold."""
    leads = (
        "We investigated whether ", "It is unknown whether ", "To determine whether ", "Retraction: ", "Erratum: ",
        "Correction to: ", "We hypothesized that ", "The aim of this study was to test whether ", "Comment on: ",
        "It remains controversial whether ",
        "OBJECTIVE: We asked whether ", "Further trials are needed to show that ",
    )  # fmt: skip
    for each in rows:
        if (
            each.level == SENTENCE
            and each.signs in (only("up"), only("down"))
            and len(each.text) < 160
            and each.text[:1].isupper()
        ):
            lead = draw.choice(leads)
            yield replace(
                each,
                text=lead + each.text,
                first=moved(each.first, 0, len(lead)),
                second=moved(each.second, 0, len(lead)),
                signs=ANY_SIGN,
                manners=only("unstated"),
            )


def verb_signs() -> dict[str, str]:
    """Return the sign of each verb with a sign, by its base form: "up" or "down"."""
    return {verb: kind for kind in ("up", "down") for verb in _verbs()[kind]}


def inflected(frame: str, verb: str) -> str:
    """Return a frame with its gaps for a verb filled."""
    for gap, form in zip(_FORMS, (verb, third(verb), past(verb), verb.removesuffix("e") + "ing"), strict=True):
        frame = frame.replace(gap, form)
    return frame


def _overlaps(span: tuple[int, int], others: Spans) -> bool:
    return any(start < span[1] and span[0] < end for start, end in others)


def _swapped(each: Row, span: tuple[int, int], words: str) -> Row:
    """Return a row with other words at a place of its sentence."""
    start, end = span
    by = len(words) - (end - start)
    text = each.text[:start] + words + each.text[end:]
    return replace(
        each, source="counterfactual", text=text, first=moved(each.first, end, by), second=moved(each.second, end, by)
    )


@lru_cache(maxsize=1)
def _verbs() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"up": [], "down": [], "none": []}
    for verb, kind in _rows("verbs.tsv"):
        found[kind].append(verb)
    return found


def _rows(name: str) -> list[list[str]]:
    lines = files("truthhypo.bench.reader").joinpath(name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")][1:]


def clauses(source: str, listed: Iterable[tuple[int, str]], names: Mapping[str, str]) -> Iterator[Row]:
    """Yield the sentences whose main verb has a sign, with its subject and its object (or agent) as ends.

    Args:
        source: Name of the set.
        listed: PMID and text of each sentence.
        names: Known names (name in lower case: type).
    """
    forms = re.compile(rf"\b({'|'.join(inflected(form, verb) for verb in verb_signs() for form in FINITE)})\b")
    found = [(pmid, text) for pmid, text in listed if 20 < len(text) < 300 and forms.search(text)]
    marked = []
    for _, text in found:
        spans = sorted(span for end in named(text, names) for span in end.spans)
        marked.append((text, [Mention(text[a:b], a, b, f"Name|{text[a:b].lower()}", text[a:b], 1.0) for a, b in spans]))
    for (pmid, _), tree in zip(found, parse_all(marked), strict=True):
        if tree.root is not None and tree.root.lemma in verb_signs():
            yield from _of_tree(source, pmid, with_phrases(tree, whole=True), names)


def _of_tree(source: str, pmid: int, tree: Tree, names: Mapping[str, str]) -> Iterator[Row]:
    """Yield the row of a parsed sentence, if its main verb has a sign and both its ends are named."""
    verb = tree.root
    sign = verb_signs().get(verb.lemma) if verb is not None else None
    if verb is None or sign is None or verb.tag not in _STATING or any(word.lemma in _OPEN for word in tree.words):
        return
    below = {child.dep: child for child in tree.children(verb)}
    subject = next((below[dep] for dep in SUBJECTS if dep in below), None)
    agent = below.get("agent")
    passive = "nsubjpass" in below or "auxpass" in below
    other = next(iter(tree.children(agent, "pobj")), None) if passive and agent else below.get("dobj")
    if subject is None or other is None or (passive and agent is None):
        return
    actor, acted = (other, subject) if passive else (subject, other)
    one, two = _end(actor, tree, names), _end(acted, tree, names)
    if one is not None and two is not None:
        modal = {child.lemma for child in tree.children(verb, "aux") if child.tag == "MD"}
        manner = "denied" if "neg" in below else "hedged" if modal & _HEDGES else "result"
        if not modal - _HEDGES - {"can"}:
            said: dict[str, Any] = {"signs": only(sign), "manners": only(manner), "acts": only("first")}
            made = row(source, pmid, tree.text, one, two, **said)
            yield from [made] if made else []


def _end(word: Word, tree: Tree, names: Mapping[str, str]) -> End | None:
    """Return the end that a word of a tree stands for; None if it is no mention, or a pronoun."""
    if word.mention is None:
        return None
    mention = tree.mentions[word.mention]
    kind = "Other" if is_phrase(mention.key) else names[mention.text.lower()]
    return End(kind, [(mention.start, mention.end)])


def marked_rows(marks: Iterable[Mark], names: Mapping[str, str], reader: Encoder) -> tuple[list[Row], int]:
    """Return the rows of marks, and the number of marks that cannot be turned into a row.

    A mark cannot be turned if its piece is no sentence, if its claim states no relation with a sign or denies it, or if
    the sentence does not name both ends of the claim by the claim's words.

    Args:
        marks: The marks.
        names: Types of concepts by name in lower case; an end with another name has the type Other.
        reader: Reads the claims.
    """
    rows, left = [], 0
    for mark in marks:
        claim = Claim(mark.claim, mark.claim, (0, len(mark.claim)), ())
        stated = statement_of(claim, reader) if mark.text else None
        made = _row_of_mark(mark, stated, names) if stated else None
        rows += [made] if made else []
        left += made is None
    return rows, left


def _row_of_mark(mark: Mark, stated: Statement, names: Mapping[str, str]) -> Row | None:
    """Return what a mark leaves open: a sentence without the claim's side does not state the claim's sign as a result.

    A sentence on the other side may state the opposite sign, or deny the relation, so it only has a relation.
    """
    if stated.negated or not stated.sign:
        return None
    own = [End(names.get(end.text.lower(), "Other"), places(mark.text, end.text)) for end in stated.mentions]
    actor, other = own if stated.acts in (None, stated.ends[0]) else reversed(own)
    acts = only("first") if stated.acts else only("first", "second", "neither")
    sign, pmid = _SIGNS[stated.sign], int(mark.piece.removeprefix("pmid:").split("#")[0])
    if mark.stance == "supports":
        return row(MARKS, pmid, mark.text, actor, other, signs=only(sign), manners=only("result", "hedged"), acts=acts)
    forbidden = (sign, "first" if stated.acts else "neither")
    if mark.stance == "contradicts":
        manners = only("result", "hedged", "denied")
        return row(MARKS, pmid, mark.text, actor, other, signs=_SOME, manners=manners, forbidden=forbidden)
    return row(MARKS, pmid, mark.text, actor, other, forbidden=forbidden)
