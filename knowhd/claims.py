"""Split a text into atomic claims, each with its sentence and the concepts it names (paper A, section 3).

Rules on a parse split a text, or a language model does. The claims of a model are compared with the text, to flag what
the model added.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, create_model
from pydantic.config import JsonDict

from groundwork.errors import ReplyError
from groundwork.language import Sentence, cut
from groundwork.linking import Linker, Mention
from groundwork.ports import LanguageModel, Progress, Silent, watched
from groundwork.reading.layout import Part, parts, relates
from groundwork.reading.tree import Tree, mended, parse_all, reparsed
from groundwork.records import Record
from groundwork.surroundings import Places
from knowhd.phrases import conditions, listed, turned, unframed
from knowhd.prompt import fenced, load
from knowhd.splitting import Context, split, stated, unresolved

#: The end of a sentence: a Western or East Asian full stop or exclamation mark, with any closing quotes and brackets
#: after it. And the minimum number of letters of a sentence.
_ENDED, _LEAST = re.compile(r"[.!\u3002\uff01][\s\"'\u2019\u201d\u00bb)\]]*$"), 8
_LETTERS = re.compile(r"[^\W\d_]{2}")
#: The place between two sentences on one line: "A lowers B; C raises D".
_PARTS = re.compile(r"(?<=\w)[;:]\s+(?!(?:[^()\[\]]|[(\[][^()\[\]]*[)\]])*[)\]])")
#: A label that only announces a part of a text: "Conclusion:", "Background and objectives:".
_LABEL = re.compile(
    r"^(?:[A-Z]\w+ )?(?:answer|background|claim|conclusion|discussion|explanation|finding|hypothesis|interpretation|"
    r"justification|mechanism|objective|prediction|premise|rationale|reasoning|result|significance|statement|summary)s?"
    r"(?: and \w+)?(?: \d{1,2})?\s*:\s*|^(?-i:[A-Z][A-Z /&]{2,40}):\s+",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Claim(Record):
    """One claim of a text.

    Attributes:
        text: The claim, understandable on its own.
        sentence: The sentence that makes the claim, or the whole text if a language model named no sentence.
        span: Position of that sentence in the text: offset of its first character and offset after its last.
        concepts: Keys of the concepts in the claim, in order, each once.
        flags: `pronoun_unresolved` (the claim refers to something that it does not name), `ambiguous` (a name may mean
            another concept), `cut` (the claim comes from a part of a very long sentence), `conditional` (the claim
            holds under a condition that it states). For claims of a language model also: `untraced` (the model named no
            sentence of the text, or fewer than half of the claim's longer words are in the text), `added` (the claim
            has a concept or number that the text does not contain), `unconditional` (the sentence has a condition and
            the claim has none), `turned` (the claim denies what its sentence states, or states what its
            sentence denies), `undivided` (the model failed to split the text).
        mentions: Places where the claim names the concepts.
    """

    text: str
    sentence: str
    span: tuple[int, int]
    concepts: tuple[str, ...]
    flags: tuple[str, ...] = ()
    mentions: tuple[Mention, ...] = field(default=(), metadata={"private": True})


def meanings(mention: Mention) -> frozenset[str]:
    """Return the keys of the concepts for which the name of a mention may stand in an article.

    One symbol names the corresponding genes of several organisms, and a claim rarely says which organism it means.
    Therefore all genes with the name count. For other names, only the concept to which the mention was linked counts.
    """
    genes = {match.key for match in mention.alternatives if match.type == "Gene"}
    own = {mention.key} if mention.key else set()
    return frozenset(genes if own <= genes else own)


class RuleClaims:
    """Splits texts into claims by rules on a parse of each sentence. The rules are deterministic and need no model.

    Args:
        linker: Finds the concepts.
        progress: Receives a report after each sentence.
    """

    def __init__(self, linker: Linker, progress: Progress | None = None) -> None:
        self._linker = linker
        self._progress = progress or Silent()

    def extract(self, text: str) -> tuple[Claim, ...]:
        """Return the claims of a text, in order. Headings, questions and thanks make no claim."""
        linker = self._linker.within(text)
        known = short_forms(linker.mentions(text))
        told = [line for line in lines(text, questions=False) if _LETTERS.search(line[0].said)]
        trees = _trees([_LABEL.sub("", " ".join(line.said.split())) for line, _ in told], linker, known)
        found: list[Claim] = []
        context = Context()
        parsed = list(zip(told, trees, strict=True))
        for (line, flags), apart in watched(parsed, self._progress, "reading", "sentences"):
            for tree in filter(_claims, apart):
                texts, context = split(tree, context)
                found += [linked(each, line.sentence, flags, linker, known) for each in texts]
        return tuple(found)


def lines(text: str, *, questions: bool = True) -> list[tuple[Part, tuple[str, ...]]]:
    """Return the parts of a text (`groundwork.reading.layout`) in order, with flags for their claims.

    The flag `cut` marks the parts of a long sentence. Questions are left out if `questions` is False.
    """
    found: list[tuple[Part, tuple[str, ...]]] = []
    for part in parts(text):
        if questions or not part.said.endswith("?"):
            pieces = cut(part.sentence) if part.said == part.sentence.text else ()
            apart = [Part(piece, piece.text) for piece in pieces] if len(pieces) > 1 else [part]
            found += [(each, ("cut",) if len(pieces) > 1 else ()) for each in apart]
    return found


def _trees(texts: Sequence[str], linker: Linker, known: tuple[Mention, ...]) -> list[list[Tree]]:
    """Return for each text the parses of its parts, or one parse of the whole text if a part is no sentence."""
    names = ({mention.text for mention in _mentions_of(text, linker, known)} for text in texts)
    said = list(map(unframed, texts, names))
    parted = [_PARTS.split(text) for text in said]
    trees = _parse((part for parts in parted for part in parts), linker, known)
    found = [[next(trees) for _ in parts] for parts in parted]
    broken = [n for n, parts in enumerate(found) if len(parts) > 1 and not all(map(stated, parts))]
    for n, tree in zip(broken, _parse((said[n] for n in broken), linker, known), strict=True):
        found[n] = [tree]
    return found


def _parse(texts: Iterable[str], linker: Linker, known: tuple[Mention, ...]) -> Iterator[Tree]:
    """Yield the parse of each text. If a clause lacks a subject or a verb, the text is parsed a second time."""
    shown = ((text, _mentions_of(text, linker, known)) for text in texts)
    for tree in map(mended, parse_all(shown)):
        other = tree if stated(tree) else mended(reparsed(tree))
        yield other if stated(other) else tree


def _claims(tree: Tree) -> bool:
    """Return whether a parsed sentence makes a claim.

    Either each of its clauses has a subject and a finite verb, or the sentence ends with "." or "!" and has a word that
    may be a verb. Sentences that thank somebody make no claim.
    """
    said = sum(any(map(str.isalpha, word.text)) for word in tree.words)
    if tree.root is None or said < 2 or tree.root.lemma in listed("thanks"):
        return False
    closed = tree.text.endswith((".", "!")) and said > 2
    return stated(tree) or (closed and any(relates(word.text) for word in tree.words))


def linked(
    text: str, sentence: Sentence, flags: tuple[str, ...], linker: Linker, known: tuple[Mention, ...] = ()
) -> Claim:
    """Return the claim that a sentence makes, with the concepts it names. Flags that apply are added to `flags`.

    `known` are the abbreviations that the text defines (`short_forms`). They are also recognised in the claim.
    """
    mentions = _mentions_of(text, linker, known)
    keys = dict.fromkeys(mention.key for mention in mentions if mention.key)
    flags = (*flags, "conditional") if conditions(text) else flags
    doubt = ("ambiguous",) if any(mention.ambiguous for mention in mentions) else ()
    if "pronoun_unresolved" not in flags and unresolved(text, mentions):
        doubt = ("pronoun_unresolved", *doubt)
    return Claim(text, sentence.text, (sentence.start, sentence.end), tuple(keys), (*flags, *doubt), mentions)


def missed(claims: Sequence[Claim], text: str, linker: Linker) -> tuple[Sentence, ...]:
    """Return the sentences of a text that make a statement, in any language, but gave no claim."""
    covered = {claim.span for claim in claims}
    told = (part.sentence for part, _ in lines(text, questions=False))
    left = [line for line in told if (line.start, line.end) not in covered]
    return tuple(line for line in left if _makes_statement(line.text, linker))


def _makes_statement(text: str, linker: Linker) -> bool:
    """Return whether a text ends like a sentence (a heading does not), or has two concepts and a relation word."""
    if _ENDED.search(text) is not None and sum(map(str.isalpha, text)) >= _LEAST:
        return True
    related = any(map(relates, re.findall(r"[\w-]+", text)))
    return related and len({mention.key for mention in linker.mentions(text)}) > 1


def _mentions_of(text: str, linker: Linker, known: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """Return the mentions in a part of a text, including abbreviations that the text defines elsewhere."""
    found, places = list(linker.mentions(text)), Places(text)
    for short in known:
        for start, end in places.of(short.text) if short.text in text else ():
            inside = [m for m in found if m.start <= start and end <= m.end]
            if all((m.start, m.end) == (start, end) for m in inside):
                found = [*(m for m in found if m not in inside), replace(short, start=start, end=end)]
    return tuple(sorted(found, key=lambda mention: mention.start))


def short_forms(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """Return one mention of each abbreviation that a text defines."""
    return tuple({mention.text: mention for mention in mentions if mention.how == "abbreviation"}.values())


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
