"""Loads of PubMed files: order, checksums, interrupted runs, a new index, and added concepts."""

import gzip
import io
import os
import sys
from dataclasses import replace
from hashlib import md5
from itertools import count
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as examples
from hypothesis import strategies as st

import ingest
import literature
from groundwork.errors import InputError, Refused, StoreBusy, StoreError, TooManyRejects
from groundwork.manifest import seal_faults
from ingest.pubmed import delivery
from ingest.pubmed import reader as pubmed
from ingest.pubmed.ledger import Ledger
from ingest.receipt import OlderFilesWarning
from tests.ingest.oracle import Load
from tests.ingest.test_kill import Killed, Mortal
from tests.ingest.test_load import Stores

Items = list[tuple[int, str] | int]  # (PMID, title), or a PMID that is deleted

_NUMBER = count()


def xml(items: Items, broken: int = 0) -> str:
    """A PubMed file. `broken` is the number of articles with an invalid PMID."""
    titled = [item for item in items if isinstance(item, tuple)] + [("0x", "broken")] * broken
    articles = "".join(
        f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><ArticleTitle>{title}</ArticleTitle></Article>"
        "</MedlineCitation></PubmedArticle>\n"
        for pmid, title in titled
    )
    deleted = "".join(f"<PMID>{pmid}</PMID>" for pmid in items if isinstance(pmid, int))
    return f"<PubmedArticleSet>{articles}<DeleteCitation>{deleted}</DeleteCitation></PubmedArticleSet>"


def file(folder: Path, number: int, items: Items, broken: int = 0, year: int = 26) -> Path:
    """A file under NLM's name, with its checksum beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"pubmed{year}n{number:04}.xml.gz"
    path.write_bytes(gzip.compress(xml(items, broken).encode(), mtime=0))
    path.with_name(path.name + ".md5").write_text(f"MD5({path.name})= {md5(path.read_bytes()).hexdigest()}\n")
    return path


def entities(folder: Path, rows: list[tuple[int, str]]) -> Path:
    path = folder / f"entities{next(_NUMBER)}.tsv"
    path.write_text("".join(f"{pmid}\t{'	'.join(key.split('|'))}\tname\tPubTator3\n" for pmid, key in rows))
    return path


def load(stores: Stores, files, **options) -> ingest.Receipt:
    return ingest.load_pubmed(files, stores.literature, stores.settings, **options)


def titles(stores: Stores) -> dict[int, str]:
    held = stores.literature.get(stores.literature.every_pmid())
    return {pmid: article.text.title for pmid, article in held.items()}


def told(receipt: ingest.Receipt) -> ingest.Receipt:
    """The fields of a receipt that must be equal in all runs."""
    return replace(receipt, seconds=0.0, rejects_file=None)


@pytest.fixture
def stores(tmp_path) -> Stores:
    return Stores(tmp_path)


# Order and checksums


def test_nlms_files_are_read_by_year_and_number_and_others_keep_their_places():
    names = ["x/pubmed26n1220.xml.gz", "b.jsonl", "y/pubmed26n0002.xml", "pubmed25n1400.xml.gz", "-", "a.xml"]
    assert delivery.in_order(names) == [
        "pubmed25n1400.xml.gz",
        "b.jsonl",
        "y/pubmed26n0002.xml",
        "x/pubmed26n1220.xml.gz",
        "-",
        "a.xml",
    ]


def test_baseline_and_updates_given_in_any_order_end_in_one_state(stores, tmp_path):
    one = file(tmp_path / "baseline", 1, [(1, "one"), (2, "two")])
    two = file(tmp_path / "baseline", 2, [(3, "three"), (2, "two again")])
    three = file(tmp_path / "updates", 3, [(1, "one revised"), (4, "four"), 3])
    receipt = load(stores, [three, two, one])
    assert titles(stores) == {1: "one revised", 2: "two again", 4: "four"}
    assert [Path(read.path).name[9:13] for read in receipt.files] == ["0001", "0002", "0003"]
    assert (receipt.rows.read, receipt.documents.added, receipt.documents.total) == (7, 3, 3)


def versioned(folder: Path, items: list[tuple[str, str]]) -> Path:
    """A PubMed file of (version, title) of one article; an empty title deletes this version."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{next(_NUMBER)}.xml"
    parts = []
    for version, title in items:
        pmid = f"<PMID Version='{version}'>1</PMID>" if version else "<PMID>1</PMID>"
        record = f"<PubmedArticle><MedlineCitation>{pmid}<Article><ArticleTitle>{title}</ArticleTitle></Article>"
        parts.append(
            f"{record}</MedlineCitation></PubmedArticle>" if title else f"<DeleteCitation>{pmid}</DeleteCitation>"
        )
    path.write_text(f"<PubmedArticleSet>{''.join(parts)}</PubmedArticleSet>")
    return path


