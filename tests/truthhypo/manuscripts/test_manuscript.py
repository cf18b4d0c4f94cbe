"""Manuscripts as text, their references, and the places that cite them."""

import logging

import pytest

from groundwork.errors import InputError
from tests.truthhypo.manuscripts.word import paragraph, run, write_word
from truthhypo.manuscripts.manuscript import (
    Reference,
    Source,
    joined,
    places,
    read_bib,
    read_manuscript,
    split_references,
)

LIST = """Text.

## References

1. Smith J, Doe A. Statins and
   cholesterol. J Lipid 2020. PMID: 12345678
[2] Roe B. Another title. 2019. https://doi.org/10.1000/ABC.
3) Müller-Licht K. A third. 2018;5:1.

## Appendix

More [1].
"""


def test_word_shows_what_a_reader_sees(tmp_path):
    body = [
        paragraph(run("Introduction"), style="Heading1"),
        paragraph(
            run("Aspirin "),
            "<w:del><w:r><w:delText>causes</w:delText></w:r></w:del>",
            f"<w:ins>{run('prevents')}</w:ins>",
            run(" stroke"),
            run("1,2", raised=True),
            run("."),
            '<w:r><w:footnoteReference w:id="2"/></w:r>',
        ),
        paragraph(
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>ADDIN CITE {"x"}</w:instrText></w:r>',
            '<w:r><w:fldChar w:fldCharType="separate"/></w:r>',
            run("(Smith, 2020)"),
            run("10 m"),
            run("2", raised=True),
        ),
        f"<w:tbl><w:tr><w:tc>{paragraph(run('In a table.'))}</w:tc></w:tr></w:tbl>",
    ]
    note = f'<w:footnote w:id="2">{paragraph(run("PMID 42."))}</w:footnote>'
    text = read_manuscript(write_word(tmp_path / "a.docx", "".join(body), note))
    assert text.split("\n\n") == [
        "# Introduction",
        "Aspirin prevents stroke<sup>1,2</sup>.[^foot2]",
        "(Smith, 2020)10 m<sup>2</sup>",
        "In a table.",
        "[^foot2]: PMID 42.",
    ]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"A lowers B~\cite{x}.", "A lowers B [@x]."),
        (r"A lowers B \citep[see][p.~3]{x, y}.", "A lowers B [@x; @y]."),
        (r"\citet*{x} says so\textsuperscript{1,2}.", "[@x] says so<sup>1,2</sup>."),
        (r"m\textsuperscript{a} and \nocite{x}5\% % \cite{no}", "ma and 5%"),
        (r"Na\"ive $\alpha$-synuclein, \emph{in vitro}.\footnote{PMID 42.}", "Naïve α-synuclein, in vitro. (PMID 42.)"),
        (r"\section{Aims}", "# Aims"),
        (r"\begin{thebibliography}{9}\bibitem[S]{x} Smith J.\end{thebibliography}", "[@x]: Smith J."),
        (r"\cite{unclosed", "[@unclosed ~]"),
        (r"\documentclass{x} \author{no} \begin{document}Yes.\end{document}", "Yes."),
    ],
)
def test_latex_shows_its_text(tmp_path, source, text):
    (tmp_path / "a.tex").write_text(f"{source} ~")
    assert " ".join(read_manuscript(tmp_path / "a.tex").split()) == text


@pytest.mark.parametrize(
    ("name", "content", "seen"),
    [
        ("a.pdf", b"%PDF", "ends in '.pdf'"),
        ("a.docx", b"no zip", "is no Word file"),
        ("a.md", b"\xff\xfe", "is not UTF-8"),
        ("a.txt", b" \n", "contains no text"),
        ("a.md", None, "cannot be read"),
        ("a.docx", None, "is not there"),
    ],
)
def test_a_file_that_is_no_manuscript_is_refused(tmp_path, name, content, seen):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=seen):
        read_manuscript(tmp_path / name)


def entries(text):
    return split_references(text)[1].by_source


def test_a_list_of_references_is_read_and_is_no_text():
    body, references = split_references(LIST)
    assert len(body) == len(LIST)
    assert "Smith" not in body
    assert body.rstrip().endswith("More [1].")
    held = references.by_source
    assert [source.name for source in held] == ["1", "2", "3"]
    assert [(each.pmid, each.doi, each.author, each.year) for each in held.values()] == [
        (12345678, "", "smith", "2020"),
        (None, "10.1000/abc", "roe", "2019"),
        (None, "", "muller-licht", "2018"),
    ]
    assert held[Source("number", "1")].text.startswith("Smith J, Doe A. Statins and cholesterol.")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("T.\n\nReferences\n\nSmith J. One.\n\nDoe A. Two.", ["1", "2"]),
        ("T.\n\n**REFERENCES**\n1 Smith J. One.\n2 Doe A. Two.", ["1", "2"]),
        ("T.\n\n5. Bibliography:\n[7] Smith J. One.\n[9] Doe A. Two.", ["7", "9"]),
        ("T [^a].\n\n[^a]: Smith J. One\n  and more.\n\nOther text.", ["a"]),
        ("T [@x].\n\n[@x]: Smith J. One.", ["x"]),
        ("No references here.", []),
    ],
)
def test_lists_of_references_of_all_forms_are_read(text, names):
    assert [source.name for source in entries(text)] == names


