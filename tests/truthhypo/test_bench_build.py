"""`bench build`: the rules of the published set against a plain oracle, both modes, and what must be refused.

Sets built from a release of 40,000 rows are slow. The rules against the oracle, and a set that fails, always run.
"""

import json
import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from numpy.random import default_rng

import cypher
from benchmarks.performance.generated_release import relations
from benchmarks.performance.measure import program
from groundwork.errors import InputError
from groundwork.records import Concept, Relation
from groundwork.settings import Settings
from groundwork.tables import concept_batch, edge_batch
from groundwork.vocabulary import canonical
from truthhypo.faces.cli.entry import run
from truthhypo.hypotheses import dataset
from truthhypo.hypotheses.dataset import COLUMNS
from truthhypo.hypotheses.options import TASKS, task_of
from truthhypo.hypotheses.release import Cuts, partition, read_edges

CUTS = Cuts(100, 200)
LABELS = {name: (positive, negative) for name, positive, negative, _ in TASKS.values()}

KEYS = [f"{kind}|{number}" for kind in ("Chemical", "Disease", "Gene") for number in range(3)]
EDGES = st.dictionaries(
    st.tuples(
        st.sampled_from(KEYS),
        st.sampled_from(KEYS),
        st.sampled_from(["positive_correlate", "negative_correlate", "stimulate", "inhibit", "associate"]),
    ),
    st.sets(st.sampled_from([50, 99, 100, 101, 150, 199, 200, 201, 300]), min_size=1, max_size=4),
    max_size=25,
)


def graph_of(edges: dict[tuple[str, str, str], set[int]]):
    """A memory graph of (head, tail, relation) -> PMIDs."""
    graph = cypher.connect("memory:", Settings())
    held = defaultdict(set)
    for (a, b, relation), pmids in edges.items():
        held[(*canonical(a, b), relation)] |= pmids
    with graph.writing():
        graph.put_concepts([concept_batch(Concept(key, key) for key in KEYS)])
        batch = [Relation(a, name, b, tuple(sorted(pmids))) for (a, b, name), pmids in held.items()]
        graph.put_edges([edge_batch(batch)] if batch else [], "r")
    return graph, held


def oracle(held: dict[tuple[str, str, str], set[int]], cuts: Cuts) -> dict[str, dict[tuple[str, str], str]]:
    """Task -> pair -> label, by the rules as they are written."""
    seen = {(a, b) for (a, b, _), pmids in held.items() if min(pmids) <= cuts.seen_to}
    labels = defaultdict(set)
    for (a, b, relation), pmids in held.items():
        kinds = (a.partition("|")[0], b.partition("|")[0])
        if a == b or kinds not in TASKS or (a, b) in seen or relation not in TASKS[kinds][1:3]:
            continue
        if sum(pmid >= cuts.unseen_from for pmid in pmids) > 1:
            labels[a, b].add(relation)
    found = {name: {} for name in LABELS}
    for (a, b), names in labels.items():
        if len(names) == 1:
            found[task_of(a, b).name][a, b] = names.pop()
    return found


@examples(deadline=None)
@given(EDGES)
def test_the_unseen_part_equals_that_of_the_oracle(edges):
    graph, held = graph_of(edges)
    columns = read_edges(graph, CUTS)
    wanted = oracle(held, CUTS)
    for part in partition(columns):
        pairs = zip(part.head, part.tail, part.label, strict=True)
        found = {(columns.keys[a], columns.keys[b]): part.labels[label] for a, b, label in pairs}
        assert found == wanted[part.task]
        dropped = part.dropped
        assert part.unseen == dropped.seen_pair + dropped.one_article + 2 * dropped.two_labels + len(found)


@pytest.mark.parametrize(
    ("pmids", "kept"),
    [
        ({200, 201}, True),
        ({200}, False),  # one article
        ({199, 200}, False),  # only one of them is unseen
        ({150, 199, 200, 201}, True),  # articles between the ranges belong to neither
        ({100, 200, 201}, False),  # seen
    ],
)
def test_articles_of_an_unseen_edge_are_counted_in_the_unseen_range_alone(pmids, kept):
    graph, _ = graph_of({("Chemical|0", "Gene|0", "positive_correlate"): pmids})
    assert len(partition(read_edges(graph, CUTS))[0].head) == int(kept)


