"""The documents say what is there: links resolve, no file is too long for one room, no machine's own address."""

import re
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    "README.md",
    "ARCHITECTURE.md",
    "DECISIONS.md",
    "CHANGELOG.md",
    "docker/README.md",
    "docs/service.md",
    "docs/tutorial/README.md",
    "docs/example-report/README.md",
]


def tracked(pattern: str) -> list[Path]:
    told = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", pattern],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
        text=True,
    )
    return [path for name in told.stdout.splitlines() if (path := REPOSITORY / name).is_file()]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_in_documents_resolve(name):
    path = REPOSITORY / name
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", path.read_text("utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_files_named_in_the_architecture_exist():
    text = (REPOSITORY / "ARCHITECTURE.md").read_text("utf-8")
    named = re.findall(
        r"`((?:groundwork|cypher|literature|ingest|knowhd|fuzzygraph|truthhypo|tests|docker)/[\w./-]+)`", text
    )
    assert named
    assert [name for name in named if not (REPOSITORY / name).exists()] == []


def test_every_room_keeps_its_files_short():
    long = {
        str(path.relative_to(REPOSITORY)): lines
        for path in tracked("*.py")
        if not path.is_relative_to(REPOSITORY / "tests") and (lines := len(path.read_text("utf-8").splitlines())) > 300
    }
    assert long == {}


def test_no_module_evaluates_text_or_runs_a_shell():
    forbidden = re.compile(r"(?<![\w.])(eval|exec)\(|os\.system|shell=True|pickle\.loads?")
    found = [
        f"{path.relative_to(REPOSITORY)}:{number}"
        for path in tracked("*.py")
        if not path.is_relative_to(REPOSITORY / "tests")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if forbidden.search(line)
    ]
    assert found == []
