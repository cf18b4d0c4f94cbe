"""Read what people labelled: statements that are true or false, and pairs of claim and evidence.

Statements come from the questions of PubMedQA or from any table. Questions become statements by rules on their
grammatical parse:

    Does X improve Y?                      X improves Y.
    Is X associated with Y?                X is associated with Y.
    Is there a link between X and Y?       X is associated with Y.
    Very high X: is it a cause of Y?       Very high X is a cause of Y.
    X: a new risk factor for Y?            X is a new risk factor for Y.

Pairs come from HealthVer, Citation-Integrity, BioRED, or from any table. BioRED contains relations between annotated
concepts in an abstract; they become claims about linked concepts, as in `ground`. The other sets contain sentences with
verdicts by people, but no concepts.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from groundwork.errors import InputError
from groundwork.files import loads, read_text
from groundwork.language import parse, sentences
from groundwork.linking import Mention
from knowhd.claims import Claim
from knowhd.judge import Verdict
from knowhd.pieces import Evidence, Passage
from truthhypo.faces.many.sources import COLUMNS
from truthhypo.sheet import read_sheet

if TYPE_CHECKING:
    pass

_DO = frozenset({"do", "does", "did"})
_PRONOUNS = frozenset({"it", "they", "this", "these", "he", "she", "them"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "nsubj:pass", "csubj", "csubjpass", "expl", "attr"})
_BETWEEN = re.compile(
    r"^(?:is|are|was|were|does|do|did)\s+(?:there|a|an|any)\b(?P<no>\s+no)?.*?\b"
    r"(?:relationships?|relations?|associations?|correlations?|links?|connections?)\b(?:\s+exists?)?\s+"
    r"(?:between|of)\s+(?P<one>.+?)\s+(?:and|with|to)\s+(?P<other>.+)$",
    re.IGNORECASE,
)
_TOPIC = re.compile(r"^(?P<topic>[^:?]{3,}?)\s*(?::|\s--?\s?|--|\.\s)\s*(?P<rest>\S.*)$")
_IRREGULAR = {"have": "has", "do": "does", "go": "goes", "be": "is"}
Gold = Literal["true", "false", "maybe"]
#: Meaning of each accepted label. Labels may be in upper or lower case.
GOLDS: Mapping[str, Gold] = {
    **dict.fromkeys(("yes", "true", "1", "supported", "supports", "support"), "true"),
    **dict.fromkeys(("no", "false", "0", "contradicted", "contradicts", "refutes", "refute", "hallucinated"), "false"),
    **dict.fromkeys(("maybe", "unknown", "neutral", "not_enough", "nei"), "maybe"),
}
_LABEL_COLUMNS = ("label", "final_decision", "gold", "answer", "verdict")
_CITATIONS: dict[str, Verdict] = {"SUPPORT": "supported", "REFUTE": "contradicted"}
_MARKER = re.compile(r"\[?<\|\w+\|>\]?")
_SIGNED = {"Positive_Correlation": 1, "Negative_Correlation": -1}
_VERBS = {1: "increases", -1: "decreases"}
#: Concept types of BioRED that have no relations.
_BYSTANDERS = frozenset({"OrganismTaxon", "CellLine"})
#: What people say about a pair of claim and evidence.
LABELS: tuple[Verdict, ...] = ("supported", "contradicted", "not_enough")
#: Meaning of the labels of known datasets. Labels are in lower case, with spaces instead of underscores.
VERDICTS_OF: Mapping[str, Verdict] = {
    **dict.fromkeys(("supported", "supports", "support", "entailment", "entails", "true", "yes"), "supported"),
    **dict.fromkeys(("contradicted", "contradicts", "contradict", "contradiction"), "contradicted"),
    **dict.fromkeys(("refuted", "refutes", "refute", "false", "no"), "contradicted"),
    **dict.fromkeys(("not enough", "not enough info", "not enough information", "nei", "neutral"), "not_enough"),
    **dict.fromkeys(("unproven", "maybe", "unverified"), "not_enough"),
}
#: Columns of the claim, the evidence and the label. Pairs with the same text in the column `question` belong to one
#: group (see `Pair`). If a row has no question, its claim is used instead.
_COLUMNS = ("claim", "evidence", "label")


def rows(file: Path) -> Iterator[Any]:
    """Yield the rows in order. Empty lines are skipped.

    Raises:
        InputError: The .csv is not a table; see `truthhypo.sheet`.
        OSError, ValueError: The file cannot be read.
    """
    if file.suffix.lower() == ".csv":
        yield from read_sheet(file).rows
    else:
        yield from (loads(line) for line in read_text(file, "utf-8-sig").split("\n") if line.strip())


@lru_cache(maxsize=1)
def _words() -> Mapping[str, frozenset[str]]:
    """Return the words of questions.txt by their role.

    auxiliary: verbs that begin a question. asked: words that follow the subject in a question with a form of `be`.
    verb: verbs that small parsers take for nouns. before a noun: a word of `asked` or `verb` that follows one of these
    words is read as part of a noun phrase, and does not end the subject.
    """
    lines = files("truthhypo.bench").joinpath("questions.txt").read_text("utf-8").splitlines()
    return {kind: frozenset(words.split()) for kind, _, words in (line.partition(": ") for line in lines)}


def statement(question: str) -> str:
    """Return the question as a statement.

    A text that is not a question is returned with a full stop at its end, unless it ends in "." or "!".

    Args:
        question: A text with at most one question. It may begin with a topic, as in "topic: question".
    """
    text = " ".join(question.split()).strip(" \"'")
    if not text.endswith("?"):
        return text if text.endswith((".", "!")) else f"{text}."
    text = text.rstrip("? ")
    said = _turned(text) or _with_topic(text)
    said = (said or text).strip(" ,;:?")
    return f"{said[:1].upper()}{said[1:]}."


def _with_topic(text: str) -> str | None:
    """Return the statement in a text such as "topic: question" or "topic: description", or None for other texts."""
    parts = _TOPIC.match(text)
    if parts is None:
        return None
    topic, rest = parts["topic"], parts["rest"]
    words = rest.split()
    if len(words) > 2 and words[0].lower() in _words()["auxiliary"] and words[1].lower().strip(",") in _PRONOUNS:
        return (
            _turned(" ".join([words[0], topic, *words[2:]]), given=topic) or f"{topic} {words[0]} {' '.join(words[2:])}"
        )
    turned = _turned(rest)
    if turned is not None:
        return turned
    if words[0].lower() in {"a", "an", "the", "another", "one"} or len(words) < 5:
        return f"{topic} is {rest}"
    return None


def _turned(text: str, given: str | None = None) -> str | None:
    """Return a question as a statement, by moving the subject before the auxiliary; None if this is not possible."""
    between = _BETWEEN.match(text)
    if between is not None:
        return f"{between['one']} is {'not ' if between['no'] else ''}associated with {between['other']}"
    first, _, rest = text.partition(" ")
    auxiliary = first.lower()
    if auxiliary not in _words()["auxiliary"] or not rest:
        return None
    words = _words()
    if auxiliary in _DO:
        ends = words["verb"]
    else:
        ends = words["asked"] if auxiliary in {"is", "are", "was", "were", "am"} else words["asked"] | words["verb"]
    subject = given or _before(rest, ends) or _subject(f"{text}?")
    if subject is None or not rest.startswith(subject):
        return None
    after = rest[len(subject) :].strip()
    if not after:
        return None
    if subject.lower() == "there":
        return f"there {auxiliary} {after}"
    if auxiliary not in _DO or after.lower().startswith("not "):
        return f"{subject} {auxiliary} {after}"
    parts = after.split(" ")
    verb = next((n for n, word in enumerate(parts[:3]) if not word.endswith("ly")), 0)
    if auxiliary == "does":
        parts[verb] = _third(parts[verb])
    return f"{subject} {' '.join(parts)}"


def _before(rest: str, asked: frozenset[str]) -> str | None:
    """Return the text before the first word that cannot belong to the subject; None if there is no such word."""
    words = rest.split(" ")
    for place, word in enumerate(words[1:], start=1):
        if (
            word.lower() in asked
            and words[place - 1].lower() not in _words()["before a noun"]
            and not words[place - 1].endswith(",")
        ):
            return " ".join(words[:place])
    return None


def _subject(text: str) -> str | None:
    """Return the subject of a question that begins with its auxiliary, by parsing the question."""
    doc = parse(text)
    for word in doc:
        main = word.head.i == 0 or word.head.dep_ == "ROOT" or doc[0].head.i == word.head.i
        if word.dep_ in _SUBJECTS and word.i > 0 and main:
            return str(doc[1 : max(each.i for each in word.subtree) + 1].text)
    return None


def _third(verb: str) -> str:
    """Return the third person singular of a verb."""
    if verb.lower() in _IRREGULAR:
        return _IRREGULAR[verb.lower()]
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2:-1] not in set("aeiou") else f"{verb}s"


@dataclass(frozen=True, slots=True)
class LabelledStatement:
    """A statement and the label that people gave it."""

    text: str
    gold: Gold


def read_statements(path: Path) -> list[LabelledStatement]:
    """Read labelled statements from PubMedQA's .json, or from a .csv or .jsonl.

    The fields are QUESTION and final_decision in PubMedQA, and for example `text` and `label` in the other formats.

    Raises:
        InputError: The file cannot be read, a field is missing, or a label is unknown.
    """
    kind = path.suffix.lower()
    if kind not in {".json", ".csv", ".jsonl"}:
        wanted = "PubMedQA's .json, a .csv or a .jsonl"
        raise InputError(f"{path} ends in {path.suffix!r}", wanted, "convert or rename the file")
    try:
        shape = loads(read_text(path)) if kind == ".json" else rows(path)
        records = shape.values() if isinstance(shape, dict) else shape
        found = [_labelled_statement(row, f"{path}, record {n}") for n, row in enumerate(records, 1)]
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}", "labelled statements", "check the file") from error
    if not found:
        raise InputError(f"{path} contains no statement", "at least one statement", "check the file")
    return found


def _labelled_statement(row: Any, place: str) -> LabelledStatement:
    """Return the labelled statement of a record, after checking the fields of the record."""
    fields = row if isinstance(row, Mapping) else {}
    text = next((fields[name] for name in ("QUESTION", "question", *COLUMNS) if fields.get(name)), None)
    label = next((fields[name] for name in _LABEL_COLUMNS if fields.get(name) not in {None, ""}), None)
    if not isinstance(text, str) or label is None:
        named = f"a question or {' or '.join(COLUMNS)}, and a {' or '.join(_LABEL_COLUMNS)}"
        raise InputError(f"{place} has the fields {', '.join(map(str, fields))}", named, "rename the fields")
    gold = GOLDS.get(str(label).strip().lower())
    if gold is None:
        raise InputError(f"{place}: label {label!r}", f"one of {', '.join(GOLDS)}", "replace the label by one of these")
    return LabelledStatement(statement(text), gold)


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim, its evidence, the verdict of people, and the group of the pair. Pairs of a group are not independent."""

    claim: Claim
    evidence: Evidence
    label: Verdict
    group: str


