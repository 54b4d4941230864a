"""The spec of an engine, as both sides read it: `uci:./engine --flags,option.Hash=64,nodes=1000`.

The command comes first and is read as a shell would. After a comma that stands before one of our keys comes a setting,
with all that follows up to the next such comma: values may have spaces and other commas. A setting may also be a word
of the command, which needs quotes where its value has spaces: `uci:./engine option.Hash=64 go.nodes=1000`. There, the
short `nodes=1000` and `book=FILE` are arguments of the program; for us are `go.nodes=1000` and `own.book=FILE`.
"""

import re
import shlex
from collections.abc import Iterable

from palio_rules.errors import BadOption, quoted

GTP = "gtp"
SCHEMES = ("ugi", "uci", GTP)  # languages that engines speak, each with its prefix of a spec
OPTION, GO, OWN, POSITION, RESTART = "option.", "go.", "own.", "position=", "restart="
SHOW = "show="  # by GTP only
LIMITS = ("depth", "nodes", "movetime")
BOOKS = ("book", "bookdepth", "bookseed")  # of an engine's own opening book
_KEYS = "|".join((r"option\.", r"go\.", r"own\.", "position=", "restart=", *(f"{each}=" for each in (*LIMITS, *BOOKS))))
_COMMA, _COMMA_OF_GTP = re.compile(rf",(?={_KEYS})"), re.compile(rf",(?={_KEYS}|{SHOW})")


def parts_of(scheme: str, rest: str) -> tuple[list[str], list[str]]:
    """Return the words of the command and the settings, unchecked, of `rest`, the text after `scheme` and its colon.

    Raises BadOption for quotes that are not closed.

    >>> parts_of("uci", "./fish -x,option.Move Overhead=50,nodes=1000")
    (['./fish', '-x'], ['option.Move Overhead=50', 'go.nodes=1000'])
    """
    comma = _COMMA_OF_GTP if scheme == GTP else _COMMA
    end = _end_of_command(rest, comma)
    command, settings = rest[:end], [each for each in comma.split(rest[end:]) if each]
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadOption(f"{scheme}:{quoted(rest)} cannot be read: {error}; quote it as for a shell") from None
    argv = [word for word in words if not _is_setting(scheme, word)]
    named = [word for word in words if _is_setting(scheme, word)]
    return argv, named + [_long(each) for each in settings]


def _long(setting: str) -> str:
    """Return a setting as a word of the command has it."""
    return (
        f"{GO}{setting}" if setting.startswith(LIMITS) else f"{OWN}{setting}" if setting.startswith(BOOKS) else setting
    )


def joined(words: Iterable[str]) -> str:
    """Return the text that `parts_of` reads as these words, arguments with commas included."""
    return " ".join(f"'{word}'" if "," in word and shlex.quote(word) == word else shlex.quote(word) for word in words)


def _end_of_command(rest: str, comma: re.Pattern[str]) -> int:
    """Return where the first comma before one of our keys is, outside quotes; the length of the text if none is."""
    quote, skipped = "", False
    for at, sign in enumerate(rest):
        if skipped or (sign == "\\" and quote != "'"):
            skipped = not skipped
        elif sign == quote:
            quote = ""
        elif not quote and sign in "\"'":
            quote = sign
        elif not quote and comma.match(rest, at):
            return at
    return len(rest)


def _is_setting(scheme: str, word: str) -> bool:
    """Return True for a word of the command that is for Palio: `option.` always, for the sentence about its `=`."""
    if scheme == GTP and word.startswith(SHOW):
        return True
    return word.startswith((OPTION, POSITION, RESTART)) or (word.startswith((GO, OWN)) and "=" in word)