def test_two_entries_with_one_number_are_told_and_the_first_stands():
    references = split_references("T.\n\nReferences\n1. Smith J.\n1. Doe A.")[1]
    assert references.by_source[Source("number", "1")].text == "Smith J."
    assert references.problems == ("two entries of the references have the number 1; the first one stands",)


HELD = joined(
    split_references("T.\n\nReferences\n" + "\n".join(f"{n}. Smith{n} J. Title. 2020." for n in range(1, 8)))[1],
    split_references("T.\n\n[@smith2020]: Smith J. 2020.\n[^a]: Note.")[1],
)


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("A lowers B [1,3-5].", ["number 1", "number 3", "number 4", "number 5"]),
        ("A lowers B [1] and C [2\u20133; 7].", ["number 1", "number 2", "number 3", "number 7"]),
        ("A lowers cholesterol³˒⁴.", ["number 3", "number 4"]),
        ("A lowers cholesterol³,⁴.", ["number 3", "number 4"]),
        ("A lowers B.<sup>1, 2</sup> It is known^3^ in cm² and m<sup>2</sup>.", ["number 1", "number 2", "number 3"]),
        ("A lowers B (1, 2).", ["number 1", "number 2"]),
        ("(1) A lowers B [2].", ["number 2"]),
        ("A [@smith2020; see @other, p. 3]; @smith2020 says so.", ["key smith2020", "key other", "key smith2020"]),
        ("Write to me@smith2020 or @nobody.", []),
        ("A.[^a]", ["note a"]),
        ("A (see Smith et al., 2020; Roe and Doe 2019a).", ["author smith 2020", "author roe 2019a"]),
        (
            "Smith et al. (2020) and O'Neil's (2018) B. In 2019, C (n = 2020).",
            ["author smith 2020", "author o'neil 2018"],
        ),
        ("A (PMID: 12345678, 23456789). PMIDs 5", ["pmid 12345678", "pmid 23456789", "pmid 5"]),
        ("[x](https://pubmed.ncbi.nlm.nih.gov/123/) doi:10.1000/XYZ(1).", ["pmid 123", "doi 10.1000/xyz(1)"]),
        ("Nothing is cited: 1, 2, p < 0.05, mg/kg [in mice].", []),
    ],
)
def test_places_that_cite_are_found(text, cited):
    found = [f"{source.kind} {source.name}" for place in places(text, HELD) for source in place.sources]
    assert sorted(found) == sorted(cited)


def test_numbers_cite_only_if_there_is_a_list_of_references():
    assert places("A lowers B [1].", split_references("No list.")[1]) == []


def test_an_author_with_a_year_names_the_entry_of_that_author():
    held = split_references(
        "T.\n\nReferences\n1. Smith J. One. 2020a.\n2. Smith K. Two. 2020b.\n3. Roe B. Three. 2020."
    )[1]
    assert [held.of(Source("author", name)).text[:7] for name in ("smith 2020b", "smith 2020", "roe 2020a")] == [
        "Smith K",
        "Smith J",
        "Roe B. ",
    ]
    assert held.of(Source("author", "doe 2020")) is None
    assert held.of(Source("pmid", "5")) == Reference("PMID 5", pmid=5)


BIB = r"""
@comment{nothing}
@article{doe, author = {D{\"o}e, Jane and Roe, B.}, title = {The {Aspirin} trial: a na\"ive view}, year = {2019},
  doi = {https://doi.org/10.1000/XYZ}}
@article{doe, author = {Other}, title = {Other}}
@article{roe, author = {Bob Roe}, pmid = {12345678}, title = {T}}
@misc{web, note = {PMID: 42}, date = {2018-05-01}}
@article{broken, author = {B
"""


def test_a_bib_file_is_read_with_its_accents_and_its_faults_are_told(tmp_path, capfd, caplog):
    (tmp_path / "a.bib").write_text(BIB)
    with caplog.at_level(logging.DEBUG):
        held = read_bib(tmp_path / "a.bib")
    assert (caplog.records, capfd.readouterr()) == ([], ("", ""))
    doe, roe, web = (held.by_source[Source("key", key)] for key in ("doe", "roe", "web"))
    assert (doe.title, doe.author, doe.year, doe.doi) == (
        "The Aspirin trial: a naïve view",
        "doe",
        "2019",
        "10.1000/xyz",
    )
    assert (roe.pmid, roe.author) == (12345678, "roe")
    assert (web.pmid, web.year) == (42, "2018")
    duplicate, unread = held.problems
    assert duplicate == "a.bib: the key doe stands twice; its first entry stands"
    assert unread.endswith("the entry cannot be read")


@pytest.mark.parametrize(
    ("content", "seen"), [(b"\xff", "not UTF-8"), (b"nothing", "has no entry"), (None, "cannot be read")]
)
def test_a_file_that_is_no_bib_file_is_refused(tmp_path, content, seen):
    if content is not None:
        (tmp_path / "a.bib").write_bytes(content)
    with pytest.raises(InputError, match=seen):
        read_bib(tmp_path / "a.bib")
