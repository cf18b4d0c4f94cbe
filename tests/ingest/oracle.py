"""Random loads, and a brute-force oracle: plain dicts and sets tell what the stores should hold after these loads."""

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, count
from pathlib import Path

import pyarrow.parquet as pq
from hypothesis import strategies as st

import ingest
from groundwork import tables
from groundwork.ports import Graph, Literature
from groundwork.records import Similarity, SimilaritySet, split_key
from groundwork.settings import Settings
from groundwork.tables import similarity_batch
from groundwork.vocabulary import VARIANTS, canonical
from ingest.thesauri import HUMAN_GENES

Edges = dict[tuple[str, str, str], frozenset[int]]
Names = dict[str, tuple[str, dict[str, int]]]
Cosines = dict[tuple[str, str, str], float]

KEYS = (
    "Chemical|MESH:D1",
    "Chemical|MESH:D2",
    "Disease|MESH:D1",
    "Disease|OMIM:1",
    "Gene|672",
    "Gene|1956",
    "SNP|RS#:1;CorrespondingGene:672",
    "DNAMutation|HGVS:c.1A>G;CorrespondingGene:672",
    "ProteinMutation|RS#:1;HGVS:p.A1G;CorrespondingGene:672",
    "Mutation|rs1",
    "Mutation|tmVar:c|SUB|A|1|G;HGVS:c.1A>G;VariantGroup:0;CorrespondingGene:672",
    "Species|9606",
)
PLAIN_KEYS = tuple(key for key in KEYS if ";" not in key)
MENTIONS = ("-", 'a "b', "B", "b", "NA", "é", "null")
RELATIONS = ("associate", "treat", "cause")


@dataclass
class Load:
    """One load: its kind, its rows and its source. The source of similarities is the name of their model."""

    kind: str
    rows: list
    source: str | None = None

    def __post_init__(self) -> None:
        if self.source is None:
            self.source = "documents" if self.kind == "documents" else "pubtator3"

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{next(_NUMBER)}.txt"
        if self.kind == "similarity":
            made = SimilaritySet(self.source, "", len(KEYS), "scaled", 0.5, 20, 13.4, 0.26, "default")
            rows = [Similarity(*row, self.source) for row in self.rows]
            tables.write_similarities(path, made, [similarity_batch(rows)])
        else:
            path.write_text(_WRITERS[self.kind](self.rows), "utf-8", newline="\n")
        return path

    def run(self, folder: Path, graph: Graph, literature: Literature, settings: Settings, **options) -> ingest.Receipt:
        files = [self.write(folder)]
        match self.kind:
            case "relations":
                return ingest.load_relations(
                    files, graph, settings, source=self.source, literature=lambda: literature, **options
                )
            case "concepts":
                return ingest.load_concepts(files, graph, settings, literature=lambda: literature, **options)
            case "similarity":
                return ingest.load_similarities(*files, graph, settings, literature=lambda: literature, **options)
            case "documents":
                return ingest.load_documents(files, graph, literature, settings, source=self.source, **options)
            case _:
                return ingest.load_pubmed(files, literature, settings, **options)


_NUMBER = count()


