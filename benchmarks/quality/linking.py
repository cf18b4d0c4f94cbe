"""Measure how well words are linked to concepts, and whether the abstract that states a claim is found.

The names and the annotated articles come from real data. A simple linker stands beside ours: a dictionary that gives
each lower-case string its most frequent id. A string that it does not contain gets the ids of the most similar strings
(rapidfuzz's ratio). It refuses nothing.
"""

import csv
import gzip
import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from lxml import etree
from rapidfuzz import fuzz, process
from rich.console import Console
from rich.table import Table

import literature
from benchmarks import parser_of
from cypher import connect
from groundwork.linking import Linker, Mention
from groundwork.ports import Literature, LiteratureReader
from groundwork.records import Abstract, Concept, Text
from groundwork.settings import Settings
from groundwork.surroundings import Surroundings
from groundwork.tables import concept_batch
from ingest import identifiers
from ingest.rejects import Reason
from knowhd.claims import Claim
from knowhd.gather import query
from tests.conftest import DATA

Names = dict[str, Counter[str]]
#: The count of a dictionary's preferred name. Other names have smaller counts, so that this name is preferred.
PREFERRED = 2
_TEXT = re.compile(r"(\d+)\|([ta])\|(.*)")
#: Number of similar strings that replace a string which the dictionary does not contain.
LIKE = 5
TYPES = ("Disease", "Chemical", "Gene", "Species")
FOLDS = 4
CUTS = (1, 5, 8, 32)
VERB = "affects"


@dataclass(frozen=True)
class Annotation:
    """A span of text and its keys. It has several keys if it names several things, and none if it is not normalised."""

    text: str
    type: str
    keys: tuple[str, ...]


@dataclass
class Article:
    """An annotated abstract; relations are (head, relation, tail), with keys as ends, in the order of the file."""

    pmid: int
    title: str
    abstract: str = ""
    annotations: list[Annotation] = field(default_factory=list)
    relations: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Title and abstract, joined as the offsets of annotations assume."""
        return f"{self.title} {self.abstract}"


def training(data: Path) -> list[Article]:
    """Return BioRED Train and BC5CDR without the abstracts of BioRED Dev. If both have one, BioRED's is used."""
    dev = {article.pmid for article in held_out(data)}
    found: dict[int, Article] = {}
    for article in [*_read(data / "biored/Train.PubTator"), *_read(data / "bc5cdr/CDR_TrainingSet.PubTator.txt")]:
        if article.pmid not in dev:
            found.setdefault(article.pmid, article)
    return list(found.values())


def biored_training(data: Path) -> list[int]:
    """Return the PMIDs of `training` that BioRED annotated."""
    dev = {article.pmid for article in held_out(data)}
    return [article.pmid for article in _read(data / "biored/Train.PubTator") if article.pmid not in dev]


def bc5cdr(data: Path) -> tuple[list[Article], list[Article]]:
    """Return (training, test) articles. Training articles are BioRED Train and one half of BC5CDR's training set, and
    the other half is the test. No abstract is in both."""
    articles = list(_read(data / "bc5cdr/CDR_TrainingSet.PubTator.txt"))
    half = len(articles) // 2
    tested = {article.pmid for article in articles[half:]}
    biored = [article for article in _read(data / "biored/Train.PubTator") if article.pmid not in tested]
    return [*biored, *(a for a in articles[:half] if a.pmid not in {b.pmid for b in biored})], articles[half:]


def held_out(data: Path) -> list[Article]:
    """Return the articles of BioRED Dev."""
    return list(_read(data / "biored/Dev.PubTator"))


def distractors(data: Path) -> Iterator[tuple[int, str]]:
    """Other abstracts and passages: PubMedQA, Citation-Integrity, HealthVer, PubTator 3 and Central, PubMed's sample.

    A text without a PMID gets a number above all PMIDs.
    """
    for pmid, item in json.loads((data / "pubmedqa/pqal_dev.json").read_text("utf-8")).items():
        yield int(pmid), " ".join([item["QUESTION"], *item["CONTEXTS"]])
    sample = json.loads((data / "pubtator3/demo_pubtator.biocjson").read_text("utf-8"))["PubTator3"]
    yield from ((int(item["id"]), " ".join(part["text"] for part in item["passages"])) for item in sample)
    legacy: dict[int, str] = {}
    for line in (data / "pubtator_legacy/1-sample-annotations.txt").read_text("utf-8").splitlines():
        if given := _TEXT.match(line):
            legacy[int(given[1])] = f"{legacy.get(int(given[1]), '')} {given[3]}"
    yield from legacy.items()
    records = etree.fromstring(gzip.decompress((data / "pubmed_xml/pubmedsample_2019.xml.gz").read_bytes()))
    for record in records.iter("PubmedArticle"):
        parts = ["".join(part.itertext()) for part in record.iter("ArticleTitle", "AbstractText")]
        yield int(record.findtext(".//PMID") or 0), " ".join(parts)
    number = 900_000_000
    with (data / "healthver/healthver_dev.csv").open(encoding="utf-8", newline="") as file:
        passages = sorted({row["evidence"] for row in csv.DictReader(file)})
    lines = (data / "citation_integrity/corpus.jsonl").read_text("utf-8").splitlines()
    passages += [" ".join(json.loads(line)["abstract"]) for line in lines]
    yield from enumerate(passages, number)


