"""The command `truthhypo cite`: whether cited articles state a claim."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groundwork.errors import InputError
from groundwork.files import read_bytes
from knowhd.options import CiteOptions
from truthhypo.faces import render_judgement
from truthhypo.faces.cli.options import (
    FailOnOption,
    GroupedCommand,
    JudgeName,
    ModelLimits,
    end,
    fail_on_of,
    failing,
    takes,
)
from truthhypo.faces.cli.output import Output, loading
from truthhypo.faces.judging_outcome import FailOn, citations_of, fails, wholly_unread
from truthhypo.faces.progress import watch

if TYPE_CHECKING:
    from truthhypo.world import World


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command(cls=GroupedCommand)(cite)


@takes
def cite(
    context: typer.Context,
    claim: Annotated[str | None, typer.Argument(help="The claim that the articles are cited for.")] = None,
    pmid: Annotated[list[str] | None, typer.Option("--pmid", help="PMID of a cited article. May be repeated.")] = None,
    evidence: Annotated[
        Path | None, typer.Option(help="A text file that is judged like an article; - reads standard input.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option(help="A file with columns of claims and PMIDs: .csv, .jsonl or .parquet.")
    ] = None,
    pmid_column: Annotated[str | None, typer.Option(help="Column or field of --file that holds the PMIDs.")] = None,
    manuscript: Annotated[
        Path | None, typer.Option(help="A manuscript whose citations are checked: .md, .txt, .docx or .tex.")
    ] = None,
    bib: Annotated[
        list[Path] | None, typer.Option(help="A .bib file with the references of --manuscript. May be repeated.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="File for the results of --file (.jsonl, .csv or .parquet; if it exists, the run is resumed) or of "
            "--manuscript (.html or .json)."
        ),
    ] = None,
    *,
    options: CiteOptions,
    fail_on: FailOnOption = None,
    judge_name: JudgeName = None,
    limits: ModelLimits,
) -> None:
    """Say whether each cited article states a claim, and by which sentence.

    An article supports the claim, contradicts it or does not state it; or it is retracted, or not loaded. With --file,
    each row of a table has a claim and the PMIDs that are cited for it. With --manuscript, each citing sentence is
    judged by the articles that it cites.
    """
    output: Output = context.obj
    condition = fail_on_of(fail_on)
    held = limits.settings() | {"judge": judge_name}
    _fitting(
        claim, file, manuscript, {"--pmid": pmid, "--evidence": evidence}, {"--pmid-column": pmid_column}, bib, out
    )
    text = None if evidence is None else _text(evidence)
    with output.world(**held) as world:
        state = loading(world.settings.home, world.graph_store, world.literature_store)
        if file is not None:
            from truthhypo.faces.cli.judging_files import judge_rows

            with watch() as progress:
                many = world.cite_many(file, pmid_column, progress, out, **options.keywords())
            tally = judge_rows(output, many, out, state, render_judgement.citing_row, condition)
            end(
                many.summary["usage"],
                many.summary["failed"],
                unread=0 < many.summary["unread"] == tally.texts,
                item="row",
                met=failing(condition, tally.failing, tally.texts, "row"),
            )
            return
        if manuscript is not None:
            _cite_manuscript(output, world, manuscript, bib or [], out, options.keywords(), state, condition)
            return
        _cite_one(output, world, claim or "", pmid or [], text, options.keywords(), state, condition)


def _cite_one(
    output: Output,
    world: World,
    claim: str,
    pmids: list[str],
    text: str | None,
    options: dict[str, Any],
    state: dict[str, bool],
    condition: FailOn | None,
) -> None:
    with watch() as progress:
        report = world.cite(claim, pmids, evidence=text, progress=progress, **options)
    shape = report.to_dict()
    output.show({**shape, **state}, lambda console: render_judgement.citing(console, shape))
    lost = any("failed" in cited["flags"] for cited in citations_of(shape))
    end(
        shape["usage"],
        lost="not all claims could be judged" if lost else "",
        unread=wholly_unread(shape),
        met=failing(condition, int(fails(shape, condition)), 1, "claim"),
    )


def _cite_manuscript(
    output: Output,
    world: World,
    path: Path,
    bibs: list[Path],
    out: Path | None,
    options: dict[str, Any],
    state: dict[str, bool],
    condition: FailOn | None,
) -> None:
    from truthhypo.manuscripts.check import page

    with watch() as progress:
        report = world.cite_manuscript(path, bibs, progress=progress, **options)
    shape = {**report.to_dict(), **state}
    if out is not None:
        written = page(report) if out.suffix.lower() == ".html" else json.dumps(shape, ensure_ascii=False, indent=1)
        part = out.with_name(f".{out.name}.part")
        part.write_text(written, "utf-8")
        part.replace(out)
    output.show(shape, lambda console: render_judgement.manuscript(console, shape, out))
    count = sum(fails({"citations": [sentence]}, condition) for sentence in shape["sentences"])
    failed = sum(sentence["error"] is not None for sentence in shape["sentences"])
    end({}, failed, item="sentence", met=failing(condition, count, len(shape["sentences"]), "sentence"))


def _fitting(
    claim: str | None,
    file: Path | None,
    manuscript: Path | None,
    for_claim: dict[str, Any],
    for_file: dict[str, Any],
    bib: list[Path] | None,
    out: Path | None,
) -> None:
    """Check that the options fit together."""
    forms = {"CLAIM": claim, "--file": file, "--manuscript": manuscript}
    given = [name for name, value in forms.items() if value is not None]
    if len(given) != 1:
        seen = " and ".join(given) if given else "neither CLAIM nor --file nor --manuscript"
        raise InputError(seen, "a claim, a file of claims or a manuscript", "give one of them")
    belongs = {**dict.fromkeys(for_claim, "CLAIM"), **dict.fromkeys(for_file, "--file"), "--bib": "--manuscript"}
    values = {**for_claim, **for_file, "--bib": bib}
    if wrong := next((name for name, value in values.items() if value and belongs[name] != given[0]), None):
        raise InputError(f"{wrong} together with {given[0]}", f"{wrong} with {belongs[wrong]}", f"omit {wrong}")
    if out is not None and claim is not None:
        raise InputError("--out with a claim", "--out with --file or --manuscript", "redirect stdout")
    if out is not None and manuscript is not None and out.suffix.lower() not in {".html", ".json"}:
        raise InputError(f"--out {out} ends in {out.suffix!r}", "a .html or .json file", "rename it")


def _text(path: Path) -> str:
    """Return the text of --evidence."""
    try:
        return (sys.stdin.buffer.read() if str(path) == "-" else read_bytes(path)).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        seen = f"{'standard input' if str(path) == '-' else path} is not UTF-8: byte {error.start}"
        raise InputError(seen, "UTF-8 text", "save the file as UTF-8") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", "a text file", "check the path") from None
