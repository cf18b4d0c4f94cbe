"""The commands `truthhypo download ...`: download complete release files from their public servers."""

import shlex
from collections.abc import Callable
from datetime import UTC
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

import ingest
from truthhypo.faces.cli.output import Output, note
from truthhypo.faces.progress import watch

if TYPE_CHECKING:
    from groundwork.ports import Progress
    from groundwork.settings import Settings
    from ingest.download.download import DownloadReceipt
    from ingest.download.remote import Remote
    from ingest.download.transfer import FetchRecord

app = typer.Typer(
    help="Download release files; an interrupted download is continued.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

To = Annotated[Path | None, typer.Option(help="Folder for the files; default: a folder under HOME/downloads.")]


@app.command()
def pubtator3(
    context: typer.Context,
    files: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files: relation (default), bioconcepts, gene, disease, chemical, species, mutation, cellline.",
            metavar="NAME",
        ),
    ] = None,
    to: To = None,
    address: Annotated[
        str | None, typer.Option("--from", help="Address of the folder; default: the setting pubtator_files.")
    ] = None,
) -> None:
    """Download PubTator's bulk files of relations and concept names."""

    def fetch(settings: "Settings", remote: "Remote", progress: "Progress") -> "DownloadReceipt":
        names = files or ["relation"]
        return ingest.download_pubtator(names, settings, remote, address=address, to=to, progress=progress)

    _download(context.obj, fetch)


@app.command()
def pubmed(
    context: typer.Context,
    baseline: Annotated[bool, typer.Option("--baseline", help="Download only the yearly baseline.")] = False,
    updates: Annotated[bool, typer.Option("--updates", help="Download only the daily update files.")] = False,
    since: Annotated[
        str | None, typer.Option(help="Download only this file (name or number) and later ones.", metavar="FILE")
    ] = None,
    to: To = None,
    address: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="Address of the folder that contains baseline/ and updatefiles/; default: the setting pubmed_files.",
        ),
    ] = None,
) -> None:
    """Download PubMed's baseline and update files.

    The files are downloaded in NLM's order, and their MD5 checksums are checked.
    """

    def fetch(settings: "Settings", remote: "Remote", progress: "Progress") -> "DownloadReceipt":
        return ingest.download_pubmed(
            settings,
            remote,
            baseline=baseline or not updates,
            updates=updates or not baseline,
            since=since,
            address=address,
            to=to,
            progress=progress,
        )

    _download(context.obj, fetch)


def _download(output: Output, fetch: Callable[["Settings", "Remote", "Progress"], "DownloadReceipt"]) -> None:
    settings = output.settings()
    with ingest.Remote(settings, tell=note) as remote, watch() as progress:
        done = fetch(settings, remote, progress)
    following = _next(done.files, output.flags["home"])
    output.show(done.to_dict() | {"next": following}, lambda console: _show(console, done, following))


#: Rejected rows to allow. NCBI's entity files have 10.7 million rows without an id (`-`), which are always rejected.
_WITHOUT_ID = 20_000_000


def _next(files: "tuple[FetchRecord, ...]", home: str | None) -> list[str]:
    """Return the commands that load the downloaded files. A release of relations gets the date of its file as ID."""
    program = ["truthhypo", *(["--home", str(Path(home).absolute())] if home else []), "ingest"]
    paths = {Path(file.path).name: file for file in files}
    commands = []
    if relation := paths.pop("relation2pubtator3.gz", None):
        dated = ["--release", date] if (date := _date(relation.last_modified)) else []
        commands.append(shlex.join([*program, "relations", relation.path, *dated]))
    # bioconcepts is the union of the other files. Loading both would count each mention twice.
    union = paths.get("bioconcepts2pubtator3.gz")
    concepts = [union] if union else [file for name, file in paths.items() if name.endswith("2pubtator3.gz")]
    if concepts:
        allowed = ["--max-rejects", str(_WITHOUT_ID)]
        commands.append(shlex.join([*program, "concepts", *allowed, *(file.path for file in concepts)]))
    records = [file for name, file in paths.items() if name.endswith(".xml.gz")]
    if records:
        commands.append(f"{shlex.join([*program, 'pubmed'])} {_together(records)}")
    return commands


def _together(files: "list[FetchRecord]") -> str:
    """Return the paths of the files as text for a shell. More than five files become one pattern per year."""
    if len(files) <= 5:
        return shlex.join(file.path for file in files)
    folder = shlex.quote(str(Path(files[0].path).parent))
    return " ".join(sorted({f"{folder}/{Path(file.path).name[:9]}*.xml.gz" for file in files}))


def _date(last_modified: str | None) -> str | None:
    """Return the date of a Last-Modified header in the form 2026-10-01, or None if the header has no date."""
    try:
        return parsedate_to_datetime(last_modified).astimezone(UTC).date().isoformat() if last_modified else None
    except (ValueError, OverflowError):
        return None


def _show(console: Console, done: "DownloadReceipt", following: list[str]) -> None:
    for file in done.files:
        console.print(f"{file.state:9}  {file.bytes:,} bytes  {escape(file.path)}", soft_wrap=True)
    if not done.files:
        console.print("nothing to download: the server lists no file that new")
    for command in following:
        console.print(f"next: {escape(command)}", soft_wrap=True)
