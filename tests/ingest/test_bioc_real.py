"""PubTator3's own export: nothing is lost, and the relations equal those of the bulk file."""

import json

from groundwork.vocabulary import canonical
from tests.ingest.reading import documents


def test_the_export_gives_the_rows_of_the_bulk_file(tmp_path, data):
    path = data / "pubtator3" / "demo_pubtator.biocjson"
    bulk = (data / "pubtator3" / "derived_relation2pubtator3_from_api.tsv").read_text("utf-8").splitlines()
    read = documents(tmp_path, path)
    wanted = set()
    for pmid, relation, head, tail in (line.split("\t") for line in bulk):
        wanted.add((int(pmid), relation, *canonical(head, tail)))
    assert {(d.pmid, r, *canonical(a, b)) for d in read.items for a, r, b in d.relations} == wanted
    assert (read.rows.kept, read.rejected) == (776, [])


def test_every_annotation_is_kept_or_counted(tmp_path, data):
    path = data / "pubtator3" / "demo_pubtator.biocjson"
    found = json.loads(path.read_text("utf-8"))["PubTator3"]
    infons = [a["infons"] for d in found for passage in d["passages"] for a in passage["annotations"]]
    unnormalised = sum(infon.get("identifier") in (None, "-") for infon in infons)
    read = documents(tmp_path, path)
    assert len(read.items) == len(found) == 200
    assert (read.rows.annotations, read.rows.unnormalised) == (len(infons) - unnormalised, unnormalised)
    assert not read.rows.problems  # each of the nine variants in relations is joined with its annotations
    assert [d.title for d in read.items] == [d["passages"][0]["text"].strip() for d in found]
    assert [d.abstract for d in read.items] == [d["passages"][1]["text"].strip() for d in found]
    assert [d.year for d in read.items] == [int(d["date"][:4]) for d in found]
    assert [d.journal for d in read.items] == [d["journal"] for d in found]


def test_one_article_is_the_same_in_both_formats(tmp_path, data):
    (text,) = documents(tmp_path, data / "pubtator3" / "22429397_abstract_240916.pubtator").items
    (bioc,) = documents(tmp_path, data / "pubtator3" / "22439397_abstract_240916.json").items
    assert (bioc.pmid, bioc.title, bioc.abstract) == (text.pmid, text.title, text.abstract)
    assert sorted(bioc.relations) == sorted(text.relations)
    assert sorted(bioc.annotations, key=str) == sorted(text.annotations, key=str)
    assert (bioc.year, bioc.journal) == (2012, "Breast Cancer Res")
