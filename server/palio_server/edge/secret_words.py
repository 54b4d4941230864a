"""No line of a log has a token, nor the query of an address, where somebody may have put one.

Nor can one drive the terminal that shows it, or pass for another line: peers choose names and reasons.
"""

import logging
import re
from typing import Any

from palio_rules.plain_text import plain

_QUERY = re.compile(r"\?[^\s\"'<>]*")  # of an address: none of it is of use in a log
_PAIR = re.compile(r"""(token["']?\s*[=:]\s*["']?|api_?key\s*[=:]\s*|\bbearer\s+)[^\s"'&,;})]{6,}""", re.IGNORECASE)


def redacted(text: str) -> str:
    """A log's line without queries of addresses and without tokens.

    >>> redacted("GET /ws/bot?token=abcdefgh failed, authorization: bearer abcdefgh")
    'GET /ws/bot?*** failed, authorization: bearer ***'
    """
    return _PAIR.sub(r"\1***", _QUERY.sub("?***", text))


def _one_entry(words: str) -> str:
    """The words of one record: plain, and if they have several lines, all but the first are indented."""
    return plain(words.rstrip("\n"), lines=True).replace("\n", "\n    ")


def keep_out_of_logs() -> None:
    """From now on no record of any logger has a query, a token or a control character in its words. Harmless twice."""
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