@pytest.mark.parametrize("address", ["memory:", "embedded:"])
@pytest.mark.parametrize("spread", ["one file", "one load", "several loads"])
@pytest.mark.parametrize(
    ("items", "title"),
    [
        ([("1", "one"), ("2", "two")], "two"),
        ([("2", "two"), ("1", "one")], "two"),
        ([("2", "two"), ("", "one")], "two"),
        ([("10", "ten"), ("9", "nine")], "ten"),
        ([("2", "two"), ("2", "two revised"), ("1", "one")], "two revised"),
        ([("2", "two"), ("1", "")], "two"),
        ([("1", "one"), ("1", "")], None),
        ([("1", "one"), ("2", "")], "one"),
        ([("2", "two"), ("2", "")], None),
        ([("2", "two"), ("", "")], None),
        ([("2", "two"), ("2", ""), ("1", "one")], "one"),
        ([("2", "two"), ("1", ""), ("1", "one again")], "two"),
    ],
)
def test_the_highest_version_of_an_article_stands_whatever_the_order(tmp_path, items, title, spread, address):
    stores = Stores(tmp_path)
    if address == "embedded:":
        stores.literature = literature.connect(f"embedded:{tmp_path / 'index'}", stores.settings)
    files = [
        versioned(tmp_path / "f", part) for part in ([items] if spread == "one file" else [[item] for item in items])
    ]
    for some in [[file] for file in files] if spread == "several loads" else [files]:
        load(stores, some, dry_run=True)
        receipt = load(stores, some)
    assert titles(stores) == ({1: title} if title else {})
    assert receipt.documents.total == bool(title)


def test_a_file_older_than_one_loaded_before_is_reported_with_what_to_load_again(stores, tmp_path):
    one, two, three, four = (file(tmp_path / "f", n, [(1, f"as of {n}"), (10 + n, "other")]) for n in (1, 2, 3, 4))
    assert load(stores, [one, two]).older is None
    assert load(stores, [three, four]).older is None
    seen = load(stores, [one], dry_run=True).older
    told = load(stores, [two, one]).older
    assert seen == OlderFilesWarning(one.name, 3, two.name, four.name)
    assert told == OlderFilesWarning(one.name, 2, three.name, four.name)
    assert titles(stores)[1] == "as of 2"
    assert load(stores, [three, four]).older is None  # do what the message says
    assert titles(stores)[1] == "as of 4"
    assert load(stores, [four]).older is None
    assert load(stores, [file(tmp_path / "next", 1, [(1, "next")], year=27)]).older is None


def test_a_new_or_rebuilt_index_reports_no_file_as_older(stores, tmp_path):
    one, two = (file(tmp_path / "f", n, [(1, f"as of {n}")]) for n in (1, 2))
    load(stores, [two])
    assert load(stores, [one], rebuild=True).older is None
    assert load(stores, [one]).older is None
    assert load(Stores(tmp_path / "elsewhere"), [one]).older is None


def test_files_without_a_number_are_neither_older_nor_newer(stores, tmp_path):
    plain = tmp_path / "some.xml"
    plain.write_text(xml([(1, "plain")]))
    load(stores, [file(tmp_path / "f", 2, [(1, "two")])])
    assert load(stores, [plain]).older is None
    assert load(stores, [file(tmp_path / "f", 1, [(1, "one")])]).older.newer == 1


