"""The report on the risk of a text: statuses, numbers, flags, and the fields of its JSON."""

import json
from collections.abc import Iterator
from math import exp, log, sqrt

import pytest

from cypher import connect
from fuzzygraph.check import Checker
from fuzzygraph.likelihood import shipped
from fuzzygraph.options import RiskOptions
from fuzzygraph.support import Amount, Evidence, thin
from groundwork.errors import InputError
from groundwork.ports import Graph
from groundwork.records import Concept, Contradiction, Relation, Similarity
from groundwork.settings import Settings
from groundwork.tables import concept_batch, edge_batch, similarity_batch
from tests.risks import checker_of

MET, T2D, INS, CAN, HYPO, HYPER = (
    "Chemical|MESH:D008687",
    "Disease|MESH:D003924",
    "Gene|3630",
    "Disease|MESH:D009369",
    "Disease|MESH:D007003",
    "Disease|MESH:D006943",
)
NAMES = {
    MET: ("metformin",),
    T2D: ("type 2 diabetes", "T2DM"),
    INS: ("insulin", "INS"),
    CAN: ("cancer", "tumor"),
    HYPO: ("hypoglycemia",),
    HYPER: ("hyperglycemia",),
    "Chemical|MESH:D001241": ("aspirin", "ASA"),
    "Gene|440": ("ASNS", "ASA"),
}
EDGES = [
    Relation(MET, "treat", T2D, (10, 20, 30)),
    Relation(MET, "positive_correlate", INS, (15,)),
    Relation(T2D, "inhibit", INS, (25,)),
    Relation(MET, "associate", CAN, (5, 6)),
]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    store = connect("memory:", Settings(home=tmp_path_factory.mktemp("home")))
    with store.writing():
        store.put_concepts(
            [concept_batch([Concept(k, n[0], n, tuple(range(9, 9 - len(n), -1))) for k, n in NAMES.items()])]
        )
        store.put_edges([edge_batch(EDGES)], "r1")
        store.put_similarities([similarity_batch([Similarity(HYPER, HYPO, 0.65, "test")])])
        store.put_contradictions("test", [Contradiction(CAN, T2D, "test")])
    yield store
    store.close()


@pytest.fixture(scope="module")
def checker(graph: Graph) -> Checker:
    return checker_of(graph)


def one(checker, text, **options):
    """Return the record of a text with one claim, with the score `paper`."""
    (entry,) = checker.check(text, RiskOptions(**({"score": "paper"} | options))).sentences
    return entry


def test_the_json_has_the_shape_of_the_contract(checker):
    report = checker.check("Metformin treats type 2 diabetes.").to_dict()
    assert {"text", "sentences", "hrs"} <= report.keys()
    (entry,) = report["sentences"]
    assert set(entry) == {
        *("text", "triple", "subject", "object", "paths", "paths_total", "support", "contradiction", "unsigned"),
        *("p_net", "hrs", "strength", "status", "flags", "words"),
        *("p_claim", "p_opposite", "p_none", "observed", "disagreement"),
    }
    assert {"subject", "predicate", "relation", "object", "negated"} <= entry["triple"].keys()
    assert set(entry["subject"]) == set(entry["object"]) == {"key", "name", "score", "alternatives"}
    assert {"keys", "probability", "sign"} <= entry["paths"][0].keys()
    for side in ("support", "contradiction", "unsigned"):
        assert set(entry[side]) == {"sum", "max", "noisy_or"}
    assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_a_supported_claim_worked_by_hand(checker):
    """treat (-1): 0.923 directly; positive_correlate then inhibit: +1 * -1 = -1, 0.65 * 0.65."""
    entry = one(checker, "Metformin treats type 2 diabetes.")
    assert (entry.subject.key, entry.object.key, entry.status) == (MET, T2D, "measured")
    # The third path runs over the unsigned edge to cancer and on over CONTRADICTS.
    assert [(p.keys, p.sign) for p in entry.paths] == [((MET, T2D), -1), ((MET, CAN, T2D), None), ((MET, INS, T2D), -1)]
    assert [p.probability for p in entry.paths] == pytest.approx([0.923, 0.86 * 0.9, 0.4225])
    assert entry.support.sum == pytest.approx(0.923 + 0.4225)
    assert entry.support.max == pytest.approx(0.923)
    assert entry.support.noisy_or == pytest.approx(1 - 0.077 * 0.5775)
    assert entry.contradiction.sum == 0.0
    assert entry.unsigned.sum == pytest.approx(0.86 * 0.9)
    assert entry.hrs == pytest.approx(0.0, abs=1e-11)
    assert entry.strength == pytest.approx(entry.support.noisy_or)


