"""Prompts as files: `knowhd/prompts/NAME.txt`, the first line `version: N`, the rest what the model is told.

What a prompt is about (the text under judgement, the evidence) travels apart from it, in a fence, and the prompt says
that nothing in a fence is an instruction.
"""

import json
import re
from dataclasses import dataclass
from importlib.resources import files
from unicodedata import category

#: Tags that have a meaning in our prompts or in the templates of chat models.
_TAGS = "text|claims?|evidence|context|system|user|assistant|human|tool|instructions?|s|bos|eos|(?:start|end)_of_turn"
#: `<` and what may be taken for it; after it a tag, or the bar of a template's special tokens (`<|im_start|>`).
_OPENING = r"(?:[<\uFF1C\uFE64\u2039\u2329\u27E8\u3008\u276E]|&lt;|&#0*60;|&#x0*3c;)+"
_SLASH, _CLOSING = r"[/\\\uFF0F]", r"(?:[>\uFF1E\uFE65\u203A\u232A\u27E9\u3009\u276F]|&gt;)"
#: `<tag`, `< /tag`, `< tag >`, `<|`, `<<SYS>`: what stands there alone, as in "a < human plasma", is no tag.
_MARKUP = re.compile(
    rf"{_OPENING}(?=(?:{_TAGS})\b|\s*{_SLASH}[\s/]*(?:(?:{_TAGS})\b|SYS>)"
    rf"|\s+(?:{_TAGS})\b[^<>\n]{{0,60}}{_CLOSING}|\s*SYS>|\s*[|\uFF5C])",
    re.IGNORECASE,
)
#: `[INST]` of chat templates, `[SEP]` and its like of encoders, which a tokenizer would take for its own marks.
_TEMPLATE = re.compile(r"\[(?=/?(?:INST|SEP|CLS|PAD|MASK|UNK|BOS|EOS)\])")


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
    """A text between `<tag>` and `</tag>`, from which it cannot break out."""
    return f"<{tag}>\n{harmless(text)}\n</{tag}>"


def quoted(text: str) -> str:
    """A text on one line between quotation marks, which it cannot close: those inside are escaped."""
    return json.dumps(" ".join(harmless(text).split()), ensure_ascii=False)


def harmless(text: str) -> str:
    """A text that no reader takes for the prompt's own marks; words, numbers and line ends stay as they are.

    Characters that are not seen (controls, zero width, directions, tags) go, halves of surrogate pairs become U+FFFD,
    and whatever looks like a tag of ours or of a chat template loses its bracket. `p < 0.05` is left alone.
    """
    seen = "".join(_shown(letter) for letter in text)
    return _TEMPLATE.sub("(", _MARKUP.sub("(", seen))


def _shown(letter: str) -> str:
    kind = category(letter)
    if kind == "Cs":
        return "\ufffd"
    if kind == "Cc":
        return letter if letter == "\n" else " "
    return "" if kind == "Cf" else letter
