"""Fit the encoder that reads sentences: a small BERT with marked ends, on the training table. Needs torch.

The encoder answers three questions about the two ends of a sentence: which sign their relation has, how it is said, and
which end acts. The loss of a row is the negative logarithm of the probability of the classes that its labels leave
open.
"""

import json
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from transformers import AutoTokenizer, BertModel

from groundwork.reading.encoder import ACTS, LEADS, MANNERS, SIGNS, TYPES, WordPieces, marked, markers, words
from truthhypo.bench.reader.table import Row

#: Words of the base vocabulary from whose vectors our own pieces start, by type.
_LIKE = {"Chemical": "drug", "Disease": "disease", "Gene": "gene", "Variant": "mutation", "Other": "it"}
#: Rows in a batch, and largest learning rate of the BERT. The layers on top learn five times as fast.
BATCH, RATE = 32, 1.2e-4
#: Share of the steps in which the learning rate rises. Then it falls along a cosine.
_RISING = 0.06
#: Probability that the types of both ends are hidden, or exchanged, in one epoch.
HIDDEN, EXCHANGED = 0.25, 0.1


class Encoder(nn.Module):  # type: ignore[misc, unused-ignore]
    """A BERT with a layer that reads the states of both ends and of the whole sentence, and three answers."""

    def __init__(self, bert: nn.Module, width: int) -> None:
        super().__init__()
        self.bert = bert
        self.joint = nn.Linear(4 * width, width)
        self.drop = nn.Dropout(0.1)
        self.heads = nn.Linear(width, len(SIGNS) + len(MANNERS) + len(ACTS))

    @classmethod
    def of(cls, bert: nn.Module, base: Sequence[str], vocabulary: Sequence[str]) -> "Encoder":
        """Return an encoder that starts from a BERT, with the vectors of the pieces in `vocabulary`.

        A piece of our own starts near a word with a similar meaning. `base` is the vocabulary of the BERT.
        """
        held = bert.get_input_embeddings().weight.data
        index = {piece: number for number, piece in enumerate(base)}
        chance = torch.Generator().manual_seed(0)
        like = {f"[{end}-{kind}]": word for end in "AB" for kind, word in _LIKE.items()}
        like |= {piece: name for name, piece in LEADS.items()}
        table = torch.stack([held[index[like.get(piece, piece)]] for piece in vocabulary])
        for number, piece in enumerate(vocabulary):
            if piece in like:
                table[number] += torch.randn(table.shape[1], generator=chance) * held.std() * 0.5
        bert.set_input_embeddings(nn.Embedding.from_pretrained(table, freeze=False, padding_idx=0))
        return cls(bert, table.shape[1])

    def forward(self, ids: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        """Return the logits of all classes, shape (rows, 11), from piece and end numbers, shape (rows, pieces)."""
        mask = (ids != 0).long()
        states = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
        pooled = [states[:, 0]]
        for end in (1, 2):
            chosen = (ends == end).unsqueeze(-1).to(states.dtype)
            pooled.append((states * chosen).sum(1) / chosen.sum(1).clamp(min=1.0))
        pooled.append(pooled[1] * pooled[2])
        hidden = torch.nn.functional.gelu(self.joint(torch.cat(pooled, dim=-1)))
        return self.heads(self.drop(hidden))


def pretrained(name: str) -> tuple[nn.Module, list[str]]:
    """Return a BERT and its vocabulary, from a folder or a hub.

    Its own dropout is off: a fit of a few epochs over rows with hidden types hardly overfits, and is a sixth faster.
    The plain attention is faster on processors than torch's fused one.
    """
    settings = {"attn_implementation": "eager", "attention_probs_dropout_prob": 0.0, "hidden_dropout_prob": 0.0}
    bert = BertModel.from_pretrained(name, add_pooling_layer=False, **settings)
    numbers = AutoTokenizer.from_pretrained(name).get_vocab()
    return bert, sorted(numbers, key=numbers.__getitem__)


def vocabulary_of(base: Sequence[str], texts: Sequence[str], least: int = 2) -> list[str]:
    """Return the pieces of a base vocabulary that texts use at least `least` times, single signs, and our markers."""
    pieces = WordPieces(base)
    seen: Counter[int] = Counter()
    for text in texts:
        for word in words(text):
            seen.update(pieces.of(word))
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *LEADS.values(), *markers()]
    kept = [
        piece
        for number, piece in enumerate(base)
        if seen[number] >= least or (len(piece.removeprefix("##")) == 1 and ord(piece[-1]) < 0x400)
    ]
    return special + [piece for piece in kept if piece not in special]


