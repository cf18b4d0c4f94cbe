"""The training table of the encoder, and the standard metric of relations."""

from itertools import islice
from random import Random

import numpy as np
import pytest

from groundwork.errors import InputError
from groundwork.reading.encoder import ACTS, MANNERS, SIGNS, shipped
from ingest.documents.document import Annotation, Document
from knowhd.marks import Mark
from truthhypo.bench.reader import corpora, frames, training
from truthhypo.bench.reader.article_pairs import ArticleModel, ArticlePairs, RelationF1, cross_predicted, relation_f1
from truthhypo.bench.reader.frames import clauses, marked_rows
from truthhypo.bench.reader.table import ANY_ACTS, ANY_MANNER, ANY_SIGN, End, HeldOut, Row, only, places, row
from truthhypo.bench.reader.training import clearness_of, figures_of, gold_of, read_table, threshold_of, thresholds_of

A, B, C, D = (f"Gene|{number}" for number in range(4))
DOCUMENT = Document(
    1, "", "", relations=((A, "positive_correlate", B), (A, "associate", C), (B, "interact", C), (A, "associate", A))
)


def made(text, actor="A", other="B", **said):
    return row("set", 1, text, End("Chemical", places(text, actor)), End("Gene", places(text, other)), **said)


def test_the_end_that_occurs_first_is_the_first():
    found = made("B is inhibited by A.", signs=only("down"), acts=only("first"), forbidden=("up", "first"))
    assert (found.first, found.second, found.types) == (((0, 1),), ((18, 19),), ("Gene", "Chemical"))
    assert (found.acts, found.forbidden) == (only("second"), ("up", "second"))


@pytest.mark.parametrize("text", ["A alone.", "B alone."])
def test_a_sentence_that_lacks_an_end_is_no_row(text):
    assert made(text) is None


def test_ends_that_overlap_are_no_row():
    assert row("set", 1, "AB-1", End("Gene", [(0, 4)]), End("Gene", [(0, 2)])) is None


def rows(*pmids):
    return [Row("set", pmid, f"Sentence {pmid} on A and B.", ((0, 1),), ((2, 3),), ("Gene", "Gene")) for pmid in pmids]


def test_documents_are_set_aside_by_list_last_digit_or_sentence(tmp_path):
    path = tmp_path / "ASIDE.txt"
    path.write_text("15\tchemprot\n0000016\n\n", "utf-8")
    held = HeldOut.read([path])
    assert [held.holds(each) for each in rows(11, 12, 13, 15, 16)] == [False, True, True, True, True]
    same = Row("other", 0, "SENTENCE 12, on A and B", ((0, 1),), ((2, 3),), ("Gene", "Gene"))
    assert not held.holds(same)
    assert held.with_sentences(rows(11, 12)).holds(same)


def changed(text, **said):
    found = made(text, signs=only("down"), manners=only("result", "hedged"), acts=only("first"), **said)
    return {each.text: each for each in frames.counterfactuals([found], Random(1))}


def test_a_verb_is_turned_denied_and_made_neutral():
    found = changed("A inhibits B in cells.")
    texts = {tuple(each.signs): each for each in found.values() if each.manners == only("result", "hedged")}
    assert ("up",) in texts and texts[("up",)].text != "A inhibits B in cells."
    denied = [each for each in found.values() if each.manners == only("denied")]
    assert [each.signs for each in denied] == [only("down")]
    for each in found.values():
        assert [each.text[slice(*span)] for span in (*each.first, *each.second)] == ["A", "B"]


@pytest.mark.parametrize("text", ["A inhibits B and activates cells.", "A and B.", "The A inhibitor B-X inhibits."])
def test_a_sentence_with_several_signs_or_none_is_not_changed(text):
    assert len(changed(text)) == 0


def test_plain_statements_are_filled_and_marked():
    found = list(frames.statements(["aspirin"], Random(1), 2000))
    assert len(found) > 1900
    for each in found:
        assert "{" not in each.text
        assert {each.text[slice(*span)] for span in (*each.first, *each.second)} == {"Qa", "Qb"}
    said = {each.text: (each.signs, each.manners) for each in found}
    assert said["Qa protects against Qb."] == (only("down"), only("result"))
    assert said["Qa had no effect on Qb."][1] == only("denied")
    assert said["Effect of Qa on Qb."] == (ANY_SIGN, only("unstated"))


def test_classes_are_the_encoders():
    assert (frozenset(SIGNS), frozenset(MANNERS), frozenset(ACTS)) == (ANY_SIGN, ANY_MANNER, ANY_ACTS)


