"""Building similarity edges: which edges are kept, what is refused, and what a second build replaces."""

import csv
import json
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cypher import connect
from fuzzygraph.embed import Trigrams
from fuzzygraph.membership import S0, K, Membership
from fuzzygraph.nearest import Spread
from fuzzygraph.options import FORMS
from fuzzygraph.similarity import OUT, STEEP, by_background, by_labels, cut, labelled, row_shares
from fuzzygraph.similarity import build as built
from groundwork import tables
from groundwork.chance import sigmoid
from groundwork.errors import InputError, ModelError, Refused
from groundwork.ports import Graph
from groundwork.records import Concept, SimilaritySet
from groundwork.settings import Settings
from groundwork.tables import SIMILARITIES, concept_batch
from tests.contracts.graphs import links_of
from tests.fuzzygraph.building import build

#: Names as vectors in the plane, by their angle in degrees.
ANGLES = {"north": 90, "nearly north": 80, "north-east": 45, "east": 0, "south": -90, "hyperpolar": 12, "hypopolar": 10}


class AngleEmbedder:
    """An embedder that gives each text a known angle, and records the texts that it embeds."""

    name = "compass"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        angles = np.radians([ANGLES[text] for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], 1).astype(np.float32)


class FixedEmbedder:
    """An embedder that returns given vectors."""

    name = "odd"

    def __init__(self, rows: np.ndarray) -> None:
        self.rows = rows

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return self.rows


def store(settings: Settings, names: Sequence[str | None]) -> Graph:
    """Return a graph of concepts with these names. None stands for a concept without a name."""
    graph = connect("memory:", settings)
    concepts = [
        Concept(f"Disease|{i:03}", name or f"{i:03}", (name,) if name else (), (1,) if name else ())
        for i, name in enumerate(names)
    ]
    with graph.writing():
        graph.put_concepts([concept_batch(concepts)])
    return graph


def edges(graph: Graph) -> dict[tuple[str, str], float]:
    """Return the cosine of each similarity edge, by the names of its ends."""
    concepts = list(graph.every_concept())
    links = (link for a, b in combinations(concepts, 2) for link in links_of(graph, a.key, b.key, hops=1))
    name = {concept.key: concept.name for concept in concepts}
    return {(name[link.head], name[link.tail]): link.cosine for link in links if link.kind == "similar_to"}


def degrees(angle: float) -> float:
    return float(np.cos(np.radians(angle)))


COMPASS = ["north", "nearly north", "north-east", "east", "south"]


def test_an_edge_is_a_pair_whose_mu_is_above_tau_and_keeps_its_cosine(settings):
    graph = store(settings, COMPASS)
    receipt = build(graph, AngleEmbedder(), form="linear", tau=0.85)  # a cosine above 0.7: less than 45.6 degrees apart
    assert edges(graph) == pytest.approx(
        {
            ("north", "nearly north"): degrees(10),
            ("north", "north-east"): degrees(45),
            ("nearly north", "north-east"): degrees(35),
            ("north-east", "east"): degrees(45),
        },
        abs=1e-6,
    )
    assert receipt.edges == 4
    assert receipt.cosine == pytest.approx({"min": -1.0, "median": 0.0, "max": degrees(10)}, abs=2e-4)


def test_the_receipt_has_the_shape_of_the_contract(settings):
    receipt = build(store(settings, [*COMPASS, None]), AngleEmbedder(), top_k=3).to_dict()
    assert receipt.items() >= {"concepts": 5, "form": "scaled", "tau": 0.5, "model": "compass", "top_k": 3}.items()
    assert set(receipt["cosine"]) == {"min", "median", "max"}
    assert receipt["seconds"] >= 0
    assert receipt["left_out"] == {"unnamed": 1, "zero_vector": 0, "not_finite": 0, "opposites": 0}
    assert json.loads(json.dumps(receipt, allow_nan=False)) == receipt


