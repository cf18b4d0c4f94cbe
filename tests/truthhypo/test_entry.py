"""The entry of the command: global options, errors, interrupts, and commands that are imported when they are used."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from groundwork.errors import StoreUnreachable
from truthhypo import __version__
from truthhypo.faces.cli.entry import COMMANDS, ImportedCommands, hoist, run


@pytest.mark.parametrize(
    ("argv", "wanted"),
    [
        (["graph", "stats", "--json"], ["--json", "graph", "stats"]),
        (["graph", "stats", "--home", "x y"], ["--home", "x y", "graph", "stats"]),
        (["ground", "text", "--model=openai:m", "-k", "3"], ["--model=openai:m", "ground", "text", "-k", "3"]),
        (["ground", "--", "--json is a flag"], ["ground", "--", "--json is a flag"]),
        (["--json", "risk", "a"], ["--json", "risk", "a"]),
        (["risk", "a", "--home"], ["--home", "risk", "a"]),
        (["--version", "--json"], ["--json", "--version"]),
    ],
)
def test_global_options_may_stand_anywhere(argv, wanted):
    assert hoist(argv) == wanted


def test_the_version_is_shown_alone_or_as_a_document(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"truthhypo {__version__}\n"
    assert run(["--version", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"version": __version__}


@pytest.mark.parametrize(
    ("command", "rest", "seen", "wanted"),
    [
        ([], ["nonsense"], "No such command 'nonsense'", "arguments and options"),
        (["graph", "chains"], ["only-one"], "Missing argument 'tail'", "arguments and options"),
        (["ground"], ["--k", "many", "x"], "the value 'many' for '-k' / '--k'", "a valid integer\n"),
        (["serve"], ["--port", "70000"], "the value '70000' for '--port'", "less than or equal to 65535\n"),
        (
            ["ingest", "relations"],
            ["f", "--mode", "up"],
            "the value 'up' for '--mode'",
            "one of 'online', 'offline'\n",
        ),
    ],
)
def test_bad_usage_is_exit_code_2_and_says_what_was_given_and_expected(command, rest, seen, wanted, capsys):
    assert run([*command, *rest]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"truthhypo: {seen}\nExpected: ") and wanted in told.err
    assert told.err.endswith(f"To fix it: see {' '.join(['truthhypo', *command])} --help\n")


@pytest.mark.parametrize(
    ("command", "text", "shown"),
    [
        (["ground"], "-foo causes bar", "'-foo causes bar'"),
        (["risk"], "-k causes bar", "'-k causes bar'"),
        (["graph", "find"], "-p53", "-p53"),
        (["literature", "search"], "--IL-6 causes x=3", "'--IL-6 causes x=3'"),
        (["graph", "stats"], "-foo causes bar", None),
        (["ground"], "-k9x", None),
        (["ground", "x"], "--file=a b.txt", None),
    ],
)
def test_a_text_that_begins_like_an_option_goes_after_two_dashes(command, text, shown, capsys, tmp_path):
    assert run(["--home", str(tmp_path), *command, text]) == 2
    told = capsys.readouterr().err
    words = " ".join(command)
    assert (f"if {shown} is a text, put -- before it: truthhypo {words} -- {shown}" in told) == (shown is not None)
    if shown and command != ["risk"]:
        run(["--home", str(tmp_path), *command, "--", text])
        assert "option" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv",
    [
        ["watch", "remove", "\udcff"],
        ["graph", "stats", "--home", "h\udcff"],
        ["graph", "edges", "\udcff", "aspirin"],
        ["graph", "chains", "Gene|\udcff", "aspirin"],
        ["graph", "query", "RETURN '\udcff'"],
        ["ground", "A causes fever.", "--concept", "A=\udcff"],
    ],
)
def test_an_argument_that_is_not_utf8_is_bad_usage(argv, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRUTHHYPO_HOME", str(tmp_path / "home"))
    assert run(argv) == 2
    assert re.search("not UTF-8|surrogate", capsys.readouterr().err)


def test_an_error_is_one_message_and_under_json_one_document(tmp_path, capsysbinary):
    argv = ["--home", str(tmp_path), "risk", "a", "--json", "--alpha", "2"]
    assert run(argv) == 2
    out, err = capsysbinary.readouterr()
    error = json.loads(out)["error"]
    assert error["exit_code"] == 2
    assert "alpha" in error["seen"]
    assert b"Traceback" not in err
    assert b"alpha" in err


def test_a_bad_setting_names_its_source_but_not_a_secret(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("TRUTHHYPO_GRAPH_TIMEOUT", "soon")
    monkeypatch.setenv("TRUTHHYPO_GRAPH_PASSWORD", "hunter2")
    assert run(["--home", str(tmp_path), "config"]) == 2
    err = capsys.readouterr().err
    assert "TRUTHHYPO_GRAPH_TIMEOUT" in err
    assert "hunter2" not in err


def test_config_shows_origins_and_masks_secrets(tmp_path, capsysbinary, monkeypatch):
    monkeypatch.setenv("TRUTHHYPO_GRAPH_PASSWORD", "hunter2")
    monkeypatch.setenv("TRUTHHYPO_GRAPH", "neo4j://ann:hunter2@127.0.0.1:7687")
    assert run(["config", "--json", "--home", str(tmp_path)]) == 0
    out = capsysbinary.readouterr().out
    assert b"hunter2" not in out
    shown = {row["name"]: row for row in json.loads(out)["settings"]}
    assert shown["home"]["origin"] == "flag"
    assert shown["home"]["value"] == str(tmp_path)
    assert shown["graph_password"]["origin"] == "TRUTHHYPO_GRAPH_PASSWORD"
    assert shown["graph"]["value"] == "neo4j://ann:********@127.0.0.1:7687"
    assert shown["alpha" if "alpha" in shown else "syst"]["origin"] == "default"


def test_a_bug_is_reported_as_one_message(tmp_path, capsys, monkeypatch):
    def broken(*_: object) -> None:
        raise RuntimeError("the impossible")

    monkeypatch.setattr("truthhypo.faces.cli.show.shown_settings", broken)
    assert run(["config", "--home", str(tmp_path)]) == 1
    err = capsys.readouterr().err
    assert "the impossible" in err
    assert "--debug" in err
    assert "Traceback" not in err


def test_interruption_is_exit_code_130(tmp_path, capsys, monkeypatch):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("truthhypo.faces.cli.show.shown_settings", interrupted)
    assert run(["config", "--home", str(tmp_path)]) == 130
    assert "run the same command again" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["bolt://127.0.0.1:9", "http://127.0.0.1:9"])
def test_an_unreachable_store_is_exit_code_3_and_says_what_to_check(tmp_path, capsys, address):
    store = ["--graph", address, "graph", "stats"]
    if address.startswith("http"):
        store = ["--literature", address, "literature", "search", "aspirin"]
    assert run(["--home", str(tmp_path), *store]) == StoreUnreachable.exit_code == 3
    err = capsys.readouterr().err
    assert "127.0.0.1:9" in err
    assert "To fix it" in err


@pytest.mark.parametrize(
    "address", ["https://u:hunter2@127.0.0.1:9", "https://u:hun/ter2@127.0.0.1:9", "bolt://u:hunter2@bad host:9x"]
)
def test_no_password_in_an_address_is_ever_shown(tmp_path, capsys, address):
    option = "--graph" if address.startswith("bolt") else "--literature"
    for argv in (["config"], ["doctor"], ["graph", "stats"], ["literature", "search", "aspirin"]):
        run(["--home", str(tmp_path), option, address, *argv])
        told = capsys.readouterr()
        assert "ter2" not in told.out + told.err, argv


INTERRUPTING = """
import os, signal, sys
from importlib.abc import MetaPathFinder

