"""One text judged, many texts judged, or what that would cost: what `ground` and `risk` share."""

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from fuzzygraph.terms import scaling
from groundwork.errors import InputError, Refused
from groundwork.llm.planning import Plan
from groundwork.ports import Literature, Progress, Silent
from knowhd.calibration.figures import Calibration, calibration_of
from knowhd.sets import measure_set
from truthhypo import provenance
from truthhypo.crew import PATIENCE, Crew, hire
from truthhypo.faces import render_model
from truthhypo.faces.batch import Batch
from truthhypo.faces.cli.asked import Asked, Report
from truthhypo.faces.cli.output import Output, loading, note
from truthhypo.faces.outcomes import fault, judgeable, model_failed, unanswered, wholly_unread
from truthhypo.faces.progress import watch
from truthhypo.faces.render_judgement import of_a_set
from truthhypo.faces.tables import Table, records_of, table_for
from truthhypo.faces.texts import Said, Texts
from truthhypo.plan import plan
from truthhypo.world import RULES, World


def judge(output: Output, asked: Asked) -> None:
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
    table = table_for(asked.out, asked.command) if asked.out else None
    with output.world(**asked.limits) as world:
        _warn_if_empty(world, literature=asked.asking)
        if asked.options.get("words") and world.compared is None:
            note(
                f"warning: {world.uncompared}; the risk itself needs no literature, but the words of a text are "
                "compared with none (--no-words leaves this comparison out)"
            )
        state = loading(world.graph_store, *_literature_read(world, asked))
        if asked.dry_run:
            texts = _pending(world, asked, table)
            found = plan(world, texts, lambda walked, text: asked.check(walked, text, **asked.options))
            show_plan(output, found)
        elif asked.file is None:
            with watch() as progress:
                report = asked.judged(world, asked.text or "", progress)
            shape = report.to_dict()
            output.show({**shape, **state}, lambda console: asked.show(console, report, _names(world, report)))
            lost = "" if judgeable(shape) else "none of the claims could be judged"
            end(shape.get("usage", {}), lost=lost, unread=wholly_unread(shape))
        elif asked.out is None:
            _all_at_once(output, world, asked, asked.texts(), state)
        else:
            _into_a_file(output, world, asked, table, state)


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


def _pending(world: World, asked: Asked, table: Table | None) -> list[str]:
    if asked.file is None:
        return [asked.text or ""]
    texts = asked.texts()
    return [said.text for said in (_batch(world, asked, table).pending(texts) if asked.out else texts)]


def _batch(world: World, asked: Asked, table: Table | None) -> Batch:
    """The file that records go to, and what they hang on: an --out begun with anything else is not gone on with."""
    assert asked.out is not None
    held = world.settings
    named = ("judge", "evidence_tokens", "model_tokens", "model_answers") if asked.asking else ("neighbours",)
    said = {"command": asked.command, **{name: getattr(held, name) for name in (*named, "syst", "rand")}}
    reading = next(iter(_literature_read(world, asked)), None)
    return Batch(
        records_of(asked.out),
        {**said, **asked.options, **({} if asked.asking else _scale(world, asked))},
        table,
        program=provenance.program(),
        model=held.model if asked.asking else RULES,
        prompts=provenance.prompts() if asked.asking and held.model != RULES else None,
        graph=provenance.live_releases(world.graph_store),
        literature=reading.info().to_dict() if reading else None,
    )


def _literature_read(world: World, asked: Asked) -> list[Literature]:
    """The literature, if the command reads it."""
    reading = world.literature if asked.asking else world.compared if asked.options["words"] else None
    return [reading] if reading else []


def _scale(world: World, asked: Asked) -> dict[str, Any]:
    """The k and s0 that risks will be told by, and where they come from: not what was asked, which may be nothing."""
    given = {name: asked.options[name] for name in ("form", "k", "s0")}
    k, s0, fit = scaling(world.graph_store.releases(), **given)
    return {"k": k, "s0": s0, "fit": fit}