@pytest.mark.parametrize("form", ["MD5({name})= {md5}\n", "MD5 ({name}) = {md5}", "{md5}  {name}\n", "{md5} *{name}\n"])
@pytest.mark.parametrize("given_with_the_files", [False, True])
def test_a_wrong_checksum_is_reported_before_anything_is_loaded(stores, tmp_path, form, given_with_the_files):
    path = file(tmp_path / "files", 1, [(1, "one")])
    path.with_name(path.name + ".md5").unlink()
    right, wrong = md5(path.read_bytes()).hexdigest(), md5(b"other").hexdigest()
    sums = (tmp_path / "sums.md5") if given_with_the_files else path.with_name(path.name + ".md5")
    files = [sums, path] if given_with_the_files else [path]
    sums.write_text(form.format(name=path.name, md5=wrong))
    with pytest.raises(InputError) as caught:
        load(stores, files)
    assert (right in str(caught.value), wrong in str(caught.value)) == (True, True)
    assert titles(stores) == {}
    sums.write_text(form.format(name=path.name, md5=right.upper()))
    assert [Path(read.path).name for read in load(stores, files).files] == [path.name]


def test_a_checksum_file_that_says_nothing_is_refused(stores, tmp_path):
    path = file(tmp_path / "files", 1, [(1, "one")])
    path.with_name(path.name + ".md5").write_text("<html>not found</html>")
    with pytest.raises(InputError, match="contains no checksum"):
        load(stores, [path])
    with pytest.raises(InputError, match="no file was given"):
        load(stores, [file(tmp_path / "others", 1, [(1, "one")]).with_name("pubmed26n0001.xml.gz.md5")])


def test_a_truncated_file_without_checksum_is_reported_before_any_file_is_loaded(stores, tmp_path):
    one, two = (file(tmp_path / "files", number, [(number, "x")]) for number in (1, 2))
    two.with_name(two.name + ".md5").unlink()
    two.write_bytes(two.read_bytes()[:-9])
    with pytest.raises(InputError, match="broken gzip"):
        load(stores, [one, two])
    assert not (stores.settings.home / "loads").exists()


def test_standard_input_is_a_file_like_others(stores, tmp_path, monkeypatch):
    one = file(tmp_path / "files", 1, [(1, "one")])
    content = xml([(2, "two")], broken=1).encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    receipt = load(stores, [one, "-"])
    assert titles(stores) == {1: "one", 2: "two"}
    assert [read.path for read in receipt.files] == [str(one), "-"]
    assert receipt.files[1].bytes == len(content)
    rejects = Path(receipt.rejects_file)
    assert rejects.read_text().startswith("-\t")
    rejects.write_text("-\tchanged\n")
    assert [fault.path for fault in seal_faults(rejects.parent, "")] == [rejects]


def test_a_named_pipe_is_a_file_like_others(stores, tmp_path):
    one, pipe = file(tmp_path / "files", 1, [(1, "one")]), tmp_path / "pipe"
    os.mkfifo(pipe)
    Thread(target=pipe.write_text, args=[xml([(2, "two")])], daemon=True).start()
    receipt = load(stores, [one, pipe])
    assert titles(stores) == {1: "one", 2: "two"}
    assert [read.path for read in receipt.files] == [str(one), str(pipe)]


# Runs that break off

FILES: dict[int, Items] = {
    1: [(1, "one"), (2, "two"), (3, "three")],
    2: [(2, "two again"), (4, "four"), 1],
    3: [(5, "five"), 4, (1, "one is back")],
}
BEFORE = Load("pubmed", [(2, "two", ""), (9, "nine", ""), (4, "old four", "")])


def deliver(folder: Path) -> list[Path]:
    return [file(folder, number, items, broken=number) for number, items in FILES.items()]


def reading(monkeypatch) -> list[str]:
    """Record which files are parsed from now on."""
    parsed, read = [], pubmed.read

    def watched(files, *rest):
        parsed.extend(Path(each.path).name for each in files)
        return read(files, *rest)

    monkeypatch.setattr(pubmed, "read", watched)
    return parsed


