"""Check a manuscript: find what each sentence cites, and judge the sentence by the articles that it cites."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from jinja2 import Environment, PackageLoader, StrictUndefined

from groundwork.errors import TruthHypoError
from groundwork.inventory import labels
from groundwork.ports import LiteratureReader, Progress, Silent, watched
from groundwork.readable import readable
from groundwork.reading.layout import Part, parts
from groundwork.records import Record, live
from groundwork.records.base import counted, listed
from groundwork.study import kind_of_study
from knowhd.citations import CITATION_VERDICTS, Citation, CitationVerdict
from truthhypo.manuscripts.manuscript import (
    Place,
    Reference,
    References,
    Source,
    joined,
    places,
    read_bib,
    read_manuscript,
    split_references,
)

if TYPE_CHECKING:
    from truthhypo.world import World

By = Literal["pmid", "doi", "title"]
#: Minimum number of words of a title that is looked for in the text of a reference.
_TITLE = 4
#: Number of articles among which a title is looked for.
_HITS = 5
#: The verdicts in words.
WORDS = {
    "supported": "supported",
    "contradicted": "contradicted",
    "not_stated": "not stated",
    "not_loaded": "article not loaded",
    "retracted": "retracted",
    "not_found": "reference not found",
}


@dataclass(frozen=True, slots=True)
class CitedReference(Record):
    """A source that a sentence cites, and what it says about the sentence.

    Attributes:
        label: The source as the manuscript names it, for example `3`, `smith2020` or `PMID 12345`.
        reference: The entry of the list of references; empty if there is none.
        by: How the article was found: by PMID, DOI or title; None if it was not found.
        citation: The verdict of the article on the sentence.
    """

    label: str
    reference: str
    by: By | None
    citation: Citation


@dataclass(frozen=True, slots=True)
class CitingSentence(Record):
    """A sentence that cites.

    Attributes:
        text: The sentence, without its citations.
        verdict: `contradicted` if a source contradicts it. `supported` if each of its claims is supported by a source
            that is not retracted. Otherwise the first of `not_stated`, `retracted`, `not_loaded` and `not_found` that a
            source has: `not_stated` if one could be read.
        sources: What it cites, in order.
        error: Why the sentence could not be judged; None if it was judged.
    """

    text: str
    verdict: CitationVerdict
    sources: tuple[CitedReference, ...]
    error: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class ManuscriptReport(Record):
    """What the citations of a manuscript are worth.

    Attributes:
        file: Name of the file.
        sentences: The sentences that cite, in order.
        verdicts: Number of sentences by verdict.
        problems: What is wrong with the list of references, one sentence each.
        model: Name of the judge.
        release: The live releases of graph and literature, each as `SOURCE:ID`, sorted.
        release_labels: `release` with the names of the files of each release, for people to read.
    """

    file: str
    sentences: tuple[CitingSentence, ...]
    verdicts: Mapping[str, int]
    problems: tuple[str, ...]
    model: str
    release: tuple[str, ...]
    release_labels: tuple[str, ...] = field(default=(), compare=False, repr=False, metadata={"private": True})

    def __repr__(self) -> str:
        lines = (f"{sentence.verdict:13} {sentence.text}" for sentence in self.sentences)
        return listed(f"{self.file}: {counted(len(self.sentences), 'citing sentence')}", lines)


def check_manuscript(
    world: World, path: Path, bibs: Sequence[Path] = (), *, progress: Progress | None = None, **options: Any
) -> ManuscriptReport:
    """Judge each sentence of a manuscript that cites by the articles that it cites.

    Args:
        world: The stores and the judge.
        path: The manuscript; `manuscript.ENDINGS` lists the formats.
        bibs: .bib files with its references.
        progress: Receives a report after each sentence.
        **options: Keyword arguments of `World.cite`.

    Raises:
        InputError: A file cannot be read.
        StoreUnreachable, ModelUnreachable: A store or the model cannot be reached.
    """
    body, own = split_references(read_manuscript(path))
    references = joined(own, *map(read_bib, bibs))
    resolver = _Resolver(world.literature_store)
    citing = list(_citing(body, places(body, references)))
    sentences = tuple(
        _checked(world, part, sources, references, resolver, options)
        for part, sources in watched(citing, progress or Silent(), "checking", "sentences")
    )
    verdicts = Counter(sentence.verdict for sentence in sentences)
    release = live(world.graph_store.releases(), world.literature_store.releases())
    return ManuscriptReport(
        path.name,
        sentences,
        {verdict: verdicts[verdict] for verdict in CITATION_VERDICTS},
        references.problems,
        world.judge.name,
        release,
        labels(world.settings.home, release),
    )


def _citing(body: str, cited: Sequence[Place]) -> Iterator[tuple[Part, tuple[Source, ...]]]:
    """Yield each sentence that cites, with its sources. A place behind a full stop belongs to the sentence before."""
    found = parts(readable(body))
    sources: dict[int, list[Source]] = {}
    for place in cited:
        before = [number for number, part in enumerate(found) if part.sentence.start <= place.start]
        if before:
            sources.setdefault(before[-1], []).extend(place.sources)
    for number, named in sorted(sources.items()):
        yield found[number], tuple(dict.fromkeys(named))


def _checked(
    world: World,
    part: Part,
    sources: Sequence[Source],
    references: References,
    resolver: _Resolver,
    options: Mapping[str, Any],
) -> CitingSentence:
    entries = [references.of(source) for source in sources]
    resolved = [resolver.resolve(entry) if entry else (None, None) for entry in entries]
    pmids = [pmid for pmid, _ in resolved if pmid is not None]
    said, error, judged = " ".join(part.said.split()), None, dict[int | None, Citation]()
    if pmids:
        try:
            judged = {cited.pmid: cited for cited in world.cite(said, pmids, **options).citations}
        except TruthHypoError as fault:
            if fault.exit_code != 2:
                raise
            error = {"seen": fault.seen, "wanted": fault.wanted, "remedy": fault.remedy}
    told = tuple(
        CitedReference(
            f"PMID {source.name}" if source.kind == "pmid" else source.name,
            entry.text if entry else "",
            by,
            judged.get(pmid)
            or Citation(
                pmid,
                "not_found",
                reason="No article of the literature has the PMID, DOI or title of this reference."
                if entry
                else f"The manuscript has no reference for {source.name!r}.",
            ),
        )
        for source, entry, (pmid, by) in zip(sources, entries, resolved, strict=True)
    )
    return CitingSentence(said, _verdict([each.citation for each in told]), told, error)


def _verdict(citations: Sequence[Citation]) -> CitationVerdict:
    """Return the verdict of all sources of a sentence together."""
    given = {citation.verdict for citation in citations}
    if "contradicted" in given:
        return "contradicted"
    counting = [citation for citation in citations if citation.verdict in {"supported", "not_stated"}]
    by_claim = zip(*(citation.claims for citation in counting if citation.claims), strict=True)
    if counting and all(any(claim.verdict == "supported" for claim in each) for each in (list(by_claim) or [()])):
        return "supported"
    rest: tuple[CitationVerdict, ...] = ("not_stated", "retracted", "not_loaded", "not_found")
    return next(verdict for verdict in rest if verdict in given or (verdict == "not_stated" and "supported" in given))


class _Resolver:
    """Finds the articles of references, each only once."""

    def __init__(self, literature: LiteratureReader) -> None:
        self._literature = literature
        self._found: dict[Reference, tuple[int | None, By | None]] = {}

    def resolve(self, reference: Reference) -> tuple[int | None, By | None]:
        """Return the PMID of a reference and how it was found; None and None if no article is it.

        A PMID that the reference gives is returned even if the literature has no such article.
        """
        if reference not in self._found:
            self._found[reference] = self._resolved(reference)
        return self._found[reference]

    def _resolved(self, reference: Reference) -> tuple[int | None, By | None]:
        if reference.pmid is not None:
            return reference.pmid, "pmid"
        if reference.doi and (known := self._literature.by_doi([reference.doi])):
            return known[reference.doi], "doi"
        wanted = _bare(reference.title or reference.text)
        if len(wanted.split()) < _TITLE:
            return None, None
        hits = self._literature.search(reference.title or reference.text, k=_HITS).hits
        for hit in hits:
            title = _bare(hit.title)
            whole = title == wanted if reference.title else f" {title} " in f" {wanted} "
            if whole and len(title.split()) >= _TITLE:
                return hit.pmid, "title"
        return None, None


def _bare(text: str) -> str:
    """Return the words of a text in lower case."""
    return " ".join(re.findall(r"\w+", text.lower()))


def page(report: ManuscriptReport) -> str:
    """Return the HTML page of a report."""
    environment = Environment(
        loader=PackageLoader("truthhypo.manuscripts"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("manuscript.html").render(report=report, words=WORDS, study=kind_of_study)
