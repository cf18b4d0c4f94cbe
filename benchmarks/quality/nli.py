"""Train and measure entailment judges: a model of its own, and a second head of the encoder."""

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from random import Random
from time import process_time
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import scale
from sklearn.utils.class_weight import compute_sample_weight

from benchmarks import parser_of
from benchmarks.quality.ground import HERE
from benchmarks.quality.siblings import minilm
from cypher.memory.graph import MemoryGraph
from groundwork.reading.encoder import LEADS, LONGEST, SHIPPED, WordPieces
from groundwork.settings import Settings
from groundwork.spelling import opposed_pairs
from groundwork.statistics import bootstrap
from knowhd.judge import Judgement, Verdict
from knowhd.judges import connect
from knowhd.pieces import Evidence
from knowhd.rules_judge import RuleJudge
from tests.conftest import DATA
from truthhypo.bench.judge_calibration import figures_of
from truthhypo.bench.labelled import LABELS, Pair, biored, evidence_of, pair_of, read_pairs, rows, statement
from truthhypo.bench.reader import corpora
from truthhypo.bench.reader.table import HeldOut, Row

Form = Literal["nli", "minicheck"]
#: Names of the outputs of an `nli` model, in the order of LABELS.
_NAMES = ("entailment", "contradiction", "neutral")
#: Pairs per step, and tokens of a pair. 97 % of HealthVer's pairs are shorter. A longer pair loses its beginning.
ROWS, WINDOW = 16, 192
#: Share of the steps in which the rate rises from 0; it falls to 0 in the other steps.
_RISE = 0.1
#: Number of batches that are sorted by length together, so that little is padded.
_POOL = 16
#: Number of BioRED's claims that are read for each label, and of pairs of a HealthVer claim that are used for each
#: label: such a claim has eight similar pairs.
READ, ALIKE = 900, 3
#: Number of pairs of each set of `natural` whose claims are made here.
DRAWN = 1200
_ANSWERS: Mapping[str, Verdict] = {"yes": "supported", "no": "contradicted", "maybe": "not_enough"}
_CHANGES = {"-1": "decreases", "0": "does not change", "1": "increases"}
_SIGNS = {"up": "1", "down": "-1"}
Texts = tuple[str, str, Verdict, str]
FOLDS_NLI, EPOCHS, RATE = 4, 2, 1e-4
#: Number of the six layers that the second training keeps frozen, so that it takes two thirds of the time.
FROZEN = 3
#: One of this many abstracts of BioRED Dev is judged.
EVERY = 8
HEALTH, CITED, RELATED = "HealthVer dev", "Citation-Integrity dev", f"BioRED Dev, 1 of {EVERY} abstracts"
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
#: Share of decisions that must be right, fewest decisions that can show it, and smallest share of pairs decided.
GOAL, FEWEST, ENOUGH = 0.80, 20, 0.05
#: Folds, and components of the encoder's states.
FOLDS_NATURAL_CLAIMS, COMPONENTS = 5, 400
#: Penalties of the fits (C): for features of the words alone, and with the encoder's states.
LOOSE, TIGHT = 1.0, 0.01
#: Negations, comparisons, hedges, and differences that were not found.
_KINDS = (
    r"\b(?:no|not|nor|neither|never|without|cannot|fail\w*|lack\w*|absen\w+|unlikely)\b|n't\b",
    r"\b(?:than|versus|vs|compared|more|less|fewer|better|worse|superior)\b",
    r"\b(?:may|might|could|possibl\w+|suggest\w*|unclear|unknown|whether|potential\w*)\b",
    r"\b(?:no|not) (?:\w+ ){0,2}(?:differ\w*|significan\w+|associat\w+|effect)|\bsimilar\b",
)


@dataclass(frozen=True, slots=True)
class Example:
    """A premise, a hypothesis, and the label that people gave them."""

    premise: str
    hypothesis: str
    label: Verdict


