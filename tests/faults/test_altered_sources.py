"""A source file that is truncated or changed between a killed run and the next run is refused, or loaded with its new
content."""

import gzip
import random
import shutil
from pathlib import Path

import pytest

from tests.faults.commands import KILLED, Commands
from tests.faults.truths import Oracle, documents, holds


@pytest.fixture
def source(releases, tmp_path) -> Path:
    """A copy of the first release, to be altered."""
    return Path(shutil.copy(releases[0].path, tmp_path / "relations.gz"))


def cut(path: Path) -> None:
    """Truncate a compressed file to its first half."""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def killed(commands: Commands, *argv: object, calls: int, share: float) -> None:
    """Run a command that is killed after a share of its calls."""
    assert commands.run(*argv, point=int(calls * share)).code == KILLED


def killed_writing(commands: Commands, *argv: object) -> None:
    """Run a command that is killed when it has marked the release and begins to write concepts."""
    assert commands.run(*argv, point=8, writing=True).code == KILLED


@pytest.fixture(scope="module")
def calls(commands, releases, tmp_path_factory) -> int:
    """The number of calls of a first load."""
    told = commands.done(
        "--home", tmp_path_factory.mktemp("calm"), "ingest", "relations", releases[0].path, counted=True
    )
    return told.calls


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_truncated_file_is_refused_and_the_whole_file_finishes_the_load(
    commands, releases, source, tmp_path, calls, share
):
    first, _ = releases
    home, load = tmp_path / "home", ["--home", tmp_path / "home", "ingest", "relations", source]
    killed(commands, *load, calls=calls, share=share)
    cut(source)
    commands.run(*load).failed(2, str(source))
    shutil.copy(first.path, source)
    commands.done(*load)
    holds(first, home)


@pytest.mark.parametrize("share", [pytest.param(0.4, marks=pytest.mark.slow), 0.95])
def test_an_altered_file_is_loaded_with_its_new_content(commands, releases, source, tmp_path, calls, share):
    _, second = releases
    load = ["--home", tmp_path / "home", "ingest", "relations", source]
    killed(commands, *load, calls=calls, share=share)
    shutil.copy(second.path, source)
    commands.done(*load)
    holds(second, tmp_path / "home")


def test_other_bytes_under_the_same_id_are_refused_and_the_killed_load_can_be_finished(
    commands, releases, source, tmp_path
):
    first, second = releases
    home, load = tmp_path / "home", ["--home", tmp_path / "home", "ingest", "relations", source, "--release", "r1"]
    killed_writing(commands, *load)
    assert list((home / "pending").glob("pubtator3@r1@*/plan.json"))
    shutil.copy(second.path, source)
    commands.run(*load).failed(2, "r1", "other bytes")
    shutil.copy(first.path, source)
    commands.done(*load)
    holds(first, home)


@pytest.fixture
def files(articles, tmp_path) -> list[Path]:
    """Copies of PubMed's files without their checksums, to be altered."""
    (tmp_path / "files").mkdir()
    return [Path(shutil.copy(file, tmp_path / "files")) for file in articles]


def test_pubmed_files_truncated_between_two_runs_are_refused(commands, files, articles, oracle: Oracle, tmp_path):
    home, load = tmp_path / "home", ["--home", tmp_path / "home", "ingest", "pubmed", *files]
    calm = commands.done("--home", tmp_path / "calm", "ingest", "pubmed", *files, counted=True).calls
    killed(commands, *load, calls=calm, share=0.6)
    for file in (files[0], files[-1]):  # one that was written already, and one that was not
        whole = file.read_bytes()
        cut(file)
        commands.run(*load).failed(2, str(file))
        assert documents(home) == 0
        file.write_bytes(whole)
    commands.done(*load)
    oracle.check(home)


def test_pubmed_files_altered_between_two_runs_are_loaded_with_their_new_content(commands, files, tmp_path):
    home, load = tmp_path / "home", ["--home", tmp_path / "home", "ingest", "pubmed", *files]
    calm = commands.done("--home", tmp_path / "calm", "ingest", "pubmed", *files, counted=True).calls
    chance = random.Random(5)
    for _ in range(2):
        shutil.rmtree(home, ignore_errors=True)
        killed(commands, *load, calls=calm, share=chance.uniform(0.3, 0.95))
        altered = gzip.decompress(files[0].read_bytes()).replace(b"</ArticleTitle>", b" once more</ArticleTitle>")
        files[0].write_bytes(gzip.compress(altered, mtime=0))
        commands.done(*load)
        Oracle(tmp_path / "oracle", files).check(home)


def test_a_pubmed_file_that_does_not_match_its_checksum_is_refused(commands, files, articles, oracle, tmp_path):
    home, load = tmp_path / "home", ["--home", tmp_path / "home", "ingest", "pubmed", *files]
    calm = commands.done("--home", tmp_path / "calm", "ingest", "pubmed", *files, counted=True).calls
    killed(commands, *load, calls=calm, share=0.7)
    for file in articles:
        shutil.copy(file.with_name(file.name + ".md5"), files[0].parent)
    whole = files[1].read_bytes()
    files[1].write_bytes(files[0].read_bytes())
    commands.run(*load).failed(2, files[1].name)
    files[1].write_bytes(whole)
    commands.done(*load)
    oracle.check(home)
