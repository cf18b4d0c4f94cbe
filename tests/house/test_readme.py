"""The README is run: every `console` command says what stands below it, every `python` block holds."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

import pytest

from truthhypo.faces.cli.entry import run

REPOSITORY = Path(__file__).resolve().parents[2]
README = (REPOSITORY / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def walked() -> list[tuple[str, str]]:
    """(command, output wanted) of all console blocks, in order."""
    steps = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, wanted = re.sub(r"\\\n\s*", "", part).partition("\n")
            steps.append((command, wanted))
    return steps


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    binaries = Path(sys.executable).parent
    return {
        "PATH": f"{binaries}:/usr/bin:/bin",
        "HOME": str(tmp_path_factory.mktemp("user")),
        "TRUTHHYPO_HOME": str(tmp_path_factory.mktemp("home")),
        "COLUMNS": "120",
        "LANG": "C.UTF-8",
    } | ({"SYSTEMROOT": os.environ["SYSTEMROOT"]} if "SYSTEMROOT" in os.environ else {})


def test_the_walk_through_the_readme(environment, tmp_path, monkeypatch, capfd):
    """The first command, and those that are not `truthhypo` alone, run in processes; the others in this one, to save time."""
    steps = walked()
    assert len(steps) >= 8
    for name in ("truthhypo/sample", "docs/tutorial"):  # what is written goes elsewhere
        shutil.copytree(REPOSITORY / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for number, (command, wanted) in enumerate(steps):
        program, *argv = shlex.split(command)
        if program == "truthhypo" and number:
            code = run(argv)
        else:
            code = subprocess.run([program, *argv], timeout=120, check=False).returncode
        out, err = capfd.readouterr()
        assert code == 0, f"{command}\n{err}"
        matched = OutputChecker().check_output(wanted, out, ELLIPSIS | NORMALIZE_WHITESPACE)
        assert matched, f"$ {command}\n--- wanted\n{wanted}\n--- told\n{out}"


def test_the_python_blocks_hold(environment):
    found = blocks("python")
    assert found
    for block in found:
        told = subprocess.run(
            [sys.executable, "-c", block], cwd=REPOSITORY, env=environment, capture_output=True, text=True
        )
        assert told.returncode == 0, f"{block}\n{told.stderr}"
