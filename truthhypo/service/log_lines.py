"""The log of a service: one JSON object per line on stderr."""

import json
import logging
import sys
from datetime import UTC, datetime
from traceback import format_exception, format_tb


class JsonLines(logging.Formatter):
    """Formatter that writes a log record as one line of JSON, with the values of its attribute `fields`.

    Args:
        texts: Whether to show the messages of exceptions, which may repeat texts of a request. If False, only the type
            of an exception and its place in the code are shown.
    """

    def __init__(self, *, texts: bool) -> None:
        super().__init__()
        self._texts = texts

    def format(self, record: logging.LogRecord) -> str:
        """Return the line for a log record."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and (error := record.exc_info[1]):
            told = format_exception(error) if self._texts else [*format_tb(error.__traceback__), type(error).__name__]
            line["error"] = "".join(told)
        return json.dumps(line)


def log_to_stderr(*, texts: bool) -> None:
    """Write the log of requests and errors of this process to stderr. See `JsonLines` for `texts`."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(texts=texts))
    for name in ("truthhypo", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(logging.INFO if name == "truthhypo" else logging.WARNING)
        logger.propagate = False
