"""Fit the encoder that reads claims and evidence on sets of labelled sentences, and write it with its card."""

import gzip
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import parse

import numpy as np
from numpy.typing import NDArray

from groundwork.errors import InputError
from groundwork.reading.encoder import MANNERS, OPPOSED, SIGNS, WordPieces, shipped
from groundwork.records.base import counted
from truthhypo.bench.reader import corpora, frames
from truthhypo.bench.reader.article_pairs import ArticleModel, ArticlePairs, relation_f1
from truthhypo.bench.reader.frames import MARKS, clauses, marked_rows
from truthhypo.bench.reader.table import SENTENCE, HeldOut, Row, only, read_documents, sampled
from truthhypo.service.marks import read_marks

if TYPE_CHECKING:
    from ingest.documents.document import Document
    from truthhypo.bench.reader.fitting import Encoder

Floats = NDArray[np.float32]
#: Required share of right decisions at the threshold, of all rows that are decided with a known sign or none.
RIGHT = 0.9
#: Minimum number of rows with a sign for a threshold of a pair of types, and of others for counting them.
LEAST = 100
#: Below .6 the share of right decisions is that of an even choice between deciding and not.
_THRESHOLDS = np.round(np.arange(0.6, 0.96, 0.01), 2)
_UP, _DOWN = SIGNS.index("up"), SIGNS.index("down")
_RESULT, _HEDGED = (len(SIGNS) + MANNERS.index(name) for name in ("result", "hedged"))
#: Number of epochs before the last one. After one and two, the figures on documents set aside still rose.
EPOCHS = 2
#: Rows of each set in one epoch, drawn anew each time: signed or denied rows, related ones, unrelated ones, and rows
#: that leave the relation open. Large sets are cut so that none outweighs the others; other sets are not fitted.
_QUOTAS: Mapping[str, tuple[int, int, int, int]] = {
    "chemprot": (1800, 840, 2240, 1800),
    "drugprot": (1050, 350, 148, 0),
    "bionlp_2013_cg": (515, 194, 420, 60),
    "bionlp_2013_pc": (1125, 296, 490, 60),
    "bionlp_2013_ge": (300, 94, 280, 60),
    "ade": (1680, 0, 0, 820),
    "ade_negatives": (0, 0, 0, 910),
    "crowdtruth": (630, 0, 175, 0),
    "semrep": (170, 100, 420, 0),
    "semmed": (333, 560, 356, 400),
    "cancermine": (776, 87, 780, 0),
    "civicmine": (0, 245, 184, 0),
    "comagc": (100, 100, 0, 100),
    "bel": (485, 0, 0, 0),
    "evidence_inference": (165, 0, 0, 0),
    "biored": (1190, 840, 1540, 165),
    "bc5cdr": (980, 0, 0, 1050),
    "clauses": (2400, 0, 0, 0),
    "sections": (0, 0, 0, 3000),
    "questions": (0, 0, 0, 245),
    MARKS: (1000, 1000, 0, 1000),
}
#: The same for the last epoch, at half the learning rate: mainly sets whose labels belong to the sentence. Without it,
#: the signs of adverse effects were read too rarely, since other sets only say which pairs are no adverse effect.
_LAST: Mapping[str, tuple[int, int, int, int]] = {
    "chemprot": (1300, 400, 2100, 400),
    "drugprot": (500, 150, 148, 0),
    "bionlp_2013_cg": (300, 60, 200, 20),
    "bionlp_2013_pc": (500, 80, 250, 20),
    "bionlp_2013_ge": (150, 40, 120, 20),
    "ade": (3000, 0, 0, 1175),
    "ade_negatives": (0, 0, 0, 700),
    "crowdtruth": (200, 0, 80, 0),
    "semrep": (170, 60, 200, 0),
    "semmed": (333, 500, 356, 567),
    "cancermine": (776, 60, 1119, 0),
    "civicmine": (0, 80, 100, 0),
    "comagc": (60, 60, 0, 60),
    "bel": (150, 0, 0, 0),
    "evidence_inference": (100, 0, 0, 0),
    "biored": (450, 250, 500, 60),
    "bc5cdr": (350, 0, 0, 350),
    "clauses": (1500, 0, 0, 0),
    "sections": (0, 0, 0, 1500),
    "questions": (0, 0, 0, 100),
    MARKS: (1000, 1000, 0, 1000),
}
#: Rows made by rule, in an epoch and in the last one: plain statements, changed sentences, sentences inside a question,
#: aim or notice, and sentences joined with another statement.
_MADE, _LAST_MADE = (5000, 4400, 1050, 1500), (4000, 2600, 500, 1500)
#: Sets from whose signed rows changed sentences are made: those whose labels belong to the sentence.
_CHANGEABLE = tuple(name for name in _QUOTAS if name not in {"biored", "bc5cdr", "evidence_inference", "crowdtruth"})


