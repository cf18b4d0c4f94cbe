"""The Python interface: precedence of settings, checked arguments, results as tables."""

import pytest

from groundwork.errors import InputError
from groundwork.settings import Settings
from truthhypo import connect


@pytest.fixture
def world(sample_home):
    with connect(home=sample_home) as world:
        yield world


def test_a_flag_wins_over_given_settings(tmp_path):
    with connect(Settings(home=tmp_path), graph="memory:") as world:
        assert (world.settings.graph_address, world.settings.home) == ("memory:", tmp_path)


def test_results_are_records_and_tables(world):
    chains = world.graph.chains("simvastatin", "cholesterol")
    frame = chains.to_frame()
    assert list(frame.columns)[:5] == ["chain", "score", "head", "head_name", "relation"]
    assert len(frame) == sum(len(chain.hops) for chain in chains.chains)
    assert world.literature.search("aspirin", k=3).to_frame()["rank"].tolist() == [1, 2, 3]
    assert world.graph.find("insulin").to_frame()["key"].tolist()[0] == "Chemical|MESH:D007328"
    table = world.graph.query("MATCH (c:Concept) RETURN c.key AS key ORDER BY key LIMIT 2")
    assert table.to_frame()["key"].tolist() == [row[0] for row in table.rows]


@pytest.mark.parametrize("options", [{"setting": "zz"}, {"select": "zz"}, {"n": 0}, {"hops": 7}])
def test_choices_are_checked(world, options):
    with pytest.raises(InputError):
        world.hypothesize("simvastatin", "HMGCR", **options)


@pytest.mark.parametrize("before", [-1, 0])
def test_a_cut_before_all_articles_is_refused_as_on_the_command_line(world, before):
    for ask in (
        lambda: world.ground("Simvastatin lowers cholesterol.", before=before),
        lambda: world.risk("Simvastatin lowers cholesterol.", before=before),
        lambda: world.hypothesize("simvastatin", "HMGCR", before=before),
    ):
        with pytest.raises(InputError, match="before"):
            ask()


@pytest.mark.parametrize("text", [None, 5, b"Simvastatin lowers cholesterol."])
def test_an_argument_that_is_not_a_text_is_refused(world, text):
    for ask in (world.ground, world.risk):
        with pytest.raises(InputError, match="text"):
            ask(text)


def test_risk_needs_no_literature(command, sample_home):
    told = command(
        "--home", sample_home, "--literature", "http://127.0.0.1:9", "risk", "Simvastatin lowers cholesterol."
    )
    assert told.code == 0


def test_a_chain_without_hops_is_an_empty_table(world):
    assert world.graph.chains("ascorbic acid", "Parkinson disease").to_frame().empty
