"""PubTator's text format: the forms of a line, how documents are told apart, and what is rejected and why."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.errors import InputError
from ingest.documents.document import Annotation
from tests.ingest.reading import documents

BIORED = """\
10|t|Metformin and diabetes
10|a|Metformin helps. AMPK too.
10	0	9	Metformin	ChemicalEntity	D008687
10	14	22	diabetes	DiseaseOrPhenotypicFeature	D003920
10	40	44	AMPK	GeneOrGeneProduct	5562,5563
10	Negative_Correlation	D008687	D003920	Novel
10	Association	D003920	5562	No

"""


def test_a_document_with_all_it_holds(tmp_path):
    read = documents(tmp_path, BIORED)
    (document,) = read.items
    assert (document.pmid, document.title, document.abstract) == (
        10,
        "Metformin and diabetes",
        "Metformin helps. AMPK too.",
    )
    assert (document.year, document.journal) == (None, None)
    assert document.annotations == (
        Annotation("Chemical|MESH:D008687", "Metformin"),
        Annotation("Disease|MESH:D003920", "diabetes"),
        Annotation("Gene|5562", "AMPK"),
        Annotation("Gene|5563", "AMPK"),
    )
    assert document.relations == (
        ("Chemical|MESH:D008687", "treat", "Disease|MESH:D003920"),
        ("Disease|MESH:D003920", "associate", "Gene|5562"),
    )
    assert (read.rows.kept, read.rows.documents, read.rows.annotations) == (2, 1, 3)
    assert not read.rejected


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: "\ufeff" + text,
        lambda text: "\n\n" + text,
    ],
    ids=["CRLF", "no line end", "blank lines within", "byte order mark", "blank lines before"],
)
def test_layout_does_not_matter(tmp_path, change):
    assert documents(tmp_path, change(BIORED)).items == documents(tmp_path, BIORED).items


def test_a_gzip_file_is_read_like_a_plain_one(tmp_path):
    path = tmp_path / "documents.gz"
    path.write_bytes(gzip.compress(BIORED.encode()))
    assert documents(tmp_path, path).items == documents(tmp_path, BIORED).items


def test_a_new_pmid_or_a_second_title_begins_a_document(tmp_path):
    text = "1|t|one\n2|t|two\n2|a|first\n2|a|second\n2|t|two again\n"
    read = documents(tmp_path, text)
    assert [(d.pmid, d.title, d.abstract) for d in read.items] == [
        (1, "one", ""),
        (2, "two", "first second"),
        (2, "two again", ""),
    ]


def test_relations_may_stand_before_annotations(tmp_path):
    lines = BIORED.splitlines()
    shuffled = "\n".join([*lines[:2], *lines[5:7], *lines[2:5]])
    assert documents(tmp_path, shuffled).items == documents(tmp_path, BIORED).items


def test_the_three_forms_of_a_relation(tmp_path):
    text = """\
1|t|t
1	0	1	a	Chemical	MESH:D000001
1	0	1	b	Disease	D000002
1	Positive_Correlation	MESH:D000001	MESH:D000002
1	Positive_Correlation	D000001	D000002	Novel
1	CID	D000001	D000002
1	treat	Chemical|MESH:D000001	Disease|MESH:D000009
"""
    (document,) = documents(tmp_path, text).items
    caused = ("Chemical|MESH:D000001", "cause", "Disease|MESH:D000002")
    assert document.relations == (caused, caused, caused, ("Chemical|MESH:D000001", "treat", "Disease|MESH:D000009"))


def test_a_composite_mention_gives_each_concept_its_own_words(tmp_path):
    text = """\
1|t|Ocular and auditory toxicity
1	0	28	Ocular and auditory toxicity	Disease	D014786|D006311	Ocular toxicity|auditory toxicity
1	0	28	ocular and other toxicity	Disease	D014786|-1	ocular toxicity|other toxicity
1	0	28	toxicity	Disease	D014786|D006311
"""
    read = documents(tmp_path, text)
    assert [(a.key[-7:], a.mention) for a in read.items[0].annotations] == [
        ("D014786", "Ocular toxicity"),
        ("D006311", "auditory toxicity"),
        ("D014786", "ocular toxicity"),
        ("D014786", "toxicity"),
        ("D006311", "toxicity"),
    ]
    assert (read.rows.annotations, read.rows.unnormalised) == (3, 0)


def test_a_relation_of_a_composite_mention_holds_for_each_concept_and_is_one_row(tmp_path):
    text = """\