def test_the_default_taus_of_all_forms_keep_the_same_edges(settings):
    kept = []
    for form, tau in (("scaled", 0.5), ("paper", sigmoid(0.26)), ("linear", 0.63)):
        graph = store(settings, COMPASS)
        assert build(graph, AngleEmbedder(), form=form).tau == pytest.approx(tau)
        kept.append(edges(graph))
    assert kept[0] == kept[1] == kept[2] != {}


@given(st.sampled_from(FORMS), st.floats(0, 1), st.floats(-1, 1))
def test_a_cosine_above_the_cut_has_a_mu_above_tau(form, tau, cosine):
    membership = Membership(form)
    bound = cut(membership, tau)
    for value in (cosine, -1.0, 1.0, bound, np.nextafter(bound, 2.0)):
        if -1 <= value <= 1:
            assert (value > bound) == (membership.mu(value) > tau)


def test_an_edge_is_kept_if_it_is_among_the_nearest_of_either_end(settings):
    graph = store(settings, COMPASS)
    build(graph, AngleEmbedder(), form="linear", tau=0.6, top_k=1)
    assert set(edges(graph)) == {("north", "nearly north"), ("nearly north", "north-east"), ("north-east", "east")}


@pytest.mark.parametrize("pair", [("hyperpolar", "hypopolar"), ("hypopolar", "hyperpolar")])
def test_opposites_get_no_edge_even_if_they_are_near(settings, pair):
    graph = store(settings, [*pair, "east", "south"])
    receipt = build(graph, AngleEmbedder())
    assert set(edges(graph)) == {(name, "east") for name in pair}
    assert receipt.left_out["opposites"] == 1


def test_opposites_are_recognised_in_any_spelling(settings):
    names = ["Hyperglycaemia", "hypoglycemia", "beta agonists", "beta antagonist", "fever"]
    graph = store(settings, names)
    receipt = build(graph, Trigrams(), form="linear", tau=0.6)
    assert receipt.left_out["opposites"] == 2
    assert edges(graph) == {}


def test_a_name_of_two_concepts_is_embedded_once_and_has_cosine_one(settings):
    graph, compass = store(settings, ["north", "south", "north", "east"]), AngleEmbedder()
    build(graph, compass)
    assert sorted(compass.asked) == ["east", "north", "south"]
    assert edges(graph) == {("north", "north"): 1.0}


def test_a_second_build_replaces_only_the_edges_of_its_model(settings):
    graph = store(settings, COMPASS)
    build(graph, Trigrams(), form="linear", tau=0.55)
    spelled = edges(graph)
    many = build(graph, AngleEmbedder(), form="linear", tau=0.6)
    few = build(graph, AngleEmbedder(), form="linear", tau=0.95)
    assert many.edges > few.edges == 1
    assert set(edges(graph)) == set(spelled) | {("north", "nearly north")}
    again = build(graph, AngleEmbedder(), form="linear", tau=0.6)
    assert again.edges == many.edges


@pytest.mark.parametrize(("form", "tau"), [("paper", 0.26), ("linear", 0.0), ("paper", 0.74), ("scaled", 1.0)])
def test_a_tau_that_keeps_nearly_all_or_nothing_is_refused(settings, form, tau):
    """A sigmoid of a cosine lies in [0.269, 0.731]: tau 0.26 keeps every pair and 0.74 none."""
    graph = store(settings, ["north", "nearly north", "north-east", "east", "hypopolar"])
    build(graph, AngleEmbedder())
    before = edges(graph)
    with pytest.raises(Refused) as refused:
        build(graph, AngleEmbedder(), form=form, tau=tau)
    assert edges(graph) == before
    assert refused.value.exit_code == 1
    assert "--force" in refused.value.remedy
    assert "of 10 pairs (cosines: min 0, median" in refused.value.seen
    assert build(graph, AngleEmbedder(), form=form, tau=tau, force=True).edges == (10 if tau < 0.5 else 0)


