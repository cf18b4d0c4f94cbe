"""Open a judge by name: `rules`, `nli:NAME_OR_PATH` or `minicheck:NAME_OR_PATH`."""

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
    """Return the judge of this name.

    Args:
        name: `rules`, or `nli:` or `minicheck:` followed by a model's folder or its name on the hub.
        graph: Store with the names of concepts.
        device: Device on which a model runs (see `Verifier`).
        batch: Number of pairs per batch of a model.
        reader: Reader of relations for `rules`; by default with the weights of this package.

    Raises:
        InputError: The name is unknown, the model has no clear labels, an extra is not installed, or the device does
            not exist.
        ModelUnreachable: The model is not on this machine and could not be downloaded.
    """
    kind, _, place = name.partition(":")
    if name == "rules":
        return RuleJudge(reader)
    if kind in KINDS and place.strip():
        return EntailmentJudge(Verifier(name, device, batch), graph)
    raise InputError(
        f"there is no judge {name!r}",
        "rules, nli:NAME_OR_PATH or minicheck:NAME_OR_PATH",
        "name one of these; for a language model, set model and leave judge empty",
    )
