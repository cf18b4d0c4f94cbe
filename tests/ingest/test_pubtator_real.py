"""Loads of real documents. Their counts equal those made here line by line from the files."""

import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from groundwork.vocabulary import RELATIONS, canonical
from ingest.documents.document import Annotation
from tests.ingest.reading import documents

BIORED_TYPES = {
    "GeneOrGeneProduct": "Gene",
    "DiseaseOrPhenotypicFeature": "Disease",
    "ChemicalEntity": "Chemical",
    "OrganismTaxon": "Species",
    "CellLine": "CellLine",
}


def lines(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()]


def is_annotation(columns: list[str]) -> bool:
    return len(columns) >= 6 and columns[1].isdigit()


def is_relation(columns: list[str]) -> bool:
    return len(columns) in (4, 5) and not columns[1].isdigit()


def edges(read) -> set[tuple[int, str, str, str]]:
    return {(d.pmid, relation, *canonical(head, tail)) for d in read.items for head, relation, tail in d.relations}


@pytest.mark.parametrize(("name", "count"), [("Train", 400), ("Dev", 100)])
def test_biored_loses_nothing(tmp_path, data, name, count):
    path = data / "biored" / f"{name}.PubTator"
    columns = lines(path)
    relations = [line for line in columns if is_relation(line)]
    annotations = [line for line in columns if is_annotation(line)]
    read = documents(tmp_path, path)
    assert [document.pmid for document in read.items] == [
        int(line[0].split("|")[0]) for line in columns if "|t|" in line[0]
    ]
    assert len(read.items) == read.rows.documents == count
    assert (read.rows.kept, read.rejected) == (len(relations), [])
    assert read.rows.unnormalised == sum(line[5] == "-" for line in annotations)
    assert read.rows.annotations == len(annotations) - read.rows.unnormalised
    assert not read.rows.problems


@pytest.mark.parametrize("name", ["Train", "Dev"])
def test_every_biored_relation_is_an_edge_between_what_the_document_annotates(tmp_path, data, name):
    """The expected edges are made by the rules of the bulk files, without the program's tables."""
    path = data / "biored" / f"{name}.PubTator"
    annotated = defaultdict(set)
    for line in lines(path):
        if is_annotation(line):
            annotated[line[0]].update((part, line[4]) for part in [line[5], *re.split(r"[,|]", line[5])])
    wanted = set()
    for pmid, relation, *ids in (line[:4] for line in lines(path) if is_relation(line)):
        heads, tails = ([plain_key(annotated[pmid], part) for part in parts(ident)] for ident in ids)
        wanted |= {(int(pmid), bulk_name(relation, a, b), *canonical(a, b)) for a in heads for b in tails}
    assert edges(documents(tmp_path, path)) == wanted


def parts(ident: str) -> list[str]:
    """Split the id of a composite mention, which is two diseases joined by a bar. Four relations have such an id."""
    return ident.split("|") if re.fullmatch(r"[DC]\d+(\|[DC]\d+)+", ident) else [ident]


def plain_key(annotated: set[tuple[str, str]], ident: str) -> str:
    (kind,) = {kind for written, kind in annotated if written == ident}
    if kind == "SequenceVariant":
        first = ident[:2]
        variant = (
            "SNP"
            if first == "rs"
            else {"c|": "DNAMutation", "g|": "DNAMutation", "p|": "ProteinMutation"}.get(first, "Mutation")
        )
        return f"{variant}|{ident}"
    return f"{BIORED_TYPES[kind]}|{'MESH:' if ident[0] in 'DC' else ''}{ident}"


