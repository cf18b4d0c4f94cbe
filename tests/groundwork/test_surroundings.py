"""The context of names: the organism of the genes in a text, and the choice among several candidates."""

import re
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.errors import InputError
from groundwork.organisms import HUMAN, MOUSE, OTHER, RAT, organism_of, organisms_named, taxon_of
from groundwork.records import Concept, Match
from groundwork.surroundings import LONG, Places, Surroundings, longest, put

TP53, TRP53 = (
    Match("Gene|7157", "TP53", "Gene", 0.9, "p53", "synonym", 10),
    Match("Gene|22059", "Trp53", "Gene", 0.9, "p53", "synonym", 4),
)


@pytest.mark.parametrize(
    ("key", "taxon"),
    [
        ("Gene|7157", HUMAN),
        ("Gene|22059", MOUSE),
        ("Gene|24842", RAT),
        ("Gene|100043314", None),
        ("Gene|Hsp27", None),
        ("Disease|7157", None),
    ],
)
def test_an_early_gene_id_determines_its_organism(key, taxon):
    assert organism_of(Concept(key, "collagen")) == taxon


@pytest.mark.parametrize(
    ("symbol", "taxon"), [("PCSK9", None), ("Pcsk9", MOUSE), ("C9orf72", None), ("a gene", None), ("collagen", None)]
)
def test_the_case_of_rodents_symbols_tells_the_organism_if_the_id_does_not(symbol, taxon):
    assert organism_of(Concept("Gene|100043314", symbol)) == taxon
    assert organism_of(Concept("Gene|7157", symbol)) == HUMAN
    assert organism_of(Concept("Gene|7157", symbol, organism=RAT)) == RAT


@pytest.mark.parametrize(
    ("said", "taxon"),
    [
        ("mouse", MOUSE),
        ("Murine", MOUSE),
        ("10116", RAT),
        ("fruit fly", "7227"),
        ("M. musculus", MOUSE),
        ("007227", "7227"),
    ],
)
def test_an_organism_is_chosen_by_name_word_or_id(said, taxon):
    assert taxon_of(said) == taxon


@pytest.mark.parametrize("said", ["unicorn", "0", "000", "-1", "1" * 5000, "٣", ""])
def test_an_unknown_organism_is_refused_with_the_known_ones(said):
    with pytest.raises(InputError, match=f"no organism {said!r}") as raised:
        taxon_of(said)
    assert "zebrafish" in str(raised.value)


def test_organisms_are_counted_by_their_words():
    assert organisms_named("Mice and murine cells; one patient. Yeast.") == {MOUSE: 2, HUMAN: 1, "4932": 1}
    assert organisms_named("The caspase cleaves it.") == {}


@pytest.mark.parametrize(
    ("name", "taxon"),
    [
        *(("Homo sapiens", HUMAN), ("MUS MUSCULUS", MOUSE), ("M. musculus", MOUSE), ("R. norvegicus", RAT)),
        *(("Bos taurus", "9913"), ("Canis lupus familiaris", "9615"), ("Canis familiaris", "9615")),
        *(("Sus scrofa", "9823"), ("Ovis aries", "9940"), ("Oryctolagus cuniculus", "9986")),
        *(("Macaca mulatta", "9544"), ("Cricetulus griseus", "10029"), ("Gallus gallus", "9031")),
        *(("X. laevis", "8355"), ("Danio rerio", "7955"), ("D. melanogaster", "7227"), ("C. elegans", "6239")),
        *(("S. cerevisiae", "4932"), ("Arabidopsis thaliana", "3702"), ("guinea pigs", "10141")),
        *(("Escherichia coli", OTHER), ("E. coli", OTHER), ("bacterium", OTHER)),
    ],
)
def test_a_name_of_several_words_counts_once(name, taxon):
    assert organisms_named(f"{name}: the gene {name}") == {taxon: 2}


def test_the_gene_of_the_texts_organism_goes_first():
    matches = (TP53, TRP53)
    mouse, human = Surroundings.of("p53 in mice, in mouse liver"), Surroundings.of("p53 in patients")
    assert [m.key for m in mouse.weighed(matches)[0]] == ["Gene|22059", "Gene|7157"]
    assert [m.key for m in human.weighed(matches)[0]] == ["Gene|7157", "Gene|22059"]
    assert Surroundings().weighed(matches)[0][0] == TP53
    assert not mouse.doubtful(TRP53) and mouse.doubtful(TP53)
    assert not human.doubtful(TP53) and human.doubtful(TRP53)


def test_a_text_about_several_organisms_leaves_genes_in_doubt():
    text = Surroundings.of("p53 in mice and in patients; mice again")
    assert text.doubtful(TP53) and text.doubtful(TRP53)
    assert not text.doubtful(Match("Disease|D1", "cancer", "Disease", 1.0, "cancer", "name", 3))