def citation_integrity(claims: Path, corpus: Path) -> Iterator[Pair]:
    """Yield the pairs of Citation-Integrity. A pair is a citing claim and the abstract of the cited article.

    A claim without labelled evidence gets the label `not_enough`. Citation markers are removed from the claims.
    """
    passages = {row["doc_id"]: " ".join(row["abstract"]) for row in rows(corpus)}
    for row in rows(claims):
        labels = [given["label"] for pieces in row["evidence"].values() for given in pieces]
        label = _CITATIONS[labels[0]] if labels else "not_enough"
        text = " ".join(_MARKER.sub("", row["claim"]).split())
        yield Pair(_claim(text), _as_evidence(passages[row["cited_doc_ids"][0]]), label, str(row["id"]))


def biored(path: Path) -> Iterator[Pair]:
    """Yield claims from the signed relations of a BioRED file (PubTator format), with the abstract as evidence.

    Each signed relation yields the claim that it states (`supported`) and the opposite claim (`contradicted`). Each
    abstract also yields claims about unrelated pairs of its concepts (`not_enough`), at most one per signed relation.
    The concepts were annotated by people, so the pairs measure how well a judge reads, not how it links.

    Args:
        path: The file.
    """
    random = Random(0)  # noqa: S311 - a random sample, not a secret
    for block in read_text(path).strip().split("\n\n"):
        pmid, passages, names, relations = _annotated(block)
        evidence = Evidence((), passages)
        signed = [
            (a, b, _SIGNED[kind]) for kind, a, b in relations if kind in _SIGNED and a != b and {a, b} <= set(names)
        ]
        for a, b, sign in signed:
            yield Pair(_stated(names, a, b, sign), evidence, "supported", pmid)
            yield Pair(_stated(names, a, b, -sign), evidence, "contradicted", pmid)
        related = {frozenset((a, b)) for _, a, b in relations}
        free = [pair for pair in combinations(sorted(names), 2) if frozenset(pair) not in related]
        for a, b in random.sample(free, min(len(signed), len(free))):
            yield Pair(_stated(names, a, b, random.choice((1, -1))), evidence, "not_enough", pmid)


