"""Every identifier of the sample is real: from MeSH, from NCBI Gene, or a variant from real annotations."""

import csv
import gzip
import os
import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.sample.files import (
    ROOT,
    VARIANTS,
    concepts,
    is_variant,
    key_of,
    mentions_of_keys,
    names,
    part,
    readme_concepts,
)

SHARED = Path(os.environ.get("TRUTHHYPO_SHARED", ROOT.parent / "shared")) / "data"


def need(*parts: str) -> Path:
    path = SHARED.joinpath(*parts)
    if not path.exists():
        reason = f"the real data to check identifiers with is not at {path}; set TRUTHHYPO_SHARED"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    return path


def registered(*types: str) -> list[tuple[str, str, str]]:
    return [(type_, id_, name) for type_, id_, _, name in readme_concepts() if type_ in types]


def test_mesh_identifiers_are_the_descriptors_that_the_readme_names() -> None:
    with need("mesh", "terms.tsv").open(encoding="utf-8", newline="") as file:
        descriptors = {row["mesh_id"]: row["mesh_name"] for row in csv.DictReader(file, delimiter="\t")}
    asked = registered("Chemical", "Disease")
    assert len(asked) == sum(key.startswith(("Chemical|", "Disease|")) for key in concepts())
    assert {id_: name for _, id_, name in asked} == {
        id_: descriptors.get(id_.removeprefix("MESH:")) for _, id_, _ in asked
    }


def test_mesh_identifiers_stand_in_the_tree_of_their_type() -> None:
    trees: dict[str, set[str]] = defaultdict(set)
    with need("mesh", "tree-numbers.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            trees[f"MESH:{row['mesh_id']}"].add(row["mesh_tree_number"][0])
    for type_, id_, name in registered("Chemical", "Disease"):
        assert {"Chemical": "D", "Disease": "C"}[type_] in trees[id_], name


def human_genes() -> dict[str, tuple[str, set[str]]]:
    with gzip.open(need("genes", "Homo_sapiens.gene_info.gz"), "rt", encoding="utf-8") as file:
        next(file)
        fields = (line.split("\t") for line in file)
        return {f[1]: (f[2], {f[2], *f[4].split("|")}) for f in fields if f[0] == "9606"}


def test_gene_identifiers_are_the_human_genes_that_the_readme_names() -> None:
    genes = human_genes()
    asked = registered("Gene")
    assert len(asked) == sum(key.startswith("Gene|") for key in concepts())
    for _, id_, symbol in asked:
        assert genes[id_][0] == symbol
        assert mentions_of_keys()[f"Gene|{id_}"].most_common(1)[0][0] == symbol


def real_variants() -> dict[str, tuple[set[str], set[str]]]:
    """Map each dbSNP number to its mentions and to the human genes in the same articles."""
    mentions: dict[str, set[str]] = defaultdict(set)
    articles: dict[str, set[str]] = defaultdict(set)
    genes: dict[str, set[str]] = defaultdict(set)
    for path in (
        need("biored", "Train.PubTator"),
        need("biored", "Dev.PubTator"),
        need("pubtator3", "genuine_relation2pubtator3_lines.tsv"),
        need("pubtator_legacy", "1-sample-annotations.txt"),
    ):
        for line in path.read_text(encoding="utf-8").split("\n"):
            fields = line.split("\t")
            for number in re.findall(r"(?:\brs|RS#:)(\d+)", " ".join(fields[1:])):
                articles[number].add(fields[0])
                genes[number].update(re.findall(r"CorrespondingGene:(\d+)", line))
                mentions[number].update([fields[3]] if len(fields) == 6 else [])
    by_article: dict[str, set[str]] = defaultdict(set)
    for name in ("biored/Train.PubTator", "biored/Dev.PubTator", "pubtator_legacy/1-sample-annotations.txt"):
        for fields in (line.split("\t") for line in need(name).read_text(encoding="utf-8").split("\n")):
            if len(fields) == 6 and fields[4].startswith("Gene"):
                by_article[fields[0]].update(re.split(r"[,;]", fields[5]))
    for number, pmids in articles.items():
        genes[number].update(*(by_article[pmid] for pmid in pmids))
    return {number: (mentions[number], genes[number]) for number in articles}


def test_variants_have_their_real_numbers_and_genes() -> None:
    known, genes = real_variants(), human_genes()
    asked = registered(*VARIANTS)
    assert len(asked) == sum(map(is_variant, concepts())) == 5
    for _, id_, said in asked:
        number, gene, change = part(id_, "RS#"), part(id_, "CorrespondingGene"), part(id_, "HGVS")
        assert number in known, said
        mentions, real_genes = known[number]
        assert gene in real_genes, said
        symbol, name = re.fullmatch(rf"(\w+) (\S+), rs{number}", said).groups()
        assert genes[gene][0] == symbol
        assert name in mentions, said
        if change:
            assert re.sub(r"^[pc]\.", "", change) in mentions, said


def test_entity_ids_of_variants_agree_with_the_relations_ids() -> None:
    for row in (row for row in names() if row.type == "Mutation"):
        id_ = key_of(row.type, row.id).split("|", 1)[1]
        assert part(row.id, "CorrespondingGene") == part(id_, "CorrespondingGene")
        assert part(id_, "HGVS") in (None, part(row.id, "HGVS"))


def test_names_of_chemicals_and_diseases_have_the_identifier_that_real_annotators_gave_them() -> None:
    real: dict[str, set[str]] = defaultdict(set)
    for path in (
        need("biored", "Train.PubTator"),
        need("biored", "Dev.PubTator"),
        need("bc5cdr", "CDR_TrainingSet.PubTator.txt"),
    ):
        for fields in (line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")):
            if len(fields) >= 6 and fields[4].startswith(("Chemical", "Disease")):
                real[fields[3].casefold()].update(re.split(r"[,|;]", fields[5]))
    checked = 0
    for key, counts in mentions_of_keys().items():
        for mention in counts if key.startswith(("Chemical|", "Disease|")) else ():
            if mention.casefold() in real:
                checked += 1
                assert key.rpartition(":")[2] in real[mention.casefold()], (mention, key)
    assert checked >= 40