def chances(sign, probability, manner="result"):
    """Probabilities of an encoder that gives a sign and a manner."""
    found = np.zeros(len(SIGNS) + len(MANNERS) + len(ACTS), dtype=np.float32)
    found[SIGNS.index(sign)], found[0] = probability, 1 - probability
    found[len(SIGNS) + MANNERS.index(manner)] = 1
    return found


def labelled(signs, manners=ANY_MANNER, source="set"):
    return Row(source, 1, "A B", ((0, 1),), ((2, 3),), ("Gene", "Gene"), signs, manners)


@pytest.mark.parametrize(
    ("each", "gold"),
    [
        (labelled(only("up")), 1),
        (labelled(only("down")), -1),
        (labelled(only("none")), 0),
        (labelled(only("none", "related")), 0),
        (labelled(only("up"), only("denied")), 0),
        (labelled(ANY_SIGN, only("unstated")), 0),
        (labelled(only("up", "down", "related")), None),
        (labelled(ANY_SIGN), None),
    ],
)
def test_what_may_be_decided(each, gold):
    assert gold_of(each) == gold


def test_the_threshold_is_the_lowest_at_which_enough_is_right():
    asked = [labelled(only("up"))] * 9 + [labelled(only("none"))] * 2
    found = np.stack([chances("up", 0.8)] * 9 + [chances("up", 0.7), chances("down", 0.65)])
    assert threshold_of(asked * 60, np.concatenate([found] * 60)) == pytest.approx(0.7)
    assert threshold_of(asked, found) == pytest.approx(0.6)
    assert thresholds_of(zip(asked * 60, [*found] * 60, strict=True)) == {"Gene|Gene": pytest.approx(0.7)}
    assert thresholds_of(zip(asked, found, strict=True)) == {}
    assert clearness_of(np.stack([chances("up", 0.8, "denied")]))[0] == 0


def test_figures_count_signs_and_others():
    asked = [labelled(only("up")), labelled(only("up")), labelled(only("down")), labelled(only("none"))]
    found = np.stack(
        [
            chances("up", 0.9),
            chances("up", 0.2),
            chances("up", 0.9),
            chances("down", 0.9),
        ]
    )
    assert figures_of(asked, found, 0.6) == {"signed": 3, "found": 0.333, "right": 0.5, "others": 1, "decided": 1.0}


def mark(
    stance, claim="Aspirin inhibits COX-2.", text="We show that aspirin inhibits COX-2 in cells.", piece="pmid:11#s2"
):
    return Mark(claim, piece, "right", stance, "ada", "", text, "2026-11-29T12:00:00Z")


@pytest.mark.parametrize(
    ("stance", "signs", "manners", "forbidden"),
    [
        ("supports", only("down"), only("result", "hedged"), None),
        ("contradicts", only("up", "down", "related"), only("result", "hedged", "denied"), ("down", "first")),
        (None, ANY_SIGN, ANY_MANNER, ("down", "first")),
    ],
)
def test_a_mark_on_a_sentence_is_a_row(stance, signs, manners, forbidden):
    (found,), left = marked_rows([mark(stance)], {"aspirin": "Chemical"}, shipped())
    assert (found.source, found.pmid, found.types, left) == ("marks", 11, ("Chemical", "Other"), 0)
    assert (found.signs, found.manners, found.forbidden) == (signs, manners, forbidden)


def test_marks_that_cannot_be_turned_are_counted():
    edge = mark("supports", text="", piece="edge:Chemical|1 inhibit Gene|2")
    unsaid = mark("supports", text="Another sentence.")
    related = mark("supports", claim="Aspirin is associated with COX-2.")
    assert marked_rows([edge, unsaid, related], {}, shipped()) == ([], 3)


def test_a_folder_without_the_sets_is_refused(tmp_path):
    with pytest.raises(InputError, match="has no folder labelled/chemprot"):
        read_table(tmp_path, print)


@pytest.mark.slow
def test_real_sets_are_read_and_what_is_set_aside_stays_out(data, monkeypatch):
    # Only some sentences are parsed, since that would take minutes. All other sets are read completely.
    for name in ("_sections", "_questions"):
        real = getattr(training, name)
        monkeypatch.setattr(training, name, lambda data, real=real: islice(real(data), 200))
    monkeypatch.setattr(training, "clauses", lambda source, listed, names: clauses(source, islice(listed, 2000), names))
    rows_of, held, names = read_table(data, print)
    assert {"chemprot", "ade", "semmed", "cancermine", "biored", "sections"} <= rows_of.keys()
    assert len(names) > 1000
    for name, listed in rows_of.items():
        assert listed or name == "marks", name
        assert all(each.first[0][0] < each.second[0][0] for each in listed)
        assert all(0 <= s < e <= len(each.text) for each in listed for s, e in (*each.first, *each.second))
    assert all(held.holds(each) for each in rows_of["chemprot_development"])
    kept = [each for listed in rows_of.values() for each in listed if not held.holds(each)]
    assert not any(each.pmid % 10 in (2, 3) for each in kept if each.pmid)
    assert not {each.pmid for each in kept} & held.pmids


