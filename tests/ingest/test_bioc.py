"""BioC-JSON: the shapes a file can have, how relations name their ends, and what is rejected and why."""

import json

import pytest

from groundwork.errors import InputError
from ingest.documents.document import Annotation
from tests.ingest.reading import documents


def annotation(ident, kind, text="word", offset=0, **more):
    infons = {"identifier": ident, "type": kind, **more}
    return {"id": "1", "infons": infons, "text": text, "locations": [{"offset": offset, "length": len(text)}]}


def role(ident, kind, **more):
    return {"identifier": ident, "type": kind, **more}


def relation(name="Negative_Correlation", one=None, other=None):
    one, other = one or role("MESH:D000001", "Chemical"), other or role("MESH:D000002", "Disease")
    return {"id": "R1", "infons": {"type": name, "score": "0.99", "role1": one, "role2": other}, "nodes": []}


def document(pmid=7, relations=None, annotations=(), **more):
    title = {"infons": {"type": "title", "year": "2012", "journal": "J. 2012;1"}, "offset": 0, "text": "A title."}
    abstract = {"infons": {"type": "abstract"}, "offset": 9, "text": "Words.", "annotations": list(annotations)}
    relations = [relation()] if relations is None else relations
    return {"id": str(pmid), "passages": [title, abstract], "relations": relations} | more


@pytest.mark.parametrize(
    "written",
    [
        lambda found: json.dumps({"PubTator3": found}),
        lambda found: json.dumps({"PubTator3": found}, indent=4),
        lambda found: json.dumps({"source": "x", "infons": {}, "documents": found, "date": "y"}),
        lambda found: json.dumps(found),
        lambda found: "\n".join(map(json.dumps, found)),
        lambda found: "\r\n\r\n".join(json.dumps({"documents": [one]}, indent=1) for one in found),
        lambda found: json.dumps([{"source": "PubMed", "documents": [one]} for one in found]),
        lambda found: "\ufeff  " + json.dumps(found) + "\n\n",
    ],
    ids=[
        "API",
        "indented",
        "collection",
        "array",
        "JSON lines",
        "collections",
        "array of collections",
        "byte order mark",
    ],
)
def test_every_shape_of_a_file_is_read(tmp_path, written):
    read = documents(tmp_path, written([document(7), document(8), document(9)]))
    assert [(d.pmid, d.title, d.abstract, d.year, d.journal) for d in read.items] == [
        (pmid, "A title.", "Words.", 2012, "J. 2012;1") for pmid in (7, 8, 9)
    ]
    assert (read.rows.kept, read.rows.documents, read.rejected) == (3, 3, [])


def test_a_file_of_one_document_is_read_with_its_journal_and_date(tmp_path):
    found = document(journal="Journal", date="2013-01-01T00:00:00Z", pmid=11) | {"id": "PMC9"}
    found["passages"][0]["infons"] = {"type": "front", "article-id_pmid": "12"}
    read = documents(tmp_path, json.dumps(found))
    assert [(d.pmid, d.year, d.journal) for d in read.items] == [(12, 2013, "Journal")]


@pytest.mark.parametrize(
    ("more", "infons", "pmid"),
    [
        ({}, {"article-id_pmc": "1790863", "article-id_pmid": "17299597"}, 17299597),
        ({}, {"article-id_pmc": "PMC1790863", "pmid": " 17299597 "}, 17299597),
        ({"infons": {"article-id_pmid": 17299597}}, {}, 17299597),
        ({"infons": {"pmid": "17299597"}}, {"article-id_pmid": "None"}, 17299597),
        ({"pmid": 17299597, "pmcid": "PMC1790863"}, {}, 17299597),
        ({"id": "17299597"}, {"article-id_pmc": "PMC1790863"}, 17299597),  # as in PubTator3's abstracts
        ({"id": "PMC1790863"}, {}, None),
        ({"id": "pmc1790863"}, {}, None),
        ({}, {"article-id_pmc": "1790863"}, None),
        ({}, {"article-id_pmc": "PMC1790863"}, None),
        ({"pmcid": "PMC1790863", "pmid": None}, {}, None),
        ({"infons": {"pmcid": 1790863}}, {}, None),
        ({"id": None}, {}, None),
    ],
)
def test_a_number_in_pmc_is_never_the_pmid(tmp_path, more, infons, pmid):
    found = document(1790863) | more
    found["passages"][0]["infons"] |= infons
    found["passages"].append(
        {"infons": {"section_type": "REF", "pmid": "99"}, "offset": 20, "text": "Another article."}
    )
    read = documents(tmp_path, json.dumps(found))
    assert [d.pmid for d in read.items] == [pmid] * (pmid is not None)
    assert read.reasons == [(1, "no_pmid")] * (pmid is None)


