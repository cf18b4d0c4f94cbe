"""The sample release keeps what its README promises: real identifiers, right offsets, one story in all its files."""

import csv
import gzip
import html
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from lxml import etree

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "truthhypo" / "sample"
SHARED = Path(os.environ.get("TRUTHHYPO_SHARED", ROOT.parent / "shared")) / "data"
RELEASES = ["relation2pubtator3.tsv", "relation2pubtator3.next.tsv"]

FIRST_SAMPLE_NUMBER = 990_000_001
RELATIONS = {
    "associate", "cause", "compare", "cotreat", "drug_interact", "inhibit",
    "interact", "negative_correlate", "positive_correlate", "prevent", "stimulate", "treat",
}  # fmt: skip
SIGNS = {
    "positive_correlate": 1, "stimulate": 1, "cause": 1,
    "negative_correlate": -1, "inhibit": -1, "treat": -1, "prevent": -1,
}  # fmt: skip
TYPE_RANK = {"Chemical": 0, "Disease": 1, "Gene": 2, "SNP": 3, "DNAMutation": 3, "ProteinMutation": 3}
VARIANTS = {type_ for type_, rank in TYPE_RANK.items() if rank == 3}
AMBIGUOUS = {"insulin"}  # on purpose: the hormone and its gene

BIORED_TO_BULK = {  # by the types of the pair, variants as one; as NCBI rewrites them for the bulk file
    "Positive_Correlation": {"Chemical-Disease": "cause", "Disease-Gene": "stimulate", "Disease-Variant": "cause"},
    "Negative_Correlation": {"Chemical-Disease": "treat", "Disease-Gene": "inhibit", "Disease-Variant": "prevent"},
}
BIORED_ELSE = {
    "Positive_Correlation": "positive_correlate", "Negative_Correlation": "negative_correlate",
    "Association": "associate", "Bind": "interact", "Cotreatment": "cotreat",
    "Comparison": "compare", "Drug_Interaction": "drug_interact",
}  # fmt: skip


class Row(NamedTuple):
    pmid: int
    relation: str
    head: str
    tail: str


class Names(NamedTuple):
    pmid: int
    type: str
    id: str
    mentions: list[str]


class Annotation(NamedTuple):
    start: int
    end: int
    mention: str
    type: str
    id: str


class Document(NamedTuple):
    pmid: int
    title: str
    abstract: str
    annotations: list[Annotation]
    relations: list[tuple[str, str, str]]

    @property
    def text(self) -> str:
        return f"{self.title} {self.abstract}"


# Reading, plainly and apart from the program's own readers


def lines(name: str) -> list[str]:
    text = (SAMPLE / name).read_bytes().decode("utf-8")
    assert "\r" not in text
    assert text.endswith("\n")
    return text.removesuffix("\n").split("\n")


@cache
def rows(name: str = RELEASES[0]) -> list[Row]:
    return [
        Row(int(pmid), relation, html.unescape(head), html.unescape(tail))
        for pmid, relation, head, tail in (line.split("\t") for line in lines(name))
    ]


@cache
def names() -> list[Names]:
    split = (line.split("\t") for line in lines("bioconcepts2pubtator3.tsv"))
    return [Names(int(pmid), type_, id_, mentions.split("|")) for pmid, type_, id_, mentions, _resource in split]


@cache
def documents() -> dict[int, Document]:
    found = {}
    for block in "\n".join(lines("documents.pubtator")).split("\n\n"):
        title, abstract, *rest = block.strip("\n").split("\n")
        pmid, _, title_text = title.split("|", 2)
        assert title.split("|")[1] == "t"
        assert abstract.startswith(f"{pmid}|a|")
        annotations, relations = [], []
        for fields in (line.split("\t") for line in rest):
            assert fields[0] == pmid
            if len(fields) == 6:
                annotations.append(Annotation(int(fields[1]), int(fields[2]), *fields[3:]))
            else:
                relations.append((fields[1], fields[2], fields[3]))
        assert int(pmid) not in found
        found[int(pmid)] = Document(int(pmid), title_text, abstract.split("|", 2)[2], annotations, relations)
    return found


@cache
def pubmed() -> etree._Element:
    parser = etree.XMLParser(no_network=True, load_dtd=False)
    return etree.parse(SAMPLE / "pubmed.xml", parser).getroot()


