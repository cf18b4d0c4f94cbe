"""Decide natural claims by a second head of the reader's encoder, and measure how much of what it decides is right.

    .venv-models/bin/python -m benchmarks.quality.natural_claims

A pair is a claim and a passage that supports it, contradicts it or does neither. A head is a logistic regression on a
few features of the words, and on states of the encoder for claim and passage, read in one piece or apart. It decides
for a class from the lowest probability at which `GOAL` of its decisions are right on pairs that the fit did not see,
within the training pairs. Each set is judged twice: by folds of its own documents (questions, for HealthVer), and by
heads fitted on all other sets. No claim and no passage is on both sides. All constants were fixed before the first run.
"""

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import scale

from benchmarks.quality.nli_pairs import natural, text_of
from groundwork.reading.encoder import LEADS, LONGEST, SHIPPED, WordPieces
from groundwork.spelling import opposed_pairs
from groundwork.statistics import bootstrap
from truthhypo.bench.judge_calibration.confusion import LABELS
from truthhypo.bench.judge_calibration.labelled import Pair, evidence_of

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: Share of decisions that must be right, fewest decisions that can show it, and smallest share of pairs decided.
GOAL, FEWEST, ENOUGH = 0.80, 20, 0.05
#: Folds, and components of the encoder's states.
FOLDS, COMPONENTS = 5, 400
#: Penalties of the fits (C): for features of the words alone, and with the encoder's states.
LOOSE, TIGHT = 1.0, 0.01
#: Negations, comparisons, hedges, and differences that were not found.
_KINDS = (
    r"\b(?:no|not|nor|neither|never|without|cannot|fail\w*|lack\w*|absen\w+|unlikely)\b|n't\b",
    r"\b(?:than|versus|vs|compared|more|less|fewer|better|worse|superior)\b",
    r"\b(?:may|might|could|possibl\w+|suggest\w*|unclear|unknown|whether|potential\w*)\b",
    r"\b(?:no|not) (?:\w+ ){0,2}(?:differ\w*|significan\w+|associat\w+|effect)|\bsimilar\b",
)


def worded(pair: Pair) -> list[float]:
    """Return features of the words: what both texts share, opposites, numbers, and those of `_KINDS`."""
    texts = pair.claim.text, text_of(pair)
    (claim, passage), (numbers, given) = (
        [set(re.findall(form, text.lower())) for text in texts] for form in (r"[^\W\d_]{4,}", r"\d+(?:\.\d+)?")
    )
    shared = len(claim & passage)
    found = [shared / max(1, len(claim)), shared / max(1, len(claim | passage)), len(claim), len(passage)]
    found += [len(opposed_pairs(*texts)), len(numbers & given), len(numbers - given), bool(given)]
    for kind in _KINDS:
        one, other = (len(re.findall(kind, text, re.I)) for text in texts)
        found += [min(one, 2), min(other, 3), bool(one) != bool(other)]
    return list(map(float, found))