class Forgetful(Mortal):
    """A failing store that may also fail before or after it keeps the progress of a load."""

    def __getattr__(self, name: str):
        if name != "keep":
            return super().__getattr__(name)

        def keep(note: str) -> None:
            self._step()
            self._store.keep(note)
            self._step()

        return keep


def killed(stores: Stores, files: list[Path], steps: int, **options) -> None:
    """Run a load that fails after a number of steps."""
    with pytest.raises(Killed):
        ingest.load_pubmed(files, Forgetful(stores.literature, [steps]), stores.settings, **options)


@pytest.mark.parametrize("rebuild", [False, True])
def test_killed_at_any_step_the_same_command_ends_in_the_state_and_receipt_of_one_run(tmp_path, rebuild):
    calm = Stores(tmp_path)
    calm.load(BEFORE)
    files = deliver(tmp_path / "files")
    left = [10**6]
    wanted = ingest.load_pubmed(files, Forgetful(calm.literature, left), calm.settings, rebuild=rebuild)
    steps = 10**6 - left[0]
    assert steps > 25
    for step in range(0, steps, 3):
        stores = Stores(tmp_path)
        stores.load(BEFORE)
        before = titles(stores)
        killed(stores, files, step, rebuild=rebuild)
        assert titles(stores) == before
        assert told(load(stores, files, rebuild=rebuild)) == told(wanted)
        assert stores.literature.get(range(10)) == calm.literature.get(range(10))
        assert not list((stores.settings.home / "loads").glob("*/*/*"))


def test_a_run_continues_after_the_last_file_that_was_stored(stores, tmp_path, monkeypatch):
    files = deliver(tmp_path / "files")
    parsed = reading(monkeypatch)
    killed(stores, files, 14)
    assert [name[9:13] for name in parsed] == ["0001", "0002"]
    del parsed[:]
    receipt = load(stores, files)
    assert [name[9:13] for name in parsed] == ["0002", "0003"]
    assert receipt.rows.read == 9 + 1 + 2 + 3
    lines = Path(receipt.rejects_file).read_text().splitlines()
    assert [line.split("\t")[0][-10:] for line in lines] == ["001.xml.gz"] + ["002.xml.gz"] * 2 + ["003.xml.gz"] * 3


def test_files_that_changed_between_two_runs_are_never_mixed(tmp_path):
    for step in (8, 14, 20):
        stores = Stores(tmp_path)
        files = deliver(tmp_path / "files")
        killed(stores, files, step)
        files[0] = file(tmp_path / "files", 1, [(1, "ONE"), (7, "seven")])
        load(stores, files)
        alone = Stores(tmp_path)
        load(alone, files)
        assert titles(stores) == titles(alone)
        assert stores.literature.get(range(10)) == alone.literature.get(range(10))


def test_a_file_that_changes_while_it_is_loaded_is_refused(stores, tmp_path, monkeypatch):
    files = deliver(tmp_path / "files")
    read = pubmed.read

    def meddled(sources, *rest):
        if sources[0].path == str(files[1]):
            file(tmp_path / "files", 2, [(8, "eight")])
        return read(sources, *rest)

    monkeypatch.setattr(pubmed, "read", meddled)
    with pytest.raises(InputError, match="changed while it was loaded"):
        load(stores, files)
    assert titles(stores) == {}
    monkeypatch.undo()
    deliver(tmp_path / "files")
    load(stores, files)
    assert titles(stores) == {1: "one is back", 2: "two again", 3: "three", 5: "five"}


def test_after_another_load_in_between_an_interrupted_load_starts_over(stores, tmp_path):
    files = deliver(tmp_path / "files")
    killed(stores, files, 20)
    load(stores, [file(tmp_path / "other", 9, [(3, "other three"), (6, "six")])])
    receipt = load(stores, files)
    assert titles(stores) == {1: "one is back", 2: "two again", 3: "three", 5: "five", 6: "six"}
    assert (receipt.documents.added, receipt.documents.changed) == (3, 1)


