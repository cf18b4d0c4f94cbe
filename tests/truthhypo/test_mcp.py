"""The tools for agents: their requests, their answers, and the server over HTTP and stdio."""

import json
import sys

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from pydantic import TypeAdapter, ValidationError

from tests.truthhypo.serving import serving
from truthhypo.faces.mcp.server import NOTICE, Page, cut
from truthhypo.service import requests as ask
from truthhypo.service.operations import TOOLS

TEXT = "Simvastatin lowers cholesterol. Aspirin causes myocardial infarction."
KEYS = {"key": ["simvastatin", "cholesterol"]}
#: Arguments of each tool, and a field of its answer.
WALK = {
    "find_concepts": ({"q": "insulin", "limit": "4", "max_items": 4.0}, "concepts"),
    "get_edges": (KEYS, "edges"),
    "find_chains": ({"head": "simvastatin", "tail": "cholesterol"}, "chains"),
    "search_literature": ({"q": "cholesterol", "k": 5}, "hits"),
    "get_article": ({"pmid": 990000014}, "abstract"),
    "ground_statement": ({"text": TEXT, "k": 4.0, "exclude_retracted": "true", "before": "null"}, "claims"),
    "assess_risk": ({"text": TEXT, "concepts": {"it": "Gene|3156"}}, "sentences"),
    "propose_relation": ({"head": "hemochromatosis", "tail": "HFE"}, "relation"),
    "query_graph": ({"query": "MATCH (c:Concept) RETURN c.key ORDER BY c.key LIMIT 3"}, "rows"),
    "describe_release": ({}, "releases"),
    "check_citation": ({"claim": TEXT, "pmids": [990000012]}, "citations"),
}
#: Wrong calls, and a word of the error message.
BAD = [
    ("find_chains", {"head": "simvastatin", "tail": "cholesterol", "hops": 9}, "hops"),
    ("find_chains", {"head": "simvastatin", "tail": "Gene|0"}, "Gene|0"),
    ("ground_statement", {"text": ""}, "empty"),
    ("ground_statement", {"text": "x", "model": "y"}, "model"),
    ("ground_statement", {"text": "a" * 1_000_000}, "serve_text"),
    ("ground_statement", {"text": "x", "k": -1}, "k"),
    ("ground_statement", {"text": "x", "before": "in 2020"}, "before"),
    ("ground_statement", {"text": "x", "k": 4.5}, "k = 4.5"),
    ("ground_statement", {"text": "x", "k": "4.5"}, "k = 4.5"),
    ("ground_statement", {"text": "x", "judge": "nli:/etc"}, "serve_judges"),
    ("ground_statement", {"text": "x", "concepts": {"x": "Gene|0"}}, "Gene|0"),
    ("assess_risk", {"text": "Aspirin causes pain. " * 501}, "serve_claims"),
    ("search_literature", {"q": "x", "k": 5000}, "serve_k"),
    ("query_graph", {"query": "RETURN 1", "limit": 1001}, "row_limit"),
    ("query_graph", {"query": "MATCH (c) DELETE c"}, "DELETE"),
    ("get_article", {"pmid": 9}, "search_literature"),
    ("find_concepts", {"q": "x", "max_items": 0}, "max_items"),
    ("find_concepts", {"q": "x", "max_items": "three"}, "max_items"),
    ("find_concepts", {"q": "a" * 1_000_000}, "serve_text"),
    ("find_chains", {"head": "simvastatin", "tail": "cholesterol", "before": "four"}, "before = 'four'"),
    ("find_chains", {"head": "simvastatin", "tail": "cholesterol", "hops": True}, "hops"),
    ("propose_relation", {"head": "nothing of it", "tail": "HMGCR"}, "find_concepts"),
]


async def walk(client):
    """Every tool once, the wrong calls, the resources and the prompts. The client checks answers by their schemas."""
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == list(TOOLS) == list(WALK)
    assert all(tool.annotations.read_only_hint and tool.output_schema and tool.input_schema for tool in tools)
    answers = {}
    for name, (arguments, field) in WALK.items():
        told = await client.call_tool(name, arguments)
        assert not told.is_error, told.content
        assert field in told.structured_content
        assert told.structured_content["release"]
        assert told.structured_content["notice"] == NOTICE
        assert json.loads(told.content[0].text) == told.structured_content
        answers[name] = told.structured_content
    for name, arguments, word in BAD:
        told = await client.call_tool(name, arguments)
        assert told.is_error
        assert word in told.content[0].text
    few = (await client.call_tool("query_graph", {**WALK["query_graph"][0], "max_items": 1})).structured_content
    assert (len(few["rows"]), few["truncated"], "max_items" in few["go_on"]) == (1, True, True)
    resources = (await client.list_resources()).resources
    texts = [(await client.read_resource(resource.uri)).contents[0].text for resource in resources]
    assert "releases" in json.loads(texts[0])
    assert "NEGATIVE_CORRELATE" in texts[1]
    assert {prompt.name for prompt in (await client.list_prompts()).prompts} == {"check_draft", "find_mechanism"}
    asked = await client.get_prompt("check_draft", {"text": TEXT})
    assert TEXT in asked.messages[0].content.text
    asked = await client.get_prompt("find_mechanism", {"head": "{tail}", "tail": "b"})
    assert "how {tail} could act on b" in asked.messages[0].content.text
    return answers


