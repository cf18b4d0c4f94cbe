"""Judge unseen claims by an entailment model: MiniLM, fine-tuned here on labelled pairs.

    .venv-models/bin/python -m benchmarks.quality.nli --out FOLDER [--form minicheck] [--folds 4] [--only FOLD ...]
        [--epochs 2]

First the model is trained on BioRED Train (a sentence that names both ends of a claim) and on PubMedQA's dev questions
(as statements, with the long answer). Then, for each fold of HealthVer dev, it is trained on the pairs of other folds
that share neither a question nor evidence with the fold. So each pair of HealthVer is judged by a model that saw
neither its question nor its evidence. The model of the first fold also judges Citation-Integrity dev and a part of
BioRED Dev. Neither was used for training. The program's own judge judges all pairs, once with a sentence as a piece of
evidence, as in `ground`, and once with an article. The judge by rules and TF-IDF with logistic regression judge the
same pairs for comparison. FOLDER keeps the models and figures.json.
"""

import argparse
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any, get_args

from rich.console import Console

from benchmarks.quality.fine_tuning import Example, Form, taught
from benchmarks.quality.nli_pairs import answered, few, folds, read, stated, text_of
from benchmarks.quality.siblings import minilm
from cypher.memory.graph import MemoryGraph
from groundwork.settings import Settings
from knowhd.judge import Judgement, Verdict
from knowhd.judges import connect
from knowhd.pieces import Evidence
from knowhd.rules_judge import RuleJudge
from tests.conftest import DATA
from truthhypo.bench.judge_calibration.calibrate import figures_of
from truthhypo.bench.judge_calibration.labelled import Pair, biored
from truthhypo.bench.judge_calibration.pairs import load

FOLDS, EPOCHS, RATE = 4, 2, 1e-4
#: Number of the six layers that the second training keeps frozen, so that it takes two thirds of the time.
FROZEN = 3
#: One of this many abstracts of BioRED Dev is judged.
EVERY = 8
HEALTH, CITED, RELATED = "HealthVer dev", "Citation-Integrity dev", f"BioRED Dev, 1 of {EVERY} abstracts"


def whole(pair: Pair) -> Pair:
    """Return a pair with its evidence as one piece. The judge cuts a piece that is longer than the model's window."""
    first = pair.evidence.literature[0]
    return replace(pair, evidence=Evidence((), (replace(first, sentence=text_of(pair), mentions=()),)))


def by_words(taught_on: Sequence[Example], pairs: Sequence[Pair]) -> list[Judgement]:
    """Return verdicts of the baseline: logistic regression on TF-IDF of the words of the claim, the evidence and
    both."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    asked = stated(pairs)
    both = TfidfVectorizer(analyzer=_words, min_df=2, sublinear_tf=True)
    rival = make_pipeline(both, LogisticRegression(C=1.0, class_weight="balanced", max_iter=1000))
    rival.fit(taught_on, [example.label for example in taught_on])
    return [Judgement(verdict, "", {}) for verdict in rival.predict(asked)]


def _words(example: Example) -> list[str]:
    """Return the words of each side with a mark, and the words that both sides share."""
    claim, evidence = (re.findall(r"[a-z0-9-]+", text.lower()) for text in (example.hypothesis, example.premise))
    return [
        *(f"c {word}" for word in claim),
        *(f"e {word}" for word in evidence),
        *(f"b {w}" for w in set(claim) & set(evidence)),
    ]


#: What a piece of evidence is: a sentence, as in `ground`, or all evidence of the claim.
UNITS: Mapping[str, Callable[[Pair], Pair]] = {"model, by sentence": lambda pair: pair, "model, by article": whole}


class Board:
    """The figures of several judges on the same pairs, by set and judge. They are stored in a file as they are
    measured.

    Args:
        file: The file of the figures.
        form: What the models learned. With `minicheck`, all figures only distinguish support from the rest.
    """

    def __init__(self, file: Path, form: Form) -> None:
        self._file, self._form, self._console = file, form, Console(width=160)
        self._rows: dict[str, dict[str, Any]] = {}

    def put(self, name: str, judge: str, pairs: Sequence[Pair], judged: Sequence[Judgement]) -> None:
        """Measure judgements on pairs, print the figures in a line and keep them."""
        if self._form == "minicheck":
            pairs = [replace(pair, label=_two(pair.label)) for pair in pairs]
            judged = [replace(judgement, verdict=_two(judgement.verdict)) for judgement in judged]
        m = figures_of(pairs, judged, name)
        self._rows.setdefault(name, {})[judge] = m.to_dict()
        self._file.write_text(json.dumps(self._rows, indent=2) + "\n", "utf-8")
        self._console.print(
            f"{name}, {judge}: n {m.n}, balanced accuracy {m.balanced_accuracy} {m.balanced_accuracy_interval}, "
            f"F1 {m.macro_f1}, kappa {m.kappa} {m.kappa_interval}, ECE {m.ece}, decided {m.decided}, "
            f"precision {m.precision}, constant {m.constant}",
            soft_wrap=True,
        )


def _two(verdict: Verdict) -> Verdict:
    return "not_enough" if verdict == "contradicted" else verdict


class Trial:
    """Trains and judges in one folder, and counts the seconds of CPU that each of the two takes.

    Args:
        out: The folder.
        form: What the models learn.
        epochs: Number of passes of each model over its examples.
    """

    def __init__(self, out: Path, form: Form, epochs: int) -> None:
        self.form, self.seconds = form, {"training": 0.0, "judging": 0.0}
        self._out, self._epochs = out, epochs
        self._graph = MemoryGraph(Settings(home=out))

    def teach(self, name: str, base: Path, examples: Sequence[Example], frozen: int = 0) -> Path:
        """Return the folder of a trained model. A model that exists already is kept."""
        folder, begun = self._out / name, process_time()
        if not (folder / "tokenizer.json").is_file():  # written last
            taught(base, folder, examples, self.form, epochs=self._epochs, rate=RATE, frozen=frozen)
        self.seconds["training"] += process_time() - begun
        return folder

    def judge(self, model: Path, pairs: Sequence[Pair]) -> list[Judgement]:
        """Return the verdicts of the program's judge on pairs, by the literature."""
        begun = process_time()
        judge = connect(f"{self.form}:{model}", self._graph, Settings(judge_device="cpu"))
        found = judge.judge_all([(pair.claim, pair.evidence) for pair in pairs])
        self.seconds["judging"] += process_time() - begun
        return [judgement["literature"] for judgement in found]


