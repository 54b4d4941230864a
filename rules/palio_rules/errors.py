"""The errors of the rules: each is a ValueError, and its text is the sentence that the move's author reads."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from reprlib import Repr


class Rejection(ValueError):
    """A refused move: `code` for programs, the message for people."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class MalformedMove(Rejection):
    """A value that cannot be read as a move of this game."""


class IllegalMove(Rejection):
    """A move that can be read, but that the rules forbid in this position."""


class BadOption(ValueError):
    """A setting of a game, bot or time control that does not exist or is out of range, with the remedy."""


class MissingLibrary(BadOption):
    """A library that a setting needs is not installed; the message has the command that installs it."""


class BadPosition(ValueError):
    """A text that is not a position of this game, with the place of the error."""


class BadInstance(ValueError):
    """A file that holds no instance of a puzzle: the message begins with file and line."""


class BadRecord(ValueError):
    """A record that cannot be written as text, or a text that is no record, with the place of the error."""


class WireError(ValueError):
    """Bytes that are not a message of the protocol: `code` for programs, the message for people."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


_MATCHING = re.compile(r"Expected `str` matching regex .*?(?= - at `|$)", re.DOTALL)


def sentence(error: Exception) -> str:
    """Return msgspec's ValidationError as a sentence, without regular expressions, which people cannot read.

    >>> sentence(ValueError("Expected `str` matching regex '^[a-z]$' - at `$.name`"))
    'Expected a text of another form - at `$.name`'
    """
    return _MATCHING.sub("Expected a text of another form", str(error))


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the tail of an error about an unknown `name`: the nearest known name, or all of them.

    >>> nearest("braekthrough", ["breakthrough", "dominoes"])
    "did you mean 'breakthrough'?"
    """
    names = sorted(known)
    close = get_close_matches(name, names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names) or 'none'}"


class _Quoting(Repr):
    """`reprlib` that describes integers too long to be written (Python refuses to write 4,300 digits)."""

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if x.bit_length() <= 64 else f"<an integer of {x.bit_length()} bits>"


_quoting = _Quoting()
_quoting.maxlevel, _quoting.maxlist, _quoting.maxtuple, _quoting.maxdict = 4, 6, 6, 4
_quoting.maxstring = _quoting.maxother = 60


def quoted(value: object, limit: int = 120) -> str:
    """Return any value as Python would print it, shortened where it is long or deep, for error messages. Never fails.

    >>> quoted([[0, 1], "x" * 100, 10**5000])
    "[[0, 1], 'xxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxx', <an integer of 16610 bits>]"
    """
    text = _quoting.repr(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
