"""Judge texts with the stores and models that the settings name. This module joins the other rooms (packages)."""

from __future__ import annotations

from copy import copy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from fuzzygraph.options import RiskOptions
from groundwork import inventory
from groundwork.errors import InputError, TruthHypoError, without_password
from groundwork.options import checked_options
from groundwork.readable import statement
from groundwork.records import live
from knowhd.options import CiteOptions, GroundOptions
from truthhypo.hypotheses.options import HypothesizeOptions
from truthhypo.judging import Judging, connected, usable
from truthhypo.lookups import GraphLookups, LiteratureLookups, cited_pmids, known_names, meanings
from truthhypo.resources import Stores
from truthhypo.worker_pool import asynchronous

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence
    from typing import Unpack

    from fuzzygraph.options import RiskKeywords
    from fuzzygraph.risk_report import RiskReport
    from groundwork.network import ArticleMask
    from groundwork.options import Options
    from groundwork.ports import Graph, LanguageModel, Literature, Progress
    from groundwork.reading.encoder import Encoder
    from groundwork.records import Record
    from groundwork.settings import Settings
    from knowhd.check import Checker
    from knowhd.citations import CitationReport
    from knowhd.ground_report import GroundReport
    from knowhd.judge import Judge
    from knowhd.options import CiteKeywords, GroundKeywords
    from truthhypo.faces.many.report import Command, ManyReport
    from truthhypo.faces.many.sources import Citing, GivenTexts, Pairs, Source
    from truthhypo.hypotheses.hypothesis import Hypothesis
    from truthhypo.hypotheses.options import HypothesizeKeywords
    from truthhypo.manuscripts.check import ManuscriptReport
    from truthhypo.resources import Kind