1|t|t
1	0	1	both	DiseaseOrPhenotypicFeature	D017180|D014693
1	0	1	drug	ChemicalEntity	D010862
1	Negative_Correlation	D010862	D017180|D014693	Novel
"""
    read = documents(tmp_path, text)
    assert read.items[0].relations == (
        ("Chemical|MESH:D010862", "treat", "Disease|MESH:D017180"),
        ("Chemical|MESH:D010862", "treat", "Disease|MESH:D014693"),
    )
    assert read.rows.kept == 1


HEAD = """\
1|t|t
1	0	1	a	Chemical	D000001
1	0	1	b	Disease	D000002
1	0	1	c	Chemical	D000003
1	0	1	d	Disease	D000003
"""


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"1\tAssociation\tD000001", "wrong_column_count"),
        (b"1\tAssociation\tD000001\tD000002\tNo\tmore", "wrong_column_count"),
        (b"1\t0\t1\tword", "wrong_column_count"),
        (b"1\t0\t1\tword\tChemical\tD000001\tname\tmore", "wrong_column_count"),
        (b"1\t0\tx\tword\tChemical\tD000001", "wrong_column_count"),
        (b"1|k|keywords", "wrong_column_count"),
        (b"stray words", "wrong_column_count"),
        (b"1\tRegulates\tD000001\tD000002", "unknown_relation"),
        (b"1\tAssociation\tD000001\t-", "empty_id"),
        (b"1\tAssociation\t\tD000001", "empty_id"),
        (b"1\tAssociation\tD000001\t-1", "empty_id"),
        (b"1\tAssociation\tD000001\tMESH:-", "empty_id"),
        (b"1\ttreat\tChemical|MESH:D000001\tDisease|" + b"x" * 600, "long_key"),
        (b"1\tAssociation\tD000001\tD000009", "unmatched_id"),
        (b"1\tAssociation\tD000001\tRS#:5", "unmatched_id"),
        (b"1\tAssociation\tD000001\tD000002|D000009", "unmatched_id"),
        (b"1\tAssociation\tD000001\tD000003", "ambiguous_id"),
        (b"0\tAssociation\tD000001\tD000002", "bad_pmid"),
        (b"PMC1\tAssociation\tD000001\tD000002", "bad_pmid"),
        (b"-1|t|title", "bad_pmid"),
        (b"1\tAssociation\tD000001\tD00\x000002", "nul_byte"),
        (b"1\tAssociation\tD000001\tD\xff000002", "invalid_utf8"),
        (b"1\tAssociation\tD000001\t" + b"9" * 1_000_001, "overlong_line"),
        (b"1|a|" + b"words " * 1_700_000, "overlong_line"),
    ],
)
def test_a_line_that_is_not_a_row_is_rejected_with_its_number_and_reason(tmp_path, line, reason):
    read = documents(tmp_path, HEAD.encode() + line + b"\n1\tAssociation\tD000001\tD000002\n")
    assert read.reasons == [(6, reason)]
    assert read.rows.kept == 1
    assert [r for d in read.items for r in d.relations] == [
        ("Chemical|MESH:D000001", "associate", "Disease|MESH:D000002")
    ]


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("1\tChemical\tMESH:D1\taspirin\tPubTator3\n", ["empty_document"]),
        ("1\ttreat\tChemical|MESH:D1\tDisease|MESH:D2\n1\tCID\tD1\tD2\n", ["empty_document"] * 2),
        ("1|t|\n1|a| \n", ["empty_document"]),
        ("1|t|\n1\t0\t1\tx\tGene\t-\n", ["empty_document"]),
        ("1|t|\n1\t0\t1\tx\tGene\t7\n", []),
        ("1|t|\n1|a|Words\n", []),
    ],
)
def test_a_document_without_text_and_annotation_is_rejected(tmp_path, text, reasons):
    """It would replace the content that was loaded for its PMID by nothing."""
    read = documents(tmp_path, "2|t|two\n\n" + text)
    assert [reason for _, reason in read.reasons] == reasons
    assert [line for line, _ in read.reasons] == [3, 4][: len(reasons)]
    assert [document.pmid for document in read.items] == [2, 1][: 1 + (not reasons)]
    assert (read.rows.kept, read.rows.documents) == (0, len(read.items))


def test_cid_determines_the_types_of_its_columns(tmp_path):
    """An id that is chemical and disease in one document is ambiguous, unless the column tells which is meant."""
    read = documents(tmp_path, HEAD + "1\tCID\tD000003\tD000002\n1\tCID\tD000001\tD000003\n")
    assert read.items[0].relations == (
        ("Chemical|MESH:D000003", "cause", "Disease|MESH:D000002"),
        ("Chemical|MESH:D000001", "cause", "Disease|MESH:D000003"),
    )


def test_a_gene_beside_the_species_of_the_same_number_stays_a_gene(tmp_path):
    text = "1|t|t\n1\t0\t1\trats\tSpecies\t10116\n1\t0\t1\tFEM1B\tGene\t10116\n1\t0\t1\tx\tGene\t5\n1\tBind\t10116\t5\n"
    read = documents(tmp_path, text)
    assert read.items[0].relations == (("Gene|10116", "interact", "Gene|5"),)
    assert not read.rejected


def test_trouble_with_annotations_is_counted_by_kind_and_the_words_are_kept(tmp_path):
    nothing = ""
    text = f"""\
