"""Searches by NumPy and by compiled code give the answers of the memory store, although they skip documents."""

from math import log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import literature
from groundwork.errors import InputError, StoreError
from groundwork.records import Abstract, Text
from literature import bm25, manifest, ranking, segment
from literature.segment import Segment
from tests.literature.corpus import document, load


def test_idf_and_saturation_follow_the_formula():
    assert bm25.idf(10, 3) == pytest.approx(log(1 + 7.5 / 3.5))
    assert bm25.saturation(2, 30, 20.0, 1.2, 0.75) == pytest.approx(2 / (2 + 1.2 * (0.25 + 0.75 * 30 / 20)))


def test_lengths_are_kept_as_lucene_keeps_them():
    # The first steps of Lucene's table (SmallFloat.byte4ToInt of 0, 1, 2 ...).
    steps = sorted({bm25.stored_length(length) for length in range(200)})
    assert steps[:41] == list(range(41))
    assert steps[41:58] == [42, 44, 46, 48, 50, 52, 54, 56, 60, 64, 68, 72, 76, 80, 84, 88, 96]


@given(st.integers(0, 10**9))
def test_a_stored_length_is_at_most_an_eighth_shorter_and_never_longer(length):
    assert length * 7 / 8 <= bm25.stored_length(length) <= length


def test_scores_that_single_precision_cannot_tell_apart_are_ties():
    scored = [(1.0, 7), (1.0 + 1e-7, 9), (2.0, 5), (1.0 - 1e-7, 3), (0.9, 1)]
    assert list(bm25.settle(scored)) == [(2.0, 5), (1.0 + 1e-7, 3), (1.0 + 1e-7, 7), (1.0 + 1e-7, 9), (0.9, 1)]


@pytest.mark.parametrize("k", [-1, 0, 10_001])
def test_k_outside_its_range_is_refused(k):
    with pytest.raises(InputError, match="1 to 10000"):
        bm25.check_k(k)


WORDS = [
    f"{first}{last}" for first in ("ka", "ro", "ta", "vi", "ze") for last in ("lum", "min", "pod", "ren", "sk", "t")
]


def said(chance: Random, length: int) -> str:
    """Return random words of `WORDS`: the first of the list are frequent, and the last rare."""
    return " ".join(WORDS[min(int(chance.paretovariate(0.7)), len(WORDS)) - 1] for _ in range(length))


def corpus() -> list[Abstract]:
    chance = Random(7)
    lengths = (chance.randrange(60) for _ in range(1500))
    designs, organisms = [(), ("Review",), ("Case Reports",)], [(), ("Humans",), ("Animals", "Mice")]
    texts = (
        Text(
            said(chance, 3),
            said(chance, length),
            retracted=chance.random() < 0.1,
            types=chance.choice(designs),
            mesh=chance.choice(organisms),
        )
        for length in lengths
    )
    return [Abstract(pmid, None, text) for pmid, text in zip(chance.sample(range(5000), 1500), texts, strict=True)]


@pytest.mark.parametrize("many", [0, 10**9], ids=["compiled", "NumPy"])
def test_any_search_is_answered_as_by_the_memory_store(tmp_path, settings, monkeypatch, many):
    monkeypatch.setattr(ranking, "MANY", many)
    monkeypatch.setattr(ranking, "_FEW", 100)
    monkeypatch.setattr(segment, "LARGEST", 600)
    store, memory = (literature.connect(address, settings) for address in (f"embedded:{tmp_path / 'l'}", "memory:"))
    for one in (store, memory):
        load(one, *corpus())
    chance = Random(11)
    for number in range(60):
        text = " ".join(chance.sample(WORDS, chance.randrange(8)))
        names = [
            [said(chance, chance.randrange(1, 4)) for _ in range(chance.randrange(1, 4))] for _ in range(number % 3)
        ]
        asked = {
            "k": chance.choice([1, 5, 32, 2000]),
            "before": chance.choice([None, 700, 4000]),
            "exclude_retracted": chance.random() < 0.3,
            "design": chance.choice([(), (), ("review",), ("review", "animal")]),
            "organism": chance.choice([(), (), ("human",), ("mouse", "rat")]),
        }
        found, wanted = (one.search(text, names=names, **asked).hits for one in (store, memory))
        assert [hit.pmid for hit in found] == [hit.pmid for hit in wanted], (text, asked)
        assert [(hit.design, hit.organism) for hit in found] == [(hit.design, hit.organism) for hit in wanted]
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in wanted], rel=1e-9)
        known = chance.sample(range(5000), 500)
        found, wanted = (one.naming(names, text, among=known, **asked) for one in (store, memory))
        assert (found.total, found.among) == (wanted.total, wanted.among), (text, asked)
        assert [hit.pmid for hit in found.hits] == [hit.pmid for hit in wanted.hits]
        assert [hit.score for hit in found.hits] == pytest.approx([hit.score for hit in wanted.hits], rel=1e-9)


def test_postings_that_point_beyond_their_segment_are_not_followed(tmp_path, settings, monkeypatch):
    monkeypatch.setattr(ranking, "MANY", 0)
    path = tmp_path / "literature"
    store = literature.connect(f"embedded:{path}", settings)
    load(store, document(1, "pain"), document(2, "pain"))
    (one,) = manifest.read(path / "manifest.json").segments
    held = Segment.opened(path / "index" / one.name)
    wrong = held.documents.copy()
    wrong[-1] = 2
    file = path / "index" / one.name
    file.write_bytes(file.read_bytes().replace(held.documents.tobytes(), wrong.tobytes()))
    with pytest.raises(StoreError, match="refer to articles that it does not contain"):
        store.search("pain")
