"""The files of the sample release agree in form, numbers, names and offsets, and with its README."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from tests.sample.files import (
    RELEASES,
    SAMPLE,
    TYPE_RANK,
    Row,
    coarse_type,
    concepts,
    documents,
    edges,
    key_of,
    lines,
    mentions_of_keys,
    names,
    order,
    pubmed,
    readme_concepts,
    readme_table,
    record_text,
    rows,
    sentences,
)

FIRST_SAMPLE_NUMBER = 990_000_001
RELATIONS = {
    "associate", "cause", "compare", "cotreat", "drug_interact", "inhibit",
    "interact", "negative_correlate", "positive_correlate", "prevent", "stimulate", "treat",
}  # fmt: skip
AMBIGUOUS = {"insulin"}  # intended: the name of the hormone and of its gene

BIORED_TO_BULK = {  # by the types of the pair, with one type for all variants, as NCBI writes them in the bulk file
    "Positive_Correlation": {"Chemical-Disease": "cause", "Disease-Gene": "stimulate", "Disease-Variant": "cause"},
    "Negative_Correlation": {"Chemical-Disease": "treat", "Disease-Gene": "inhibit", "Disease-Variant": "prevent"},
}
BIORED_ELSE = {
    "Positive_Correlation": "positive_correlate", "Negative_Correlation": "negative_correlate",
    "Association": "associate", "Bind": "interact", "Cotreatment": "cotreat",
    "Comparison": "compare", "Drug_Interaction": "drug_interact",
}  # fmt: skip


# Form


@pytest.mark.parametrize("name", RELEASES)
def test_relation_rows_are_well_formed(name: str) -> None:
    assert all(len(line.split("\t")) == 4 for line in lines(name))
    assert len(set(lines(name))) == len(lines(name))
    assert {row.relation for row in rows(name)} == RELATIONS
    assert all(key.split("|")[0] in TYPE_RANK for key in concepts(name))


@pytest.mark.parametrize("name", RELEASES)
def test_pairs_are_in_canonical_order(name: str) -> None:
    assert [row for row in rows(name) if order(row.head) > order(row.tail)] == []


@pytest.mark.parametrize("name", RELEASES)
def test_pairs_of_types_that_the_real_file_lacks_do_not_occur(name: str) -> None:
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


def test_the_preferred_name_is_the_most_frequent_mention_without_a_tie() -> None:
    preferred = {f"{type_}|{id_}": name for type_, id_, name, _ in readme_concepts()}
    for key, counts in mentions_of_keys().items():
        folded: Counter[str] = Counter()
        for mention, count in counts.items():
            folded[mention.casefold()] += count
        for counter, name in ((counts, preferred[key]), (folded, preferred[key].casefold())):
            (first, most), *others = counter.most_common()
            assert first == name, key
            assert all(count < most for _, count in others), (key, counter)


def test_a_name_means_one_concept_except_for_intended_ambiguities() -> None:
    keys: dict[str, set[str]] = defaultdict(set)
    for key, counts in mentions_of_keys().items():
        for mention in counts:
            keys[mention.casefold()].add(key)
    assert {name for name, found in keys.items() if len(found) > 1} == AMBIGUOUS


# Documents


def test_offsets_are_right_and_annotations_are_ordered_without_overlap() -> None:
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
                (key,) = [
                    key for key in keys if key.split("|", 1)[1] == end
                ]  # the document annotates exactly one concept with this id
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


def test_the_pubmed_file_has_labels_a_retraction_and_a_deletion() -> None:
    pmids = [int(record.findtext("MedlineCitation/PMID")) for record in pubmed().iter("PubmedArticle")]
    assert len(pmids) == len(set(pmids)) == 6
    labels = [node.get("Label") for node in pubmed().iter("AbstractText") if node.get("Label")]
    assert {"BACKGROUND", "METHODS", "RESULTS", "CONCLUSIONS"} <= set(labels)
    (retraction,) = [node for node in pubmed().iter("CommentsCorrections") if node.get("RefType") == "RetractionIn"]
    assert int(retraction.findtext("PMID")) in pmids
    (deleted,) = [int(node.text) for node in pubmed().findall("DeleteCitation/PMID")]
    assert deleted in pmids
    assert deleted not in documents()


def test_a_record_that_replaces_a_document_mentions_its_concepts() -> None:
    shared = 0
    for record in pubmed().iter("PubmedArticle"):
        pmid = int(record.findtext("MedlineCitation/PMID"))
        if pmid in documents():
            shared += 1
            text = record_text(record).casefold()
            for key in {key_of(a.type, a.id) for a in documents()[pmid].annotations}:
                assert any(mention.casefold() in text for mention in mentions_of_keys()[key]), (pmid, key)
    assert shared == 2


# The README


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


def test_the_readme_lists_every_number_of_the_sample() -> None:
    spans = [re.findall(r"\d{9}", numbers) for numbers, _ in readme_table("Numbers", "Stand in")]
    listed = {number for first, last in spans for number in range(int(first), int(last) + 1)}
    assert listed == {number for _, number in all_numbers()}