1|t|abc
1|a|de
1	0	6	abc de	Disease	MESH:D000001
1	0	7	beyond	Disease	MESH:D000002
1	-1	2	before	Disease	MESH:D000003
1	2	1	backwards	Disease	MESH:D000004
1	0	1	no id	Disease	{nothing}
1	0	1	no id column	Disease
1	0	1	dash	Chemical	-
1	0	1	minus one	Chemical	-1
1	0	1	odd	Chromosome	7
1	0	1	long	Disease	{"x" * 600}
x	0	1	whose	Disease	MESH:D000005
"""
    read = documents(tmp_path, text)
    assert [a.mention for a in read.items[0].annotations] == ["abc de", "beyond", "before", "backwards"]
    assert (read.rows.annotations, read.rows.unnormalised) == (4, 4)
    assert read.rows.problems == {"beyond_text": 3, "unknown_type": 1, "long_key": 1, "bad_pmid": 1}
    assert not read.rejected


TMVAR = "tmVar:p|SUB|R|237|H;HGVS:p.R237H;VariantGroup:0;CorrespondingGene:2670"
VARIANTS = f"""\
1|t|t
1	0	1	R237H	ProteinMutation	{TMVAR}
1	0	1	rs5	SNP	tmVar:rs5;VariantGroup:1;CorrespondingGene:7;RS#:5
1	0	1	other	DNAMutation	tmVar:c|SUB|A|1|G;HGVS:c.1A&gt;G;VariantGroup:2
1	0	1	b	Disease	D000002
"""


def test_variants_are_joined_by_rs_number_or_by_hgvs_and_gene(tmp_path):
    """The concept gets the id of the relation, as in the bulk file, and the words of the annotation as a name."""
    lines = """\
