"""PubMed XML and JSON lines: every corner of a record, and what is rejected or refused and why."""

import gzip
import json

import pytest

from groundwork.errors import InputError
from groundwork.records import Text
from ingest.documents.document import Deletion, PubmedRecord
from tests.ingest.reading import articles


def article(pmid="<PMID Version='1'>5</PMID>", body="<ArticleTitle>A title.</ArticleTitle>", rest=""):
    return f"<PubmedArticle><MedlineCitation>{pmid}<Article>{body}</Article>{rest}</MedlineCitation></PubmedArticle>"


def document(*inner, head="<?xml version='1.0'?>\n"):
    return f"{head}<PubmedArticleSet>\n" + "\n".join(inner) + "\n</PubmedArticleSet>"


def only(tmp_path, *parts, **head) -> Text:
    (record,) = articles(tmp_path, document(*parts, **head)).items
    return record.text


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("<ArticleTitle>Plain.</ArticleTitle>", "Plain."),
        (
            "<ArticleTitle>Of <i>E. coli</i>\n   and H<sub>2</sub>O<!-- no --> here.</ArticleTitle>",
            "Of E. coli and H2O here.",
        ),
        ("<ArticleTitle>&lt;3 &amp; &#946;</ArticleTitle>", "<3 & β"),
        ("<ArticleTitle/><VernacularTitle>Über alles.</VernacularTitle>", "Über alles."),
        ("<ArticleTitle>[About].</ArticleTitle><VernacularTitle>Über.</VernacularTitle>", "[About]."),
        *(
            (f"<ArticleTitle>{none}</ArticleTitle><VernacularTitle>Über.</VernacularTitle>", "Über.")
            for none in ("[Not Available].", "[Not Available]", "[not available].", " Not available. ")
        ),
        ("<ArticleTitle>[Not Available].</ArticleTitle>", "[Not Available]."),
        ("<ArticleTitle>Not available now.</ArticleTitle><VernacularTitle>Ü</VernacularTitle>", "Not available now."),
        ("<ArticleTitle></ArticleTitle>", ""),
        ("", ""),
    ],
)
def test_titles_lose_their_markup(tmp_path, body, title):
    assert only(tmp_path, article(body=body)).title == title


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("2.4×10<sup>28</sup> cells", "2.4×10^28 cells"),
        ("10<sup>-6</sup> to 10<sup> 6 </sup>M", "10^-6 to 10^6 M"),
        ("10<sup>−6</sup>", "10^−6"),
        ("10<i><sup>6</sup></i>", "10^6"),
        ("<b>10</b><sup><i>6</i></sup>", "10^6"),
        ("H<sub>2</sub>O and 1,25(OH)<sub>2</sub>D<sub>3</sub>", "H2O and 1,25(OH)2D3"),
        ("SO<sub>4</sub><sup>2-</sup> and Ca<sup>2+</sup>", "SO4^2- and Ca2+"),
        ("CD4<sup>+</sup> and <sup>14</sup>C", "CD4+ and 14C"),
        ("kg/m<sup>2</sup> on the 1<sup>st</sup> day", "kg/m2 on the 1st day"),
        ("p53<sup>-/-</sup>", "p53-/-"),
        ("1<sub>2</sub> and log<sub>10</sub>", "1_2 and log10"),
        ("E. <i>coli</i>s", "E. colis"),
        ("One.<DispFormula>x = y</DispFormula>Two.", "One. x = y Two."),
        ("<p>One</p><p>Two</p>", "One Two"),
        ("Of &lt;i&gt;E. coli&lt;/i&gt;s and H&lt;sub&gt;2&lt;/sub&gt;O", "Of E. colis and H2O"),
        ("10&lt;sup&gt;6&lt;/sup&gt; &lt;I&gt;x&lt;/I&gt;", "10^6 x"),
        ('&lt;p class="a"&gt;One&lt;/p&gt;&lt;p&gt;&lt;b&gt;T&lt;/b&gt;wo&lt;/p&gt;', "One Two"),
        ("&lt;i&gt;a&lt;i&gt;b&lt;/i&gt;&lt;/i&gt;", "ab"),
        ("One&lt;br/&gt;two", "One two"),
        ("One&lt;br&gt;two", "One two"),
        ("a &lt;b and c&gt; d, 2&lt;3 &amp; 4&gt;1, a&lt;b&gt;c", "a <b and c> d, 2<3 & 4>1, a<b>c"),
        ("&lt;PRE&gt; alone", "<PRE> alone"),
        ("log<sub>10</sub>5 and log<sub>10</sub><i>5</i>", "log10 5 and log10 5"),
        ("10<sup>6</sup>5 and C<sub>6</sub>H<sub>6</sub>, 1<sup>st</sup>2", "10^6 5 and C6H6, 1st2"),
        ("log&lt;sub&gt;10&lt;/sub&gt;5", "log10 5"),
        ("p &amp;lt; 0.05, TNF-&amp;alpha;, &amp;#945; &amp;#x3b1; &amp;amp;amp;", "p < 0.05, TNF-α, α α &"),
        (
            "&amp;lt;i&amp;gt;E. coli&amp;lt;/i&amp;gt; R&amp;D; &amp;nothing; a&amp;lt b",
            "E. coli R&D; &nothing; a&lt b",
        ),
    ],
)
def test_markup_goes_and_the_words_and_numbers_stay_apart(tmp_path, written, text):
    read = only(tmp_path, article(body=f"<ArticleTitle>{written}</ArticleTitle>"))
    assert read.title == text