def answers(logits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the log-probabilities of signs, manners and acts."""
    return tuple(torch.log_softmax(part, -1) for part in logits.split([len(SIGNS), len(MANNERS), len(ACTS)], -1))


def loss_of(logits: torch.Tensor, labels: torch.Tensor, forbidden: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Return the weighted mean loss. `labels` holds 1 for each open class, `forbidden` indexes (sign, acts) or -1."""
    sign, manner, acts = answers(logits)
    total = logits.new_zeros(len(logits))
    at = 0
    for part in (sign, manner, acts):
        open_ = labels[:, at : at + part.shape[1]]
        total = total - torch.logsumexp(part.masked_fill(open_ == 0, -1e4), -1)
        at += part.shape[1]
    said = forbidden[:, 0] >= 0
    if said.any():
        which = forbidden.clamp(min=0)
        stated = torch.logsumexp(manner[:, :2], -1, keepdim=True)  # a result, or one that may hold
        joint = sign.gather(1, which[:, :1]) + stated + acts.gather(1, which[:, 1:])
        total = total + said * -torch.log1p(-joint.squeeze(1).exp().clamp(max=0.999))
    return (total * weights).sum() / weights.sum()


def encoded(pieces: WordPieces, row: Row, draw: Random | None = None) -> tuple[list[int], list[int]]:
    """Return the pieces of a row; with `draw`, its types may be hidden or exchanged."""
    types = row.types
    if draw is not None:
        chance = draw.random()
        types = (TYPES[-1],) * 2 if chance < HIDDEN else types[::-1] if chance < HIDDEN + EXCHANGED else types
    return marked(pieces, row.text, row.first, row.second, types, (LEADS[row.level],))


def padded(batch: Sequence[tuple[list[int], list[int]]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a batch as two tensors of equal shape, filled up with zeros."""
    size = max(len(ids) for ids, _ in batch)
    table = np.zeros((2, len(batch), size), dtype=np.int64)
    for number, (ids, ends) in enumerate(batch):
        table[0, number, : len(ids)], table[1, number, : len(ends)] = ids, ends
    return torch.from_numpy(table[0]), torch.from_numpy(table[1])


def labels_of(rows: Sequence[Row]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return open classes, forbidden pairs and weights of rows."""
    open_ = [
        [float(c in r.signs) for c in SIGNS]
        + [float(c in r.manners) for c in MANNERS]
        + [float(c in r.acts) for c in ACTS]
        for r in rows
    ]
    never = [(SIGNS.index(r.forbidden[0]), ACTS.index(r.forbidden[1])) if r.forbidden else (-1, -1) for r in rows]
    return torch.tensor(open_), torch.tensor(never), torch.tensor([r.weight for r in rows])


def batches(
    rows: Sequence[Row], pieces: WordPieces, size: int, draw: Random
) -> list[list[tuple[Row, tuple[list[int], list[int]]]]]:
    """Return the rows in batches of similar length, in drawn order."""
    made = [(row, encoded(pieces, row, draw)) for row in rows]
    draw.shuffle(made)
    found = []
    pool = size * 50
    for start in range(0, len(made), pool):
        part = sorted(made[start : start + pool], key=lambda each: len(each[1][0]))
        found += [part[n : n + size] for n in range(0, len(part), size)]
    draw.shuffle(found)
    return found


def predict(model: Encoder, pieces: WordPieces, rows: Sequence[Row], size: int = 64) -> NDArray[np.float32]:
    """Return the probabilities of all classes for rows, shape (rows, 11)."""
    model.eval()
    order = sorted(range(len(rows)), key=lambda n: len(rows[n].text))
    found = np.zeros((len(rows), len(SIGNS) + len(MANNERS) + len(ACTS)), dtype=np.float32)
    with torch.inference_mode():
        for start in range(0, len(order), size):
            part = order[start : start + size]
            ids, ends = padded([encoded(pieces, rows[n]) for n in part])
            found[part] = torch.cat([each.exp() for each in answers(model(ids, ends))], -1).numpy()
    return found


def fit(
    model: Encoder,
    pieces: WordPieces,
    rows_of: Callable[[int], Sequence[Row]],
    *,
    epochs: int,
    rate: float = RATE,
    state: Path | None = None,
    report: Callable[[str], None],
) -> None:
    """Fit the model.

    Args:
        model: The model to fit.
        pieces: The vocabulary.
        rows_of: Returns the rows of an epoch.
        epochs: Number of epochs.
        rate: Largest learning rate of the BERT.
        state: Folder for the state after each epoch, from which a killed fit goes on; None keeps none.
        report: Receives a line of progress now and then.
    """
    torch.manual_seed(0)
    slow = [p for n, p in model.named_parameters() if n.startswith("bert.")]
    quick = [p for n, p in model.named_parameters() if not n.startswith("bert.")]
    groups = [{"params": slow, "lr": rate}, {"params": quick, "lr": rate * 5}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=True)
    total = epochs * math.ceil(len(rows_of(0)) / BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step / total))
    kept = state / "state.pt" if state else None
    first = 0
    if kept and kept.exists():
        held = torch.load(kept, weights_only=True)
        model.load_state_dict(held["model"])
        optimizer.load_state_dict(held["optimizer"])
        schedule.load_state_dict(held["schedule"])
        first = held["epoch"] + 1
    for epoch in range(first, epochs):
        model.train()
        rows, begun, seen, lost = rows_of(epoch), time.time(), 0, 0.0
        draw = Random(epoch)  # noqa: S311 - not for secrets
        for number, part in enumerate(batches(rows, pieces, BATCH, draw), start=1):
            ids, ends = padded([each for _, each in part])
            loss = loss_of(model(ids, ends), *labels_of([row for row, _ in part]))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            seen, lost = seen + len(part), lost + loss.item() * len(part)
            if number % 50 == 0:
                speed = seen / (time.time() - begun)
                report(
                    f"epoch {epoch + 1}: {seen:,} of {len(rows):,} rows, {speed:.0f} a second, loss {lost / seen:.3f}"
                )
        if kept:
            parts = {"model": model, "optimizer": optimizer, "schedule": schedule}
            torch.save({name: part.state_dict() for name, part in parts.items()} | {"epoch": epoch}, kept)


def _rate(done: float) -> float:
    """Return the learning rate after a share of the steps, as a share of the largest."""
    return min(1.0, done / _RISING + 0.001) * max(0.02, 0.5 * (1 + math.cos(math.pi * min(1.0, done))))


def export(model: Encoder, vocabulary: Sequence[str], card: Mapping[str, Any], out: Path) -> None:
    """Write an encoder for `groundwork.reading.encoder.Encoder`.

    Matrices and embeddings are rounded to 7 bits, stored in 8, since processors without VNNI add products of 8 bits
    with saturation.

    Args:
        model: The fitted encoder.
        vocabulary: Its pieces, in the order of their numbers.
        card: The card of the fit; `threshold` and `threshold_any` are read by the program.
        out: The file to write.
    """
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    model.eval()
    ids = torch.tensor([[2, 4, 6, 20, 30, 7, 3]])
    ends = torch.tensor([[0, 0, 1, 0, 0, 2, 0]])
    length = torch.export.Dim("pieces", min=2, max=512)
    with TemporaryDirectory() as scratch:
        whole, plain, small = (Path(scratch) / name for name in ("whole.onnx", "plain.onnx", "small.onnx"))
        program = torch.onnx.export(
            model, (ids, ends), input_names=["ids", "ends"], output_names=["logits"],
            dynamic_shapes=({1: length}, {1: length}), dynamo=True, optimize=True,
        )  # fmt: skip
        program.save(str(whole))
        quant_pre_process(str(whole), str(plain), skip_symbolic_shape=True)
        quantize_dynamic(
            str(plain), str(small), weight_type=QuantType.QInt8, per_channel=True, reduce_range=True,
            op_types_to_quantize=["MatMul", "Gemm", "Gather"],
        )  # fmt: skip
        held = onnx.load(str(small))
    for key, value in (("vocabulary", "\n".join(vocabulary)), ("card", json.dumps(card, sort_keys=True))):
        held.metadata_props.add(key=key, value=value)
    held.doc_string = ""
    out.write_bytes(held.SerializeToString())