def health(
    trial: Trial, board: Board, pairs: Sequence[Pair], first: Path, cut: Mapping[int, tuple[list[int], list[int]]]
) -> None:
    """Judge HealthVer, each fold by a model that saw neither its questions nor its evidence.

    Args:
        trial: Trains and judges.
        board: Gets the figures.
        pairs: The whole set.
        first: The model that each fold begins with.
        cut: The rows to train on and to judge, by fold.
    """
    judges: dict[str, dict[int, Judgement]] = {name: {} for name in (*UNITS, "TF-IDF")}
    for fold, (kept, inside) in cut.items():
        examples, asked = stated(few([pairs[n] for n in kept])), [pairs[n] for n in inside]
        model = trial.teach(f"fold-{fold}", first, examples, FROZEN)
        found = {name: trial.judge(model, [unit(pair) for pair in asked]) for name, unit in UNITS.items()}
        found["TF-IDF"] = by_words(stated([pairs[n] for n in kept]), asked)
        for name, judged in found.items():
            judges[name] |= dict(zip(inside, judged, strict=True))
            board.put(f"{HEALTH}, fold {fold}", name, asked, judged)
    rows = sorted(n for _, inside in cut.values() for n in inside)
    for name, by_row in judges.items():
        board.put(HEALTH, name, [pairs[n] for n in rows], [by_row[n] for n in rows])


def unseen(
    trial: Trial, board: Board, sets: Mapping[str, Sequence[Pair]], model: Path, examples: Sequence[Example]
) -> None:
    """Judge sets that were not used for training, by one model and by TF-IDF with the same examples."""
    for name, pairs in sets.items():
        for row, unit in UNITS.items():
            board.put(name, row, pairs, trial.judge(model, [unit(pair) for pair in pairs]))
        board.put(name, "TF-IDF", pairs, by_words(examples, pairs))


def main() -> None:
    """Train, judge, and print the figures as they come."""
    import torch

    asked = _asked()
    asked.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)  # sums in one order: the same model every time
    trial, board = Trial(asked.out, asked.form, asked.epochs), Board(asked.out / "figures.json", asked.form)
    examples = [*read(DATA / "biored" / "Train.PubTator"), *answered(DATA / "pubmedqa" / "pqal_dev.json")]
    first = asked.first or trial.teach("first", minilm(), examples)
    pairs = load(DATA / "healthver")
    cut = {n: rows for n, rows in enumerate(folds(pairs, asked.folds)) if n in (asked.only or range(asked.folds))}
    health(trial, board, pairs, first, cut)
    cited = load(DATA / "citation_integrity")
    related = [pair for pair in biored(DATA / "biored" / "Dev.PubTator") if int(pair.group) % EVERY == 0]
    fold, (kept, _) = next(iter(cut.items()))
    known = [*examples, *stated([pairs[n] for n in kept])]
    unseen(trial, board, {CITED: cited, RELATED: related}, asked.out / f"fold-{fold}", known)
    rules, rows = RuleJudge(), sorted(n for _, inside in cut.values() for n in inside)
    for name, asked_of in ((HEALTH, [pairs[n] for n in rows]), (CITED, cited), (RELATED, related)):
        found = [rules.judge(pair.claim, pair.evidence)["literature"] for pair in asked_of]
        board.put(name, "rules", asked_of, found)
    Console().print(", ".join(f"{what} {spent:.0f} s of CPU" for what, spent in trial.seconds.items()))


def _asked() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--form", choices=get_args(Form), default="nli")
    options.add_argument("--folds", type=int, default=FOLDS)
    options.add_argument("--only", type=int, nargs="+", help="folds to train and judge, from 0; else all")
    options.add_argument("--first", type=Path, help="a model that has read BioRED and PubMedQA; else it is trained")
    options.add_argument("--epochs", type=int, default=EPOCHS)
    return options.parse_args()


if __name__ == "__main__":
    main()