def test_a_real_row_says_what_its_annotation_leaves_open(data):
    found = {each.text[:40]: each for each in corpora.semmed(data / "labelled" / "semmed_judged")}
    refused = [each for each in found.values() if each.forbidden]
    assert refused and all(each.signs == ANY_SIGN for each in refused)


@pytest.mark.parametrize(
    ("text", "actor", "acted", "sign", "manner"),
    [
        ("Dietary salt increases arterial pressure in rats.", "Dietary salt", "arterial pressure", "up", "result"),
        ("Arterial pressure was reduced by dietary fibre.", "dietary fibre", "Arterial pressure", "down", "result"),
        ("Dietary salt did not increase arterial pressure.", "Dietary salt", "arterial pressure", "up", "denied"),
        ("Dietary salt may increase arterial pressure.", "Dietary salt", "arterial pressure", "up", "hedged"),
        ("Aspirin intake reduces arterial pressure.", "Aspirin intake", "arterial pressure", "down", "result"),
    ],
)
def test_a_clause_is_labelled_by_its_main_verb(text, actor, acted, sign, manner):
    (found,) = clauses("clauses", [(1, text)], {"aspirin": "Chemical"})
    named = {text[slice(*found.first[0])], text[slice(*found.second[0])]}
    assert (named, found.signs, found.manners) == ({actor, acted}, only(sign), only(manner))
    first = text[slice(*found.first[0])] == actor
    assert found.acts == only("first" if first else "second")


@pytest.mark.parametrize(
    "text", ["Does dietary salt increase arterial pressure?", "Salt was measured in all the rats."]
)
def test_a_question_or_a_neutral_verb_gives_no_clause(text):
    assert list(clauses("clauses", [(1, text)], {})) == []


def test_a_joined_statement_changes_no_label():
    own = made("A inhibits B.", signs=only("down"), manners=only("result"))
    (found,) = frames.joined([own], ["aspirin", "fever"], Random(1))
    assert found.text.startswith("A inhibits B") and len(found.text) > len(own.text) + 10
    assert (found.first, found.second, found.signs, found.manners) == (own.first, own.second, own.signs, own.manners)


def test_no_effect_denies_every_relation():
    found = frames.statements(["aspirin"], Random(1), 2_000)
    signs = {tuple(each.signs) for each in found if "had no effect on" in each.text and ";" not in each.text[:40]}
    assert ("related",) in signs


def test_pairs_and_types_are_counted():
    told = {(A, B): "up", (B, C): "related", (A, D): "related"}  # one right pair, a pair of another type, and no pair
    found = relation_f1([DOCUMENT], {(1, frozenset(pair)): kind for pair, kind in told.items()})
    assert found == RelationF1(pytest.approx(2 * 2 / (3 + 3), abs=1e-4), pytest.approx(2 * 1 / (3 + 3), abs=1e-4))


def test_nothing_to_find_is_zero():
    assert relation_f1([Document(1, "", "")], {}) == RelationF1(0.0, 0.0)


def article(pmid, kind):
    """An article that names A and B, with a relation of this kind between them, or none."""
    relation = {"up": "positive_correlate", "down": "negative_correlate", "related": "associate"}
    related = ((A, relation[kind], B),) if kind in relation else ()
    named = (Annotation(A, "TP53"), Annotation(B, "MDM2"))
    return Document(pmid, "TP53", "TP53 and MDM2", annotations=named, relations=related)


def read(document, kind):
    """The one sentence of an article, as the encoder reads it."""
    return (document.pmid, frozenset((A, B))), [0.8 if name == kind else 0.2 / 3 for name in SIGNS]


def test_the_sentences_of_an_article_are_pooled_as_they_were_labelled():
    kinds = ["up", "down", "related", "none"] * 40
    documents = [article(pmid, kind) for pmid, kind in enumerate(kinds)]
    places, rows = zip(*map(read, documents, kinds), strict=True)
    pairs = ArticlePairs.of(documents, places, np.array(rows))
    expected = {(pmid, frozenset((A, B))): kind for pmid, kind in enumerate(kinds) if kind != "none"}
    assert ArticleModel().fit(pairs, documents).predict(pairs) == expected
    assert cross_predicted(pairs, documents) == expected
    assert relation_f1(documents, expected) == RelationF1(1.0, 1.0)