def record_text(record: etree._Element) -> str:
    return " ".join("".join(part.itertext()) for part in record.iter("ArticleTitle", "AbstractText"))


def concepts(name: str = RELEASES[0]) -> set[str]:
    return {key for row in rows(name) for key in (row.head, row.tail)}


def part(id_: str, name: str) -> str | None:
    """A named part of a variant's id, e.g. its `RS#`."""
    found = [piece.partition(":")[2] for piece in id_.split(";") if piece.startswith(f"{name}:")]
    return found[0] if found else None


def is_variant(key: str) -> bool:
    return key.split("|")[0] in VARIANTS


def coarse_type(key: str) -> str:
    """The key's type, with all variant types as one."""
    return "Variant" if is_variant(key) else key.split("|")[0]


def key_of(type_: str, id_: str) -> str:
    """The key the relation file gives a concept; a variant is joined by its dbSNP number."""
    if type_ != "Mutation" and type_ not in VARIANTS:
        return f"{type_}|{id_}"
    number = part(id_, "RS#")
    variants = {part(key.split("|", 1)[1], "RS#"): key for key in concepts() if is_variant(key)}
    return variants[number]


def mentions_of_keys() -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in names():
        counts[key_of(row.type, row.id)].update(row.mentions)
    return counts


def resolve(name: str) -> set[str]:
    return {
        key
        for key, counts in mentions_of_keys().items()
        if name.casefold() in {mention.casefold() for mention in counts}
    }


def order(key: str) -> tuple[int, str, str]:
    type_, id_ = key.split("|", 1)
    return TYPE_RANK[type_], id_, type_


def edges(name: str = RELEASES[0]) -> dict[tuple[str, str, str], set[int]]:
    found: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for row in rows(name):
        found[row.head, row.relation, row.tail].add(row.pmid)
    return found


# Form


@pytest.mark.parametrize("name", RELEASES)
def test_relation_rows_are_well_formed(name: str) -> None:
    assert all(len(line.split("\t")) == 4 for line in lines(name))
    assert len(set(lines(name))) == len(lines(name))
    assert {row.relation for row in rows(name)} == RELATIONS
    assert all(key.split("|")[0] in TYPE_RANK for key in concepts(name))


@pytest.mark.parametrize("name", RELEASES)
def test_pairs_stand_in_canonical_order(name: str) -> None:
    assert [row for row in rows(name) if order(row.head) > order(row.tail)] == []


@pytest.mark.parametrize("name", RELEASES)
def test_only_pairs_of_types_that_the_real_file_has(name: str) -> None:
    pairs = {(coarse_type(row.head), coarse_type(row.tail)) for row in rows(name)}
    assert ("Disease", "Disease") not in pairs
    assert ("Gene", "Variant") not in pairs


def test_the_size_is_that_of_a_sample() -> None:
    assert 35 <= len(concepts()) <= 50
    assert 90 <= len(rows()) <= 150
    assert 20 <= len(documents()) <= 25


def test_a_variant_is_written_with_an_html_entity_as_in_the_real_file() -> None:
    assert any("c.677C&gt;T" in line for line in lines(RELEASES[0]))
    assert any("c.677C>T" in key for key in concepts())


# Sample numbers


def all_numbers() -> Iterator[tuple[str, int]]:
    for name in RELEASES:
        yield from ((name, row.pmid) for row in rows(name))
    yield from (("bioconcepts2pubtator3.tsv", row.pmid) for row in names())
    yield from (("documents.pubtator", pmid) for pmid in documents())
    yield from (("pubmed.xml", int(node.text)) for node in pubmed().iter("PMID"))
    yield from (("pubmed.xml", int(node.text)) for node in pubmed().iter("ArticleId"))


def test_every_pmid_is_a_sample_number() -> None:
    assert [(n, p) for n, p in all_numbers() if not FIRST_SAMPLE_NUMBER <= p < FIRST_SAMPLE_NUMBER + 999] == []


def test_every_title_says_that_it_is_a_sample() -> None:
    titles = [document.title for document in documents().values()]
    titles += ["".join(node.itertext()) for node in pubmed().iter("ArticleTitle")]
    assert len(titles) == len(documents()) + 6
    assert [title for title in titles if not title.startswith("[Sample] ")] == []


# Names


def test_every_concept_of_a_relation_row_has_a_name_row_of_that_article() -> None:
    named = {(row.pmid, key_of(row.type, row.id)) for row in names()}
    assert [row for row in rows() for key in (row.head, row.tail) if (row.pmid, key) not in named] == []
    assert concepts(RELEASES[1]) <= concepts()