def mathml(*inner):
    return f'<mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML">{"".join(inner)}</mml:math>'


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (
            "<mml:msup><mml:mn>10</mml:mn><mml:mrow> <mml:mo>-</mml:mo> <mml:mn>6</mml:mn></mml:mrow></mml:msup>",
            "10^-6",
        ),
        ("<mml:msup><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:msup>", "x2"),
        ("<mml:msub><mml:mi>CO</mml:mi><mml:mn>2</mml:mn></mml:msub>", "CO2"),
        ("<mml:msubsup><mml:mi>SO</mml:mi><mml:mn>4</mml:mn><mml:mn>2-</mml:mn></mml:msubsup>", "SO4^2-"),
        ("<mml:mfrac><mml:mn>1</mml:mn><mml:mn>2</mml:mn></mml:mfrac>", "1/2"),
        ("<mml:msub><mml:mi>log</mml:mi><mml:mn>10</mml:mn></mml:msub><mml:mn>5</mml:mn>", "log10 5"),
    ],
)
def test_scripts_and_fractions_of_mathml_keep_their_numbers_apart(tmp_path, written, text):
    read = only(tmp_path, article(body=f"<ArticleTitle>Of {mathml(written)} here.</ArticleTitle>"))
    assert read.title == f"Of {text} here."


def test_mathml_gives_its_words_without_its_layout(tmp_path):
    math = """<mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML">
        <mml:msub>
            <mml:mrow> <mml:mtext>Cu</mml:mtext> </mml:mrow>
            <mml:mn>2</mml:mn>
        </mml:msub>
    </mml:math>"""
    body = f"<ArticleTitle>Of {math}O and\n more.</ArticleTitle>"
    assert only(tmp_path, article(body=body)).title == "Of Cu2O and more."


def test_the_labelled_parts_of_an_abstract_are_joined(tmp_path):
    body = """<ArticleTitle>T</ArticleTitle><Abstract>
        <AbstractText Label="METHODS" NlmCategory="METHODS">We <b>did</b> it.</AbstractText>
        <AbstractText Label="UNLABELLED">And more.</AbstractText>
        <AbstractText Label="RESULTS"> </AbstractText>
        <AbstractText>Bare.</AbstractText>
        <CopyrightInformation>(c) nobody</CopyrightInformation></Abstract>"""
    assert only(tmp_path, article(body=body)).abstract == "METHODS: We did it. And more. Bare."


OTHER = """<OtherAbstract Type="Publisher" Language="ger"><AbstractText>Worte.</AbstractText></OtherAbstract>
<OtherAbstract Type="plain-language-summary" Language="eng"><AbstractText>Words.</AbstractText></OtherAbstract>"""


