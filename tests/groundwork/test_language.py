"""Sentences and parses of biomedical English."""

import re
from importlib import import_module

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from groundwork import language
from groundwork.errors import ModelUnreachable
from groundwork.language import JOINED, LONGEST, Sentence, cut, parse, sentences

SPLITS = [
    ["Metformin lowers glucose.", "It is safe."],
    ["Drugs, e.g. Metformin, help.", "Others, i.e. NSAIDs, do not."],
    ["Metformin vs. Placebo was tested.", "No change was seen."],
    ["Smith et al. (2010) found it.", "Jones et al. 2011 did not.", "So did Lee et al.", "We agree."],
    ["The ratio was 3.5 and P < .05.", "IL-6 rose."],
    ["Levels of TP53 fell.", "p53 was lost.", "mTOR was active.", "α-Synuclein was found."],
    ["E. coli and S. aureus grew.", "C. elegans did not."],
    ["We gave vitamin D.", "Patients improved."],
    ["He had hepatitis B.", "She had none."],
    ["It was found by J. Smith.", "He won."],
    ["See Fig. 2 and No. 5 of ref. 3 for more.", "Is it so?", "Yes!", "The answer is no.", "We stop."],
    ["(It was seen in mice.)", "“It was so.”", "Then it ended."],
    ["1. Aspirin works.", "2. Placebo does not."],
    ["A title without a stop", "An abstract starts here."],
    ["CD4+ T cells fell (p = 0.03).", "[Pm1] rose."],
]


def test_a_long_row_of_dots_is_read_in_one_pass():
    assert len(sentences("." * 1_000_000 + "x")) == 1  # looking again from each dot would take hours


@pytest.mark.parametrize("wanted", SPLITS, ids=lambda wanted: wanted[0][:30])
def test_sentences_end_where_a_reader_ends_them(wanted):
    text = "\n\n".join(wanted) if wanted[0].startswith("A title") else " ".join(wanted)
    assert [s.text for s in sentences(text)] == wanted


def test_a_line_end_within_a_paragraph_is_a_space():
    assert [s.text for s in sentences("Patients with\nAlzheimer disease improved.\nSo did others.")] == [
        "Patients with\nAlzheimer disease improved.",
        "So did others.",
    ]


def test_empty_text_has_no_sentences():
    assert sentences("") == sentences(" \n\n ") == ()


@given(st.text(alphabet="aB1. \n?!()e,gα", max_size=60))
def test_sentences_are_slices_that_miss_only_white_space(text):
    found = sentences(text)
    assert all(text[s.start : s.end] == s.text == s.text.strip() != "" for s in found)
    gaps = [0, *(edge for s in found for edge in (s.start, s.end)), len(text)]
    assert gaps == sorted(gaps)
    assert all(not text[a:b].strip() for a, b in zip(gaps[::2], gaps[1::2], strict=True))


def test_the_parser_splits_sentences_as_the_rule_does():
    text = "E. coli vs. S. aureus was studied (p < .05). p53 fell.  Metformin reduces the glucose level."
    doc = parse(text)
    assert [s.text.strip() for s in doc.sents] == [s.text for s in sentences(text)]
    verb = next(token for token in doc if token.text == "reduces")
    assert (verb.lemma_, verb.dep_) == ("reduce", "ROOT")


def test_leading_white_space_and_empty_text_can_be_parsed():
    assert [s.text.strip() for s in parse("  \nAspirin helps. It works.").sents if s.text.strip()] == [
        "Aspirin helps.",
        "It works.",
    ]
    assert len(parse("")) == 0


def test_a_missing_model_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(language, "MODELS", ("no_such_model_here",))
    language.pipeline.cache_clear()
    try:
        with pytest.raises(ModelUnreachable, match="spacy download"):
            language.pipeline()
    finally:
        language.pipeline.cache_clear()


def test_a_sentence_prints_as_json():
    assert Sentence("A b.", 0, 4).to_dict() == {"text": "A b.", "start": 0, "end": 4}


def test_the_tokenizer_has_the_rules_that_the_model_was_trained_with():
    whole, used = (nlp.tokenizer for nlp in (import_module(language.english_model()).load(), language.pipeline()))
    assert len({each.to_bytes(exclude=["vocab"]) for each in (whole, used)}) == 1  # the words read so far are no rules


def test_a_parse_equals_that_of_the_whole_model():
    text = "Metformin (850 mg b.i.d.) didn't lower HbA1c in non-users of IL-6 blockers, e.g. tocilizumab; p<0.05."
    whole = import_module(language.english_model()).load()(text)
    seen = [(token.text, token.tag_, token.lemma_, token.dep_, token.head.i) for token in parse(text)]
    assert seen == [(token.text, token.tag_, token.lemma_, token.dep_, token.head.i) for token in whole]


def parts(text):
    return [part.text for part in cut(Sentence(text, 0, len(text)))]


def test_a_sentence_of_usual_length_stays_whole():
    assert parts("Aspirin lowers pain, and " * 9 + "warfarin does not.") == [
        "Aspirin lowers pain, and " * 9 + "warfarin does not."
    ]


def test_a_long_sentence_is_cut_at_a_semicolon_before_a_comma_before_a_space():
    half = "word " * 150
    assert parts(f"{half}one, two; three {half}")[0].endswith("one, two")
    assert parts(f"{half}one, two three {half}")[0].endswith("one")
    assert parts("word " * 300)[0] == ("word " * 200).strip()


def test_a_sentence_that_goes_on_and_on_is_cut_between_its_clauses():
    one = "Metformin lowers glucose"
    assert parts(" and ".join([one] * 40)) == [" and ".join([one] * n) for n in (17, 17, 6)]


def test_an_extremely_long_word_is_cut_too():
    assert [len(part) for part in parts("a" * 2500)] == [LONGEST, LONGEST, 500]


@pytest.mark.parametrize("text", ["", " ", ";", "and " * 40, ", and " * 4000, "; " * 5000])
def test_text_of_conjunctions_and_separators_alone_can_be_cut(text):
    assert sum(len(part) for part in parts(text)) <= len(text)


@given(
    st.lists(st.sampled_from(["aspirin", "and", "but", "x" * 70, ",", ";", "not", "\n", "é"]), max_size=400),
    st.integers(0, 9),
)
@example(["and"] * 17, 0)
def test_parts_are_short_have_right_offsets_and_lose_only_the_joining_words(words, shift):
    text = " ".join(words).strip() or "x"
    found = cut(Sentence(text, shift, shift + len(text)))
    at = shift
    for part in found:
        assert part.text == text[part.start - shift : part.end - shift]
        assert len(part.text) <= LONGEST
        assert len(re.findall(r"\b(?:and|but|not)\b|;", part.text)) <= JOINED
        assert re.fullmatch(r"[\s,;]*(?:and|but)?\s*", text[at - shift : part.start - shift])
        at = part.end
    assert re.fullmatch(r"(?:[\s,;]|\b(?:and|but)\b)*", text[at - shift :])
