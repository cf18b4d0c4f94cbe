"""The examples in the documents are run: every `console` command prints the shown output, and every `python` block
runs.

Commands of `sh` blocks need servers, models or large files. They are only parsed.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

import pytest

from truthhypo.faces.cli.entry import run

REPOSITORY = Path(__file__).resolve().parents[2]

#: The examples of these documents run one after the other, in one folder and with one HOME. Those of README.md always
#: run. A reader goes on from README.md to docs/, so the docs are also run after it.
WALKS = {
    "README": ("README.md",),
    "docs": ("README.md", "docs/loading.md", "docs/release-day.md", "docs/judging.md", "docs/python.md"),
    "start": ("docs/start.md",),
    "citations": ("docs/citations.md",),
    "scores": tuple(f"docs/scores/{name}.md" for name in ("groundedness", "risk", "belief", "lookups", "measures")),
    "benchmark": ("docs/benchmark.md", "docs/example-report/README.md"),
}
#: Real files that a document loads, by their names in the document.
REAL_FILES = {"README.md": {"BC5CDR.PubTator.txt": "bc5cdr/CDR_TrainingSet.PubTator.txt"}}


def examples(document: str, languages: str = "console|python") -> Iterator[tuple[str, str]]:
    """Yield (language, text) of the blocks in these languages, in order; by default, the blocks that are run."""
    text = (REPOSITORY / document).read_text("utf-8")
    yield from re.findall(rf"^```({languages})\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def commands(block: str) -> Iterator[tuple[list[str], str]]:
    """Yield (arguments, expected output) of the commands in a console block. `make demo` is replaced by its recipe."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, wanted = part.partition("\n")
        if command == "make demo":
            (command,) = re.findall(
                r"^demo:.*\n\t@\$\(BIN\)/(.*)$", (REPOSITORY / "Makefile").read_text(), re.MULTILINE
            )
        yield shlex.split(command), wanted


@pytest.fixture
def environment(tmp_path_factory):
    binaries = Path(sys.executable).parent
    return {
        "PATH": f"{binaries}:/usr/bin:/bin",
        "HOME": str(tmp_path_factory.mktemp("user")),
        "TRUTHHYPO_HOME": str(tmp_path_factory.mktemp("home")),
        "TMPDIR": str(tmp_path_factory.mktemp("temporary")),
        "COLUMNS": "120",
        "LANG": "C.UTF-8",
    } | ({"SYSTEMROOT": os.environ["SYSTEMROOT"]} if "SYSTEMROOT" in os.environ else {})


def documents() -> Iterator[str]:
    for pattern in ("*.md", "docs/**/*.md", "docker/*.md", "cypher/browser/*.md", "truthhypo/sample/*.md"):
        yield from (str(path.relative_to(REPOSITORY)) for path in REPOSITORY.glob(pattern))


def test_the_examples_of_every_document_are_run():
    assert {each for each in documents() if list(examples(each))} == {each for walk in WALKS.values() for each in walk}


def test_the_options_of_commands_that_are_not_run_exist():
    """A command that ends in `--help` is parsed but not run. An unknown option gives exit code 2."""
    shown = [
        words[1:]
        for document in documents()
        for _, block in examples(document, "sh")
        for line in re.split(r"\n|\|\|", block)
        if (words := shlex.split(line, comments=True))[:1] == ["truthhypo"]
    ]
    assert shown
    assert [words for words in shown if run([*words, "--help"]) != 0] == []


@pytest.mark.parametrize(
    "walk", ["README", *(pytest.param(name, marks=pytest.mark.slow) for name in WALKS if name != "README")]
)
def test_the_examples_of_the_documents_print_what_is_shown(walk, environment, tmp_path, monkeypatch, capfd, request):
    """The first command, and commands that are more than a call of `truthhypo`, run in separate processes. To save
    time, the others run in this process."""
    walked = WALKS[walk]
    for name in ("truthhypo/sample", "docs/tutorial", "docs/example-report"):  # so that examples write elsewhere
        shutil.copytree(REPOSITORY / name, tmp_path / name)
    for name, source in (pair for each in walked for pair in REAL_FILES.get(each, {}).items()):
        shutil.copy(request.getfixturevalue("data") / source, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    started = False
    for language, block in (example for each in walked for example in examples(each)):
        steps = [(["python", "-c", block], "")] if language == "python" else commands(block)
        for argv, wanted in steps:
            if argv[0] == "truthhypo" and started:
                code = run(argv[1:])
            else:
                code, started = subprocess.run(argv, timeout=120, check=False).returncode, True
            out, err = capfd.readouterr()
            assert code == 0, f"{shlex.join(argv)}\n{err}"
            matched = OutputChecker().check_output(wanted, out, ELLIPSIS | NORMALIZE_WHITESPACE)
            assert matched, f"$ {shlex.join(argv)}\n--- wanted\n{wanted}\n--- told\n{out}"
