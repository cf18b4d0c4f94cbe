"""Entry point of the command `truthhypo`. It runs the command and ends the process with the command's exit code.

Ctrl-C can arrive while modules are still being imported. For that reason this module imports nothing at the top, and
`main` installs a signal handler that ends the process at once until the imports are done.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import NoReturn

INTERRUPTED = 130

# The same message as in entry.py. It is written out here, because the JSON module may not be imported yet.
_MESSAGE = "truthhypo: interrupted\nTo fix it: run the same command again to go on\n"
_DOCUMENT = """{
  "error": {"seen": "interrupted", "wanted": "", "remedy": "run the same command again to go on", "exit_code": 130}
}
"""


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command and end the process with its exit code.

    Exit codes: 0 done; 1 the command ended, but its result needs attention; 2 bad usage or input; 3 a store or model
    failed; 130 interrupted.
    """
    try:
        import signal
        import sys

        ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if ours:
            signal.signal(signal.SIGINT, _leave)
        _open_missing_streams()
        from truthhypo.faces.cli.entry import run

        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        code = run(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt:
        _leave()
    _end(code)


def _open_missing_streams() -> None:
    """Open the null device for each closed standard stream.

    Otherwise the next file that is opened would get the file descriptor of the closed stream.
    """
    import os
    import sys

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def _end(code: int) -> NoReturn:
    """End the process with an exit code.

    The process would abort if a waiting thread (for instance one that waits for a model) returned from C++ or Rust code
    while Python shuts down. So if other threads run, this function skips Python's shutdown. At this point, all files
    are already closed.
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
    """Write the message for an interrupt and end the process.

    No file is open yet. Raising an exception instead could print a traceback from an unfinished import.
    """
    import os
    import sys

    sys.stderr.write(_MESSAGE)
    if "--json" in sys.argv:
        sys.stdout.write(_DOCUMENT)
    sys.stderr.flush()
    sys.stdout.flush()
    os._exit(INTERRUPTED)