def mentioned(articles: Iterable[Article]) -> Names:
    """Return the counts of each concept's names. A mention of several concepts counts for each, as in a load."""
    names: Names = defaultdict(Counter)
    for article in articles:
        for annotation in article.annotations:
            for key in annotation.keys:
                names[key][annotation.text] += 1
    return names


def dictionaries(data: Path, *, full: bool = False) -> Names:
    """Return MeSH's headings for diseases (with symptoms and mental disorders) and chemicals, and names of human genes.

    Each name counts once, like a row of a file of concepts.

    Args:
        data: The folder of real data.
        full: Count preferred names more, and add the descriptions and other designations of genes. This helps linking.
            Claims and queries should use the names that authors use.
    """
    names: Names = defaultdict(Counter)
    with (data / "mesh/tree-numbers.tsv").open(encoding="utf-8") as file:
        for ident, name, tree in csv.reader(file, delimiter="\t"):
            kind = {"C": "Disease", "F": "Disease", "D": "Chemical"}.get(tree[0])
            if kind:
                names[f"{kind}|MESH:{ident}"][name] = PREFERRED if full else 1
    with gzip.open(data / "genes/Homo_sapiens.gene_info.gz", "rt", encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                row = line.rstrip("\n").split("\t")
                called = [row[2], *row[4].split("|"), row[11]]
                called += [row[8], *row[13].split("|")] if full else []
                key = f"Gene|{row[1]}"
                names[key].update(dict.fromkeys((name for name in called if name != "-"), 1))
                if full:
                    names[key][row[2]] = PREFERRED
    return names


def concepts(*names: Mapping[str, Mapping[str, int]]) -> list[Concept]:
    """Make concepts from counts of names, as a load does."""
    added: Names = defaultdict(Counter)
    for source in names:
        for key, counts in source.items():
            added[key].update(counts)
    return [concept(key, added[key]) for key in sorted(added)]


def concept(key: str, counts: Mapping[str, int]) -> Concept:
    """Make a concept from counts of its names, most frequent first. Names that were never seen are left out."""
    ranked = sorted(((n, c) for n, c in counts.items() if c > 0), key=lambda item: (-item[1], item[0]))
    names = tuple(name for name, _ in ranked)
    return Concept(key, names[0] if names else key.partition("|")[2], names, tuple(count for _, count in ranked))


def _read(path: Path) -> Iterator[Article]:
    """Yield the articles of a file in PubTator format."""
    article: Article | None = None
    waiting: list[tuple[str, str, str]] = []
    for line in [*path.read_text("utf-8").splitlines(), ""]:
        if not line.strip():
            if article is not None:
                _relate(article, waiting)
                yield article
            article, waiting = None, []
        elif given := _TEXT.match(line):
            if article is None:
                article = Article(int(given[1]), given[3])
            else:
                article.abstract = given[3]
        elif article is not None:
            columns = line.split("\t")
            if columns[1].isdigit():
                kind = identifiers.ENTITY_TYPES[columns[4]]
                keys = identifiers.keys(columns[4], columns[5] if len(columns) > 5 else "-")
                named = () if isinstance(keys, Reason) else keys
                article.annotations.append(Annotation(columns[3], kind, named))
            else:
                waiting.append((columns[1], columns[2], columns[3]))


def _relate(article: Article, relations: Iterable[tuple[str, str, str]]) -> None:
    """Add relations to an article. Their bare ids are replaced by the keys of the annotations with these ids."""
    keys = {key.partition("|")[2].removeprefix("MESH:"): key for a in article.annotations for key in a.keys}
    for name, head, tail in relations:
        ends = keys.get(head.removeprefix("MESH:")), keys.get(tail.removeprefix("MESH:"))
        if ends[0] and ends[1]:
            article.relations.append((ends[0], name, ends[1]))


class Dictionary:
    """Maps strings of a type to keys.

    Args:
        sources: Counts of each concept's names. A name in two sources counts in both.
    """

    def __init__(self, *sources: Names) -> None:
        self._keys: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        for key, name, count in _rows(sources):
            self._keys[key.partition("|")[0]][name.lower()][key] += count
        self._strings = {kind: list(held) for kind, held in self._keys.items()}
        self._done: dict[tuple[str, str], list[str]] = {}

    def ranked(self, given: Annotation) -> list[str]:
        """Return the keys for an annotated string, the most frequent first."""
        asked = given.type, given.text.lower()
        if asked not in self._done:
            held = self._keys[given.type]
            strings = [asked[1]] if asked[1] in held else self._like(*asked)
            keys = (
                key for string in strings for key, _ in sorted(held[string].items(), key=lambda kc: (-kc[1], kc[0]))
            )
            self._done[asked] = list(dict.fromkeys(keys))
        return self._done[asked]

    def _like(self, kind: str, string: str) -> list[str]:
        return [
            name for name, _, _ in process.extract(string, self._strings.get(kind, []), scorer=fuzz.ratio, limit=LIKE)
        ]


def _rows(sources: Iterable[Mapping[str, Mapping[str, int]]]) -> Iterable[tuple[str, str, int]]:
    for source in sources:
        for key, counts in source.items():
            yield from ((key, name, count) for name, count in counts.items())


@dataclass
class Counts:
    """The results for the annotations of one type."""

    n: int = 0
    known: int = 0
    first: int = 0
    five: int = 0
    accepted: int = 0
    right: int = 0
    unseen: int = 0
    unseen_first: int = 0
    plain_first: int = 0
    plain_five: int = 0
    plain_unseen: int = 0
    by_how: dict[str, Counter[bool]] = field(default_factory=lambda: defaultdict(Counter))

    def share(self, part: int, whole: int | None = None) -> float:
        """Return a part as a share of the whole, by default of `n`; 0 if the whole is 0."""
        return part / max(1, self.n if whole is None else whole)


def fold(data: Path, number: int) -> tuple[list[Article], list[Article]]:
    """Return (articles to learn from, articles to test on). A random fourth of BioRED Train is tested, and all other
    training abstracts are for learning."""
    order = biored_training(data)
    Random(7).shuffle(order)
    chosen = set(order[number::FOLDS])
    articles = training(data)
    return [a for a in articles if a.pmid not in chosen], [a for a in articles if a.pmid in chosen]


def linked(data: Path, learned: Sequence[Article], tested: Iterable[Article]) -> dict[str, Counts]:
    """Link every annotation of some articles within its article."""
    told = mentioned(learned)
    dictionary = dictionaries(data, full=True)
    every = concepts(told, dictionary)
    plain = Dictionary(told, dictionary)
    known = {concept.key for concept in every}
    seen = {(a.type, a.text.casefold()) for article in learned for a in article.annotations}
    counts: dict[str, Counts] = defaultdict(Counts)
    with tempfile.TemporaryDirectory() as home:
        graph = connect("memory:", Settings(home=Path(home)))
        with graph.writing():
            graph.put_concepts([concept_batch(every)])
        linker = Linker(graph)
        for article in tested:
            within = Surroundings.of(article.text)
            done: dict[tuple[str, str], Mention] = {}
            for given in article.annotations:
                if given.type in TYPES and given.keys:
                    named = given.text, given.type
                    if named not in done:
                        done[named] = linker.link(given.text, type=given.type, within=within)
                    unseen = (given.type, given.text.casefold()) not in seen
                    _count(counts[given.type], done[named], given, known, unseen=unseen)
                    _count_plain(counts[given.type], plain.ranked(given), given, unseen=unseen)
        graph.close()
    return counts


def _count(counts: Counts, mention: Mention, given: Annotation, known: set[str], *, unseen: bool) -> None:
    ranked = [match.key for match in mention.alternatives]
    first = bool(ranked) and ranked[0] in given.keys
    counts.n += 1
    counts.known += not known.isdisjoint(given.keys)
    counts.first += first
    counts.five += not set(ranked[:5]).isdisjoint(given.keys)
    if unseen:
        counts.unseen += 1
        counts.unseen_first += first
    if mention.key is not None and not mention.ambiguous:
        counts.accepted += 1
        counts.right += mention.key in given.keys
        counts.by_how[mention.how][mention.key in given.keys] += 1


def _count_plain(counts: Counts, ranked: Sequence[str], given: Annotation, *, unseen: bool) -> None:
    first = bool(ranked) and ranked[0] in given.keys
    counts.plain_first += first
    counts.plain_five += not set(ranked[:5]).isdisjoint(given.keys)
    counts.plain_unseen += unseen and first


def table(counts: dict[str, Counts]) -> Table:
    """Return a table of the figures, two rows per type."""
    shown = Table(
        "type", "linked by", "n", "known", "@1", "@5", "@1 of known", "accepted", "precision", "unseen", "@1 of it"
    )
    for kind in TYPES:
        c = counts[kind]
        shared = str(c.n), f"{c.share(c.known):.3f}"
        rows = {
            "ours": (c.first, c.five, c.unseen_first, c.accepted, c.right),
            "plain": (c.plain_first, c.plain_five, c.plain_unseen, c.n, c.plain_first),
        }
        for name, (first, five, unseen, accepted, right) in rows.items():
            figures = (
                c.share(first),
                c.share(five),
                c.share(first, c.known),
                c.share(accepted),
                c.share(right, accepted),
            )
            shown.add_row(
                kind, name, *shared, *(f"{x:.3f}" for x in figures), str(c.unseen), f"{c.share(unseen, c.unseen):.3f}"
            )
    accepted, right = sum(c.accepted for c in counts.values()), sum(c.right for c in counts.values())
    shown.caption = f"precision over all accepted links {right / max(1, accepted):.3f} (n = {accepted})"
    return shown


def linking() -> None:
    """Measure how well annotated words of BioRED are linked to their annotated concepts.

        python -m benchmarks linking [--held-out | --bc5cdr | --fold N]

    The names in the graph come from the other training abstracts and from dictionaries (`corpus`). Without an option, a
    fold of BioRED Train is linked; --bc5cdr links one half of BC5CDR's training set. A link is right if it is one of
    the annotation's ids. @1 and @5 count candidates in their order, even if the link is ambiguous or refused. A link is
    accepted if it has a key and is not ambiguous. "known" is the share of annotations with an id in the graph; @1 and
    @5 cannot exceed it. "plain" is the result of `rival` with the same names.
    """
    parser = parser_of(linking)
    split = parser.add_mutually_exclusive_group()
    split.add_argument("--held-out", action="store_true", help="BioRED Dev")
    split.add_argument("--bc5cdr", action="store_true", help="BC5CDR's development half")
    split.add_argument("--fold", type=int, default=0)
    asked = parser.parse_args()
    if asked.held_out:
        learned, tested = training(DATA), held_out(DATA)
    else:
        learned, tested = bc5cdr(DATA) if asked.bc5cdr else fold(DATA, asked.fold)
    counts = linked(DATA, learned, tested)
    console = Console(width=140)
    console.print(table(counts))
    for kind in TYPES:
        hows = {how: f"{n[True]}/{n.total()}" for how, n in sorted(counts[kind].by_how.items())}
        console.print(kind, hows)


@dataclass(frozen=True)
class Stated:
    """A relation between two concepts and the abstract that states it."""

    pmid: int
    head: str
    tail: str


class Library:
    """All abstracts, the names that their authors use, and the relations that claims are made from."""

    def __init__(self, data: Path, articles: Sequence[Article]) -> None:
        self.texts = {article.pmid: article.text for article in articles}
        for pmid, text in distractors(data):
            self.texts.setdefault(pmid, text)
        self.mentioned = mentioned(articles)
        self.dictionaries = dictionaries(data)
        self._own: dict[int, Names] = {article.pmid: mentioned([article]) for article in articles}
        self.stated = [Stated(a.pmid, head, tail) for a in articles for head, _, tail in a.relations]

    def concept(self, key: str, barred: int | None = None) -> Concept:
        """Return a concept with all known names, except those that only the abstract `barred` has."""
        names = Counter(self.mentioned.get(key, Counter()))
        names.update(self.dictionaries.get(key, Counter()))
        if barred is not None:
            names.subtract(self._own[barred].get(key, Counter()))
        return concept(key, names)

    def load(self, store: Literature) -> None:
        """Put all abstracts into an index."""
        with store.writing():
            store.put(Abstract(pmid, None, Text("", text)) for pmid, text in sorted(self.texts.items()))


def claim(ends: Sequence[Concept]) -> Claim:
    """Return a claim that one concept affects the other, with linked names."""
    names = [concept.name for concept in ends]
    text = f"{names[0]} {VERB} {names[1]}"
    spans = (0, len(names[0])), (len(text) - len(names[1]), len(text))
    mentions = tuple(
        Mention(name, *span, concept.key, concept.name, 1.0)
        for name, span, concept in zip(names, spans, ends, strict=True)
    )
    return Claim(text, text, (0, len(text)), tuple(concept.key for concept in ends), mentions=mentions)


def plain(store: LiteratureReader, made: Claim, ends: Sequence[Concept]) -> list[int]:
    """Return the PMIDs found for the claim's text."""
    return [hit.pmid for hit in store.search(made.text, k=CUTS[-1]).hits]


def asked(store: LiteratureReader, made: Claim, ends: Sequence[Concept]) -> list[int]:
    """Return the PMIDs found by the query of `ground`."""
    wanted = query(made, {concept.key: concept for concept in ends})
    return [hit.pmid for hit in store.search(wanted.text, names=wanted.names, k=CUTS[-1]).hits]


def recall(
    library: Library,
    store: LiteratureReader,
    stated: Sequence[Stated],
    way: Callable[[LiteratureReader, Claim, Sequence[Concept]], list[int]],
    *,
    barred: bool,
) -> dict[str, list[float]]:
    """Return recall at `CUTS` and the number of claims: for all claims, and for those in which both ends have another
    name."""
    found: dict[str, Counter[int]] = defaultdict(Counter)
    counted: Counter[str] = Counter()
    for one in stated:
        ends = [library.concept(key, one.pmid if barred else None) for key in (one.head, one.tail)]
        pmids = way(store, claim(ends), ends)
        for group in ("all", "named") if all(end.synonyms for end in ends) else ("all",):
            counted[group] += 1
            for cut in CUTS:
                found[group][cut] += one.pmid in pmids[:cut]
    return {group: [found[group][cut] / counted[group] for cut in CUTS] + [counted[group]] for group in counted}


def edges(library: Library, stated: Sequence[Stated]) -> float:
    """Return the share of canonical claims for which both concepts are found in the text."""
    with tempfile.TemporaryDirectory() as home:
        graph = connect("memory:", Settings(home=Path(home)))
        with graph.writing():
            graph.put_concepts([concept_batch(concepts(library.mentioned, library.dictionaries))])
        linker = Linker(graph)
        right = 0
        for one in stated:
            made = claim([library.concept(one.head), library.concept(one.tail)])
            right += {one.head, one.tail} <= {mention.key for mention in linker.mentions(made.text)}
        graph.close()
    return right / len(stated)


def retrieval() -> None:
    """Measure how often the abstract that states a relation is among the k best for a claim made from it.

        python -m benchmarks retrieval [--held-out] [--address memory:|embedded:PATH|http://...] [--sample N]

    A claim says "NAME affects NAME" of the two ends of an annotated relation. `canonical`: each end has its most
    frequent name, and the graph knows the names of all abstracts and dictionaries. `barred`: names that only the source
    abstract has are used neither in the claim nor in the graph, and an end without any other name is called by its id.
    `named` are the claims in which both ends have another name. `plain` searches the text of the claim alone. `edge` is
    the share of canonical claims for which the linker finds both concepts in the text, so that the stated edge is
    found.
    """
    parser = parser_of(retrieval)
    parser.add_argument("--held-out", action="store_true", help="claims from BioRED Dev, not from training abstracts")
    parser.add_argument("--address", default="memory:")
    parser.add_argument("--sample", type=int, default=0, help="claims drawn by lot; 0: all")
    given = parser.parse_args()
    held = held_out(DATA)
    library = Library(DATA, [*training(DATA), *held])
    chosen = {article.pmid for article in held}
    stated = [one for one in library.stated if (one.pmid in chosen) == given.held_out]
    if given.sample:
        stated = Random(1).sample(stated, given.sample)
    shown = Table("claims", "asked", "of", "n", *(f"@{cut}" for cut in CUTS), title=f"{len(library.texts)} abstracts")
    with tempfile.TemporaryDirectory() as home:
        store = literature.connect(given.address, Settings(home=Path(home)))
        library.load(store)
        for barred in (False, True):
            for way in (plain, asked):
                for group, row in recall(library, store, stated, way, barred=barred).items():
                    figures = [f"{share:.3f}" for share in row[:-1]]
                    shown.add_row("barred" if barred else "canonical", way.__name__, group, str(row[-1]), *figures)
        store.close()
    console = Console(width=120)
    console.print(shown)
    console.print(f"edge: {edges(library, stated):.3f} of {len(stated)}")
