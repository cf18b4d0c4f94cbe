"""Compare the reader with a small transformer on the same sentences, pairs and labels.

`python -m tests.quality.transformer [--epochs 3] [--documents N] [--held N]` fine-tunes MiniLM on BioRED Train, with the
two mentions marked in each sentence. Then it measures MiniLM on Dev beside the reader, which is fitted on the same
documents. Temperature and threshold of both come from every fifth document of Train, on which neither was fitted.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

import numpy as np
from rich.console import Console

from groundwork.linking import Mention
from groundwork.reading.weights import CLASSES
from groundwork.records import split_key
from groundwork.statistics.classification import cohen_kappa
from ingest.documents.document import Document
from tests.conftest import DATA
from tests.quality.fine_tuning import ROWS, steps
from tests.quality.siblings import minilm
from truthhypo.bench.reader.article_pairs import ArticleModel, ArticlePairs
from truthhypo.bench.reader.examples import Example, Pair, examples, labels, read_documents, telling_sentences
from truthhypo.bench.reader.fitting import (
    FOLDS,
    Decision,
    Evaluation,
    Matrix,
    decisions,
    fit,
    probabilities,
    scores,
    signs,
    temperature_of,
    threshold_of,
)
from truthhypo.bench.reader.relation_f1 import relation_f1

WINDOW, RATE, RISE = 128, 5e-5, 0.1
#: Thresholds for `kappa_at_best`.
CUTS = np.round(np.arange(0.05, 0.96, 0.01), 2).tolist()


def marked(documents: Sequence[Document]) -> Iterator[str]:
    """Yield a sentence for each example of the documents, in their order, with both mentions marked by type."""
    for _, text, mentions in telling_sentences(documents):
        for first, second in combinations(mentions, 2):
            if first.key != second.key:
                yield _marked(text, first, second)


def _marked(text: str, *ends: Mention) -> str:
    for end in reversed(ends):
        kind = split_key(str(end.key))[0].lower()
        text = f"{text[: end.start]}[ {kind} {end.text} ]{text[end.end :]}"
    return text


class Transformer:
    """MiniLM with a layer for the four classes; tuned by `fit`."""

    def __init__(self, epochs: int) -> None:
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        self._epochs = epochs
        self._tokenizer = AutoTokenizer.from_pretrained(minilm())
        self._model = AutoModelForSequenceClassification.from_pretrained(minilm(), num_labels=len(CLASSES))

    def fit(self, texts: Sequence[str], labels: Sequence[str]) -> None:
        """Tune all layers with AdamW; the rate rises over a tenth of the steps and falls to 0."""
        import torch

        torch.manual_seed(0)
        truth = torch.tensor([CLASSES.index(label) for label in labels])
        order = list(steps([len(text) for text in texts], self._epochs, seed=0))
        optimizer = torch.optim.AdamW(self._model.parameters(), lr=RATE, weight_decay=0.01)
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: min((step + 1) / (RISE * len(order) + 1), 1 - step / len(order))
        )
        self._model.train()
        for rows in order:
            logits = self._model(**self._read([texts[row] for row in rows])).logits
            torch.nn.functional.cross_entropy(logits, truth[rows]).backward()
            torch.nn.utils.clip_grad_norm_(self._model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()

    def scores(self, texts: Sequence[str]) -> Matrix:
        """Return the logits of sentences, shape (sentences, classes)."""
        import torch

        self._model.eval()
        with torch.inference_mode():
            ranked = sorted(range(len(texts)), key=lambda row: len(texts[row]))
            found: Matrix = np.zeros((len(texts), len(CLASSES)))
            for rows in (ranked[at : at + ROWS] for at in range(0, len(ranked), ROWS)):
                found[rows] = self._model(**self._read([texts[row] for row in rows])).logits.double().numpy()
        return found

    def _read(self, texts: Sequence[str]) -> Any:
        return self._tokenizer(list(texts), padding=True, truncation=True, max_length=WINDOW, return_tensors="pt")


Scores = Callable[[Sequence[Document], Sequence[Example]], Matrix]


def measured(scored: Scores, tuning: Sequence[Document], documents: Sequence[Document]) -> dict[str, Any]:
    """Return what `bench train-reader` reports of a reader, with the temperature and threshold of the tuning documents.

    `kappa` is that of verdicts on the claims that `judge_calibration.labelled` makes of the documents. `kappa_at_best`
    is the largest kappa over all thresholds, chosen on the measured documents.
    """
    asked = list(examples(tuning))
    raw = scored(tuning, asked)
    temperature = temperature_of(asked, raw)
    tuned = probabilities(raw, temperature)
    threshold = threshold_of(decisions(tuning, asked, tuned)).threshold
    pooling = ArticleModel().fit(ArticlePairs.of(tuning, asked, tuned), tuning)
    held = list(examples(documents))
    found = probabilities(scored(documents, held), temperature)
    at: Decision = min(decisions(documents, held, found), key=lambda each: abs(each.threshold - threshold))
    f1 = relation_f1(documents, pooling.predict(ArticlePairs.of(documents, held, found)))
    told = signs(held, found)
    kappas = {t: _kappa(documents, {k: sign for k, (clear, sign) in told.items() if clear >= t}) for t in CUTS}
    own = kappas[min(CUTS, key=lambda each: abs(each - threshold))]
    best = {"signed": asdict(at), "kappa": own, "kappa_at_best": max(kappas.values())}
    return {**best, "f1": asdict(f1), "temperature": temperature}


def _kappa(documents: Sequence[Document], told: Mapping[tuple[int, Pair], str]) -> float:
    """Return kappa over claims: two of each signed pair, one true and one false, and as many of unrelated pairs."""
    table = np.zeros((3, 3))  # rows: supported, contradicted, not enough; columns: the verdicts
    for document in documents:
        known, asked = labels(document), Evaluation.of(document)
        own = {pair: sign for (pmid, pair), sign in told.items() if pmid == document.pmid}
        for pair in (pair for pair, label in known.items() if label != "related"):
            verdict = 2 if pair not in own else int(own[pair] != known[pair])
            table[0, verdict] += 1
            table[1, verdict if verdict == 2 else 1 - verdict] += 1
        false = asked.share * sum(pair not in known for pair in own)  # decided, half of them each way
        table[2] += false / 2, false / 2, asked.signed - false
    return float(cohen_kappa(table))


def main() -> None:
    """Tune, measure, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--documents", type=int, help="of Train, the first so many")
    parser.add_argument("--held", type=int, help="of Dev, the first so many")
    options = parser.parse_args()
    train = read_documents([DATA / "biored" / "Train.PubTator"])[: options.documents]
    dev = read_documents([DATA / "biored" / "Dev.PubTator"])[: options.held]
    taught = [document for document in train if document.pmid % FOLDS]
    tuning = [document for document in train if not document.pmid % FOLDS]
    fitted = fit(list(examples(taught)))
    console = Console(width=120)
    console.print({"reader": measured(lambda _, asked: scores(fitted, asked), tuning, dev)})
    model = Transformer(options.epochs)
    pairs = [each for each in zip(marked(taught), examples(taught), strict=True) if not each[1].negated]
    model.fit([text for text, _ in pairs], [example.label for _, example in pairs])
    told = measured(lambda documents, _: model.scores(list(marked(documents))), tuning, dev)
    console.print({"examples": len(pairs), "epochs": options.epochs, "transformer": told})


if __name__ == "__main__":
    main()