@dataclass
class Oracle:
    """What the stores should hold."""

    relations: dict[str, list] = field(default_factory=dict)
    names: dict[str, list] = field(default_factory=dict)
    documents: dict[tuple[str, int], tuple] = field(default_factory=dict)
    records: dict[int, tuple[str, str]] = field(default_factory=dict)
    sets: dict[str, list] = field(default_factory=dict)

    def load(self, load: Load) -> None:
        match load.kind:
            case "relations":
                self.relations[load.source] = load.rows
            case "concepts":
                kinds = {split_key(key)[0] for _, key, _ in load.rows}
                for kind in kinds:
                    self.names[kind] = [row for row in load.rows if split_key(row[1])[0] == kind]
            case "similarity":
                self.sets[load.source] = load.rows
            case "documents":
                self.documents |= {(load.source, document[0]): document for document in load.rows}
            case _:
                self.records |= {pmid: (title, abstract) for pmid, title, abstract in load.rows}

    def edges(self) -> Edges:
        found: dict[tuple[str, str, str], set[int]] = {}
        rows = [row for rows in self.relations.values() for row in rows]
        rows += [
            (pmid, relation, *ends)
            for pmid, _, _, relations in self.documents.values()
            for relation, *ends in relations
        ]
        for pmid, relation, a, b in rows:
            head, tail = canonical(a, b)
            found.setdefault((head, relation, tail), set()).add(pmid)
        return {edge: frozenset(pmids) for edge, pmids in found.items()}

    def concepts(self) -> Names:
        ends = {key for head, _, tail in self.edges() for key in (head, tail)}
        counts: dict[str, Counter[str]] = {key: Counter() for key in ends}
        for rows in self.names.values():
            for _, key, mentions in rows:
                counts.setdefault(_carrier(key, ends), Counter()).update(mentions)
        for _, _, annotations, _ in self.documents.values():
            for key, mention in annotations:
                counts.setdefault(_carrier(key, ends), Counter()).update([mention])
        for key in counts.keys() & _symbols().keys():
            counts[key].setdefault(_symbols()[key], 0)
        return {key: (_symbols().get(key, _preferred(key, names)), dict(names)) for key, names in counts.items()}

    def similarities(self) -> Cosines:
        there = self.concepts().keys()
        every = ((model, *row) for model, rows in self.sets.items() for row in rows)
        return {(model, *ends): cosine for model, *ends, cosine in every if there >= set(ends)}

    def texts(self) -> dict[int, tuple[str, str]]:
        documents = sorted(self.documents.items(), reverse=True)  # the first source by name gives the text
        return {pmid: (title, "") for _, (pmid, title, _, _) in documents} | self.records

    def mentioned(self) -> dict[int, set[str]]:
        """Return the concepts that the documents of all sources annotate, by PMID."""
        found: dict[int, set[str]] = {}
        for pmid, _, annotations, _ in self.documents.values():
            found.setdefault(pmid, set()).update(key for key, _ in annotations)
        return found


@cache
def _symbols() -> dict[str, str]:
    """The symbols of the human genes that come with the program."""
    table = pq.read_table(HUMAN_GENES)
    return dict(zip(table["key"].to_pylist(), table["name"].to_pylist(), strict=True))


def _carrier(key: str, ends: set[str]) -> str:
    """Return the end of an edge that is the same variant as the key, if exactly one agrees best; otherwise the key."""
    if split_key(key)[0] not in VARIANTS or key in ends:
        return key
    scores = Counter({end: _sameness(key, end) for end in ends if split_key(end)[0] in VARIANTS})
    best = [end for end, score in scores.items() if score and score == max(scores.values())]
    return best[0] if len(best) == 1 else key


def _sameness(key: str, other: str) -> int:
    mine, theirs = ([_part(name, text) for name in ("rs", "hgvs", "gene")] for text in (key, other))
    rs, hgvs, gene = (bool(a) and a == b for a, b in zip(mine, theirs, strict=True))
    return 2 * (rs + hgvs + gene) + (mine == theirs) if rs or (hgvs and gene) else 0


def _part(name: str, key: str) -> str:
    patterns = {"rs": r"[|:;](?:rs|RS#:)(\d+)(?:;|$)", "hgvs": r"HGVS:([^;]+)", "gene": r"CorrespondingGene:([^;]+)"}
    found = re.search(patterns[name], key)
    return found[1] if found else ""


def _preferred(key: str, names: Counter[str]) -> str:
    ordered = sorted(names, key=lambda name: (-names[name], name))
    return ordered[0] if ordered else split_key(key)[1]


def edges_of(graph: Graph) -> Edges:
    found = {}
    for batch in graph.relations():
        for row in batch.to_pylist():
            assert row["pmids"] == sorted(set(row["pmids"]))
            found[row["head"], row["relation"], row["tail"]] = frozenset(row["pmids"])
    return found


def concepts_of(graph: Graph) -> Names:
    found = {}
    for concept in graph.every_concept():
        names = dict(zip(concept.synonyms, concept.counts, strict=True))
        symbol = _symbols().get(concept.key)
        assert list(names) == sorted(names, key=lambda name: (name != symbol, -names[name], name))
        found[concept.key] = (concept.name, names)
    return found


def similarities_of(graph: Graph) -> Cosines:
    rows = [row for batch in graph.similarities() for row in batch.to_pylist()]
    found = {(row["model"], row["head"], row["tail"]): row["cosine"] for row in rows}
    assert len(found) == len(rows)
    return found


def texts_of(literature: Literature) -> dict[int, tuple[str, str]]:
    found = literature.get(literature.every_pmid())
    return {pmid: (article.text.title, article.text.abstract) for pmid, article in found.items()}


