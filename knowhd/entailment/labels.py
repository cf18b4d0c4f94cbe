"""Read the meaning of a model's labels from its configuration. The order of the labels is not used to guess."""

from collections.abc import Mapping

from groundwork.errors import InputError
from knowhd.judge import Stance

#: Labels of published models in lower case, with `-` and blanks as `_`. None: the label means neither stance.
MEANINGS: Mapping[str, Stance | None] = {
    **dict.fromkeys(("entailment", "entails", "entailed", "support", "supports", "supported"), "supports"),
    **dict.fromkeys(("contradiction", "contradicts", "contradict", "refute", "refutes", "refuted"), "contradicts"),
    **dict.fromkeys(("neutral", "nei", "not_enough_info", "not_enough_information", "not_entailment"), None),
    **dict.fromkeys(("not_supported", "unsupported"), None),
}


def stances_of(id2label: Mapping[int, str], model: str, *, minicheck: bool = False) -> dict[int, Stance | None]:
    """Return the stance for each output of a model; None for an output that means neither stance.

    Args:
        id2label: Labels by the number of the output, from the configuration.
        model: Name of the model, for the error message.
        minicheck: If the model has two outputs whose labels are only numbers (`LABEL_0` or `0`), read them as
            MiniCheck's outputs.

    Raises:
        InputError: A label is unknown, two labels mean the same stance, or no label means support.
    """
    bare = all(label.upper().removeprefix("LABEL_") == str(number) for number, label in id2label.items())
    if minicheck and bare and set(id2label) == {0, 1}:
        return {0: None, 1: "supports"}  # in the code of MiniCheck's authors 1 means supported
    words = {number: label.strip().lower().replace("-", "_").replace(" ", "_") for number, label in id2label.items()}
    found = {number: MEANINGS.get(word) for number, word in words.items()}
    told = [stance for stance in found.values() if stance]
    if set(words.values()) <= set(MEANINGS) and "supports" in told and len(told) == len(set(told)):
        return found
    raise InputError(
        f"the labels of {model} are {', '.join(map(repr, id2label.values()))}",
        "one label for entailment (or supports), at most one for contradiction (or refutes), the others neutral",
        "correct id2label in the model's config.json according to its authors",
    )
