"""LangChain's standard tests on the sample release, and further promises of our tools."""

import asyncio
import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolCall
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import BaseTool
from langchain_tests.integration_tests import RetrieversIntegrationTests, ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests

from groundwork.errors import InputError
from groundwork.settings import Settings
from truthhypo.faces.langchain import ChainRetriever, EdgeRetriever, LiteratureRetriever, Scorer, Toolkit
from truthhypo.world import World

ASPIRIN, INFARCTION = "Chemical|MESH:D001241", "Disease|MESH:D009203"
QUERY = "How do simvastatin, cholesterol and myocardial infarction hang together with HMGCR and aspirin?"


@pytest.fixture(scope="module")
def world(sample_home):
    with World(Settings(home=sample_home)) as opened:
        yield opened


#: LangChain forbids overriding its tests. So the marker for anyio's plugin is put on the coroutines of its classes.
for coroutine in (
    RetrieversIntegrationTests.test_ainvoke_returns_documents,
    ToolsIntegrationTests.test_async_invoke_matches_output_schema,
    ToolsIntegrationTests.test_async_invoke_no_tool_call,
):
    pytest.mark.anyio(coroutine)


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


class _Retrieves(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def _over_the_sample(self, world):
        self.world = world

    @property
    def retriever_constructor_params(self):
        return {"world": self.world}

    @property
    def retriever_query_example(self):
        return QUERY


class TestChains(_Retrieves):
    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return ChainRetriever


class TestEdges(_Retrieves):
    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return EdgeRetriever


class TestLiterature(_Retrieves):
    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return LiteratureRetriever


EXAMPLES = {
    "find_concepts": {"q": "aspirin"},
    "get_edges": {"key": ["aspirin", INFARCTION]},
    "find_chains": {"head": "simvastatin", "tail": "cholesterol", "hops": 3},
    "search_literature": {"q": "aspirin infarction", "k": 3},
    "get_article": {"pmid": 990000014},
    "ground_statement": {"text": "Aspirin causes myocardial infarction."},
    "assess_risk": {"text": "Aspirin causes myocardial infarction."},
    "propose_relation": {"head": "simvastatin", "tail": "HMGCR"},
    "query_graph": {"query": "MATCH (c:Concept) RETURN c.key ORDER BY c.key LIMIT 3"},
    "describe_release": {},
    "check_citation": {"claim": "Simvastatin lowers cholesterol.", "pmids": [990000012]},
}


def tool_of(world: World, name: str) -> BaseTool:
    return {tool.name: tool for tool in Toolkit(world=world).get_tools()}[name]


class _Named:
    @pytest.fixture(autouse=True)
    def _named(self, world, name):
        self.world, self.name = world, name

    @property
    def tool_constructor(self) -> BaseTool:
        return tool_of(self.world, self.name)

    @property
    def tool_invoke_params_example(self):
        return EXAMPLES[self.name]


@pytest.mark.parametrize("name", EXAMPLES)
class TestToolsAsUnits(_Named, ToolsUnitTests):
    pass


@pytest.mark.parametrize("name", EXAMPLES)
class TestToolsInUse(_Named, ToolsIntegrationTests):
    pass


def test_the_toolkit_holds_exactly_the_tools_of_the_examples(world):
    assert [tool.name for tool in Toolkit(world=world).get_tools()] == list(EXAMPLES)


@pytest.mark.parametrize(
    ("name", "asked", "says"),
    [
        ("find_chains", {"head": "nosuchthing", "tail": "aspirin"}, "truthhypo graph find"),
        ("find_chains", {"head": "aspirin", "tail": "cholesterol", "hops": 9}, "hops: Input should be less than"),
        ("search_literature", {"text": "x", "query": "y"}, "query: Extra inputs are not permitted"),
        ("get_edges", {"key": ["aspirin"]}, "key: List should have at least 2"),
        ("ground_statement", {}, "text: Field required"),
    ],
)
def test_an_error_is_a_tool_message_that_says_what_to_do(world, name, asked, says):
    message = tool_of(world, name).invoke(ToolCall(name=name, args=asked, id="1", type="tool_call"))
    assert message.status == "error"
    assert says in message.content
    assert "To fix it" in message.content


def test_a_tool_answers_as_the_world_does(world):
    call = ToolCall(name="find_chains", args={"head": ASPIRIN, "tail": INFARCTION}, id="1", type="tool_call")
    message = tool_of(world, "find_chains").invoke(call)
    release = message.artifact["release"]
    assert any(each.startswith("pubtator3:") for each in release)
    wanted = {**world.graph.chains(ASPIRIN, INFARCTION).to_dict(), "release": release}
    assert message.artifact == wanted
    assert json.loads(message.content) == wanted


def test_chains_are_found_by_name_and_by_key_alike(world):
    by_name = ChainRetriever(world=world).invoke("aspirin and myocardial infarction")
    by_key = ChainRetriever(world=world).invoke(f"{ASPIRIN} and {INFARCTION}.")
    assert by_name == by_key
    assert [each.metadata["score"] for each in by_name] == sorted((d.metadata["score"] for d in by_name), reverse=True)
    best = by_name[0]
    assert best.id == f"{ASPIRIN} treat {INFARCTION}"
    assert best.page_content.startswith("aspirin (Chemical|MESH:D001241) -treat (6 articles")


def test_a_query_that_names_no_concept_has_no_chains_or_edges(world):
    assert ChainRetriever(world=world).invoke("what is this about?") == []
    assert EdgeRetriever(world=world).invoke("what is this about?") == []


def test_the_cut_holds_in_every_retriever(world):
    for retriever in (ChainRetriever, EdgeRetriever, LiteratureRetriever):
        assert retriever(world=world).invoke(QUERY)
        assert retriever(world=world, before=1).invoke(QUERY) == []


def test_an_abstract_comes_with_its_pmid_and_whether_it_was_retracted(world):
    found = LiteratureRetriever(world=world, k=32).invoke("aspirin infarction simvastatin cholesterol")
    hits = world.literature.search("aspirin infarction simvastatin cholesterol", k=32).hits
    assert [document.id for document in found] == [f"PMID {hit.pmid}" for hit in hits]
    assert [document.metadata["retracted"] for document in found] == [hit.retracted for hit in hits]
    assert all(document.page_content.startswith(document.metadata["title"]) for document in found)


TEXTS = ["Aspirin causes myocardial infarction.", "Simvastatin lowers cholesterol.", "The sky is blue."]


def test_the_scorer_gives_equal_scores_for_one_text_a_batch_and_awaited_calls(world):
    scorer = Scorer(world)
    alone = [scorer.invoke(text) for text in TEXTS]
    assert scorer.batch(TEXTS, config={"max_concurrency": 3}) == alone
    assert asyncio.run(scorer.abatch(TEXTS)) == alone
    assert asyncio.run(scorer.ainvoke(TEXTS[0])) == alone[0]
    assert [score["groundedness"]["both"] for score in alone] == [0.0, 1.0, None]
    assert alone[0]["hrs"] > 0.9 > 0.1 > alone[1]["hrs"]
    assert alone[2]["hrs"] is None
    assert [(score["strength"], score["flags"]) for score in alone] == [
        (score["risk"]["strength"], score["risk"]["flags"]) for score in alone
    ]


@pytest.mark.parametrize(
    "content",
    [
        TEXTS[0],
        [{"type": "text", "text": TEXTS[0]}],
        [{"type": "reasoning", "reasoning": TEXTS[1]}, {"type": "text", "text": "Aspirin causes "}, TEXTS[0][15:]],
    ],
)
@pytest.mark.parametrize("kind", [AIMessage, HumanMessage])
def test_the_scorer_takes_the_text_of_a_message(world, kind, content):
    score = Scorer(world).invoke(kind(content=content))
    assert score == Scorer(world).invoke(TEXTS[0])
    assert type(score["text"]) is str


@pytest.mark.parametrize(("given", "word"), [(AIMessage(content=[]), "an empty text"), (7, "text = 7")])
def test_the_scorer_names_what_it_cannot_score(world, given, word):
    with pytest.raises(InputError, match=word):
        Scorer(world).invoke(given)


def test_retracted_articles_that_the_scorer_excludes_are_nowhere_in_its_score(world):
    text = "Tamoxifen reduced the growth of melanoma in patients."

    def retracted(score):
        passages = [
            piece["retracted"] for claim in score["ground"]["claims"] for piece in claim["evidence"]["literature"]
        ]
        words = [sentence["words"]["retracted"] for sentence in score["risk"]["sentences"] if sentence["words"]]
        return any(passages), any(words)

    assert retracted(Scorer(world).invoke(text)) == (True, True)
    assert retracted(Scorer(world, exclude_retracted=True).invoke(text)) == (False, False)


def test_the_scorer_runs_in_a_chain(world):
    chain = RunnableLambda(str.strip) | Scorer(world) | (lambda score: score["hrs"])
    assert chain.invoke("  Simvastatin lowers cholesterol. ") < 0.1


def test_an_error_of_one_text_can_stand_in_its_place(world):
    scores = Scorer(world, k=0).batch(TEXTS[:2], return_exceptions=True)
    assert [type(score) for score in scores] == [InputError, InputError]
