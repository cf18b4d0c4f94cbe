"""Texts that are not plain English sentences: markup, other languages, broken text and very long text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.readable import readable
from groundwork.reading.plain import LONGEST_SENTENCE, unread


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("<b>Aspirin</b> treats <i class='x'>fever</i>.", "Aspirin treats fever ."),
        ("<jats:p>Aspirin<br/> treats fever.</jats:p>", "Aspirin treats fever."),
        ("**Aspirin** treats _fever_.", "Aspirin treats fever ."),
        ("**Aim:** aspirin **treats (*soothes*)** fever.", "Aim: aspirin treats ( soothes ) fever."),
        ("Aspirin &amp; co", "Aspirin & co"),
        ("p &lt; 0.05", "p < 0.05"),
        ("Aspirin\x00treats\x1ffever", "Aspirin treats fever"),
        ("p<b and c>d, n<0.05", "p<b and c>d, n<0.05"),
        ("[Aspirin](https://a.org/b_c) treats ![fever](x.png).", "Aspirin treats fever ."),
        ("Array [1] (mean) and f[x](y, z) stay", "Array [1] (mean) and f[x](y, z) stay"),
        ("Aspirin \u202etreats\u202c\u2067 fever", "Aspirin treats fever"),
        ("HLA-B*57 and snake_case and 2*3", "HLA-B*57 and snake_case and 2*3"),
    ],
)
def test_markup_becomes_blank_and_text_that_only_looks_like_markup_stays(text, plain):
    assert " ".join(readable(text).split()) == plain


@given(st.text(alphabet="<>ab/=' &;*_\x00lt.[]()!\u202e", max_size=60))
def test_each_character_stays_where_it_was(text):
    assert len(readable(text)) == len(text)
    assert all(new in (old, " ") or "&" in text for old, new in zip(text, readable(text), strict=True))


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


def test_real_sentences_are_all_read(data):
    from tests.fuzzygraph.annotated import sentences_with_one_pair

    refused = [s.text for s in sentences_with_one_pair(data) if unread(s.text)]
    assert refused == []
