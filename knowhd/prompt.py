"""Prompts as files, and texts and pieces of evidence written so that they cannot break or imitate a prompt.

A prompt is a file `knowhd/prompts/NAME.txt`. The first line is `version: N`, the rest is the system prompt.

The content of a prompt (the text to judge and the evidence) is sent separately, between tags. The prompt says that
nothing between the tags is an instruction.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from unicodedata import category

from groundwork.ports import GraphReader
from groundwork.records import Hop
from groundwork.records.base import counted
from knowhd.pieces import Edge, Passage, Piece, Trail, related

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


def tokens_of(text: str) -> int:
    """Return an estimate of a text's tokens: a third of its UTF-8 bytes, rounded up.

    The estimate is high on purpose. Common tokenizers need about one token for four bytes of English.
    """
    return -(-len(text.encode("utf-8", "replace")) // 3)


def shown(pieces: Iterable[Piece], graph: GraphReader) -> dict[str, str]:
    """Return one line for each piece, by its id, for a language model. Texts and names are put in quotation marks."""
    told = tuple(pieces)
    names = names_of(told, graph)
    return {piece.id: _line(piece, names) for piece in told}


def spoken(pieces: Iterable[Piece], graph: GraphReader) -> dict[str, str]:
    """Return each piece, by its id, as plain sentences, because entailment models are trained on sentences.

    Edges and chains are put into words, with the names of concepts in the graph.
    """
    told = tuple(pieces)
    names = names_of(told, graph)
    return {piece.id: harmless(_said(piece, names)) for piece in told}


def _said(piece: Piece, names: Mapping[str, str]) -> str:
    if isinstance(piece, Passage):
        return piece.sentence
    return " ".join(f"{related(each, names)}." for each in ((piece,) if isinstance(piece, Edge) else piece.hops))


def _line(piece: Piece, names: dict[str, str]) -> str:
    if isinstance(piece, Edge):
        return f"knowledge graph: {_named(piece.head, names)}{_step(piece, names)}"
    if isinstance(piece, Trail):
        steps = "".join(_step(hop, names) for hop in piece.hops)
        return f"knowledge graph, chain that no article need state: {_named(piece.head, names)}{steps}"
    what = "retracted article" if piece.retracted else "article"
    return f"{what}, PMID {piece.pmid}, titled {quoted(piece.title)}: {quoted(piece.sentence)}"


def _step(hop: Edge | Hop, names: dict[str, str]) -> str:
    return f" - {hop.relation} ({counted(hop.articles, 'article')}) - {_named(hop.tail, names)}"


def _named(key: str, names: dict[str, str]) -> str:
    return f"{quoted(names[key])} ({quoted(key)[1:-1]})" if key in names else quoted(key)


def keys_of(pieces: Iterable[Piece]) -> set[str]:
    """Return the keys of the concepts at both ends of all edges in pieces of evidence."""
    links = [piece for piece in pieces if not isinstance(piece, Passage)]
    return {key for link in links for hop in getattr(link, "hops", (link,)) for key in (hop.head, hop.tail)}


def names_of(pieces: Iterable[Piece], graph: GraphReader) -> dict[str, str]:
    """Return the names of the concepts that `keys_of` returns, by key, as far as the graph knows the concepts."""
    return {key: concept.name for key, concept in graph.concepts(keys_of(pieces)).items()}
