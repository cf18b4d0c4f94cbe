"""Judge texts with the stores and models that the settings name. This module joins the other rooms (packages)."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from truthhypo.arguments import checked_arguments
from truthhypo.asynchronous import asynchronous
from truthhypo.graph_lookups import GraphLookups
from truthhypo.judgements import Judgements
from truthhypo.literature_lookups import LiteratureLookups
from truthhypo.lookups import known_names
from truthhypo.resources import RULES, described, usable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from fuzzygraph.membership import Form
    from fuzzygraph.support import Aggregate, Contradicting
    from groundwork.ports import LanguageModel, Progress
    from groundwork.settings import Settings
    from truthhypo.faces.batch import Command
    from truthhypo.faces.many.many_report import ManyReport
    from truthhypo.faces.many.sources import Pairs, Texts
    from truthhypo.hypotheses.context import Setting
    from truthhypo.hypotheses.select import Select

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
        return GraphLookups(lambda: self.graph_store)

    @property
    def literature(self) -> LiteratureLookups:
        """Literature lookups.

        Example:
            >>> world.literature.search("aspirin infarction").hits[0].pmid
            990000005
        """
        names = partial(known_names, self.settings.graph_address, lambda: self.graph_store)
        return LiteratureLookups(lambda: self.literature_store, names)

    @checked_arguments
    def ground_many(
        self,
        texts: Texts,
        column: str | None = None,
        progress: bool | Progress = True,
        out: str | Path | None = None,
        *,
        before: int | None = None,
        k: int = 8,
        tau: float | None = None,
        exclude_retracted: bool = False,
        hops: int = 1,
        once: bool = True,
        joint: int = 1,
        concepts: Mapping[str, str] | None = None,
    ) -> ManyReport:
        """Return the groundedness of many texts. A text that cannot be judged gets an error and does not end the run.

        If a run is interrupted, its finished texts are kept, and the same call continues it. Without `out`, they are
        kept under HOME until the run is complete.

        Args:
            texts: A list or another iterable of texts, a pandas Series or DataFrame, or the path of a .txt (one text
                per line), .csv, .jsonl or .parquet file.
            column: Column with the texts of a DataFrame or file; by default the first of text, statement, claim,
                hypothesis and sentence that exists.
            progress: Whether to show a progress bar, or an object that receives the progress.
            out: File for the results: .jsonl, .csv or .parquet, as with
                `truthhypo ground --file TEXTS --out FILE`.
            before: This and the following arguments are those of `ground`.
            k: As in `ground`.
            tau: As in `ground`.
            exclude_retracted: As in `ground`.
            hops: As in `ground`.
            once: As in `ground`.
            joint: As in `ground`.
            concepts: As in `ground`.

        Example:
            >>> many = world.ground_many(["Simvastatin lowers cholesterol.", None], progress=False)
            >>> many.to_frame()[["verdict_both", "error"]].fillna("").values.tolist()
            [['supported', ''], ['', 'a missing text']]
        """
        options: dict[str, Any] = {"before": before, "k": k, "tau": tau, "exclude_retracted": exclude_retracted}
        options |= {"hops": hops, "joint": joint, "once": once, "concepts": concepts or {}}
        return self._many("ground", texts, column, progress, out, options)

    @checked_arguments
    def risk_many(
        self,
        texts: Texts,
        column: str | None = None,
        progress: bool | Progress = True,
        out: str | Path | None = None,
        *,
        before: int | None = None,
        form: Form = "scaled",
        alpha: float = 0.9,
        tau_min: float = 0.2,
        hops: int = 3,
        aggregate: Aggregate = "noisy_or",
        contradiction: Contradicting = "signed",
        paths: int = 20,
        k: float | None = None,
        s0: float | None = None,
        words: bool = True,
        exclude_retracted: bool = False,
        concepts: Mapping[str, str] | None = None,
    ) -> ManyReport:
        """Return the hallucination risk of many texts; the first four arguments are those of `ground_many`.

        All other arguments are those of `risk`.

        Example:
            >>> many = world.risk_many(["Simvastatin lowers cholesterol.", ""], progress=False)
            >>> many.to_frame()[["status", "error"]].fillna("").values.tolist()
            [['measured', ''], ['', 'an empty text']]
        """
        options: dict[str, Any] = {"before": before, "form": form, "alpha": alpha, "tau_min": tau_min, "hops": hops}
        options |= {"aggregate": aggregate, "contradiction": contradiction, "paths": paths, "k": k, "s0": s0}
        options |= {"words": words, "exclude_retracted": exclude_retracted, "concepts": concepts or {}}
        return self._many("risk", texts, column, progress, out, options)

    @checked_arguments
    def hypothesize_many(
        self,
        pairs: Pairs,
        progress: bool | Progress = True,
        out: str | Path | None = None,
        *,
        setting: Setting = "kg+lit",
        before: int | None = None,
        hops: int = 2,
        k: int = 32,
        n: int = 1,
        select: Select = "greedy",
        exclude_retracted: bool = False,
        concepts: Mapping[str, str] | None = None,
    ) -> ManyReport:
        """Propose the relations of many pairs of concepts. A pair with an unknown concept gets an error.

        Args:
            pairs: A list of pairs, or a DataFrame or file (.csv, .jsonl, .parquet) with the columns head and tail.
            progress: As in `ground_many`.
            out: As in `ground_many`.
            setting: This and the following arguments are those of `hypothesize`.
            before: As in `hypothesize`.
            hops: As in `hypothesize`.
            k: As in `hypothesize`.
            n: As in `hypothesize`.
            select: As in `hypothesize`.
            exclude_retracted: As in `hypothesize`.
            concepts: As in `hypothesize`.

        Example:
            >>> many = world.hypothesize_many([("simvastatin", "HMGCR"), ("simvastatin", "nothing")], progress=False)
            >>> many.to_frame()["relation"].fillna("").tolist()
            ['negative_correlate', '']
        """
        options: dict[str, Any] = {"setting": setting, "before": before, "hops": hops, "k": k, "n": n, "select": select}
        options |= {"exclude_retracted": exclude_retracted, "concepts": concepts or {}}
        return self._many("hypothesize", pairs, None, progress, out, options)

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
            >>> many.to_frame()["status"].tolist()
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
        items: Texts | Pairs,
        column: str | None,
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
        return self._lent(self.settings, self._connected(model) if isinstance(model, str) else usable(model))

    def for_worker(self, model: LanguageModel) -> World:
        """Return a world as `with_model` does, but without a lock of its own: all workers of a pool share one lock."""
        other = self._lent(self.settings, model)
        other._turn = nullcontext()
        return other

    def judged_by(self, name: str) -> World:
        """Return a world with the same stores and another judge. That world is made once per judge. Do not close it."""
        if name not in self._judged_by:
            self._judged_by[name] = self._lent(self.settings.model_copy(update={"judge": name}), self.model)
        return self._judged_by[name]

    def __repr__(self) -> str:
        return described(self)

    def _lent(self, settings: Settings, model: LanguageModel | None) -> World:
        other = World(settings, read_only=self._read_only, loading=self._loading)
        other._lender, other._turn = self, self._turn
        vars(other)["model"] = model
        return other
