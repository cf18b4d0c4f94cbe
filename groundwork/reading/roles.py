"""Which of two mentions acts on the other, where the parse tree tells."""

from groundwork.reading.features import PairView
from groundwork.reading.tree import Word

_AGENTS = frozenset({"nsubj", "agent"})
_PATIENTS = frozenset({"nsubjpass", "dobj", "attr", "oprd"})
#: Prepositions whose object acts or is acted on, below a noun: "inhibition of B by A".
_BY = frozenset({"by", "via", "through"})
#: Participles behind a hyphen: "A-induced B".
_HYPHENATED = frozenset({"amod", "nmod", "compound"})


def actor(view: PairView) -> int | None:
    """Return the index of the mention that acts; None if the tree does not tell."""
    if view.path is None:
        return None
    up, top, down = view.path
    if not up or not down:
        return _within_noun(up or down, top, view.first if up else view.second)
    roles = _role(up, top), _role(down, top)
    if roles[0] == roles[1] or None in roles:
        known = next((role for role in roles if role is not None), None)
        return _other(view, roles, known) if roles[0] != roles[1] else None
    return view.first if roles[0] == "agent" else view.second


def _other(view: PairView, roles: tuple[str | None, str | None], known: str | None) -> int | None:
    """The mention that acts if the role of one alone is told: an agent acts, a patient of a verb is acted on."""
    place = roles.index(known)
    mention = (view.first, view.second)[place]
    other = (view.second, view.first)[place]
    return mention if known == "agent" else other


def _role(leg: list[Word], top: Word) -> str | None:
    """What the mention at the end of a leg of the path is to the word where the path turns."""
    last = leg[-1]
    if last.dep in _AGENTS:
        return "agent"
    if last.dep in _PATIENTS:
        return "patient"
    if last.dep == "prep" and top.tag.startswith("NN"):
        return "agent" if last.lemma in _BY else "patient" if last.lemma == "of" else None
    if last.dep == "prep" and top.tag.startswith("VB"):
        return "agent" if last.lemma in _BY else "patient"
    return None


def _within_noun(leg: list[Word], top: Word, below: int) -> int | None:
    """Of "A-induced B", where one mention hangs below the other by a participle, the lower one acts."""
    participle = leg[-1]
    if len(leg) > 1 and participle.tag == "VBN" and participle.dep in _HYPHENATED and participle.index < top.index:
        return below
    return None