def test_a_calibrated_claim_worked_by_hand(checker):
    """Direct: 3 articles for the claim. Two hops: over insulin (negative) and over cancer (no sign), both usual."""
    entry = one(checker, "Metformin treats type 2 diabetes.", score="calibrated")
    held = shipped()[0]
    seen = entry.observed
    assert (seen.articles, seen.paths) == ((3, 0, 0), 3)
    assert seen.chance == pytest.approx(sqrt(3 * 2) / (2 * 4))  # metformin has 3 relation edges, diabetes 2, of 4
    over_insulin, over_cancer = 1 / (2 * sqrt(3 * 2)), 0.9 / (1 * sqrt(3 * 2))
    assert over_insulin < over_cancer < seen.chance + over_cancer
    assert seen.beyond == ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    down = held.base + held.edge.same + held.articles.same * log(3)
    up = held.base - held.edge.opposite - held.articles.opposite * log(3)
    total = 1 + exp(down) + exp(up)
    assert (entry.p_claim, entry.p_opposite, entry.p_none) == pytest.approx(
        (exp(down) / total, exp(up) / total, 1 / total)
    )
    assert entry.hrs == pytest.approx(entry.p_opposite / (entry.p_claim + entry.p_opposite))
    assert (entry.p_net, entry.strength) == pytest.approx((1 - entry.hrs, entry.p_claim + entry.p_opposite))
    assert (entry.flags, entry.disagreement) == ((), None)
    turned = one(checker, "Metformin causes type 2 diabetes.", score="calibrated")
    denied = one(checker, "Metformin does not treat type 2 diabetes.", score="calibrated")
    assert turned.hrs == denied.hrs == pytest.approx(1 - entry.hrs)


def test_a_claim_is_measured_by_unsigned_paths_too_if_it_is_calibrated(checker):
    entry = one(checker, "Metformin treats cancer.", score="calibrated", hops=1)
    assert (entry.status, entry.hrs, entry.p_claim) == ("measured", pytest.approx(0.5), entry.p_opposite)
    assert one(checker, "Metformin is associated with cancer.", score="calibrated", hops=1).hrs == 0.0
    assert one(checker, "Aspirin treats hypoglycemia.", score="calibrated").status == "no_evidence"


def test_the_denial_of_any_relation_is_the_more_likely_the_less_is_known(checker):
    known = one(checker, "Metformin is not associated with type 2 diabetes.", score="calibrated")
    assert known.p_opposite == pytest.approx(1 - known.p_claim) == pytest.approx(known.hrs)
    assert known.hrs > 0.7 and known.p_none == pytest.approx(0.0)
    weak = one(checker, "Insulin is not associated with cancer.", score="calibrated")
    assert weak.hrs < 0.3


def test_a_risk_that_contradicts_something_else_says_so_once(checker):
    entry = one(checker, "Metformin causes type 2 diabetes.", score="calibrated")
    told = entry.beside("The judge", supported=True)
    assert "paths_disagree" in told.flags
    assert told.disagreement.startswith(
        "The judge supports the claim, but all edges and paths speak rather for its opposite (HRS 0.9"
    )
    assert told.beside("A direct edge", supported=True) == told
    assert entry.beside("The judge", supported=False) == entry
    unmeasured = one(checker, "Aspirin treats hypoglycemia.")
    assert unmeasured.beside("The judge", supported=True) == unmeasured


@pytest.mark.parametrize("text", ["Metformin causes type 2 diabetes.", "Metformin does not treat type 2 diabetes."])
def test_the_opposite_and_the_denial_are_contradicted(checker, text):
    entry = one(checker, text)
    assert entry.contradiction.max == pytest.approx(0.923)
    assert entry.support.sum == 0.0
    assert (entry.p_net, entry.hrs, entry.strength) == (0.0, 1.0, 0.0)


def test_the_pmid_cut_applies_to_paths(checker):
    entry = one(checker, "Metformin treats type 2 diabetes.", before=20)
    assert entry.support.max == pytest.approx(0.86)
    assert one(checker, "Metformin treats type 2 diabetes.", before=4).status == "no_evidence"


def test_statuses_other_than_measured(checker):
    unlinked = one(checker, "Fever causes cancer.")
    assert (unlinked.status, unlinked.object.key, unlinked.subject.key) == ("unlinked", CAN, None)
    assert (one(checker, "Hello world.").status, one(checker, "Hello world.").triple) == ("no_triple", None)
    apart = one(checker, "Aspirin treats hypoglycemia.")
    assert (apart.status, apart.paths_total, apart.hrs, apart.p_net, apart.strength) == (
        "no_evidence",
        0,
        None,
        None,
        None,
    )