def _into_a_file(output: Output, world: World, asked: Asked, table: Table | None, state: Mapping[str, bool]) -> None:
    texts = asked.texts()
    batch = _batch(world, asked, table)
    world.expect(len(texts))
    crew, shared = _crew(world, asked)
    with _watching(texts) as (outer, inner):
        summary = batch.run(texts, lambda text: asked.judged(shared, text, inner).to_dict(), crew, outer)
    if asked.command == "ground":
        judge = world.judge.name
        trust = {"model": judge, "calibration": _plain(calibration_of(judge, world.settings.home))}
        summary |= {"groundedness": _of_the_set(batch.out), **trust}
    output.show({**summary, **state}, lambda console: _say(console, summary))
    everything = 0 < summary["unread"] == summary["written"] + summary["kept"]
    end(summary["usage"] or {}, summary["failed"], summary["unusable"], unread=everything)


def _say(console: Console, summary: dict[str, Any]) -> None:
    apart = ("groundedness", "model", "calibration")
    render_model.summary(console, {name: value for name, value in summary.items() if name not in apart})
    if "groundedness" in summary:
        of_a_set(console, summary)


def _plain(known: Calibration | None) -> dict[str, Any] | None:
    return known.to_dict() if known else None


def _of_the_set(records: Path) -> dict[str, Any]:
    """The groundedness of all texts that have a record; one that the model failed on counts as not measured."""
    with records.open("rb") as lines:
        return measure_set({"claims": json.loads(line).get("claims", ())} for line in lines).to_dict()


def _all_at_once(output: Output, world: World, asked: Asked, texts: Sequence[Said], state: Mapping[str, bool]) -> None:
    """Show the reports of all texts in one document; a text that failed has an `error` in its place."""
    world.expect(len(texts))
    if isinstance(texts, Texts) and texts.empty:
        note(f"{texts.empty} records of the file hold no text")
    crew, shared = _crew(world, asked)
    shapes: list[dict[str, Any]] = []
    reports: list[Report] = []
    failed, row, unusable, usage = 0, 0, 0, {}
    with (
        _watching(texts) as (outer, inner),
        closing(crew.run(lambda said: asked.judged(shared, said.text, inner), texts)) as outcomes,
    ):
        outer.begin("judging", len(texts), "texts")
        for said, outcome in outcomes:
            named = {} if said.id is None else {"id": said.id}
            try:
                report = outcome.result()
            except CancelledError:
                continue
            except Exception as error:
                row += model_failed(error)
                if row == min(PATIENCE, len(texts)):
                    raise
                failed += 1
                shapes.append({**named, "text": said.text, "error": fault(error)})
                continue
            row = 0
            outer.advance(1)
            shape = named | report.to_dict()
            if shape.get("usage", {}).get("unasked"):
                usage = shape["usage"]
                crew.stop()
            if why := unanswered(shape):
                failed, shape = failed + 1, shape | {"error": why}
            elif not judgeable(shape):
                unusable += 1
            shapes.append(shape)
            reports.append(report)
    told = [{**shape, **state} for shape in shapes]
    output.show(told, lambda console: _show_all(console, asked, world, reports))
    end(usage, failed, unusable, unread=bool(shapes) and all(map(wholly_unread, shapes)))


@contextmanager
def _watching(texts: Sequence[Said]) -> Iterator[tuple[Progress, Progress]]:
    """Who is told of the texts, and who of what is in each: a single one is told by its sentences and claims."""
    with watch() as progress:
        yield (Silent(), progress) if len(texts) == 1 else (progress, Silent())


def _crew(world: World, asked: Asked) -> tuple[Crew, World]:
    return hire(world) if asked.asking else (Crew(), world)


def _show_all(console: Console, asked: Asked, world: World, reports: list[Report]) -> None:
    for report in reports:
        asked.show(console, report, _names(world, report))


def _names(world: World, report: Report) -> dict[str, str]:
    """Names of the concepts a report speaks of, for people."""
    return {key: concept.name for key, concept in world.graph_store.concepts(sorted(report.keys())).items()}


def _warn_if_empty(world: World, *, literature: bool) -> None:
    """Warn of an empty store, which judges nothing; the world itself warns of one that was never filled."""
    if not world.graph_store.releases() and "graph" not in world.absent:
        note("warning: the graph is empty; load a release with: truthhypo ingest relations FILE")
    if literature and not world.literature.info().documents and "literature" not in world.absent:
        note("warning: the literature is empty; load abstracts with: truthhypo ingest documents|pubmed FILE")
