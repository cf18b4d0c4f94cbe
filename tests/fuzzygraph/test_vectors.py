"""Vectors under HOME: each name is embedded once per model, and the files are repaired after a killed run."""

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cypher
from fuzzygraph.embed import TRIGRAM, Trigrams, connect
from fuzzygraph.vectors import Vectors, faults
from groundwork.errors import DamagedStore, InputError, ModelError
from groundwork.records import Concept
from groundwork.tables import concept_batch
from tests.fuzzygraph.building import build


class CountingEmbedder:
    """An embedder whose rows count the letters of a name. `asked` lists the names that it embedded."""

    def __init__(self, name="counted", identity=None, broken=()):
        self.name, self.identity, self.broken = name, identity or name, broken
        self.asked = []

    def embed(self, texts):
        self.asked += texts
        rows = np.array([np.bincount([ord(c) % 7 for c in text], minlength=7) for text in texts], np.float32)
        for row, text in zip(rows, texts, strict=True):
            if text in self.broken:
                row[3] = np.nan
            if text.startswith("nothing"):
                row[:] = 0
        return rows


def graph(settings, names):
    store = cypher.connect("memory:", settings)
    with store.writing():
        store.put_concepts([concept_batch(Concept(f"Gene|{i:04}", n, (n,), (1,)) for i, n in enumerate(names))])
    return store


NAMES = ["alpha", "beta", "gamma", "delta", "alpha"]


def test_only_new_names_are_embedded(settings, tmp_path):
    first, second = CountingEmbedder(), CountingEmbedder()
    build(graph(settings, NAMES), first, home=tmp_path, force=True)
    receipt = build(graph(settings, [*NAMES, "epsilon"]), second, home=tmp_path, force=True)
    assert (sorted(first.asked), second.asked) == (["alpha", "beta", "delta", "gamma"], ["epsilon"])
    assert receipt.embedded == 1


def test_kept_vectors_give_the_same_edges_as_new_ones(settings, tmp_path):
    new = build(graph(settings, NAMES), CountingEmbedder(), force=True)
    for _ in range(2):
        kept = build(graph(settings, NAMES), CountingEmbedder(), home=tmp_path, force=True)
        assert (kept.edges, kept.cosine, kept.same_name) == (new.edges, new.cosine, 1)


def test_another_model_or_version_has_its_own_vectors(settings, tmp_path):
    for embedder in (CountingEmbedder(), CountingEmbedder("other"), CountingEmbedder(identity="counted, changed")):
        build(graph(settings, NAMES), embedder, home=tmp_path, force=True)
        assert len(embedder.asked) == 4


def test_concepts_without_a_usable_vector_are_left_out_and_names_with_nan_embedded_again(settings, tmp_path):
    names = [*NAMES, "nothing at all", "nothing"]
    ill, well = CountingEmbedder(broken={"beta"}), CountingEmbedder()
    receipt = build(graph(settings, names), ill, home=tmp_path, force=True)
    assert receipt.concepts == 4
    assert receipt.left_out.items() >= {"zero_vector": 2, "not_finite": 1}.items()
    again = build(graph(settings, names), well, home=tmp_path, force=True)
    assert (well.asked, again.concepts) == (["beta"], 5)


def test_a_graph_of_zero_vectors_is_reported(settings, tmp_path):
    with pytest.raises(ModelError, match=r"usable vector for 0 of 2 concepts \(2 zero, 0 not finite\)"):
        build(graph(settings, ["nothing", "nothing more"]), CountingEmbedder(), home=tmp_path)


