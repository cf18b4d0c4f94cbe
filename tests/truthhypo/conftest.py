"""The command as a function, and a HOME with the sample release in it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from groundwork.settings import Settings
from truthhypo.faces.cli.entry import run
from truthhypo.faces.demo import load_sample
from truthhypo.world import World

SAMPLE = Path(str(files("truthhypo").joinpath("sample")))


@dataclass(frozen=True)
class Told:
    """What a command said: exit code, stdout as JSON (None if stdout is empty), stderr."""

    code: int
    json: Any
    err: str


Command = Callable[..., Told]


@pytest.fixture
def command(capfdbinary) -> Command:
    """Run `truthhypo --json ARGS` in this process."""

    def call(*argv: object) -> Told:
        capfdbinary.readouterr()
        code = run([*map(str, argv), "--json"])
        out, err = capfdbinary.readouterr()
        return Told(code, json.loads(out) if out else None, err.decode())

    return call


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory) -> Path:
    """A HOME whose embedded stores hold the sample release; tests only read it."""
    home = tmp_path_factory.mktemp("sample-home")
    with World(Settings(home=home), read_only=False) as world:
        load_sample(world)
        world.graph_store.draw()
    return home
