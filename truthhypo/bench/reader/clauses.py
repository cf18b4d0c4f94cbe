"""Rows from the grammar of real sentences: a main verb with a sign, between its subject and its object or agent.

People labelled relations between concepts, but a claim may be about any two things: "dietary salt raises arterial
pressure". In a plain clause the main verb states the sign whatever its ends are, so the parse can label it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from groundwork.linking import Mention
from groundwork.reading.tree import SUBJECTS, Tree, Word, is_phrase, parse_all, with_phrases
from truthhypo.bench.reader.corpora import named
from truthhypo.bench.reader.frames import FINITE, inflected, verb_signs
from truthhypo.bench.reader.table import End, Row, only, row

#: Words that leave open whether a clause holds, and tags of a main verb that states something.
_OPEN = frozenset({"whether", "if", "hypothesize", "?"})
_STATING = frozenset({"VB", "VBZ", "VBP", "VBD", "VBN"})
_HEDGES = frozenset({"may", "might", "could"})


def clauses(source: str, listed: Iterable[tuple[int, str]], names: Mapping[str, str]) -> Iterator[Row]:
    """Yield the sentences whose main verb has a sign, with its subject and its object (or agent) as ends.

    Args:
        source: Name of the set.
        listed: PMID and text of each sentence.
        names: Known names (name in lower case: type).
    """
    forms = re.compile(rf"\b({'|'.join(inflected(form, verb) for verb in verb_signs() for form in FINITE)})\b")
    found = [(pmid, text) for pmid, text in listed if 20 < len(text) < 300 and forms.search(text)]
    marked = [(text, _mentions(text, names)) for _, text in found]
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


def _mentions(text: str, names: Mapping[str, str]) -> list[Mention]:
    """Return the known names in a text as mentions, in order."""
    spans = sorted(span for end in named(text, names) for span in end.spans)
    return [Mention(text[a:b], a, b, f"Name|{text[a:b].lower()}", text[a:b], 1.0) for a, b in spans]