def bulk_name(relation: str, one: str, other: str) -> str:
    pair = {one.split("|")[0], other.split("|")[0]}
    pair = {"Variant" if "Mutation" in kind or kind == "SNP" else kind for kind in pair}
    sign = {"Positive_Correlation": 0, "Negative_Correlation": 1}.get(relation)
    if sign is None:
        return {"Association": "associate", "Bind": "interact", "Comparison": "compare", "Conversion": "convert",
                "Cotreatment": "cotreat", "Drug_Interaction": "drug_interact"}[relation]  # fmt: skip
    if pair == {"Chemical", "Disease"}:
        return ("cause", "treat")[sign]
    if pair == {"Disease", "Variant"}:
        return ("cause", "prevent")[sign]
    if pair in ({"Disease", "Gene"}, {"Chemical", "Variant"}):
        return ("stimulate", "inhibit")[sign]
    return ("positive_correlate", "negative_correlate")[sign]


def test_biored_self_relations_are_kept(tmp_path, data):
    read = documents(tmp_path, data / "biored" / "Train.PubTator", data / "biored" / "Dev.PubTator")
    assert {(d.pmid, head) for d in read.items for head, _, tail in d.relations if head == tail} == {
        (27014915, "Gene|4790"),
        (28851297, "Gene|3048"),
        (20428796, "Gene|4052"),
        (24036311, "Gene|22083"),
    }


def test_bc5cdr_every_cid_causes(tmp_path, data):
    path = data / "bc5cdr" / "CDR_TrainingSet.PubTator.txt"
    cid = [line for line in lines(path) if len(line) == 4 and line[1] == "CID"]
    read = documents(tmp_path, path)
    assert len(read.items) == 1000
    assert (read.rows.kept, read.rejected) == (len(cid), []) == (2050, [])
    assert edges(read) == {(int(p), "cause", f"Chemical|MESH:{c}", f"Disease|MESH:{d}") for p, _, c, d in cid}
    annotations = [line for line in lines(path) if is_annotation(line)]
    assert read.rows.unnormalised == sum(line[5] == "-1" for line in annotations)
    assert read.rows.annotations + read.rows.unnormalised == len(annotations)
    assert not read.rows.problems
    toxicity = next(document for document in read.items if document.pmid == 2234245)
    assert toxicity.annotations[:2] == (
        Annotation("Disease|MESH:D014786", "Ocular toxicity"),
        Annotation("Disease|MESH:D006311", "auditory toxicity"),
    )


@pytest.mark.parametrize("name", ["abstract", "full", "full_to_abstract"])
def test_the_api_documents(tmp_path, data, name):
    path = data / "pubtator3" / f"22429397_{name}_240916.pubtator"
    relations = [line for line in lines(path) if is_relation(line)]
    read = documents(tmp_path, path)
    assert (len(read.items), read.rows.kept, read.rejected) == (1, len(relations), []) == (1, 10, [])
    assert (22429397, "negative_correlate", "Chemical|MESH:C046498", "Gene|6611") in edges(read)
    assert all(relation in RELATIONS for _, relation, _, _ in edges(read))
    annotations = [line for line in lines(path) if is_annotation(line)]
    assert read.rows.unnormalised == sum(line[5] == "-" for line in annotations)
    assert len(read.items[0].annotations) == len(annotations) - read.rows.unnormalised


def test_legacy_offsets_beyond_the_text_are_counted_and_lose_nothing(tmp_path, data):
    path = data / "pubtator_legacy" / "1-sample-annotations.txt"
    length: Counter[str] = Counter()
    for line in path.read_text("utf-8").splitlines():
        if text := re.match(r"(\d+)\|([ta])\|(.*)", line):
            length[text[1]] += len(text[3]) + (text[2] == "a")
    annotations = [line for line in lines(path) if is_annotation(line)]
    read = documents(tmp_path, path)
    assert len(read.items) == 132
    assert read.rows.problems == {"beyond_text": sum(int(line[2]) > length[line[0]] for line in annotations)}
    assert read.rows.problems["beyond_text"] > 7600
    assert read.rows.unnormalised == sum(line[5] == "" for line in annotations)
    assert read.rows.annotations == len(annotations) - read.rows.unnormalised
    assert (read.rows.kept, read.rejected) == (0, [])
    assert read.items[0].title == "Hypertrophic chondrocytes undergo further differentiation in culture"