def test_one_name_row_per_article_and_concept() -> None:
    assert all(len(line.split("\t")) == 5 for line in lines("bioconcepts2pubtator3.tsv"))
    assert max(Counter((row.pmid, row.type, row.id) for row in names()).values()) == 1
    assert all(mention and mention == mention.strip() for row in names() for mention in row.mentions)


def test_the_most_frequent_mention_is_the_preferred_name_and_there_is_no_tie() -> None:
    preferred = {f"{type_}|{id_}": name for type_, id_, name, _ in readme_concepts()}
    for key, counts in mentions_of_keys().items():
        folded: Counter[str] = Counter()
        for mention, count in counts.items():
            folded[mention.casefold()] += count
        for counter, name in ((counts, preferred[key]), (folded, preferred[key].casefold())):
            (first, most), *others = counter.most_common()
            assert first == name, key
            assert all(count < most for _, count in others), (key, counter)


def test_a_name_means_one_concept_but_for_those_that_are_meant_to_be_ambiguous() -> None:
    keys: dict[str, set[str]] = defaultdict(set)
    for key, counts in mentions_of_keys().items():
        for mention in counts:
            keys[mention.casefold()].add(key)
    assert {name for name, found in keys.items() if len(found) > 1} == AMBIGUOUS


# Documents


def test_offsets_are_right_in_order_and_apart() -> None:
    for document in documents().values():
        end = 0
        for annotation in document.annotations:
            assert document.text[annotation.start : annotation.end] == annotation.mention
            assert annotation.start >= end, (document.pmid, annotation)
            end = annotation.end