def test_a_refusal_says_what_other_taus_would_keep(settings):
    with pytest.raises(Refused) as refused:
        build(store(settings, COMPASS), AngleEmbedder(), form="linear", tau=1.0)
    said = dict(part.split(": ") for part in refused.value.wanted.split("other values of tau: ")[1].split(", "))
    compass = AngleEmbedder().embed(COMPASS).astype(float)
    cosines = (compass @ compass.T)[np.triu_indices(5, 1)]
    for tau in (0.1, 0.3, 0.6, 0.8, 0.9):  # no mu of a pair is close to one of these
        assert said[str(tau)] == f"{(cosines > 2 * tau - 1).mean():.2%}"


def test_a_tau_that_keeps_one_pair_of_a_million_is_refused(settings):
    names = [f"{i:04}" for i in range(1500)]
    rows = np.eye(1500, dtype=np.float32)
    rows[1] = rows[0]
    with pytest.raises(Refused, match=r"keeps 0\.00%"):
        build(store(settings, names), FixedEmbedder(rows))


@pytest.mark.parametrize("names", [[], ["north"], ["north", None, None]])
def test_less_than_two_names_cannot_be_compared(settings, names):
    with pytest.raises(InputError, match=r"(?s)at least two.*ingest concepts"):
        build(store(settings, names), AngleEmbedder(), force=True)


@pytest.mark.parametrize(
    ("options", "seen"),
    [
        ({"tau": 1.01}, "tau = 1.01"),
        ({"tau": -0.1}, "tau = -0.1"),
        ({"tau": float("nan")}, "tau = nan"),
        ({"top_k": 0}, "top_k = 0"),
        ({"form": "cosine"}, "form 'cosine'"),
    ],
)
def test_numbers_out_of_range_are_refused_before_anything_is_read(settings, options, seen):
    compass = AngleEmbedder()
    with pytest.raises(InputError, match=seen):
        build(store(settings, COMPASS), compass, **options)
    assert compass.asked == []


@pytest.mark.parametrize("rows", [np.ones((1, 2)), np.ones(5), np.full((5, 2), np.nan), np.full((5, 2), np.inf)])
def test_an_embedder_that_gives_unusable_vectors_is_named(settings, rows):
    with pytest.raises(ModelError, match="embedder odd"):
        build(store(settings, COMPASS), FixedEmbedder(rows))


def test_progress_is_reported(settings):
    told = []

    class Watch:
        def begin(self, stage, total, unit):
            told.append([stage, total, unit, 0])

        def advance(self, amount):
            told[-1][-1] += amount

    build(store(settings, [*COMPASS, "north"]), AngleEmbedder(), progress=Watch())
    assert told == [["embed names", 5, "names", 5], ["compare names", 15, "pairs", 15]]


@settings(deadline=None)
@given(st.dictionaries(st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda p: p[0] < p[1]), st.floats(0, 1)))
def test_each_row_sums_to_one(links):
    heads, tails = (np.array([pair[end] for pair in links], np.int64) for end in (0, 1))
    mu = np.array(list(links.values()), float)
    forth, back = row_shares(heads, tails, mu, 9)
    rows, sums = defaultdict(float), defaultdict(float)
    for head, tail, one, other, weight in zip(heads, tails, forth, back, mu, strict=True):
        rows[head] += one
        rows[tail] += other
        sums[head] += weight
        sums[tail] += weight
    for concept, total in rows.items():
        assert total == pytest.approx(1.0 if sums[concept] > 0 else 0.0)


@pytest.mark.parametrize("suffix", [".tsv", ".parquet"])
def test_a_file_holds_what_the_graph_holds_with_mu(settings, tmp_path, suffix):
    graph, path = store(settings, COMPASS), tmp_path / f"edges{suffix}"
    receipt = build(graph, AngleEmbedder(), form="paper", tau=0.65, out=path, row_normalised=True)
    if suffix == ".tsv":
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
    else:
        rows = pq.read_table(path).to_pylist()
    assert len(rows) == receipt.edges == len(edges(graph)) > 0
    for row in rows:
        assert float(row["mu"]) == pytest.approx(sigmoid(float(row["cosine"])))
        assert row["head"] < row["tail"]
        assert 0 < float(row["p_tail_given_head"]) <= 1


