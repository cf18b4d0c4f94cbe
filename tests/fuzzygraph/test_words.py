"""Word overlap: Jaccard plain and with synonyms, the paper's flags, opposites."""

from collections.abc import Iterator
from math import log
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cypher import connect as connect_graph
from fuzzygraph.check import Checker
from fuzzygraph.words import WordNet, bm25, closest, installed_wordnet, jaccard, overlap, tokens, word_list, wordnet_in
from groundwork.ports import Literature
from groundwork.records import Abstract, Concept, Relation, Text
from groundwork.settings import Settings
from groundwork.tables import concept_batch, edge_batch
from literature import connect
from tests.risks import checker_of


class Small:
    """A thesaurus of two pairs of synonyms and two of antonyms."""

    def synonyms(self, word: str) -> frozenset[str]:
        pairs = ({"heart", "cardiac"}, {"attack", "arrest"})
        return frozenset().union(*(pair for pair in pairs if word in pair))

    def antonyms(self, word: str) -> frozenset[str]:
        return frozenset({"acute": {"chronic"}, "rise": {"fall"}}.get(word, ()))


WORDNET = Small()


def test_jaccard_worked_by_hand():
    assert tokens("The cause of IL-6 is the virus") == {"cause", "il-6", "virus"}
    assert jaccard(tokens("aspirin reduces fever"), tokens("aspirin lowers fever")) == pytest.approx(2 / 4)


@given(st.frozensets(st.sampled_from("abcdef")), st.frozensets(st.sampled_from("abcdef")))
def test_jaccard_is_a_symmetric_share(a, b):
    assert jaccard(a, b) == jaccard(b, a)
    assert 0.0 <= jaccard(a, b) <= 1.0
    assert jaccard(a, a) == (1.0 if a else 0.0)


def test_the_papers_paraphrase_flag():
    """The flag needs a raw overlap below 0.3 and an expanded overlap above 0.5."""
    found = overlap("heart attack", "cardiac arrest", wordnet=WORDNET)
    assert (found.raw, found.expanded) == (0.0, 1.0)
    assert found.flags == ("paraphrase",)
    assert overlap("heart attack", "heart attack", wordnet=WORDNET).flags == ()


def test_low_overlap_with_high_confidence_is_flagged():
    assert "low_overlap" in overlap("aspirin heals", "insulin falls", p_net=0.9).flags
    assert "low_overlap" not in overlap("aspirin heals", "insulin falls", p_net=0.1).flags


def test_the_papers_opposites_need_no_wordnet():
    found = overlap("It causes hyperglycemia", "It causes hypoglycemia")
    assert found.opposites == (("hyperglycemia", "hypoglycemia"),)
    assert found.flags == ("opposites", "no_wordnet")
    assert found.expanded is None


def test_wordnet_adds_its_antonyms():
    assert overlap("rise of x", "fall of x", wordnet=WORDNET).opposites == (("rise", "fall"),)


ARTICLES = {
    3: Text("Aspirin and pyrexia.", "Fever was measured twice. Aspirin lowers fever in adults. It did so soon."),
    7: Text("A trial of aspirin.", "Aspirin raises fever in adults.", retracted=True),
    9: Text("Glucose in adults.", "Insulin causes hypoglycemia. Adults were asked."),
}


@pytest.fixture(scope="module")
def literature(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Literature]:
    store = connect("memory:", Settings(home=tmp_path_factory.mktemp("home")))
    with store.writing():
        store.put([Abstract(pmid, text, None) for pmid, text in ARTICLES.items()])
    yield store
    store.close()


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checker]:
    drug, symptom, insulin, high = "Chemical|MESH:D1", "Disease|MESH:D2", "Gene|3630", "Disease|MESH:D3"
    names = {drug: "aspirin", symptom: "fever", insulin: "insulin", high: "hyperglycemia"}
    store = connect_graph("memory:", Settings(home=tmp_path_factory.mktemp("graph")))
    with store.writing():
        store.put_concepts([concept_batch([Concept(key, name, (name,), (9,)) for key, name in names.items()])])
        edges = [Relation(drug, "negative_correlate", symptom, (3, 4)), Relation(high, "cause", insulin, (5,))]
        store.put_edges([edge_batch(edges)], "r1")
    yield checker_of(store)
    store.close()


