"""The public names of the package: each is exported, documented, and its example holds on the sample release."""

import asyncio
import doctest
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import truthhypo

#: Exported classes whose public methods have an example each.
ENTRANCES = ("World", "GraphLookups", "LiteratureLookups")
#: Methods that the program's own parts use.
INNER = {"expect", "judged_by", "close"}
#: Exported classes that only name a kind of error, a port, or all settings.
WITHOUT = {"TruthHypoError", "InputError", "UnknownConcept", "StoreError", "DamagedStore", "ModelError"} | {
    "NothingLoaded",
    "LanguageModel",
    "Progress",
    "Settings",
}


def public():
    """(name, object) of each exported name, and of the methods of the main classes."""
    for name in truthhypo.__all__:
        if name != "__version__":
            yield name, getattr(truthhypo, name)
    for name in ENTRANCES:
        for method, member in inspect.getmembers(getattr(truthhypo, name), inspect.isfunction):
            if not method.startswith("_") and method not in INNER:
                yield f"{name}.{method}", member


@pytest.mark.parametrize(("name", "thing"), list(public()), ids=[name for name, _ in public()])
def test_public_names_are_documented_by_examples_that_work(name, thing, sample_home, monkeypatch):
    monkeypatch.setenv("TRUTHHYPO_HOME", str(sample_home))
    assert inspect.getdoc(thing)
    with truthhypo.connect() as world:
        parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        examples = parser.get_doctest(
            thing.__doc__, {"asyncio": asyncio, "truthhypo": truthhypo, "world": world}, name, None, None
        )
        assert examples.examples or name in WITHOUT
        told = []
        runner.run(examples, out=told.append)
    assert runner.failures == 0, "".join(told)


def test_dir_lists_exactly_the_exported_names_before_they_are_used():
    probe = "import truthhypo; print(*(name for name in dir(truthhypo) if name[0] != '_' and name != 'TYPE_CHECKING'))"
    told = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert set(told.stdout.split()) == {name for name in truthhypo.__all__ if not name.startswith("_")}
    assert {name for name in truthhypo.__all__ if not hasattr(truthhypo, name)} == set()
    with pytest.raises(AttributeError, match="Worlds"):
        truthhypo.Worlds  # noqa: B018


SCRIPT = """
import asyncio

import truthhypo
from truthhypo import Chains, GroundReport, Hypothesis, ManyReport, RiskReport, World


def score(world: World, texts: list[str | None]) -> float | None:
    report: GroundReport = world.ground("Simvastatin lowers cholesterol.", before=2020, k=4)
    risk: RiskReport = world.risk("Simvastatin lowers cholesterol.", form="scaled", aggregate="max")
    chains: Chains = world.graph.chains("simvastatin", "cholesterol", rank="dwpc")
    found: Hypothesis = world.hypothesize("simvastatin", "HMGCR", select="majority", n=3)
    many: ManyReport = world.ground_many(texts, progress=False, out="out.csv")
    many = asyncio.run(world.arisk_many(texts, progress=False, aggregate="max"))
    found = asyncio.run(world.ahypothesize("simvastatin", "HMGCR", n=3))
    print(chains.chains[0].hops[0].pmids, found.relation, many.summary["failed"], risk.sentences[0].hrs)
    print([edge.belief for edge in world.graph.edges("simvastatin", "HMGCR")], risk.flags)
    return report.groundedness["both"]


with truthhypo.connect(home="home", model="rules") as world:
    score(world, ["Simvastatin lowers cholesterol.", None])
"""


@pytest.mark.slow
def test_a_users_script_is_typed(tmp_path):
    wrong = [
        'world.risk("x", form="round")',
        'world.ground("x", before="2020")',
        'world.ground("x", befor=1)',
        'world.aground_many(["x"], befor=1)',
        'world.aground("x").groundedness',
        "world.literature.put([])",
        'truthhypo.connect(hom="x")',
    ]
    (tmp_path / "right.py").write_text(SCRIPT)
    (tmp_path / "wrong.py").write_text("\n".join(["import truthhypo", "world = truthhypo.connect()", *wrong]))
    cache = Path(truthhypo.__file__).parents[1] / ".mypy_cache" / "script"  # types of our dependencies take minutes
    argv = ["-m", "mypy", "--strict", "--config-file", "", "--cache-dir", str(cache), "right.py", "wrong.py"]
    told = subprocess.run([sys.executable, *argv], cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    errors = dict.fromkeys(line.partition(": error")[0] for line in told.splitlines() if ": error" in line)
    assert list(errors) == [f"wrong.py:{n}" for n in range(3, 3 + len(wrong))]