def test_a_bare_number_in_a_collection_of_pmc_is_not_the_pmid(tmp_path):
    for source, pmids in (("PMC", []), ("PubMed", [1790863])):
        read = documents(tmp_path, json.dumps([{"source": source, "documents": [document(1790863)]}]))
        assert [d.pmid for d in read.items] == pmids
        assert read.reasons == [(1, "no_pmid")] * (not pmids)


def sentence(offset, text, **more):
    return {"infons": {}, "offset": offset, "text": text, **more}


def test_sentences_and_annotations_at_every_level_are_read(tmp_path):
    in_sentence = annotation("D000001", "ChemicalEntity", "Two", 13)
    found = {
        "id": "7",
        "passages": [
            {"infons": {"type": "title"}, "offset": 0, "sentences": [sentence(0, "A title.")]},
            {
                "infons": {"type": "abstract"},
                "offset": 9,
                "text": "",
                "sentences": [
                    sentence(9, "One."),
                    sentence(14, "Two.", annotations=[in_sentence], relations=[relation()]),
                ],
                "annotations": [annotation("D000002", "Disease", "One", 9)],
            },
        ],
        "annotations": [annotation("5", "Gene", "title", 2)],
    }
    read = documents(tmp_path, json.dumps(found))
    (only,) = read.items
    assert (only.title, only.abstract, len(only.relations)) == ("A title.", "One. Two.", 1)
    assert sorted(only.annotations, key=str) == [
        Annotation("Chemical|MESH:D000001", "Two"),
        Annotation("Disease|MESH:D000002", "One"),
        Annotation("Gene|5", "title"),
    ]
    assert not read.rows.problems


def test_full_text_passages_are_left_out_of_the_abstract_but_their_annotations_are_kept(tmp_path):
    found = document()
    intro = {
        "infons": {"type": "paragraph"},
        "offset": 16,
        "text": "More.",
        "annotations": [annotation("5", "Gene", "More", 16)],
    }
    heading = {"infons": {"type": "abstract_title_1"}, "offset": 30, "text": "Methods"}
    second = {"infons": {"type": "abstract"}, "offset": 40, "text": "Second part."}
    found["passages"] += [intro, heading, second]
    read = documents(tmp_path, json.dumps(found))
    assert read.items[0].abstract == "Words. Second part."
    assert read.items[0].annotations == (Annotation("Gene|5", "More"),)
    assert not read.rows.problems


def test_passages_without_a_type_are_told_apart_by_their_offset(tmp_path):
    found = document()
    for passage in found["passages"]:
        passage["infons"] = {}
    (read,) = documents(tmp_path, json.dumps(found)).items
    assert (read.title, read.abstract, read.year) == ("A title.", "Words.", None)