def test_bm25_worked_by_hand():
    """Three documents, one holds "b" twice: idf ln(1 + 2.5 / 1.5), tf 2 / (2 + 1.2 (0.25 + 0.75 * 3 / 2))."""
    scores = bm25(["b"], [["a"], ["a", "b", "b"], ["c", "d"]], 1.2, 0.75)
    assert scores == pytest.approx([0.0, log(1 + 2.5 / 1.5) * 2 / (2 + 1.2 * (0.25 + 0.75 * 1.5)), 0.0])
    assert bm25(["b"], [], 1.2, 0.75) == []
    assert bm25([], [["a"]], 1.2, 0.75) == bm25(["a"], [[]], 1.2, 0.75) == [0.0]


def test_the_closest_sentence_has_the_highest_bm25_of_all_sentences(literature):
    (near,) = closest(literature, ["Aspirin lowers fever."])
    assert near is not None
    assert (near.pmid, near.sentence, near.retracted) == (3, "Aspirin lowers fever in adults.", False)


def test_cut_and_retraction_reach_the_search(literature):
    claim = ["Aspirin raises fever in adults."]
    (near,) = closest(literature, claim)
    assert near is not None
    assert (near.pmid, near.retracted) == (7, True)
    (others,) = closest(literature, claim, exclude_retracted=True)
    assert others is not None
    assert others.pmid == 3
    assert closest(literature, claim, before=2) == (None,)


def test_without_a_common_word_there_is_no_closest_sentence(literature):
    assert closest(literature, ["Zebrafish swim.", ""]) == (None, None)
    assert closest(literature, []) == ()


def test_risk_says_how_the_words_compare(checker, literature):
    (entry,) = checker.check("Aspirin lowers fever.", literature=literature).sentences
    words = entry.words
    assert words is not None
    assert (words.pmid, words.raw) == (3, pytest.approx(3 / 4))
    assert words.opposites == ()
    shape = entry.to_dict()["words"]
    assert set(shape) == {"pmid", "sentence", "score", "retracted", "raw", "expanded", "opposites", "flags"}


def test_opposites_that_differ_in_their_prefix_are_flagged(checker, literature):
    (entry,) = checker.check("Insulin causes hyperglycemia.", literature=literature).sentences
    assert entry.words is not None
    assert entry.words.opposites == (("hyperglycemia", "hypoglycemia"),)
    assert "opposites" in entry.words.flags


def test_high_confidence_and_few_words_in_common_is_flagged(checker, literature):
    text = "Among those who were seen at night by two of us, aspirin plainly diminishes every fever."
    (entry,) = checker.check(text, literature=literature).sentences
    assert entry.p_net is not None
    assert entry.p_net > 0.5
    assert entry.words is not None
    assert entry.words.raw < 0.3
    assert "low_overlap" in entry.words.flags


def test_without_a_literature_there_are_no_words_and_the_numbers_are_the_same(checker, literature):
    alone = checker.check("Aspirin lowers fever.").sentences[0]
    beside = checker.check("Aspirin lowers fever.", literature=literature).sentences[0]
    assert alone.words is None
    assert alone.to_dict() | {"words": None} == beside.to_dict() | {"words": None}


def test_words_without_content_are_left_out():
    assert word_list("The effect of IL-6 on the cell, IL-6!") == ["effect", "il-6", "cell", "il-6"]


#: Synsets by part of speech: words, and antonyms as (number of the own word, part, synset, number of the other word).
SYNSETS = {
    "noun": [(["fever", "pyrexia"], []), (["rise", "increase"], [(1, "n", 2, 1)]), (["fall"], [(1, "n", 1, 1)])],
    "verb": [(["reduce", "bring_down"], [(1, "v", 1, 1)]), (["increase"], [(1, "v", 0, 1)])],
    "adj": [(["acute"], [(1, "a", 1, 1)]), (["chronic(p)"], [(1, "a", 0, 1)]), (["keen", "acute"], [])],
    "adv": [(["swiftly", "fast"], [])],
}
LICENCE = "  1 This line is a licence.  \n"


