"""Open a judge by name: `rules`, `nli:NAME_OR_PATH`, `minicheck:NAME_OR_PATH` or `medv1:NAME`."""

from groundwork import llm
from groundwork.errors import InputError
from groundwork.ports import GraphReader
from groundwork.reading.encoder import Encoder
from groundwork.settings import Settings
from knowhd import model_judges
from knowhd.entailment import KINDS, EntailmentJudge, Verifier
from knowhd.judge import Judge
from knowhd.rules_judge import RuleJudge


def connect(name: str, graph: GraphReader, settings: Settings | None = None, reader: Encoder | None = None) -> Judge:
    """Return the judge of this name.

    Args:
        name: `rules`, `nli:` or `minicheck:` followed by a model's folder or its name on the hub, or `medv1:` followed
            by the name under which a server of the OpenAI protocol has the model.
        graph: Store with the names of concepts.
        settings: Device and batch of a local model; address, limits and prompt of a served one. None for the defaults.
        reader: Encoder that reads sentences for `rules`; by default with the weights of this package.

    Raises:
        InputError: The name is unknown, the model has no clear labels, an extra is not installed, the device does not
            exist, or the prompt cannot be read.
        ModelUnreachable: The model is not on this machine and could not be downloaded.
    """
    check_name(name)
    held = settings or Settings()
    kind, _, place = name.partition(":")
    if name == "rules":
        return RuleJudge(reader)
    if kind == model_judges.KIND:
        return model_judges.MedV1Judge(llm.connect(f"openai:{place}", held), graph, held.medv1_prompt)
    return EntailmentJudge(Verifier(name, held.judge_device, held.judge_batch), graph)


def is_named(name: str) -> bool:
    """Return whether a name has the form of a judge's name. Other names may be those of language models."""
    kind, _, place = name.partition(":")
    return name == "rules" or (kind in {*KINDS, model_judges.KIND} and bool(place.strip()))


def check_name(name: str) -> None:
    """Check that a name has the form of a judge's name.

    Raises:
        InputError: The name has another form.
    """
    if not is_named(name):
        raise InputError(
            f"there is no judge {name!r}",
            "rules, nli:NAME_OR_PATH, minicheck:NAME_OR_PATH or medv1:NAME",
            "name one of these; for a language model, set model and leave judge empty",
        )
