"""Evidence within a budget: whole pieces, the best first, and everything left out is counted."""

from hypothesis import given
from hypothesis import strategies as st

from groundwork.records import Chain, Hop
from knowhd.gather import LABEL, pack
from knowhd.pieces import Edge, Evidence, Passage, trail_of
from knowhd.prompt import shown, tokens_of


class Nameless:
    """A graph without names, so that lines show keys."""

    def concepts(self, keys):
        return {}


GRAPH = Nameless()
WORDS = st.text(st.sampled_from("ab 雪\n"), max_size=200)


def edge(n):
    return Edge(f"edge:{n}", "A|1", f"r{n}", "B|2", (n,), 1, 0.5, (), frozenset({n}))


def trail(n):
    return trail_of(Chain(0.5, (Hop("A|1", f"r{n}", "C|3", 1, (1,), 0.5), Hop("C|3", "r", "B|2", 1, (1,), 0.5))), set())


@given(st.integers(0, 5), st.lists(WORDS, max_size=5), st.integers(0, 5), st.integers(1, 400))
def test_kept_pieces_fit_the_budget_and_the_rest_is_counted(edges, sentences, trails, tokens):
    passages = tuple(Passage(f"pmid:{n}#s0", n, "", text, 1.0, False) for n, text in enumerate(sentences))
    evidence = Evidence(
        tuple(map(edge, range(edges))), passages, tuple(map(trail, range(trails))), {"graph": 0, "chains": 7}
    )
    packed = pack(evidence, tokens, GRAPH)
    kept = (*packed.graph, *packed.literature, *packed.chains)
    assert sum(tokens_of(line) + LABEL for line in shown(kept, GRAPH).values()) <= tokens
    for kind in ("graph", "literature", "chains"):
        whole, part = getattr(evidence, kind), getattr(packed, kind)
        assert [piece for piece in whole if piece in part] == list(part), "whole pieces, in their order"
        assert packed.left_out[kind] == len(whole) - len(part) + (7 if kind == "chains" else 0)


def test_without_a_budget_all_is_kept():
    evidence = Evidence((edge(1),), ())
    assert pack(evidence, None, GRAPH) is evidence


def test_the_best_of_each_kind_comes_first():
    passages = tuple(Passage(f"pmid:{n}#s0", n, "", "abc", 1.0, False) for n in range(9))
    evidence = Evidence(tuple(map(edge, range(9))), passages)
    line = shown(evidence.graph + passages, GRAPH)
    budget = sum(tokens_of(line[p.id]) + LABEL for p in (*evidence.graph[:2], *passages[:2]))
    packed = pack(evidence, budget, GRAPH)
    assert (packed.graph, packed.literature) == (evidence.graph[:2], passages[:2])


def test_a_piece_too_long_for_the_budget_leaves_its_room_to_the_next():
    passages = tuple(Passage(f"pmid:{n}#s0", n, "", text, 1.0, False) for n, text in enumerate(["x" * 90_000, "short"]))
    packed = pack(Evidence((), passages), 100, GRAPH)
    assert [passage.pmid for passage in packed.literature] == [1]
    assert packed.left_out["literature"] == 1
