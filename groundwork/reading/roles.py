"""Find which of two mentions acts on the other, if the parse tree shows it."""

from groundwork.reading.features import PairView, has_subject
from groundwork.reading.tree import SUBJECTS, Word

_AGENTS = frozenset({"nsubj", "agent"})
_PATIENTS = frozenset({"nsubjpass", "dobj", "attr", "oprd"})
#: Prepositions that mark the agent of a noun: "inhibition of B by A".
_BY = frozenset({"by", "via", "through"})
#: Nouns for what a cause brings about: in "B is a side effect of A", A acts.
_RESULTS = frozenset(
    {"complication", "consequence", "effect", "manifestation", "outcome", "reaction", "result", "symptom", "toxicity"}
)
#: Dependency labels of participles with a hyphen: "A-induced B".
_HYPHENATED = frozenset({"amod", "nmod", "compound"})
#: Dependency labels of verbs with their own clause.
_CLAUSES = frozenset({"conj", "xcomp", "relcl", "acl", "advcl", "ccomp"})


def actor(view: PairView) -> int | None:
    """Return the index of the mention that acts, or None if the tree does not show it."""
    if view.path is None:
        return None
    up, top, down = view.path
    if not up or not down:
        return _within_noun(up or down, top, view.first if up else view.second)
    if _is_result(down):
        return view.second
    roles = _role(up, top), _role(down, top)
    if roles[0] == roles[1]:
        return None
    # One role is enough: an agent acts, and if one mention is the patient, the other one acts.
    return view.first if roles[0] == "agent" or roles[1] == "patient" else view.second


def apart(view: PairView) -> bool:
    """Return whether the tree shows that a sentence states no relation between two mentions.

    This is so if they are two subjects or two objects of one verb. It is also so if the second belongs to a coordinated
    verb and the first is not the subject that the verbs share: "A treats B but causes C" does not relate B to C.
    """
    if view.path is None or view.stating is None or not view.path[0] or not view.path[2]:
        return False
    parts = view.path[0][-1].dep, view.path[2][-1].dep
    if view.stating in view.path[2]:
        return has_subject(view.tree, view.stating) or parts[0] not in SUBJECTS
    return parts in {("nsubj", "nsubj"), ("dobj", "dobj"), ("dobj", "conj")}


def _role(leg: list[Word], top: Word) -> str | None:
    """Return whether a mention is an "agent" or a "patient", or None if the tree does not show it.

    `leg` holds the words of the dependency path from the mention up to the word below `top`. If a verb in `leg` has its
    own clause, the role is relative to this verb, else to `top`.
    """
    verb = _inner_verb(leg)
    if verb is not None:
        leg, top = leg[:verb], leg[verb]
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


def _is_result(leg: list[Word]) -> bool:
    """Return whether the tree calls one mention a result of the mention that starts `leg`: "B is a symptom of A"."""
    return any(word.dep == "attr" and word.lemma in _RESULTS for word in leg[1:])


def _inner_verb(leg: list[Word]) -> int | None:
    """Return the position in `leg` of the first verb with its own clause: "prevents" in "A, which prevents B"."""
    return next((n for n, word in enumerate(leg) if n and word.dep in _CLAUSES and word.tag.startswith("VB")), None)


def _within_noun(leg: list[Word], top: Word, below: int) -> int | None:
    """Return the index `below` of the lower mention if it acts on the mention above it; None otherwise.

    Examples in which A acts on B are "A-induced B" and "B, which A induces".
    """
    if _inner_verb(leg) is not None:
        return below if _role(leg, top) == "agent" else None
    participle = leg[-1]
    if len(leg) > 1 and participle.tag == "VBN" and participle.dep in _HYPHENATED and participle.index < top.index:
        return below
    return None
