"""Prompts as files: `knowhd/prompts/NAME.txt`. The first line is `version: N`, the rest is the system prompt.

The content of a prompt (the text to judge and the evidence) is sent separately, between tags. The prompt says that
nothing between the tags is an instruction.
"""

import json
import re
from dataclasses import dataclass
from importlib.resources import files
from unicodedata import category

#: Tags with a meaning in our prompts or in the templates of chat models.
_TAGS = "text|claims?|evidence|context|system|user|assistant|human|tool|instructions?|s|bos|eos|(?:start|end)_of_turn"
#: `<` and characters that look like it; then a tag, or the bar of a template's special tokens (`<|im_start|>`).
_OPENING = r"(?:[<\uFF1C\uFE64\u2039\u2329\u27E8\u3008\u276E]|&lt;|&#0*60;|&#x0*3c;)+"
_SLASH, _CLOSING = r"[/\\\uFF0F]", r"(?:[>\uFF1E\uFE65\u203A\u232A\u27E9\u3009\u276F]|&gt;)"
#: Matches `<tag`, `< /tag`, `< tag >`, `<|`, `<<SYS>`. A lone `<` before a word, as in "a < human plasma", is no tag.
_MARKUP = re.compile(
    rf"{_OPENING}(?=(?:{_TAGS})\b|\s*{_SLASH}[\s/]*(?:(?:{_TAGS})\b|SYS>)"
    rf"|\s+(?:{_TAGS})\b[^<>\n]{{0,60}}{_CLOSING}|\s*SYS>|\s*[|\uFF5C])",
    re.IGNORECASE,
)
#: `[INST]` of chat templates and `[SEP]` and the like of encoders, which a tokenizer would read as special tokens.
_TEMPLATE = re.compile(r"\[(?=/?(?:INST|SEP|CLS|PAD|MASK|UNK|BOS|EOS)\])")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A system prompt and the version of its file."""

    version: str
    text: str


def load(name: str) -> Prompt:
    """Return the prompt in `prompts/NAME.txt`."""
    header, _, text = files("knowhd").joinpath(f"prompts/{name}.txt").read_text("utf-8").partition("\n")
    return Prompt(header.removeprefix("version:").strip(), text.strip())


def fenced(tag: str, text: str) -> str:
    """Return a text between `<tag>` and `</tag>`. The text cannot contain a closing tag."""
    return f"<{tag}>\n{harmless(text)}\n</{tag}>"


def quoted(text: str) -> str:
    """Return a text on one line in quotation marks. Quotation marks inside it are escaped."""
    return json.dumps(" ".join(harmless(text).split()), ensure_ascii=False)


def harmless(text: str) -> str:
    """Return a text without anything that a model could read as markup of the prompt.

    Words, numbers and line ends stay. Other control characters become spaces, invisible characters (zero width,
    directions, tags) are removed, and unpaired surrogates become U+FFFD. The opening bracket of our tags and of chat
    templates' tags becomes "(". `p < 0.05` is unchanged.
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
