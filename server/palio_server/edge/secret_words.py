"""Tokens where they do not belong: in an address, which proxies and logs keep, or in a line of our own log."""

import logging
import re
from typing import Any
from urllib.parse import parse_qsl

NAMES = frozenset(
    {"token", "access_token", "accesstoken", "auth_token", "api_key", "apikey", "bearer", "authorization"}
)
REMEDY = "send it as `Authorization: Bearer TOKEN`, or a bot's in its hello"

_QUERY = re.compile(r"\?[^\s\"'<>]*")  # of an address: none of it is of use in a log
_PAIR = re.compile(r"""(token["']?\s*[=:]\s*["']?|api_?key\s*[=:]\s*|\bbearer\s+)[^\s"'&,;})]{6,}""", re.IGNORECASE)


def token_in_query(query: str) -> str | None:
    """The name under which a query has a token; None: it has none."""
    if not query:
        return None
    pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=None)
    return next((name for name, _ in pairs if name.strip().lower().replace("-", "_") in NAMES), None)


def redacted(text: str) -> str:
    """A log's line without queries of addresses and without tokens.

    >>> redacted("GET /ws/bot?token=abcdefgh failed, authorization: bearer abcdefgh")
    'GET /ws/bot?*** failed, authorization: bearer ***'
    """
    return _PAIR.sub(r"\1***", _QUERY.sub("?***", text))


def keep_out_of_logs() -> None:
    """From now on no record of any logger has a query or a token in its words. Harmless twice."""
    made = logging.getLogRecordFactory()
    if getattr(made, "redacts", False):
        return

    def make(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = made(*args, **kwargs)
        try:
            words = record.getMessage()
        except Exception:  # noqa: BLE001  # a bad format is for logging to complain of
            return record
        if (clean := redacted(words)) != words:
            record.msg, record.args = clean, ()
        return record

    make.redacts = True  # type: ignore[attr-defined]
    logging.setLogRecordFactory(make)