@pytest.mark.parametrize("name", ["edges.txt", "nowhere/edges.tsv"])
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_embedded(settings, tmp_path, name):
    compass = AngleEmbedder()
    with pytest.raises(InputError, match="edges"):
        build(store(settings, COMPASS), compass, out=tmp_path / name)
    assert compass.asked == []


def test_a_build_leaves_the_graph_alone_and_the_same_build_writes_the_same_file(settings, tmp_path):
    graph, files = store(settings, COMPASS), [tmp_path / name for name in ("one", "again", "other")]
    graph.read_only = True
    for file, k in zip(files, (5.0, 5.0, 5.5), strict=True):
        built(graph, AngleEmbedder(), edges=file, fitted=Membership("scaled", k, 0.0))
    assert edges(graph) == {}
    one, again, other = (file.read_bytes() for file in files)
    assert one == again != other
    assert pq.read_table(files[0]).equals(pq.read_table(files[2]))  # another k is another release of the same edges
    assert tables.similarity_set(files[2]) == SimilaritySet("compass", "", 5, "scaled", 0.5, 20, 5.5, 0.0, "labels")


@pytest.mark.parametrize("content", [b"", b"PAR1 and no more"])
def test_a_file_of_something_else_is_reported(tmp_path, content):
    (tmp_path / "edges").write_bytes(content)
    with pytest.raises(InputError, match="no similarity edges"):
        tables.similarity_set(tmp_path / "edges")
    with pytest.raises(InputError, match="no similarity edges"):
        tables.similarity_set(tmp_path / "missing")


def test_a_table_that_does_not_say_how_it_was_made_is_reported(tmp_path):
    pq.write_table(SIMILARITIES.empty_table(), tmp_path / "edges")
    with pytest.raises(InputError, match=r"truthhypo\.similarity"):
        tables.similarity_set(tmp_path / "edges")


def test_the_survey_is_shown_before_a_refusal(settings):
    seen = []
    graph = store(settings, COMPASS)
    with pytest.raises(Refused, match="keeps 90"):
        build(graph, AngleEmbedder(), form="linear", tau=0.0, told=seen.append)
    (survey,) = seen
    compass = AngleEmbedder().embed(COMPASS).astype(float)
    cosines = (compass @ compass.T)[np.triu_indices(5, 1)]
    assert survey.pairs == 10
    assert survey.keeps["0.8"] == (cosines > 0.6).mean()
    assert list(survey.cosines) == ["0.01", "0.05", "0.25", "0.5", "0.75", "0.95", "0.99", "0.999"]
    assert edges(graph) == {}


def test_a_fit_on_the_background_changes_s0_with_the_model(settings):
    receipt = build(store(settings, COMPASS), AngleEmbedder(), fitted="background", force=True)
    assert (receipt.tau, receipt.survey.membership["form"]) == (0.5, "scaled")
    assert receipt.survey.membership["s0"] != 0.26


@pytest.mark.parametrize("options", [{"form": "linear", "fitted": "background"}, {"fitted": "foreground"}])
def test_an_unknown_fit_or_a_fit_for_another_form_is_refused(settings, options):
    compass = AngleEmbedder()
    with pytest.raises(InputError):
        build(store(settings, COMPASS), compass, **options)
    assert compass.asked == []


def test_an_approximate_build_tells_its_recall(settings):
    graph = store(settings, COMPASS)
    receipt = build(graph, AngleEmbedder(), form="linear", tau=0.85, approximate=True)
    assert (receipt.recall, receipt.edges) == (1.0, 4)
    assert build(graph, AngleEmbedder(), form="linear", tau=0.85).recall is None


def spread_of(cosines):
    return Spread(np.asarray(cosines, np.float32))


@pytest.mark.parametrize(("k", "s0"), [(13.4, 0.26), (40.0, 0.9), (3.0, 0.0)])
def test_labels_drawn_from_a_curve_give_back_the_curve(k, s0):
    random = np.random.default_rng(2)
    cosines = np.clip(s0 + 4 / k * random.standard_normal(20_000), -1, 1)
    related = random.random(20_000) < Membership("scaled", k, s0).mus(cosines)
    found = by_labels(cosines, related)
    assert found.k == pytest.approx(k, rel=0.05)
    assert found.s0 == pytest.approx(s0, abs=0.2 / k)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(-1, 1), st.booleans()), min_size=4, max_size=40))