def test_relations_name_their_ends_by_role_by_entity_or_by_type(tmp_path):
    relations = [
        relation(),
        {"infons": {"type": "Association", "entity1": "D000001", "entity2": "D000002", "novel": "No"}},
        {"infons": {"relation": "CID", "Chemical": "D000001", "Disease": "D000002"}},
        {"infons": {"type": "treat", "role1": "Chemical|MESH:D000001", "role2": "Disease|MESH:D000002"}},
    ]
    annotations = [annotation("D000001", "ChemicalEntity"), annotation("D000002", "DiseaseOrPhenotypicFeature")]
    read = documents(tmp_path, json.dumps(document(7, relations, annotations)))
    pair = "Chemical|MESH:D000001", "Disease|MESH:D000002"
    assert [(a, b) for a, _, b in read.items[0].relations] == [pair] * 4
    assert [name for _, name, _ in read.items[0].relations] == ["treat", "associate", "cause", "treat"]


def referring(*refids, name="Negative_Correlation"):
    return {"id": "R1", "infons": {"type": name}, "nodes": [{"refid": refid, "role": ""} for refid in refids]}


@pytest.mark.parametrize(
    ("refids", "relations", "reasons"),
    [
        (("T1", "T2"), [("Chemical|MESH:D000001", "treat", "Disease|MESH:D000002")], []),
        ((1, "T2"), [("Chemical|MESH:D000001", "treat", "Disease|MESH:D000002")], []),
        (("T1", "T9"), [], ["unmatched_id"]),
        (("T1", "T3"), [], ["ambiguous_id"]),
        (("T1", "T4"), [], ["empty_id"]),
        (("T1", "T2", "T2"), [], ["malformed_record"]),
        (("T1",), [], ["malformed_record"]),
        ((), [], ["empty_id"]),
    ],
)
def test_relations_may_refer_to_annotations_by_their_ids(tmp_path, refids, relations, reasons):
    told = [("T1", "MESH:D000001", "Chemical"), (1, "MESH:D000001", "Chemical"), ("T2", "MESH:D000002", "Disease")]
    told += [("T3", "3", "Gene"), ("T3", "4", "Gene"), ("T4", "-", "Gene")]
    annotations = [annotation(ident, kind) | {"id": name} for name, ident, kind in told]
    read = documents(tmp_path, json.dumps(document(relations=[referring(*refids)], annotations=annotations)))
    assert list(read.items[0].relations) == relations
    assert [reason for _, reason in read.reasons] == reasons


def test_relations_within_passages_are_read_too(tmp_path):
    found = document(relations=[])
    found["passages"][1]["relations"] = [relation()]
    assert documents(tmp_path, json.dumps(found)).rows.kept == 1


def test_a_role_that_says_its_type_needs_no_annotation(tmp_path):
    read = documents(tmp_path, json.dumps(document(annotations=[annotation("MESH:D000001", "Disease")])))
    assert read.items[0].relations == (("Chemical|MESH:D000001", "treat", "Disease|MESH:D000002"),)


def test_variants_take_the_subtype_and_are_joined_with_the_annotation(tmp_path):
    tmvar = annotation("tmVar:rs5;VariantGroup:2;CorrespondingGene:7;RS#:5", "Variant", "rs5", 9, subtype="SNP")
    related = relation(
        "Positive_Correlation",
        role("RS#:5;CorrespondingGene:7", "Variant", subtype="SNP"),
        role("MESH:D000002", "Disease"),
    )
    other = relation("Association", role("RS#:6", "Variant", subtype="SNP"), role("MESH:D000002", "Disease"))
    read = documents(tmp_path, json.dumps(document(7, [related, other], [tmvar])))
    assert read.items[0].relations == (
        ("SNP|RS#:5;CorrespondingGene:7", "cause", "Disease|MESH:D000002"),
        ("SNP|RS#:6", "associate", "Disease|MESH:D000002"),
    )
    assert read.items[0].annotations == (Annotation("SNP|RS#:5;CorrespondingGene:7", "rs5"),)
    assert read.rows.problems == {"unmatched_variant": 1}