def test_pairs_with_a_seen_relation_or_with_two_labels_are_dropped_and_counted():
    fresh = {201, 202}
    edges = {
        ("Chemical|0", "Gene|0", "positive_correlate"): fresh,
        ("Chemical|0", "Gene|0", "associate"): {7},
        ("Chemical|1", "Gene|1", "positive_correlate"): fresh,
        ("Chemical|1", "Gene|1", "negative_correlate"): fresh,
        ("Chemical|2", "Gene|2", "negative_correlate"): fresh,
        ("Chemical|2", "Gene|2", "positive_correlate"): {201},  # one article: no label
    }
    part = partition(read_edges(graph_of(edges)[0], CUTS))[0]
    assert part.dropped.to_dict() == {"seen_pair": 1, "one_article": 1, "two_labels": 1}
    assert part.label.tolist() == [1]


# The command


def loaded(command, folder: Path, rows: list[tuple[int, str, str, str]]) -> Path:
    """A HOME with these relations."""
    home, file = folder / "home", folder / "relations.tsv"
    file.write_text("".join(f"{pmid}\t{relation}\t{a}\t{b}\n" for pmid, relation, a, b in rows))
    assert command("ingest", "relations", file, "--home", home).code == 0
    return home


CUT_OFFS = ("--seen-to", "5000000", "--unseen-from", "6000000")


@dataclass(frozen=True)
class Built:
    """A generated release with the set built from it in each mode, and what the command said."""

    home: Path
    edges: dict[tuple[str, str, str], set[int]]
    folder: Path
    said: dict[str, Any]

    def instances(self, mode: str) -> tuple[dataset.Instance, ...]:
        return dataset.read(self.folder / mode / "instances.tsv")


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Built:
    folder = tmp_path_factory.mktemp("built")
    file, table = folder / "relations.gz", folder / "relations.parquet"
    relations(file, rows=40_000, concepts=4_000, seed=3, traps=0.0, table=table)

    def told(*argv: object) -> Any:
        words = program(*argv, "--home", folder / "home")
        return json.loads(subprocess.run(words, capture_output=True, check=True).stdout)

    told("ingest", "relations", file)
    said = {
        mode: told("bench", "build", "--out", folder / mode, "--mode", mode, *CUT_OFFS) for mode in ("paper", "sound")
    }
    held = {(row["head"], row["tail"], row["relation"]): set(row["pmids"]) for row in pq.read_table(table).to_pylist()}
    return Built(folder / "home", held, folder, said)


@pytest.mark.slow
def test_a_paper_set_follows_the_rules(built):
    wanted = oracle(built.edges, Cuts(5_000_000, 6_000_000))
    related = {(a, b) for a, b, _ in built.edges}
    fresh = defaultdict(set)
    for (a, b, _), pmids in built.edges.items():
        if max(pmids) >= 6_000_000:
            fresh[a.partition("|")[0], b.partition("|")[0]] |= {a, b}
    instances, said = built.instances("paper"), built.said["paper"]
    for (first, second), (task, *_) in TASKS.items():
        mine = [each for each in instances if each.rel_type == task]
        assert {canonical(i.x_id, i.y_id): i.relation for i in mine if i.related} == wanted[task]
        counted = Counter(wanted[task].values())
        negatives = [canonical(i.x_id, i.y_id) for i in mine if not i.related]
        assert len(negatives) == len(set(negatives)) == counted.total() // 2 > 20
        assert not related & set(negatives)
        assert {key for pair in negatives for key in pair} <= fresh[first, second]
        shown = {label: counted[label] for label in LABELS[task]}
        assert said["counts"][task] == {**shown, "no_relation": len(negatives)}
    assert said["total"] == len(instances) == sum(sum(task.values()) for task in said["counts"].values())
    assert said["passed"]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["paper", "sound"])
def test_cases_are_the_instances_without_their_gold_in_an_order_that_reveals_nothing(built, mode):
    instances = built.instances(mode)
    cases = [json.loads(line) for line in (built.folder / mode / "cases.jsonl").read_text("utf-8").splitlines()]
    assert cases == [{name: getattr(each, name) for name in COLUMNS if name != "relation"} for each in instances]
    for task in LABELS:
        related = np.array([each.related for each in instances if each.rel_type == task])
        place = np.arange(len(related)) / len(related)
        deviation = np.sqrt(
            (1 / related.sum() + 1 / (~related).sum()) / 12
        )  # standard deviation of the difference in a random order
        assert abs(place[related].mean() - place[~related].mean()) < 3 * deviation