def test_the_fitted_k_and_s0_minimise_the_loss(pairs):
    cosines, related = np.array([c for c, _ in pairs]), np.array([r for _, r in pairs])
    try:
        found = by_labels(cosines, related)
    except InputError:
        return

    def loss(k, s0):
        z = np.where(related, 1, -1) * k * (cosines - s0)
        return np.logaddexp(0, -z).sum() + 0.5e-3 * k * k

    best = loss(found.k, found.s0)
    for step in (0.99, 1.01):
        assert loss(found.k * step, found.s0) >= best - 1e-6 * (1 + best)
    for step in (-0.01, 0.01):
        assert loss(found.k, found.s0 + step) >= best - 1e-6 * (1 + best)


def test_perfectly_separable_labels_give_a_finite_slope():
    found = by_labels([0.1, 0.2, 0.8, 0.9], [False, False, True, True])
    assert 0 < found.k < 1e4
    assert found.s0 == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("cosines", "related", "seen"),
    [
        ([], [], "0 of 0 pairs"),
        ([0.1, 0.2], [True, True], "2 of 2 pairs"),
        ([0.9, 0.1], [False, True], "labelled 1 do not have higher cosines"),
    ],
)
def test_labels_from_which_nothing_can_be_learnt_are_refused(cosines, related, seen):
    with pytest.raises(InputError, match=seen):
        by_labels(cosines, related)


def test_a_fit_on_the_background_follows_the_cosines_of_the_model():
    """Cosines between 0.8 and 0.95, like those of CLS vectors: the default s0 would keep every pair."""
    normal = np.random.default_rng(3).standard_normal(100_000)
    wide, narrow = (by_background(spread_of(middle + width * normal)) for middle, width in ((0.1, 0.1), (0.87, 0.03)))
    assert (narrow.k / wide.k, wide.k) == pytest.approx((10 / 3, STEEP / 0.1645), rel=0.02)
    assert (wide.s0, narrow.s0) == pytest.approx((0.1 + OUT * 0.1645, 0.87 + OUT * 0.04935), abs=0.003)
    assert spread_of(0.87 + 0.03 * normal).share_above(narrow.s0) == pytest.approx(0.063, abs=0.005)
    assert spread_of(0.87 + 0.03 * normal).share_above(S0) == 1.0


def test_cosines_that_are_all_alike_are_refused():
    with pytest.raises(InputError, match="within"):
        by_background(spread_of([0.9] * 50))


def test_a_file_of_labelled_names_is_read(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("tumour\ttumor\t1\nfever\tfevers\t1\naspirin\tzebra\t0\nfever\taspirin\t0\n", "utf-8")
    found = labelled(path, Trigrams())
    cosines = np.array([0.0, 1.0])
    assert found.mus(cosines)[0] < 0.5 < found.mus(cosines)[1]


@pytest.mark.parametrize("line", ["a\tb", "a\tb\t2", "\tb\t1", "a b 1"])
def test_a_line_of_another_kind_is_named(tmp_path, line):
    path = tmp_path / "pairs.tsv"
    path.write_text(f"tumour\ttumor\t1\n{line}\n", "utf-8")
    with pytest.raises(InputError, match="line 2"):
        labelled(path, Trigrams())


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"pairs\.tsv"):
        labelled(tmp_path / "pairs.tsv", Trigrams())


@given(st.sampled_from(FORMS), st.lists(st.floats(-1, 1), max_size=20), st.floats(0.1, 100), st.floats(-1, 1))
def test_many_memberships_at_once_equal_single_ones(form, cosines, k, s0):
    membership = Membership(form, k, s0)
    found = membership.mus(np.array(cosines, float))
    assert found == pytest.approx([membership.mu(c) for c in cosines], rel=1e-12, abs=1e-300)
    assert Membership(form).k == K
