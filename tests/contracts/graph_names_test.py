"""Finding concepts by name: exactly, nearly, ambiguously."""

import pytest

from groundwork.errors import InputError
from groundwork.records import Concept
from tests.contracts.graphs import ODD, concept, edge, fill

HUMAN, MOUSE, ASPIRIN = "Gene|7157", "Gene|22059", "Chemical|MESH:D001241"
BOTH = ("Chemical|MESH:C562477", "Disease|MESH:C562477")
NAMES = (
    concept(HUMAN, ("p53", 60), ("TP53", 30), ("tumor protein 53", 10)),
    concept(MOUSE, ("p53", 20), ("Trp53", 15), ("TP53", 5)),
    concept("Gene|3569", ("IL-6", 9), ("interleukin 6", 3), ("IL6", 1)),
    concept("Gene|7124", ("TNF-α", 9), ("tumour necrosis factor", 3)),
    concept("Gene|7040", ("TGFB1", 9), ("TGF-beta1", 3)),
    concept(ASPIRIN, ("aspirin", 8), ("acetylsalicylic acid", 4), ("Aspirin", 2), ("ASA", 2)),
    concept(BOTH[0], ("lecithin", 3)),
    concept(BOTH[1], ("Lecithin", 3)),
    concept("Disease|MESH:D006943", ("hyperglycemia", 5)),
    concept("Disease|MESH:D007003", ("hypoglycemia", 5)),
    concept("Gene|404"),
    *(concept(key, (f"odd one {n}; '\"\\ $x", 1)) for n, key in enumerate(ODD)),
)


@pytest.fixture
def named_graph(graph):
    return fill(graph, [edge(HUMAN, "associate", ASPIRIN, 1)], NAMES)


def found(graph, text, **options):
    return [(m.key, m.score, m.how) for m in graph.find(text, **options).concepts]


@pytest.mark.parametrize("text", ["IL-6", "il 6", "IL6", "Il–6", "IL\u00a0-\u20116", " il\t6 ", "ＩＬ−６"])
def test_case_hyphens_and_spacing_do_not_matter(named_graph, text):
    assert found(named_graph, text) == [("Gene|3569", 1.0, "name")]
    assert not named_graph.find(text).ambiguous


def test_greek_letters_matter(named_graph):
    for text in ("tnf α", "TNF-alpha", "TNF-Α", "TNF ALPHA"):
        assert found(named_graph, text) == [("Gene|7124", 1.0, "name")], text
    assert "name" not in {how for _, _, how in found(named_graph, "tnf a")}
    for text in ("TGF-B1", "TGF\u03921", "tgfβ1", "TGFß1", "TGFẞ1"):
        assert found(named_graph, text)[0][0] == "Gene|7040", text


def test_synonyms_score_by_their_share_of_mentions(named_graph):
    """The score is 0.8 + 0.15 * share. All spellings of a form count together."""
    assert found(named_graph, "TP53") == [(HUMAN, 0.845, "synonym"), (MOUSE, 0.409375, "synonym")]
    assert found(named_graph, "acetylsalicylic-acid") == [(ASPIRIN, 0.8375, "synonym")]
    assert not named_graph.find("TP53").ambiguous
    (match, _) = named_graph.find("tp-53").concepts
    assert (match.matched, match.name, match.type) == ("TP53", "p53", "Gene")


def test_a_match_counts_how_often_the_name_was_used_for_the_concept(named_graph):
    """All spellings of the form count together. A key has no count."""
    for text, mentions in {"TP53": [30, 5], "il6": [10], "ASPIRIN": [10], HUMAN: [0], "Gene|404": [0]}.items():
        assert [m.mentions for m in named_graph.find(text).concepts] == mentions
    assert named_graph.find("hyperglycaemia").concepts[0].mentions == 5


def test_a_name_that_several_concepts_prefer_is_ambiguous(named_graph):
    assert found(named_graph, "lecithin") == [(key, 1.0, "name") for key in BOTH]
    assert named_graph.find("lecithin").ambiguous
    assert named_graph.find("lecithin", limit=1).ambiguous
    assert not named_graph.find("lecithin", type="Disease").ambiguous
    assert found(named_graph, "lecithin", type="disease") == [(BOTH[1], 1.0, "name")]