@pytest.mark.parametrize(
    ("own", "rest", "abstract"),
    [
        ("<Abstract><AbstractText>Own.</AbstractText></Abstract>", OTHER, "Own."),
        ("", OTHER, "Words."),
        ("<Abstract/>", OTHER, "Words."),
        *(
            (f"<Abstract><AbstractText>{none}</AbstractText></Abstract>", rest, abstract)
            for none in ("-No text-", "No abstract available.", "[No abstract]", "Abstract not available.")
            for rest, abstract in ((OTHER, "Words."), ("", ""))
        ),
        ("<Abstract><AbstractText>No text was read.</AbstractText></Abstract>", OTHER, "No text was read."),
        ("", OTHER.split("\n")[0], "Worte."),
        ("", "", ""),
    ],
)
def test_another_abstract_is_used_only_if_the_article_has_none_and_english_is_preferred(tmp_path, own, rest, abstract):
    body = "<ArticleTitle>T</ArticleTitle>" + own
    assert only(tmp_path, article(body=body, rest=rest)).abstract == abstract


@pytest.mark.parametrize(
    ("date", "year"),
    [
        ("<Year>1999</Year><Month>05</Month>", 1999),
        ("<Year>1976</Year><Season>Fall</Season>", 1976),
        ("<MedlineDate>1998 Dec-1999 Jan</MedlineDate>", 1998),
        ("<MedlineDate>Winter 1947-1948</MedlineDate>", 1947),
        ("<MedlineDate>n.d.</MedlineDate>", None),
        ("", None),
    ],
)
def test_the_year_is_read_from_every_form_of_date(tmp_path, date, year):
    body = f"<Journal><JournalIssue><PubDate>{date}</PubDate></JournalIssue><Title>J</Title></Journal>"
    text = only(tmp_path, article(body=body))
    assert (text.year, text.journal) == (year, "J")


def test_the_journal_may_have_only_an_abbreviation(tmp_path):
    body = "<Journal><ISOAbbreviation>J. Abbr.</ISOAbbreviation></Journal><ArticleDate><Year>2020</Year></ArticleDate>"
    text = only(tmp_path, article(body=body))
    assert (text.year, text.journal) == (2020, "J. Abbr.")


def note(kind):
    return (
        f"<CommentsCorrectionsList><CommentsCorrections RefType='{kind}'><RefSource>x</RefSource>"
        "<PMID Version='1'>99</PMID></CommentsCorrections></CommentsCorrectionsList>"
    )


@pytest.mark.parametrize(
    ("kind", "retracted"),
    [
        ("RetractionIn", True),
        ("RetractedandRepublishedIn", True),
        ("RetractionOf", False),
        ("ErratumIn", False),
        ("UpdateIn", False),
        ("RepublishedIn", False),
    ],
)
def test_corrections_say_whether_the_article_was_retracted(tmp_path, kind, retracted):
    (record,) = articles(tmp_path, document(article(rest=note(kind)))).items
    assert (record.pmid, record.text.retracted) == (5, retracted)  # the PMID is that of the article, not of the note


@pytest.mark.parametrize(("kind", "retracted"), [("Retracted Publication", True), ("Retraction of Publication", False)])
def test_publication_types_say_whether_the_article_was_retracted(tmp_path, kind, retracted):
    body = f"<PublicationTypeList><PublicationType>Review</PublicationType><PublicationType>{kind}</PublicationType></PublicationTypeList>"
    assert only(tmp_path, article(body=body)).retracted is retracted


@pytest.mark.parametrize(
    ("kind", "notice"),
    [
        ("Published Erratum", True),
        ("Retraction of Publication", True),
        ("Retraction Notice", True),
        ("Expression of Concern", True),
        ("Comment", True),
        ("Corrected and Republished Article", False),
        ("Retracted Publication", None),
        ("Journal Article", None),
    ],
)
def test_publication_types_say_whether_a_record_is_a_notice(tmp_path, kind, notice):
    body = f"<PublicationTypeList><PublicationType>Letter</PublicationType><PublicationType>{kind}</PublicationType></PublicationTypeList>"
    assert only(tmp_path, article(body=body)).notice is notice


def test_publication_types_headings_and_languages_are_kept(tmp_path):
    body = """<ArticleTitle>T</ArticleTitle><Language>eng</Language><Language>fre</Language><PublicationTypeList>
        <PublicationType>Journal Article</PublicationType><PublicationType>Clinical Trial, Phase II</PublicationType>
        <PublicationType>Journal Article</PublicationType></PublicationTypeList>"""
    rest = """<MeshHeadingList>
        <MeshHeading><DescriptorName UI="D001241" MajorTopicYN="N">Aspirin</DescriptorName>
          <QualifierName MajorTopicYN="Y">adverse effects</QualifierName>
          <QualifierName MajorTopicYN="N">therapeutic use</QualifierName></MeshHeading>
        <MeshHeading><DescriptorName MajorTopicYN="Y">Mice, Inbred C57BL</DescriptorName></MeshHeading>
        <MeshHeading><DescriptorName/></MeshHeading></MeshHeadingList>"""
    text = only(tmp_path, article(body=body, rest=rest))
    assert text.types == ("Journal Article", "Clinical Trial, Phase II")
    assert text.mesh == ("Aspirin/*adverse effects/therapeutic use", "*Mice, Inbred C57BL")
    assert text.languages == ("eng", "fre")


