"""Judge texts with the stores and models that the settings name. This module joins the other rooms (packages)."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from fuzzygraph.options import RiskOptions
from knowhd.options import CiteOptions, GroundOptions
from truthhypo.arguments import checked_options
from truthhypo.asynchronous import asynchronous
from truthhypo.graph_lookups import GraphLookups
from truthhypo.hypotheses.options import HypothesizeOptions
from truthhypo.judgements import Judgements
from truthhypo.literature_lookups import LiteratureLookups
from truthhypo.lookups import known_names
from truthhypo.resources import RULES, described, usable

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from pathlib import Path
    from typing import Unpack

    from fuzzygraph.options import RiskKeywords
    from groundwork.ports import LanguageModel, Progress
    from groundwork.settings import Settings
    from knowhd.options import CiteKeywords, GroundKeywords
    from truthhypo.faces.batch import Command
    from truthhypo.faces.many.many_report import ManyReport
    from truthhypo.faces.many.sources import Citing, Pairs, Texts
    from truthhypo.hypotheses.options import HypothesizeKeywords
    from truthhypo.manuscripts.check import ManuscriptReport

__all__ = ["RULES", "World"]


class World(Judgements):
    """A graph, a literature and a model, and the lookups and judgements that use them.

    Stores are opened when they are first used, and read-only unless `read_only` is False. A world can be used from
    several threads: lookups run at the same time, and judgements wait for each other. To judge many texts, use
    `ground_many`, which calls a remote model for several texts at a time.

    Example:
        >>> with truthhypo.connect() as world:
        ...     world.ground("Simvastatin lowers cholesterol.").groundedness["both"]
        1.0
    """

    def __init__(self, settings: Settings, *, read_only: bool = True, loading: bool = False) -> None:
        super().__init__(settings, read_only=read_only, loading=loading)
        self._judged_by = dict[str, World]()

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

    @checked_options(GroundOptions)
    def ground_many(
        self,
        texts: Texts,
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
        return self._many("ground", texts, column, progress, out, GroundOptions(**options).keywords())

    @checked_options(RiskOptions)
    def risk_many(
        self,
        texts: Texts,
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
        return self._many("risk", texts, column, progress, out, RiskOptions(**options).keywords())

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
        return self._many("hypothesize", pairs, None, progress, out, HypothesizeOptions(**options).keywords())

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
        from pathlib import Path

        from truthhypo.faces.progress import watched
        from truthhypo.manuscripts.check import check_manuscript

        asked = CiteOptions(**options).keywords()
        with self._turn, watched(progress) as seen:
            return check_manuscript(self, Path(path), [Path(each) for each in bib], progress=seen, **asked)

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
        return self._many("cite", rows, pmid_column, progress, out, CiteOptions(**options).keywords())

    @asynchronous(cite_many)
    def acite_many(self) -> None:
        """Do the same as `cite_many` in a thread; cancelling is described at `aground_many`.

        Example:
            >>> many = asyncio.run(world.acite_many([("Aspirin causes myocardial infarction.", "5")], progress=False))
            >>> many.to_frame()["verdict"].tolist()
            ['not_loaded']
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

    @asynchronous(hypothesize_many)
    def ahypothesize_many(self) -> None:
        """Do the same as `hypothesize_many` in a thread; cancelling is described at `aground_many`.

        Example:
            >>> many = asyncio.run(world.ahypothesize_many([("simvastatin", "HMGCR")], progress=False))
            >>> many.to_frame()["relation"].tolist()
            ['negative_correlate']
        """

    def _many(
        self,
        command: Command,
        items: Texts | Pairs | Citing,
        column: Hashable | None,
        progress: bool | Progress,
        out: str | Path | None,
        options: dict[str, Any],
    ) -> ManyReport:
        from truthhypo.faces.many.run import judge_many

        with self._turn:
            return judge_many(self, command, items, column, progress, out, options)

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
        other = self._lent(self.settings)
        vars(other)["model"] = self._connected(model) if isinstance(model, str) else usable(model)
        return other

    def for_worker(self, model: LanguageModel) -> World:
        """Return a world as `with_model` does, but without a lock of its own: all workers of a pool share one lock."""
        other = self._lent(self.settings)
        vars(other)["model"], other._judging = model, nullcontext()
        return other

    def judged_by(self, name: str) -> World:
        """Return a world with the same stores and another judge. That world is made once per judge. Do not close it."""
        if name not in self._judged_by:
            self._judged_by[name] = self._lent(self.settings.model_copy(update={"judge": name}))
        return self._judged_by[name]

    def of_species(self, species: str | None) -> World:
        """Return a world with the same stores, model and judge, in which symbols mean the genes of another organism.

        Args:
            species: Taxon id of the organism; None for this world itself. The returned world need not be closed.

        Example:
            >>> world.of_species("10090").graph.store.species
            '10090'
        """
        return self if species is None else self._lent(self.settings.model_copy(update={"species": species}))

    def __repr__(self) -> str:
        return described(self)

    def _lent(self, settings: Settings) -> World:
        """Return a world with other settings that uses the stores, the model and the lock of this one."""
        other = World(settings, read_only=self._read_only, loading=self._loading)
        other._lender, other._judging, other._process = self, self._judging, self._process
        return other