@settings(max_examples=40, deadline=None)
@given(rows=st.integers(0, 6), torn=st.integers(0, 200), of_names=st.booleans(), more=st.integers(0, 5))
def test_half_written_vectors_of_a_killed_run_are_cut_off(tmp_path_factory, rows, torn, of_names, more):
    """Either file may be truncated anywhere. Rows that are complete in both stay, and new rows follow them."""
    home = tmp_path_factory.mktemp("home")
    names, table = [f"n{i}" for i in range(rows)], np.arange(rows * 5, dtype=np.float32).reshape(rows, 5)
    kept = Vectors(home, "model")
    with kept.alone():
        kept.add(names, table)
    path = kept.folder / ("names.hash" if of_names else "rows.f32")
    if path.is_file():
        os.truncate(path, max(0, path.stat().st_size - torn))
    whole = max(0, rows - -(-torn // (16 if of_names else 20)))
    late = [f"m{i}" for i in range(more)]
    with kept.alone():
        assert kept.missing([*names, *late]) == [*names[whole:], *late]
        kept.add(late, np.full((more, 5), 7.0, np.float32))
    places = kept.places([*names, *late])
    assert places.tolist() == [*range(whole), *[-1] * (rows - whole), *range(whole, whole + more)]
    if whole + more:
        assert (kept.table()[places[:whole]] == table[:whole]).all()
        assert (kept.table()[places[rows:]] == 7.0).all()


def test_vectors_of_another_length_are_refused(tmp_path):
    kept = Vectors(tmp_path, "model")
    with kept.alone():
        kept.add(["a"], np.ones((1, 3), np.float32))
        with pytest.raises(ModelError, match=r"vectors of 4 numbers, but those stored in .* have 3"):
            kept.add(["b"], np.ones((1, 4), np.float32))


def test_a_run_killed_while_it_embeds_continues_where_it_was(settings, tmp_path):
    """SIGKILL in the third batch: the first two are kept."""
    names = [f"name {i}" for i in range(50)]
    code = """
        import os, signal, sys
        from pathlib import Path
        from fuzzygraph import vectors
        from tests.fuzzygraph.test_vectors import CountingEmbedder
        from groundwork.ports import Silent
        vectors._BATCH = 10
        class Dying(CountingEmbedder):
            def embed(self, texts):
                if len(self.asked) == 20:
                    os.kill(os.getpid(), signal.SIGKILL)
                return super().embed(texts)
        vectors._embedded(Dying(), [f"name {i}" for i in range(50)], Path(sys.argv[1]), Silent())
    """
    died = subprocess.run([sys.executable, "-c", textwrap.dedent(code), str(tmp_path)], check=False)
    assert died.returncode == -signal.SIGKILL
    embedder = CountingEmbedder()
    receipt = build(graph(settings, names), embedder, home=tmp_path, force=True)
    assert embedder.asked == names[20:]
    assert receipt.edges == build(graph(settings, names), CountingEmbedder(), force=True).edges


@pytest.mark.parametrize(
    ("file", "kept"), [("rows.f32", 2), ("names.hash", 2), ("sums.crc32", 2), ("about.json", None), (None, 4)]
)
def test_vectors_that_were_changed_from_outside_are_computed_again(tmp_path, file, kept):
    """The rows before the damage stay. Without sums.crc32, which older versions did not write, all rows count."""
    names, table = ["a", "b", "c", "d"], np.arange(20, dtype=np.float32).reshape(4, 5)
    held = Vectors(tmp_path, "model")
    with held.alone():
        held.add(names, table)
    if file is None:
        (held.folder / "sums.crc32").unlink()
    else:
        content = bytearray((held.folder / file).read_bytes())
        content[len(content) * 5 // 8] ^= 0x80
        (held.folder / file).write_bytes(content)
    assert [fault.path.name for fault in faults(tmp_path)] == (
        [] if file is None else [file if kept is None else "rows.f32"]
    )
    if kept is None:
        with pytest.raises(DamagedStore, match=r"about\.json cannot be read"), held.alone():
            pass
        return
    with held.alone():
        assert held.missing(names) == names[kept:]
        held.add(names[kept:], table[kept:])
    assert (held.table()[held.places(names)] == table).all()
    assert not list(faults(tmp_path))


def cosine(a: str, b: str) -> float:
    one, other = Trigrams().embed([a, b]).astype(float)
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def test_the_name_of_the_trigram_embedder_says_spelling():
    assert isinstance(connect(TRIGRAM), Trigrams)
    assert "spelling" in connect(" trigram ").name


def test_trigrams_know_spelling_and_no_meaning():
    assert cosine("tumour", "tumor") > 0.4
    assert cosine("hyperglycemia", "hypoglycemia") > 0.5  # opposites in meaning: polarity needs its own signal
    assert cosine("heart attack", "myocardial infarction") < 0.2
    assert cosine("Aspirin", " aspirin ") == pytest.approx(1.0)


def test_a_vector_is_the_same_on_every_machine():
    """The hash is CRC-32: 0x1856C560 for " ab", and 0xDAF151E8 for "ab ", where the first bit is set."""
    (row,) = Trigrams().embed(["ab"])
    assert {int(place): float(row[place]) for place in np.flatnonzero(row)} == {
        0x1856C560 % 512: -1.0,
        0xDAF151E8 % 512: 1.0,
    }


@given(st.lists(st.text(max_size=20), max_size=6), st.integers(1, 64))
def test_each_text_has_one_row_independent_of_the_other_texts(texts, size):
    embedder = Trigrams(size)
    rows = embedder.embed(texts)
    assert (rows.shape, rows.dtype) == ((len(texts), size), np.float32)
    assert np.isfinite(rows).all()
    for row, text in zip(rows, texts, strict=True):
        assert (row == embedder.embed([text])[0]).all()


def test_a_text_without_a_character_is_all_zero():
    assert not Trigrams().embed(["", "  "]).any()


def test_without_the_extra_a_model_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(InputError, match=r"(?s)extra `models`.*pip install 'truthhypo\[models\]'.*trigram"):
        connect("dmis-lab/biobert-base-cased-v1.2")


@pytest.mark.parametrize("name", ["", "  "])
def test_an_empty_name_is_refused(name):
    with pytest.raises(InputError, match="empty embedder name"):
        connect(name)