def written(places: dict[tuple[str, int], int]) -> dict[str, str]:
    """Return the texts of index.* and data.* for the synsets at these offsets."""
    letters = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
    parts = {letter: part for part, letter in letters.items()}
    files = {}
    for part, synsets in SYNSETS.items():
        data, words = LICENCE, {}
        for number, (names, antonyms) in enumerate(synsets):
            listed = " ".join(f"{name} 0" for name in names)
            opposed = [f"! {places.get((parts[p], n), 0):08d} {p} {a:02x}{b:02x}" for a, p, n, b in antonyms]
            pointers = " ".join([f"{len(opposed) + 1:03d}", "@ 00000000 n 0000", *opposed])
            data += (
                f"{places.get((part, number), 0):08d} 03 {letters[part]} {len(names):02x} {listed} {pointers} | gloss\n"
            )
            for name in names:
                words.setdefault(name.partition("(")[0], []).append(places.get((part, number), 0))
        lines = [
            f"{word} {letters[part]} {len(at)} 1 @ {len(at)} 0 {' '.join(f'{o:08d}' for o in at)}  \n"
            for word, at in sorted(words.items())
        ]
        files |= {f"data.{part}": data, f"index.{part}": LICENCE + "".join(lines)}
    return files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    blank = written({})
    starts: dict[tuple[str, int], int] = {}
    for part in SYNSETS:
        at = 0
        for number, line in enumerate(blank[f"data.{part}"].splitlines(keepends=True), -1):
            starts[part, number] = at
            at += len(line)
    place = tmp_path / "corpora" / "wordnet"
    place.mkdir(parents=True)
    for name, content in written(starts).items():
        (place / name).write_text(content, "utf-8")
    return place


@pytest.fixture
def wordnet(folder: Path) -> WordNet:
    found = wordnet_in(folder)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("word", "synonyms", "antonyms"),
    [
        ("fever", {"fever", "pyrexia"}, set()),
        ("fevers", {"fever", "pyrexia"}, set()),
        ("rise", {"rise", "increase"}, {"fall"}),
        ("increase", {"rise", "increase"}, {"reduce"}),
        ("increases", {"rise", "increase"}, {"reduce"}),
        ("reduced", {"reduce", "bring down"}, {"increase"}),
        ("bring down", {"reduce", "bring down"}, set()),
        ("reducing", {"reduce", "bring down"}, {"increase"}),
        ("acute", {"acute", "keen"}, {"chronic"}),
        ("chronic", {"chronic"}, {"acute"}),
        ("fast", {"fast", "swiftly"}, set()),
        ("aaa", set(), set()),
        ("zzz", set(), set()),
        ("fev", set(), set()),
        ("", set(), set()),
    ],
)
def test_words_are_looked_up_with_their_forms(wordnet, word, synonyms, antonyms):
    assert (wordnet.synonyms(word), wordnet.antonyms(word)) == (synonyms, antonyms)


def test_every_word_is_found_wherever_it_stands(wordnet):
    for synsets in SYNSETS.values():
        for names, _ in synsets:
            for name in names:
                assert wordnet.synonyms(name.partition("(")[0].replace("_", " "))


def test_jaccard_with_wordnet_worked_by_hand(wordnet):
    """{aspirin, reduces, fever} and {aspirin, pyrexia, falls} share 1 of 5 words. With the synonyms reduce, bring down,
    fever, pyrexia and fall they share 3 of 8."""
    found = overlap("Aspirin reduces fever", "Aspirin: pyrexia falls", wordnet=wordnet)
    assert found.raw == pytest.approx(1 / 5)
    assert found.expanded == pytest.approx(3 / 8)
    assert overlap("a rise", "a fall", wordnet=wordnet).opposites == (("rise", "fall"),)


def test_nltks_archive_is_read_as_its_folder_would_be(folder, tmp_path, wordnet):
    place = tmp_path / "nltk" / "corpora"
    place.mkdir(parents=True)
    with ZipFile(place / "wordnet.zip", "w") as archive:
        for file in folder.iterdir():
            archive.write(file, f"wordnet/{file.name}")
    packed = wordnet_in(place / "wordnet")
    assert packed is not None
    assert packed.synonyms("fever") == wordnet.synonyms("fever")


@pytest.mark.parametrize("spoil", ["missing", "no archive", "nothing"])
def test_an_incomplete_wordnet_counts_as_absent(folder, spoil):
    if spoil == "missing":
        (folder / "data.adv").unlink()
    elif spoil == "no archive":
        (folder / "data.adv").unlink()
        folder.with_suffix(".zip").write_bytes(b"no archive")
    else:
        folder = folder / "nowhere"
    assert wordnet_in(folder) is None


def test_wordnet_is_found_where_the_environment_says(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name, value in (("WNSEARCHDIR", folder), ("NLTK_DATA", folder.parents[1])):
        installed_wordnet.cache_clear()
        monkeypatch.setenv(name, str(value))
        found = installed_wordnet()
        assert found is not None
        assert found.antonyms("acute") == {"chronic"}
        monkeypatch.delenv(name)
    installed_wordnet.cache_clear()
