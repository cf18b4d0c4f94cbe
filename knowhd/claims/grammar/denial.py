"""A statement turned into its denial: "Carbidopa causes dyskinesia" into "Carbidopa does not cause dyskinesia"."""

import re
from typing import TYPE_CHECKING

from knowhd.claims.grammar.agreement import plural_noun, third
from knowhd.claims.grammar.masked import Masked

if TYPE_CHECKING:
    from spacy.tokens import Token

#: How a plural ends that a parser takes for a name.
_S = re.compile(r"[a-z][^suiy]s$")
_DO = {"VBZ": "does", "VBP": "do", "VBD": "did"}


def denied(parsed: Masked, *, plural: bool = True) -> str:
    """The denial of a statement of one verb.

    Args:
        parsed: The statement.
        plural: Whether its subject is many; a verb that was plural for another subject agrees with it.

    Returns:
        It with "not" after its first auxiliary, or else with a form of "do"; without its "not" if it has one; where
        the parser finds no finite verb, "It is not true that ...".
    """
    root = next(parsed.doc.sents).root
    finite = next((t for t in root.children if t.dep_ in {"aux", "auxpass"}), root)
    negation = next((t for t in root.children if t.dep_ == "neg" and t.lower_ == "not"), None)
    if negation is not None:
        return _affirmed(parsed, root, finite, negation)
    start, end = parsed.offsets(finite)
    before, verb, after = parsed.text[:start], parsed.text[start:end], parsed.text[end:]
    if finite.pos_ == "AUX" and (finite != root or root.lemma_ == "be"):
        return f"{before}{verb} not{after}"
    if finite.tag_ in _DO:
        alone = finite.tag_ == "VBP" and not plural and not any(t.tag_ == "PRP" for t in finite.children)
        many = finite.tag_ == "VBZ" and any(
            t.dep_ == "nsubj" and (plural_noun(t) or _S.search(t.text)) for t in finite.children
        )
        return f"{before}{'does' if alone else 'do' if many else _DO[finite.tag_]} not {finite.lemma_}{after}"
    return _untrue(parsed.text)


def _affirmed(parsed: Masked, root: "Token", finite: "Token", negation: "Token") -> str:
    """A denied statement without its denial; what is possible only, or past, is denied as a whole."""
    if finite.lower_ in {"is", "are", "was", "were", "has", "have"}:
        cut = parsed.offsets(negation)
        return f"{parsed.text[: cut[0]].rstrip()}{parsed.text[cut[1] :]}"
    if finite.lower_ not in {"does", "do"} or finite == root:
        return _untrue(parsed.text)
    (start, _), (verb, end) = parsed.offsets(finite), parsed.offsets(root)
    words = third(parsed.text[verb:end]) if finite.lower_ == "does" else parsed.text[verb:end]
    return f"{parsed.text[:start]}{words}{parsed.text[end:]}"


def _untrue(text: str) -> str:
    small = re.match(r"(?:The|An?|In|These|This|Those|All|Some|Its|Their) ", text)
    return f"It is not true that {text[0].lower() + text[1:] if small else text}"
