"""A notebook with every kind of report, and a separate JupyterLab that shows it.

`python -m tests.truthhypo.page.jupyter` takes the picture in docs/pictures again.
"""

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2
import nbformat
from IPython.core.formatters import DisplayFormatter
from nbformat.sign import NotebookNotary
from playwright.sync_api import Page, sync_playwright

from groundwork.settings import Settings
from tests.truthhypo.bench.browser import started
from tests.truthhypo.page.gallery import DOCUMENTS, LONG, PARAGRAPH
from truthhypo.faces.demo import load_sample
from truthhypo.world import World

THEMES = ("JupyterLab Light", "JupyterLab Dark")
#: Seconds until JupyterLab answers. It takes half a minute on a busy machine.
PATIENCE = 90
_PYTHON = {"name": "python3", "display_name": "Python 3", "language": "python"}


@dataclass(frozen=True)
class Laboratory:
    """A running JupyterLab.

    Attributes:
        client: Asks the server.
        folder: Where its notebooks lie.
        data: Where Jupyter keeps the signatures of trusted notebooks.
    """

    client: httpx2.Client
    folder: Path
    data: Path

    @property
    def address(self) -> str:
        return str(self.client.base_url)

    def paint(self, theme: str) -> None:
        """Choose the theme of the pages that are opened from now on."""
        settings = {"raw": json.dumps({"theme": theme})}
        self.client.put("/lab/api/settings/@jupyterlab/apputils-extension:themes", json=settings).raise_for_status()

    def keep(self, name: str, notebook: nbformat.NotebookNode, *, trusted: bool) -> None:
        """Write a notebook. The signature of a trusted notebook includes its name."""
        notebook.metadata.title = name
        nbformat.write(notebook, self.folder / name)
        with NotebookNotary(data_dir=str(self.data)) as notary:
            (notary.sign if trusted else notary.unsign)(notebook)

    def open(self, page: Page, name: str) -> None:
        """Open a notebook."""
        page.goto(f"{self.address}/lab/tree/{name}?reset&token={self.client.headers['Authorization'].split()[1]}")

    def run(self, page: Page, name: str) -> None:
        """Open a notebook of one cell, and run it by a kernel."""
        self.open(page, name)
        page.get_by_role("button", name="Python 3 (ipykernel) | Idle").wait_for(timeout=180_000)
        page.locator(".jp-Notebook .cm-content").click()
        page.keyboard.press("Shift+Enter")

    def show(self, page: Page, name: str, reports: int) -> None:
        """Open a notebook, and wait for so many reports."""
        self.open(page, name)
        page.locator(".truthhypo").nth(reports - 1).wait_for(timeout=120_000)
        page.wait_for_function("[...document.querySelectorAll('.truthhypo img')].every((one) => one.complete)")


@contextmanager
def laboratory(folder: Path) -> Iterator[Laboratory]:
    """Run JupyterLab on a free port. It reads and writes in this folder alone, and is stopped in the end."""
    token, places = secrets.token_hex(), {name: folder / name.lower() for name in ("CONFIG", "DATA", "RUNTIME")}
    environment = {**os.environ, "IPYTHONDIR": str(folder / "ipython")}
    environment |= {f"JUPYTER_{name}_DIR": str(place) for name, place in places.items()}
    environment |= {f"JUPYTERLAB_{name}_DIR": str(folder / name.lower()) for name in ("SETTINGS", "WORKSPACES")}
    (folder / "notebooks").mkdir()
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": "0",
        "ServerApp.root_dir": str(folder / "notebooks"),
        "IdentityProvider.token": token,
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "LabApp.extension_manager": "readonly",
    }
    words = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    words += [f"--{name}={value}" for name, value in options.items()]
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(words, env=environment, stdout=log, stderr=log) as process,
    ):
        try:
            address = _address(places["RUNTIME"] / f"jpserver-{process.pid}.json", process)
            with httpx2.Client(base_url=address, headers={"Authorization": f"token {token}"}, timeout=60) as client:
                yield Laboratory(client, folder / "notebooks", places["DATA"])
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):  # the server may wait for a kernel that was stopped too early
                process.wait(10)
            process.kill()


def _address(told: Path, process: subprocess.Popen[bytes]) -> str:
    """Wait until the server has written its address into this file, and return the address."""
    end = time.monotonic() + PATIENCE
    while not told.exists() or not told.read_text():
        assert process.poll() is None, "JupyterLab ended"
        assert time.monotonic() < end, "JupyterLab does not start"
        time.sleep(0.2)
    return str(json.loads(told.read_text())["url"]).rstrip("/")


def notebook(**results: object) -> nbformat.NotebookNode:
    """Return a notebook with a cell for each result. Its source is the name of the result, and its output is
    what IPython displays for the result."""
    shown, cells = DisplayFormatter(), []
    for number, (name, result) in enumerate(results.items(), 1):
        data, metadata = shown.format(result)
        output = nbformat.v4.new_output("execute_result", data, metadata=metadata, execution_count=number)
        cells.append(nbformat.v4.new_code_cell(name, outputs=[output], execution_count=number))
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": _PYTHON, "language_info": {"name": "python"}})


def reports(world: World) -> dict[str, object]:
    """Return a result of each kind. The texts have every verdict, HTML, and a word that is wider than the page."""
    return {
        "ground": world.ground(LONG),
        "risk": world.risk(LONG),
        "hypothesis": world.hypothesize("simvastatin", "HMGCR"),
        "many": world.ground_many([LONG, None], progress=False),
        "chains": world.graph.chains("simvastatin", "cholesterol", hops=4),
        "plot": world.graph.chains("simvastatin", "cholesterol", hops=3).plot(),
    }


def main() -> None:
    """Write the picture of a notebook for the documentation."""
    with TemporaryDirectory() as scratch, laboratory(Path(scratch)) as lab, sync_playwright() as playwright:
        with World(Settings(home=Path(scratch) / "home"), read_only=False) as world:
            load_sample(world)
            lab.keep("reports.ipynb", notebook(ground=world.ground(PARAGRAPH)), trusted=True)
        browser = started(playwright)
        page = browser.new_page(viewport={"width": 1100, "height": 1200})
        lab.paint(THEMES[0])
        lab.show(page, "reports.ipynb", 1)
        page.locator(".truthhypo summary").first.click()
        page.locator(".truthhypo").screenshot(path=DOCUMENTS / "notebook.png")
        browser.close()


if __name__ == "__main__":
    main()