def pair_of(claim: str, evidence: str, label: Verdict, group: str) -> Pair:
    """Return a pair from plain texts, without concepts."""
    return Pair(_claim(claim), _as_evidence(evidence), label, group)


def evidence_of(pair: Pair) -> str:
    """Return a pair's evidence in a form for comparison: lower case, single spaces."""
    return " ".join(" ".join(passage.sentence for passage in pair.evidence.literature).lower().split())


def _claim(text: str, mentions: Sequence[Mention] = ()) -> Claim:
    keys = tuple(mention.key for mention in mentions if mention.key)
    return Claim(text, text, (0, len(text)), keys, (), tuple(mentions))


def _as_evidence(text: str) -> Evidence:
    """Return a text as evidence without concepts: the sentences of one article."""
    return Evidence((), tuple(_passage(1, n, s.text, ()) for n, s in enumerate(sentences(text))))


def _passage(pmid: int, number: int, text: str, mentions: tuple[Mention, ...]) -> Passage:
    return Passage(f"pmid:{pmid}#s{number}", pmid, "", text, 0.0, False, number, mentions)


class _Named(NamedTuple):
    """An annotated concept: its key and the text of its first mention."""

    key: str
    name: str


def _annotated(block: str) -> tuple[str, tuple[Passage, ...], dict[str, _Named], list[tuple[str, str, str]]]:
    """Parse a document in PubTator format.

    Return its PMID, its sentences with mentions, its concepts by id, and its relations as (kind, id, id).
    """
    title, abstract, *rows = block.splitlines()
    pmid, text = title.split("|", 2)[0], f"{title.split('|', 2)[2]} {abstract.split('|', 2)[2]}"
    names: dict[str, _Named] = {}
    marks: list[Mention] = []
    relations: list[tuple[str, str, str]] = []
    for fields in (row.split("\t") for row in rows):
        if not fields[1].isdigit():
            relations.append((fields[1], fields[2], fields[3]))
        elif fields[4] not in _BYSTANDERS:
            kind = "Disease" if fields[4].startswith("Disease") else fields[4]
            for ident in fields[5].split(","):
                names.setdefault(ident, _Named(f"{kind}|{ident}", fields[3]))
            key = f"{kind}|{fields[5].split(',')[0]}"
            marks.append(Mention(fields[3], int(fields[1]), int(fields[2]), key, fields[3], 1.0))
    passages = []
    for number, sentence in enumerate(sentences(text)):
        inside = [m for m in marks if sentence.start <= m.start and m.end <= sentence.end]
        passages.append(_passage(int(pmid), number, sentence.text, _without_overlaps(inside, sentence.start)))
    return pmid, tuple(passages), names, relations


