"""Run the notebooks of docs. `python -m tests.notebooks [NAME...]` runs them and keeps their new outputs.

A notebook runs in a copy of `docs`, so that nothing is written into the repository.
"""

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDER = REPOSITORY / "docs" / "notebooks"

#: Parts of outputs that differ between runs or machines, and what replaces them in a comparison.
_VARYING = (
    (r"/[\w/.-]*/?tmp\w+", "FOLDER"),
    (r"\bin [\d.]+ (s|min)\b|[\d.]+ s\b", "SECONDS"),
    (r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?\S*", "TIME"),
    (r"\d+\.\d+", lambda number: f"{float(number[0]):.2g}"),
    (r"[ \t]+", " "),  # the width of a column depends on its content
    (r"-{3,}", "---"),
)
#: A progress bar of tqdm, or a line of progress that a slow machine shows. Neither is kept in the notebook.
_BAR = re.compile(r"\d+%\||\d of [\d,]+ \w+, [\d.,]+/s")


def notebooks() -> list[Path]:
    """The notebooks of docs, in order."""
    return sorted(FOLDER.glob("*.ipynb"))


def executed(path: Path) -> Any:
    """Run a notebook from its start, and return it with its outputs. Raises nbclient's CellExecutionError."""
    notebook = nbformat.read(path, as_version=4)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TRUTHHYPO_", "OPENAI_"))}
    with TemporaryDirectory() as folder:
        for name in ("notebooks", "tutorial"):
            shutil.copytree(REPOSITORY / "docs" / name, Path(folder) / "docs" / name)
        client = NotebookClient(
            notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": f"{folder}/docs/notebooks"}}
        )
        path_of_ours = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
        client.execute(env={**kept, "PATH": path_of_ours, "COLUMNS": "100"})
    return tidied(notebook)


def tidied(notebook: Any) -> Any:
    """Return a notebook with its texts, code and outputs, but without progress bars, times and random ids."""
    notebook.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    for number, cell in enumerate(notebook.cells, 1):
        cell.id, cell.metadata = f"cell-{number}", {}
        if cell.cell_type == "code":
            cell.outputs = list(_joined(each for each in cell.outputs if not _passing(each)))
            for data in (each.data for each in cell.outputs if "image/svg+xml" in each.get("data", {})):
                data.pop("image/png", None)  # the same picture again
    return notebook


def _passing(output: Any) -> bool:
    if "application/vnd.jupyter.widget-view+json" in output.get("data", {}):  # a progress bar of tqdm or rich
        return True
    return output.get("name") == "stderr" and (bool(_BAR.search(output.text)) or output.text.isspace())


def _joined(found: Iterable[Any]) -> Iterator[Any]:
    """Yield outputs. Consecutive texts are joined, because they arrive in random pieces. Colours are removed."""
    for name, group in groupby(found, key=lambda output: output.get("name")):
        if name is None:
            yield from group
        else:
            text = re.sub(r"\x1b\[[\d;?]*\w", "", "".join(each.text for each in group))
            yield nbformat.v4.new_output("stream", name=name, text=text)


def outputs(notebook: Any) -> Iterator[tuple[str, str, str]]:
    """Yield (cell, kind, text) of each output, without text that may differ between two runs. Of SVG images, only the
    words are kept."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {output.get("name", output.output_type): output.get("text", "")})
            for kind, text in sorted(data.items()):
                told = " ".join(re.findall(r">([^<>]+)</text>", text)) if kind == "image/svg+xml" else text
                for pattern, stand_in in _VARYING:
                    told = re.sub(pattern, stand_in, told)
                yield cell.id, kind, told


def main() -> None:
    """Run the notebooks that are named, or all, and write those whose outputs changed."""
    for path in notebooks():
        if sys.argv[1:] and path.stem not in sys.argv[1:]:
            continue
        before, after = nbformat.read(path, as_version=4), executed(path)
        same = list(outputs(before)) == list(outputs(after)) and tidied(before).cells == before.cells
        if not same:
            nbformat.write(after, path)
        sys.stdout.write(f"{'same' if same else 'new '} {path.name}\n")


if __name__ == "__main__":
    main()
