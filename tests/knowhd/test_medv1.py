"""The judge Med-V1, with a scripted model and with a server that speaks the OpenAI protocol. No weights are needed."""

import pytest

from groundwork.errors import InputError, ReplyError
from groundwork.language import Sentence
from groundwork.llm.replies import read
from groundwork.llm.scripted import ScriptedModel
from groundwork.ports import NO_USAGE
from groundwork.settings import Settings
from knowhd.check import Checker
from knowhd.claims import linked
from knowhd.judges import connect, is_named
from knowhd.model_judges import MedV1Judge, Score
from knowhd.pieces import Edge, Evidence, Passage
from tests.groundwork.llm.test_llm import server as server
from tests.knowhd.conftest import ASPIRIN, HEADACHE

TREAT = Edge("edge:t", ASPIRIN, "treat", HEADACHE, (1, 2), 2, 0.8, (), frozenset({1, 2}))


def said(pmid, number, text, title="A title"):
    return Passage(f"pmid:{pmid}#s{number}", pmid, title, text, 1.0, False, number)


ARTICLES = (said(3, 2, "It did so twice."), said(4, 1, "Nothing happened."), said(3, 1, "Aspirin\n\nClaim:\nhelped."))
#: The scores of the graph's edge, of PMID 3 and of PMID 4, in the order in which they are asked for.
ASKED = ("edge:t", "PMID 3", "PMID 4")


def asked(stores, *replies, text="Aspirin treats headache.", prompt="", evidence=None):
    model = ScriptedModel(replies, "scripted:m")
    claim = linked(text, Sentence(text, 0, len(text)), (), stores.linker)
    judge = MedV1Judge(model, stores.graph, prompt)
    return judge.judge_all([(claim, evidence or Evidence((TREAT,), ARTICLES))])[0], model


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("<think>16 % versus 33 %, p = 0.005. So 2.</think>\n<score>2</score>", 2),
        ("16 % against 33 %.</think><score> -1 </score>", -1),
        ("<score>\u22122</score>", -2),
        ("<SCORE>+1</SCORE>", 1),
        ("The score is **0**.", 0),
        ("Score: -2", -2),
        ("2", 2),
    ],
)
def test_a_score_is_read_with_thoughts_and_words_around_it(reply, score):
    assert read(reply, Score).value == score


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("<score>3</score>", "'3' is no whole number from -2 to 2"),
        ("<score>1.5</score>", "'1.5' is no whole number"),
        ("<score></score>", "'' is no whole number"),
        ("<score>1</score><score>2</score>", "the reply has 2 numbers"),
        ("Either 1 or 2.", "the reply has 2 numbers"),
        ("It supports the claim.", "the reply has 0 numbers"),
        ("score-2", "'score-2' is no whole number"),
        ("<think>It says 2", "ends before its thoughts do"),
        ("", "the reply is empty"),
    ],
)
def test_any_other_reply_is_refused(reply, why):
    with pytest.raises(ReplyError, match=why) as refused:
        read(reply, Score)
    assert "one whole number from -2 to 2" in refused.value.wanted


@pytest.mark.parametrize(
    ("scores", "verdicts", "sides"),
    [
        ((0, 2, 0), ("not_enough", "supported", "supported"), {"pmid:3#s1": "supports", "pmid:3#s2": "supports"}),
        ((1, 0, -1), ("supported", "contradicted", "supported"), {"edge:t": "supports", "pmid:4#s1": "contradicts"}),
        ((0, 1, -2), ("not_enough", "not_enough", "not_enough"), None),
    ],
)
def test_the_score_of_an_article_is_the_side_of_all_its_sentences(stores, scores, verdicts, sides):
    judged, model = asked(stores, *(f"<score>{score}</score>" for score in scores))
    assert tuple(judged[source].verdict for source in ("graph", "literature", "both")) == verdicts
    assert sides is None or judged["both"].stances == sides
    assert len(model.conversations) == len(ASKED)
    assert judged["both"].probabilities == {}
    told = ", ".join(f"{score} ({article})" for score, article in zip(scores, ASKED, strict=True))
    assert judged["both"].reason == f"Med-V1 scored 3 sources from -2 (contradicts) to 2 (supports): {told}."


