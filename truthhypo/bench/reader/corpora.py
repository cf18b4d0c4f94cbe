"""Read the sets of labelled sentences as rows of the training table. Each function reads one set from its folder."""

import csv
import json
import re
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations, islice, pairwise, product
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import iterparse

from groundwork.language import Sentence, sentences
from groundwork.reading.tree import parse_all, with_phrases
from groundwork.records import split_key
from ingest.documents.document import Document
from truthhypo.bench.reader.table import (
    ANY_MANNER,
    ANY_SIGN,
    BYSTANDERS,
    DOCUMENT,
    End,
    Row,
    keys_of,
    labels,
    mentions_of,
    named,
    only,
    places,
    row,
)

_UP, _DOWN, _RELATED, _NONE = only("up"), only("down"), only("related"), only("none")
_SOME = only("up", "down", "related")
_FIRST = only("first")
_RESULT, _DENIED = only("result", "hedged"), only("denied")
#: Classes of ChemProt and DrugProt. The chemical acts wherever a sign is stated.
_CHEMPROT = {"CPR:3": "up", "CPR:5": "up", "CPR:4": "down", "CPR:6": "down", "CPR:10": "denied"}
_DRUGPROT = {
    **dict.fromkeys(("ACTIVATOR", "AGONIST", "AGONIST-ACTIVATOR", "INDIRECT-UPREGULATOR"), "up"),
    **dict.fromkeys(("INHIBITOR", "ANTAGONIST", "INDIRECT-DOWNREGULATOR"), "down"),
    "no_relation": "none",
}
#: Entity types of the BioNLP shared task.
_BIONLP = {
    **dict.fromkeys(("Gene_or_gene_product", "Protein", "Complex", "Gene_or_protein"), "Gene"),
    **dict.fromkeys(("Simple_chemical", "Drug_or_compound", "Amino_acid"), "Chemical"),
    **dict.fromkeys(("Cancer", "Pathological_formation"), "Disease"),
}
_SEMREP = {
    **dict.fromkeys(("CAUSES", "STIMULATES", "AUGMENTS", "PRODUCES", "PREDISPOSES"), "up"),
    **dict.fromkeys(("TREATS", "PREVENTS", "INHIBITS", "DISRUPTS"), "down"),
    **dict.fromkeys(("AFFECTS", "ASSOCIATED_WITH", "INTERACTS_WITH", "COEXISTS_WITH"), "related"),
}
#: Predicates that state no relation of the kind that claims are about.
_UNRELATED = frozenset({"PROCESS_OF", "LOCATION_OF", "PART_OF", "ISA", "USES", "ADMINISTERED_TO", "compared_with"})
_UNSTATED = only("unstated")
#: What a pair that annotators left out of complete lists of adverse effects does not state.
_CAUSED = ("up", "first")
#: A label of a structured abstract before a sentence, and the labels of sections that state no result, or results.
_LABEL = re.compile(r"([A-Z][A-Z /&]{3,}): (?=\S)")
_PLANNED = re.compile(
    r"METHOD|OBJECTIVE|\bAIM|PURPOSE|DESIGN|PATIENT|PARTICIPANT|MATERIAL|SETTING|OUTCOME MEASURE|INTERVENTION|SUBJECTS"
    r"|HYPOTHES"
)
_FOUND = re.compile(r"RESULT|FINDING|CONCLUSION")
_GENE_TYPES = frozenset({"aapp", "gngm", "enzy", "rcpt"})
_DISEASE_TYPES = frozenset({"dsyn", "neop", "sosy", "patf", "mobd", "inpo", "cgab", "acab", "comd", "fndg"})


def chemprot(folder: Path, part: str = "training") -> Iterator[Row]:
    """Yield the pairs of a chemical and a gene that a sentence of ChemProt names, related or not."""
    named: dict[str, dict[str, tuple[str, int, int]]] = defaultdict(dict)
    told: dict[str, dict[tuple[str, str], set[str]]] = defaultdict(lambda: defaultdict(set))
    for pmid, term, kind, start, end, _ in _table(folder / f"chemprot_{part}_entities.tsv"):
        named[pmid][term] = ("Chemical" if kind == "CHEMICAL" else "Gene", int(start), int(end))
    for pmid, group, _, _, chemical, gene in _table(folder / f"chemprot_{part}_relations.tsv"):
        told[pmid][chemical[5:], gene[5:]].add(_CHEMPROT.get(group, "related"))
    for pmid, title, abstract in _table(folder / f"chemprot_{part}_abstracts.tsv"):
        text = f"{title} {abstract}"
        for part_of, ends, terms in _in_sentences(text, named[pmid]):
            for one, other in product(ends, ends):
                if one[0] == "Chemical" and other[0] == "Gene":
                    said = {c for a in terms[one] for b in terms[other] for c in told[pmid].get((a, b), ())}
                    yield from _of_classes("chemprot", int(pmid), part_of.text, ends[one], ends[other], said)