def test_a_store_that_fails_during_a_load_names_the_files_of_the_load(stores, tmp_path, monkeypatch):
    def fail(**given):
        raise StoreError("it failed", "", "")

    monkeypatch.setattr(stores.literature, "writing", fail)
    with pytest.raises(StoreError, match=r"load of pubmed:a1 \(pubmed26n0001\.xml\.gz\) into .* is not finished"):
        load(stores, [file(tmp_path, 1, [(1, "one")])], release="a1")


def test_a_store_that_was_lost_is_loaded_from_the_first_file(stores, tmp_path):
    files = deliver(tmp_path / "files")
    killed(stores, files, 20)
    stores.literature = literature.connect("memory:", stores.settings)
    assert load(stores, files).documents.added == 4
    assert titles(stores) == {1: "one is back", 2: "two again", 3: "three", 5: "five"}


def test_a_load_with_a_damaged_ledger_begins_again(stores, tmp_path):
    files = deliver(tmp_path / "files")
    killed(stores, files, 20)
    (book,) = (stores.settings.home / "loads").glob("*/*/ledger.sqlite")
    book.write_bytes(b"no database" * 1000)
    assert load(stores, files).documents.added == 4
    assert titles(stores) == {1: "one is back", 2: "two again", 3: "three", 5: "five"}


def test_a_ledger_without_room_says_so_and_the_load_is_continued(stores, tmp_path, monkeypatch):
    files, write = deliver(tmp_path / "files"), Ledger.write

    def full(book, *given):
        if book.done == 1:
            book._database.execute(
                f"PRAGMA max_page_count = {book._database.execute('PRAGMA page_count').fetchone()[0]}"
            )
            book._database.execute("CREATE TABLE filler (x)")
        write(book, *given)

    monkeypatch.setattr(Ledger, "write", full)
    with pytest.raises(Refused, match="cannot be written"):
        load(stores, files)
    assert titles(stores) == {}
    monkeypatch.undo()
    parsed = reading(monkeypatch)
    load(stores, files)
    assert [name[9:13] for name in parsed] == ["0002", "0003"]
    assert titles(stores) == {1: "one is back", 2: "two again", 3: "three", 5: "five"}


def test_too_many_rejects_show_readers_nothing_and_a_higher_limit_continues(stores, tmp_path, monkeypatch):
    files = deliver(tmp_path / "files")
    with pytest.raises(TooManyRejects) as caught:
        load(stores, files, max_rejects=5)
    assert caught.value.receipt["rows"] == {"read": 15, "kept": 9, "rejected": 6, "repeated": 4}
    assert (titles(stores), stores.literature.releases()) == ({}, ())
    parsed = reading(monkeypatch)
    load(stores, files, max_rejects=6)
    assert (parsed, len(titles(stores))) == ([], 4)


def test_a_dry_run_tells_what_the_load_then_does(stores, tmp_path):
    stores.load(BEFORE)
    before, files = titles(stores), deliver(tmp_path / "files")
    for rebuild in (False, True):
        dry = load(stores, files, dry_run=True, rebuild=rebuild)
        assert titles(stores) == before
        assert not list((stores.settings.home / "loads").glob("*/*/*"))
        twin = Stores(tmp_path)
        twin.load(BEFORE)
        assert told(dry) == replace(told(load(twin, files, rebuild=rebuild)), dry_run=True)


def test_two_runs_of_one_home_do_not_load_the_same_store_at_once(stores, tmp_path, monkeypatch):
    files, refused = deliver(tmp_path / "files"), []
    read = pubmed.read

    def meanwhile(*given):
        if not refused:
            with pytest.raises(StoreBusy) as caught:
                load(stores, files)
            refused.append(caught)
        return read(*given)

    monkeypatch.setattr(pubmed, "read", meanwhile)
    load(stores, files)
    assert len(refused) == 1


