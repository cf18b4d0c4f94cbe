"""Change verbs: agreement with another subject, negation, and removal of reporting verbs."""

import re
from dataclasses import replace

from groundwork.reading.tree import Word
from knowhd.claims.clause import Clause
from knowhd.claims.words import listed

_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does"}
_DO = {"VBZ": "does", "VBP": "do", "VB": "do", "VBD": "did"}
#: Endings of plural names: "statins", but not "virus", "stress" and "diabetes".
_PLURAL = re.compile(r"[a-z]{2}(?<![usi])(?<!ete)(?<!ie)s$")


def plural(word: Word) -> bool:
    """Return whether a noun is plural."""
    if word.mention is not None:
        return _PLURAL.search(word.text) is not None
    return word.tag in {"NNS", "NNPS"} or word.text.lower() in {"we", "they", "these", "those"}


def third(verb: str) -> str:
    """Return a regular verb in the third person singular."""
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    return verb + ("es" if re.search(r"(?:s|x|z|ch|sh|o)$", verb) else "s")


def past(verb: str) -> str:
    """Return the past form of a regular verb."""
    stem = re.sub(r"(?<=[^aeiou])y$", "i", verb)
    return stem + ("d" if stem.endswith("e") else "ed")


def singular(clause: Clause) -> Clause:
    """Put the verb into the singular: "lower" becomes "lowers", "are risk factors" becomes "is a risk factor"."""
    verb = clause.finite
    if verb is None or verb.tag not in {"VBP", "VB", "VBD"}:
        return clause
    said = verb.text.lower()
    told = {verb.index: _SINGULAR.get(said) or (said if verb.tag == "VBD" else third(said))}
    for noun in clause.children():
        if noun.dep == "attr" and noun.tag == "NNS" and said in {"are", "were"}:
            told[noun.index] = noun.lemma
            own = [each for each in clause.children(noun) if each.index < noun.index]
            if not any(each.dep in {"det", "nummod", "poss"} for each in own):
                first = min([noun, *own], key=lambda each: each.index)
                words = told.get(first.index, first.text)
                told[first.index] = f"{'an' if words[0].lower() in 'aeiou' else 'a'} {words}"
    return clause.tell(told)


def denied(clause: Clause, *, one: bool) -> Clause | None:
    """Negate the verb of a clause: "lowers" becomes "does not lower".

    If the subject is singular (`one`), a full verb in the present tense gets "does not", even if the sentence has its
    plural form.

    Returns:
        The negated clause, or None if it is already negated or has no finite verb.
    """
    verb = clause.finite
    if verb is None or any(child.dep == "neg" for child in clause.children()):
        return None
    if verb != clause.head or verb.lemma == "be":
        return clause.tell({verb.index: f"{clause.told.get(verb.index, verb.text)} not"})
    do = "does" if one and verb.tag != "VBD" else _DO[verb.tag]
    return clause.tell({verb.index: f"{do} not {verb.lemma}"})


def raised(clause: Clause) -> Clause:
    """Rewrite "A is known to lower B" as "A lowers B"."""
    children = clause.children()
    verb = next((child for child in children if child.dep == "xcomp" and child.tag == "VB"), None)
    passive = any(child.dep == "auxpass" for child in children) and clause.head.lemma in listed("proving")
    if verb is None or verb.lemma == "be" or clause.subject is None or not passive:
        return clause
    if any(child.dep in {"neg", "cc"} or child.tag == "MD" for child in (*children, *clause.children(verb))):
        return clause
    gone = {child.index for child in children if child.dep in {"aux", "auxpass", "advmod"}}
    gone |= {clause.head.index, *(child.index for child in clause.children(verb) if child.tag == "TO")}
    told = {verb.index: verb.text if plural(clause.subject) else third(verb.text)}
    return replace(clause.without(gone).tell(told), head=verb, finite=verb)