RAT, WORM = "Gene|24842", "Gene|901"
GENES = (
    Concept(HUMAN, "TP53", ("TP53", "p53"), (3, 60), "9606", "tumor protein p53"),
    Concept(MOUSE, "Trp53", ("Trp53", "p53", "Tp53"), (15, 90, 2), "10090", "transformation related protein 53"),
    concept(RAT, ("TP53", 9), ("Tp53", 4)),
    Concept(WORM, "cep-1", ("cep-1", "p53"), (0, 4), "6239"),
    concept("Chemical|MESH:D1", ("p53", 1)),
)


@pytest.mark.parametrize(
    ("text", "first", "halved", "ambiguous"),
    [
        ("TP53", HUMAN, {RAT, MOUSE}, False),
        ("Tp53", MOUSE, {HUMAN, RAT}, False),
        ("Trp53", MOUSE, set(), False),
        ("tp53", HUMAN, {RAT, MOUSE}, False),
        ("p53", "Chemical|MESH:D1", {MOUSE, WORM}, False),
        ("mouse p53", MOUSE, set(), False),
        ("Murine TP53", MOUSE, set(), False),
        ("cep-1", WORM, set(), False),
        (RAT, RAT, set(), False),
    ],
)
def test_a_symbol_means_the_human_gene_unless_the_text_names_another_organism(graph, text, first, halved, ambiguous):
    fill(graph, [edge(HUMAN, "associate", WORM, 1)], GENES)
    result = graph.find(text)
    assert result.concepts[0].key == first
    assert {match.key for match in result.concepts if match.score <= 0.5} == halved
    assert result.ambiguous == ambiguous
    assert graph.find_all([text, "nothing"])[text] == result


def test_an_organism_that_the_user_chose_leaves_out_the_genes_of_others(graph):
    fill(graph, [edge(HUMAN, "associate", WORM, 1)], GENES)
    graph.species = "10090"
    assert [key for key, *_ in found(graph, "p53", type="Gene")] == [MOUSE]
    assert found(graph, "TP53")[0][0] == MOUSE
    assert "name" not in {how for _, _, how in found(graph, "cep-1")}


@pytest.mark.parametrize(
    ("species", "text", "keys"),
    [
        ("", "TP-533", [HUMAN, RAT, MOUSE]),
        ("10090", "TP-533", [MOUSE]),
        ("10116", "TP-533", [RAT]),
        ("7955", "TP-533", [HUMAN, RAT, MOUSE]),
        ("10090", "tumor proteins 53", ["Chemical|MESH:D1", MOUSE]),
    ],
)
def test_similar_names_are_those_of_the_chosen_organism_if_it_has_any(graph, species, text, keys):
    other = concept("Chemical|MESH:D1", ("tumor proteins", 1))
    genes = [Concept(HUMAN, "TP53", ("TP53", "tumor protein 53"), (3, 60), "9606"), *GENES[1:3]]
    genes[1] = Concept(MOUSE, "Trp53", ("Trp53", "Tp53", "tumor protein 53"), (15, 9, 2), "10090")
    fill(graph, [edge(HUMAN, "associate", MOUSE, 1)], [*genes, other])
    graph.species = species
    result = graph.find(text)
    assert [match.key for match in result.concepts] == keys
    assert result.ambiguous == (species == "7955")
    assert graph.find_all([text, "nothing"])[text] == result


def test_genes_keep_organism_and_description(graph):
    fill(graph, [edge(HUMAN, "associate", WORM, 1)], GENES)
    assert graph.concepts([HUMAN, WORM]) == {HUMAN: GENES[0], WORM: GENES[3]}
    match = graph.find("Trp53").concepts[0]
    assert (match.organism, match.description) == ("10090", "transformation related protein 53")
    assert {each.key: each.organism for each in graph.every_concept()}[RAT] == ""


@pytest.mark.parametrize("key", [HUMAN, "Gene|404", *BOTH, *ODD])
def test_a_key_is_never_ambiguous(named_graph, key):
    result = named_graph.find(key)
    assert (result.concepts[0].key, result.concepts[0].score, result.concepts[0].how) == (key, 1.0, "key")
    assert not result.ambiguous