@pytest.mark.slow
def test_a_sound_set_passes_where_the_paper_set_leaks(built):
    lowest = {
        mode: {probe["task"]: max(figure["low"] for figure in probe["auroc"].values()) for probe in said["probe"]}
        for mode, said in built.said.items()
    }
    assert min(lowest["paper"].values()) > 0.6
    assert max(lowest["sound"].values()) <= 0.55
    paper, sound = built.said["paper"], built.said["sound"]
    assert sound["passed"]
    assert sound["short"] == {}
    assert sound["counts"] == paper["counts"]
    related = {canonical(i.x_id, i.y_id): i.relation for i in built.instances("paper") if i.related}
    assert {canonical(i.x_id, i.y_id): i.relation for i in built.instances("sound") if i.related} == related
    anywhere = {(a, b) for a, b, _ in built.edges}
    assert not any(canonical(i.x_id, i.y_id) in anywhere for i in built.instances("sound") if not i.related)


@pytest.mark.slow
def test_order_reveals_labels_in_a_paper_set_but_not_in_a_sound_one(built):
    paper, sound = (built.said[mode]["rules"] for mode in ("paper", "sound"))
    assert paper["in_order"]["related"] == paper["same_type_pairs"]["related"]
    for label, pairs in sound["same_type_pairs"].items():
        assert 0.35 < sound["in_order"][label] / pairs < 0.65


@pytest.mark.slow
def test_the_card_says_what_the_command_said(built, command):
    card = json.loads((built.folder / "sound" / "card.json").read_text("utf-8"))
    assert card == built.said["sound"]
    assert card["source"]["digest"] == command("graph", "stats", "--home", built.home).json["digest"]
    assert (card["seen_to"], card["unseen_from"], card["seed"]) == (5_000_000, 6_000_000, 0)


def test_what_was_left_out_is_reported(command, tmp_path, capfdbinary):
    fresh = (6_000_001, 6_000_002)
    rows = [(pmid, "positive_correlate", "Chemical|MESH:D000001", f"Gene|{n}") for n in (1, 2) for pmid in fresh]
    rows += [(pmid, "associate", f"Gene|{n}", f"Gene|{n}") for n in (1, 2, 3) for pmid in fresh]
    home = loaded(command, tmp_path, [*rows, (7, "associate", "Chemical|MESH:D000001", "Gene|1")])
    out = tmp_path / "set"
    run(["bench", "build", "--out", str(out), *CUT_OFFS, "--home", str(home)])
    said = capfdbinary.readouterr().out.decode()
    assert json.loads((out / "card.json").read_text("utf-8"))["self_relations"] == 3
    assert "left out  edges between a concept and itself: 3" in said
    assert "left out  Chemical & Gene, of 2 unseen edges: 1 with a pair seen before, 0 found in one article" in said


@pytest.mark.parametrize("mode", ["paper", "sound"])
def test_the_same_seed_makes_the_same_bytes(command, tmp_path, mode):
    # Few pairs of each label, so that the set is too small to probe.
    rows = [
        (40_000_000 + article, label, f"Chemical|MESH:D{at:06}", f"Gene|{at % 7 + 1}")
        for (at, label), article in product(enumerate(["positive_correlate", "negative_correlate"] * 9), (0, 1))
    ]
    home = loaded(command, tmp_path, rows)
    for folder, seed in (("a", 1), ("b", 1), ("c", 2)):
        out = tmp_path / folder
        assert command("bench", "build", "--out", out, "--mode", mode, "--seed", seed, "--home", home).code == 0
    a, b, c = ((tmp_path / folder / "instances.tsv").read_bytes() for folder in "abc")
    assert a == b != c


def test_size_table1_limits_the_counts_and_an_absent_label_is_reported(command, tmp_path):
    rows = [
        (40_000_000 + article, "inhibit", f"Disease|MESH:D{at:06}", f"Gene|{at % 40 + 1}")
        for at, article in product(range(90), (0, 1))
    ]
    home = loaded(command, tmp_path, rows)
    told = command("bench", "build", "--out", tmp_path / "set", "--size", "table1", "--home", home)
    assert told.json["counts"]["Disease & Gene"] == {"stimulate": 0, "inhibit": 75, "no_relation": 37}
    assert "Disease & Gene: no instance of stimulate" in told.json["warnings"]


