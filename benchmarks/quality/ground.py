"""Measure `ground` on drawn pairs, closing sentences, changed statements and statements of strangers."""

import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

import cypher
from benchmarks import parser_of
from groundwork.language import Sentence, cut, sentences
from groundwork.linking import Linker, within
from groundwork.reading.encoder import Encoder
from groundwork.reading.encoder import connect as reader_of
from groundwork.records import Concept
from groundwork.settings import Settings, load
from groundwork.statistics import cohen_kappa
from groundwork.tables import concept_batch
from ingest import load_documents
from ingest.documents.document import Document
from knowhd.claims import Claim, RuleClaims, linked
from knowhd.ground_report import ClaimReport
from knowhd.pieces import Evidence, Passage
from knowhd.rules_judge import RuleJudge
from knowhd.statement import statement_of
from tests.conftest import DATA
from truthhypo.bench.judge_calibration import confusion_matrix
from truthhypo.bench.labelled import pair_of
from truthhypo.bench.reader.table import BYSTANDERS, labels, read_documents
from truthhypo.connection import connect
from truthhypo.world import World

VERBS = {1: ("increases", "raises"), -1: ("decreases", "lowers")}
SIGNS = {"up": 1, "down": -1}
DECIDED = ("supported", "contradicted")
OTHERS = [DATA / "biored" / "Train.PubTator", *sorted((DATA / "bc5cdr").glob("CDR_T*Set.PubTator.txt"))]
REWORDED, LENGTHENED = 80, 46
STATED = {"up": "increases", "down": "decreases"}
HERE = Path(__file__).parent / "strangers"
#: Two claims count as the same if the F1 of their words is at least this.
ALIKE = 0.85
HALVES = {"odd": 1, "even": 0}
#: Each set is a folder. The evidence of the second and the third set is like that of abstracts.
SETS = ("first", "second", "third")
WAYS = ("linked", "by wording")
Row = dict[str, Any]


@dataclass(frozen=True)
class Drawn:
    """A statement, its article and ends, its sign, and the verdict that the article's label gives it."""

    text: str
    pmid: int
    ends: tuple[str, str]
    sign: int
    verdict: str


def drawn(documents: Sequence[Document], related: int, unrelated: int) -> list[Drawn]:
    """Return statements in a random order with a fixed seed: the related pairs, then the unrelated ones."""
    lot = random.Random(19)
    kinds: dict[bool, list[Drawn]] = {True: [], False: []}
    for document in documents:
        names = {a.key: a.mention for a in reversed(document.annotations) if a.key.partition("|")[0] not in BYSTANDERS}
        known = labels(document)
        for ends in combinations(sorted(names), 2):
            label, sign = known.get(frozenset(ends)), lot.choice((1, -1))
            if label == "related":
                continue
            first, second = lot.sample(ends, 2)
            said = f"{names[first][:1].upper()}{names[first][1:]} {lot.choice(VERBS[sign])} {names[second]}."
            verdict = "not_enough" if label is None else DECIDED[SIGNS[label] != sign]
            kinds[label is not None].append(Drawn(said, document.pmid, (first, second), sign, verdict))
    for kind in kinds.values():
        lot.shuffle(kind)
    return [*kinds[True][:related], *kinds[False][:unrelated]]


def verdict_of(claims: Sequence[ClaimReport]) -> str:
    """Return the first verdict of the literature that decides, else `not_enough`."""
    return next((v for claim in claims if (v := claim.verdicts["literature"]) in DECIDED), "not_enough")


def place(one: Drawn, claims: Sequence[ClaimReport], reader: Encoder) -> str:
    """Return where the command lost a statement that it left undecided."""
    if len(claims) != 1:
        return "not one claim"
    return _of_claim(one, claims[0], reader) or _of_evidence(one, claims[0])


def _of_claim(one: Drawn, claim: ClaimReport, reader: Encoder) -> str | None:
    if not set(one.ends) <= {key for each in claim.mentions for key in each.candidates}:
        return "an end is not linked"
    if not set(one.ends) <= set(claim.concepts):
        return "an end is linked to another concept"
    read = statement_of(Claim(claim.text, claim.sentence, claim.span, claim.concepts, (), claim.mentions), reader)
    if read is None:
        return "no relation is read in the statement"
    if set(read.ends) != set(one.ends):
        return "the statement is read with other ends"
    if read.sign != one.sign:
        return "the statement's sign is read wrong"
    return None


