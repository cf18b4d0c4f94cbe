"""Measure the rules on claims and evidence written by people who had not read the code.

    python -m benchmarks.quality.strangers [--read]

prints how the texts of each stranger are split into claims and how the pairs are judged, separately for odd and even
ids. Odd ids may be looked at (`--read` prints those that fail); even ids may only be counted. A pair is judged twice:
with linked names, as if the graph contained them, and by its wording alone, as if the graph contained none of them.
"""

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

import cypher
from groundwork.language import Sentence, cut, sentences
from groundwork.linking import Linker, within
from groundwork.records import Concept
from groundwork.settings import Settings
from groundwork.statistics import cohen_kappa
from groundwork.tables import concept_batch
from knowhd.claims import RuleClaims, linked
from knowhd.pieces import Evidence, Passage
from knowhd.rules_judge import RuleJudge
from truthhypo.bench.judge_calibration.confusion import confusion_matrix
from truthhypo.bench.judge_calibration.labelled import pair_of

HERE = Path(__file__).parent / "strangers"
#: Two claims count as the same if the F1 of their words is at least this.
ALIKE = 0.85
HALVES = {"odd": 1, "even": 0}
#: Each set is a folder. The evidence of the second and the third set is like that of abstracts.
SETS = ("first", "second", "third")
WAYS = ("linked", "by wording")

Row = dict[str, Any]


def rows(group: str, name: str, half: str) -> list[Row]:
    """Return the records of `claims` or `pairs` of a set with odd or even ids."""
    found = map(json.loads, (HERE / group / f"{name}.jsonl").read_text("utf-8").splitlines())
    return [row for row in found if row["id"] % 2 == HALVES[half]]


def linker(group: str) -> Linker:
    """Return a linker that knows every name of a set."""
    graph = cypher.connect("memory:", Settings(home=Path(tempfile.mkdtemp())), read_only=False)
    listed = [line.split("\t") for line in (HERE / group / "names.tsv").read_text("utf-8").splitlines()]
    made = [Concept(f"{kind}|{number}", name, (name,), (9,)) for number, (kind, name) in enumerate(listed, start=1)]
    with graph.writing():
        graph.put_concepts([concept_batch(made)])
    return Linker(graph)


def judged(pair: Row, names: Linker) -> tuple[str, str]:
    """Return the verdicts on a pair: with its names linked, and by its wording alone."""
    text, claim, judge = " ".join(pair["evidence"]), pair["claim"], RuleJudge()
    mentions = names.mentions(text)
    parts = [part for sentence in sentences(text) for part in cut(sentence)]
    shown = [
        Passage(f"pmid:1#s{n}", 1, "", part.text, 1.0, False, n, within(mentions, part)) for n, part in enumerate(parts)
    ]
    known = judge.judge(linked(claim, Sentence(claim, 0, len(claim)), (), names), Evidence((), tuple(shown)))
    plain = pair_of(claim, text, pair["verdict"], "")
    return known["literature"].verdict, judge.judge(plain.claim, plain.evidence)["literature"].verdict


def matched(gold: Sequence[str], said: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of a claim by a person and a claim by the rules with the same content, the most similar pairs first.
    Each claim is in one pair at most."""
    scored = sorted(((_alike(one, other), one, other) for one in gold for other in said), key=lambda each: -each[0])
    left, free = list(gold), list(said)
    for score, one, other in scored:
        if score >= ALIKE and one in left and other in free:
            left.remove(one)
            free.remove(other)
            yield one, other


def _alike(one: str, other: str) -> float:
    """Return the F1 of the words of two claims, without `a`, `an` and `the`."""
    a, b = (Counter(re.findall(r"[\w%:*-]+", re.sub(r"\b(?:an?|the)\b", "", each.lower()))) for each in (one, other))
    return 2 * (a & b).total() / max(1, a.total() + b.total())


def verdicts(group: str, half: str, names: Linker) -> dict[str, list[tuple[str, str]]]:
    """Return the verdicts of the stranger and of the rules on the pairs of a half, with names linked and by wording."""
    pairs = rows(group, "pairs", half)
    found = [judged(pair, names) for pair in pairs]
    given = [pair["verdict"] for pair in pairs]
    return {way: list(zip(given, said, strict=True)) for way, said in zip(WAYS, zip(*found, strict=True), strict=True)}


def taken_apart(group: str, half: str, names: Linker) -> tuple[float, float]:
    """Return precision and recall of the claims of a half."""
    said = right = gold = 0
    for text in rows(group, "claims", half):
        claims = [claim.text for claim in RuleClaims(names).extract(text["text"])]
        said, gold = said + len(claims), gold + len(text["claims"])
        right += sum(1 for _ in matched(text["claims"], claims))
    return right / said, right / gold


def failing(group: str, names: Linker) -> Iterator[str]:
    """Yield pairs judged wrongly with linked names, and texts split wrongly. All have odd ids."""
    for pair in rows(group, "pairs", "odd"):
        if (said := judged(pair, names)[0]) != pair["verdict"]:
            yield f"{pair['claim']} | {' '.join(pair['evidence'])} | {pair['verdict']}, not {said}"
    for text in rows(group, "claims", "odd"):
        claims = [claim.text for claim in RuleClaims(names).extract(text["text"])]
        if sum(1 for _ in matched(text["claims"], claims)) < max(len(claims), len(text["claims"])):
            yield f"{text['text']} | {claims}"


def main() -> None:
    """Print the figures of both halves."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--read", action="store_true", help="print odd ones that fail")
    read, console = arguments.parse_args().read, Console(highlight=False, soft_wrap=True)
    for group in SETS:
        names = linker(group)
        for half in HALVES:
            _show(group, half, names, console)
        for line in failing(group, names) if read else ():
            console.print(line, markup=False)


def _show(group: str, half: str, names: Linker, console: Console) -> None:
    for way, given in verdicts(group, half, names).items():
        right, turned = sum(one == other for one, other in given), sum(map(_turned, given))
        told = f"{right} of {len(given)} right, {turned} turned round"
        console.print(
            f"{group}, {half} pairs, {way}: kappa {cohen_kappa(confusion_matrix(given)):.3f}, {told}", markup=False
        )
    precision, recall = taken_apart(group, half, names)
    console.print(f"{group}, {half} claims: precision {precision:.3f}, recall {recall:.3f}")


def _turned(given: tuple[str, str]) -> bool:
    """Whether one of two verdicts is for the claim and the other against it."""
    return given[0] != given[1] and "not_enough" not in given


if __name__ == "__main__":
    main()