def drugprot(folder: Path) -> Iterator[Row]:
    """Yield the sentences of DrugProt with a chemical and a gene."""
    found: dict[tuple[str, str, str, str], set[str]] = defaultdict(set)
    kinds: dict[tuple[str, str, str, str], tuple[str, str]] = {}
    for line in (folder / "drugprot_sentences.psv").read_text("utf-8").splitlines()[1:]:
        cells = line.split("|")
        if len(cells) == 13:
            key = (cells[0], " ".join(cells[1].split()), cells[2], cells[3])
            found[key].add(_DRUGPROT.get(cells[10], "related"))
            kinds[key] = (
                "Chemical" if cells[8] == "CHEMICAL" else "Gene",
                "Chemical" if cells[9] == "CHEMICAL" else "Gene",
            )
    for (pmid, text, one, other), said in found.items():
        actor, acted = (
            End(kind, places(text, name))
            for kind, name in zip(kinds[pmid, text, one, other], (one, other), strict=True)
        )
        if actor.type == "Gene":
            actor, acted = acted, actor
        yield from _of_classes("drugprot", int(pmid), text, actor, acted, said)


def bionlp(folder: Path) -> Iterator[Row]:
    """Yield the regulations between two entities of a sentence, and pairs of entities that no event joins."""
    source = folder.name
    files = _tar(folder / "train.tar.gz")
    texts = {Path(name).stem: text for name, text in files.items() if name.endswith(".txt")}
    told: dict[str, dict[tuple[tuple[int, int], tuple[int, int]], list[dict[str, Any]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for line in (folder / "train_pairs.jsonl").read_text("utf-8").splitlines():
        each = json.loads(line)
        cause, theme = ((each[end]["start"], each[end]["end"]) for end in ("cause", "theme"))
        told[each["doc"]][cause, theme].append(each)
    for name, text in texts.items():
        number = re.match(r"PMID-(\d+)", name)
        pmid = int(number[1]) if number else 0
        entities = _standoff(files.get(_beside(files, name, ".a1"), ""))
        joined = _joined(files.get(_beside(files, name, ".a2"), ""))
        known = {term: (_BIONLP.get(kind, "Other"), start, end) for term, (kind, start, end) in entities.items()}
        for part, ends, terms in _in_sentences(text, known):
            for one, other in product(ends, ends):
                if (
                    one == other
                    or _BIONLP.get(entities[terms[one][0]][0]) is None
                    or _BIONLP.get(entities[terms[other][0]][0]) is None
                ):
                    continue
                pairs = [(a, b) for a in terms[one] for b in terms[other]]
                said = [e for a, b in pairs for e in told[name].get((known[a][1:], known[b][1:]), ())]
                back = [e for a, b in pairs for e in told[name].get((known[b][1:], known[a][1:]), ())]
                if said and not back:
                    yield from _of_events(source, pmid, part.text, ends[one], ends[other], said)
                elif not back and one < other and not any(frozenset(pair) in joined for pair in pairs):
                    yield from _made(row(source, pmid, part.text, ends[one], ends[other], signs=_NONE))


def ade(folder: Path, names: Mapping[str, str]) -> Iterator[Row]:
    """Yield the pairs of a drug and a disease of a sentence: those that the drug causes, and the others.

    All adverse effects of a sentence are labelled, so the drug causes none of the other diseases in `names`
    (name: type). It may treat them, or nothing may be said about both.
    """
    found: dict[tuple[int, str], set[tuple[str, str]]] = defaultdict(set)
    for line in (folder / "DRUG-AE.rel").read_text("utf-8").splitlines():
        cells = line.split("|")
        if len(cells) == 8:
            found[int(cells[0]), cells[1]].add((cells[5].lower(), cells[2].lower()))
    for (pmid, text), pairs in found.items():
        drugs, effects = ({pair[n] for pair in pairs} for n in (0, 1))
        for drug, effect in product(sorted(drugs), sorted(effects)):
            ends = End("Chemical", places(text, drug)), End("Disease", places(text, effect))
            related = (drug, effect) in pairs
            said: dict[str, Any] = (
                {"signs": _UP, "manners": _RESULT, "acts": _FIRST} if related else {"forbidden": _CAUSED}
            )
            yield from _made(row("ade", pmid, text, *ends, **said))
        for other in (end for end in named(text, names) if end.type == "Disease"):
            if not any(a < d and c < b for e in effects for a, b in places(text, e) for c, d in other.spans):
                for drug in sorted(drugs):
                    yield from _made(
                        row("ade", pmid, text, End("Chemical", places(text, drug)), other, forbidden=_CAUSED)
                    )


def ade_negatives(folder: Path, names: Mapping[str, str]) -> Iterator[Row]:
    """Yield the sentences without an adverse effect of a drug, with the drugs and diseases in `names` (name: type)."""
    for line in (folder / "ADE-NEG.txt").read_text("utf-8").splitlines():
        pmid, text = line.split(" NEG ", 1) if " NEG " in line else ("0", "")
        drugs, effects = ([e for e in named(text, names) if e.type == kind] for kind in ("Chemical", "Disease"))
        for drug, effect in product(drugs[:2], effects[:2]):
            yield from _made(row("ade_negatives", int(pmid), text, drug, effect, forbidden=_CAUSED))


def crowdtruth(folder: Path) -> Iterator[Row]:
    """Yield pairs that a crowd judged: does the second cause the first, does the second treat the first?"""
    found: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    for relation in ("cause", "treat"):
        with (folder / f"ground_truth_{relation}.csv").open(encoding="utf-8") as file:
            for each in csv.DictReader(file):
                if each["repaired"] != "?":  # a sentence whose words lost their "na" teaches misspellings
                    score = float(each["sentence_relation_score"])
                    found[each["sentence"], each["term1"], each["term2"]][relation] = score
    for (text, one, other), scores in found.items():
        cause, treat = scores.get("cause", 0.5), scores.get("treat", 0.5)
        actor, acted = End("Other", places(text, other)), End("Disease", places(text, one))
        if cause >= 0.7 and treat < 0.4:
            yield from _made(row("crowdtruth", 0, text, actor, acted, signs=_UP, weight=0.5))
        elif treat >= 0.7 and cause < 0.4:
            yield from _made(
                row("crowdtruth", 0, text, replace(actor, type="Chemical"), acted, signs=_DOWN, weight=0.5)
            )
        elif cause < 0.2 and treat < 0.2:
            yield from _made(row("crowdtruth", 0, text, actor, acted, signs=only("none", "related"), weight=0.5))


def semrep(folder: Path) -> Iterator[Row]:
    """Yield the predications of SemRep's gold standard."""
    for line in (folder / "predications.jsonl").read_text("utf-8").splitlines():
        each = json.loads(line)
        predicate = each["predicate"]
        if "INFER" in predicate:
            continue
        name = predicate.replace("(SPEC)", "").removeprefix("NEG_")
        sign = _SEMREP.get(name)
        texts = [each[end]["text"] for end in ("subject", "object")]
        if not each["sentence"] or not all(texts) or (sign is None and name not in _UNRELATED):
            continue
        kinds = [_semantic(each[end]["semtype"]) for end in ("subject", "object")]
        ends = [End(kind, places(each["sentence"], name)) for kind, name in zip(kinds, texts, strict=True)]
        said: dict[str, Any] = {"signs": only(sign) if sign else only("none", "related")}
        if sign:
            said["manners"] = (
                only("hedged", "unstated") if "SPEC" in predicate else _DENIED if "NEG_" in predicate else _RESULT
            )
            said["acts"] = _FIRST if sign != "related" else frozenset({"first", "second", "neither"})
        yield from _made(row("semrep", int(each["pmid"]), each["sentence"], *ends, **said))


def semmed(folder: Path) -> Iterator[Row]:
    """Yield predications of a program that people judged true or false of the sentence."""
    with (folder / "substance_interactions.csv").open(encoding="utf-8") as file:
        for each in csv.DictReader(file):
            text = " ".join(each["SENTENCE"].split())
            ends = [
                End("Gene" if each[f"{end}_SEMTYPE"] in _GENE_TYPES else "Chemical", places(text, each[f"{end}_TEXT"]))
                for end in ("SUBJECT", "OBJECT")
            ]
            sign = {"INHIBITS": "down", "STIMULATES": "up"}.get(each["PREDICATE"])
            said: dict[str, Any]
            if sign and each["LABEL"] == "y":
                said = {"signs": only(sign), "manners": _RESULT, "acts": _FIRST}
            elif sign:
                said = {"forbidden": (sign, "first")}
            else:
                said = {"signs": _SOME if each["LABEL"] == "y" else ANY_SIGN - _RELATED}
            pmid = int(each["PMID"]) if each["PMID"].isdigit() else 0
            yield from _made(row("semmed", pmid, text, *ends, **said))


def cancermine(folder: Path) -> Iterator[Row]:
    """Yield the pairs of a gene and a cancer of a sentence: oncogene, tumour suppressor, driver, or unrelated."""
    kinds = {"Oncogene": "up", "Tumor_Suppressor": "down", "Driver": "related"}
    for _, text, pmid, entities, relations in _standoff_sentences(folder / "train.tar.gz"):
        told: dict[tuple[str, str], set[str]] = defaultdict(set)
        for kind, roles in relations:
            if {"gene", "cancer"} <= roles.keys():
                told[roles["gene"], roles["cancer"]].add(kinds.get(kind, "related"))
        yield from _of_pairs("cancermine", text, pmid, entities, ("gene", "Gene"), ("cancer", "Disease"), told)


def civicmine(folder: Path) -> Iterator[Row]:
    """Yield the pairs of a gene or drug and a cancer of a sentence, associated in any way or not at all."""
    for _, text, pmid, entities, relations in _standoff_sentences(folder / "training.tar.gz"):
        told: dict[tuple[str, str], set[str]] = defaultdict(set)
        for kind, roles in relations:
            for role in ("gene", "drug"):
                if role in roles and "cancer" in roles and kind != "AssociatedVariant":
                    told[roles[role], roles["cancer"]].add("some")
        for role, kind in (("gene", "Gene"), ("drug", "Chemical")):
            yield from _of_pairs("civicmine", text, pmid, entities, (role, kind), ("cancer", "Disease"), told)


def comagc(folder: Path) -> Iterator[Row]:
    """Yield the sentences of CoMAGC: how the expression of a gene goes with a cancer."""
    text, pmid, gene, cancers, said = "", 0, (0, 0), list[tuple[int, int]](), dict[str, str]()
    for _, element in iterparse(folder / "CoMAGC.xml"):  # noqa: S314 - files that a developer names
        if element.tag == "sentence":
            text, pmid, cancers, said = element.text or "", int(element.get("pmid", "0").split(".")[0]), [], {}
        elif element.tag in {"gene", "cancer_term"}:
            start, end = map(int, element.get("range", "0-0").split("-"))
            if element.tag == "gene":
                gene = (start, end + 1)
            else:
                cancers.append((start, end + 1))
        elif element.tag in {"CGE", "CCS", "PT"}:
            said[element.tag] = element.get("value", "")
        elif element.tag == "annotation_unit":
            more = {"increased": 1, "decreased": -1}.get(said.get("CGE", ""), 0)
            state = {"normalTOcancer": 1, "cancerTOnormal": -1}.get(said.get("CCS", ""), 0)
            ends = End("Gene", [gene]), End("Disease", cancers)
            sign = {1: "up", -1: "down"}.get(more * state)
            if sign and said.get("PT") == "causality":
                yield from _made(row("comagc", pmid, text, *ends, signs=only(sign), manners=_RESULT))
            elif sign:
                yield from _made(row("comagc", pmid, text, *ends, signs=only(sign, "related")))


def bel(folder: Path) -> Iterator[Row]:
    """Yield the BEL statements whose passage has both names in one sentence."""
    plain = frozenset({"a", "p", "g", "r", "m", "bp", "path", "act", "complex"})
    for line in (folder / "statements.jsonl").read_text("utf-8").splitlines():
        each = json.loads(line)
        subject, object_ = each["subject"], each.get("object") or {}
        sign = {1: "up", -1: "down"}.get(each.get("sign") or 0)
        if sign is None or not object_.get("name") or {*subject["functions"], *object_["functions"]} - plain:
            continue
        for part in sentences(each["evidence"]):
            ends = [End(_bel_type(e), places(part.text, e["name"])) for e in (subject, object_)]
            pmid = int(each["pmid"]) if str(each["pmid"]).isdigit() else 0
            acts = _FIRST if each["kind"] == "causal" else frozenset({"first", "second", "neither"})
            yield from _made(
                row("bel", pmid, part.text, *ends, signs=only(sign), manners=_RESULT, acts=acts, weight=0.5)
            )


def evidence_inference(folder: Path) -> Iterator[Row]:
    """Yield passages on trials that name the intervention and the outcome: raised, lowered or no difference."""
    signs = {"significantly increased": "up", "significantly decreased": "down"}
    for line in (folder / "v2_annotations.jsonl").read_text("utf-8").splitlines():
        each = json.loads(line)
        for part in sentences(each["evidence"]):
            ends = (
                End("Chemical", places(part.text, each["intervention"])),
                End("Other", places(part.text, each["outcome"])),
            )
            sign = signs.get(each["label"])
            said: dict[str, Any] = (
                {"signs": only(sign), "manners": _RESULT} if sign else {"manners": _DENIED, "signs": _SOME}
            )
            yield from _made(row("evidence_inference", 0, part.text, *ends, acts=_FIRST, weight=0.5, **said))


def documents(source: str, listed: Iterable[Document], *, complete: bool) -> Iterator[Row]:
    """Yield the pairs of concepts that a sentence names, labelled with the relation of the whole document.

    Args:
        source: Name of the set.
        listed: Labelled documents.
        complete: Whether every relation is labelled. If not, only chemicals that cause diseases are (BC5CDR), and a
            pair without a label may still have a relation of another sign.
    """
    for document in listed:
        related = labels(document)
        rows: dict[frozenset[str], list[Row]] = defaultdict(list)
        for part, section, ends in sentences_of(document):
            for one, other in combinations(sorted(ends), 2):
                pair = frozenset((one, other))
                label = related.get(pair)
                if not complete and {split_key(one)[0], split_key(other)[0]} != {"Chemical", "Disease"}:
                    continue
                said = only(label) if label else _NONE if complete else ANY_SIGN
                manners = manner_of(section)
                if manners == _UNSTATED and label:
                    said = ANY_SIGN
                never = None if label or complete else _CAUSED
                marks = (document.pmid, part.text, ends[one], ends[other])
                rows[pair] += _made(
                    row(source, *marks, signs=said, manners=manners, forbidden=never, level=DOCUMENT, pair=pair)
                )
        for pair, held in rows.items():
            share = 1.0 / len(held) ** 0.5 if pair in related else 1.0
            yield from (replace(each, weight=share) for each in held)


def sentences_of(document: Document) -> Iterator[tuple[Sentence, str, dict[str, End]]]:
    """Yield the sentences of a document, each with the label of its section and the concepts that it names, by key."""
    text, mentions = mentions_of(document)
    section = ""
    for part in sentences(text):
        if found := _LABEL.match(part.text):
            section = found[1]
            part = Sentence(part.text[found.end() :], part.start + found.end(), part.end)
        ends: dict[str, End] = {}
        for each in mentions:
            if (
                part.start <= each.start
                and each.end <= part.end
                and each.key
                and split_key(each.key)[0] not in BYSTANDERS
            ):
                end = ends.setdefault(each.key, End(_family(each.key)))
                end.spans.append((each.start - part.start, each.end - part.start))
        yield part, section, ends


def manner_of(section: str) -> frozenset[str]:
    """Return the manners that a sentence under the label of a section may have."""
    if _FOUND.search(section):
        return ANY_MANNER - _UNSTATED if not _PLANNED.search(section) else ANY_MANNER
    return _UNSTATED if _PLANNED.search(section) else ANY_MANNER


def structured(source: str, sections: Iterable[tuple[int, str, str]], names: Mapping[str, str]) -> Iterator[Row]:
    """Yield sentences of structured abstracts with two ends each: known names, or else two noun phrases.

    Args:
        source: Name of the set.
        sections: (PMID, label, text) of each section.
        names: Known names (name in lower case: type).
    """
    for pmid, label, text in sections:
        manners = manner_of(label)
        if manners == ANY_MANNER:
            continue
        parts = [part.text for part in sentences(text)]
        for tree in parse_all((part, ()) for part in parts if 40 < len(part) < 400):
            ends = named(tree.text, names)
            if len(ends) < 2:
                ends = [End("Other", [(m.start, m.end)]) for m in with_phrases(tree).mentions if m.end - m.start < 40]
            for one, other in islice(pairwise(ends), 2):
                yield from _made(row(source, pmid, tree.text, one, other, manners=manners))


def names_of(listed: Iterable[Document], rows: Iterable[Row]) -> dict[str, str]:
    """Return the type of each name of a chemical or disease that documents or rows mark, in lower case."""
    found: dict[str, str] = {}
    for document in listed:
        keys = keys_of(document)
        for each in document.annotations:
            if each.key in keys and each.mention:
                found.setdefault(each.mention.lower(), _family(each.key))
    for made in rows:
        for spans, kind in zip((made.first, made.second), made.types, strict=True):
            found.setdefault(made.text[slice(*spans[0])].lower(), kind)
    return {name: kind for name, kind in found.items() if len(name) > 3 and kind in {"Chemical", "Disease", "Gene"}}


def _of_classes(source: str, pmid: int, text: str, actor: End, other: End, said: set[str]) -> Iterator[Row]:
    """Yield a row for the classes of ChemProt or DrugProt, unless they disagree on the sign."""
    signs = said & {"up", "down"}
    if len(signs) == 2 or (signs and "denied" in said):
        return
    if signs:
        fields: dict[str, Any] = {"signs": frozenset(signs), "manners": _RESULT, "acts": _FIRST}
    elif "denied" in said:
        fields = {"signs": _SOME, "manners": _DENIED, "acts": _FIRST}
    elif "related" in said:
        fields = {"signs": _RELATED}
    else:
        fields = {"signs": _NONE}
    yield from _made(row(source, pmid, text, actor, other, **fields))


def _of_events(source: str, pmid: int, text: str, cause: End, theme: End, said: list[dict[str, Any]]) -> Iterator[Row]:
    """Yield a row for the events between two entities, unless they disagree."""
    signs = {each["sign"] for each in said} - {0} or {0}
    denied, doubted = ({bool(each[name]) for each in said} for name in ("negated", "speculated"))
    if len(signs) == 1 and len(denied) == len(doubted) == 1:
        (sign,) = signs
        manners = _DENIED if True in denied else only("hedged", "unstated") if True in doubted else _RESULT
        name = {1: "up", -1: "down", 0: "related"}[sign]
        acts = _FIRST if sign else frozenset({"first", "second", "neither"})
        yield from _made(row(source, pmid, text, cause, theme, signs=only(name), manners=manners, acts=acts))


def _of_pairs(
    source: str,
    text: str,
    pmid: int,
    entities: Mapping[str, tuple[str, int, int]],
    actor: tuple[str, str],
    other: tuple[str, str],
    told: Mapping[tuple[str, str], set[str]],
) -> Iterator[Row]:
    """Yield the pairs of an actor (role, type) and another entity of a sentence, by their texts."""
    ends: dict[tuple[str, str], End] = {}
    terms: dict[tuple[str, str], list[str]] = defaultdict(list)
    for term, (role, start, end) in entities.items():
        kind = dict((actor, other)).get(role)
        if kind:
            key = (role, text[start:end].lower())
            ends.setdefault(key, End(kind)).spans.append((start, end))
            terms[key].append(term)
    for one, two in product(ends, ends):
        if one[0] == actor[0] and two[0] == other[0]:
            said = {each for a in terms[one] for b in terms[two] for each in told.get((a, b), ())}
            signs = said & {"up", "down"}
            if len(signs) == 2:
                continue
            fields: dict[str, Any] = {
                "signs": _SOME if "some" in said else frozenset(signs) or _RELATED if said else _NONE
            }
            if signs:
                fields |= {"manners": _RESULT, "acts": _FIRST}
            yield from _made(row(source, pmid, text, ends[one], ends[two], **fields))


def _in_sentences(
    text: str, entities: Mapping[str, tuple[str, int, int]]
) -> Iterator[tuple[Sentence, dict[tuple[str, str], End], dict[tuple[str, str], list[str]]]]:
    """Yield each sentence with its entities as ends, by (type, name in lower case), and with their terms."""
    for part in sentences(text):
        ends: dict[tuple[str, str], End] = {}
        terms: dict[tuple[str, str], list[str]] = defaultdict(list)
        for term, (kind, start, end) in entities.items():
            if part.start <= start and end <= part.end:
                key = (kind, text[start:end].lower())
                ends.setdefault(key, End(kind)).spans.append((start - part.start, end - part.start))
                terms[key].append(term)
        if len(ends) > 1:
            yield part, ends, terms


def _made(each: Row | None) -> Iterator[Row]:
    if each is not None and len(each.text) < 1500:
        yield each


def _table(path: Path) -> Iterator[list[str]]:
    yield from (line.split("\t") for line in path.read_text("utf-8").splitlines())


def _tar(path: Path) -> dict[str, str]:
    with tarfile.open(path) as tar:
        return {
            m.name: file.read().decode("utf-8") for m in tar.getmembers() if m.isfile() and (file := tar.extractfile(m))
        }


def _beside(files: Mapping[str, str], stem: str, ending: str) -> str:
    return next((name for name in files if name.endswith(f"{stem}{ending}")), "")


def _standoff(text: str) -> dict[str, tuple[str, int, int]]:
    """Return the entities of a stand-off file: (type, start, end) by term. Entities in several pieces are left out."""
    found = {}
    for line in text.splitlines():
        cells = line.split("\t")
        parts = cells[1].split() if len(cells) > 1 else []
        if cells[0].startswith("T") and len(parts) == 3:
            found[cells[0]] = (parts[0], int(parts[1]), int(parts[2]))
    return found


def _joined(text: str) -> set[frozenset[str]]:
    """Return the pairs of entities that one event joins, directly or through events below it."""
    below: dict[str, set[str]] = {}
    for line in text.splitlines():
        if line.startswith("E"):
            name, _, rest = line.partition("\t")
            below[name] = {part.split(":", 1)[1] for part in rest.split()[1:] if ":" in part}

    def reached(name: str, seen: frozenset[str]) -> set[str]:
        if not name.startswith("E"):
            return {name}
        return {e for each in below.get(name, ()) if each not in seen for e in reached(each, seen | {each})}

    return {frozenset(pair) for name in below for pair in combinations(sorted(reached(name, frozenset({name}))), 2)}


def _standoff_sentences(
    path: Path,
) -> Iterator[tuple[str, str, int, dict[str, tuple[str, int, int]], list[tuple[str, dict[str, str]]]]]:
    """Yield the sentences of a tar file: name, text, PMID, entities and relations (kind, roles)."""
    files = _tar(path)
    for name, text in files.items():
        if not name.endswith(".txt"):
            continue
        stem = name.removesuffix(".txt")
        pmid = str(json.loads(files[f"{stem}.json"]).get("pmid") or 0)
        entities = {t: (k.lower(), s, e) for t, (k, s, e) in _standoff(files.get(f"{stem}.a1", "")).items()}
        relations = []
        for line in files.get(f"{stem}.a2", "").splitlines():
            parts = line.split("\t")[-1].split() if not re.match(r"[RE]\d+\t", line) else line.split("\t", 1)[1].split()
            relations.append((parts[0], dict(part.split(":", 1) for part in parts[1:] if ":" in part)))
        yield name, text, int(pmid) if pmid.isdigit() else 0, entities, relations


def _semantic(kind: str) -> str:
    kinds = set(kind.split(","))
    return (
        "Gene"
        if kinds & _GENE_TYPES
        else "Disease"
        if kinds & _DISEASE_TYPES
        else "Chemical"
        if kinds & {"phsu", "orch", "clnd", "antb", "horm", "vita"}
        else "Other"
    )


def _bel_type(end: Mapping[str, Any]) -> str:
    head = (end["functions"] or [""])[0]
    return {"a": "Chemical", "p": "Gene", "g": "Gene", "r": "Gene", "m": "Gene", "path": "Disease", "act": "Gene"}.get(
        head, "Other"
    )


def _family(key: str) -> str:
    kind = split_key(key)[0]
    return kind if kind in {"Chemical", "Disease", "Gene"} else "Variant"
