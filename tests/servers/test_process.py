"""Small processes replace servers here. The tests cover how processes are started, watched and ended."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.servers import process
from tests.servers.errors import StartError
from tests.servers.process import Command

REPOSITORY = Path(__file__).parents[2]


def python(code: str, **more: float | list[str]) -> Callable[[Path], Command]:
    """A server of one line of Python, which prints `ready` when its signal handlers are set."""
    return lambda _: Command([sys.executable, "-c", f"{code}; print('ready', flush=True); {FOREVER}"], ENV, **more)


ENV = dict(os.environ)
FOREVER = "import time; time.sleep(600)"


def ready(folder: Path) -> str | None:
    return "somewhere" if "ready" in (folder / "server.log").read_text() else None


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def eventually(holds: Callable[[], bool], seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds()


def test_a_started_server_runs_until_it_is_stopped() -> None:
    with process.start("Thing", python("pass"), ready, 20) as server:
        assert server.address == "somewhere"
        assert server.alive()
        assert server.folder.is_dir()
    assert not server.alive()
    assert not server.folder.exists()
    server.stop()


def test_a_server_killed_from_outside_is_detected() -> None:
    with process.start("Thing", python("pass"), ready, 20) as server:
        os.kill(server.pid, signal.SIGKILL)
        assert eventually(lambda: not server.alive())


def test_a_server_that_ignores_sigterm_is_killed() -> None:
    stubborn = python("import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)", grace=0.2)
    with process.start("Thing", stubborn, ready, 20) as server:
        pass
    assert not server.alive()


def test_a_terminated_keeper_ends_its_server() -> None:
    with process.start("Thing", python("pass"), ready, 20) as server:
        server.keeper.terminate()
        server.keeper.wait()
        assert not server.alive()
        assert not server.folder.exists()


def test_the_child_processes_of_a_server_end_with_it(tmp_path: Path) -> None:
    child = tmp_path / "child"
    code = f"import subprocess; open({str(child)!r}, 'w').write(str(subprocess.Popen(['sleep', '600']).pid))"
    with process.start("Thing", python(code), ready, 20):
        pid = int(child.read_text())
        assert not gone(pid)
    assert eventually(lambda: gone(pid))


def test_the_command_afterwards_runs_when_the_server_has_ended(tmp_path: Path) -> None:
    with process.start("Thing", python("pass", afterwards=["touch", str(tmp_path / "ended")]), ready, 20):
        assert not (tmp_path / "ended").exists()
    assert (tmp_path / "ended").exists()


def test_a_server_that_ends_while_starting_fails_with_its_log() -> None:
    folders: list[Path] = []

    def probe(folder: Path) -> None:
        folders.append(folder)

    with pytest.raises(StartError, match=r"Thing ended while starting(?s:.)*no disk"):
        process.start("Thing", python("raise SystemExit('no disk')"), probe, 20)
    assert not folders[0].exists()


def test_a_server_that_does_not_answer_fails_with_its_log_and_is_stopped(tmp_path: Path) -> None:
    code = f"import os; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); print('waiting')"
    with pytest.raises(StartError, match=r"Thing did not answer within 2 s(?s:.)*waiting"):
        process.start("Thing", python(code), lambda _: None, 2)
    assert gone(int((tmp_path / "pid").read_text()))


def test_a_missing_program_fails_with_the_reason() -> None:
    with pytest.raises(StartError, match=r"Thing could not be run(?s:.)*No such file"):
        process.start("Thing", lambda _: Command(["/nowhere/server"], ENV), ready, 20)


def test_a_failed_preparation_leaves_no_folder() -> None:
    folders: list[Path] = []

    def prepare(folder: Path) -> Command:
        folders.append(folder)
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        process.start("Thing", prepare, ready, 20)
    assert not folders[0].exists()


@pytest.mark.parametrize("when", ["while it prepares", "while it runs"])
def test_a_server_does_not_outlive_whoever_started_it(when: str) -> None:
    pause = "print(0, folder, flush=True); time.sleep(600)" if when == "while it prepares" else "pass"
    code = f"""
import os, time
from tests.servers import process

def prepare(folder):
    {pause}
    return process.Command(["sleep", "600"], dict(os.environ))

server = process.start("Thing", prepare, str, 20)
print(server.pid, server.folder, flush=True)
time.sleep(600)
"""
    starter = subprocess.Popen([sys.executable, "-c", code], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    assert starter.stdout is not None
    pid, folder = starter.stdout.readline().split()
    assert Path(folder).is_dir()
    starter.kill()
    starter.communicate()
    assert eventually(lambda: not Path(folder).exists())
    assert pid == "0" or gone(int(pid))


def test_servers_start_while_the_environment_changes() -> None:
    code = """
import os, threading
from tests.servers import process
from tests.servers.test_process import python, ready

def change():
    while True:
        os.environ |= {f"CHANGED_{number}": "x" * number for number in range(1000)}
        for number in range(1000):
            del os.environ[f"CHANGED_{number}"]

threading.Thread(target=change, daemon=True).start()
for _ in range(5):
    process.start("Thing", python("pass"), ready, 20).stop()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""


def test_free_ports_are_different() -> None:
    assert len(set(process.free_ports(5))) == 5
