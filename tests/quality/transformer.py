"""A small transformer in the place of the reader's features: the same sentences, pairs, labels and figures.

`python -m tests.quality.transformer [--epochs 3] [--documents N]` fine-tunes MiniLM on BioRED Train, with the two
mentions marked in each sentence, and measures it on Dev as `truthhypo bench train-reader --held-out` measures the
shipped reader. Temperature and threshold come from every fifth document of Train, which it was not tuned on.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

import numpy as np
from rich.console import Console

from groundwork.linking import Mention
from groundwork.reading.weights import CLASSES
from groundwork.records import split_key
from ingest.documents.document import Document
from tests.conftest import DATA
from tests.quality.fine_tuning import ROWS, steps
from tests.quality.siblings import minilm
from truthhypo.bench.reader.article_pairs import ArticleModel, ArticlePairs
from truthhypo.bench.reader.examples import Example, examples, read_documents, telling_sentences
from truthhypo.bench.reader.fitting import (
    FOLDS,
    Decision,
    Matrix,
    decisions,
    probabilities,
    temperature_of,
    threshold_of,
)
from truthhypo.bench.reader.relation_f1 import relation_f1

WINDOW, RATE, RISE = 128, 5e-5, 0.1


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


def measured(model: Transformer, tuning: Sequence[Document], documents: Sequence[Document]) -> dict[str, Any]:
    """Return what `bench train-reader` tells of a reader, with the temperature and threshold of the tuning documents."""
    asked, scored = list(examples(tuning)), model.scores(list(marked(tuning)))
    temperature = temperature_of(asked, scored)
    tuned = probabilities(scored, temperature)
    threshold = threshold_of(decisions(tuning, asked, tuned)).threshold
    pooling = ArticleModel().fit(ArticlePairs.of(tuning, asked, tuned), tuning)
    held: list[Example] = list(examples(documents))
    found = probabilities(model.scores(list(marked(documents))), temperature)
    at: Decision = min(decisions(documents, held, found), key=lambda each: abs(each.threshold - threshold))
    f1 = relation_f1(documents, pooling.predict(ArticlePairs.of(documents, held, found)))
    return {"signed": asdict(at), "f1": asdict(f1), "temperature": temperature}


def main() -> None:
    """Tune, measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--documents", type=int, help="of Train, the first so many")
    options = parser.parse_args()
    train = read_documents([DATA / "biored" / "Train.PubTator"])[: options.documents]
    taught = [document for document in train if document.pmid % FOLDS]
    tuning = [document for document in train if not document.pmid % FOLDS]
    model = Transformer(options.epochs)
    pairs = [each for each in zip(marked(taught), examples(taught), strict=True) if not each[1].negated]
    model.fit([text for text, _ in pairs], [example.label for _, example in pairs])
    dev = read_documents([DATA / "biored" / "Dev.PubTator"])
    Console(width=120).print({"examples": len(pairs), "epochs": options.epochs, "Dev": measured(model, tuning, dev)})


if __name__ == "__main__":
    main()