def taught(
    base: Path,
    out: Path,
    examples: Sequence[Example],
    form: Form,
    *,
    epochs: int,
    rate: float,
    frozen: int = 0,
    seed: int = 0,
) -> None:
    """Train a model on examples and save it with its tokenizer. On one thread the result is always the same.

    Args:
        base: Folder of an encoder, or of a model trained here. If that model has another form, its last layer starts
            anew.
        out: Folder for the result.
        examples: At least one. They are weighted so that all labels have the same total weight.
        form: What the model learns.
        epochs: Number of passes over the examples, >= 1.
        rate: The largest learning rate of AdamW, > 0.
        frozen: Number of lowest layers to keep untrained, along with the embeddings; 0 trains everything.
        seed: Determines the order of the examples, dropout and the new layer.
    """
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    torch.manual_seed(seed)
    tokenizer = AutoTokenizer.from_pretrained(base, model_max_length=WINDOW, truncation_side="left")
    model = AutoModelForSequenceClassification.from_pretrained(base, ignore_mismatched_sizes=True, **_labels(form))
    lowest = model.base_model.encoder.layer[:frozen]
    for part in (model.base_model.embeddings, *lowest) if frozen else ():
        part.requires_grad_(False)
    targets = np.array([_target(example.label, form) for example in examples])
    weights = torch.tensor(compute_sample_weight("balanced", targets), dtype=torch.float32)
    truth = torch.tensor(targets)
    order = list(steps([len(e.premise) + len(e.hypothesis) for e in examples], epochs, seed))
    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / (_RISE * len(order) + 1), 1 - step / len(order))
    )
    model.train()
    for chosen in order:
        read = _encoded(tokenizer, [examples[row] for row in chosen], form)
        losses = torch.nn.functional.cross_entropy(model(**read).logits, truth[chosen], reduction="none")
        (losses * weights[chosen]).mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)


def _labels(form: Form) -> dict[str, Any]:
    if form == "minicheck":
        return {"num_labels": 2}
    return {"id2label": dict(enumerate(_NAMES)), "label2id": {name: at for at, name in enumerate(_NAMES)}}


def _target(label: Verdict, form: Form) -> int:
    return int(label == "supported") if form == "minicheck" else LABELS.index(label)


def _encoded(tokenizer: Any, examples: Sequence[Example], form: Form) -> Any:
    premises, hypotheses = [e.premise for e in examples], [e.hypothesis for e in examples]
    if form == "minicheck":
        mark = tokenizer.eos_token or tokenizer.sep_token
        premises = [f"{one}{mark}{other}" for one, other in zip(premises, hypotheses, strict=True)]
    second = hypotheses if form == "nli" else None
    return tokenizer(premises, second, padding=True, truncation="only_first", return_tensors="pt")


def steps(lengths: Sequence[int], epochs: int, seed: int) -> Iterator[list[int]]:
    """Yield the rows of each step: in a new order each epoch, with rows of similar length together."""
    random = Random(seed)
    for _ in range(epochs):
        order = random.sample(range(len(lengths)), len(lengths))
        pools = (order[at : at + ROWS * _POOL] for at in range(0, len(order), ROWS * _POOL))
        ranked = [row for pool in pools for row in sorted(pool, key=lambda row: lengths[row])]
        batches = [ranked[at : at + ROWS] for at in range(0, len(ranked), ROWS)]
        yield from random.sample(batches, len(batches))


def stated(pairs: Sequence[Pair]) -> list[Example]:
    """Return claims with all of their evidence."""
    return [Example(text_of(pair), pair.claim.text, pair.label) for pair in pairs]


def read(path: Path, each: int = READ, seed: int = 0) -> list[Example]:
    """Return claims of a BioRED file, each with a sentence that names both ends, or at least one of unrelated ends."""
    found: dict[Verdict, list[Example]] = {}
    for pair in biored(path):
        ends = {mention.key for mention in pair.claim.mentions}
        named = [(len(ends & {m.key for m in p.mentions}), p.sentence) for p in pair.evidence.literature]
        most, premise = max(named, key=lambda one: one[0])
        if most == len(ends) or (most and pair.label == "not_enough"):
            found.setdefault(pair.label, []).append(Example(premise, pair.claim.text, pair.label))
    random = Random(seed)
    return [example for kind in found.values() for example in random.sample(kind, min(each, len(kind)))]


