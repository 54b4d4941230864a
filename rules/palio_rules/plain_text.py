"""Text from outside: paths and names that no file can have are refused, others' words are made safe for a terminal."""

import json
from pathlib import Path

from palio_rules.errors import BadOption, quoted

LONGEST_NAME, LONGEST_PATH = 255, 4095  # bytes, of the file systems in use


def given(text: str, what: str = "the text") -> str:
    r"""Return a text that names something, as it came from outside. Raises BadOption.

    >>> given("a\0.py")
    Traceback (most recent call last):
    palio_rules.errors.BadOption: the text 'a\x00.py' has a NUL character, which no name has; take it out
    """
    if "\0" in text:
        raise BadOption(f"{what} {quoted(text)} has a NUL character, which no name has; take it out")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise BadOption(f"{what} {quoted(text)} is not UTF-8; rename it in UTF-8")
    return text


def given_path(path: str | Path, what: str = "the path") -> Path:
    """Return the path of a file or folder, as it came from outside: it may exist or not. Raises BadOption."""
    text = given(str(path), what)
    if len(text.encode()) > LONGEST_PATH or any(len(part.encode()) > LONGEST_NAME for part in Path(text).parts):
        raise BadOption(f"{what} {quoted(text)} is too long for a file's name; check it")
    return Path(path)


MARK = "  | "  # before each line of other people's text


def one_line(text: str) -> str:
    r"""Return `text` as one line of printable characters, for texts that strangers wrote about themselves.

    >>> one_line("  alpha\tbeta\n\x1b[2J at\u202e depth 4 ")
    'alpha beta [2J at depth 4'
    """
    return "".join(character for character in " ".join(text.split()) if character.isprintable())


def block(text: str) -> str:
    r"""Return other people's `text` of several lines, each line marked, so that none looks like a line of Palio.

    >>> print(block("Traceback:\n\x1b[31m  1-0 {reached-far-row}"))
      | Traceback:
      | \x1b[31m  1-0 {reached-far-row}
    """
    return "\n".join(f"{MARK}{plain(line, lines=True)}" for line in text.rstrip("\n").split("\n"))


def plain_json(text: str) -> str:
    r"""Return equivalent JSON, with escapes in place of all characters that could control a terminal.

    >>> print(plain_json('{"note": "\u202e\x9b2J"}'))
    {"note": "\u202e\u009b2J"}
    """
    return text if text.isprintable() else "".join(map(_in_json, text))


def _in_json(character: str) -> str:
    if character.isprintable() or character in "\n\r\t ":
        return character
    return json.dumps(character)[1:-1] if not character.isascii() else f"\\u{ord(character):04x}"


def plain(text: str, *, lines: bool = False) -> str:
    r"""Return `text` with escapes for characters that could move a cursor, beep or reverse the text direction.

    With `lines`, line breaks and tabs stay: for tracebacks and boards. Elsewhere they could forge a line of Palio.

    >>> print(plain("\x1b[2Jé\n1-0"))
    \x1b[2Jé\n1-0
    """
    if text.isprintable():
        return text
    return "".join(
        character
        if character.isprintable() or (lines and character in "\n\t")
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


# Spreadsheets take a cell that begins with `=`, `+`, `-`, `@`, a tab or a line break for a formula, and players choose
# their texts themselves. So a text that begins with one of these, or with an apostrophe, gets an apostrophe in front:
# a reader that takes off the first apostrophe of a text has it as it was. Numbers are left alone.

RISKY = ("=", "+", "-", "@", "\t", "\r", "\n", "'")


def cell(text: str) -> str:
    """Return a text of strangers as a CSV cell that no spreadsheet runs.

    >>> cell("=1+1"), cell("ann")
    ("'=1+1", 'ann')
    """
    return f"'{text}" if text.startswith(RISKY) else text
