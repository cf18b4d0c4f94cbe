"""Instructions in retrieved abstracts reach a model only as evidence in one message, and an agent only as fields of one
document."""

import json

import anyio
import pytest
from mcp.client.client import Client

from groundwork.settings import Settings
from knowhd.prompt import load
from tests.knowhd.test_attacks import ATTACKS, CANARY, TEXT, world
from tests.loopback import claims_wanted, serving
from truthhypo.faces.langchain import Toolkit
from truthhypo.faces.mcp.server import NOTICE, server
from truthhypo.resources import Stores
from truthhypo.service.operations import OPERATIONS
from truthhypo.world import World

#: Fields of a document that may hold words from outside.
QUOTED = {"title", "sentence", "text", "name", "reason", "abstract", "matched", "alternatives", "rationale"}
#: The attack that an agent always meets; the others are slow tests.
QUICK = "closes the fence"
#: Calls of tools whose answers hold the attack.
CALLS = [
    ("ground_statement", {"text": TEXT}),
    ("assess_risk", {"text": TEXT}),
    ("find_concepts", {"q": "headache"}),
    ("search_literature", {"q": "aspirin"}),
    ("get_article", {"pmid": 71}),
    ("find_chains", {"head": "aspirin", "tail": "headache"}),
]


class Inline:
    """An engine that answers in this process.

    Args:
        world: What it asks.
    """

    def __init__(self, world):
        self.world = world

    async def answer(self, name, request):
        return OPERATIONS[name].answered(self.world, request)


@pytest.fixture(params=ATTACKS)
def hostile(request, tmp_path):
    """A function that gives a world whose stores hold the attack."""

    def made(**values):
        settings = Settings(home=tmp_path, **values)
        stores = Stores(settings)
        vars(stores)["_graph"], vars(stores)["_literature"] = world(ATTACKS[request.param])
        return World(settings, stores=stores)

    return made


def places(value, at=""):
    """The fields of a document that hold the mark of the attack."""
    if isinstance(value, dict):
        assert not any(CANARY in key for key in value)
        return {place for name, part in value.items() for place in places(part, name)}
    if isinstance(value, list):
        return {place for part in value for place in places(part, at)}
    return {at} if CANARY in str(value) else set()


def test_a_served_model_gets_no_tools_and_a_system_prompt_without_evidence(hostile):
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


def test_a_tool_quotes_the_attack_in_one_document_and_its_description_stays_the_same(hostile, tmp_path):
    asked, plain = hostile(), World(Settings(home=tmp_path / "plain", graph="memory:", literature="memory:"))
    tools, wanted = (Toolkit(world=each).get_tools() for each in (asked, plain))
    assert [(t.name, t.description, t.args) for t in tools] == [(t.name, t.description, t.args) for t in wanted]
    judging = next(tool for tool in tools if tool.name == "ground_statement")
    document = json.loads(judging.invoke({"text": TEXT}))
    assert document == json.loads(json.dumps(asked.ground(TEXT).to_dict()))
    assert places(document) <= QUOTED
    assert places(document)


def told(world, calls):
    """The texts that an agent gets in a session: the descriptions of the tools and their answers."""

    async def session():
        async with Client(server(Inline(world))) as client:
            tools, prompts = await client.list_tools(), await client.list_prompts()
            around = [client.instructions, tools.model_dump_json(), prompts.model_dump_json()]
            return around, [await client.call_tool(*call) for call in calls]

    return anyio.run(session)


@pytest.mark.parametrize(
    "hostile",
    [name if name == QUICK else pytest.param(name, marks=pytest.mark.slow) for name in ATTACKS],
    indirect=True,
)
def test_an_agent_over_mcp_gets_the_attack_only_as_data(hostile, tmp_path):
    around, answers = told(hostile(), CALLS)
    assert around == told(World(Settings(home=tmp_path / "plain", graph="memory:", literature="memory:")), [])[0]
    assert CANARY not in "".join(around)
    shown = set()
    for answer in answers:
        assert not answer.is_error
        [block] = answer.content
        assert json.loads(block.text) == answer.structured_content
        assert next(iter(answer.structured_content.items())) == ("notice", NOTICE)
        shown |= places(answer.structured_content)
    assert {"title", "sentence", "abstract", "name"} <= shown <= QUOTED
    verdicts = [claim["verdicts"]["both"] for claim in answers[0].structured_content["claims"]]
    assert verdicts == ["supported", "contradicted", "supported"]
