"""Documents and modules: links resolve, no file is too long, and no module evaluates text or runs a shell."""

import re
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def tracked(pattern: str) -> list[Path]:
    told = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", pattern],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
        text=True,
    )
    return [path for name in told.stdout.splitlines() if (path := REPOSITORY / name).is_file()]


def test_links_in_documents_resolve():
    broken = [
        f"{path.relative_to(REPOSITORY)}: {link}"
        for path in tracked("*.md")
        for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", path.read_text("utf-8"))
        if not (path.parent / link).exists()
    ]
    assert broken == []


def test_files_named_in_the_architecture_exist():
    text = (REPOSITORY / "ARCHITECTURE.md").read_text("utf-8")
    named = re.findall(
        r"`((?:groundwork|cypher|literature|ingest|knowhd|fuzzygraph|truthhypo|benchmarks|tests|docker)/[\w./-]+)`",
        text,
    )
    assert named
    assert [name for name in named if not (REPOSITORY / name).exists()] == []


@pytest.mark.parametrize(
    ("name", "unit", "most"),
    [
        ("README.md", r"\n", 150),
        ("ARCHITECTURE.md", r"\S+", 1_200),
        ("DECISIONS.md", r"\S+", 6_000),
        ("DECISIONS.md", r"^### ", 60),
    ],
)
def test_documents_keep_their_length(name, unit, most):
    assert len(re.findall(unit, (REPOSITORY / name).read_text("utf-8"), re.MULTILINE)) <= most


def test_a_decision_has_at_most_six_lines():
    entries = (REPOSITORY / "DECISIONS.md").read_text("utf-8").split("\n### ")[1:]
    assert [entry for entry in entries if entry.split("\n\n")[0].count("\n") > 6] == []


def test_modules_outside_tests_have_at_most_600_lines():
    long = {
        str(path.relative_to(REPOSITORY)): lines
        for path in tracked("*.py")
        if not path.is_relative_to(REPOSITORY / "tests") and (lines := len(path.read_text("utf-8").splitlines())) > 600
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