def clearness_of(found: Floats) -> Floats:
    """Return how clearly each row states its likelier sign, in [-0.75, 1], for probabilities of shape (rows, 11)."""
    stated = found[:, _RESULT] + found[:, _HEDGED]
    signs = found[:, [_DOWN, _UP]]
    return np.asarray((signs.max(axis=1) - OPPOSED * signs.min(axis=1)) * stated)


def gold_of(row: Row) -> int | None:
    """Return the sign of a row (+1, -1), 0 if none may be decided, or None if its labels leave that open."""
    if row.manners in (only("denied"), only("unstated")):
        return 0
    if row.signs in (only("up"), only("down")):
        return 1 if "up" in row.signs else -1
    return 0 if row.signs.isdisjoint({"up", "down"}) else None


def threshold_of(rows: Sequence[Row], found: Floats) -> float:
    """Return the lowest threshold from which `RIGHT` of the decisions are right.

    Rows in which nothing may be decided weigh together as much as the rows with a sign. Fewer than `LEAST` of them are
    left out.

    Args:
        rows: Rows, at least one of them with a sign.
        found: Their probabilities, shape (rows, 11).
    """
    for threshold in _THRESHOLDS:
        each = figures_of(rows, found, float(threshold))
        wrong = (1 - each["right"]) * each["found"] / each["right"] if each["right"] else 1.0
        invented = each["decided"] if each["others"] >= LEAST else 0.0  # of fewer rows the share is chance
        if each["found"] and each["found"] / (each["found"] + wrong + invented) >= RIGHT:
            return float(threshold)
    return float(_THRESHOLDS[-1])


def thresholds_of(judged: Iterable[tuple[Row, Floats]]) -> dict[str, float]:
    """Return a threshold for each pair of types, such as "Chemical|Disease", with at least `LEAST` rows with a sign."""
    parts: dict[str, list[tuple[Row, Floats]]] = defaultdict(list)
    for row, each in judged:
        if row.level == SENTENCE:
            parts["|".join(sorted(row.types))].append((row, each))
    found = {}
    for types, held in sorted(parts.items()):
        if sum(bool(gold_of(row)) for row, _ in held) >= LEAST:
            found[types] = threshold_of([row for row, _ in held], np.stack([each for _, each in held]))
    return found


def figures_of(rows: Sequence[Row], found: Floats, threshold: float | Mapping[str, float]) -> Mapping[str, float | int]:
    """Return what a threshold decides on the rows of one set.

    Args:
        rows: The rows.
        found: Their probabilities, shape (rows, 11).
        threshold: One threshold, or one for each pair of types; pairs of other types have the median.

    Returns:
        `signed`: number of rows with a known sign that is stated; `found`: share of them decided right; `right`: share
        of their decisions that are right; `others`: number of rows in which nothing may be decided; `decided`: share of
        them that are decided.
    """
    limits = np.full(len(rows), threshold if isinstance(threshold, float) else np.median([*threshold.values()]))
    if not isinstance(threshold, float):
        limits = np.array([threshold.get("|".join(sorted(r.types)), limits[n]) for n, r in enumerate(rows)])
    clear, sign = clearness_of(found) >= limits, np.where(found[:, _UP] >= found[:, _DOWN], 1, -1)
    gold = [gold_of(row) for row in rows]
    signed = [(done, said == is_) for done, said, is_ in zip(clear, sign, gold, strict=True) if is_]
    others = [bool(done) for done, is_ in zip(clear, gold, strict=True) if is_ == 0]
    hits = [hit for done, hit in signed if done]
    return {
        "signed": len(signed),
        "found": _share(done and hit for done, hit in signed),
        "right": _share(hits),
        "others": len(others),
        "decided": _share(others),
    }