OWN = '<ArticleIdList><ArticleId IdType="pubmed">1</ArticleId><ArticleId IdType="doi">10.1000/ABC</ArticleId></ArticleIdList>'
CITED = f"<ReferenceList><Reference>{OWN}</Reference></ReferenceList>"


@pytest.mark.parametrize(
    ("place", "data", "doi"),
    [
        ("", OWN, "10.1000/abc"),
        ("", CITED, ""),
        ("", CITED + OWN.replace("ABC", "XYZ"), "10.1000/xyz"),
        ('<ELocationID EIdType="doi" ValidYN="Y"> 10.1/Q </ELocationID>', "", "10.1/q"),
        (
            '<ELocationID EIdType="doi" ValidYN="N">10.1/Q</ELocationID><ELocationID EIdType="pii">S1</ELocationID>',
            "",
            "",
        ),
        ('<ELocationID EIdType="doi">10.1/Q</ELocationID>', OWN, "10.1000/abc"),
    ],
)
def test_the_doi_is_that_of_the_article_and_not_of_its_references(tmp_path, place, data, doi):
    told = article(body=f"<ArticleTitle>T</ArticleTitle>{place}")
    whole = told.replace("</PubmedArticle>", f"<PubmedData>{data}</PubmedData></PubmedArticle>")
    assert only(tmp_path, whole).doi == doi


def test_records_and_deletions_come_in_the_order_of_the_files(tmp_path):
    first = document(article(), article("<PMID>6</PMID>"))
    second = document(article(), "<DeleteCitation><PMID>6</PMID>\n<PMID>x</PMID><PMID> 8 </PMID></DeleteCitation>")
    read = articles(tmp_path, first, second)
    assert [(type(item), item.pmid) for item in read.items] == [
        (PubmedRecord, 5),
        (PubmedRecord, 6),
        (PubmedRecord, 5),
        (Deletion, 6),
        (Deletion, 8),
    ]
    assert read.reasons == [(5, "bad_pmid")]
    assert (read.rows.kept, read.rows.documents) == (5, 3)


@pytest.mark.parametrize(
    ("written", "version"), [("Version='1'", 1), ("Version='2'", 2), ("", None), ("Version='x'", None)]
)
def test_records_and_deletions_say_their_version(tmp_path, written, version):
    pmid = f"<PMID {written}>5</PMID>"
    record, deletion = articles(tmp_path, document(article(pmid), f"<DeleteCitation>{pmid}</DeleteCitation>")).items
    assert (record.version, deletion.version) == (version or 1, version)


def test_a_record_without_pmid_is_rejected_with_its_line(tmp_path):
    read = articles(tmp_path, document(article(), article(pmid="", rest=note("ErratumIn")), article("<PMID>0</PMID>")))
    assert read.reasons == [(4, "bad_pmid"), (5, "bad_pmid")]
    assert read.rows.kept == 1


def test_line_numbers_above_65535_are_right(tmp_path):
    read = articles(tmp_path, document("\n" * 70_000, article(pmid="")))
    assert read.reasons == [(70_004, "bad_pmid")]


def test_a_chapter_of_a_book_is_read(tmp_path):
    chapter = """<PubmedBookArticle><BookDocument><PMID Version="1">33</PMID>
        <Book><BookTitle>StatBook</BookTitle><PubDate><Year>2024</Year></PubDate></Book>
        <ArticleTitle>Asthma.</ArticleTitle><Abstract><AbstractText>Short of breath.</AbstractText></Abstract>
        <PublicationType>Study Guide</PublicationType></BookDocument></PubmedBookArticle>"""
    assert articles(tmp_path, document(chapter)).items == [
        PubmedRecord(33, Text("Asthma.", "Short of breath.", 2024, "StatBook", types=("Study Guide",)))
    ]


