"""Parsed sentences: every mention is one word, and offsets are those of the original."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwork.linking import Mention
from groundwork.reading.tree import Parser, parse, parse_all
from tests.groundwork.reading import marked

SENTENCES = [
    "{Metformin|Chemical} lowers {type 2 diabetes mellitus|Disease}.",
    "{p53|Gene}-dependent apoptosis was reduced by {cisplatin|Chemical}/{MDM2|Gene} in anti{Akt|Gene} cells.",
    "{Aspirin|Chemical}",
    "No concept is named here.",
    "",
]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_mention_is_one_word_and_words_are_those_of_the_sentence(sentence):
    text, mentions = marked(sentence)
    tree = parse(text, mentions)
    assert [word.text for word in tree.places] == [mention.text for mention in mentions]
    assert all(text[word.start : word.end] == word.text for word in tree.words)


def test_sentences_parsed_together_equal_those_parsed_alone():
    cases = [marked(sentence) for sentence in SENTENCES]
    together = [tree.words for tree in parse_all(cases)]
    shown = [(text, tuple((mention.start, mention.end) for mention in mentions)) for text, mentions in cases]
    assert together == [Parser().words([each])[0] for each in shown]


def test_a_parser_with_a_tiny_cache_gives_the_same_parses(monkeypatch):
    monkeypatch.setattr("groundwork.reading.tree.KEPT", 1)
    asked = [("Aspirin lowers pain.", ((0, 7),)), ("Aspirin raises pain.", ((0, 7),))]
    parser = Parser()
    first = parser.words(asked)
    assert [parser.words([each])[0] for each in asked + asked] == first + first
    assert parser.words([*asked, asked[0]]) == [*first, first[0]]


def test_the_path_turns_at_the_verb():
    tree = parse(*marked("{Aspirin|Chemical} lowered the risk of {stroke|Disease} in men."))
    up, top, down = tree.path(*tree.places)
    assert (top.lemma, [word.text for word in up], [word.text for word in down]) == (
        "lower",
        ["Aspirin"],
        ["stroke", "of", "risk"],
    )
    assert {word.text for word in tree.subtree(down[-1])} == {"the", "risk", "of", "stroke"}


def test_a_sentence_in_capitals_is_parsed_like_any_other():
    text, mentions = marked("{ASPIRIN|Chemical} CAUSES {ASTHMA|Disease}.")
    words = parse(text, mentions).words
    assert [(word.text, word.tag, word.dep) for word in words[:3]] == [
        ("ASPIRIN", "NNP", "nsubj"),
        ("CAUSES", "VBZ", "ROOT"),
        ("ASTHMA", "NNP", "dobj"),
    ]
    assert words[1].lemma == "cause"


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.data())
def test_any_text_with_any_mentions_is_parsed(text, data):
    edges = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    spans = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=False) if text[a:b].strip()]
    mentions = [Mention(text[a:b], a, b, f"Gene|{a}", text[a:b], 1.0) for a, b in spans]
    tree = parse(text, mentions)
    assert [(word.start, word.end) for word in tree.places] == spans