def _share(hits: Iterable[bool]) -> float:
    """Return the share of true values, rounded to three digits; 0 if there are none."""
    listed = [bool(each) for each in hits]
    return round(sum(listed) / len(listed), 3) if listed else 0.0


def read_table(data: Path, say: Callable[[str], None]) -> tuple[dict[str, list[Row]], HeldOut, list[str]]:
    """Read all labelled sets.

    Args:
        data: Folder with `labelled` (a folder for each set, and the PMIDs that are set aside or excluded), `biored`,
            `bc5cdr`, `pubmedqa` and `pubmed_xml`. `labelled/marks` (files of `truthhypo mark export`) is optional.
        say: Receives a line on the marks, if there are any.

    Returns:
        The rows of each set, the documents that must not be fitted on, and names of concepts.

    Raises:
        InputError: The folder lacks one of the sets, or a file of marks is damaged.
    """
    labelled = data / "labelled"
    missing = [name for name in ("labelled/chemprot", "labelled/ade", "biored", "bc5cdr") if not (data / name).is_dir()]
    if missing:
        raise InputError(
            f"{data} has no folder {missing[0]}",
            "the folder with the labelled sets: labelled/, biored/, bc5cdr/, pubmedqa/ and pubmed_xml/",
            "name that folder",
        )
    biored = read_documents([data / "biored" / "Train.PubTator"])
    known = {document.pmid for document in biored}
    files = [data / "bc5cdr" / "CDR_TrainingSet.PubTator.txt"]
    bc5cdr = [document for document in read_documents(files) if document.pmid not in known]
    chemprot = list(corpora.chemprot(labelled / "chemprot"))
    names = corpora.names_of([*biored, *bc5cdr], chemprot)
    rows: dict[str, list[Row]] = {
        "chemprot": chemprot,
        "chemprot_development": list(corpora.chemprot(labelled / "chemprot", "development")),
        "drugprot": list(corpora.drugprot(labelled / "drugprot")),
        **{f"bionlp_2013_{n}": list(corpora.bionlp(labelled / f"bionlp_2013_{n}")) for n in ("cg", "pc", "ge")},
        "ade": list(corpora.ade(labelled / "ade", names)),
        "ade_negatives": list(corpora.ade_negatives(labelled / "ade", names)),
        "crowdtruth": list(corpora.crowdtruth(labelled / "crowdtruth")),
        "semrep": list(corpora.semrep(labelled / "semrep_gold")),
        "semmed": list(corpora.semmed(labelled / "semmed_judged")),
        "cancermine": list(corpora.cancermine(labelled / "cancermine")),
        "civicmine": list(corpora.civicmine(labelled / "civicmine")),
        "comagc": list(corpora.comagc(labelled / "comagc")),
        "bel": list(corpora.bel(labelled / "bel_conib")),
        "evidence_inference": list(corpora.evidence_inference(labelled / "evidence_inference")),
        "biored": list(corpora.documents("biored", biored, complete=True)),
        "bc5cdr": list(corpora.documents("bc5cdr", bc5cdr, complete=False)),
        "sections": list(corpora.structured("sections", _sections(data), names)),
        "questions": list(corpora.structured("questions", _questions(data), names)),
    }
    marks = [mark for path in sorted((labelled / MARKS).glob("*.jsonl")) for mark in read_marks(path)]
    rows[MARKS], left = marked_rows(marks, names, shipped())
    if marks:
        say(f"{counted(len(marks), 'mark')}: {len(rows[MARKS]):,} taken as labels, {left:,} left out")
    stated = {row.text: row.pmid for each in rows.values() for row in each if row.manners != only("unstated")}
    rows["clauses"] = list(clauses("clauses", ((pmid, text) for text, pmid in stated.items()), names))
    held = HeldOut.read(labelled / name for name in ("ASIDE_PMIDS.txt", "EXCLUDE_PMIDS.txt"))
    short = sorted(name for name in names if len(name) < 25)
    return rows, held.with_sentences(chain.from_iterable(rows.values())), short


