"""A statement turned into its denial: "Carbidopa causes dyskinesia" into "Carbidopa does not cause dyskinesia"."""

from knowhd.claims.masked import Masked

_DO = {"VBZ": "does", "VBP": "do", "VBD": "did"}


def denied(parsed: Masked, *, plural: bool = True) -> str:
    """The denial of a statement of one verb.

    Args:
        parsed: The statement.
        plural: Whether its subject is many; a verb that was plural for another subject agrees with it.

    Returns:
        It with "not" after its first auxiliary, or else with a form of "do"; where the parser finds no finite verb,
        "It is not true that ...".
    """
    root = next(parsed.doc.sents).root
    finite = next((t for t in root.children if t.dep_ in {"aux", "auxpass"}), root)
    start, end = parsed.offsets(finite)
    before, verb, after = parsed.text[:start], parsed.text[start:end], parsed.text[end:]
    if finite.pos_ == "AUX" and (finite != root or root.lemma_ == "be"):
        return f"{before}{verb} not{after}"
    if finite.tag_ in _DO:
        alone = finite.tag_ == "VBP" and not plural and not any(t.tag_ == "PRP" for t in finite.children)
        return f"{before}{'does' if alone else _DO[finite.tag_]} not {finite.lemma_}{after}"
    return f"It is not true that {parsed.text}"