def _of_evidence(one: Drawn, claim: ClaimReport) -> str:
    own = [passage for passage in claim.evidence.literature if passage.pmid == one.pmid]
    if not own:
        return "its article is not retrieved"
    if all(passage.stance == "about_one" or passage.stance is None for passage in own):
        return "no sentence names both ends"
    if "partly" in claim.flags:
        return "flagged partly"
    if "mixed" in claim.flags:
        return "articles on both sides"
    return "no sentence reaches the threshold"


def outcomes_of(world: World, statements: Sequence[Drawn], reader: Encoder) -> tuple[Counter[str], Counter[str]]:
    """Return the counts of statements by outcome, and of the related ones left undecided by the place of their loss."""
    outcomes: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for one in statements:
        claims = world.ground(one.text).claims
        verdict = verdict_of(claims)
        if one.verdict == "not_enough":
            outcomes["unrelated"] += 1
            outcomes["unrelated decided"] += verdict in DECIDED
            continue
        outcomes["related"] += 1
        outcomes["related decided"] += verdict in DECIDED
        outcomes["related right"] += verdict == one.verdict
        lost[place(one, claims, reader) if verdict not in DECIDED else "decided wrong"] += verdict != one.verdict
    return outcomes, +lost


def loaded(home: Path, reader: str, documents: Sequence[Path]) -> World:
    """Return a world with stores under HOME that hold these documents, read by the weights in a file."""
    world = connect(load({"home": home, "reader": reader})[0], read_only=False)
    load_documents(list(map(str, documents)), world.graph_store, world.literature_store, world.settings)
    return world


def whole_ground() -> None:
    """Measure how often the whole command `ground` judges statements from labelled articles correctly.

    `python -m benchmarks whole_ground [--documents FILE] [--reader WEIGHTS] [--related 200] [--unrelated 100]`: the
    statements are about pairs with a signed relation, and about pairs that the article does not relate. They use the
    article's own names. The sign of the verb is random, so a statement may be wrong. The store holds the articles, and
    only the literature judges. For honest figures, the weights must come from other documents. Each wrongly undecided
    statement is assigned to the step at which it was lost.
    """
    parser = parser_of(whole_ground)
    parser.add_argument("--documents", type=Path, default=DATA / "biored" / "Dev.PubTator")
    parser.add_argument("--reader", default="")
    parser.add_argument("--related", type=int, default=200)
    parser.add_argument("--unrelated", type=int, default=100)
    options = parser.parse_args()
    statements = drawn(read_documents([options.documents]), options.related, options.unrelated)
    with TemporaryDirectory() as home, loaded(Path(home), options.reader, [options.documents]) as world:
        found, lost = outcomes_of(world, statements, reader_of(options.reader))
    table = Table("lost", "related statements")
    for name, count in lost.most_common():
        table.add_row(name, str(count))
    console = Console(width=120)
    console.print(table)
    console.print(
        f"related: {found['related']}, decided {found['related decided']}, "
        f"right of decided {found['related right'] / max(1, found['related decided']):.3f}, "
        f"right of all {found['related right'] / max(1, found['related']):.3f}; "
        f"unrelated: {found['unrelated']}, decided {found['unrelated decided'] / max(1, found['unrelated']):.3f}"
    )


def closing() -> None:
    """Count the claims of closing sentences that are decided by other articles.

    `python -m benchmarks closing [--reader WEIGHTS] [--documents 100]`: the last sentences of BioRED Dev's abstracts
    are judged by the literature alone, against the articles of BioRED Train and BC5CDR. A closing sentence sums up its
    own article, so other articles can decide hardly any of its claims.
    """
    parser = parser_of(closing)
    parser.add_argument("--reader", default="")
    parser.add_argument("--documents", type=int, default=100)
    options = parser.parse_args()
    own = read_documents([DATA / "biored" / "Dev.PubTator"])[: options.documents]
    others = {document.pmid for document in read_documents(OTHERS)}
    claims = []
    with TemporaryDirectory() as home, loaded(Path(home), options.reader, OTHERS) as world:
        for document in own:
            if document.pmid not in others:
                claims += world.ground(sentences(document.abstract)[-1].text).claims
    decided = [claim for claim in claims if claim.verdicts["literature"] in DECIDED]
    console = Console(width=120)
    console.print(f"{len(claims)} claims, {len(decided)} decided ({len(decided) / max(1, len(claims)):.3f})")
    for claim in decided:
        console.print(f"  {claim.verdicts['literature']}: {claim.text}")