def train(
    data: Path, out: Path, *, base: str, epochs: int = EPOCHS, state: Path | None = None, say: Callable[[str], None]
) -> Mapping[str, Any]:
    """Fit the encoder and write it to a file, with its card.

    Args:
        data: Folder with the labelled sets (see `read_table`).
        out: The file to write.
        base: Folder or hub name of the BERT to start from, with six layers or so.
        epochs: Number of epochs before the last one.
        state: Folder for the state of the fit after each epoch, from which a killed fit goes on; None keeps none.
        say: Receives a line of progress now and then.

    Returns:
        The card.

    Raises:
        InputError: The folder lacks a set, or the extra `models` is not installed.
    """
    try:
        from truthhypo.bench.reader.fitting import RATE, Encoder, export, fit, predict, pretrained, vocabulary_of
    except ImportError as missing:
        raise InputError(
            f"fitting needs the package {missing.name}", "the extra `models`", "pip install 'truthhypo[models]'"
        ) from None
    rows, held, names = read_table(data, say)
    taught = {name: [row for row in listed if not held.holds(row)] for name, listed in rows.items()}
    excluded = HeldOut.read([data / "labelled" / "EXCLUDE_PMIDS.txt"]).pmids
    aside = {n: [row for row in listed if held.holds(row) and row.pmid not in excluded] for n, listed in rows.items()}
    texts = list(dict.fromkeys(row.text for listed in rows.values() for row in listed))
    bert, words = pretrained(base)
    vocabulary = vocabulary_of(words, texts)
    pieces = WordPieces(vocabulary)
    model = Encoder.of(bert, words, vocabulary)
    fit(model, pieces, Epochs(taught, names, _QUOTAS, _MADE), epochs=epochs, state=state, report=say)
    last = Epochs(taught, names, _LAST, _LAST_MADE)
    fit(model, pieces, last, epochs=1, rate=RATE / 2, report=say)
    found = {name: predict(model, pieces, listed) for name, listed in aside.items() if listed}
    thresholds = thresholds_of(pair for name in found for pair in zip(aside[name], found[name], strict=True))
    threshold = round(float(np.median(list(thresholds.values()))), 2)
    card: dict[str, Any] = {
        "made": f"{datetime.now(UTC):%Y-%m-%d}",
        "base": Path(base).name if Path(base).exists() else base,
        "epochs": epochs,
        "pieces": len(vocabulary),
        "threshold": threshold,
        "thresholds": thresholds,
        "threshold_any": threshold,
        "rows": dict(sorted(Counter(row.source for row in last(0)).items())),
        "data": _files(data),
        "set_aside": {name: figures_of(aside[name], found[name], thresholds) for name in found},
        "biored_dev": _document_f1(data, [row for row in rows["biored"] if held.holds(row)], model, pieces),
    }
    export(model, vocabulary, card, out)
    return card


