"""`ingest audit` end to end: the sample release and its successor, broken limits by their exit code."""

import pytest

from tests.truthhypo.conftest import SAMPLE
from truthhypo.faces.cli.entry import run

HOSTILE = "</title><script>alert('x')</script> & \"quoted\""
BASE = (
    [(n, "treat", f"Chemical|MESH:C{n}", f"Disease|MESH:D{n % 30}") for n in range(1, 301)]
    + [(n, "interact", f"Gene|{n}", f"Gene|{n + 1}") for n in range(1, 201)]
    + [(n, "associate", "Chemical|MESH:HUB", f"Gene|{n}") for n in range(1, 151)]
)
#: Without 60 of the treatments, and so without 60 chemicals. With 5 more interactions.
NEXT = [row for row in BASE if not (row[1] == "treat" and row[0] <= 60)] + [
    (n, "interact", f"Gene|{n}", f"Gene|{n + 2}") for n in range(1, 6)
]


def text(rows) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A HOME with two releases. One of their concepts is a hub with a hostile name."""
    folder = tmp_path_factory.mktemp("audit")
    files = {
        "base": text(BASE),
        "next": text(NEXT) + "1\tknows\tGene|1\tGene|2\nnothing\n",
        "names": f"1\tChemical\tMESH:HUB\t{HOSTILE}\tPubTator3\n",
    }
    for name, content in files.items():
        (folder / name).write_text(content, "utf-8")
    for command in ("relations base --release base", "concepts names", "relations next --release next"):
        kind, name, *rest = command.split()
        assert run(["--home", str(folder / "home"), "ingest", kind, str(folder / name), *rest]) == 0
    return folder / "home"


@pytest.fixture
def audit(command, home):
    return lambda *argv: command("--home", home, "ingest", "audit", *argv)


def broken(err: str) -> list[str]:
    """The lines that name a broken limit; the others report progress."""
    return [line for line in err.splitlines() if line.startswith("truthhypo: limit exceeded: ")]


def test_the_sample_release_and_its_successor_pass(command, tmp_path, capfdbinary):
    home = tmp_path / "home"
    for name, release in (("relation2pubtator3.tsv", "a"), ("relation2pubtator3.next.tsv", "b")):
        told = command("--home", home, "ingest", "relations", SAMPLE / name, "--release", release)
        assert told.code == 0
    told = command("--home", home, "ingest", "audit")
    assert (told.code, broken(told.err)) == (0, [])
    assert (told.json["release"]["id"], told.json["against"]["id"]) == ("b", "a")
    assert told.json["movement"]["edges"] == {"total": 79, "added": 5, "changed": 7, "removed": 3, "unchanged": 67}
    assert (told.json["edges"], told.json["concepts"], told.json["passed"]) == (79, 50, True)
    assert command("--home", home, "ingest", "audit", "a").json["movement"] is None
    assert command("--home", home, "ingest", "audit", "a", "--against", "b").json["movement"]["edges"]["added"] == 3
    assert run(["--home", str(home), "ingest", "audit"]) == 0
    shown = [line.split() for line in capfdbinary.readouterr().out.decode().splitlines()]
    assert ["largest", "hub", "-", "5.00%", "not", "checked"] in shown
    told = command("--home", home, "ingest", "audit", "c")
    assert told.code == 2
    assert "pubtator3:a (relation2pubtator3.tsv), pubtator3:b (relation2pubtator3.next.tsv)" in told.err


def test_broken_limits_are_exit_code_1_and_each_has_a_line_with_its_concepts(audit):
    told = audit()
    assert told.code == 1
    names = ("largest hub", "lost edges", "lost concepts")
    for line, name in zip(broken(told.err), names, strict=True):
        assert line.startswith(f"truthhypo: limit exceeded: {name} 0.")
    assert "Chemical|MESH:HUB" in broken(told.err)[0]
    over = {check["name"]: (check["value"], check["limit"]) for check in told.json["limits"] if not check["passed"]}
    assert over == {
        "largest hub": (pytest.approx(150 / 595), 0.05),
        "lost edges": (pytest.approx(60 / 650), 0.05),
        "lost concepts": (pytest.approx(60 / 532), 0.02),
    }
    assert told.json["passed"] is False


@pytest.mark.parametrize(
    "argv",
    [
        ["--top", "0"],
        ["--against"],
    ],
)
def test_bad_options_are_exit_code_2(audit, argv):
    told = audit(*argv)
    assert told.code == 2
    assert argv[0] in told.err
    assert set(told.json) == {"error"}


def test_people_get_tables(home, capsys):
    from truthhypo.faces.cli.entry import run

    assert run(["--home", str(home), "ingest", "audit"]) == 1
    out = capsys.readouterr().out
    assert "pubtator3:next (next), against base (base)" in out
    assert HOSTILE in out
    for words in ("lost concepts", "exceeded", "60 removed", "Chemical treat Disease", "595 edges"):
        assert words in out