def test_no_mention_of_an_annotated_name_is_left_unannotated() -> None:
    for document in documents().values():
        for name in {annotation.mention for annotation in document.annotations}:
            found = {match.start() for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", document.text)}
            covered = {s for a in document.annotations for s in range(a.start, a.end)}
            assert found <= covered, (document.pmid, name)


def test_annotations_name_concepts_of_the_sample_as_the_entity_rows_do() -> None:
    mentions: dict[tuple[int, str], set[str]] = defaultdict(set)
    for document in documents().values():
        for annotation in document.annotations:
            assert annotation.type in TYPE_RANK
            mentions[document.pmid, key_of(annotation.type, annotation.id)].add(annotation.mention)
    rows_of_documents = {
        (row.pmid, key_of(row.type, row.id)): set(row.mentions) for row in names() if row.pmid in documents()
    }
    assert rows_of_documents == dict(mentions)


def document_rows() -> set[Row]:
    found = set()
    for document in documents().values():
        keys = {key_of(a.type, a.id) for a in document.annotations}
        for name, left, right in document.relations:
            pair = []
            for end in (left, right):
                (key,) = [key for key in keys if key.split("|", 1)[1] == end]  # annotated there, one of that id
                pair.append(key)
            head, tail = sorted(pair, key=order)
            types = f"{coarse_type(head)}-{coarse_type(tail)}"
            relation = BIORED_TO_BULK.get(name, {}).get(types) or BIORED_ELSE[name]
            found.add(Row(document.pmid, relation, head, tail))
    return found


def test_the_documents_relations_are_the_relation_rows_of_their_articles() -> None:
    assert document_rows() == {row for row in rows() if row.pmid in documents()}
    assert sum(len(document.relations) for document in documents().values()) == len(document_rows())
    assert {row for row in rows(RELEASES[1]) if row.pmid in documents()} == document_rows()


def test_abstracts_are_short_and_some_report_a_negative_finding() -> None:
    counts = [len(sentences(document.abstract)) for document in documents().values()]
    assert set(counts) <= {2, 3, 4}
    assert sum(" did not " in document.abstract for document in documents().values()) >= 5


# PubMed


def test_pubmed_records() -> None:
    pmids = [int(record.findtext("MedlineCitation/PMID")) for record in pubmed().iter("PubmedArticle")]
    assert len(pmids) == len(set(pmids)) == 6
    labels = [node.get("Label") for node in pubmed().iter("AbstractText") if node.get("Label")]
    assert {"BACKGROUND", "METHODS", "RESULTS", "CONCLUSIONS"} <= set(labels)
    (retraction,) = [node for node in pubmed().iter("CommentsCorrections") if node.get("RefType") == "RetractionIn"]
    assert int(retraction.findtext("PMID")) in pmids
    (deleted,) = [int(node.text) for node in pubmed().findall("DeleteCitation/PMID")]
    assert deleted in pmids
    assert deleted not in documents()


def test_a_record_that_takes_a_documents_place_speaks_of_its_concepts() -> None:
    shared = 0
    for record in pubmed().iter("PubmedArticle"):
        pmid = int(record.findtext("MedlineCitation/PMID"))
        if pmid in documents():
            shared += 1
            text = record_text(record).casefold()
            for key in {key_of(a.type, a.id) for a in documents()[pmid].annotations}:
                assert any(mention.casefold() in text for mention in mentions_of_keys()[key]), (pmid, key)
    assert shared == 2


# The graph has what the tutorials show


def test_there_is_mixed_evidence_a_self_relation_and_beliefs_of_various_strength() -> None:
    relations: dict[tuple[str, str], set[str]] = defaultdict(set)
    for head, relation, tail in edges():
        relations[head, tail].add(relation)
    assert sum({"treat", "cause"} <= found for found in relations.values()) >= 2
    assert sum({"positive_correlate", "negative_correlate"} <= found for found in relations.values()) >= 2
    assert [pair for pair in relations if pair[0] == pair[1]] == [("Gene|7157", "Gene|7157")]
    assert {1, 2, 3, 4, 6} <= {len(pmids) for pmids in edges().values()}


def paths(name: str, head: str, tail: str, hops: int) -> Iterator[tuple[list[str], int]]:
    """Simple paths and their signs; 0 where a relation on the way has none."""
    steps: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for left, relation, right in edges(name):
        steps[left].add((right, SIGNS.get(relation, 0)))
        steps[right].add((left, SIGNS.get(relation, 0)))

    def walk(path: list[str], sign: int) -> Iterator[tuple[list[str], int]]:
        for concept, step in sorted(steps[path[-1]]):
            if concept == tail:
                yield [*path, concept], sign * step
            elif concept not in path and len(path) < hops:
                yield from walk([*path, concept], sign * step)

    return walk([head], 1)


def test_chains_of_one_to_three_hops() -> None:
    simvastatin, metformin, aspirin, captopril = (
        key for name in ("simvastatin", "metformin", "aspirin", "captopril") for key in resolve(name)
    )
    lengths = {len(path) - 1 for path, _ in paths(RELEASES[0], metformin, *resolve("type 2 diabetes mellitus"), hops=3)}
    assert lengths == {1, 2, 3}
    assert {1, 2} <= {len(path) - 1 for path, _ in paths(RELEASES[0], simvastatin, *resolve("cholesterol"), hops=3)}
    assert min(len(path) - 1 for path, _ in paths(RELEASES[0], captopril, aspirin, hops=3)) == 2


# The statements


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=\.)\s+(?=[A-Zrp])", text.strip())


def statements() -> list[tuple[str, str, str]]:
    return [re.fullmatch(r"(.+) (lowers|causes|treats) (.+)\.", line).groups() for line in lines("statements.txt")]


def ends(number: int) -> tuple[str, str]:
    subject, _, object_ = statements()[number]
    (head,), (tail,) = resolve(subject), resolve(object_)
    return head, tail


def texts() -> list[str]:
    """Every title and abstract, PubMed's own beside the documents'."""
    return [d.text for d in documents().values()] + [record_text(record) for record in pubmed().iter("PubmedArticle")]


def names_in(text: str, key: str) -> bool:
    return any(re.search(rf"(?i)(?<!\w){re.escape(mention)}(?!\w)", text) for mention in mentions_of_keys()[key])


def naming_both(head: str, tail: str) -> list[str]:
    return [s for text in texts() for s in sentences(text) if names_in(s, head) and names_in(s, tail)]


def relations_between(name: str, head: str, tail: str) -> set[str]:
    return {relation for left, relation, right in edges(name) if {left, right} == {head, tail}}


def test_the_statements_names_resolve_to_one_concept_each() -> None:
    assert len(statements()) == 3
    for subject, _, object_ in statements():
        for name in (subject, object_):
            assert len(resolve(name)) == 1, name


