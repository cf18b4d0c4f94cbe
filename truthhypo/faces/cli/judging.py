"""Judge one text. The commands `ground` and `risk` use this module.

The module `judging_texts` judges a file of texts. It is imported only if a file is given, because its imports are slow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwork.errors import InputError
from truthhypo.faces.cli.judging_request import end, failing, literature_read, names
from truthhypo.faces.cli.output import Output, loading, note
from truthhypo.faces.judging_outcome import fails, judgeable, wholly_unread
from truthhypo.faces.progress import watch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truthhypo.faces.cli.judging_request import JudgingRequest
    from truthhypo.faces.judgement_tables import Table
    from truthhypo.world import World


def judge(output: Output, asked: JudgingRequest) -> None:
    """Judge one text, or the texts of a file, and write the results to stdout or to --out.

    Raises:
        typer.Exit: With code 1, after the results, if the budget is spent, the model failed on some texts, or nothing
            could be judged.
        InputError: The options do not fit together.
    """
    if (asked.text is None) == (asked.file is None):
        seen = "both TEXT and --file" if asked.text else "neither TEXT nor --file"
        raise InputError(seen, "either TEXT or --file", "give one of them")
    if asked.out and not asked.file:
        raise InputError("--out without --file", "--file together with --out", "give --file, or redirect stdout")
    if asked.column and not asked.file:
        raise InputError("--column without --file", "--file together with --column", "give --file, or omit --column")
    table = _table(asked)
    with output.world(**asked.limits) as world:
        _warn_if_empty(world, literature=asked.asking)
        if asked.options.get("words") and world.compared is None:
            note(
                f"warning: {world.uncompared}; the risk itself needs no literature, but the words of the text are not "
                "compared with any article (--no-words turns this comparison off)"
            )
        state = loading(world.settings.home, world.graph_store, *literature_read(world, asked))
        if asked.file is None:
            _judge_one(output, world, asked, state)
        else:
            from truthhypo.faces.cli.judging_texts import judge_texts

            judge_texts(output, world, asked, table, state)


def _table(asked: JudgingRequest) -> Table | None:
    """Return the table that --out names. Return None if --out is not given or names a file of JSON lines."""
    if asked.out is None:
        return None
    from truthhypo.faces.judgement_tables import table_for

    return table_for(asked.out, asked.command)


def _judge_one(output: Output, world: World, asked: JudgingRequest, state: Mapping[str, bool]) -> None:
    """Judge the text given on the command line and show its report."""
    with watch() as progress:
        report = asked.judged(world, asked.text or "", progress)
    shape = report.to_dict()
    output.show({**shape, **state}, lambda console: asked.show(console, report, names(world, report)))
    lost = "" if judgeable(shape) else "none of the claims could be judged"
    met = failing(asked.fail_on, int(fails(shape, asked.fail_on)), 1, "text")
    end(shape.get("usage", {}), lost=lost, unread=wholly_unread(shape), met=met)


def _warn_if_empty(world: World, *, literature: bool) -> None:
    """Warn about empty stores, which contain no evidence. `World` warns about stores that do not exist."""
    if not world.graph_store.releases() and "graph" not in world.absent:
        note("warning: the graph is empty; load a release with: truthhypo ingest relations FILE")
    if literature and not world.literature.info().documents and "literature" not in world.absent:
        note("warning: the literature is empty; load abstracts with: truthhypo ingest documents|pubmed FILE")