def _without_overlaps(mentions: list[Mention], start: int) -> tuple[Mention, ...]:
    """Return mentions in order, with offsets relative to `start`. If mentions overlap, the first is kept."""
    kept: list[Mention] = []
    for m in sorted(mentions, key=lambda mention: mention.start):
        if not kept or m.start - start >= kept[-1].end:
            kept.append(Mention(m.text, m.start - start, m.end - start, m.key, m.name, m.score))
    return tuple(kept)


def _stated(names: dict[str, _Named], a: str, b: str, sign: int) -> Claim:
    """Return the claim that concept `a` increases or decreases concept `b`, with both concepts linked."""
    first, second = names[a], names[b]
    text = f"{first.name} {_VERBS[sign]} {second.name}."
    at = len(text) - 1 - len(second.name)
    return _claim(
        text,
        (
            Mention(first.name, 0, len(first.name), first.key, first.name, 1.0),
            Mention(second.name, at, at + len(second.name), second.key, second.name, 1.0),
        ),
    )


def read_pairs(path: Path) -> list[Pair]:
    """Return the pairs of a file or folder. The format is recognised by the name.

    A `claims*.jsonl` with `corpus.jsonl` beside it, or a folder with both, is Citation-Integrity. A `.PubTator` file is
    BioRED. A folder with one .csv stands for that file. Other .csv and .jsonl files are tables with the columns of
    HealthVer: claim, evidence, label, and optionally question.

    Raises:
        InputError: The folder has no file or several files of pairs; the file cannot be read or contains no pair; a
            column is missing; a label is unknown; or a claim or its evidence is empty.
    """
    file = _chosen(path)
    corpus = file.with_name("corpus.jsonl")
    try:
        if file.suffix == ".jsonl" and corpus.is_file() and file.name.startswith("claims"):
            pairs = list(citation_integrity(file, corpus))
        elif file.suffix.lower() == ".pubtator":
            pairs = list(biored(file))
        elif file.suffix.lower() in {".csv", ".jsonl"}:
            pairs = [_pair(row, f"{file}, row {number}") for number, row in enumerate(rows(file), start=1)]
        else:
            wanted = "a .csv, .jsonl or .PubTator file, or a folder with one"
            raise InputError(f"{file} ends in {file.suffix!r}", wanted, "name another file")
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, KeyError, IndexError) as error:
        wanted = "a labelled set: HealthVer, Citation-Integrity, BioRED, a .csv or a .jsonl"
        raise InputError(f"{file} cannot be read: {error}", wanted, "check the file") from error
    if not pairs:
        raise InputError(f"{file} contains no pair", "at least one claim with evidence and label", "check the file")
    return pairs


