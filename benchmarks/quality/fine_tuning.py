"""Train a small encoder to judge pairs (premise, hypothesis), and save it in the form that the program's verifier
reads.

`nli` learns entailment, neutral and contradiction from two segments. `minicheck` learns supported or not from one
segment, in which the end mark joins the two texts. Its labels are bare numbers, as in published models of that name.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Literal

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from knowhd.judge import Verdict
from truthhypo.bench.judge_calibration.confusion import LABELS

Form = Literal["nli", "minicheck"]

#: Names of the outputs of an `nli` model, in the order of LABELS.
_NAMES = ("entailment", "contradiction", "neutral")
#: Pairs per step, and tokens of a pair. 97 % of HealthVer's pairs are shorter. A longer pair loses its beginning.
ROWS, WINDOW = 16, 192
#: Share of the steps in which the rate rises from 0; it falls to 0 in the other steps.
_RISE = 0.1
#: Number of batches that are sorted by length together, so that little is padded.
_POOL = 16


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
    for rows in order:
        read = _encoded(tokenizer, [examples[row] for row in rows], form)
        losses = torch.nn.functional.cross_entropy(model(**read).logits, truth[rows], reduction="none")
        (losses * weights[rows]).mean().backward()
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