def check(oracle: Oracle, graph: Graph, literature: Literature) -> None:
    assert edges_of(graph) == oracle.edges()
    assert concepts_of(graph) == oracle.concepts()
    assert similarities_of(graph) == oracle.similarities()
    assert texts_of(literature) == oracle.texts()
    mentioned = {pmid: set(article.annotated) for pmid, article in literature.get(literature.every_pmid()).items()}
    assert {pmid: keys for pmid, keys in mentioned.items() if keys} == {
        pmid: keys for pmid, keys in oracle.mentioned().items() if keys
    }


def _escaped(key: str) -> str:
    return key.replace(">", "&gt;")


def _relation_lines(rows: list) -> str:
    return "".join(f"{pmid}\t{relation}\t{_escaped(a)}\t{_escaped(b)}\n" for pmid, relation, a, b in rows)


def _concept_lines(rows: list) -> str:
    lines = []
    for pmid, key, mentions in rows:
        kind, ident = split_key(_escaped(key))
        lines.append(f"{pmid}\t{kind}\t{ident}\t{'|'.join(mentions)}\tPubTator3\n")
    return "".join(lines)


def _document_lines(rows: list) -> str:
    parts = []
    for pmid, title, annotations, relations in rows:
        parts.append(f"{pmid}|t|{title}\n{pmid}|a|\n")
        for key, mention in annotations:
            kind, ident = split_key(key)
            parts.append(f"{pmid}\t0\t1\t{mention}\t{kind}\t{ident}\n")
        for _, a, b in relations:
            parts.append(f"{pmid}\tAssociation\t{split_key(a)[1]}\t{split_key(b)[1]}\n")
        parts.append("\n")
    return "".join(parts)


def _record_lines(rows: list) -> str:
    return "".join(
        json.dumps({"id": f"pubmed_{pmid}", "PMID": pmid, "title": title, "content": abstract}) + "\n"
        for pmid, title, abstract in rows
    )


_WRITERS = {
    "relations": _relation_lines,
    "concepts": _concept_lines,
    "documents": _document_lines,
    "pubmed": _record_lines,
}

_pmids = st.integers(1, 6)
_keys = st.sampled_from(KEYS)
_words = st.text("abc ", min_size=1, max_size=8).map(lambda text: f"t{text}t")
#: Documents write bare ids, so a document's keys must not share an id: each has one type.
_document_keys = st.sampled_from(("Chemical|MESH:D2", "Disease|OMIM:1", "Gene|672", "Gene|1956", "Disease|MESH:D7"))


_pairs = st.sampled_from([tuple(sorted(pair)) for pair in combinations(KEYS, 2)])


@st.composite
def _documents(draw: st.DrawFn) -> tuple:
    annotations = draw(st.lists(st.tuples(_document_keys, st.sampled_from(("B", "b", "-", "x y"))), max_size=4))
    held = sorted({key for key, _ in annotations})
    ends = st.sampled_from(held) if held else st.nothing()
    relations = draw(st.lists(st.tuples(st.just("associate"), ends, ends), max_size=3 if held else 0))
    return draw(_pmids), draw(_words), annotations, relations


def loads(*kinds: str) -> st.SearchStrategy[Load]:
    """Random loads of some kinds."""
    rows = {
        "relations": st.lists(st.tuples(_pmids, st.sampled_from(RELATIONS), _keys, _keys), min_size=1, max_size=12),
        "concepts": st.lists(
            st.tuples(_pmids, _keys, st.lists(st.sampled_from(MENTIONS), max_size=3)), min_size=1, max_size=8
        ),
        "documents": st.lists(_documents(), min_size=1, max_size=4),
        "pubmed": st.lists(st.tuples(_pmids, _words, _words), min_size=1, max_size=4),
        "similarity": st.lists(st.tuples(_pairs, st.sampled_from((-0.25, 0.5, 1.0))), max_size=12).map(
            lambda pairs: [(*ends, cosine) for ends, cosine in dict(pairs).items()]
        ),
    }
    sources = {
        "relations": st.sampled_from(["pubtator3", "other"]),
        "documents": st.sampled_from(["documents", "another", "zeta"]),
        "similarity": st.sampled_from(["m", "a model (n)"]),
    }
    return st.sampled_from(kinds).flatmap(
        lambda kind: st.builds(Load, st.just(kind), rows[kind], sources.get(kind, st.just("pubtator3")))
    )
