"""The fit of the calibrated risk score: its cases, its constraints, and the coefficients kept under HOME."""

import json
from contextlib import closing
from importlib.resources import files
from random import Random

import pytest

from cypher import connect
from fuzzygraph.likelihood import Coefficients, Observed, Weight, likelihood, shipped
from groundwork.errors import InputError
from groundwork.records import Concept, Relation
from groundwork.tables import concept_batch, edge_batch
from truthhypo.bench import risk_fit
from truthhypo.bench.risk_fit import Case, cases, fit, fitted, kept, splits
from truthhypo.world import World

KNOWN = Coefficients(-2.5, Weight(3.0, 0.5, 1.5), Weight(1.5, 1.0, 0.5), Weight(0.5, 0.0, 0.3), Weight(1.5, 0.3, 1.0))


def simulated(count, seed=0):
    """Cases drawn from known coefficients: random evidence, and an outcome by its likelihood."""
    lots, found = Random(seed), []
    for number in range(count):
        articles = tuple(lots.choice((0, 0, 0, 0, 1, 1, 2, 5)) for _ in range(3))
        parts = [[lots.random() for _ in range(4)] for _ in range(2)]
        seen = Observed(articles, tuple(tuple(p / sum(part) for p in part[:3]) for part in parts), 0.01, 1)
        told = likelihood(seen, KNOWN)
        draw = lots.random()
        sign = -1 if draw < told.negative else 1 if draw < told.negative + told.positive else None
        pair = (f"Gene|{number}", "Gene|x")
        found.append(Case(pair, seen, frozenset() if sign is None else frozenset({sign})))
    return found


def test_the_fit_respects_its_constraints_and_beats_other_coefficients():
    every = simulated(3_000)
    found = fitted(every)
    assert all(part >= 0 for row in found.rows for part in (row.same, row.opposite, row.unsigned))
    assert found.highest_risk(3) < 0.05
    assert found.highest_risk(1) < 0.5
    assert found.edge.same > 1 and found.three_hops.same > found.three_hops.opposite
    told = fit([every[number::5] for number in range(5)], "simulated")
    assert told.sign_right > 0.85 and told.sure > 200
    assert told.related + told.unrelated == 3_000


def test_cases_are_pairs_of_held_out_articles_and_pairs_that_no_article_relates():
    edges = {
        ("Chemical|A", "treat", "Disease|B"): [1, 9],
        ("Chemical|A", "cause", "Disease|C"): [9],
        ("Chemical|A", "inhibit", "Gene|1"): [2],
        ("Disease|C", "associate", "Gene|1"): [3],
        ("Chemical|D", "treat", "Disease|B"): [4],
        ("Chemical|D", "inhibit", "Gene|1"): [5],
    }
    found = cases(edges, frozenset({9}))
    related = [case for case in found if case.signs]
    assert sorted((case.signs, case.observed.articles) for case in related) == [
        (frozenset({-1}), (1, 0, 0)),  # the article that is left states it as well
        (frozenset({1}), (0, 0, 0)),  # joined by a path over Gene|1 alone
    ]
    assert all(case.observed.articles == (0, 0, 0) for case in found if not case.signs)


def test_splits_hold_out_each_article_once_or_those_after_a_pmid():
    edges = {("Gene|1", "cause", "Gene|2"): list(range(1, 12))}
    parts = splits(edges)
    assert len(parts) == risk_fit.FOLDS
    assert sorted(pmid for part in parts for pmid in part) == list(range(1, 12))
    assert splits(edges, before=9) == [frozenset({10, 11})]
    with pytest.raises(InputError, match="at least 5 articles"):
        splits({("Gene|1", "cause", "Gene|2"): [1]})


def test_a_small_graph_and_a_broken_file_are_refused(tmp_path):
    with pytest.raises(InputError, match="at least 50"):
        fit([simulated(20)], "small")
    assert kept(tmp_path) is None
    card = json.loads(files("fuzzygraph").joinpath("risk.json").read_text("utf-8"))
    whole = json.dumps(card)
    for broken in ('{"coefficients": {}}', whole.replace(f'"base": {card["coefficients"]["base"]}', '"base": NaN'),
                   whole.replace('"same": ', '"same": -', 1)):  # fmt: skip
        assert broken != whole
        (tmp_path / risk_fit.FILE).write_text(broken, "utf-8")
        with pytest.raises(InputError, match="fit-risk"):
            kept(tmp_path)
    (tmp_path / risk_fit.FILE).write_text(whole, "utf-8")
    assert kept(tmp_path).coefficients == shipped()[0]


def grown(seed=0, concepts=60, articles=500):
    """Relations of random articles, in which a few hubs are stated again and again."""
    lots, found = Random(seed), {}
    for pmid in range(1, articles + 1):
        one, other = sorted(lots.sample([min(int(lots.expovariate(0.08)), concepts - 1) for _ in range(9)], 2))
        if one != other:
            kind = "cause" if (one + other) % 3 else "treat"
            found.setdefault((f"Chemical|MESH:D{one:06}", kind, f"Disease|MESH:D{other:06}"), []).append(pmid)
    return found


def test_the_command_keeps_its_coefficients_and_risk_uses_them(tmp_path, command, settings):
    edges = grown()
    keys = sorted({end for head, _, tail in edges for end in (head, tail)})
    names = {key: f"{key[0].lower()}sub{key[-4:]}ol" for key in keys}
    home = settings.model_copy(update={"home": tmp_path})
    with closing(connect("embedded:" + str(tmp_path / "graph"), home)) as store, store.writing():
        store.put_concepts([concept_batch([Concept(key, names[key], (names[key],), (9,)) for key in keys])])
        rows = [Relation(head, kind, tail, tuple(pmids)) for (head, kind, tail), pmids in sorted(edges.items())]
        store.put_edges([edge_batch(rows)], "r1")
    told = command("--home", tmp_path, "bench", "fit-risk", "--no-keep")
    assert told.code == 0, told.err
    assert told.json["kept"] is None and kept(tmp_path) is None
    told = command("--home", tmp_path, "bench", "fit-risk")
    found = kept(tmp_path)
    assert json.loads((tmp_path / risk_fit.FILE).read_text("utf-8"))["coefficients"] == told.json["coefficients"]
    assert found.related >= 50 and found.prior == 0.2
    (head, kind, tail), _ = max(edges.items(), key=lambda item: len(item[1]))
    said = f"{names[head]} {'causes' if kind == 'cause' else 'treats'} {names[tail]}."
    with World(home) as world:
        report = world.risk(said, words=False)
        assert report.terms.coefficients == found.source
        (entry,) = report.sentences
        assert entry.p_claim == pytest.approx(likelihood(entry.observed, found.coefficients).of(
            1 if kind == "cause" else -1, negated=False)[0])  # fmt: skip


def test_a_batch_of_risks_continues_only_with_the_coefficients_of_its_start(tmp_path, command, sample_home):
    texts, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    texts.write_text("Simvastatin lowers cholesterol.\nAspirin causes myocardial infarction.\n", "utf-8")
    asked = ("--home", sample_home, "risk", "--file", texts, "--out", out, "--no-words")
    assert command(*asked).code == 0
    fitted = risk_fit.Fit(KNOWN, "a graph", "2026-11-28", 0.2, 60, 60, 0.6, 0.9, 30, 0.03, ())
    place = risk_fit.keep(fitted, sample_home)
    try:
        assert command(*asked).code == 2
    finally:
        place.unlink()
    assert command(*asked).code == 0
