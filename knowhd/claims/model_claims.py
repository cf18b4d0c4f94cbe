"""Split a text into claims by a language model, and compare the claims with the text to flag what the model added."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, create_model
from pydantic.config import JsonDict

from groundwork.errors import ReplyError
from groundwork.language import Sentence
from groundwork.layout.parts import Part
from groundwork.linking import Linker, Mention
from groundwork.ports import LanguageModel
from knowhd.claims.claims import Claim, RuleClaims, lines, linked, short_forms
from knowhd.claims.phrases import conditions, turned
from knowhd.prompt import fenced, load

#: A part of a text, and the flags for its claims.
Line = tuple[Part, tuple[str, ...]]

#: Number of characters by which a claim may exceed the longest sentence of the text, because names replace pronouns.
_NAMES = 100
#: Words that join statements or the members of a list.
_JOINTS = re.compile(
    r"[,;]|\b(?:and|or|nor|but|plus|which|that|who|whose|because|since|so|while|whereas|although|when|if"
    r"|by|via|through|with|without|than|versus)\b",
    re.IGNORECASE,
)


class ModelClaims:
    """Splits texts into claims by a language model (prompts/claims.txt).

    Args:
        linker: Finds the concepts.
        model: The language model.
    """

    def __init__(self, linker: Linker, model: LanguageModel) -> None:
        self._linker = linker
        self._model = model

    def divided(self, text: str) -> tuple[tuple[Claim, ...], ReplyError | None]:
        """Return the claims of a text by the model, and an error if the model gave no usable reply.

        In that case each sentence becomes a claim with the flag `undivided`, so that nothing is lost.

        Raises:
            ModelUnreachable: The model cannot be reached.
        """
        parts = lines(text)
        linker = self._linker.within(text)
        mentions = linker.mentions(text)
        known = short_forms(mentions)
        numbered = "\n".join(f"{n}. {' '.join(line.said.split())}" for n, (line, _) in enumerate(parts, start=1))
        try:
            told = load("claims")
            shape = _shape([line.said for line, _ in parts])
            reply = self._model.ask(told.text, fenced("text", numbered), shape, version=f"claims {told.version}")
        except ReplyError as error:
            undivided = ((line, ("undivided", *flags)) for line, flags in parts)
            whole = (linked(line.said, line.sentence, flags, linker, known) for line, flags in undivided)
            return tuple(whole), error
        return _held(reply, text, parts, mentions, linker), None


def _held(
    reply: "_Reply", text: str, parts: Sequence[Line], mentions: tuple[Mention, ...], linker: Linker
) -> tuple[Claim, ...]:
    """Return the claims of a reply, with flags for each difference between a claim and the text."""
    known = short_forms(mentions)
    stated = RuleClaims(linker).extract(text)
    whole: Line = (Part(Sentence(text, 0, len(text)), text), ())
    found = []
    for given in dict.fromkeys(reply.claims):
        named = 1 <= given.sentence <= len(parts)
        line, flags = parts[given.sentence - 1] if named else whole
        traced = named and _bears(text, given.text)
        raised = flags if traced else ("untraced", *flags)
        said = given.text.removeprefix(f"{given.sentence}. ")  # the number comes from our prompt
        claim = linked(said, line.sentence, raised, linker, known)
        doubts = ["added"] if _adds(claim, text, mentions) else []
        if conditions(line.said) and "conditional" not in claim.flags:
            doubts.append("unconditional")
        if turned(said, [each.text for each in stated if each.span == claim.span] or [line.said]):
            doubts.append("turned")
        found.append(replace(claim, flags=(*claim.flags, *doubts)))
    return tuple(found)


_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class _Given(BaseModel):
    """A claim from the model. It is hashable, so that repeated claims are judged once."""

    model_config = ConfigDict(extra="forbid", title="Claim", frozen=True)

    text: _Text
    sentence: int


class _Reply(BaseModel):
    """The claims of a text, from the model."""

    model_config = ConfigDict(extra="forbid", title="Claims")

    claims: list[_Given]


def _shape(sentences: Sequence[str]) -> type[_Reply]:
    """Return the schema of the reply for these sentences. It limits the length and the number of claims.

    Only models whose output is constrained by the schema keep these limits. A longer reply is accepted.
    """
    most: JsonDict = {"maxItems": max(1, sum(map(_room, sentences)))}
    longest: JsonDict = {"maxLength": max(map(len, sentences), default=0) + _NAMES}
    places: JsonDict = {"minimum": 1, "maximum": max(1, len(sentences))}
    bounded: Any = {
        "text": (Annotated[_Text, Field(json_schema_extra=longest)], ...),
        "sentence": (Annotated[int, Field(json_schema_extra=places)], ...),
    }
    given: Any = create_model("Claim", __base__=_Given, **bounded)
    return create_model("Claims", __base__=_Reply, claims=(Annotated[list[given], Field(json_schema_extra=most)], ...))


def _room(sentence: str) -> int:
    """Return an upper limit for the number of claims in a sentence.

    At worst, the sentence consists of two lists of the same length, and every pair of their members is a claim. Two
    more claims are allowed for safety. The limit only stops a model that repeats itself without end.
    """
    members = len(_JOINTS.findall(sentence)) + 2
    return (members // 2) * (members - members // 2) + 2


def _adds(claim: Claim, text: str, mentions: Sequence[Mention]) -> bool:
    """Return whether a claim names a concept or a number that the text does not contain."""
    known, written = {key for mention in mentions for key in mention.candidates}, text.lower()
    named = {mention.key for mention in claim.mentions if mention.key and mention.text.lower() not in written}
    return bool(named - known) or bool(_numbers(claim.text) - _numbers(text))


def _bears(text: str, claim: str) -> bool:
    """Return whether a text contains at least half of a claim's words of four characters or more."""
    words = _words(claim)
    return len(words & _words(text)) * 2 >= len(words)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{4,}", text.lower()))


def _numbers(text: str) -> set[str]:
    return set(re.findall(r"\d+(?:[.,]\d+)*", text))
