"""Start-up: a command imports only what it uses. Modules are counted, because seconds depend on the machine."""

import subprocess
import sys

import pytest

from groundwork.settings import Settings
from truthhypo.faces.demo import load_sample
from truthhypo.world import World

#: Run the command in a fresh process, then write the imported top-level packages as the last line of stderr.
PROBE = """
import sys
from truthhypo.faces.cli.entry import run
code = run(sys.argv[1:])
print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
sys.exit(code)
"""

#: Packages that only loads, judgements, benchmarks, language models or the service need.
HEAVY = {"pandas", "spacy", "ibis", "duckdb", "torch", "sklearn", "langchain", "langchain_core", "openai"} | {
    "fastapi",
    "uvicorn",
    "mcp",
    "pebble",
    "prometheus_client",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    with World(Settings(home=folder), read_only=False) as world:
        load_sample(world)
    return folder


def imported(*argv):
    """Return the output of a command and the packages that its process imported."""
    ran = subprocess.run([sys.executable, "-c", PROBE, *map(str, argv)], capture_output=True, text=True, check=True)
    return ran.stdout, set(ran.stderr.splitlines()[-1].split())


def test_help_imports_neither_data_libraries_nor_models():
    out, packages = imported("--help")
    assert "literature" in out
    assert not packages & (HEAVY | {"pyarrow", "numpy", "pydantic", "rich"})


def test_finding_a_concept_imports_only_what_the_embedded_store_needs(home):
    out, packages = imported("--home", home, "graph", "find", "metformin")
    assert "Chemical|MESH:D008687" in out
    assert "pyarrow" in packages  # so the probe does see imports
    assert not packages & (HEAVY | {"ladybug"})


def test_grounding_a_claim_imports_no_data_frames_and_no_language_model(home):
    out, packages = imported("--home", home, "ground", "Metformin treats type 2 diabetes.")
    assert "supported" in out
    assert "spacy" in packages
    assert not packages & (HEAVY - {"spacy"})
