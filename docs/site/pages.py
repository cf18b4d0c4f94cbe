"""Hook of MkDocs: adds the pages that lie outside docs/, and fills in what is generated from code.

A line `<!-- generated: NAME -->` of a page is replaced by the Markdown of a function in GENERATED. Links from pages to
documents outside docs/ lead to copies of these documents under project/; links to other files become plain text.
"""

import posixpath
import re
from collections.abc import Callable
from pathlib import Path

import cards
import reference
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

REPOSITORY = Path(__file__).resolve().parents[2]
#: Documents outside docs/ that the site shows too, by their paths in the repository.
PROJECT = (
    "ARCHITECTURE.md",
    "DECISIONS.md",
    "MEASURED.md",
    "CHANGELOG.md",
    "docker/README.md",
    "cypher/browser/README.md",
    "truthhypo/sample/README.md",
)
GENERATED: dict[str, Callable[[], str]] = {
    "commands": reference.commands,
    "settings": reference.settings,
    "records": reference.records,
    "options": reference.options,
    "reader card": cards.reader,
    "sample counts": cards.sample,
    "published set": cards.published,
}
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the project's documents, and a page for each notebook, under an entry of its own in the navigation."""
    for name in PROJECT:
        files.append(File.generated(config, f"project/{name}", content=(REPOSITORY / name).read_text("utf-8")))
    notebooks = [file for file in files if file.src_uri.endswith(".ipynb")]
    for notebook in notebooks:
        files.remove(notebook)
        for generated in _notebook_pages(notebook, config):
            files.append(generated)
    if notebooks and config.nav:
        shown = sorted(
            file.src_uri for file in files if file.src_uri.startswith("notebooks/") and file.src_uri.endswith(".md")
        )
        config.nav.insert(3, {"Notebooks": shown})
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Fill in generated parts, and point links to files of the repository at their pages."""
    filled = re.sub(r"^<!-- generated: (.+) -->$", lambda found: GENERATED[found[1]](), markdown, flags=re.MULTILINE)
    return LINK.sub(lambda found: _link(found, page.file.src_uri, files), filled)


def _link(found: re.Match[str], page: str, files: Files) -> str:
    """Return a link of a page as the site needs it."""
    picture, text, target, anchor = found[1], found[2], found[3], found[4] or ""
    here = posixpath.dirname(page.removeprefix("project/") if page.startswith("project/") else f"docs/{page}")
    there = posixpath.normpath(posixpath.join(here, target))
    if there in PROJECT:
        site = f"project/{there}"
    elif there.startswith("docs/"):
        site = there.removeprefix("docs/").replace(".ipynb", ".md")
    elif (REPOSITORY / there).exists():
        return text  # such as a folder of queries, which is no page
    else:
        return found[0]  # which the strict build reports
    if files.get_file_from_path(site) is None and (REPOSITORY / there).is_dir():
        site = f"{site}/README.md"
    return f"{picture}[{text}]({posixpath.relpath(site, posixpath.dirname(page) or '.')}{anchor})"


def _notebook_pages(notebook: File, config: MkDocsConfig) -> list[File]:
    """Return the page of a notebook and its pictures. Scripts of outputs are left out: they need a network."""
    from nbconvert import MarkdownExporter

    exporter = MarkdownExporter(
        display_data_priority=["image/svg+xml", "image/png", "text/html", "text/markdown", "text/plain"]
    )
    stem = notebook.src_uri.removesuffix(".ipynb")
    folder = posixpath.basename(stem)
    text, resources = exporter.from_filename(str(notebook.abs_src_path), {"output_files_dir": folder})
    text = re.sub(r"<script\b.*?</script>", "", text, flags=re.DOTALL)
    return [File.generated(config, f"{stem}.md", content=text)] + [
        File.generated(config, posixpath.join(posixpath.dirname(stem), name), content=content)
        for name, content in resources["outputs"].items()
    ]