def answered(path: Path) -> list[Example]:
    """Return PubMedQA's questions as statements, with the authors' conclusion."""
    items = json.loads(path.read_text("utf-8")).values()
    return [
        Example(item["LONG_ANSWER"], statement(item["QUESTION"]), _ANSWERS[item["final_decision"]]) for item in items
    ]


def folds(pairs: Sequence[Pair], count: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yield (training pairs, judged pairs) of each fold. A question is in one fold, and no training pair shares
    evidence with the fold."""
    given = [sha256(f"fold {pair.group}".encode()).digest()[0] % count for pair in pairs]
    for fold in range(count):
        inside = [n for n, of in enumerate(given) if of == fold]
        texts = {evidence_of(pairs[n]) for n in inside}
        yield [n for n, of in enumerate(given) if of != fold and evidence_of(pairs[n]) not in texts], inside


def few(pairs: Sequence[Pair], each: int = ALIKE) -> list[Pair]:
    """Return the first pairs of each claim and label."""
    seen: Counter[tuple[str, Verdict]] = Counter()
    found = []
    for pair in pairs:
        seen[kind := (pair.claim.text, pair.label)] += 1
        if seen[kind] <= each:
            found.append(pair)
    return found


def text_of(pair: Pair) -> str:
    """Return all evidence of a pair, unchanged."""
    return " ".join(passage.sentence for passage in pair.evidence.literature)


def natural() -> dict[str, list[Pair]]:
    """Return sets of claims as people write them and of claims made here. Groups are named after their sets."""
    draw, labelled = Random(0), DATA / "labelled"
    trials = rows(labelled / "evidence_inference" / "v2_annotations.jsonl")
    made = [_trial(each, draw) for each in trials if each["valid_label"] == "True"]
    aside = HeldOut.read(labelled / f"{name}_PMIDS.txt" for name in ("ASIDE", "EXCLUDE"))
    read = [*corpora.drugprot(labelled / "drugprot"), *corpora.cancermine(labelled / "cancermine")]
    related = [_relation(row, draw) for row in read if len(row.signs) == 1 and not aside.holds(row)]
    asked = enumerate(answered(DATA / "pubmedqa" / "pqal_dev.json"))
    written = enumerate(row for file in sorted(HERE.glob("*/pairs.jsonl")) for row in rows(file))
    found = {
        "HealthVer": read_pairs(DATA / "healthver"),
        "Citation-Integrity": read_pairs(DATA / "citation_integrity"),
        "PubMedQA": [pair_of(each.hypothesis, each.premise, each.label, str(n)) for n, each in asked],
        "strangers": [pair_of(e["claim"], " ".join(e["evidence"]), e["verdict"], str(n)) for n, e in written],
        "Evidence Inference": [pair_of(*each) for each in draw.sample(made, DRAWN)],
        "relations": [pair_of(*each) for each in draw.sample(related, DRAWN)],
    }
    return {name: [replace(pair, group=f"{name} {pair.group}") for pair in held] for name, held in found.items()}


def _trial(each: Mapping[str, str], draw: Random) -> Texts:
    """Return a claim that an outcome of a trial is raised, lowered or the same."""
    claim = f"{each['intervention']} {{}} {each['outcome']} compared with {each['comparator']}."
    return _claimed(claim, draw.choice(sorted(_CHANGES)), each["code"], each["evidence"], each["pmcid"])


def _relation(row: Row, draw: Random) -> Texts:
    """Return a claim that one end of a sentence raises or lowers the other."""
    ends = [row.text[slice(*spans[0])] for spans in (row.first, row.second)]
    claim, truth = " {} ".join(ends[::-1] if row.acts == {"second"} else ends) + ".", _SIGNS.get(*row.signs, "0")
    return _claimed(claim, draw.choice(("1", "-1")), truth, row.text, str(row.pmid))


def _claimed(claim: str, said: str, truth: str, passage: str, group: str) -> Texts:
    """Return a claim of a change, where {} stands. If nothing changed, this does not contradict a raise or a fall."""
    label = LABELS[2 if truth == "0" != said else int(said != truth)]
    return " ".join(claim.replace("{}", _CHANGES[said]).split()), " ".join(passage.split()), label, group


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


def nli() -> None:
    """Judge unseen claims by an entailment model: MiniLM, fine-tuned here on labelled pairs.

        .venv-models/bin/python -m benchmarks nli --out FOLDER [--form minicheck] [--folds 4] [--only FOLD ...]
            [--epochs 2]

    First the model is trained on BioRED Train (a sentence that names both ends of a claim) and on PubMedQA's dev
    questions (as statements, with the long answer). Then, for each fold of HealthVer dev, it is trained on the pairs of
    other folds that share neither a question nor evidence with the fold. So each pair of HealthVer is judged by a model
    that saw neither its question nor its evidence. The model of the first fold also judges Citation-Integrity dev and a
    part of BioRED Dev. Neither was used for training. The program's own judge judges all pairs, once with a sentence as
    a piece of evidence, as in `ground`, and once with an article. The judge by rules and TF-IDF with logistic
    regression judge the same pairs for comparison. FOLDER keeps the models and figures.json.
    """
    import torch

    asked = _asked()
    asked.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)  # sums in one order: the same model every time
    trial, board = Trial(asked.out, asked.form, asked.epochs), Board(asked.out / "figures.json", asked.form)
    examples = [*read(DATA / "biored" / "Train.PubTator"), *answered(DATA / "pubmedqa" / "pqal_dev.json")]
    first = asked.first or trial.teach("first", minilm(), examples)
    pairs = read_pairs(DATA / "healthver")
    cut = {n: rows for n, rows in enumerate(folds(pairs, asked.folds)) if n in (asked.only or range(asked.folds))}
    health(trial, board, pairs, first, cut)
    cited = read_pairs(DATA / "citation_integrity")
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
    options = parser_of(nli)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--form", choices=get_args(Form), default="nli")
    options.add_argument("--folds", type=int, default=FOLDS_NLI)
    options.add_argument("--only", type=int, nargs="+", help="folds to train and judge, from 0; else all")
    options.add_argument("--first", type=Path, help="a model that has read BioRED and PubMedQA; else it is trained")
    options.add_argument("--epochs", type=int, default=EPOCHS)
    return options.parse_args()


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
    for _, part in GroupKFold(FOLDS_NATURAL_CLAIMS).split(known, groups=[pair.group for pair in known]):
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


def natural_claims() -> None:
    """Decide natural claims by a second head of the reader's encoder, and measure how much of what it decides is right.

        .venv-models/bin/python -m benchmarks natural_claims

    A pair is a claim and a passage that supports it, contradicts it or does neither. A head is a logistic regression on
    a few features of the words, and on states of the encoder for claim and passage, read in one piece or apart. It
    decides for a class from the lowest probability at which `GOAL` of its decisions are right on pairs that the fit did
    not see, within the training pairs. Each set is judged twice: by folds of its own documents (questions, for
    HealthVer), and by heads fitted on all other sets. No claim and no passage is on both sides. All constants were
    fixed before the first run.
    """
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
            for _, part in GroupKFold(FOLDS_NATURAL_CLAIMS).split(own, groups=[pair.group for pair in own]):
                mine[part] = judged(own, x[inside], penalty, part)
            left = judged(pairs, x, penalty, inside)
            for way, found in (("own documents", mine), ("left out", left)):
                console.print(f"  {head}, {way}:", *figures(own, found), sep=" | ", soft_wrap=True)