class Interrupts(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
sys.argv[1:] = {argv!r}
from truthhypo.faces.cli import main
main()
"""


@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("truthhypo.faces.cli.entry", []),
        ("typer", ["--json"]),
        ("groundwork.errors", []),
        ("rich.console", ["--json"]),
        ("truthhypo.faces.render", []),
        pytest.param("truthhypo.faces.cli.entry", ["--json"], marks=pytest.mark.slow),
        pytest.param("typer", [], marks=pytest.mark.slow),
        pytest.param("groundwork.errors", ["--json"], marks=pytest.mark.slow),
        pytest.param("rich.console", [], marks=pytest.mark.slow),
        pytest.param("truthhypo.faces.render", ["--json"], marks=pytest.mark.slow),
    ],
)
def test_ctrl_c_while_python_imports_is_one_message(module, options):
    told = subprocess.run(
        [sys.executable, "-c", INTERRUPTING.format(module=module, argv=["config", *options])],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 130
    assert "Traceback" not in told.stderr
    assert "interrupted" in told.stderr
    assert (json.loads(told.stdout)["error"]["exit_code"] == 130) if options else told.stdout == ""


@pytest.mark.parametrize("closed", ["0", "1", "2"])
def test_a_closed_standard_stream_causes_no_error(tmp_path, closed):
    """The program must not open another file under the number of the closed stream."""
    program = f"{sys.executable} -c 'from truthhypo.faces.cli import main; main()'"
    words = ["sh", "-c", f"{program} --home {tmp_path} --json watch add Fever {closed}>&-"]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert closed == "1" or json.loads(ended.stdout)["text"] == "Fever"


PIPED = {
    "relations": ("ingest", "relations", "PIPE"),
    "documents": ("ingest", "documents", "PIPE"),
    "pubmed": ("ingest", "pubmed", "PIPE"),
    "belief": ("belief", "PIPE"),
    "jsonl": ("ground", "--file", "PIPE.jsonl", "--out", "PIPE.out.jsonl"),
    "csv": ("risk", "--file", "PIPE.csv", "--out", "PIPE.out.jsonl"),
    "parquet": ("ground", "--file", "PIPE.parquet", "--out", "PIPE.out.jsonl"),
    "calibrate": ("bench", "calibrate", "--data", "PIPE.jsonl"),
    "grid": ("bench", "grid", "--data", "PIPE.jsonl"),
}


@pytest.mark.parametrize("kind", PIPED)
def test_a_named_pipe_without_a_writer_is_reported_and_ctrl_c_ends_the_wait(tmp_path, kind):
    words = [word.replace("PIPE", str(tmp_path / "pipe")) for word in PIPED[kind]]
    pipe = next(word for word in words if word.startswith("/"))
    os.mkfifo(pipe)
    words = ["--home", str(tmp_path / "home"), *words]
    command = [sys.executable, "-c", "from truthhypo.faces.cli import main; main()", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        stop = threading.Timer(60, process.kill)
        stop.start()
        told = f"waiting for a program to write to the named pipe {pipe}; press Ctrl-C to stop"
        assert any(told in line for line in iter(process.stderr.readline, ""))
        process.send_signal(signal.SIGINT)
        assert process.stderr.readline().startswith("truthhypo: interrupted")
        stop.cancel()
    assert process.returncode == 130


WORKING = """
import atexit, threading, time
from pydantic import BaseModel, field_validator
from truthhypo.faces import cli
from truthhypo.faces.cli import entry

class Slow(BaseModel):
    value: int

    @field_validator("value")
    @classmethod
    def wait(cls, value):
        time.sleep(0.05)
        return value

def run(argv):
    def work():  # comes back to Python from Rust, again and again
        while True:
            Slow.model_validate_json('{"value": 1}')

    threading.Thread(target=work, daemon=True).start()
    atexit.register(time.sleep, 0.2)
    time.sleep(0.1)
    print("told")
    return 130

entry.run = run
cli.main([])
"""


def test_a_thread_that_still_runs_does_not_crash_the_exit():
    told = subprocess.run([sys.executable, "-c", WORKING], capture_output=True, text=True, check=False, timeout=60)
    assert (told.returncode, told.stdout, told.stderr) == (130, "told\n", "")


def test_the_entry_imports_nothing_that_takes_time():
    """Imports before `main` runs would delay the reaction to Ctrl-C."""
    names = "import sys, truthhypo.faces.cli; print(*{name.partition('.')[0] for name in sys.modules})"
    told = subprocess.run([sys.executable, "-c", names], capture_output=True, text=True, check=True)
    outside = set(told.stdout.split()) - sys.stdlib_module_names
    assert not {"typer", "rich", "numpy", "pydantic", "groundwork", "cypher", "ingest"} & outside


@pytest.fixture
def broken_server():
    """A server that speaks Bolt for a moment and hangs up; its address."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up():
            with contextlib.suppress(OSError):
                while True:
                    client, _ = server.accept()
                    with client:
                        client.recv(100)
                        client.sendall(bytes([0, 0, 8, 5]))  # Bolt 5.8
                        client.recv(100)

        threading.Thread(target=hang_up, daemon=True).start()
        yield f"bolt://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("debug", [False, True])
def test_the_log_of_a_driver_is_shown_beside_our_message_only_with_debug(tmp_path, broken_server, debug):
    command = [Path(sys.executable).with_name("truthhypo"), "--home", tmp_path, "--graph", broken_server]
    ran = subprocess.run([*command, *(["--debug"] if debug else []), "graph", "stats"], capture_output=True, text=True)
    assert ran.returncode == 3
    assert f"no graph server answers at {broken_server}" in ran.stderr
    assert ("<CONNECTION> error" in ran.stderr) is debug


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
