"""Manuscripts of all formats as text with citations in one form."""

import pytest

from groundwork.errors import InputError
from tests.truthhypo.manuscripts.word import paragraph, run, write_word
from truthhypo.manuscripts.text import read_manuscript


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
