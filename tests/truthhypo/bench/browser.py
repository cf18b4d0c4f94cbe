"""Measure the layout of a page that Chromium prints, in pixels and in points."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.servers.fixtures import in_ci

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: Width and height in pixels of A4 without margins of 12 mm, and the size of a pixel in points.
WIDTH, HEIGHT, POINTS = 703, 1032, 0.75

_MEASURE = """
const box = (one) => { const r = one.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
const scale = (one) => { const m = one.getScreenCTM?.(); return m ? Math.hypot(m.a, m.b) : 1; };
const letters = (one) => parseFloat(getComputedStyle(one).fontSize) * scale(one);
const frame = (mark) => mark.closest(".mark-group").querySelector(":scope > g > path.background");
const texts = (root, names) => [...root.querySelectorAll(names)].filter((one) => one.textContent.trim()).map(
  (one) => ({ text: one.textContent, box: box(one), letters: letters(one) }));
const panels = [...document.querySelectorAll(".panel")].map((panel) => ({
  title: panel.querySelector("p").textContent,
  box: box(panel),
  texts: texts(panel, "svg text, p"),
  marks: [...panel.querySelectorAll(".mark-symbol.role-mark path")].map((one) => [box(one), box(frame(one))]),
}));
const told = {
  width: document.documentElement.scrollWidth,
  panels,
  keys: [...document.querySelectorAll(".key")].map((key) => texts(key, "li")),
  tables: [...document.querySelectorAll("table")].filter((one) => one.offsetWidth).map(
    (one) => ({ name: one.caption.textContent, box: box(one), cells: texts(one, "td, th") })),
};
document.body.textContent = JSON.stringify(told);
"""


def chromium() -> str:
    """Return the path of Chromium. Skip the test without Chromium; in CI, fail."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        (pytest.fail if in_ci() else pytest.skip)(f"no Chromium to look with: none of {', '.join(NAMES)} is installed")
    return program


def started(playwright):
    """Start Chromium under Playwright. Skip the test without Chromium; in CI, fail."""
    program = chromium()
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    return playwright.chromium.launch(executable_path=program, args=options)


def printed(program: str, page: str, folder: Path) -> dict[str, Any]:
    """The result of `_MEASURE` for a page with print styles."""
    assert "@media print {" in page
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page).replace(
        "@media print {", "@media all {"
    )
    (folder / "page.html").write_text(page.replace("</body>", f"<script>{_MEASURE}</script></body>"), "utf-8")
    options = ("--headless", "--disable-gpu", "--hide-scrollbars", f"--window-size={WIDTH},{HEIGHT}", "--dump-dom")
    root = ("--no-sandbox",) if os.geteuid() == 0 else ()
    home = {**os.environ, "HOME": str(folder)}
    done = subprocess.run(
        [program, *options, *root, f"--user-data-dir={folder}/chromium", (folder / "page.html").as_uri()],
        capture_output=True, text=True, timeout=300, env=home, check=True,
    )  # fmt: skip
    (told,) = re.findall(r"<body>(.*)</body>", done.stdout, re.S)
    found: dict[str, Any] = json.loads(told.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    return found