1	Association	D000002	HGVS:p.R237H;CorrespondingGene:2670
1	Positive_Correlation	RS#:5;CorrespondingGene:7	MESH:D000002
"""
    read = documents(tmp_path, VARIANTS + lines)
    protein, snp = "ProteinMutation|HGVS:p.R237H;CorrespondingGene:2670", "SNP|RS#:5;CorrespondingGene:7"
    assert read.items[0].relations == (
        ("Disease|MESH:D000002", "associate", protein),
        (snp, "cause", "Disease|MESH:D000002"),
    )
    assert read.items[0].annotations[:3] == (
        Annotation(protein, "R237H"),
        Annotation(snp, "rs5"),
        Annotation("DNAMutation|tmVar:c|SUB|A|1|G;HGVS:c.1A>G;VariantGroup:2", "other"),
    )


def test_a_gene_is_the_same_with_and_without_its_organism(tmp_path):
    text = "1|t|t\n1\t0\t1\tdpp\tGene\t33432(Tax:7227)\n1\t0\t1\tx\tGene\t5\n"
    for ident in ("33432", "33432(Tax:7227)", "Gene|33432(Tax:7227)", " 33432 "):
        read = documents(tmp_path, text + f"1\tBind\t{ident}\t5\n")
        assert read.items[0].relations == (("Gene|33432", "interact", "Gene|5"),)


@pytest.mark.parametrize("ident", ["HGVS:p.R237H;CorrespondingGene:14580", "HGVS:c.1A>G;CorrespondingGene:7", "RS#:6"])
def test_other_variants_are_not_joined_but_counted(tmp_path, ident):
    read = documents(tmp_path, VARIANTS + f"1\tAssociation\tD000002\t{ident}\n")
    assert read.reasons == [(6, "unmatched_id")]
    assert read.rows.problems == {"unmatched_variant": 1}
    assert read.items[0].annotations[0] == Annotation(f"ProteinMutation|{TMVAR}", "R237H")


def test_of_several_annotations_the_one_that_agrees_in_most_parts_gives_the_type(tmp_path):
    text = """\
1|t|t
1	0	1	C282Y	ProteinMutation	tmVar:p|SUB|C|282|Y;HGVS:p.C282Y;CorrespondingGene:3077;RS#:1800562
1	0	1	rs1800562	SNP	tmVar:rs1800562;CorrespondingGene:3077;RS#:1800562
1	0	1	b	Disease	D000002
"""
    full, short = "RS#:1800562;HGVS:p.C282Y;CorrespondingGene:3077", "RS#:1800562;CorrespondingGene:3077"
    read = documents(tmp_path, text + f"1\tAssociation\tD000002\t{full}\n1\tAssociation\tD000002\t{short}\n")
    assert read.items[0].relations == (("Disease|MESH:D000002", "associate", f"ProteinMutation|{full}"),)
    assert read.reasons == [(6, "ambiguous_id")]


def test_xml_is_reported_at_once(tmp_path):
    with pytest.raises(InputError, match="is XML"):
        documents(tmp_path, "<?xml version='1.0'?><PubmedArticleSet/>")


@pytest.mark.parametrize("content", [b"", b"\n\r\n\n"])
def test_an_empty_file_is_an_error(tmp_path, content):
    with pytest.raises(InputError, match="no row"):
        documents(tmp_path, content)


def test_a_truncated_gzip_is_an_error(tmp_path):
    path = tmp_path / "documents.gz"
    path.write_bytes(gzip.compress(BIORED.encode() * 1000)[:-20])
    with pytest.raises(InputError, match="gzip"):
        documents(tmp_path, path)


names = st.sampled_from(["Association", "Positive_Correlation", "Bind", "Nonsense"])
ends = st.sampled_from(["D000001", "D000002", "7", "MESH:D000001", "D000009", "-", "", "rs5", "c|DEL|1_2|"])
annotations = st.sampled_from(
    [
        "0\t1\ta\tChemicalEntity\tD000001",
        "0\t1\tb\tDiseaseOrPhenotypicFeature\tD000002",
        "0\t1\tc\tGene\t7",
        "0\t1\td\tSequenceVariant\trs5",
        "0\t1\te\tSequenceVariant\tc|DEL|1_2|",
    ]
)


@given(
    st.lists(
        st.tuples(st.integers(1, 3), st.lists(annotations, unique=True), st.lists(st.tuples(names, ends, ends))),
        min_size=1,
        max_size=4,
    )
)
def test_every_relation_line_is_kept_or_rejected(tmp_path_factory, written):
    text = ""
    for pmid, mentioned, related in written:
        text += f"{pmid}|t|t\n" + "".join(f"{pmid}\t{line}\n" for line in mentioned)
        text += "".join(f"{pmid}\t{name}\t{a}\t{b}\n" for name, a, b in related) + "\n"
    read = documents(tmp_path_factory.mktemp("p"), text)
    assert [document.pmid for document in read.items] == [pmid for pmid, _, _ in written]
    assert read.rows.kept + len(read.rejected) == sum(len(related) for _, _, related in written)
    assert read.rows.kept == sum(len(document.relations) for document in read.items)
    assert read.rows.annotations == sum(len(mentioned) for _, mentioned, _ in written)
