"""The importer's input: every value can be read back, whatever characters it contains."""

import csv
import json
from pathlib import Path

import pyarrow as pa
import pytest

from cypher.bolt.write import concept_row, portioned
from cypher.bulk import importer as csv_rows
from cypher.bulk.importer import Neo4jImport, Shape, account, skipped
from groundwork.errors import InputError, Refused
from groundwork.records import Relation
from groundwork.settings import Settings
from groundwork.tables import concept_batch, edge_batch
from tests.contracts.graphs import ASPIRIN, COX1, EXAMPLE, ODD, concept, release

LISTS = ("string[]", "long[]", "LABEL")
NAMES = ('a;b, "c"', "two\nlines", "cr\rhere", "\x01", "NA", "null", " ", "β 🧬 é", "\\")


def written(folder: Path, concepts, edges=EXAMPLE) -> Shape:
    folder.mkdir()
    batches = lambda batch: lambda: iter([batch])  # noqa: E731 - the form in which a store is given batches
    csv_rows.write(folder, release("s", "r1"), batches(concept_batch(concepts)), batches(edge_batch(edges)), Settings())
    return Shape.of(folder)


def rows(folder: Path, name: str) -> list[dict]:
    """Return the rows of a file as the importer reads them. The header gives the types of values; lists are split."""
    shape = Shape.of(folder)
    with (folder / name).open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    return [
        {column.partition(":")[::2]: _value(column, text, shape) for column, text in zip(header, line, strict=True)}
        for line in lines
    ]


def _value(column: str, text: str, shape: Shape):
    kind = column.rpartition(":")[2]
    if kind in LISTS:
        items = text.split(shape.separator) if text else []
        return list(map(int, items)) if kind == "long[]" else items
    return {"long": int, "double": float}.get(kind, str)(text)


def test_concepts_are_written_as_they_are_sent_over_bolt(tmp_path):
    concepts = [concept(ASPIRIN, *((name, 9 - n) for n, name in enumerate(NAMES))), *map(concept, ODD)]
    shape = written(tmp_path / "input", concepts)
    found = rows(tmp_path / "input", csv_rows.CONCEPTS)
    for one, row in zip(concepts, found, strict=True):
        sent = concept_row(one)
        assert row.pop(("key", "ID")) == sent["key"]
        assert row.pop(("", "LABEL")) == ["Concept", *sent["labels"]]
        # An empty column is no property.
        wanted = sent["properties"] | {
            name: sent["properties"][name] or "" for name in ("url", "organism", "description")
        }
        assert {name: value for (name, _), value in row.items()} == wanted
    assert (shape.nodes, shape.relationships, shape.multiline) == (len(concepts) + 1, len(EXAMPLE), True)


def test_edges_are_written_as_they_are_sent_over_bolt(tmp_path):
    written(tmp_path / "input", [concept(ASPIRIN)])
    [sent] = portioned(pa.Table.from_batches([edge_batch(EXAMPLE)]), "r1", Settings())
    for (head, tail, *others), row in zip(sent.rows, rows(tmp_path / "input", csv_rows.EDGES), strict=True):
        ends = [row.pop(("", kind)) for kind in ("START_ID", "END_ID")]
        assert ends == [sent.keys[head], sent.keys[tail]]
        names = ("TYPE", "pmids", "articles", "first_pmid", "last_pmid", "belief", "url")
        wanted = dict(zip(names, others, strict=True)) | {"changed_in": sent.release}
        assert {name or kind: value for (name, kind), value in row.items()} == wanted


def test_lists_are_separated_by_a_character_that_no_name_contains(tmp_path):
    plain = written(tmp_path / "plain", [concept(COX1, ("a", 1))])
    assert (plain.separator, plain.multiline) == ("\x1f", False)
    names = [concept(COX1, ("a\x1fb", 2), ("c\x1ed", 1))]
    assert written(tmp_path / "odd", names).separator == "\x1d"
    assert rows(tmp_path / "odd", csv_rows.CONCEPTS)[0]["synonyms", "string[]"] == ["a\x1fb", "c\x1ed"]
    with pytest.raises(InputError, match="every character that could separate"):
        written(tmp_path / "all", [concept(COX1, ("".join(csv_rows._SEPARATORS), 1))])


def test_the_read_buffer_holds_the_longest_value(tmp_path):
    many = Relation(ASPIRIN, "inhibit", COX1, tuple(range(10**7, 10**7 + 500_000)))
    shape = written(tmp_path / "input", [concept(ASPIRIN), concept(COX1)], [many])
    assert shape.longest == 9 * 500_000 - 1
    command = Neo4jImport("bolt://localhost", Settings()).command(tmp_path / "input", overwrite=False)
    [size] = [int(word.partition("=")[2]) for word in command if word.startswith("--read-buffer-size=")]
    assert size > shape.longest


def test_a_command_may_be_a_list_of_words():
    assert Settings(neo4j_admin=["a java", "-cp", "lib/*"]).neo4j_admin == "'a java' -cp 'lib/*'"


def test_every_row_of_a_report_is_reported(tmp_path):
    report = tmp_path / "report"
    bad = {"problem": "DuplicateNode", "message": "Id defined\ntwice"}
    report.write_text(json.dumps(bad) + "\n\nnot JSON\n")
    assert skipped(report) == ["DuplicateNode: Id defined twice", "not JSON"]
    assert skipped(tmp_path / "none") == []
    shape = Shape("\x1f", multiline=False, longest=1, nodes=3, relationships=2)
    with pytest.raises(Refused, match="left out 2 rows"):
        account(report, "", shape)
    account(tmp_path / "none", "Imported:\n  3 nodes\n  2 relationships\n", shape)
    with pytest.raises(Refused, match="imported 1 of 2 relationships"):
        account(tmp_path / "none", "Imported:\n  3 nodes\n  1 relationships\n", shape)
