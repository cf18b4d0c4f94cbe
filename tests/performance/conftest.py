"""The program as a function, with a separate HOME for each test."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from truthhypo.faces.cli.entry import run


@pytest.fixture
def home(tmp_path) -> Path:
    """The HOME that `command` works in."""
    return tmp_path / "home"


@pytest.fixture
def command(capfdbinary, home) -> Callable[..., dict]:
    """Run `truthhypo --json ARGS`, check that it succeeds, and return its JSON."""

    def call(*argv: object) -> dict:
        capfdbinary.readouterr()
        code = run(["--home", str(home), "--json", *map(str, argv)])
        out, err = capfdbinary.readouterr()
        assert code == 0, err.decode()
        return json.loads(out)

    return call
