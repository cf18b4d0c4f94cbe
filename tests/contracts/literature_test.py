"""The promises of `groundwork.ports` for literature stores, tested on each store: the same answers and the same
errors."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from math import log
from uuid import uuid4

import pytest
from elasticsearch import Elasticsearch
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

import literature
from groundwork.errors import InputError, StoreBusy, StoreError
from groundwork.records import Abstract, Release, Text
from groundwork.settings import Settings
from literature import analysis
from tests.literature.corpus import biored, biored_mentions

WORD = st.sampled_from(["pain", "fever", "cough", "rash", "the"])
ALIKE = 1e-5  # relative: stores add up in single precision


def document(pmid: int, title: str = "", abstract: str = "", *, retracted: bool = False) -> Abstract:
    return Abstract(pmid, None, Text(title, abstract, retracted=retracted))


def bm25(texts: dict[int, str], query: str, k1: float = 1.2, b: float = 0.75) -> dict[int, float]:
    """Return the score of each document by the formula. Texts have at most 40 tokens."""
    bags = {pmid: Counter(analysis.tokens(text)) for pmid, text in texts.items()}
    bags = {pmid: bag for pmid, bag in bags.items() if bag}
    average = sum(bag.total() for bag in bags.values()) / max(1, len(bags))
    scores: dict[int, float] = {}
    for token in analysis.tokens(query):
        weight = idf(texts, token)
        for pmid, bag in bags.items():
            if token in bag:
                part = bag[token] / (bag[token] + k1 * (1 - b + b * bag.total() / average))
                scores[pmid] = scores.get(pmid, 0.0) + weight * part
    return scores


def idf(texts: dict[int, str], token: str) -> float:
    """Return the inverse document frequency of a token. Texts without tokens are not counted."""
    bags = [bag for text in texts.values() if (bag := set(analysis.tokens(text)))]
    n = sum(token in bag for bag in bags)
    return log(1 + (len(bags) - n + 0.5) / (n + 0.5))


def load(store, abstracts: Iterable[Abstract] = (), drop: Iterable[int] = ()) -> None:
    with store.writing():
        store.put(abstracts)
        store.drop(drop)


def pmids(hits) -> list[int]:
    return [hit.pmid for hit in hits.hits]


def release(source: str, ident: str, order: int, state: str = "live") -> Release:
    return Release(source, ident, "ab" * 32, 10, 9, 1, state, "2026-01-01T00:00:00Z", order)


class LiteratureContract:
    """Tests for each literature store. A subclass defines two fixtures: `store`, an empty store, and `another`, a
    function that opens the same store again."""

    EXAMPLES = 25  # of the property test

    # Scores

    def test_scores_are_lucenes_bm25(self, store):
        texts = {1: "aspirin treats pain", 2: "aspirin aspirin", 3: "ibuprofen treats fever and pain", 4: "nothing"}
        load(store, [document(pmid, text) for pmid, text in texts.items()])
        wanted = bm25(texts, "aspirin pain")
        hits = store.search("aspirin pain").hits
        assert [hit.pmid for hit in hits] == sorted(wanted, key=wanted.get, reverse=True)
        assert {hit.pmid: hit.score for hit in hits} == pytest.approx(wanted, rel=ALIKE)
        assert [hit.rank for hit in hits] == [1, 2, 3]

    def test_the_score_of_one_document_equals_the_formula_by_hand(self, store):
        # N = n = 1, tf = 1, dl = avgdl: ln(1 + 0.5 / 1.5) * 1 / (1 + 1.2)
        load(store, [document(7, "Aspirin")])
        (hit,) = store.search("aspirin").hits
        assert hit.score == pytest.approx(log(4 / 3) / 2.2, rel=ALIKE)
        assert (hit.title, hit.rank, hit.retracted) == ("Aspirin", 1, False)

    def test_title_and_abstract_are_one_text(self, store):
        load(store, [document(1, "aspirin", "headache"), document(2, "headache", "aspirin")])
        first, second = store.search("aspirin headache").hits
        assert (first.pmid, second.pmid) == (1, 2)
        assert first.score == second.score

    def test_a_repeated_query_word_counts_each_time(self, store):
        load(store, [document(1, "aspirin pain"), document(2, "fever pain"), document(3, "cough")])
        once, thrice = store.search("fever").hits[0].score, store.search("fever fever fever").hits[0].score
        assert thrice == pytest.approx(3 * once, rel=ALIKE)

    def test_a_concept_scores_by_the_name_that_matches_a_document_best(self, store):
        texts = {1: "acetylsalicylic acid", 2: "aspirin", 3: "acid rain and pain", 4: "cough", 5: "acetylsalicylic"}
        load(store, [document(pmid, text) for pmid, text in texts.items()])
        names = ("aspirin", "acetylsalicylic acid", "Aspirin", "xyzzy")
        plain = [bm25(texts, name) for name in names[:2]]
        most = [sum(idf(texts, token) for token in analysis.tokens(name)) for name in names[:2]]
        for first, other in ((0, 1), (1, 0)):
            best = {
                pmid: max(plain[first].get(pmid, 0.0), plain[other].get(pmid, 0.0) * most[first] / most[other])
                for pmid in (1, 2, 3, 5)
            }
            hits = store.search("pain", names=[[names[first], names[other], *names[2:]], ["the"]]).hits
            wanted = {pmid: score + bm25(texts, "pain").get(pmid, 0.0) for pmid, score in best.items()}
            assert {hit.pmid: hit.score for hit in hits} == pytest.approx(wanted, rel=ALIKE)

    def test_a_concept_with_one_name_scores_like_words_of_the_text(self, store):
        load(store, [document(1, "aspirin treats pain"), document(2, "aspirin"), document(3, "pain"), document(4, "x")])
        parted = store.search("treats", names=[["aspirin"], ["pain"]], before=3, k=2)
        whole = store.search("treats aspirin pain", before=3, k=2)
        assert pmids(parted) == pmids(whole) == [1, 2]
        assert [hit.score for hit in parted.hits] == pytest.approx([hit.score for hit in whole.hits], rel=ALIKE)
        assert pmids(store.search("", names=[["aspirin", "pain"]], min_score=0.1)) == [2, 3, 1]

    def test_names_that_no_document_contains_find_nothing(self, store):
        assert store.search("aspirin", names=[["aspirin", "pain"]]).hits == ()
        load(store, [document(1, "aspirin")])
        assert store.search("", names=[["zymurgy", "xyzzy"], [], ["of"]]).hits == ()
        assert pmids(store.search("", names=[["zymurgy", "aspirin"]])) == [1]

    def test_many_searches_at_once_equal_single_searches(self, store):
        assert store.search_many([]) == ()
        assert [hits.hits for hits in store.search_many(["pain", "the"])] == [(), ()]
        load(store, [document(pmid, f"{'aspirin ' * (pmid % 3)}pain {'fever ' * (pmid % 4)}") for pmid in range(1, 40)])
        load(store, [document(40, "fever", retracted=True)])
        texts = ["aspirin fever", "", "pain", "xyzzy", "cough pain", "aspirin fever"] * 15
        names = [[["aspirin", "fever"]], [["pain"], ["fever", "aspirin pain"]], [], [], [["pain", "fever"]], []] * 15
        asked = {"k": 7, "before": 33, "min_score": 0.01, "exclude_retracted": True}
        alone = tuple(store.search(text, **asked) for text in texts)
        assert store.search_many(texts, **asked) == alone
        assert [len(hits.hits) for hits in alone[:6]] == [7, 0, 7, 0, 7, 7]
        named = tuple(store.search(text, names=each, k=3) for text, each in zip(texts, names, strict=True))
        assert store.search_many(texts, names=names, k=3) == named
        with pytest.raises(InputError):
            store.search_many(texts, k=0)

    def test_words_are_found_in_any_english_form(self, store):
        load(store, [document(1, "The patients' inhibitions"), document(2, "A patient's inhibitor")])
        assert pmids(store.search("inhibiting PATIENT")) == [1, 2]

    def test_an_empty_search_finds_nothing(self, store):
        load(store, [document(1, "The aspirin of pain")])
        for text in ("", "  \n", "the of and", "( ) * : ~ -", "zymurgy"):
            assert store.search(text).hits == ()

    def test_query_syntax_is_treated_as_plain_text(self, store):
        load(store, [document(1, "fever"), document(2, "pain"), document(3, "cough")])
        for text in (
            "pain AND OR NOT",
            'pain" OR (',
            "pain* AND title:pain",
            "-pain ~2 pain~ [a TO b] {c}",
            r"\pain\ /pain/ ^3 && || !",
            '{"match_all": {}} pain',
        ):
            assert pmids(store.search(text)) == [2]

    def test_letters_of_any_script_are_found(self, store):
        load(store, [document(1, "TNF-α in naïve cells"), document(2, "Σ of β-catenin"), document(3, "中文 😀")])
        assert pmids(store.search("NAÏVE")) == [1]
        assert pmids(store.search("Β")) == [2]
        assert pmids(store.search("文")) == [3]
        assert store.search("naive").hits == ()

    def test_long_documents_score_with_the_length_that_lucene_stores(self, store):
        lengths = {40: 40, 41: 40, 100: 96, 1000: 984}
        load(store, [document(n, f"word{n} " + "filler " * (n - 1)) for n in lengths])
        average = sum(lengths) / len(lengths)
        for length, stored in lengths.items():
            (hit,) = store.search(f"word{length}").hits
            wanted = log(1 + 3.5 / 1.5) / (1 + 1.2 * (0.25 + 0.75 * stored / average))
            assert hit.score == pytest.approx(wanted, rel=ALIKE)

    # k and ties

    def test_search_returns_k_hits_or_all_matches_if_there_are_fewer(self, store):
        load(store, [document(pmid, "pain " * (1 + pmid % 3)) for pmid in range(1, 41)] + [document(99, "fever")])
        assert [len(store.search("pain", k=k).hits) for k in (1, 7, 39, 40, 41, 10_000)] == [1, 7, 39, 40, 40, 40]

    def test_k_outside_its_range_is_refused(self, store):
        for k in (0, -1, 10_001):
            with pytest.raises(InputError, match="10000"):
                store.search("pain", k=k)

    def test_ties_go_by_pmid_also_at_the_last_rank(self, store):
        numbers = [(pmid * 7919) % 10_007 for pmid in range(1, 301)]
        load(store, [document(pmid, "pain") for pmid in numbers[:150]])
        load(store, [document(pmid, "pain") for pmid in numbers[150:]])
        load(store, [document(20_000, "pain pain")])
        hits = store.search("pain", k=20)
        assert pmids(hits) == [20_000, *sorted(numbers)[:19]]
        assert len({hit.score for hit in hits.hits[1:]}) == 1

    def test_ten_thousand_hits_are_returned_in_order(self, store):
        load(store, [document(pmid, "pain") for pmid in range(1, 10_051)])
        assert pmids(store.search("pain", k=10_000)) == list(range(1, 10_001))

    # Cuts

    def test_the_pmid_cut_is_applied_before_the_best_hits_are_chosen(self, store):
        load(store, [document(pmid, "pain " * (1 if pmid <= 30 else 3)) for pmid in range(1, 201)])
        for cut, k in ((30, 25), (30, 30), (100, 80), (170, 32), (1, 5), (0, 5), (-1, 5), (10**9, 200)):
            hits = store.search("pain", k=k, before=cut)
            assert len(hits.hits) == min(k, max(0, min(cut, 200)))
            assert all(hit.pmid <= cut for hit in hits.hits)

    def test_the_pmid_cut_does_not_change_scores(self, store):
        load(store, [document(pmid, "pain " * (pmid % 5 + 1) + "fever " * (pmid % 3)) for pmid in range(1, 60)])
        every = {hit.pmid: hit.score for hit in store.search("pain fever", k=100).hits}
        for cut in (5, 29, 55):
            hits = store.search("pain fever", k=100, before=cut).hits
            assert {hit.pmid: hit.score for hit in hits} == {
                p: pytest.approx(every[p], rel=ALIKE) for p in range(1, cut + 1)
            }

    def test_min_score_leaves_out_what_lies_below_it(self, store):
        load(store, [document(1, "pain pain pain"), document(2, "pain fever cough"), document(3, "pain pain fever")])
        scores = [hit.score for hit in store.search("pain").hits]
        assert len(set(scores)) == 3
        for n, score in enumerate(scores, 1):
            assert len(store.search("pain", min_score=score).hits) == n
        assert store.search("pain", min_score=scores[0] * 1.01).hits == ()
        assert len(store.search("pain", min_score=0.0).hits) == 3

    def test_a_min_score_that_is_not_a_number_is_refused(self, store):
        for score in (float("nan"), float("inf"), float("-inf")):
            with pytest.raises(InputError, match="min_score"):
                store.search("pain", min_score=score)

    @pytest.mark.parametrize(
        ("asked", "total", "among", "found"),
        [
            ({}, 4, set(), [4, 2, 3, 9]),
            ({"k": 1}, 4, set(), [4]),
            ({"among": [4, 1, 77]}, 4, {4}, [2, 3, 9]),
            ({"among": [4], "k": 2}, 4, {4}, [2, 3]),
            ({"before": 3}, 2, set(), [2, 3]),
            ({"exclude_retracted": True, "among": [3, 4]}, 3, {4}, [2, 9]),
            ({"before": -1}, 0, set(), []),
        ],
    )
    def test_documents_that_name_several_things_are_counted_and_ranked_by_a_text(
        self, store, asked, total, among, found
    ):
        load(
            store,
            [
                document(1, "Aspirin and pain"),
                document(2, "Aspirin and heart attacks", "It failed."),
                document(3, "Acetylsalicylic acid", "for a heart attack", retracted=True),
                document(4, "Aspirin failed in myocardial infarction: no difference."),
                document(5, "The acid of the heart attack failed"),
                document(9, "Infarction of the myocardial kind after aspirin"),
            ],
        )
        names = [["aspirin", "acetylsalicylic acid"], ["heart attack", "myocardial infarction", "of the"]]
        named = store.naming(names, "failed, without a difference", **{"k": 10, **asked})
        assert (named.total, named.among, [hit.pmid for hit in named.hits]) == (total, among, found)

    def test_a_thing_without_words_is_named_by_no_document(self, store):
        load(store, [document(1, "Aspirin and pain")])
        for names in ([], [["aspirin"], []], [["aspirin"], ["of the"]], [["aspirin"], ["unheard"]]):
            assert store.naming(names, "pain", k=3).total == 0
        assert store.naming([["aspirin"]], "", k=3).hits[0].score == 0.0

    def test_articles_are_found_by_their_doi(self, store):
        def told(pmid: int, doi: str) -> Abstract:
            return Abstract(pmid, Text("pain", "", doi=doi), None)

        load(store, [told(5, "10.1/a"), told(3, "10.1/a"), told(4, "10.1/b"), told(6, ""), document(7, "pain")])
        assert store.by_doi(["10.1/a", "10.1/b", "10.1/c", ""]) == {"10.1/a": 3, "10.1/b": 4}
        assert store.by_doi([]) == {}
        load(store, [told(4, "10.1/c")], drop=[3])
        assert store.by_doi(["10.1/a", "10.1/b", "10.1/c"]) == {"10.1/a": 5, "10.1/c": 4}
        assert store.get([4])[4].text.doi == "10.1/c"

    def test_retracted_articles_are_flagged_or_left_out_inside_the_query(self, store):
        load(
            store, [document(pmid, "pain " * (2 if pmid <= 50 else 1), retracted=pmid <= 50) for pmid in range(1, 101)]
        )
        assert all(hit.retracted for hit in store.search("pain", k=32).hits)
        hits = store.search("pain", k=32, exclude_retracted=True).hits
        assert [hit.pmid for hit in hits] == list(range(51, 83))
        assert not any(hit.retracted for hit in hits)
        assert pmids(store.search("pain", k=99, before=60, exclude_retracted=True)) == list(range(51, 61))

    def test_hits_show_design_and_organism_and_may_be_limited_to_some(self, store, another):
        shown = {
            1: (["Randomized Controlled Trial"], ["Humans"], "randomised trial", "human"),
            2: (["Journal Article"], ["Animals", "Mice"], "animal", "mouse"),
            3: (["Journal Article"], ["Animals", "Rats"], "animal", "rat"),
            4: (["Journal Article"], [], None, None),
            5: (["Review"], ["Humans"], "review", "human"),
            6: (["Case Reports"], [], "case report", "taxon 5476"),
            7: (["Comment"], [], "notice", None),
        }
        held = [
            Abstract(
                pmid,
                Text("pain", "", retracted=pmid == 3, notice=pmid == 7 or None, types=tuple(types), mesh=tuple(mesh)),
                None,
                ("Species|5476",) if pmid == 6 else (),
            )
            for pmid, (types, mesh, _, _) in shown.items()
        ]
        load(store, [*held, Abstract(8, None, Text("pain", ""), ("Species|10090",))])
        wanted = {pmid: (design, organism) for pmid, (_, _, design, organism) in shown.items()} | {8: (None, "mouse")}
        for one in (store, another()):
            hits = one.search("pain").hits
            assert {hit.pmid: (hit.design, hit.organism) for hit in hits} == wanted
            assert pmids(one.search("pain", design=["animal", "review"])) == [2, 3, 5]
            assert pmids(one.search("pain", design=["animal"], exclude_retracted=True)) == [2]
            assert pmids(one.search("pain", organism=["mouse", "10116"])) == [2, 3, 8]
            assert pmids(one.search("pain", organism=["mouse"], design=["animal"])) == [2]
            assert pmids(one.search("pain", organism=["9606"], k=1)) == [1]
            assert pmids(one.search("pain", organism=["99999999999"])) == []
            alone = tuple(one.search(text, design=["animal"]) for text in ("pain", "fever"))
            assert one.search_many(["pain", "fever"], design=["animal"]) == alone
            assert [hit.score for hit in alone[0].hits] == [hit.score for hit in hits if hit.pmid in {2, 3}]
            assert one.get([1])[1] == replace(held[0])

    @pytest.mark.parametrize(("name", "value"), [("design", "trial"), ("organism", "unicorn")])
    def test_an_unknown_design_or_organism_is_an_error(self, store, name, value):
        with pytest.raises(InputError, match=f"no {name} '{value}'"):
            store.search("pain", **{name: [value]})

    def test_retracted_returns_the_retracted_articles_among_those_given(self, store):
        gone = [Abstract(pmid, Text(title, "", retracted=True), None) for pmid, title in ((5, "pain"), (6, "the"))]
        load(store, [*gone, document(7, "pain"), Abstract(8, Text("fever", ""), Text("pain", "", retracted=True))])
        assert store.retracted([7, 6, 5, 8, 9]) == {5, 6}
        assert store.retracted(iter([5])) == {5}
        assert store.retracted([7, 2**63]) == store.retracted([]) == set()
        assert store.retracted(range(1, 20_002)) == {5, 6}

    def test_uncounted_are_the_notices_and_if_asked_the_retracted_articles(self, store, another):
        assert (len(store.uncounted()), len(store.uncounted(exclude_retracted=True))) == (0, 0)
        texts = {
            1: Text("Aspirin treats pain", ""),
            2: Text("Erratum: aspirin treats pain", ""),  # a notice by its title
            3: Text("Aspirin", "", notice=True),  # a notice by its publication types
            4: Text("Erratum: aspirin treats pain", "", notice=False),  # the types say that it is an article
            5: Text("Aspirin", "", retracted=True),
            6: Text("Retraction: aspirin", "", retracted=True),
            2**53 + 1: Text("Comment on aspirin", ""),
        }
        load(store, [Abstract(pmid, None, text) for pmid, text in texts.items()])
        other, notices = another(), [2, 3, 6, 2**53 + 1]
        assert store.uncounted().pmids.tolist() == other.uncounted().pmids.tolist() == notices
        assert store.uncounted(exclude_retracted=True).pmids.tolist() == sorted([*notices, 5])
        assert store.uncounted() is store.uncounted()  # kept until the index changes
        load(store, [Abstract(1, Text("Aspirin", "", notice=True), texts[1])], drop=[2, 5])
        assert store.uncounted().pmids.tolist() == [1, 3, 6, 2**53 + 1]
        assert store.uncounted(exclude_retracted=True) == store.uncounted()

    # Writing and reading back

    def test_an_index_that_was_never_loaded_is_empty(self, another):
        store = another(read_only=True)
        assert store.search("pain").hits == ()
        assert store.get([1]) == {}
        assert store.retracted([1]) == set()
        assert list(store.every_pmid()) == []
        assert store.releases() == ()
        assert (store.info().documents, store.info().k1, store.info().b) == (0, 1.2, 0.75)

    @pytest.mark.parametrize("share", [0.95, 0.5, 1.0, 0.001])
    def test_pmid_by_year_returns_the_pmid_at_a_share_of_each_years_articles(self, store, share):
        counts = {1999: 1, 2003: 19, 2004: 20, 2005: 21, 2010: 100}
        assert store.pmid_by_year(share) == {}
        held = [
            (year, 3 + n * (7 if year != 2010 else 1_000_003) + year) for year in counts for n in range(counts[year])
        ]
        texts = {pmid: Text("[Sample]", f'said "year": 1850, {year}', year=year) for year, pmid in held}
        undated = Abstract(5, None, Text("no year", ""))
        load(store, [*(Abstract(pmid, text, None) for pmid, text in texts.items()), undated])
        found = store.pmid_by_year(share)
        assert list(found) == sorted(counts)
        for year, pmid in found.items():
            pmids = sorted(pmid for pmid, text in texts.items() if text.year == year)
            up_to = [sum(other <= each for other in pmids) >= share * len(pmids) - 1e-9 for each in pmids]
            assert pmid == pmids[up_to.index(True)]

    @pytest.mark.parametrize("share", [0.0, -1.0, 1.01, float("nan")])
    def test_a_share_outside_its_range_is_refused(self, store, share):
        with pytest.raises(InputError, match="share"):
            store.pmid_by_year(share)

    def test_an_abstract_comes_back_as_it_was(self, store):
        record = Text("A title’s “quotes”", 'Línea 1\nline 2\t\\ "x"', 2019, "J. Test", True)
        own = Text("Own", "words")
        abstracts = [
            Abstract(1, record, own, ("Chemical|MESH:D003911", "Gene|7157"), "r1"),
            Abstract(2, record, None, version=3),
            Abstract(3, None, own, ("Gene|1",), "r2"),
            Abstract(4, Text("", ""), own),
            Abstract(6, record, own, ("Gene|1", "Gene|7"), "r2", ("Gene|12", "Gene|7")),
            Abstract(7, record, None, (), "r2", ("Gene|12",)),
            Abstract(8, Text("Pain.", "", notice=True), own),
            Abstract(9, Text("Erratum: pain.", "", notice=False), Text("Pain.", "", notice=True)),
            Abstract(41_000_000, None, Text("the", "")),
        ]
        load(store, abstracts)
        assert store.get([*range(1, 10), 41_000_000]) == {abstract.pmid: abstract for abstract in abstracts}

    def test_the_text_of_the_record_is_searched_instead_of_the_documents(self, store):
        load(store, [Abstract(1, Text("fever", "", retracted=True), Text("pain", ""))])
        assert store.search("pain").hits == ()
        (hit,) = store.search("fever").hits
        assert (hit.title, hit.retracted) == ("fever", True)

    def test_put_replaces_and_drop_removes_and_statistics_follow(self, store):
        texts = {pmid: f"pain number{pmid} " + "filler " * pmid for pmid in range(1, 31)}
        load(store, [document(pmid, text) for pmid, text in texts.items()])
        texts |= {5: "pain again", 6: "fever", 40: "pain and fever"}
        load(store, [document(pmid, texts[pmid]) for pmid in (5, 6, 40)], drop=[7, 8, 999])
        del texts[7], texts[8]
        for query in ("pain", "fever", "number7 filler number9"):
            wanted = bm25(texts, query)
            assert {h.pmid: h.score for h in store.search(query, k=100).hits} == pytest.approx(wanted, rel=ALIKE)
        assert list(store.every_pmid()) == sorted(texts)
        assert store.info().documents == len(texts)

    def test_the_last_change_of_a_document_in_a_load_counts(self, store):
        load(store, [document(1, "cough"), document(2, "cough")])
        with store.writing():
            store.put([document(1, "fever"), document(3, "fever"), document(1, "pain")])
            store.drop([3, 2])
            store.put([document(2, "pain pain")])
        assert list(store.every_pmid()) == [1, 2]
        wanted = bm25({1: "pain", 2: "pain pain"}, "pain")
        assert {h.pmid: h.score for h in store.search("pain").hits} == pytest.approx(wanted, rel=ALIKE)

    def test_the_same_load_again_changes_nothing(self, store):
        abstracts = [document(pmid, f"pain {'fever ' * pmid}") for pmid in range(1, 20)]
        load(store, abstracts)
        before = store.search("pain fever", k=50)
        load(store, abstracts)
        assert store.search("pain fever", k=50) == before

    def test_a_document_without_words_is_kept_and_affects_no_score(self, store):
        texts = {1: "pain", 2: "pain fever", 3: "the"}
        load(store, [document(pmid, text) for pmid, text in texts.items()] + [document(4)])
        wanted = bm25(texts, "pain")
        assert {h.pmid: h.score for h in store.search("pain").hits} == pytest.approx(wanted, rel=ALIKE)
        assert store.info().documents == 4
        assert list(store.every_pmid()) == [1, 2, 3, 4]
        load(store, [document(3, "pain of old")], drop=[4])
        wanted = bm25({1: "pain", 2: "pain fever", 3: "pain of old"}, "pain")
        assert {h.pmid: h.score for h in store.search("pain").hits} == pytest.approx(wanted, rel=ALIKE)
        assert store.info().documents == 3

    def test_nothing_is_seen_before_the_load_is_over(self, store, another):
        load(store, [document(1, "pain")])
        reader = another(read_only=True)
        with store.writing():
            store.put([document(2, "pain")])
            store.put_release(release("pubmed", "r1", 1))
            assert pmids(reader.search("pain")) == [1]
            assert reader.releases() == ()
            assert 2 not in reader.get([2])
        assert pmids(reader.search("pain")) == [1, 2]
        assert len(reader.releases()) == 1
        assert 2 in reader.get([2])

    def test_an_abandoned_load_leaves_no_trace(self, store):
        load(store, [document(1, "pain")])
        with pytest.raises(KeyError), store.writing():
            store.put([document(2, "pain")])
            store.drop([1])
            store.put_release(release("pubmed", "r1", 1))
            raise KeyError("the file broke off")
        load(store, [document(3, "pain")])
        assert pmids(store.search("pain")) == [1, 3]
        assert store.releases() == ()

    def test_releases_are_kept_by_source_and_id(self, store, another):
        with store.writing():
            store.put_release(release("pubmed", "b", 1))
            store.put_release(release("documents", "a", 1))
            store.put_release(replace(release("a corpus", "a", 1), kind="documents"))
            store.put_release(release("pubmed", "a", 2, "loading"))
        with store.writing():
            store.put_release(replace(release("pubmed", "b", 1), state="past"))
            store.put_release(release("pubmed", "a", 2))
        found = another(read_only=True).releases()
        assert [(r.source, r.id, r.state, r.kind) for r in found] == [
            ("a corpus", "a", "live", "documents"),
            ("documents", "a", "live", "documents"),
            ("pubmed", "b", "past", "pubmed"),
            ("pubmed", "a", "live", "pubmed"),
        ]
        assert found[3] == release("pubmed", "a", 2)

    # Loads that break off

    def test_a_load_resumes_from_its_last_kept_point(self, store, another):
        load(store, [document(1, "pain"), document(2, "pain")])
        with pytest.raises(KeyError), store.writing() as reached:
            assert reached == ""
            store.put([document(3, "fever"), document(4, "fever")])
            store.drop([1])
            store.put_release(release("pubmed", "r1", 1, "loading"))
            store.keep("one")
            store.put([document(3, "cough")])
            store.keep("two")
            store.put([document(5, "rash")])
            raise KeyError("the file broke off")
        assert list(store.every_pmid()) == [1, 2]
        assert store.releases() == ()
        again = another()
        with again.writing(resume=["one", "two"]) as reached:
            assert reached == "two"
            again.drop([4])
        assert {pmid: a.text.title for pmid, a in again.get(range(9)).items()} == {2: "pain", 3: "cough"}
        assert again.releases() == (release("pubmed", "r1", 1, "loading"),)
        wanted = bm25({2: "pain", 3: "cough"}, "cough pain")
        assert {h.pmid: h.score for h in again.search("cough pain").hits} == pytest.approx(wanted, rel=ALIKE)
        with again.writing(resume=["one", "two"]) as reached:
            assert reached == ""

    def test_a_load_may_fail_and_resume_several_times(self, store):
        for step in range(4):
            with pytest.raises(KeyError), store.writing(resume=[str(step)]) as reached:
                assert reached == (str(step) if step else "")
                store.put([document(pmid, f"pain {step}") for pmid in (step, step + 1)])
                store.keep(str(step + 1))
                store.put([document(99, "fever")])
                raise KeyError(step)
        with store.writing(resume=["4"]) as reached:
            assert reached == "4"
        assert {pmid: a.text.title for pmid, a in store.get(range(100)).items()} == {
            0: "pain 0",
            1: "pain 1",
            2: "pain 2",
            3: "pain 3",
            4: "pain 3",
        }

    def test_a_load_that_does_not_resume_forgets_the_kept_point(self, store):
        def break_off():
            with pytest.raises(KeyError), store.writing():
                store.put([document(1, "pain")])
                store.keep("kept")
                raise KeyError

        break_off()
        with store.writing(resume=["other"]) as reached:
            assert reached == ""
        with store.writing(resume=["kept"]) as reached:
            assert reached == ""
        break_off()
        load(store, [document(2, "pain")])  # readers see something else now
        with store.writing(resume=["kept"]) as reached:
            assert reached == ""
        assert list(store.every_pmid()) == [2]

    def test_a_fresh_load_replaces_all_old_content(self, store, another):
        with store.writing():
            store.put([document(1, "pain"), document(2, "pain"), document(3, "the")])
            store.put_release(release("pubmed", "old", 1))
        reader = another(read_only=True)
        with store.writing(fresh=True):
            store.put([document(2, "fever"), document(4, "the")])
            store.put_release(release("pubmed", "new", 1))
            store.keep("half")
            assert list(reader.every_pmid()) == [1, 2, 3]
            store.put([document(5, "pain")])
        for one in (store, reader):
            assert list(one.every_pmid()) == [2, 4, 5]
            assert [r.id for r in one.releases()] == ["new"]
        wanted = bm25({2: "fever", 5: "pain"}, "pain fever")
        assert {h.pmid: h.score for h in store.search("pain fever").hits} == pytest.approx(wanted, rel=ALIKE)

    def test_a_fresh_load_that_fails_leaves_the_old_content(self, store):
        load(store, [document(1, "pain"), document(3, "the")])
        for resume in ((), ("half",)):
            with pytest.raises(KeyError), store.writing(resume=resume, fresh=True):
                store.put([document(2, "fever")])
                store.keep("half")
                raise KeyError
            assert list(store.every_pmid()) == [1, 3]
        with store.writing(resume=("half",), fresh=True) as reached:
            assert reached == "half"
        assert list(store.every_pmid()) == [2]

    # Holding the store

    def test_a_second_load_is_refused_until_the_first_is_over(self, store, another):
        second = another()
        with store.writing(), pytest.raises(StoreBusy, match="another process"), second.writing():
            pass
        load(second, [document(1, "pain")])
        assert pmids(store.search("pain")) == [1]

    def test_a_failed_load_releases_the_store(self, store, another):
        with pytest.raises(KeyError), store.writing():
            raise KeyError("broken")
        load(another(), [document(1, "pain")])

    def test_writes_outside_of_a_load_are_refused(self, store):
        for write in (
            lambda: store.put([]),
            lambda: store.drop([]),
            lambda: store.put_release(release("a", "b", 1)),
            lambda: store.keep("note"),
        ):
            with pytest.raises(StoreError, match="outside of a load"):
                write()

    def test_a_store_opened_read_only_is_not_written(self, another):
        with pytest.raises(StoreError, match="read-only"), another(read_only=True).writing():
            pass

    def test_a_pmid_that_no_store_can_hold_is_refused(self, store):
        for pmid in (-1, 2**63):
            with pytest.raises(InputError, match="PMID"), store.writing():
                store.put([document(pmid)])
            with pytest.raises(InputError, match="PMID"), store.writing():
                store.drop([pmid])
            assert store.get([pmid]) == {}
        load(store, [document(2**63 - 1, "pain")])
        assert pmids(store.search("pain", before=10**30)) == [2**63 - 1]

    def test_closing_twice_is_not_an_error(self, another):
        store = another()
        store.close()
        store.close()

    # Against the formula, and on real text

    def test_any_small_corpus_scores_by_the_formula(self, store):
        @examples(max_examples=self.EXAMPLES, deadline=None)
        @given(
            st.dictionaries(st.integers(1, 60), st.lists(WORD, max_size=12), min_size=1, max_size=20),
            st.lists(WORD, max_size=4),
            st.integers(1, 25),
            st.none() | st.integers(0, 60),
        )
        def holds(words, query, k, before):
            texts = {pmid: " ".join(said) for pmid, said in words.items()}
            load(store, [document(pmid, text) for pmid, text in texts.items()], drop=set(range(1, 61)) - set(texts))
            scores = bm25(texts, " ".join(query))
            shown = [pmid for pmid in scores if before is None or pmid <= before]
            ranked = sorted(shown, key=lambda pmid: (-round(scores[pmid], 9), pmid))[:k]
            hits = store.search(" ".join(query), k=k, before=before).hits
            assert [hit.pmid for hit in hits] == ranked
            assert [hit.score for hit in hits] == pytest.approx([scores[pmid] for pmid in ranked], rel=ALIKE)

        holds()

    def test_real_abstracts_rank_as_in_the_memory_store(self, store, data, record_property):
        memory = literature.connect("memory:", Settings())
        for one in {id(memory): memory, id(store): store}.values():
            load(one, biored())
        assert store.info().documents == 500
        queries = [a.text.title for a in biored()[:200]] + list(biored_mentions()[::12])[:200]
        same = 0
        for query in queries:
            mine, oracle = store.search(query, k=10).hits, memory.search(query, k=10).hits
            same += [hit.pmid for hit in mine] == [hit.pmid for hit in oracle]
            assert [hit.score for hit in mine] == pytest.approx([hit.score for hit in oracle], rel=ALIKE)
        agreement = same / len(queries)
        record_property("top 10 as in the memory store", agreement)
        assert len(queries) == 400
        assert agreement == 1.0
        names = list(biored_mentions()[::12])[:200]
        for start in range(0, 200, 8):
            things = [names[start : start + 4], names[start + 4 : start + 7]]
            mine = store.search(names[start + 7], names=things, k=10).hits
            oracle = memory.search(names[start + 7], names=things, k=10).hits
            assert [hit.pmid for hit in mine] == [hit.pmid for hit in oracle]
            assert [hit.score for hit in mine] == pytest.approx([hit.score for hit in oracle], rel=ALIKE)


class TestMemory(LiteratureContract):
    @pytest.fixture
    def store(self, settings):
        return literature.connect("memory:", settings)

    @pytest.fixture
    def another(self, settings, store):
        """A memory store cannot be opened again by its address, so this is the same object."""
        return lambda *, read_only=False: store

    def test_a_store_opened_read_only_is_not_written(self, settings):
        with (
            pytest.raises(StoreError, match="read-only"),
            literature.connect("memory:", settings, read_only=True).writing(),
        ):
            pass


class TestEmbedded(LiteratureContract):
    @pytest.fixture
    def another(self, settings, tmp_path):
        return lambda *, read_only=False: literature.connect(
            f"embedded:{tmp_path / 'a b'}", settings, read_only=read_only
        )

    @pytest.fixture
    def store(self, another):
        return another()


@pytest.mark.servers
class TestElasticsearch(LiteratureContract):
    EXAMPLES = 4  # a load takes a second or two

    @pytest.fixture
    def another(self, settings, elasticsearch_address):
        """Opens an index of this test's own; it is removed afterwards."""
        own = settings.model_copy(update={"literature_index": f"test-{uuid4().hex}"})
        opened = []

        def open_again(*, read_only: bool = False):
            opened.append(literature.connect(elasticsearch_address, own, read_only=read_only))
            return opened[-1]

        yield open_again
        for store in opened:
            store.close()
        with Elasticsearch(elasticsearch_address) as client:
            for index in client.indices.get(index=f"{own.literature_index}-*", expand_wildcards="all"):
                client.indices.delete(index=index)

    @pytest.fixture
    def store(self, another):
        return another()