def _document_f1(data: Path, own: Sequence[Row], model: "Encoder", pieces: WordPieces) -> Mapping[str, float]:
    """Return F1 of pairs and typed relations on BioRED Dev; `own` are rows of BioRED Train that were not fitted on."""
    from truthhypo.bench.reader.fitting import predict

    train, dev = (read_documents([data / "biored" / f"{part}.PubTator"]) for part in ("Train", "Dev"))
    taught = [document for document in train if document.pmid in {row.pmid for row in own}]

    def pairs(documents: Sequence[Document], rows: Sequence[Row]) -> ArticlePairs:
        found = predict(model, pieces, rows)[:, : len(SIGNS)].astype(float)
        return ArticlePairs.of(documents, [(row.pmid, row.pair) for row in rows], found)

    fitted = ArticleModel().fit(pairs(taught, own), taught)
    asked = pairs(dev, list(corpora.documents("biored_dev", dev, complete=True)))
    return asdict(relation_f1(dev, fitted.predict(asked)))


class Epochs:
    """Draws the rows of an epoch.

    Args:
        rows: The rows of each set that may be fitted on.
        names: Names of concepts, for third concepts in plain statements.
        quotas: Rows of each set, by kind (see `_QUOTAS`).
        made: Rows made by rule (see `_MADE`).
    """

    def __init__(
        self,
        rows: Mapping[str, Sequence[Row]],
        names: list[str],
        quotas: Mapping[str, tuple[int, int, int, int]],
        made: tuple[int, int, int, int],
    ) -> None:
        self._names, self._quotas, self._made = names, quotas, made
        self._kinds = {
            name: tuple([row for row in rows[name] if _kind(row) == kind] for kind in range(4)) for name in quotas
        }

    def __call__(self, epoch: int) -> list[Row]:
        """Return the rows of an epoch, in no particular order."""
        draw = Random(100 + epoch)  # noqa: S311 - not for secrets
        found: list[Row] = []
        for name, quotas in self._quotas.items():
            for held, most in zip(self._kinds[name], quotas, strict=True):
                found += sampled(held, most, draw)
        signed = [row for name in _CHANGEABLE for row in self._kinds[name][0]]
        plain, changed, asked, joined = self._made
        found += frames.statements(self._names, draw, plain)
        found += frames.counterfactuals(sampled(signed, changed, draw), draw)
        found += frames.announcements(sampled(signed, asked, draw), draw)
        found += frames.joined(sampled(signed, joined, draw), self._names, draw)
        return found


def _kind(row: Row) -> int:
    """Return 0 for a signed or denied row, 1 for a related one, 2 for an unrelated one and 3 for an open one."""
    if row.manners == only("denied") or row.signs in (only("up"), only("down")):
        return 0
    if "none" not in row.signs:
        return 1
    return 2 if row.signs in (only("none"), only("none", "related")) else 3


def _sections(data: Path) -> Iterator[tuple[int, str, str]]:
    """Yield PMID, label and text of each section of the structured abstracts at hand."""
    for pmid, each in json.loads((data / "pubmedqa" / "pqal_dev.json").read_text("utf-8")).items():
        yield from ((int(pmid), label, text) for label, text in zip(each["LABELS"], each["CONTEXTS"], strict=True))
        yield int(pmid), "CONCLUSION", each["LONG_ANSWER"]
    with gzip.open(data / "pubmed_xml" / "pubmedsample_2019.xml.gz") as file:
        for article in parse(file).getroot().iter("PubmedArticle"):  # noqa: S314 - files that a developer names
            for part in article.iter("AbstractText"):
                if label := part.get("Label"):
                    yield int(article.findtext(".//PMID") or 0), label.upper(), "".join(part.itertext())


def _questions(data: Path) -> Iterator[tuple[int, str, str]]:
    """Yield the titles of articles that are questions, as objectives."""
    for pmid, each in json.loads((data / "pubmedqa" / "pqal_dev.json").read_text("utf-8")).items():
        yield int(pmid), "OBJECTIVE", each["QUESTION"]


def _files(data: Path) -> dict[str, str]:
    """Return the SHA-256 of each folder of labelled data: of the names and contents of its files."""
    found = {}
    for folder in (*sorted((data / "labelled").iterdir()), data / "biored", data / "bc5cdr", data / "pubmedqa"):
        if folder.is_dir():
            whole = hashlib.sha256()
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    whole.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
            found[folder.name] = whole.hexdigest()
    return found
