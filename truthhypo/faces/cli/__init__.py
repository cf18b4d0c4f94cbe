"""The command `truthhypo`: one entry, exit codes as contract.md says, errors as one message.

Before a command begins, Ctrl-C falls on whatever is being imported. So nothing is imported here before `main` listens,
and a signal during its imports ends the process at once.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import NoReturn

INTERRUPTED = 130

# As entry.py says it; written out, since what writes JSON may be what is being imported.
_MESSAGE = "truthhypo: interrupted\nTo fix it: run the same command again to go on\n"
_DOCUMENT = """{
  "error": {"seen": "interrupted", "wanted": "", "remedy": "run the same command again to go on", "exit_code": 130}
}
"""


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command and leave with its exit code.

    0 done; 1 done or refused, and a person must look; 2 bad usage or input; 3 a store or model; 130 interrupted.
    """
    try:
        import signal
        import sys

        ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if ours:
            signal.signal(signal.SIGINT, _leave)
        from truthhypo.faces.cli.entry import run

        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        code = run(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt:
        _leave()
    _end(code)


def _end(code: int) -> NoReturn:
    """Leave with an exit code.

    A thread that still waits, for a model say, and comes back while Python ends is torn out of whatever C++ or Rust
    called it, and the process aborts. So with such threads nothing is taken down any more; all files are closed.
    """
    import os
    import sys
    import threading

    if threading.active_count() == 1:
        sys.exit(code)
    sys.stderr.flush()
    sys.stdout.flush()
    os._exit(code)


def _leave(_signal: int = 0, _frame: FrameType | None = None) -> NoReturn:
    """Say so and end; nothing is open yet, and unwinding an import may print a traceback of its own."""
    import os
    import sys

    sys.stderr.write(_MESSAGE)
    if "--json" in sys.argv:
        sys.stdout.write(_DOCUMENT)
    sys.stderr.flush()
    sys.stdout.flush()
    os._exit(INTERRUPTED)