def test_unsigned_paths_alone_are_no_evidence_for_a_signed_claim(checker):
    entry = one(checker, "Metformin treats cancer.", hops=1)
    assert (entry.status, entry.paths_total, entry.hrs) == ("no_evidence", 1, None)
    assert entry.unsigned.max == pytest.approx(0.86)
    assert one(checker, "Metformin is associated with cancer.", hops=1).support.max == pytest.approx(0.86)


def test_one_concept_twice_has_no_path(checker):
    entry = one(checker, "T2DM causes type 2 diabetes.")
    assert (entry.status, entry.triple) == ("no_triple", None)


def test_similarity_between_opposites_is_flagged(checker):
    entry = one(checker, "Hyperglycemia causes hypoglycemia.")
    assert entry.status == "measured"
    assert entry.paths[0].kinds == ("similar_to",)
    assert "opposite_names" in entry.flags


def test_form_tau_and_alpha_apply_to_similarities(checker):
    text = "Hyperglycemia causes hypoglycemia."
    assert one(checker, text, form="linear", alpha=0.5).support.max == pytest.approx(0.5 * 0.825)
    assert one(checker, text, form="linear", tau_min=0.83).status == "no_evidence"
    assert one(checker, text, form="paper", alpha=1.0).support.max == pytest.approx(0.6570, abs=1e-4)


def test_inverted_contradiction_follows_the_paper_and_ignores_negation(checker):
    plain = one(checker, "Metformin treats type 2 diabetes.", contradiction="inverted", hops=1)
    assert plain.support.max == pytest.approx(0.923)
    assert plain.contradiction.max == pytest.approx(0.077)
    denied = one(checker, "Metformin does not treat type 2 diabetes.", contradiction="inverted", hops=1)
    assert (denied.support, denied.flags) == (plain.support, ("negation_ignored",))


@pytest.mark.parametrize("aggregate", ["sum", "max", "noisy_or"])
def test_p_net_uses_the_chosen_aggregate(checker, aggregate):
    entry = one(checker, "Metformin treats type 2 diabetes.", contradiction="inverted", aggregate=aggregate)
    support, against = getattr(entry.support, aggregate), getattr(entry.contradiction, aggregate)
    assert entry.p_net == pytest.approx(support / (support + against))
    assert entry.strength == pytest.approx(entry.support.noisy_or * (1 - entry.contradiction.noisy_or))


def test_little_evidence_is_thin(checker, tmp_path):
    """Two supporting paths of 0.65 ** 3 = 0.27 each: HRS is 0, although little is known."""
    drug, disease = "Chemical|MESH:D1", "Disease|MESH:D2"
    genes = [f"Gene|{number}" for number in range(1, 5)]
    names = {drug: "drugamol", disease: "diseasitis", **{gene: f"GENE{gene[-1]}" for gene in genes}}
    steps = [(drug, "associate", genes[0]), (genes[0], "associate", genes[1]), (genes[1], "associate", disease)]
    steps += [(drug, "associate", genes[2]), (genes[2], "associate", genes[3]), (genes[3], "associate", disease)]
    store = connect("memory:", Settings(home=tmp_path))
    with store.writing():
        store.put_concepts([concept_batch([Concept(key, name, (name,), (9,)) for key, name in names.items()])])
        store.put_edges([edge_batch([Relation(a, r, b, (n,)) for n, (a, r, b) in enumerate(sorted(steps), 1)])], "r1")
    said = "Drugamol is associated with diseasitis."
    report = checker_of(store).check(said, RiskOptions(score="paper"))
    (entry,) = report.sentences
    assert [path.probability for path in entry.paths] == pytest.approx([0.65**3] * 2)
    assert entry.support.noisy_or == pytest.approx(1 - (1 - 0.65**3) ** 2)
    assert (entry.status, entry.hrs, entry.flags) == ("measured", pytest.approx(0.0, abs=1e-9), ("thin",))
    assert (report.strength, report.flags) == (entry.strength, ("thin",))
    (calibrated,) = checker_of(store).check(said).sentences
    assert calibrated.strength < 0.5 and calibrated.flags == ("thin",)
    store.close()


def test_enough_evidence_on_either_side_is_not_thin(checker):
    for text in ("Metformin treats type 2 diabetes.", "Metformin causes type 2 diabetes."):
        report = checker.check(text)
        assert "thin" not in report.sentences[0].flags
        assert (report.strength, report.flags) == (report.sentences[0].strength, ())
    unmeasured = checker.check("Aspirin treats hypoglycemia.")
    assert (unmeasured.strength, unmeasured.flags, unmeasured.sentences[0].flags) == (None, (), ())


@pytest.mark.parametrize(
    ("support", "against", "expected"), [(0.467, 0.0, True), (0.0, 0.499, True), (0.4, 0.5, False)]
)
def test_thin_depends_on_the_larger_side(support, against, expected):
    assert thin(Evidence(support=Amount(noisy_or=support), contradiction=Amount(noisy_or=against))) is expected


