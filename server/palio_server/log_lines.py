"""A log for programs: one JSON object a line, with the match and the bot that it is about.

A task declares its subject once (`about`), at no cost if nothing is logged; where many matches share a task's context,
as in callbacks of a socket, the line carries it (`extra={"match": ...}`).
"""

import json
import logging
import re
import sys
import threading
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from palio_rules.plain_text import plain

# Protection of log lines: none contains a token, nor the query of an address, which may contain a secret.
#
# A line can also not control the terminal that shows it, or imitate another line: peers choose names and reasons.

_QUERY = re.compile(r"\?[^\s\"'<>]*")  # of an address: none of it is of use in a log
_PAIR = re.compile(r"""(token["']?\s*[=:]\s*["']?|api_?key\s*[=:]\s*|\bbearer\s+)[^\s"'&,;})]{6,}""", re.IGNORECASE)


def redacted(text: str) -> str:
    """Return a log's line without queries of addresses and without tokens.

    >>> redacted("GET /ws/bot?token=abcdefgh failed, authorization: bearer abcdefgh")
    'GET /ws/bot?*** failed, authorization: bearer ***'
    """
    return _PAIR.sub(r"\1***", _QUERY.sub("?***", text))


def _one_entry(words: str) -> str:
    """Return the text of one record: plain, and with all lines after the first indented."""
    return plain(words.rstrip("\n"), lines=True).replace("\n", "\n    ")


def keep_out_of_logs() -> None:
    """Remove queries, tokens and control characters from the text of every logger's records. May be called twice."""
    made = logging.getLogRecordFactory()
    if getattr(made, "redacts", False):
        return

    def make(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = made(*args, **kwargs)
        try:
            words = record.getMessage()
        except Exception:  # noqa: BLE001  # a bad format is for logging to complain of
            return record
        if (clean := _one_entry(redacted(words))) != words:
            record.msg, record.args = clean, ()
        return record

    make.redacts = True  # type: ignore[attr-defined]
    logging.setLogRecordFactory(make)


FIELDS = ("match", "bot", "event", "peer", "code", "tournament")  # of `about` and `extra`, in this order

# it is replaced, never changed
_ABOUT: ContextVar[dict[str, Any]] = ContextVar("palio_about", default={})  # noqa: B039


def about(**fields: Any) -> None:
    """Mark further lines of this task, and of those that it starts, with these fields. Empty values are left out."""
    _ABOUT.set({**_ABOUT.get(), **{name: value for name, value in fields.items() if value}})


class JsonFormatter(logging.Formatter):
    """A formatter with `time` (RFC 3339, UTC), `level`, `logger`, `message`, the known FIELDS, and
    `exception`, if any.
    """

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
    """Return True if this process logs JSON."""
    return any(isinstance(handler.formatter, JsonFormatter) for handler in logging.root.handlers)


def log_json() -> None:
    """Write all output of this process on stderr as JSON lines: ours, libraries', and the last traceback."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
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