@pytest.mark.parametrize("name", RELEASES)
def test_the_first_statement_is_supported_by_graph_and_abstracts(name: str) -> None:
    head, tail = ends(0)
    assert statements()[0][1] == "lowers"
    assert relations_between(name, head, tail) == {"negative_correlate"}
    assert {sign for path, sign in paths(name, head, tail, hops=3)} <= {-1, 0}
    assert len(naming_both(head, tail)) >= 2
    for sentence in naming_both(head, tail):
        assert re.search(r"\b(lowers|lowered|inhibits)\b", sentence), sentence
        assert " not " not in sentence


@pytest.mark.parametrize("name", RELEASES)
def test_the_second_statement_is_contradicted_by_graph_and_abstracts(name: str) -> None:
    head, tail = ends(1)
    assert statements()[1][1] == "causes"
    assert relations_between(name, head, tail) == {"treat"}
    assert any(re.search(r"\b(prevents|reduced)\b", sentence) for sentence in naming_both(head, tail))
    for sentence in naming_both(head, tail):
        assert not re.search(r"\b(causes?|caused|not)\b", sentence), sentence


def test_the_next_release_opens_roundabout_paths_for_the_second_statement() -> None:
    head, tail = ends(1)
    signs = [[sign for _, sign in paths(name, head, tail, hops=3)] for name in RELEASES]
    assert 1 not in signs[0]
    assert signs[1].count(1) == 3


def test_the_third_statement_has_no_evidence_at_all() -> None:
    head, tail = ends(2)
    for name in RELEASES:
        assert list(paths(name, head, tail, hops=len(concepts()))) == []
    assert [text for text in texts() if names_in(text, head) and names_in(text, tail)] == []
    assert any(names_in(text, head) for text in texts())
    assert any(names_in(text, tail) for text in texts())


# The README


def readme_table(*header: str) -> list[list[str]]:
    text = (SAMPLE / "README.md").read_text(encoding="utf-8")
    _, _, rest = text.partition("| " + " | ".join(header) + " |\n")
    assert rest, header
    table = rest.split("\n\n")[0].strip().split("\n")[1:]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in table]


def readme_concepts() -> list[list[str]]:
    return readme_table("Type", "Id", "Name here", "Registered as")


def test_the_readme_counts_are_true() -> None:
    table = {
        name: (int(count), says) for name, _, count, says in readme_table("File", "Format", "Rows", "What it holds")
    }
    assert set(table) == {path.name for path in SAMPLE.iterdir() if path.is_file()} - {"README.md"}
    for name in [*RELEASES, "bioconcepts2pubtator3.tsv", "statements.txt"]:
        assert table[name][0] == len(lines(name)), name
    assert table["documents.pubtator"][0] == len(document_rows())
    records, withdrawn = pubmed().findall("PubmedArticle"), pubmed().findall("DeleteCitation/PMID")
    assert table["pubmed.xml"][0] == len(records) + len(withdrawn)
    assert table[RELEASES[0]][1].startswith(f"{len(edges())} edges between {len(concepts())} concepts")
    assert table["documents.pubtator"][1].startswith(f"{len(documents())} short abstracts")

    before, after = edges(RELEASES[0]), edges(RELEASES[1])
    changed = sum(before[edge] != after[edge] for edge in before.keys() & after.keys())
    added, removed = len(after.keys() - before.keys()), len(before.keys() - after.keys())
    assert min(added, changed, removed) > 0
    assert table[RELEASES[1]][1].endswith(f"{added} edges added, {changed} changed, {removed} removed")


def test_the_readme_says_what_the_numbers_are_and_shows_the_statements_and_every_concept() -> None:
    text = (SAMPLE / "README.md").read_text(encoding="utf-8")
    assert "The PMIDs here are sample numbers, not articles." in text
    assert [row[0] for row in readme_table("Statement", "Verdict", "Why")] == lines("statements.txt")
    assert Counter(f"{type_}|{id_}" for type_, id_, *_ in readme_concepts()) == Counter(concepts())


def test_the_readme_places_every_number() -> None:
    spans = [re.findall(r"\d{9}", numbers) for numbers, _ in readme_table("Numbers", "Stand in")]
    listed = {number for first, last in spans for number in range(int(first), int(last) + 1)}
    assert listed == {number for _, number in all_numbers()}


# Identifiers, against the registries themselves


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
    """By dbSNP number: the mentions under it, and the human genes that stand in the same articles."""
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


def test_names_of_chemicals_and_diseases_that_real_annotators_used_have_our_identifier_there() -> None:
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
