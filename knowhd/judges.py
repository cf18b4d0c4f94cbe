"""Judges by name: `rules`, `nli:NAME_OR_PATH`, `minicheck:NAME_OR_PATH`. A language model judges as a `ModelJudge`."""

from groundwork.errors import InputError
from groundwork.ports import GraphReader
from groundwork.reading.reader import Reader
from knowhd.entailment.judge import EntailmentJudge
from knowhd.entailment.verifier import KINDS, Verifier
from knowhd.judge import Judge
from knowhd.rules.judge import RuleJudge


def connect(
    name: str, graph: GraphReader, device: str = "auto", batch: int = 16, reader: Reader | None = None
) -> Judge:
    """The judge of that name.

    Args:
        name: `rules`, or `nli:` or `minicheck:` with a model's folder or its name on the hub.
        graph: Gives the names of concepts.
        device: Where a model runs (see `Verifier`).
        batch: Pairs that a model reads at once.
        reader: Reads relations for `rules`; by default with the weights that come with the program.

    Raises:
        InputError: An unknown name, a model without clear labels, an extra that is not installed, or no such device.
        ModelUnreachable: No such model here, and none could be fetched.
    """
    kind, _, place = name.partition(":")
    if name == "rules":
        return RuleJudge(reader)
    if kind in KINDS and place.strip():
        return EntailmentJudge(Verifier(name, device, batch), graph)
    raise InputError(
        f"no judge is named {name!r}",
        "rules, nli:NAME_OR_PATH or minicheck:NAME_OR_PATH",
        "a language model is given by --model and judges if no judge is named",
    )