def _chosen(path: Path) -> Path:
    if not path.is_dir():
        return path
    found = sorted(path.glob("claims*.jsonl")) or sorted(path.glob("*.csv"))
    if len(found) != 1:
        names = ", ".join(file.name for file in found) or "none"
        raise InputError(f"the sets of {path}: {names}", "one set", "name the file of the set")
    return found[0]


def _pair(row: Any, place: str) -> Pair:
    given = {}
    for name in _COLUMNS:
        if not isinstance(row, dict) or name not in row:
            has = ", ".join(map(str, row)) if isinstance(row, dict) else type(row).__name__
            raise InputError(f"{place} has {has}", f"a column {name!r}", "rename the column")
        value = row[name]
        given[name] = " ".join(value) if isinstance(value, list) else str(value if value is not None else "")
        if not given[name].strip():
            raise InputError(f"{place}: {name!r} is empty", "text", "remove the row")
    verdict = VERDICTS_OF.get(" ".join(given["label"].lower().replace("_", " ").split()))
    if verdict is None:
        seen, wanted = f"{place}: the label {given['label']!r}", f"a label that means one of {', '.join(LABELS)}"
        raise InputError(seen, wanted, "replace the label by one of these")
    return pair_of(given["claim"], given["evidence"], verdict, str(row.get("question") or given["claim"]))