def test_keys_are_found_in_any_case(named_graph):
    assert found(named_graph, "chemical|mesh:d001241") == [(ASPIRIN, 1.0, "key")]


def test_an_id_without_its_type_is_a_key(named_graph):
    assert found(named_graph, "MESH:D001241") == [(ASPIRIN, 1.0, "key")]
    assert found(named_graph, "7157", type="Gene") == [(HUMAN, 1.0, "key")]
    assert named_graph.find_all([" 7157 ", "7158"])[" 7157 "].concepts[0].key == HUMAN
    shared = named_graph.find("MESH:C562477")
    assert ([match.key for match in shared.concepts], shared.ambiguous) == (list(BOTH), True)


def test_a_concept_without_names_is_found_by_its_id(named_graph):
    assert found(named_graph, "404") == [("Gene|404", 1.0, "name")]


@pytest.mark.parametrize(
    ("text", "key"),
    [("asprin", ASPIRIN), ("acetylsalicilic acid", ASPIRIN), ("hyperglycaemia", "Disease|MESH:D006943")],
)
def test_near_matches_score_below_every_exact_one(named_graph, text, key):
    first = named_graph.find(text).concepts[0]
    assert (first.key, first.how) == (key, "fuzzy") and 0.0 < first.score < 0.8


def test_near_matches_are_given_only_without_an_exact_match_and_if_near_enough(named_graph):
    assert {how for _, _, how in found(named_graph, "hyperglycemia")} == {"name"}
    assert found(named_graph, "hyperglycemic crisis of the third kind") == []
    assert found(named_graph, "xy") == found(named_graph, "") == found(named_graph, "-") == []


def test_near_matches_are_ordered_by_score(named_graph):
    found = named_graph.find("hyporglycemia").concepts
    assert [m.key for m in found] == ["Disease|MESH:D007003", "Disease|MESH:D006943"]
    assert found[0].score > found[1].score


def test_the_best_matches_come_first_up_to_the_limit(named_graph):
    assert found(named_graph, "p53", limit=1) == [(HUMAN, 1.0, "name")]
    assert found(named_graph, "p53", limit=0) == []
    with pytest.raises(InputError):
        named_graph.find("p53", limit=-1)
    with pytest.raises(InputError, match="Chemical"):
        named_graph.find("p53", type="Protein")
    assert {m.type for m in named_graph.find("odd one 1; '\"\\ $x", type="Variant").concepts} == {"Mutation"}


def test_many_names_are_found_in_one_call(named_graph):
    texts = ["P-53", "p53", "nothing", "", "aspirin", "asprin", "IL 6", HUMAN, "TP53", *ODD]
    result = named_graph.named(texts)
    assert result.keys() == {"P-53", "p53", "aspirin", "IL 6", HUMAN, "TP53", *ODD}
    for text, matches in result.items():
        held = {match.key: match for match in named_graph.find(text, limit=100).concepts}
        assert matches[0] == held[matches[0].key]
        assert {match.key for match in matches} == held.keys()
    assert named_graph.named([]) == {}


def test_every_beginning_of_a_name_is_recognised(named_graph):
    names = ["P-53", "Acetylsalicylic acid", "TNF-α", HUMAN]
    openings = {name[:length] for name in names for length in range(len(name) + 1)}
    assert openings <= set(named_graph.begun({*openings, "zz"}))


def test_finding_many_names_at_once_equals_finding_each_name(named_graph):
    texts = [
        "P-53",
        "asprin",
        "acetylsalicilic acid",
        "hyporglycemia",
        "nothing of the kind",
        "xy",
        "",
        "-",
        "odd on 2",
    ]
    texts += ["hyperglycaemia", HUMAN, "chemical|mesh:d00124", "tumor protien 53", "il", *ODD]
    assert named_graph.find_all(texts) == {text: named_graph.find(text) for text in texts}
    assert named_graph.find_all([]) == {} and named_graph.find_all(["asprin"]).keys() == {"asprin"}


def test_replacing_a_concept_replaces_its_names(named_graph):
    fill(named_graph, [], [concept(ASPIRIN, ("ASA", 1))])
    assert found(named_graph, "ASA") == [(ASPIRIN, 1.0, "name")]
    assert found(named_graph, "aspirin") == []
