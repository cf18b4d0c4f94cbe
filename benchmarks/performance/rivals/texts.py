"""Index PubMed files by plain ways: `python -m benchmarks.performance.rivals.texts WAY TARGET FILE...`.

Both parse with lxml and index title and abstract with the engine's own English analysis. A repeated record would be
indexed twice, so they index only the baseline.
"""

import gzip
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.performance.asking import tell


def records(paths: list[Path]) -> Iterator[tuple[int, str]]:
    """Yield PMID and text of each record."""
    from lxml import etree

    for path in paths:
        with gzip.open(path, "rb") as file:
            for _, article in etree.iterparse(file, tag="PubmedArticle"):
                pmid = int(article.findtext("MedlineCitation/PMID"))
                places = ("MedlineCitation/Article/ArticleTitle", "MedlineCitation/Article/Abstract")
                found = [article.find(place) for place in places]
                yield pmid, " ".join("".join(element.itertext()) for element in found if element is not None)
                article.clear()


def into_tantivy(target: str, paths: list[Path]) -> int:
    """Index into a folder of tantivy with one commit."""
    import tantivy

    schema = tantivy.SchemaBuilder()
    schema.add_unsigned_field("pmid", stored=True, indexed=True, fast=True)
    schema.add_text_field("text", tokenizer_name="en_stem", stored=True)
    index = tantivy.Index(schema.build(), target)
    writer = index.writer(heap_size=128_000_000, num_threads=1)
    for pmid, text in records(paths):
        document = tantivy.Document()
        document.add_unsigned("pmid", pmid)
        document.add_text("text", text)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return int(index.searcher().num_docs)


def into_elasticsearch(target: str, paths: list[Path]) -> int:
    """Index with helpers.bulk and its defaults. The target is ADDRESS/INDEX."""
    from elasticsearch import Elasticsearch, helpers

    address, _, name = target.rpartition("/")
    text = {"type": "text", "analyzer": "biomedical"}
    analysis = {"analyzer": {"biomedical": {"type": "english"}}}
    with Elasticsearch(address, request_timeout=120) as client:
        client.indices.create(
            index=name,
            settings={"analysis": analysis, "number_of_replicas": 0},
            mappings={"properties": {"pmid": {"type": "long"}, "text": text}},
        )
        actions = ({"_index": name, "_id": pmid, "pmid": pmid, "text": text} for pmid, text in records(paths))
        helpers.bulk(client, actions)
        client.indices.refresh(index=name)
        found = client.count(index=name)["count"]
        client.indices.delete(index=name)
    return int(found)


WAYS = {"tantivy": into_tantivy, "elasticsearch": into_elasticsearch}

if __name__ == "__main__":
    tell(documents=WAYS[sys.argv[1]](sys.argv[2], [Path(name) for name in sys.argv[3:]]))