def test_a_citation_outside_an_article_is_read(tmp_path):
    bare = "<MedlineCitation><PMID>7</PMID><Article><ArticleTitle>Alone.</ArticleTitle></Article></MedlineCitation>"
    for text in (bare, f"<MedlineCitationSet>{bare}</MedlineCitationSet>"):
        assert [(item.pmid, item.text.title) for item in articles(tmp_path, text).items] == [(7, "Alone.")]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (document(article())[:-30], 3),
        (document(article()).replace("</ArticleTitle>", "", 1), 3),
        (document(article(), "<PubmedArticle>\x01</PubmedArticle>"), 4),
        ("<?xml version='1.0'?>", 1),
    ],
    ids=["truncated", "not closed", "control character", "nothing"],
)
def test_malformed_xml_is_an_error_that_names_the_line(tmp_path, text, line):
    with pytest.raises(InputError, match=f"source0, line {line}: not well-formed XML"):
        articles(tmp_path, text)


@pytest.mark.parametrize("between", ["", "\n", "\n\n"])
@pytest.mark.parametrize("head", ["<?xml version='1.0'?>\n", "<!DOCTYPE PubmedArticleSet>\n", ""])
def test_a_second_document_in_one_file_is_named_as_the_cause(tmp_path, between, head):
    text = document(article()) + between + document(article(), head=head)
    line = 4 + between.count("\n")
    with pytest.raises(InputError, match=f"source0: a second XML document begins at line {line}") as caught:
        articles(tmp_path, text)
    assert f"before line {line}" in str(caught.value)


def test_an_xml_declaration_behind_blank_lines_is_no_second_document(tmp_path):
    with pytest.raises(InputError, match="source0, line 2: not well-formed XML: XML declaration allowed only at the"):
        articles(tmp_path, "\n" + document(article()))


def test_an_entity_that_nothing_declares_is_named(tmp_path):
    body = article(body="<ArticleTitle>&alpha; x</ArticleTitle>")
    for before, line in (("", 1), ("\n\n", 3)):  # the last line has the error
        text = before + document(body, head="").replace("\n", "")
        with pytest.raises(InputError, match=f"source0, line {line}: not well-formed XML: Entity 'alpha' not defined"):
            articles(tmp_path, text)


def test_a_truncated_gzip_is_an_error(tmp_path):
    path = tmp_path / "pubmed.xml.gz"
    path.write_bytes(gzip.compress(document(*[article()] * 5000).encode())[:-20])
    with pytest.raises(InputError, match="gzip"):
        articles(tmp_path, path)


@pytest.mark.parametrize("text", ["PMID- 5\nTI  - A title", "5\tassociate\ta\tb", "[1, 2]"])
def test_other_formats_are_reported_at_once(tmp_path, text):
    with pytest.raises(InputError, match="begins with"):
        articles(tmp_path, text)


def test_an_empty_file_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no row"):
        articles(tmp_path, b"")


NLM = "http://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_190101.dtd"


@pytest.mark.parametrize(
    "doctype",
    [
        f'<!DOCTYPE PubmedArticleSet SYSTEM "{NLM}">',
        f'<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2019//EN" "{NLM}">',
        f'<!DOCTYPE PubmedArticleSet SYSTEM "{NLM}" [<!ENTITY % more SYSTEM "{NLM}"> %more;]>',
        '<!DOCTYPE PubmedArticleSet SYSTEM "absent.dtd">',
    ],
    ids=["system", "public", "parameter entity", "local"],
)
def test_a_document_type_is_ignored(tmp_path, doctype):
    assert only(tmp_path, article(), head=f"<?xml version='1.0'?>\n{doctype}\n").title == "A title."


def test_a_record_with_an_unresolved_entity_is_rejected_and_nothing_outside_the_file_is_read(tmp_path):
    secret, dtd = tmp_path / "secret", tmp_path / "x.dtd"
    secret.write_text("password")
    dtd.write_text("<!ENTITY d 'declared'>")
    head = f"<!DOCTYPE x SYSTEM '{dtd}' [<!ENTITY s SYSTEM '{secret.as_uri()}'><!ENTITY i 'inside'>]>\n"
    rows = [article(body=f"<ArticleTitle>Read <i>&{name};</i> here.</ArticleTitle>") for name in "sdix"]
    rows += [article("<PMID>5&i;</PMID>"), "<DeleteCitation><PMID>6</PMID><PMID>7&i;8</PMID></DeleteCitation>"]
    read = articles(tmp_path, document(*rows, head=head))
    assert read.reasons == [(line, "unresolved_entity") for line in range(3, 9)]
    assert read.items == [Deletion(6)]
    assert not any(word in text for *_, text in read.rejected for word in ("password", "declared", "inside"))