def test_the_hrs_of_a_text_is_the_mean_over_its_claims_if_all_are_measured(checker):
    text = "Metformin treats type 2 diabetes. Metformin causes type 2 diabetes."
    report = checker.check(text)
    assert (report.hrs, report.measured, report.claims) == (pytest.approx(0.5), 2, 2)
    report = checker.check(f"{text} Aspirin treats hypoglycemia.")
    assert [entry.status for entry in report.sentences] == ["measured", "measured", "no_evidence"]
    assert (report.hrs, report.strength, report.measured, report.claims) == (None, None, 2, 3)
    assert checker.check("Hello world.").hrs is None


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_text_is_refused(checker, text):
    with pytest.raises(InputError, match="an empty text"):
        checker.check(text)


def test_a_short_form_is_known_in_later_sentences(checker):
    report = checker.check("Aspirin (ASA) is old. ASA treats cancer.")
    assert report.sentences[-1].subject.key == "Chemical|MESH:D001241"
    assert "ambiguous_subject" not in report.sentences[-1].flags


def test_the_claim_graph_holds_every_claim(checker):
    graph = checker.check("Metformin does not treat cancer. Smoking causes fever.").claim_graph.to_dict()
    assert graph["nodes"] == [MET, CAN, "Smoking", "fever"]
    assert [edge["negated"] for edge in graph["edges"]] == [True, False]
    assert graph["edges"][1]["predicate"] == "causes"


def test_a_conjunction_has_an_entry_for_each_claim(checker):
    report = checker.check("Metformin reduces cancer and hyperglycemia.")
    assert [(entry.subject.key, entry.object.key) for entry in report.sentences] == [(MET, CAN), (MET, HYPER)]
    assert [entry.text for entry in report.sentences] == [
        "Metformin reduces cancer.",
        "Metformin reduces hyperglycemia.",
    ]


def test_a_report_names_the_concepts_that_it_refers_to(checker):
    assert checker.check("Metformin treats type 2 diabetes.").keys() == {MET, T2D, CAN, INS}
    assert checker.check("Metformin treats cough.").keys() == {MET}


def test_paths_are_limited_but_counted(checker):
    entry = one(checker, "Metformin treats type 2 diabetes.", paths=1)
    assert (len(entry.paths), entry.paths_total) == (1, 3)
    assert one(checker, "Metformin treats type 2 diabetes.", paths=0).paths == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": "round"}, "calibrated or paper"),
        ({"hops": 0}, "hops = 0"),
        ({"hops": 5}, "1 to 4"),
        ({"alpha": 0.0}, "alpha"),
        ({"alpha": 1.1}, "alpha"),
        ({"alpha": float("nan")}, "alpha"),
        ({"alpha": float("inf")}, "alpha"),
        ({"tau_min": float("nan")}, "tau_min"),
        ({"tau_min": -0.1}, "tau_min"),
        ({"paths": -1}, "paths"),
        ({"form": "cubic"}, "scaled, paper, linear"),
        ({"aggregate": "mean"}, "noisy_or, max, sum"),
        ({"contradiction": "none"}, "signed or inverted"),
    ],
)
def test_terms_out_of_range_are_refused(checker, options, message):
    with pytest.raises(InputError, match=message):
        checker.check("Metformin treats cancer.", RiskOptions(**options))


def test_a_pronoun_is_no_concept(checker):
    lost = one(checker, "It treats type 2 diabetes.")
    assert (lost.status, lost.subject.key) == ("no_triple", None)


def test_neutral_words_make_no_claim(checker):
    assert one(checker, "Metformin was studied with type 2 diabetes.").status == "no_triple"


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("Metformin ist gut und hilft gegen Diabetes (type 2 diabetes).", "not_english"),
        ("metformin, type 2 diabetes; " * 3_600, "too_long"),
        ("(" * 100_000, "too_long"),
    ],
)
def test_a_text_that_cannot_be_read_gives_no_triple_and_a_flag(checker, text, flag):
    (entry,) = checker.check(text).sentences
    assert (entry.status, entry.triple, entry.flags) == ("no_triple", None, (flag,))


def test_markup_changes_no_claim(checker):
    marked = one(checker, "<p><b>Metformin</b> treats <i>type 2 diabetes</i>.</p>")
    plain = one(checker, "Metformin treats type 2 diabetes.")
    assert (marked.subject.key, marked.object.key, marked.hrs) == (plain.subject.key, plain.object.key, plain.hrs)


@pytest.mark.parametrize("text", [" " * 100_000, "\n \n" * 30_000, "<b>" * 30_000])
def test_long_texts_without_words_are_refused_as_empty(checker, text):
    with pytest.raises(InputError):
        checker.check(text)
