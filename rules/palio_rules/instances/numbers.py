"""Numbers in the files of instances."""

import re

_INTEGER = re.compile(r"[+-]?[0-9]{1,15}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,2})?")


def read_integer(text: str) -> int | None:
    """The integer that `text` is, or None."""
    return int(text) if _INTEGER.fullmatch(text) else None


def read_number(text: str) -> int | float | None:
    """The number that `text` is, an int where it is a whole one (`565.0`, `2.00000e+02`), or None."""
    if not _DECIMAL.fullmatch(text):
        return None
    value = float(text)
    return int(value) if value.is_integer() else value