class World:
    """A graph, a literature and a model, and the lookups and judgements that use them.

    Stores are opened when they are first used, and read-only unless `read_only` is False. A world can be used from
    several threads: lookups run at the same time, and judgements wait for each other. To judge many texts, use
    `ground_many`, which calls a remote model for several texts at a time.

    Example:
        >>> with truthhypo.connect() as world:
        ...     world.ground("Simvastatin lowers cholesterol.").groundedness["both"]
        1.0
    """

    def __init__(
        self, settings: Settings, *, read_only: bool = True, loading: bool = False, stores: Stores | None = None
    ) -> None:
        self._stores = stores or Stores(settings, read_only=read_only, loading=loading)
        self._lent = False  # whether another world closes the stores
        self.judging = Judging(settings, self._stores)

    def _like(self, judging: Judging) -> World:
        """Return a world with other judgements, which shares the stores and the lock of this one."""
        other = copy(self)
        other.judging, other._lent = judging, True
        return other

    @property
    def settings(self) -> Settings:
        """All settings."""
        return self.judging.settings

    def with_model(self, model: LanguageModel | str | None) -> World:
        """Return a world with the same stores and another model. The returned world need not be closed.

        Args:
            model: A model (`truthhypo.LanguageModel`), the name of a model, or None for the rules.

        Raises:
            InputError: There is no model of this name, or the value is no model.

        Example:
            >>> world.with_model(None).ground("Simvastatin lowers cholesterol.").model
            'rules (deterministic, not a language model)'
        """
        found = connected(model, self.settings) if isinstance(model, str) else usable(model)
        return self._like(self.judging.with_model(found))

    def judged_by(self, name: str) -> World:
        """Return a world with the same stores and another judge. The judge is made once."""
        return self._like(self.judging.judged_by(name))

    def of_species(self, species: str | None) -> World:
        """Return a world with the same stores, model and judge, in which symbols mean the genes of another organism.

        Args:
            species: Taxon id of the organism; None for this world itself. The returned world need not be closed.

        Example:
            >>> world.of_species("10090").graph.store.species
            '10090'
        """
        return self if species is None else self._like(self.judging.of_species(species))

    @property
    def graph(self) -> GraphLookups:
        """Graph lookups by key or name.

        Example:
            >>> world.graph.find("metformin").concepts[0].key
            'Chemical|MESH:D008687'
        """
        return GraphLookups(lambda: self.graph_store, self.uncounted, self.settings.home)

    @property
    def literature(self) -> LiteratureLookups:
        """Literature lookups.

        Example:
            >>> world.literature.search("aspirin infarction").hits[0].pmid
            990000005
        """
        names = partial(known_names, self.settings.graph_address, lambda: self.graph_store)
        return LiteratureLookups(lambda: self.literature_store, names)

    @property
    def graph_store(self) -> Graph:
        """The graph store, for reading and, unless the world is read-only, for writing.

        Raises:
            InputError: The world is closed, or belongs to another process.
        """
        return self.judging.graph

    @property
    def literature_store(self) -> Literature:
        """The literature store, for reading and, unless the world is read-only, for writing.

        Raises:
            InputError: The world is closed, or belongs to another process.
        """
        return self._stores.literature

    @property
    def absent(self) -> frozenset[Kind]:
        """Kinds of store (`graph`, `literature`) under HOME into which no data was ever loaded."""
        return self._stores.absent

    @property
    def model(self) -> LanguageModel | None:
        """The language model, or None if the setting `model` is `rules`: deterministic rules that call no model."""
        return self.judging.model

    @property
    def reader(self) -> Encoder:
        """The encoder that reads claims and evidence."""
        return self._stores.reader

    @property
    def judge(self) -> Judge:
        """The judge of claims: the judge in the setting `judge`; without one, the language model or else the rules."""
        return self.judging.judge

    def expect(self, look_ups: int) -> None:
        """Announce the number of path lookups before the first one.

        If the graph is on a server, many lookups are answered from an atlas, a copy of the graph in files.
        """
        self._stores.look_ups = look_ups

    def uncounted(self, *, exclude_retracted: bool = False) -> ArticleMask | None:
        """Return the articles that do not count as support of edges; see `LiteratureReader.uncounted`.

        The result is None if no literature was ever loaded. If the literature cannot be read, a warning
        (`NoticesUnknown`) says that all articles count.

        Args:
            exclude_retracted: Whether retracted articles do not count either.

        Raises:
            StoreError: The literature cannot be read and retracted articles shall be excluded, or it is damaged.

        Example:
            >>> 990000005 in world.uncounted().pmids
            False
        """
        return self._stores.uncounted(exclude_retracted=exclude_retracted)

    @checked_options(GroundOptions)
    def ground(self, text: str, *, progress: Progress | None = None, **options: Unpack[GroundKeywords]) -> GroundReport:
        """Return the groundedness of a text: its claims, their evidence and verdicts (KnowHD, paper A section 3).

        Args:
            text: A hypothesis, with or without its rationale.
            progress: Receives a report after each sentence and each claim.
            **options: The fields of `GroundOptions`.

        Example:
            >>> world.ground("Aspirin causes myocardial infarction.").claims[0].verdicts["both"]
            'contradicted'
        """
        asked = GroundOptions(**options)
        with self._stores.turn:
            return self.judging.grounded(text, asked, self.model, progress)

    @checked_options(RiskOptions)
    def risk(self, text: str, *, progress: Progress | None = None, **options: Unpack[RiskKeywords]) -> RiskReport:
        """Return the hallucination risk of a text, computed from paths in the fuzzy concept graph (paper B).

        Args:
            text: Any English text.
            progress: Receives a report after each sentence and each claim.
            **options: The fields of `RiskOptions`.

        Example:
            >>> risk = world.risk("Simvastatin lowers cholesterol.")
            >>> round(risk.hrs, 2), round(risk.strength, 2), risk.flags
            (0.01, 0.84, ())
        """
        asked = RiskOptions(**options)
        with self._stores.turn:
            return self.judging.measured(text, asked, progress)

    @checked_options(CiteOptions)
    def cite(
        self,
        claim: str,
        pmids: Iterable[int | str] = (),
        *,
        evidence: str | None = None,
        progress: Progress | None = None,
        **options: Unpack[CiteKeywords],
    ) -> CitationReport:
        """Return whether each cited article states a claim, and by which sentence.

        Args:
            claim: A statement, which may make several claims.
            pmids: PMIDs of the cited articles, as numbers or text (`12345`, `PMID: 12345`).
            evidence: A text that is judged like an article, before the articles: a part of a full text, for instance.
            progress: Receives a report after each sentence and each claim.
            **options: The fields of `CiteOptions`.

        Raises:
            InputError: A PMID is no positive number, or neither PMIDs nor evidence are given.

        Example:
            >>> world.cite("Aspirin causes myocardial infarction.", [990000005]).citations[0].verdict
            'contradicted'
        """
        asked = CiteOptions(**options)
        known = cited_pmids(pmids)
        if not known and evidence is None:
            seen = "a claim with neither PMIDs nor a text"
            raise InputError(seen, "at least one PMID, or a text as evidence", "name the cited articles")
        own = None if evidence is None else statement(evidence)
        with self._stores.turn:
            return self.judging.cited(claim, known, asked, self.model, own, progress)

    @checked_options(HypothesizeOptions)
    def hypothesize(self, head: str, tail: str, **options: Unpack[HypothesizeKeywords]) -> Hypothesis:
        """Propose the relation between two concepts (TruthHypo, paper A section 2.2).

        Args:
            head: Key, id or name of the first concept.
            tail: Key, id or name of the second concept.
            **options: The fields of `HypothesizeOptions`. The names in `concepts` may include `head` and `tail`.

        Raises:
            InputError: The pair is of other types than the tasks, the setting `parametric` is used without a language
                model, or an argument is invalid.

        Example:
            >>> world.hypothesize("simvastatin", "HMGCR").relation
            'negative_correlate'
        """
        asked = HypothesizeOptions(**options)
        with self._stores.turn:
            return self.judging.proposed(head, tail, asked, self.model)

    @checked_options(GroundOptions)
    def ground_many(
        self,
        texts: GivenTexts,
        column: Hashable | None = None,
        progress: bool | Progress = True,
        out: str | Path | None = None,
        **options: Unpack[GroundKeywords],
    ) -> ManyReport:
        """Return the groundedness of many texts. A text that cannot be judged gets an error and does not end the run.

        If a run is interrupted, its finished texts are kept, and the same call continues it. Without `out`, they are
        kept under HOME until the run is complete.

        Args:
            texts: A list or another iterable of texts, a pandas Series or DataFrame, or the path of a .txt (one text
                per line), .csv, .jsonl or .parquet file.
            column: Column with the texts: the label of a column of a DataFrame, or the name of a column of a file; by
                default the first of text, statement, claim, hypothesis and sentence that exists.
            progress: Whether to show a progress bar, or an object that receives the progress.
            out: File for the results: .jsonl, .csv or .parquet, as with
                `truthhypo ground --file TEXTS --out FILE`.
            **options: The fields of `GroundOptions`, as in `ground`.

        Example:
            >>> many = world.ground_many(["Simvastatin lowers cholesterol.", None], progress=False)
            >>> many.to_frame()[["verdict_both", "error"]].fillna("").values.tolist()
            [['supported', ''], ['', 'a missing text']]
        """
        from truthhypo.faces.many.sources import read_source

        asked = GroundOptions(**options)
        read = partial(read_source, texts, column)
        return self._many(
            "ground", asked, read, lambda model, text: self.judging.grounded(text, asked, model), progress, out
        )

    @checked_options(RiskOptions)
    def risk_many(
        self,
        texts: GivenTexts,
        column: Hashable | None = None,
        progress: bool | Progress = True,
        out: str | Path | None = None,
        **options: Unpack[RiskKeywords],
    ) -> ManyReport:
        """Return the hallucination risk of many texts.

        Args:
            texts: This and the following three arguments are those of `ground_many`.
            column: As in `ground_many`.
            progress: As in `ground_many`.
            out: As in `ground_many`.
            **options: The fields of `RiskOptions`, as in `risk`.

        Example:
            >>> many = world.risk_many(["Simvastatin lowers cholesterol.", ""], progress=False)
            >>> many.claims()[["status", "error"]].fillna("").values.tolist()
            [['measured', ''], ['', 'an empty text']]
        """
        from truthhypo.faces.many.sources import read_source

        asked = RiskOptions(**options)
        read = partial(read_source, texts, column)
        return self._many("risk", asked, read, lambda _, text: self.judging.measured(text, asked), progress, out)

    @checked_options(HypothesizeOptions)
    def hypothesize_many(
        self,
        pairs: Pairs,
        progress: bool | Progress = True,
        out: str | Path | None = None,
        **options: Unpack[HypothesizeKeywords],
    ) -> ManyReport:
        """Propose the relations of many pairs of concepts. A pair with an unknown concept gets an error.

        Args:
            pairs: A list of pairs, or a DataFrame or file (.csv, .jsonl, .parquet) with the columns head and tail.
            progress: As in `ground_many`.
            out: As in `ground_many`.
            **options: The fields of `HypothesizeOptions`, as in `hypothesize`.

        Example:
            >>> many = world.hypothesize_many([("simvastatin", "HMGCR"), ("simvastatin", "nothing")], progress=False)
            >>> many.to_frame()["relation"].fillna("").tolist()
            ['negative_correlate', '']
        """
        from truthhypo.faces.many.sources import read_pairs

        asked = HypothesizeOptions(**options)

        def read() -> Source:
            return read_pairs(pairs, partial(self.judging.task, meanings(self.graph_store, asked.concepts)))

        def judge(model: LanguageModel | None, head: str, tail: str) -> Hypothesis:
            return self.judging.proposed(head, tail, asked, model)

        return self._many("hypothesize", asked, read, judge, progress, out)

    @checked_options(CiteOptions)
    def cite_many(
        self,
        rows: Citing,
        pmid_column: Hashable | None = None,
        progress: bool | Progress = True,
        out: str | Path | None = None,
        **options: Unpack[CiteKeywords],
    ) -> ManyReport:
        """Return whether the cited articles state the claims of many rows. A broken row gets an error.

        Args:
            rows: A list of pairs (claim, PMIDs), or a DataFrame or file (.csv, .jsonl, .parquet) with a column of
                claims (text, statement, claim, hypothesis or sentence) and one of PMIDs. A row may cite several
                articles: a list, or a text with commas or semicolons.
            pmid_column: Label of the column with the PMIDs; by default pmid or pmids.
            progress: As in `ground_many`.
            out: As in `ground_many`.
            **options: The fields of `CiteOptions`, as in `cite`.

        Example:
            >>> many = world.cite_many([("Aspirin causes myocardial infarction.", 990000005)], progress=False)
            >>> many.to_frame()["verdict"].tolist()
            ['contradicted']
        """
        from truthhypo.faces.many.sources import read_citing

        asked = CiteOptions(**options)

        def judge(model: LanguageModel | None, claim: str, pmids: tuple[int, ...]) -> CitationReport:
            return self.judging.cited(claim, pmids, asked, model)

        return self._many("cite", asked, partial(read_citing, rows, pmid_column), judge, progress, out)

    @checked_options(CiteOptions)
    def cite_manuscript(
        self,
        path: str | Path,
        bib: Sequence[str | Path] = (),
        *,
        progress: bool | Progress = True,
        **options: Unpack[CiteKeywords],
    ) -> ManuscriptReport:
        """Judge each sentence of a manuscript that cites by the articles that it cites.

        References are found by PMID, DOI or title. They stand in the text, in a list of references, in footnotes, or
        in .bib files. The extra `manuscripts` reads Word, LaTeX and .bib files.

        Args:
            path: The manuscript: .md, .markdown, .txt, .docx or .tex.
            bib: .bib files.
            progress: As in `ground_many`.
            **options: The fields of `CiteOptions`, as in `cite`.

        Raises:
            InputError: A file cannot be read.

        Example:
            >>> import tempfile
            >>> with tempfile.NamedTemporaryFile("w", suffix=".md") as draft:
            ...     _ = draft.write("Aspirin prevents myocardial infarction (PMID 990000005).")
            ...     draft.flush()
            ...     world.cite_manuscript(draft.name, progress=False).sentences[0].verdict
            'supported'
        """
        from truthhypo.faces.progress import watched
        from truthhypo.manuscripts.check import check_manuscript

        asked = CiteOptions(**options).keywords()
        with self._stores.turn, watched(progress) as seen:
            return check_manuscript(self, Path(path), [Path(each) for each in bib], progress=seen, **asked)

    @asynchronous(ground)
    def aground(self) -> None:
        """Do the same as `ground` in a thread, and leave the event loop free.

        Judgements of one world wait for each other. To judge many texts, use `aground_many`.

        Example:
            >>> asyncio.run(world.aground("Simvastatin lowers cholesterol.")).groundedness["both"]
            1.0
        """

    @asynchronous(risk)
    def arisk(self) -> None:
        """Do the same as `risk` in a thread, and leave the event loop free.

        Example:
            >>> asyncio.run(world.arisk("Simvastatin lowers cholesterol.")).sentences[0].status
            'measured'
        """

    @asynchronous(cite)
    def acite(self) -> None:
        """Do the same as `cite` in a thread, and leave the event loop free.

        Example:
            >>> asyncio.run(world.acite("Simvastatin lowers cholesterol.", [990000012])).citations[0].verdict
            'supported'
        """

    @asynchronous(hypothesize)
    def ahypothesize(self) -> None:
        """Do the same as `hypothesize` in a thread, and leave the event loop free.

        Example:
            >>> asyncio.run(world.ahypothesize("simvastatin", "HMGCR")).relation
            'negative_correlate'
        """

    @asynchronous(ground_many)
    def aground_many(self) -> None:
        """Do the same as `ground_many` in a thread, and leave the event loop free.

        If the task is cancelled, no further text is begun. The same call continues the run.

        Example:
            >>> many = asyncio.run(world.aground_many(["Simvastatin lowers cholesterol."], progress=False))
            >>> many.to_frame()["verdict_both"].tolist()
            ['supported']
        """

    @asynchronous(risk_many)
    def arisk_many(self) -> None:
        """Do the same as `risk_many` in a thread; cancelling is described at `aground_many`.

        Example:
            >>> many = asyncio.run(world.arisk_many(["Simvastatin lowers cholesterol."], progress=False))
            >>> many.claims()["status"].tolist()
            ['measured']
        """

    @asynchronous(cite_many)
    def acite_many(self) -> None:
        """Do the same as `cite_many` in a thread; cancelling is described at `aground_many`.

        Example:
            >>> many = asyncio.run(world.acite_many([("Aspirin causes myocardial infarction.", "5")], progress=False))
            >>> many.to_frame()["verdict"].tolist()
            ['not_loaded']
        """

    @asynchronous(hypothesize_many)
    def ahypothesize_many(self) -> None:
        """Do the same as `hypothesize_many` in a thread; cancelling is described at `aground_many`.

        Example:
            >>> many = asyncio.run(world.ahypothesize_many([("simvastatin", "HMGCR")], progress=False))
            >>> many.to_frame()["relation"].tolist()
            ['negative_correlate']
        """

    def checker(self, options: CiteOptions | None = None) -> Checker:
        """Return a checker of claims with the stores, the model and the judge of this world.

        Args:
            options: How many prompts a language model gets: `once` and `joint`. None means the defaults.

        Example:
            >>> type(world.checker()).__name__
            'Checker'
        """
        return self.judging.checker(options, self.model)

    def _many(
        self,
        command: Command,
        asked: Options,
        read: Callable[[], Source],
        judge: Callable[..., Record],
        progress: bool | Progress,
        out: str | Path | None,
    ) -> ManyReport:
        from truthhypo.faces.many.batch import judge_many

        def prepared() -> tuple[Source, dict[str, Any]]:
            source = read()
            self.expect(len(source.texts))
            return source, self.judging.inputs(command, asked)

        with self._stores.turn:
            model = None if command == "risk" else self.model
            return judge_many(command, prepared, judge, model, self.settings.home, progress, out)

    def close(self) -> None:
        """Close the stores. Later calls of this world, and of lookups taken from it, raise InputError.

        In a forked child, the stores stay open, because the parent uses them.
        """
        if not self._lent:
            self._stores.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> Literal[False]:
        self.close()
        return False

    def __repr__(self) -> str:
        if self._stores.closed:
            return "World(closed)"
        held = self.settings
        graph, literature = without_password(held.graph_address), without_password(held.literature_address)
        told = f"World(graph={graph}, literature={literature}, model={held.model})"
        if not (self._stores.graph_is_open or graph.startswith("embedded:")):
            return told  # a repr does not connect to a server
        try:
            known = live(self.graph_store.releases(), self.literature_store.releases())
        except TruthHypoError as error:
            return f"{told}: {error.seen}"
        return f"{told}: {', '.join(inventory.labels(held.home, known)) or 'nothing is loaded'}"