def test_a_sound_set_that_leaks_fails_and_the_json_is_printed(command, tmp_path):
    # No concept outside the set can be a twin, so unrelated pairs are made of concepts in the set. Their degree then
    # reveals the label.
    rows = [
        (
            40_000_000 + article,
            ("positive_correlate", "negative_correlate")[at % 2],
            f"Chemical|MESH:D{at:06}",
            f"Gene|{at + 1}",
        )
        for at, article in product(range(120), (0, 1))
    ]
    told = command(
        "bench", "build", "--out", tmp_path / "set", "--mode", "sound", "--home", loaded(command, tmp_path, rows)
    )
    assert told.code == 1
    assert not told.json["passed"]
    assert told.json["counts"]["Chemical & Gene"] == {
        "positive_correlate": 60,
        "negative_correlate": 60,
        "no_relation": 60,
    }
    assert any("predict the labels" in warning for warning in told.json["warnings"])


@pytest.mark.parametrize("mode", ["paper", "sound"])
def test_a_lack_of_unrelated_pairs_is_reported(command, tmp_path, mode):
    rows = [
        (40_000_000 + article, "positive_correlate", f"Chemical|MESH:D{a:06}", f"Gene|{b + 1}")
        for a, b, article in product(range(3), range(3), (0, 1))
    ]
    told = command(
        "bench", "build", "--out", tmp_path / "set", "--mode", mode, "--home", loaded(command, tmp_path, rows)
    )
    assert told.code == 1
    assert told.json["short"] == {"Chemical & Gene": 4}
    assert told.json["counts"]["Chemical & Gene"] == {
        "positive_correlate": 9,
        "negative_correlate": 0,
        "no_relation": 0,
    }


def test_a_release_without_unseen_pairs_is_refused_with_what_there_is(command, sample_home, tmp_path):
    told = command(
        "bench", "build", "--out", tmp_path / "set", "--seen-to", 1, "--unseen-from", 995_000_000, "--home", sample_home
    )
    assert told.code == 2
    assert "unseen edges with a label" in told.err
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (("--seen-to", 5, "--unseen-from", 5), "--seen-to"),
        (("--mode", "fair"), "paper, sound"),
        (("--size", "some"), "table1"),
        (("--genes", "/nowhere"), "gene_info"),
    ],
)
def test_bad_usage_is_refused(command, sample_home, tmp_path, asked, says):
    told = command("bench", "build", "--out", tmp_path / "set", *asked, "--home", sample_home)
    assert told.code == 2
    assert says in told.err


# Files


def rows_of(*rows: str) -> str:
    return "".join(f"{row}\n" for row in ("\t".join(COLUMNS), *rows))


GOOD = "Chemical|C\tGene|1\tChemical\tGene\tChemical & Gene\tno_relation\tCan we?"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "begins with"),
        ("x_id\ty_id\n", "begins with"),
        (rows_of(), "no instance"),
        (rows_of(GOOD, GOOD.replace("no_relation", "treat")), ":3: task"),
        (rows_of(GOOD.replace("Chemical & Gene", "Gene & Gene")), ":2: task"),
        (rows_of(GOOD.replace("Gene|1", "Species|1")), ":2: "),
        (rows_of(GOOD + "\tmore"), ":2: 8 columns"),
    ],
)
def test_a_file_that_is_not_a_set_is_refused_by_line(tmp_path, text, says):
    path = tmp_path / "instances.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=says):
        dataset.read(path)


def test_a_name_cannot_break_a_row(tmp_path):
    made = dataset.instance("Chemical|C", "Gene|1", "no_relation", "a\tb\nc", "d\u2028e")
    dataset.write(tmp_path, [made])
    assert dataset.read(tmp_path / "instances.tsv") == (made,)
    assert "Chemical a b c (C) and Gene d e (1)" in made.question


def test_uniform_pairs_are_the_same_whether_listed_or_drawn():
    from truthhypo.hypotheses import negatives
    from truthhypo.hypotheses.release import Part

    edges = {("Chemical|0", "Gene|0", "positive_correlate"): {201, 202}, ("Chemical|1", "Gene|1", "associate"): {201}}
    columns = read_edges(graph_of(edges)[0], CUTS)
    part: Part = partition(columns)[0]
    listed = negatives.uniform(columns, part, 10, default_rng(0))
    assert {tuple(pair) for pair in np.stack(listed).T.tolist()} == {(0, 3), (1, 2)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(negatives, "_LISTED", 0)
        drawn = negatives.uniform(columns, part, 2, default_rng(0))
    assert {tuple(pair) for pair in np.stack(drawn).T.tolist()} == {(0, 3), (1, 2)}