def test_trouble_with_annotations_is_counted_by_kind(tmp_path):
    found = document(
        annotations=[
            annotation("MESH:D000001", "Disease", "Words.", 9),
            annotation("MESH:D000001", "Disease", "Words.", 10),
            annotation(None, "Disease"),
            annotation("-", "Chemical"),
            {"infons": {"type": "CellLine"}, "text": "x", "locations": []},
            annotation("7", "Chromosome"),
            annotation("MESH:D000001", "Disease", "nul\0"),
            annotation("MESH:D00000\ud800", "Disease"),
        ]
    )
    read = documents(tmp_path, json.dumps(found))
    assert (read.rows.annotations, read.rows.unnormalised) == (2, 3)
    assert read.rows.problems == {"beyond_text": 1, "unknown_type": 1, "malformed": 2}
    assert not read.rejected


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (relation("Regulates"), "unknown_relation"),
        (relation(None), "unknown_relation"),
        (relation(one=role("-", "Chemical")), "empty_id"),
        (relation(one=role(None, "Chemical")), "empty_id"),
        (relation(one={"type": "Chemical"}), "empty_id"),
        (relation(one=role("1", "Chromosome")), "unknown_type"),
        (relation(one="MESH:D000009"), "unmatched_id"),
        (relation(one=role("D00\0", "Chemical")), "nul_byte"),
        (relation(one=role("D00\udcff", "Chemical")), "invalid_utf8"),
        ({"infons": {"type": "Association"}}, "empty_id"),
        ({"id": "R1"}, "empty_id"),
        ("R1", "malformed_record"),
    ],
)
def test_a_relation_that_cannot_be_kept_is_rejected_with_its_line(tmp_path, bad, reason):
    text = json.dumps(document(6)) + "\n" + json.dumps(document(7, [relation(), bad]))
    read = documents(tmp_path, text)
    assert read.reasons == [(2, reason)]
    assert (read.rows.kept, len(read.items)) == (2, 2)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (document("PMC1"), "no_pmid"),
        (document(0), "bad_pmid"),
        (document("10.1/x"), "bad_pmid"),
        ({"id": "7", "passages": [{"offset": 0, "text": " "}], "relations": [relation()]}, "empty_document"),
        ({"id": "7", "passages": [{"annotations": [annotation("-", "Gene")]}]}, "empty_document"),
        (document(passages=[]), "malformed_record"),
        (document(passages="none"), "malformed_record"),
        (document(journal="J\0"), "nul_byte"),
        ({"detail": "not found"}, "malformed_record"),
    ],
)
def test_a_document_that_cannot_be_read_is_rejected_with_its_relations(tmp_path, bad, reason):
    read = documents(tmp_path, "\n".join(map(json.dumps, [document(6), bad, document(8)])))
    assert read.reasons == [(2, reason)]
    assert [d.pmid for d in read.items] == [6, 8]


def test_a_document_that_is_not_an_object_is_rejected(tmp_path):
    read = documents(tmp_path, json.dumps([document(6), 5, "six", None]))
    assert read.rejected == [(1, "malformed_record", text) for text in ("5", '"six"', "null")]


def test_bytes_that_are_not_utf8_reject_their_document(tmp_path):
    good, bad = (json.dumps(document(pmid)).encode() for pmid in (6, 7))
    read = documents(tmp_path, good + b"\n" + bad.replace(b"Words", b"W\xffrds"))
    assert read.reasons == [(2, "invalid_utf8")]
    assert [d.pmid for d in read.items] == [6]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"PubTator3": [document(), document()]})[:-30],
        json.dumps([document()])[:-1],
        json.dumps(document()) + ",",
        json.dumps(document()) + "]",
        '{"PubTator3": [{]}',
        '[{"id": 1} {"id": 2}]',
        "{5: 6}",
        "[" * 100_000,
        "[" + "9" * 10_000 + "]",
    ],
)
def test_broken_json_is_an_error_that_names_the_line(tmp_path, text):
    with pytest.raises(InputError, match=r"source0, line 3: invalid JSON"):
        documents(tmp_path, "\n\n" + text)


def test_a_file_of_an_empty_list_has_no_documents(tmp_path):
    assert documents(tmp_path, '{"PubTator3": []}').items == []
