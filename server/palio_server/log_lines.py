"""A log for programs: one JSON object a line, with the match and the bot that it is about.

What a task is about it says once (`about`), at no cost to those who log nothing; where many matches share a task's
context, as in what a socket calls, the line says it itself (`extra={"match": ...}`).
"""

import json
import logging
import sys
import threading
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from palio_server.edge.secret_words import redacted

FIELDS = ("match", "bot", "event", "peer", "code", "tournament")  # of `about` and `extra`, in this order

_ABOUT: ContextVar[dict[str, Any]] = ContextVar("palio_about", default={})  # noqa: B039  # it is replaced, never changed


def about(**fields: Any) -> None:
    """From now on lines of this task, and of those that it starts, are about that. Empty values are left out."""
    _ABOUT.set({**_ABOUT.get(), **{name: value for name, value in fields.items() if value}})


class JsonLines(logging.Formatter):
    """`time` (RFC 3339, UTC), `level`, `logger`, `message`, what is known of FIELDS, and `exception`, if any."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")[:-6] + "Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": redacted(_words(record)),
        }
        known = _ABOUT.get() | {name: value for name in FIELDS if (value := getattr(record, name, None)) is not None}
        line |= {name: redacted(str(known[name])) for name in FIELDS if name in known}
        if record.exc_info:
            line["exception"] = redacted(self.formatException(record.exc_info))
        if record.stack_info:
            line["stack"] = redacted(record.stack_info)
        return json.dumps(line, ensure_ascii=False)


def as_json() -> bool:
    """Whether this process logs that way."""
    return any(isinstance(handler.formatter, JsonLines) for handler in logging.root.handlers)


def log_json() -> None:
    """From now on all that this process has to say on stderr is JSON lines: ours, libraries', and last words."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.root.handlers[:] = [handler]
    logging.captureWarnings(capture=True)
    sys.excepthook = _last_words
    threading.excepthook = lambda end: _last_words(end.exc_type, end.exc_value, end.exc_traceback)


def _last_words(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
    given = None if error is None else (kind, error, trace)
    logging.getLogger("palio").critical("ended by %s", kind.__name__, exc_info=given)


def _words(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception:  # noqa: BLE001  # a bad format is no reason to lose the line
        return f"{record.msg} {record.args}"
