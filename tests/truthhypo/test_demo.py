"""The demo: three statements, three verdicts, and commands that work when typed."""

import shlex

from truthhypo.faces.cli.entry import run


def test_the_demo_judges_three_statements_three_ways(command):
    told = command("demo")
    assert told.code == 0
    statements = told.json["statements"]
    verdicts = [[claim["verdicts"]["both"] for claim in said["ground"]["claims"]] for said in statements]
    assert verdicts == [["supported"], ["contradicted"], ["not_enough"]]
    statuses = [said["risk"]["sentences"][0]["status"] for said in statements]
    assert statuses == ["measured", "measured", "no_evidence"]
    assert statements[0]["risk"]["hrs"] < 0.1 < 0.9 < statements[1]["risk"]["hrs"]
    assert "sample numbers" in told.json["note"]


def test_what_the_demo_says_to_try_next_works(command, capfdbinary):
    for line in command("demo").json["next"]:
        program, *argv = shlex.split(line)
        assert program.split("/")[-1] == "truthhypo"
        assert run(argv) == 0, line
        assert capfdbinary.readouterr().out


def test_people_see_evidence_and_pmids(capfdbinary):
    assert run(["demo"]) == 0
    out = capfdbinary.readouterr().out.decode()
    assert "990000012" in out
    assert "sample numbers" in out
    assert "Try next" in out
