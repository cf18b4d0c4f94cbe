"""The expressions are compared with plain Python: canonical order, distinct evidence, names by frequency."""

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundwork.settings import Settings
from groundwork.tables import CONCEPTS, EDGES
from groundwork.vocabulary import RELATIONS, TYPES, canonical, order
from ingest import normalise
from ingest.columns import KEYS
from ingest.concepts import NAMES
from ingest.engine import Engine, read, write
from ingest.relations import ROWS
from ingest.thesauri import ADDED

_keys = st.builds("{}|{}".format, st.sampled_from(sorted(TYPES)), st.text("1a|é;~Z", min_size=1, max_size=3))
_rows = st.tuples(st.integers(1, 5), _keys, st.sampled_from(["treat", "cause"]), _keys)
seldom = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def engine(tmp_path):
    with Engine(Settings(threads=1, memory_limit="200MB"), tmp_path) as engine:
        yield engine


def table(engine, folder, rows, schema):
    file = write(
        [pa.RecordBatch.from_pylist([dict(zip(schema.names, r, strict=True)) for r in rows], schema)],
        schema,
        folder / f"{' '.join(schema.names)}.in",
    )
    return engine.table(file)


def folded(engine, folder, rows, size):
    """Return the edges of rows (pmid, head, relation, tail). Keys are given as texts."""
    keys = sorted({end for _, head, _, tail in rows for end in (head, tail)}, reverse=True)
    numbers = {key: number for number, key in enumerate(keys)}
    numbered = [(pmid, numbers[head], RELATIONS.index(relation), numbers[tail]) for pmid, head, relation, tail in rows]
    texts = table(engine, folder, [*enumerate(keys), *enumerate(keys[:1], len(keys))], KEYS)
    placed = engine.write(normalise.places(texts), folder / "placed")
    flat = normalise.evidence(table(engine, folder, numbered, ROWS), engine.table(placed), "code")
    batches = normalise.folded_edges(
        read(engine.write(flat, folder / "flat"), size), normalise.in_place(read(placed, size))
    )
    return list(batches)


@seldom
@given(st.lists(_rows, max_size=15), st.integers(1, 7))
def test_rows_of_relations_become_edges(engine, tmp_path, rows, size):
    rows = [*rows, *[(pmid, tail, relation, head) for pmid, head, relation, tail in rows[:3]]]
    found = [row for batch in folded(engine, tmp_path, rows, size) for row in batch.to_pylist()]
    wanted = {}
    for pmid, a, relation, b in rows:
        head, tail = canonical(a, b)
        wanted.setdefault((head, relation, tail), set()).add(pmid)
    edges = sorted(wanted, key=lambda edge: (order(edge[0]), edge[1], order(edge[2])))
    assert [(row["head"], row["relation"], row["tail"]) for row in found] == edges
    assert [row["pmids"] for row in found] == [sorted(wanted[edge]) for edge in edges]


#: What a thesaurus says: the symbol of a gene, another name of it, and of a gene that the graph may lack.
SAID = [("Gene|1", "é", "9606", "first"), ("Gene|1", "x", "", ""), ("Gene|404", "gone", "10090", "")]
DESCRIBED = pa.schema([*NAMES, ("held", pa.bool_()), ("organism", pa.string()), ("description", pa.string())])


@seldom
@given(
    st.lists(st.tuples(_keys, st.sampled_from(["", "a", "B", "é", "-", "~"]), st.integers(1, 3)), max_size=20),
    st.integers(1, 7),
)
def test_name_rows_become_concepts(engine, tmp_path, rows, size):
    rows = [(key, name, count if name else 0) for key, name, count in rows]
    held = table(engine, tmp_path, rows, NAMES)
    added = table(engine, tmp_path, SAID, ADDED)
    flat = engine.write(normalise.described(held, added), tmp_path / "flat")
    found = [row for batch in normalise.folded_concepts(read(flat, size)) for row in batch.to_pylist()]
    counts = {}
    for key, name, count in rows:
        counts.setdefault(key, Counter())[name] += count
    wanted = []
    for key in sorted(counts):
        told = [row for row in SAID if row[0] == key]
        symbol, organism, description = next((row[1:] for row in told if row[2]), ("", "", ""))
        counts[key].update({name: 0 for _, name, _, _ in told})
        names = sorted(((name != symbol, -n, name) for name, n in counts[key].items() if name))
        wanted.append(
            {
                "key": key,
                "name": names[0][2] if names else key.partition("|")[2],
                "synonyms": [name for *_, name in names],
                "counts": [-n for _, n, _ in names],
                "organism": organism,
                "description": description,
            }
        )
    assert found == wanted


def test_folding_no_rows_gives_no_rows():
    assert list(normalise.folded_edges([], pa.array([], pa.string()))) == []
    assert list(normalise.folded_concepts([pa.RecordBatch.from_pylist([], DESCRIBED)])) == []


def test_folded_batches_have_the_shared_schemas(engine, tmp_path):
    assert [batch.schema for batch in folded(engine, tmp_path, [(3, "Gene|1", "treat", "Gene|2")], 9)] == [EDGES]
    row = {"key": "Gene|1", "name": "", "count": 0, "held": True, "organism": "", "description": ""}
    names = pa.RecordBatch.from_pylist([row], DESCRIBED)
    assert [batch.schema for batch in normalise.folded_concepts([names])] == [CONCEPTS]


def test_counts_stay_integers_however_large(engine, tmp_path):
    rows = [("Gene|1", "a", 2**53), ("Gene|1", "a", 1)]
    flat = engine.write(normalise.names(table(engine, tmp_path, rows, NAMES)), tmp_path / "flat")
    assert next(read(flat, 10)).to_pylist() == [{"key": "Gene|1", "name": "a", "count": 2**53 + 1}]