@examples(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.lists(st.tuples(st.integers(1, 6), st.sampled_from("abc")) | st.integers(1, 6), min_size=1, max_size=6),
        min_size=1,
        max_size=4,
    ),
    st.lists(st.integers(0, 30), max_size=3),
    st.booleans(),
)
def test_any_files_killed_at_any_step_end_in_the_expected_state(tmp_path, contents, kills, rebuild):
    stores, wanted = Stores(tmp_path), {}
    stores.load(Load("pubmed", [(1, "before", ""), (7, "before", "")]))
    before = {} if rebuild else {1: "before", 7: "before"}
    folder = tmp_path / str(next(_NUMBER))
    files = [file(folder, number, items) for number, items in enumerate(contents, 1)]
    wanted = dict(before)
    for items in contents:  # deletions stand last in a file
        wanted |= dict(item for item in items if isinstance(item, tuple))
        for pmid in items:
            if isinstance(pmid, int):
                wanted.pop(pmid, None)
    for steps in kills:
        try:
            ingest.load_pubmed(files, Forgetful(stores.literature, [steps]), stores.settings, rebuild=rebuild)
        except Killed:
            assert titles(stores) == {1: "before", 7: "before"}
        else:
            break
    receipt = load(stores, files, rebuild=rebuild)
    assert titles(stores) == wanted
    assert receipt.documents.total == len(wanted)


# A new index


def test_a_rebuild_keeps_documents_and_none_of_the_old_records(stores, tmp_path):
    stores.load(BEFORE)
    document = Load("documents", [(2, "own two", [("Gene|1", "g")], []), (8, "own eight", [("Gene|2", "h")], [])])
    stores.load(document)
    receipt = load(stores, [file(tmp_path / "files", 1, [(4, "new four"), (5, "five"), (9, "nine")])], rebuild=True)
    assert titles(stores) == {2: "own two", 4: "new four", 5: "five", 8: "own eight", 9: "nine"}
    assert stores.literature.get([2])[2].concepts == ("Gene|1",)
    effect = receipt.documents
    assert (effect.total, effect.added, effect.changed, effect.removed, effect.unchanged) == (5, 1, 2, 0, 2)
    states = {(release.source, release.state) for release in stores.literature.releases()}
    assert states == {("pubmed", "past"), ("pubmed", "live"), ("documents", "live")}
    again = stores.load(document)
    assert (again.documents.added, again.documents.changed, again.documents.removed) == (0, 0, 0)


# Concepts of the entity files


def test_concepts_of_the_entity_files_are_joined_onto_the_records(stores, tmp_path):
    rows = [(1, "Gene|7"), (2, "Gene|9"), (1, "Disease|MESH:D1"), (1, "Gene|7"), (99, "Gene|1")]
    named = [entities(tmp_path, rows[:2]), entities(tmp_path, rows[2:])]
    one = file(tmp_path / "files", 1, [(1, "one"), (2, "two"), (3, "three")])
    two = file(tmp_path / "files", 2, [(2, "two again"), (1, "one again")])
    receipt = load(stores, [one, two], concepts=named)
    held = stores.literature.get(range(100))
    assert {pmid: (article.text.title, article.concepts) for pmid, article in held.items()} == {
        1: ("one again", ("Disease|MESH:D1", "Gene|7")),
        2: ("two again", ("Gene|9",)),
        3: ("three", ()),
    }
    assert receipt.documents.added == 3
    load(
        stores, [file(tmp_path / "files", 3, [(1, "one revised"), 2])]
    )  # without entity files the joined concepts stay
    assert stores.literature.get([1])[1].concepts == ("Disease|MESH:D1", "Gene|7")
    load(
        stores,
        [file(tmp_path / "files", 4, [(1, "one revised"), (2, "two")])],
        concepts=[entities(tmp_path, [(2, "Gene|3")])],
    )
    assert [article.concepts for article in stores.literature.get([1, 2]).values()] == [(), ("Gene|3",)]


def test_joined_concepts_and_a_documents_own_are_kept_apart_in_any_order(tmp_path):
    document = Load("documents", [(1, "own", [("Gene|1", "g"), ("Gene|2", "h")], [])])
    other = Load("documents", [(1, "own", [("Gene|3", "g")], [])])
    files = [file(tmp_path / "files", 1, [(1, "one")])]
    named = [entities(tmp_path, [(1, "Gene|2"), (1, "Gene|4")])]
    ends = []
    for order in ("record first", "documents first"):
        stores = Stores(tmp_path)
        for step in (0, 1) if order == "record first" else (1, 0):
            if step == 0:
                load(stores, files, concepts=named)
            else:
                stores.load(document)
        assert stores.literature.get([1])[1].concepts == ("Gene|1", "Gene|2", "Gene|4")
        stores.load(other)
        assert stores.literature.get([1])[1].concepts == ("Gene|2", "Gene|3", "Gene|4")
        load(stores, [file(tmp_path / "gone", 2, [1])])
        ends.append(stores.literature.get([1])[1])
        assert (ends[-1].concepts, ends[-1].text.title) == (("Gene|3",), "own")
    assert ends[0] == ends[1]


