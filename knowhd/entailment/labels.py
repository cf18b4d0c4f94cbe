"""What the labels of a trained model mean, read from its own configuration and never guessed from their order."""

from collections.abc import Mapping

from groundwork.errors import InputError
from knowhd.judge import Stance

#: Labels of published models, lower case, with `-` and blanks as `_`; None: the model says neither.
MEANINGS: Mapping[str, Stance | None] = {
    "entailment": "supports",
    "entails": "supports",
    "entailed": "supports",
    "support": "supports",
    "supports": "supports",
    "supported": "supports",
    "contradiction": "contradicts",
    "contradicts": "contradicts",
    "contradict": "contradicts",
    "refute": "contradicts",
    "refutes": "contradicts",
    "refuted": "contradicts",
    "neutral": None,
    "nei": None,
    "not_enough_info": None,
    "not_enough_information": None,
    "not_entailment": None,
    "not_supported": None,
    "unsupported": None,
}

#: MiniCheck's classifiers are published with bare numbers as labels; their authors' code takes 1 for supported.
MINICHECK: Mapping[int, Stance | None] = {0: None, 1: "supports"}


def stances_of(id2label: Mapping[int, str], model: str, *, minicheck: bool = False) -> dict[int, Stance | None]:
    """Which stance each output of a model stands for.

    Args:
        id2label: The configuration's labels by output.
        model: Its name, for the error.
        minicheck: Two outputs with bare numbers for labels (`LABEL_0`, `0`) are read as MiniCheck's.

    Raises:
        InputError: A label is not known, two mean the same stance, or none means support.
    """
    bare = all(label.upper().removeprefix("LABEL_") == str(number) for number, label in id2label.items())
    if minicheck and bare and set(id2label) == set(MINICHECK):
        return dict(MINICHECK)
    words = {number: label.strip().lower().replace("-", "_").replace(" ", "_") for number, label in id2label.items()}
    found = {number: MEANINGS.get(word) for number, word in words.items()}
    told = [stance for stance in found.values() if stance]
    if set(words.values()) <= set(MEANINGS) and "supports" in told and len(told) == len(set(told)):
        return found
    raise InputError(
        f"the labels of {model} are {', '.join(map(repr, id2label.values()))}",
        "one that means entailment (or supports), at most one contradiction (or refutes), the others neutral",
        "correct id2label in the model's config.json, by what its authors say of its outputs",
    )
