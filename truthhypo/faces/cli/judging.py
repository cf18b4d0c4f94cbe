"""Judge one text, or show what judging would cost: what `ground` and `risk` share.

`judging_texts` judges the texts of a file; it is imported for a file only, because its imports take long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from groundwork.errors import InputError, Refused
from truthhypo.faces import render_model
from truthhypo.faces.cli.output import Output, loading, note
from truthhypo.faces.outcomes import judgeable, wholly_unread
from truthhypo.faces.progress import watch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundwork.llm.planning import Plan
    from groundwork.ports import Literature
    from truthhypo.faces.cli.judging_request import JudgingRequest, Report
    from truthhypo.faces.tables import Table
    from truthhypo.world import World


def judge(output: Output, asked: JudgingRequest) -> None:
    """One text to stdout, or many from a file to stdout or to --out.

    Raises:
        typer.Exit: With 1, after the results: the budget was spent, or the model failed on some texts.
    """
    if (asked.text is None) == (asked.file is None):
        raise InputError("both TEXT and --file" if asked.text else "neither TEXT nor --file", "one of them", "give one")
    if asked.out and not asked.file:
        raise InputError("--out without --file", "a file of texts", "give --file, or redirect stdout")
    if asked.column and not asked.file:
        raise InputError("--column without --file", "a file of texts", "give --file, or leave --column out")
    table = _table(asked)
    with output.world(**asked.limits) as world:
        _warn_if_empty(world, literature=asked.asking)
        if asked.options.get("words") and world.compared is None:
            note(
                f"warning: {world.uncompared}; the risk itself needs no literature, but the words of a text are "
                "compared with none (--no-words leaves this comparison out)"
            )
        state = loading(world.graph_store, *literature_read(world, asked))
        if asked.dry_run:
            _show_cost(output, world, asked, table)
        elif asked.file is None:
            _judge_one(output, world, asked, state)
        else:
            from truthhypo.faces.cli.judging_texts import judge_texts

            judge_texts(output, world, asked, table, state)


def _table(asked: JudgingRequest) -> Table | None:
    """Return the table that --out names; None without --out, and for a file of JSON lines."""
    if asked.out is None:
        return None
    from truthhypo.faces.tables import table_for

    return table_for(asked.out, asked.command)


def _judge_one(output: Output, world: World, asked: JudgingRequest, state: Mapping[str, bool]) -> None:
    """Judge the text of the command line and show its report."""
    with watch() as progress:
        report = asked.judged(world, asked.text or "", progress)
    shape = report.to_dict()
    output.show({**shape, **state}, lambda console: asked.show(console, report, names(world, report)))
    lost = "" if judgeable(shape) else "none of the claims could be judged"
    end(shape.get("usage", {}), lost=lost, unread=wholly_unread(shape))


def _show_cost(output: Output, world: World, asked: JudgingRequest, table: Table | None) -> None:
    """Show what judging the texts would ask of the language model."""
    from truthhypo.faces.cli.judging_texts import pending
    from truthhypo.plan import plan

    texts = [asked.text or ""] if asked.file is None else pending(world, asked, table)
    show_plan(output, plan(world, texts, lambda walked, text: asked.check(walked, text, **asked.options)))


def show_plan(output: Output, found: Plan) -> None:
    """What a run would ask."""
    output.show({"dry_run": True, **found.to_dict()}, lambda console: render_model.plan(console, found))


def end(usage: dict[str, Any], failed: int = 0, unusable: int = 0, lost: str = "", *, unread: bool = False) -> None:
    """Leave with 1 where a person must look, and say why.

    Args:
        usage: What the model was used.
        failed: Texts with an error on record.
        unusable: Texts on which no reply was of use.
        lost: What is missing from a single answer; empty where nothing is.
        unread: The judge by rules read no relation in any claim of any text.

    Raises:
        typer.Exit: The budget was spent before all was asked, texts failed, or the answer is none.
    """
    if usage.get("unasked"):
        note("truthhypo: the budget is spent; run the same command with a higher one to go on where it stopped")
    if failed:
        note(f"truthhypo: {failed} texts failed, see their `error`; the same command judges them again")
    if unusable:
        note(f"truthhypo: no usable reply on {unusable} texts, none of whose claims could be judged; see their reasons")
    if lost:
        note(f"truthhypo: {lost}, since the model gave no usable reply; see the reason")
    if unread:
        note(
            "truthhypo: no relation between two things could be read in any claim, so nothing was judged; judges that "
            "read whole sentences are --judge nli:NAME, --judge minicheck:NAME and a language model (--model NAME)"
        )
    if usage.get("unasked") or failed or unusable or lost or unread:
        raise typer.Exit(Refused.exit_code)


def literature_read(world: World, asked: JudgingRequest) -> list[Literature]:
    """Return the literature if the command reads it."""
    reading = world.literature if asked.asking else world.compared if asked.options["words"] else None
    return [reading] if reading else []


def names(world: World, report: Report) -> dict[str, str]:
    """Names of the concepts a report speaks of, for people."""
    return {key: concept.name for key, concept in world.graph_store.concepts(sorted(report.keys())).items()}


def _warn_if_empty(world: World, *, literature: bool) -> None:
    """Warn of an empty store, which judges nothing; the world itself warns of one that was never filled."""
    if not world.graph_store.releases() and "graph" not in world.absent:
        note("warning: the graph is empty; load a release with: truthhypo ingest relations FILE")
    if literature and not world.literature.info().documents and "literature" not in world.absent:
        note("warning: the literature is empty; load abstracts with: truthhypo ingest documents|pubmed FILE")
