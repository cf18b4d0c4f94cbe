"""Texts that are not plain English sentences: markup, other languages, broken text and very long text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzygraph.check import LONGEST_SENTENCE, unread
from groundwork.errors import UnfitText
from groundwork.readable import readable, statement


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (None, "NoneType"),
        (" \n", "an empty text"),
        ("x" * 11, "a text of 11 characters"),
        ("a\ud83d", "surrogate"),
        ("a\0b", "a NUL"),
    ],
)
def test_a_text_that_cannot_be_judged_says_why(monkeypatch, text, seen):
    monkeypatch.setattr("groundwork.readable.LONGEST", 10)
    with pytest.raises(UnfitText, match=seen):
        statement(text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("<b>Aspirin</b> treats <i class='x'>fever</i>.", "Aspirin treats fever."),
        ("<jats:p>Aspirin<br/> treats fever.</jats:p>", "Aspirin treats fever."),
        ("**Aspirin** treats _fever_.", "Aspirin treats fever."),
        ("**Aim:** aspirin **treats (*soothes*)** fever.", "Aim: aspirin treats (soothes) fever."),
        ("Aspirin &amp; co", "Aspirin & co"),
        ("p &lt; 0.05", "p < 0.05"),
        ("Aspirin\x00treats\x1ffever", "Aspirin treats fever"),
        ("p<b and c>d, n<0.05", "p<b and c>d, n<0.05"),
        ("[Aspirin](https://a.org/b_c) treats ![fever](x.png).", "Aspirin treats fever."),
        ('[Aspirin](a_(b).org "A drug") treats fever [[1]](b.org).', "Aspirin treats fever."),
        ("Array[n] (mean) and f[x](y, z) stay", "Array[n] (mean) and f[x](y, z) stay"),
        ("Met\u200bformin acti\u00advates &shy;AMPK\ufeff", "Metformin activates AMPK"),
        (
            "It doesn\u2019t, doesn\u2018t, doesn\u02bct, doesn\u2032t, doesn&rsquo;t",
            "It " + ", ".join(["doesn't"] * 5),
        ),
        ("\u20185\u2032-UTR\u2019 of N,N\u2032-x", "\u20185\u2032-UTR\u2019 of N,N\u2032-x"),
        ("TNF-<i>\u03b1</i>, TGF&beta;1&nbsp;and Ca<sup>2+</sup>", "TNF-\u03b1, TGF\u03b21 and Ca2+"),
        (
            "10<sup>5</sup> cells on 3 cm\u00b2, Ser\u2074\u2077\u00b3, Ca\u00b2\u207a, 5 min\u207b\u00b9",
            "10^5 cells on 3 cm\u00b2, Ser\u2074\u2077\u00b3, Ca\u00b2\u207a, 5 min\u207b\u00b9",
        ),
        ("Aspirin \u202etreats\u202c\u2067 fever", "Aspirin treats fever"),
        ("HLA-B*57 and snake_case and 2*3", "HLA-B*57 and snake_case and 2*3"),
    ],
)
def test_markup_becomes_blank_and_text_that_only_looks_like_markup_stays(text, plain):
    assert " ".join(readable(text).split()) == plain


@pytest.mark.parametrize(
    "cited",
    [
        " [1]",
        " [1, 2]",
        "[3\u20135]",
        " [PMID 1]",
        " [PMID: 12345678; PMID: 1]",
        " (PMID 1, PMC2)",
        " (doi:10.1000/x.1)",
        " (https://a.org/b)",
        " [^1]",
        "[^note]",
        "\u00b9\u00b2",
        "\u00b9,\u00b3",
        "^1,2^",
        "<sup>1,2</sup>",
        " [Smith 2020]",
        " (Smith 2020; Doe 2019)",
        " (Smith et al., 2020)",
        " (Smith & Doe, 2020a, 2021)",
        " (e.g., Smith and Doe 1999; van der Berg et al. 2001)",
        " (reviewed in WHO, 2019)",
        " (see refs. 3, 4)",
        " (1, 2)",
        " (p < 0.05, 95% CI 1.2-1.9)",
        " [@smith2020; @doe]",
        "【4\u2020source】",
        " [[1]](https://a.org)",
    ],
)
def test_citations_are_left_out_before_and_after_the_full_stop(cited):
    for text in (f"Aspirin treats fever{cited}. It helps.", f"Aspirin treats fever.{cited} It helps."):
        assert len(readable(text)) == len(text)
        if text.index(cited) < text.index(".") or cited not in {" (1, 2)"}:
            assert " ".join(readable(text).split()) == "Aspirin treats fever. It helps."


@pytest.mark.parametrize(
    "text",
    [
        "Aspirin (81 mg) treats fever in mice (n = 30) and children (Alzheimer disease, type 2 diabetes).",
        "(1) aspirin and (2) ibuprofen; [3H]thymidine and [1-14C]acetate; a range of [1.2-1.9]; aspirin (in 2020).",
        "Interleukin 6 (IL-6) rose by 3.5 in 2020. 12 patients took vitamin B (Aspirin and Metformin).",
        "Doses of 1^2 and x^2^ for HLA-B*57 \u2013 as in p53 \u2013 stay.",
    ],
)
def test_brackets_and_numbers_that_cite_nothing_stay(text):
    assert readable(text) == text


@given(st.text(alphabet="<>ab/=' &;*_\x00lt.[]()!\u202e1\u00b2^d", max_size=60))
def test_letters_stay_in_order_and_offsets_hold_for_the_whole_text(text):
    assert len(readable(text)) == len(text)
    left = iter(text)
    assert "&" in text or "<" in text or all(letter in left for letter in "".join(readable(text).split()))


@pytest.mark.parametrize("letter", [" ", "(1)", "[a](", "a\u200b", "\u00b9,", "[^1", "Smith ", "*a", "<sup>1"])
def test_a_long_row_of_marks_is_read_in_one_pass(letter):
    assert len(readable(letter * 100_000)) == len(letter) * 100_000


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("Metformin behandelt Typ-2-Diabetes und senkt das Fieber nicht.", "not_english"),
        ("La metformine est un traitement pour le diabète.", "not_english"),
        ("La metformina es un tratamiento para los pacientes con diabetes.", "not_english"),
        ("阿司匹林治疗发热。", "not_english"),
        ("Аспирин лечит лихорадку.", "not_english"),
        ("Metformin treats type 2 diabetes.", None),
        ("Patients on levodopa, l-dopa or α-methyldopa were asked et al.", None),
        ("β-TrCP binds IκBα.", None),
        ("a" * (LONGEST_SENTENCE + 1), "too_long"),
        ("", None),
    ],
)
def test_a_sentence_that_is_not_read_says_why(sentence, why):
    assert unread(sentence) == why