def test_an_agent_calls_every_tool_over_http(sample_home):
    async def run(address):
        async with Client(f"{address}/mcp") as client:
            return await walk(client)

    with serving(sample_home) as service:
        answers = anyio.run(run, service.address)
        same = service.client.post("/api/v1/ground", json={"text": TEXT, "k": 4, "exclude_retracted": True}).json()
        listening = service.client.get("/mcp", headers={"Accept": "text/event-stream"})
        assert (listening.status_code, listening.headers["allow"]) == (405, "POST")
    assert answers["ground_statement"].items() >= same.items()
    assert [claim["verdicts"]["both"] for claim in same["claims"]] == ["supported", "contradicted"]


def test_an_agent_calls_every_tool_over_stdio(sample_home):
    words = ["-c", "from truthhypo.faces.cli import main; main()", "--home", str(sample_home), "mcp"]

    async def run():
        async with Client(stdio_client(StdioServerParameters(command=sys.executable, args=words))) as client:
            return await walk(client)

    assert anyio.run(run)["describe_release"]["index"]["documents"] == 28


def test_a_read_only_token_cannot_call_a_judging_tool(command, sample_home, tmp_path):
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    file = tmp_path / "tokens"
    made = command("--home", sample_home, "serve", "token", "agent", "--token-file", file).json["token"]

    async def run(address):
        headers = {"Authorization": f"Bearer {made}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
        ):
            return [await client.call_tool(name, WALK[name][0]) for name in ("find_concepts", "ground_statement")]

    with serving(sample_home, "--token-file", str(file)) as service:
        found, judged = anyio.run(run, service.address)
        assert service.client.post("/mcp", json={}).status_code == 401
    assert not found.is_error
    assert judged.is_error
    assert "scope judge" in judged.content[0].text


@pytest.mark.parametrize(
    ("answer", "most", "wanted"),
    [
        ({"a": [1, 2, 3]}, 1, {"a": [1, 2, 3], "truncated": False}),
        ({"rows": [[1], [2]], "truncated": False}, 2, {"rows": [[1], [2]], "truncated": False}),
    ],
)
def test_only_lists_of_records_are_cut(answer, most, wanted):
    assert cut(answer, most) == {"notice": NOTICE, **wanted}


def test_an_answer_cut_by_its_own_limit_says_how_to_continue():
    shape = cut({"rows": [[1], [2]], "truncated": True}, 2)
    assert (len(shape["rows"]), shape["truncated"], "larger limit" in shape["go_on"]) == (2, True, True)


def test_records_that_are_left_out_are_counted():
    shape = cut({"claims": [{"evidence": [{}, {}]}, {"evidence": []}]}, 1)
    assert shape["claims"] == [{"evidence": [{}]}]
    assert (shape["truncated"], shape["go_on"].split()[0]) == (True, "2")


ENDS = {"head": "a", "tail": "b"}


@pytest.mark.parametrize("strict", [True, None])
@pytest.mark.parametrize(
    ("asked", "given", "field", "value"),
    [
        (ask.ChainsRequest, {**ENDS, "hops": "4"}, "hops", 4),
        (ask.ChainsRequest, {**ENDS, "hops": 4.0}, "hops", 4),
        (ask.ChainsRequest, {**ENDS, "hops": "4.0"}, "hops", 4),
        (ask.ChainsRequest, {**ENDS, "alpha": "0.5"}, "alpha", 0.5),
        (ask.ChainsRequest, {**ENDS, "similar": "true"}, "similar", True),
        (ask.ChainsRequest, {**ENDS, "before": "null"}, "before", None),
        (ask.ArticleRequest, {"pmid": "990000014"}, "pmid", 990000014),
        (ask.EdgesRequest, {"key": '["a", "b"]'}, "key", ["a", "b"]),
        (ask.GroundRequest, {"text": "x", "k": "4"}, "k", 4),
        (ask.GroundRequest, {"text": "4"}, "text", "4"),
        (ask.GroundRequest, {"text": "x", "concepts": '{"x": "Gene|1"}'}, "concepts", {"x": "Gene|1"}),
        (ask.CiteRequest, {"claim": "x", "pmids": ["12", 13.0, 14]}, "pmids", [12, 13, 14]),
        (ask.RiskRequest, {"text": "x", "hops": 2.0}, "hops", 2),
        (ask.JobRequest, {"kind": "ground", "texts": ["x"], "k": "4"}, "k", 4),
        (Page, {"max_items": "4"}, "max_items", 4),
    ],
)
def test_a_value_is_read_as_its_schema_wants_it(asked, given, field, value, strict):
    found = getattr(TypeAdapter(asked).validate_python(given, strict=strict), field)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("value", [4.5, "4.5", "four", "", "[4", "1e999", "NaN", [4], {"hops": 4}])
@pytest.mark.parametrize("asked", [ask.ChainsRequest, ask.RiskRequest])
def test_a_value_that_is_no_integer_is_refused(asked, value):
    text = ENDS if asked is ask.ChainsRequest else {"text": "x"}
    with pytest.raises(ValidationError) as refused:
        asked.model_validate({**text, "before": "7", "hops": value}, strict=True)
    assert [fault["loc"] for fault in refused.value.errors()] == [("hops",)]