def test_a_document_with_exploding_entities_is_refused(tmp_path):
    laughs = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 12))
    head = f"<!DOCTYPE x [<!ENTITY l0 'ha'>{laughs}]>\n"
    with pytest.raises(InputError, match="not well-formed XML"):
        articles(tmp_path, document(article(body="<ArticleTitle>&l11;</ArticleTitle>"), head=head))


def test_records_that_were_yielded_are_removed_from_memory(tmp_path):
    """The tree of the parser does not grow: records that were yielded are removed."""
    path = tmp_path / "many.xml"
    path.write_text(document(*(article(f"<PMID>{n}</PMID>", rest="<x>words</x>" * 50) for n in range(1, 3001))))
    from groundwork.ports import Silent
    from ingest.pubmed import reader as pubmed
    from ingest.release import SourceFile

    children = [len(element.getparent()) for element in pubmed.elements(SourceFile(path), ["PubmedArticle"], Silent())]
    assert len(children) == 3000
    assert max(children) < 1500  # only records of the current piece of the file


JSONL = {"id": "pubmed23n0001_0", "title": "A title.", "content": "Words.", "contents": "A title. Words.", "PMID": 21}


@pytest.mark.parametrize(
    ("title", "content", "told"),
    [("TNF-&alpha;", "p &lt; 0.05", ("TNF-α", "p < 0.05")), ("A title.", "-No text-", ("A title.", ""))],
)
def test_json_lines_are_freed_from_entities_and_placeholders_too(tmp_path, title, content, told):
    line = json.dumps(JSONL | {"title": title, "content": content})
    (record,) = articles(tmp_path, line).items
    assert (record.text.title, record.text.abstract) == told


def test_json_lines_are_read(tmp_path):
    text = json.dumps(JSONL) + "\r\n\n" + json.dumps({"PMID": "22", "title": "Only a title."})
    read = articles(tmp_path, text)
    assert read.items == [PubmedRecord(21, Text("A title.", "Words.")), PubmedRecord(22, Text("Only a title.", ""))]
    assert (read.rows.kept, read.rejected) == (2, [])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"id": "x", "title": "cut', "malformed_record"),
        (b"5", "malformed_record"),
        (b"[1]", "malformed_record"),
        (b"[" * 100_000, "malformed_record"),
        (b'{"PMID": ' + b"9" * 5000 + b"}", "malformed_record"),
        (json.dumps(JSONL | {"title": None, "content": None}).encode(), "malformed_record"),
        (json.dumps(JSONL | {"title": 5}).encode(), "malformed_record"),
        (json.dumps({"PMID": 5}).encode(), "malformed_record"),
        (json.dumps(JSONL | {"PMID": None}).encode(), "bad_pmid"),
        (json.dumps(JSONL | {"PMID": True}).encode(), "bad_pmid"),
        (json.dumps(JSONL | {"PMID": 5.0}).encode(), "bad_pmid"),
        (json.dumps(JSONL | {"PMID": "PMC5"}).encode(), "bad_pmid"),
        (json.dumps(JSONL | {"PMID": -5}).encode(), "bad_pmid"),
        (json.dumps(JSONL | {"title": "a\0b"}).encode(), "nul_byte"),
        (json.dumps(JSONL | {"title": "a\ud800b"}).encode(), "invalid_utf8"),
        (b'{"PMID": 5, "title": "a\xff"}', "invalid_utf8"),
        (b'{"PMID": 5, "title": "a\0"}', "nul_byte"),
        (b'{"PMID": 5, "title": "' + b"a" * 10_000_000 + b'"}', "overlong_line"),
    ],
)
def test_a_bad_json_line_is_rejected_and_the_next_is_read(tmp_path, line, reason):
    good = json.dumps(JSONL).encode()
    read = articles(tmp_path, good + b"\n" + line + b"\n" + good)
    assert read.reasons == [(2, reason)]
    assert read.rows.kept == 2