class States:
    """Reads whole texts with the shipped encoder and returns its pooled states, which its head reads."""

    def __init__(self) -> None:
        import onnx
        import onnxruntime

        model = onnx.load_from_string(files("groundwork.reading").joinpath(SHIPPED).read_bytes())
        # The state of [CLS], the mean states of the pieces of both ends, and the product of these: 4 x 384.
        model.graph.output.append(onnx.helper.make_tensor_value_info("cat", onnx.TensorProto.FLOAT, None))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        self._pieces = WordPieces(self._session.get_modelmeta().custom_metadata_map["vocabulary"].split("\n"))

    def together(self, pair: Pair) -> Floats:
        """Return states of claim and passage read in one piece, each as an end, shape (1536,)."""
        claim = self._pieces.of(pair.claim.text)[: LONGEST // 2]
        return self._read(claim, self._fitting(pair, LONGEST - len(claim) - 4))

    def apart(self, pair: Pair) -> Floats:
        """Return u, v, |u - v| and u * v for the mean states of the claim (u) and of the passage (v), shape (1536,)."""
        texts = self._pieces.of(pair.claim.text)[: LONGEST - 3], self._fitting(pair, LONGEST - 3)
        u, v = (self._read(text, [])[384:768] for text in texts)
        return np.concatenate([u, v, abs(u - v), u * v])

    def _read(self, first: list[int], second: list[int]) -> Floats:
        cls, lead, sep = map(self._pieces.id, ("[CLS]", LEADS["sentence"], "[SEP]"))
        ids = [cls, lead, *first, sep, *second, *[sep][: len(second)]]
        ends = [0, 0, *[1] * len(first), 0, *[2] * len(second), *[0][: len(second)]]
        feed = {name: np.array([values], dtype=np.int64) for name, values in (("ids", ids), ("ends", ends))}
        return np.asarray(self._session.run(["cat"], feed)[0][0], dtype=np.float64)

    def _fitting(self, pair: Pair, room: int) -> list[int]:
        """Return the pieces of the sentences that share most pieces with the claim, in order, as far as they fit."""
        parts = [self._pieces.of(passage.sentence) for passage in pair.evidence.literature]
        asked, kept = set(self._pieces.of(pair.claim.text)), set[int]()
        for at in sorted(range(len(parts)), key=lambda at: -len(asked & set(parts[at]))):
            if not kept or sum(len(parts[n]) for n in kept) + len(parts[at]) <= room:
                kept.add(at)
        return [piece for at in sorted(kept) for piece in parts[at]][:room]


def apart(pairs: Sequence[Pair], inside: Sequence[int]) -> list[int]:
    """Return the pairs that share neither claim, passage nor group with the pairs inside."""
    named = [{("claim", p.claim.text.lower()), ("passage", evidence_of(p)), ("group", p.group)} for p in pairs]
    seen = set[tuple[str, str]]().union(*(named[n] for n in inside))
    return [n for n, names in enumerate(named) if not seen & names]


def threshold(chances: Floats, right: Mask) -> float:
    """Return the lowest chance from which `GOAL` of at least `FEWEST` decisions are right, else infinity."""
    order = np.argsort(-chances, kind="stable")
    good = np.flatnonzero(np.cumsum(right[order]) >= GOAL * np.arange(1, len(order) + 1))
    return float(chances[order[good[-1]]]) if len(good) and good[-1] + 1 >= FEWEST else float("inf")


def judged(pairs: Sequence[Pair], x: Floats, penalty: float, inside: Sequence[int]) -> Floats:
    """Return the chances of each class for the pairs inside, and how far they exceed the thresholds, shape (n, 6)."""

    def chances(fit: Any, asked: Any) -> Floats:
        head = LogisticRegression(C=penalty, class_weight="balanced", max_iter=300).fit(x[fit], y[fit])
        return np.asarray(head.predict_proba(x[asked]))

    y, kept = np.array([LABELS.index(pair.label) for pair in pairs]), np.array(apart(pairs, inside))
    known, tried = [pairs[n] for n in kept], np.zeros((len(kept), len(LABELS)))
    for _, part in GroupKFold(FOLDS).split(known, groups=[pair.group for pair in known]):
        tried[part] = chances(kept[apart(known, part)], kept[part])
    mine = [tried.argmax(1) == at for at in range(len(LABELS))]
    limits = [threshold(tried[of, at], y[kept][of] == at) for at, of in enumerate(mine)]
    return np.hstack([found := chances(kept, inside), found - limits])


def figures(pairs: Sequence[Pair], found: Floats) -> list[str]:
    """Return cells: the share right of all pairs, of the decided, and of those decided as supported and contradicted,
    each with an interval of 95 % over resampled groups and its share of the pairs; then for the last two the best
    share right at any threshold that decides `ENOUGH`, chosen on these pairs."""
    y, best = np.array([LABELS.index(pair.label) for pair in pairs]), found[:, :3].argmax(1)
    _, of = np.unique([pair.group for pair in pairs], return_inverse=True)
    over, cells = found[np.arange(len(y)), 3 + best] >= 0, []
    for which in (best >= 0, over, over & (best == 0), over & (best == 1)):
        sums = [np.bincount(of, each.astype(float)) for each in (which & (best == y), which)]
        with np.errstate(invalid="ignore"):  # a resample without a decision counts for nothing
            spread = bootstrap(lambda hits, asked: hits.sum(-1) / asked.sum(-1), *sums) or (np.nan, np.nan)
            share = sums[0].sum() / sums[1].sum()
        cells.append(f"{share:.3f} ({spread[0]:.3f}-{spread[1]:.3f}) of {which.mean():.3f}")
    for at in (0, 1):
        right = np.cumsum(y[np.argsort(-found[:, at], kind="stable")] == at) / np.arange(1, len(y) + 1)
        cells.append(f"{right[int(np.ceil(ENOUGH * len(y))) - 1 :].max():.3f}")
    return cells


def main() -> None:
    """Read all pairs with the encoder, fit and judge, and print a line for each set, head and way."""
    held, states, console, first = natural(), States(), Console(), 0
    pairs = [pair for each in held.values() for pair in each]
    words = scale(np.array([worded(pair) for pair in pairs]))
    heads = {"words": (words, LOOSE)}
    for name, read in (("one piece", states.together), ("apart", states.apart)):
        narrow = PCA(COMPONENTS, svd_solver="randomized", random_state=0)  # sees no labels
        heads[name] = (np.hstack([words, narrow.fit_transform(scale(np.array([read(pair) for pair in pairs])))]), TIGHT)
    for name, own in held.items():
        inside = list(range(first, first := first + len(own)))
        console.print(f"{name}: {len(own)} pairs, {[sum(p.label == label for p in own) for label in LABELS]}")
        for head, (x, penalty) in heads.items():
            mine = np.zeros((len(own), 6))
            for _, part in GroupKFold(FOLDS).split(own, groups=[pair.group for pair in own]):
                mine[part] = judged(own, x[inside], penalty, part)
            left = judged(pairs, x, penalty, inside)
            for way, found in (("own documents", mine), ("left out", left)):
                console.print(f"  {head}, {way}:", *figures(own, found), sep=" | ", soft_wrap=True)


if __name__ == "__main__":
    main()
