"""What an atlas needs from a store: links that are not relations, and a state that changes with the links."""

from groundwork.records import Similarity
from groundwork.tables import similarity_batch
from tests.contracts.graphs import ASPIRIN, COX1, COX2, EXAMPLE, FEVER, PAIN, edge_keys, fill, similarity_keys


def beside(graph):
    rows = [row for batch in graph.beside() for row in batch.to_pylist()]
    return sorted((*sorted((row["a"], row["b"])), row["kind"], row["articles"], row["cosine"]) for row in rows)


def test_similarity_links_come_once_for_each_model(graph):
    assert beside(graph) == []
    similar = [("m", COX1, COX2, 0.5), ("n", COX1, COX2, 0.7), ("m", PAIN, FEVER, -0.25)]
    fill(graph, EXAMPLE, similar=similar, contradictions=[(ASPIRIN, FEVER, "s")])
    assert beside(graph) == sorted(
        [
            (ASPIRIN, FEVER, "contradicts", 0, 0.0),
            (COX1, COX2, "similar_to", 0, 0.5),
            (COX1, COX2, "similar_to", 0, 0.7),
            (*sorted((PAIN, FEVER)), "similar_to", 0, -0.25),
        ]
    )


def test_the_state_changes_only_when_the_links_change(graph):
    fill(graph, EXAMPLE, similar=[("m", COX1, COX2, 0.5), ("m", COX1, PAIN, 0.25)])
    states = [graph.state()]
    assert graph.state() == states[0]
    graph.chains(ASPIRIN, PAIN, hops=3)
    assert graph.state() == states[0], "a look-up changes nothing"
    swapped = [Similarity(*sorted((COX1, COX2)), 0.25, "m"), Similarity(*sorted((COX1, PAIN)), 0.5, "m")]
    for change in (
        lambda: graph.put_similarities([similarity_batch(swapped)]),
        lambda: graph.drop_similarities([similarity_keys(("m", COX1, COX2))]),
        lambda: graph.put_contradictions("s", []) or fill(graph, contradictions=[(ASPIRIN, FEVER, "s")]),
        lambda: graph.drop_edges([edge_keys(EXAMPLE[0])]),
    ):
        change()
        states.append(graph.state())
    assert len(set(states)) == len(states)