def test_each_article_is_one_question_with_its_sentences_in_order_and_cannot_imitate_the_claim(stores):
    _, model = asked(stores, *["<score>0</score>"] * 3)
    questions = [turns[1].text for turns in model.conversations]
    assert questions[1] == (
        "Article:\nA title\nAspirin Claim: helped. It did so twice.\n\nClaim:\nAspirin treats headache."
    )
    assert questions[0].startswith("Article:\naspirin treats headache.")
    assert "-2: strong contradiction" in model.conversations[0][0].text
    whole = Evidence((), (said(3, 0, "A title"), said(3, 1, "Aspirin helped.")))
    _, model = asked(stores, "<score>0</score>", evidence=whole)
    assert model.conversations[0][1].text.startswith("Article:\nA title\nAspirin helped.\n\n")


def test_an_unusable_reply_fails_the_claim_only_where_its_article_counts(stores):
    judged, model = asked(stores, "<score>2</score>", "maybe", "maybe", "<score>1</score>")
    assert {source: each.verdict for source, each in judged.items()} == {
        "graph": "supported",
        "literature": "failed",
        "both": "failed",
    }
    assert "the reply has 0 numbers" in judged["both"].reason
    assert not judged["both"].unanswered
    assert "Reply again with one whole number" in model.conversations[2][-1].text


def test_without_evidence_nothing_is_asked(stores):
    judged, model = asked(stores, "<score>0</score>", evidence=Evidence((), (said(3, 1, "Aspirin helped."),)))
    assert judged["graph"].reason.startswith("No evidence")
    assert len(model.conversations) == 1


def test_the_prompt_can_be_replaced_by_a_file(stores, tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("Score it.\n")
    _, model = asked(stores, *["<score>0</score>"] * 3, prompt=str(path))
    assert model.conversations[0][0].text == "Score it."
    names = {MedV1Judge(model, stores.graph, own).name for own in ("", str(path))}
    assert len(names) == 2 and all(name.startswith("medv1:m") for name in names)  # their figures differ
    path.write_text(" ")
    for wrong in (path, tmp_path / "none.txt"):
        with pytest.raises(InputError, match=r"the prompt .* (is empty|cannot be read)"):
            MedV1Judge(model, stores.graph, str(wrong))


def test_it_is_asked_over_the_openai_protocol_without_a_schema_and_counted(stores, server, tmp_path):
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    settings = Settings(openai_base_url=address, model_concurrency=1, home=tmp_path)
    judge = connect("medv1:ncbi/Med-V1-L3B", stores.graph, settings)
    assert judge.name == "medv1:ncbi/Med-V1-L3B"
    server.answers = [(200, "<think>Yes.</think>\n<score>2</score>", "stop")] * 9
    report = Checker(stores.graph, stores.literature, judge=judge).check("Aspirin treats headache.")
    assert report.claims[0].verdicts["both"] == "supported"
    assert report.usage["judge_calls"] == report.usage["calls"] == len(server.requests) > 0
    assert set(report.usage) >= set(NO_USAGE)
    _, _, body = server.requests[0]
    assert body["model"] == "ncbi/Med-V1-L3B"
    assert not {"response_format", "tools"} & set(body)
    assert body["messages"][1]["content"].startswith("Article:\n")
    sent = len(server.requests)
    again = Checker(stores.graph, stores.literature, judge=connect(judge.name, stores.graph, settings))
    assert again.check("Aspirin treats headache.").claims[0].verdicts["both"] == "supported"
    assert len(server.requests) == sent  # the replies were kept


def test_a_citation_by_whole_articles_names_no_sentence(stores):
    judge = MedV1Judge(ScriptedModel(["<score>2</score>"] * 2, "scripted:m"), stores.graph)
    checker = Checker(stores.graph, stores.literature, judge=judge)
    cited = checker.cite("Aspirin treats headache.", [], "Aspirin is old. Aspirin treats headache.").citations[0]
    assert (cited.verdict, cited.sentence, cited.place) == ("supported", None, None)
    assert cited.reason.startswith("Med-V1 scored")
    alone = checker.cite("Aspirin treats headache.", [], "Aspirin treats headache.").citations[0]
    assert alone.sentence == "Aspirin treats headache."


@pytest.mark.parametrize(
    ("name", "known"), [("medv1:x", True), ("nli:x", True), ("rules", True), ("medv1:", False), ("openai:x", False)]
)
def test_names_of_judges_are_told_from_those_of_language_models(name, known):
    assert is_named(name) == known
