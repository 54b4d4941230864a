"""Why the rules say no: each is a ValueError, and its text is the sentence that its author reads."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from reprlib import Repr


class Rejection(ValueError):
    """A move that will not be played: `code` for programs, the message for people."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class MalformedMove(Rejection):
    """It cannot be read as a move of this game."""


class IllegalMove(Rejection):
    """It can be read, but the rules forbid it here."""


class BadOption(ValueError):
    """A setting of a game, bot or time control that does not exist or is out of range, and the remedy."""


class BadPosition(ValueError):
    """A text that is no position of this game, and where it goes wrong."""


class BadInstance(ValueError):
    """A file that holds no instance of a puzzle: the message begins with file and line."""


class BadRecord(ValueError):
    """A record that cannot be written as text, or a text that is no record, and where it goes wrong."""


class WireError(ValueError):
    """Bytes that are no message of the protocol: `code` for programs, the message for people."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


_MATCHING = re.compile(r"Expected `str` matching regex .*?(?= - at `|$)", re.DOTALL)


def sentence(error: Exception) -> str:
    """What msgspec's ValidationError says, but for a regular expression, which is no sentence.

    >>> sentence(ValueError("Expected `str` matching regex '^[a-z]$' - at `$.name`"))
    'Expected a text of another form - at `$.name`'
    """
    return _MATCHING.sub("Expected a text of another form", str(error))


def nearest(name: str, known: Iterable[str]) -> str:
    """The tail of an error about an unknown `name`: the nearest known one, or all of them.

    >>> nearest("braekthrough", ["breakthrough", "dominoes"])
    "did you mean 'breakthrough'?"
    """
    names = sorted(known)
    close = get_close_matches(name, names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names) or 'none'}"


class _Quoting(Repr):
    """`reprlib`, but an integer too long to be written is described (Python refuses to write 4,300 digits)."""

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if x.bit_length() <= 64 else f"<an integer of {x.bit_length()} bits>"


_quoting = _Quoting()
_quoting.maxlevel, _quoting.maxlist, _quoting.maxtuple, _quoting.maxdict = 4, 6, 6, 4
_quoting.maxstring = _quoting.maxother = 60


def quoted(value: object, limit: int = 120) -> str:
    """Any value as it would be typed, cut where it is long or deep: what a sentence says it `got`. Never fails.

    >>> quoted([[0, 1], "x" * 100, 10**5000])
    "[[0, 1], 'xxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxx', <an integer of 16610 bits>]"
    """
    text = _quoting.repr(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