@examples(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.lists(st.tuples(st.integers(1, 3), st.sampled_from("ab")) | st.integers(1, 3), min_size=1, max_size=4),
        min_size=1,
        max_size=4,
    )
)
@example([[1], [(1, "a")], [(1, "b")]])
def test_files_loaded_at_once_or_one_by_one_end_alike(tmp_path, contents):
    folder, ends = tmp_path / str(next(_NUMBER)), []
    first = file(folder, 1, [(1, "before"), (2, "before")])
    named = [entities(folder, [(1, "Gene|1"), (2, "Gene|2"), (3, "Gene|3")])]
    files = [file(folder, number, items) for number, items in enumerate(contents, 2)]
    for loads in ([files], [[each] for each in files]):
        stores = Stores(tmp_path)
        stores.load(Load("documents", [(2, "own", [("Gene|9", "g")], [])]))
        load(stores, [first], concepts=named)
        for each in loads:
            load(stores, each)
        held = stores.literature.get(range(9))
        ends.append({pmid: replace(article, release="") for pmid, article in held.items()})
    assert ends[0] == ends[1]


def test_other_entity_files_make_another_load(stores, tmp_path):
    files = deliver(tmp_path / "files")
    killed(stores, files, 20, concepts=[entities(tmp_path, [(2, "Gene|1"), (5, "Gene|1")])])
    load(stores, files, concepts=[entities(tmp_path, [(2, "Gene|2")])])
    assert {pmid: a.concepts for pmid, a in stores.literature.get(range(9)).items()} == {
        1: (),
        2: ("Gene|2",),
        3: (),
        5: (),
    }


def test_entity_files_are_read_once_however_often_the_load_is_killed(stores, tmp_path, monkeypatch):
    from ingest import concepts

    read, times = concepts.read_pairs, []
    monkeypatch.setattr(concepts, "read_pairs", lambda *given: times.append(1) or read(*given))
    files, named = deliver(tmp_path / "files"), [entities(tmp_path, [(2, "Gene|1"), (5, "Gene|1")])]
    for steps in (3, 14, 4):
        killed(stores, files, steps, concepts=named)
    load(stores, files, concepts=named)
    assert (len(times), stores.literature.get([5])[5].concepts) == (1, ("Gene|1",))


def test_entity_files_without_a_usable_row_are_refused_and_remove_no_concepts(stores, tmp_path):
    one = file(tmp_path, 1, [(1, "one")])
    load(stores, [one], concepts=[entities(tmp_path, [(1, "Gene|3")])])
    wrong = tmp_path / "relation2pubtator3"
    wrong.write_text("1\ttreat\tChemical|MESH:D1\tDisease|MESH:D2\n")
    with pytest.raises(InputError, match="relation2pubtator3 assigns no concept to any article"):
        load(stores, [one], concepts=[wrong])
    assert load(stores, [one], concepts=[entities(tmp_path, [(1, "Gene|3")])]).documents.unchanged == 1


def test_rows_of_entity_files_that_name_nothing_are_counted_in_the_receipt(stores, tmp_path):
    named = entities(tmp_path, [(1, "Gene|3"), (1, "Gene|-")])
    with named.open("a") as out:
        out.write("x\tGene\t7\tname\tx\n")
    receipt = load(stores, [file(tmp_path, 1, [(1, "one")])], concepts=[named])
    assert receipt.annotations == {"kept": 1, "rejected": 2, "empty_id": 1, "bad_pmid": 1}
    assert receipt.rows.rejected == 0
    assert load(stores, [file(tmp_path, 2, [(2, "two")])]).annotations is None
