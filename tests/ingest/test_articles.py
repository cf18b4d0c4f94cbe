"""Two layers of an article: any order of loads gives the same end state, and counts are the net effect."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.records import Abstract, Text
from groundwork.settings import Settings
from ingest import literature_sync
from ingest.documents.document import Annotation, Deletion, Document, PubmedRecord
from ingest.pubmed.ledger import Account
from literature import connect
from tests.ingest.reading import articles as read_articles
from tests.ingest.reading import documents as read_documents


@pytest.fixture
def index():
    return connect("memory:", Settings())


def documents(index, items, release="d1"):
    with index.writing():
        return literature_sync.put_documents(index, items, release).to_dict()


def records(index, items, release="p1"):
    with index.writing():
        account, total = Account(), index.info().documents
        literature_sync.put_records(index, items, release, account)
        return account.effect(total).to_dict()


def counts(total, added=0, changed=0, removed=0):
    return {
        "total": total,
        "added": added,
        "changed": changed,
        "removed": removed,
        "unchanged": total - added - changed,
    }


def said(index) -> dict[int, tuple]:
    """The content of the index, without the loads that wrote it."""
    held = index.get(index.every_pmid())
    return {pmid: (a.record, a.document, a.concepts, a.version) for pmid, a in held.items()}


DOCUMENT = Document(1, "Own title", "Own words.", 2001, "Own", (Annotation("Gene|7", "x"), Annotation("Gene|10", "y")))
RECORD = PubmedRecord(1, Text("PubMed's title", "PubMed's words.", 2002, "PubMed's", True))


def test_the_record_gives_the_text_and_the_document_its_concepts(index):
    documents(index, [DOCUMENT])
    records(index, [RECORD])
    (article,) = index.get([1]).values()
    assert article.text == RECORD.text
    assert article.concepts == ("Gene|10", "Gene|7")
    assert article.release == "p1"


def test_after_a_deletion_the_documents_own_text_is_used_again(index):
    documents(index, [DOCUMENT])
    records(index, [RECORD])
    assert records(index, [Deletion(1)], "p2") == counts(1, changed=1)
    assert index.get([1])[1] == Abstract(
        1,
        None,
        Text("Own title", "Own words.", 2001, "Own"),
        ("Gene|10", "Gene|7"),
        "p2",
        spoken=(("x", "Gene|7"), ("y", "Gene|10")),
    )


def test_after_a_deletion_an_article_without_document_is_removed(index):
    records(index, [RECORD])
    assert records(index, [Deletion(1), Deletion(2)], "p2") == counts(0, removed=1)
    assert index.get([1]) == {}


def test_a_new_version_of_a_document_replaces_the_old_one(index):
    documents(index, [DOCUMENT])
    assert documents(index, [Document(1, "New", "words")], "d2") == counts(1, changed=1)
    assert index.get([1])[1] == Abstract(1, None, Text("New", "words"), (), "d2")


def test_the_same_load_again_changes_nothing(index):
    assert documents(index, [DOCUMENT]) == counts(1, added=1)
    assert records(index, [RECORD]) == counts(1, changed=1)
    assert documents(index, [DOCUMENT], "again") == counts(1)
    assert records(index, [RECORD], "again") == counts(1)
    assert index.get([1])[1].release == "p1"


LONG = "A sentence of the abstract. " * 40


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Text("T", f"{LONG}old{LONG}"), Text("T", f"{LONG}new{LONG}")),
        (Text("T", ""), Text("T", "", types=("Review",))),
        (Text("T", "", mesh=tuple("abcdefgh")), Text("T", "", mesh=tuple("abcdxfgh"))),
        (Text("T", "", languages=("eng",)), Text("T", "", languages=("ger",))),
    ],
)
def test_a_small_change_of_a_record_is_written(index, before, after):
    records(index, [PubmedRecord(1, before)])
    assert records(index, [PubmedRecord(1, after)], "p2") == counts(1, changed=1)
    assert index.get([1])[1].record == after


def test_a_pmid_that_occurs_several_times_counts_once_by_its_net_effect(index, monkeypatch):
    monkeypatch.setattr(literature_sync, "_BATCH", 2)
    other = PubmedRecord(1, Text("Other", ""))
    records(index, [RECORD, PubmedRecord(2, Text("Two", "")), PubmedRecord(4, Text("Four", ""))])
    items = [
        *(other, Deletion(1), RECORD),  # PMID 1: as before
        *(Deletion(2), PubmedRecord(2, Text("Zwei", "")), Deletion(2)),  # PMID 2: removed
        *(
            Deletion(3),
            PubmedRecord(3, Text("Three", "")),
            Deletion(3),
            PubmedRecord(3, Text("Drei", "")),
        ),  # PMID 3: added
        *(PubmedRecord(4, Text("Vier", "")), PubmedRecord(4, Text("Quattuor", ""))),  # PMID 4: changed
        *(PubmedRecord(5, Text("Five", "")), Deletion(5)),  # PMID 5: added and removed again
    ]
    assert records(index, items, "p2") == counts(3, added=1, changed=1, removed=1)
    assert {pmid: a.text.title for pmid, a in index.get(range(9)).items()} == {
        1: "PubMed's title",
        3: "Drei",
        4: "Quattuor",
    }


def test_an_empty_load_counts_nothing(index):
    assert records(index, []) == counts(0)
    assert documents(index, []) == counts(0)


texts = st.builds(Text, st.sampled_from(["", "a", "b"]), st.sampled_from(["", "words"]), retracted=st.booleans())
pmids = st.integers(1, 5)
versions = st.sampled_from([1, 1, 2, 3])
updates = st.lists(
    st.builds(PubmedRecord, pmids, texts, version=versions) | st.builds(Deletion, pmids, st.none() | versions),
    max_size=12,
)
mentions = st.lists(st.builds(Annotation, st.sampled_from(["Gene|1", "Gene|2"]), st.just("x")), max_size=2).map(tuple)
papers = st.lists(st.builds(Document, pmids, st.sampled_from("ab"), st.just(""), annotations=mentions), max_size=12)
loads = st.lists(updates | papers, max_size=6)


def applied(state: dict[int, tuple], items: list) -> dict[int, tuple]:
    """Return the expected content of the index after a load, computed with a plain dict."""
    state = dict(state)
    for item in items:
        record, document, concepts, version = state.get(item.pmid, (None, None, (), 1))
        match item:
            case Document():
                document = Text(item.title, item.abstract, item.year, item.journal)
                concepts = tuple(sorted({annotation.key for annotation in item.annotations}))
            case PubmedRecord() if record is None or item.version >= version:
                record, version = item.text, item.version
            case Deletion() if item.version in (None, version):
                record, version = None, 1
        state[item.pmid] = record, document, concepts, version
        if record is None and document is None:
            del state[item.pmid]
    return state


@given(loads, st.integers(1, 5))
def test_state_and_counts_equal_those_of_a_plain_dict(load, batch):
    index, before = connect("memory:", Settings()), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(literature_sync, "_BATCH", batch)
        for number, items in enumerate(load):
            put = documents if items and isinstance(items[0], Document) else records
            after = applied(before, items)
            assert put(index, items, str(number)) == counts(
                len(after),
                added=len(after.keys() - before.keys()),
                changed=sum(after[pmid] != before[pmid] for pmid in after.keys() & before.keys()),
                removed=len(before.keys() - after.keys()),
            )
            assert said(index) == after
            before = after


@given(updates, papers)
def test_loads_of_different_kinds_commute(update, paper):
    one, other = connect("memory:", Settings()), connect("memory:", Settings())
    documents(one, paper)
    records(one, update)
    records(other, update)
    documents(other, paper)
    assert said(one) == said(other)


def test_real_loads_in_every_order_give_the_same_end_state(tmp_path, data):
    """BioRED, the other documents of BC5CDR, NLM's sample, and a record and a deletion of PMIDs that BioRED has.

    (If two loads contain documents with the same PMID, the later load counts.)
    """
    biored = read_documents(tmp_path, data / "biored" / "Dev.PubTator").items
    known = {document.pmid for document in biored}
    cdr = read_documents(tmp_path, data / "bc5cdr" / "CDR_TrainingSet.PubTator.txt").items
    bc5cdr = [document for document in cdr if document.pmid not in known][:200]
    sample = read_articles(tmp_path, data / "pubmed_xml" / "pubmedsample_2019.xml.gz").items
    shared = [
        PubmedRecord(biored[0].pmid, Text("Kept", "")),
        PubmedRecord(biored[1].pmid, Text("Lost", "")),
        Deletion(biored[1].pmid),
    ]
    ends = []
    for order in permutations([(documents, biored), (documents, bc5cdr), (records, sample + shared)]):
        index = connect("memory:", Settings())
        for put, items in order:
            put(index, items)
        ends.append(said(index))
    assert all(end == ends[0] for end in ends)
    assert len(ends[0]) == 100 + 200 + 176
    assert ends[0][biored[0].pmid][0] == Text("Kept", "")
    assert ends[0][biored[1].pmid][0] is None
