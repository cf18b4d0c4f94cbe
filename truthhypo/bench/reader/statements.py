"""Make plain statements of known meaning between concepts of every pair of types.

statements.tsv contains frames, which are sentences with gaps for two or three concepts and a verb. verbs.tsv contains
the verbs.
"""

from collections.abc import Iterator
from importlib.resources import files
from itertools import product

from groundwork.linking import Mention
from groundwork.reading.features import PairView
from groundwork.reading.scope import denying, scopes
from groundwork.reading.tree import Tree, parse_all

#: One type for each group of types that features distinguish.
TYPES = ("Chemical", "Disease", "Gene", "SNP", "Other")
#: Names that replace the gaps for the concepts. The class of a frame is that of {A} and {B}.
_NAMES = {"{A}": "Qa", "{B}": "Qb", "{C}": "Qc"}
_ENDS = ("Qa", "Qb")
#: Class of a statement about the absence of a concept, by the class of its verb.
_TURNED = {"up": "down", "down": "up"}
_VOWELS = frozenset("aeiou")


def sentences() -> Iterator[tuple[str, str, float]]:
    """Yield each frame with each fitting verb as (text with {A}, {B} and {C}, class, share of the frame's weight)."""
    verbs = list(_rows("verbs.tsv"))
    for frame, kind in _rows("statements.tsv"):
        fitting = [(verb, said) for verb, said in verbs if (kind == "none") == (said == "none")]
        if not any(place in frame for place in ("{v}", "{s}", "{p}", "{g}")):
            yield frame, kind, 1.0
            continue
        for verb, said in fitting:
            yield _filled(frame, verb), _TURNED[said] if kind == "turned" else said, 1.0 / len(fitting)


def statements() -> Iterator[tuple[PairView, str, float]]:
    """Yield each sentence as (its two concepts, class, share of the frame's weight), for all types of its concepts."""
    found = list(sentences())
    for (_, kind, share), tree in zip(found, parse_all(_named(text) for text, _, _ in found), strict=True):
        first, second = (place for place, mention in enumerate(tree.mentions) if mention.text in _ENDS)
        kinds = list(product(TYPES, repeat=len(tree.mentions)))
        hidden = denying(scopes(tree))
        part = share * len(TYPES) ** len(_ENDS) / len(kinds)  # a third concept gives a frame no more weight
        for types in kinds:
            mentions = [
                Mention(each.text, each.start, each.end, f"{of}|{each.text}", each.text, 1.0)
                for each, of in zip(tree.mentions, types, strict=True)
            ]
            yield PairView(Tree(tree.text, mentions, tree.words), first, second, hidden), kind, part


def _named(frame: str) -> tuple[str, list[Mention]]:
    text = frame
    for place, name in _NAMES.items():
        text = text.replace(place, name)
    starts = sorted((text.index(name), name) for name in _NAMES.values() if name in text)
    return text, [Mention(name, at, at + len(name), f"Gene|{name}", name, 1.0) for at, name in starts]


def _filled(frame: str, verb: str) -> str:
    stem = verb[:-1] + "i" if verb.endswith("y") and verb[-2] not in _VOWELS else verb
    third = stem + ("es" if stem != verb or verb.endswith(("s", "sh", "ch", "x")) else "s")
    past = stem + ("d" if stem.endswith("e") else "ed")
    gerund = verb.removesuffix("e") + "ing"
    for place, form in (("{v}", verb), ("{s}", third), ("{p}", past), ("{g}", gerund)):
        frame = frame.replace(place, form)
    return frame


def _rows(name: str) -> Iterator[tuple[str, str]]:
    lines = files("truthhypo.bench.reader").joinpath(name).read_text("utf-8").splitlines()
    for line in [line for line in lines if not line.startswith("#")][1:]:
        first, second = line.split("\t")
        yield first, second
