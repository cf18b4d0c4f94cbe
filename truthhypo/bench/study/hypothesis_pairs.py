"""Find pairs of hypotheses about the same instance that differ in groundedness, in a run with several samples."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from groundwork.errors import InputError
from groundwork.records import Record
from knowhd.judge import Source
from truthhypo.bench.entries import Entry
from truthhypo.bench.outcomes import gather
from truthhypo.bench.report.reported_runs import instances_of
from truthhypo.bench.runs import Run
from truthhypo.hypotheses.dataset import Instance

#: Tolerance for rounding when a difference of two shares equals the gap.
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class StudySource(Record):
    """The source of the hypotheses to compare.

    Each of the first four fields can be None if the run has only one value for it.

    Attributes:
        dataset: Name of the dataset.
        model: Model that answered.
        setting: Knowledge that the model was given, for instance `kg`.
        judge: Judge of the groundedness.
        source: Evidence source of the groundedness: `graph`, `literature` or `both`.
        gap: Minimum difference in groundedness, in percentage points, in (0, 100].
    """

    dataset: str | None = None
    model: str | None = None
    setting: str | None = None
    judge: str | None = None
    source: Source = "both"
    gap: float = 30.0


@dataclass(frozen=True, slots=True)
class Hypothesis(Record):
    """One hypothesis of a pair.

    Attributes:
        sample: Number of the sample in the run.
        relation: Label of the relation.
        text: The text shown: label and rationale, on one line.
        groundedness: Groundedness of the hypothesis, in [0, 1].
    """

    sample: int
    relation: str
    text: str
    groundedness: float


@dataclass(frozen=True, slots=True)
class Pair(Record):
    """Two hypotheses about one instance.

    Attributes:
        instance: Id of the instance.
        question: The question as text.
        gold: The correct label.
        high: The better grounded hypothesis.
        low: The worse grounded hypothesis.
    """

    instance: str
    question: str
    gold: str
    high: Hypothesis
    low: Hypothesis


@dataclass(frozen=True, slots=True)
class FoundPairs(Record):
    """The pairs in a run.

    Attributes:
        asked: The source of the hypotheses, with its dataset, model, setting and judge filled in.
        instances: Number of instances with an answer that was judged.
        grounded: Number of instances with two or more answers of known groundedness.
        same_text: Number of pairs left out because both texts are the same.
        pairs: For each instance, the best and the worst grounded answer, if their groundedness differs by at least the
            gap and their texts differ.
    """

    asked: StudySource
    instances: int
    grounded: int
    same_text: int
    pairs: tuple[Pair, ...]


def find(folder: Path, asked: StudySource, paths: Mapping[str, str] | None = None) -> FoundPairs:
    """Return the pairs of a run, in the order of its instances.

    Args:
        folder: A folder of bench run.
        asked: The source of the hypotheses, and the minimum difference in groundedness within a pair.
        paths: New paths of datasets that were moved, by the name of the dataset.

    Raises:
        InputError: The gap is out of range; there is no run or no judged answer; a dataset, model, setting or judge is
            unknown, or was not chosen although the run has several; or there is no pair.
    """
    if not 0 < asked.gap <= 100:
        raise InputError(
            f"--gap {asked.gap:g}", "percentage points above 0, up to 100", "for instance 30, as in the paper"
        )
    gathered = gather(Run(folder), paths)
    held = [entry for entry in gathered.entries if entry.groundedness and entry.answer is not None]
    whole = _completed(asked, held, folder)
    held = [e for e in held if (e.dataset, e.model, e.setting) == (whole.dataset, whole.model, whole.setting)]
    place = (paths or {}).get(held[0].dataset, gathered.manifest.datasets[held[0].dataset]["path"])
    known = instances_of(Path(place))
    by_instance: dict[str, list[Entry]] = {}
    for entry in held:
        by_instance.setdefault(entry.instance, []).append(entry)
    several = {name: tried for name, each in by_instance.items() if len(tried := _hypotheses(each, whole)) > 1}
    apart = [pair for name, tried in several.items() if (pair := _pair(known[name], tried, whole.gap))]
    pairs = tuple(pair for pair in apart if pair.high.text != pair.low.text)
    if not pairs:
        seen = f"{folder}: none of {len(several)} instances with two grounded answers has a gap of {whole.gap:g} points"
        raise InputError(seen, "a judged run with several samples per instance", "lower --gap, or run more samples")
    return FoundPairs(whole, len(by_instance), len(several), len(apart) - len(pairs), pairs)


def _completed(asked: StudySource, held: Sequence[Entry], folder: Path) -> StudySource:
    """Return the source of the hypotheses with its dataset, model, setting and judge filled in.

    Each of them can be omitted in `asked` if the run has only one.
    """
    names: dict[str, str] = {}
    left = list(held)
    for what, option in (("dataset", "--dataset"), ("model", "--answerer"), ("setting", "--setting")):
        names[what] = _only_choice(what, option, getattr(asked, what), (getattr(e, what) for e in left), folder)
        left = [e for e in left if getattr(e, what) == names[what]]
    judges = (judge for e in left for judge in e.groundedness)
    names["judge"] = _only_choice("judge", "--judged-by", asked.judge, judges, folder)
    return StudySource(**names, source=asked.source, gap=asked.gap)


def _only_choice(what: str, option: str, wanted: str | None, there: Iterable[str], folder: Path) -> str:
    options = sorted(set(there))
    if wanted in options:
        return wanted or ""
    if wanted is None and len(options) == 1:
        return options[0]
    if not options:
        raise InputError(f"{folder} has no judged answer", "answers with groundedness", "name judges in the suite")
    seen = f"{option} {wanted}" if wanted else f"{folder} has {len(options)} {what}s with judged answers"
    raise InputError(seen, f"one {what} of: {', '.join(options)}", f"give {option}")


def _hypotheses(entries: Sequence[Entry], asked: StudySource) -> list[Hypothesis]:
    return list(_grounded(sorted(entries, key=lambda entry: entry.sample), asked))


def _grounded(entries: Iterable[Entry], asked: StudySource) -> Iterator[Hypothesis]:
    for entry in entries:
        said = entry.groundedness.get(asked.judge or "")
        share = None if said is None else getattr(said, asked.source)
        if share is not None and entry.answer is not None:
            text = " ".join(f"{entry.answer.replace('_', ' ')}. {entry.rationale}".split())
            yield Hypothesis(entry.sample, entry.answer, text, share)


def _pair(instance: Instance, tried: Sequence[Hypothesis], gap: float) -> Pair | None:
    """Return the best and the worst grounded hypothesis, or None if their groundedness differs by less than the gap.

    Of hypotheses with the same groundedness, the earlier sample is taken.
    """
    high = max(tried, key=lambda one: (one.groundedness, -one.sample))
    low = min(tried, key=lambda one: (one.groundedness, one.sample))
    if 100 * (high.groundedness - low.groundedness) < gap - _SLACK:
        return None
    return Pair(instance.id, instance.question, instance.relation, high, low)
