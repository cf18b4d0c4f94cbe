"""The list of commands: each name leads to a command, and a misspelt name to the right one."""

import pytest

from truthhypo.faces.cli.entry import run
from truthhypo.faces.cli.lazy_group import COMMANDS, ImportedCommands

#: The longest summary, in characters, that fits on a line of a terminal of 80 columns beside the names.
LONGEST = 60


@pytest.mark.parametrize("name", COMMANDS)
def test_every_name_leads_to_a_command_of_that_name(name):
    command = ImportedCommands()[name]
    assert command.name == name
    assert command.help


@pytest.mark.parametrize("name", COMMANDS)
def test_every_summary_fits_on_a_line_of_help(name, capsys):
    summary = COMMANDS[name].summary
    assert 0 < len(summary) <= LONGEST
    assert run(["--help"]) == 0
    assert any(line.split(maxsplit=1) == [name, summary] for line in capsys.readouterr().out.splitlines())


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [
        ("grond", "ground"),
        ("rsk", "risk"),
        ("hypothesise", "hypothesize"),
        ("beleif", "belief"),
        ("demos", "demo"),
        ("confg", "config"),
        ("docotr", "doctor"),
        ("dowload", "download"),
        ("injest", "ingest"),
        ("grahp", "graph"),
        ("litterature", "literature"),
        ("bnech", "bench"),
    ],
)
def test_a_misspelt_name_suggests_the_right_one(misspelt, meant, capsys):
    assert run([misspelt]) == 2
    assert f"Did you mean '{meant}'?" in capsys.readouterr().err
