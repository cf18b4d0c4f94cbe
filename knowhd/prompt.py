"""Prompts as files: `knowhd/prompts/NAME.txt`, the first line `version: N`, the rest what the model is told.

What a prompt is about (the text under judgement, the evidence) travels apart from it, in a fence, and the prompt says
that nothing in a fence is an instruction.
"""

import re
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is told before the question, and the version of the file it stands in."""

    version: str
    text: str


def load(name: str) -> Prompt:
    """The prompt in `prompts/NAME.txt`."""
    header, _, text = files("knowhd").joinpath(f"prompts/{name}.txt").read_text("utf-8").partition("\n")
    return Prompt(header.removeprefix("version:").strip(), text.strip())


def fenced(tag: str, text: str) -> str:
    """A text between `<tag>` and `</tag>`, from which it cannot break out: look-alikes inside lose their bracket."""
    inside = re.sub(rf"<(?=\s*/?\s*{tag})", "(", text, flags=re.IGNORECASE)
    return f"<{tag}>\n{inside}\n</{tag}>"