def pairs(path: Path) -> list[tuple[str, str, str]]:
    """Return both names of each pair and the sign of its relation, in a random order with a fixed seed."""
    found = []
    for document in read_documents([path]):
        names = {each.key: each.mention for each in reversed(document.annotations)}
        for pair, label in labels(document).items():
            if label in STATED and len(pair) == 2 and all(key in names for key in pair):
                first, second = sorted(pair)
                found.append((names[first][:1].upper() + names[first][1:], label, names[second]))
    random.Random(9).shuffle(found)
    return found


def verdicts_on(world: World, text: str) -> list[tuple[str, ClaimReport]]:
    """Return the claims of a text with their verdicts by graph and literature together."""
    return [(claim.verdicts["both"], claim) for claim in world.ground(text).claims]


def supported(world: World, drawn: list[tuple[str, str, str]]) -> Iterator[tuple[str, ClaimReport]]:
    """Yield statements that are supported, without their full stop."""
    for head, label, tail in drawn:
        said = f"{head} {STATED[label]} {tail}"
        for verdict, claim in verdicts_on(world, f"{said}."):
            if verdict == "supported":
                yield said, claim


@dataclass(frozen=True)
class Measured:
    """The numbers of reworded and lengthened statements, and the verdicts on them."""

    reworded: int
    decided: int
    lengthened: int
    still: int
    partly: int


def measured(world: World, drawn: list[tuple[str, str, str]]) -> Measured:
    """Return what the rules decide about reworded and lengthened statements."""
    plain = [f"{head} was studied with {tail}." for head, _, tail in drawn[:REWORDED]]
    reworded = [verdict for said in plain for verdict, _ in verdicts_on(world, said)]
    kept = [said for (said, _), _ in zip(supported(world, drawn), range(LENGTHENED), strict=False)]
    longer = [each for said in kept for each in verdicts_on(world, f"{said} in pregnant women with epilepsy.")]
    decided, still = (
        sum(verdict in wanted for verdict in verdicts)
        for verdicts, wanted in (
            (reworded, DECIDED),
            ([verdict for verdict, _ in longer], DECIDED[:1]),
        )
    )
    return Measured(len(plain), decided, len(kept), still, sum("partly" in claim.flags for _, claim in longer))


def restated() -> None:
    """Measure what the rules decide if a statement loses its relation, or gets an addition that no article states.

    `python -m benchmarks restated [--documents FILE] [--reader WEIGHTS] [--reasons 10]` judges statements about pairs
    with a signed relation. The store holds the articles of these pairs. "A was studied with B." must not be decided,
    and a supported statement must not stay supported if "in pregnant women with epilepsy" is added. For honest figures,
    the weights must come from other documents.
    """
    parser = parser_of(restated)
    parser.add_argument("--documents", type=Path, default=DATA / "biored" / "Dev.PubTator")
    parser.add_argument("--reader", default="")
    parser.add_argument("--reasons", type=int, default=10)
    options = parser.parse_args()
    drawn = pairs(options.documents)
    with TemporaryDirectory() as home, loaded(Path(home), options.reader, [options.documents]) as world:
        found = measured(world, drawn)
        console = Console(width=120)
        console.print(f"reworded: {found.reworded}, decided {found.decided}")
        console.print(f"lengthened: {found.lengthened}, still supported {found.still}, flagged partly {found.partly}")
        for head, label, tail in drawn[-options.reasons :]:
            for verdict, claim in verdicts_on(world, f"{head} {STATED[label]} {tail}."):
                console.print(f"{verdict}: {claim.text} {claim.reason}")


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


def strangers() -> None:
    """Measure the rules on claims and evidence written by people who had not read the code.

        python -m benchmarks strangers [--read]

    prints how the texts of each stranger are split into claims and how the pairs are judged, separately for odd and
    even ids. Odd ids may be looked at (`--read` prints those that fail); even ids may only be counted. A pair is judged
    twice: with linked names, as if the graph contained them, and by its wording alone, as if the graph contained none
    of them.
    """
    arguments = parser_of(strangers)
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