@pytest.mark.parametrize(("name", "doubtful"), [("TNF-alpha", False), ("TNFα", False), ("collagen receptor", True)])
def test_a_symbol_with_a_greek_letter_is_no_description(name, doubtful):
    match = Match("Gene|7124", "TNF", "Gene", 0.9, name, "synonym", 1, HUMAN)
    assert Surroundings.of(f"{name} causes fever.").doubtful(match, name) == doubtful


def test_a_text_that_names_a_mouse_once_is_not_about_mice():
    assert Surroundings.of("Akt in cells, grafted into a mouse").doubtful(TRP53)


def test_a_long_text_that_names_no_organism_may_be_about_any():
    assert not Surroundings.of("p53 binds DNA").doubtful(TP53)
    assert Surroundings.of("p53 binds DNA. " * LONG).doubtful(TP53)


def test_candidates_are_weighted_by_how_often_the_name_meant_them():
    rare = Match("Disease|a", "a", "Disease", 0.95, "AD", "synonym", 1)
    common = Match("Disease|b", "b", "Disease", 0.81, "AD", "synonym", 9)
    ranked, share = Surroundings().weighed((rare, common))
    assert ranked == (common, rare)
    assert share == pytest.approx(0.9)


def test_an_official_name_counts_as_three_mentions():
    official = Match("Gene|1", "ACE", "Gene", 1.0, "ACE", "name", 1)
    alias = Match("Gene|2", "BCE", "Gene", 0.95, "ACE", "synonym", 1)
    assert Surroundings().weighed((alias, official))[1] == pytest.approx(0.75)


def test_a_symbol_means_the_gene_with_that_capitalisation():
    man, mouse = (
        Match(f"Gene|{ident}", symbol, "Gene", 1.0, symbol, "name", 1, organism)
        for ident, symbol, organism in ((255738, "PCSK9", HUMAN), (100102, "Pcsk9", MOUSE))
    )
    untold = Surroundings(species={OTHER: 1}, settled=None)
    assert untold.weighed((mouse, man), "PCSK9")[0][0] == man
    assert untold.weighed((man, mouse), "Pcsk9")[0][0] == mouse
    assert untold.weighed((man, mouse), "pcsk-9")[0][0] == man


def test_the_human_gene_comes_first_if_neither_organism_is_named():
    mouse = Match("Gene|22059", "Trp53", "Gene", 0.9, "p53", "synonym", TP53.mentions)
    assert Surroundings(species={OTHER: 1}, settled=None).weighed((mouse, TP53))[0] == (TP53, mouse)


def test_a_rare_name_of_a_gene_may_mean_a_gene_family():
    rare = Match("Gene|3673", "ITGA2", "Gene", 0.9, "collagen receptor", "synonym", 1)
    assert Surroundings().doubtful(rare, "collagen receptor")
    assert not Surroundings().doubtful(rare, "ITGA-2")
    assert not Surroundings().doubtful(Match("Gene|3673", "ITGA2", "Gene", 0.9, "collagen receptor", "synonym", 5))
    assert not Surroundings().doubtful(Match("Gene|3673", "ITGA2", "Gene", 0.9, "CD49B", "synonym", 1))


@dataclass(frozen=True)
class Stretch:
    start: int
    end: int


STRETCHES = st.lists(
    st.builds(lambda start, length: Stretch(start, start + length), st.integers(0, 30), st.integers(1, 8)), max_size=25
)


def tried_one_by_one(placed):
    """Compare each span with every span that was kept before it."""
    kept = []
    for one in sorted(placed, key=lambda p: (p.start - p.end, p.start)):
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda p: p.start)


@given(STRETCHES)
def test_the_longest_spans_equal_those_found_one_by_one(placed):
    assert longest(placed) == tried_one_by_one(placed)


@given(STRETCHES, st.integers(0, 30), st.integers(1, 8))
def test_adding_one_span_gives_the_same_as_all_spans_together(placed, start, length):
    kept = longest(placed)
    one = Stretch(start, start + length)
    together = tried_one_by_one([*kept, one])
    put(kept, one)
    assert kept == together


@given(st.text("aA-1 (é", max_size=40), st.sampled_from(["a", "A1", "a-1", "A", "1-a", "aé"]))
def test_a_form_is_found_only_where_it_is_not_part_of_a_longer_word(text, form):
    wanted = [m.start() for m in re.finditer(rf"(?<!\w)(?={re.escape(form)}(?!\w))", text)]
    assert [start for start, _ in Places(text).of(form)] == wanted
