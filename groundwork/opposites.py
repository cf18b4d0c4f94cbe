"""Opposites: words and affixes that turn a statement round. A small reasoned list; no dictionary is needed.

Spelling and vectors both take opposites for friends (hypo-/hyperglycemia differ in two letters and have a cosine of
0.65), so polarity needs this signal of its own. WordNet can add to it (fuzzygraph.words), not replace it: it has no
antonym of "inhibit" or "upregulate".
"""

import re

#: Prefixes that name the two ends of one scale, when the rest of the word is the same.
PREFIXES: tuple[tuple[str, str], ...] = (
    ("hyper", "hypo"),
    ("pro", "anti"),
    ("up", "down"),
    ("over", "under"),
    ("pre", "post"),
    ("macro", "micro"),
    ("intra", "extra"),
    ("brady", "tachy"),
    ("endo", "exo"),
    ("in", "out"),
    ("", "non"),
    ("", "anti"),
    ("", "dys"),
    ("", "un"),
    ("", "dis"),
    ("", "in"),
    ("", "de"),
)

#: Words (lemmas) that are each other's opposite in biomedical prose.
WORDS: tuple[tuple[str, str], ...] = (
    ("increase", "decrease"),
    ("increase", "reduce"),
    ("raise", "lower"),
    ("elevate", "lower"),
    ("elevated", "reduced"),
    ("high", "low"),
    ("higher", "lower"),
    ("gain", "loss"),
    ("activate", "inhibit"),
    ("activate", "suppress"),
    ("activation", "inhibition"),
    ("activator", "inhibitor"),
    ("stimulate", "inhibit"),
    ("stimulate", "suppress"),
    ("stimulation", "inhibition"),
    ("induce", "suppress"),
    ("induce", "inhibit"),
    ("promote", "inhibit"),
    ("promote", "prevent"),
    ("promote", "suppress"),
    ("enhance", "reduce"),
    ("enhance", "attenuate"),
    ("improve", "worsen"),
    ("cause", "prevent"),
    ("cause", "treat"),
    ("agonist", "antagonist"),
    ("agonist", "inhibitor"),
    ("acute", "chronic"),
    ("benign", "malignant"),
    ("positive", "negative"),
    ("present", "absent"),
    ("presence", "absence"),
    ("sensitive", "resistant"),
    ("sensitivity", "resistance"),
    ("protective", "harmful"),
    ("beneficial", "harmful"),
    ("left", "right"),
    ("male", "female"),
    ("systolic", "diastolic"),
    ("dominant", "recessive"),
    ("hyperoxia", "hypoxia"),
    ("polyuria", "oliguria"),
)

_PAIRS = frozenset(frozenset(pair) for pair in WORDS)
#: How long the common rest must be: longer where only one of the two has a prefix ("body" and "antibody" are none).
_STEM, _STEM_OF_ONE = 4, 5


def opposed(a: str, b: str) -> bool:
    """Whether two words are opposites by the list or by their prefixes, in any case: hyperglycemia, hypoglycemia."""
    a, b = a.lower(), b.lower()
    if a == b:
        return False
    if frozenset((a, b)) in _PAIRS:
        return True
    if a[-_STEM:] != b[-_STEM:]:  # the rest that both share ends both; asked first, since nearly all pairs fail it
        return False
    return any(_differ_by(a, b, x, y) or _differ_by(a, b, y, x) for x, y in PREFIXES)


def opposed_pairs(first: str, second: str) -> tuple[tuple[str, str], ...]:
    """Words of two texts that are opposites, in order; a word that both texts hold opposes nothing."""
    left, right = (dict.fromkeys(re.findall(r"[^\W\d_]+", text.lower())) for text in (first, second))
    return tuple((a, b) for a in left if a not in right for b in right if b not in left and opposed(a, b))


def _differ_by(a: str, b: str, x: str, y: str) -> bool:
    stem = a.removeprefix(x)
    enough = len(stem) >= (_STEM if x and y else _STEM_OF_ONE)
    return enough and a.startswith(x) and b.startswith(y) and stem == b.removeprefix(y)
