"""Orders in retrieved abstracts reach a model as evidence in one message, and an agent as fields of one document."""

import json

import pytest

from groundwork.settings import Settings
from knowhd.prompt import load
from tests.knowhd.attacks import ATTACKS, CANARY
from tests.knowhd.test_attacks import TEXT, world
from tests.loopback import claims_wanted, serving
from truthhypo.faces.langchain import Toolkit
from truthhypo.world import World

#: Where words from outside stand in a judgement's document.
QUOTED = {"title", "sentence", "text", "name", "reason"}


@pytest.fixture(params=ATTACKS)
def hostile(request, tmp_path):
    """A function that gives a world whose stores hold the attack."""

    def made(**values):
        opened = World(Settings(home=tmp_path, **values))
        vars(opened)["graph_store"], vars(opened)["literature"] = world(ATTACKS[request.param])
        return opened

    return made


def places(value, at=""):
    """The fields of a document that hold the mark of the attack."""
    if isinstance(value, dict):
        assert not any(CANARY in key for key in value)
        return {place for name, part in value.items() for place in places(part, name)}
    if isinstance(value, list):
        return {place for part in value for place in places(part, at)}
    return {at} if CANARY in str(value) else set()


def test_a_served_model_is_given_no_tool_and_its_orders_hold_nothing_from_outside(hostile):
    with serving() as server:
        asked = hostile(model="openai:m", openai_base_url=server.address, model_cache=False)
        report = asked.ground(TEXT)
        judging = [request for request in server.requests if not claims_wanted(request)]
    assert [claim.verdicts["both"] for claim in report.claims] == ["supported"] * 3
    assert any(CANARY in json.dumps(request) for request in judging), "it was shown"
    for request in judging:
        assert not {"tools", "tool_choice", "functions"} & request.keys()
        told, question = request["messages"]
        assert (told["role"], told["content"], question["role"]) == ("system", load("judge_once").text, "user")
        rest = {name: value for name, value in request.items() if name != "messages"}
        assert CANARY not in json.dumps(rest)


def test_a_tool_quotes_it_in_one_document_and_tells_an_agent_what_it_always_tells(hostile, tmp_path):
    asked, plain = hostile(), World(Settings(home=tmp_path / "plain", graph="memory:", literature="memory:"))
    tools, wanted = (Toolkit(world=each).get_tools() for each in (asked, plain))
    assert [(t.name, t.description, t.args) for t in tools] == [(t.name, t.description, t.args) for t in wanted]
    judging = next(tool for tool in tools if tool.name == "ground_statement")
    document = json.loads(judging.invoke({"text": TEXT}))
    assert document == json.loads(json.dumps(asked.ground(TEXT).to_dict()))
    assert places(document) <= QUOTED
    assert places(document)
