"""The reason of a failed test, in one line for the student: what was expected and what came, or the error's place.

Only the student's own files are named; the staff's code is never shown.
"""

import linecache
import reprlib
import subprocess
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any

LONGEST = 300  # characters of a value, and of a line about a failure
FRAMES = 10  # of the student's own files in one traceback; half of them are the outermost
NO_REASON = "the test's condition does not hold"
_short = reprlib.Repr()
_short.maxlist = _short.maxtuple = _short.maxset = _short.maxdict = _short.maxdeque = 40
_short.maxstring = _short.maxlong = _short.maxother = 200
_short.maxlevel = 4

OPERATORS = {"in": "which is not in", "not in": "which is in", "!=": "which has to differ from", "is not": "which is"}


def text_of(value: Any) -> str:
    """Return the value as Python writes it, within bounds; the code of a student's class may fail in it."""
    try:
        found = _short.repr(value)
    except Exception as error:  # noqa: BLE001  # `__repr__` is the student's
        found = f"<{type(value).__name__} whose __repr__ raises {type(error).__name__}>"
    return found if len(found) <= LONGEST else f"{found[:LONGEST]}..."


def comparison(operator: str, got: Any, expected: Any) -> str:
    """Return what is wrong with `assert got OPERATOR expected`."""
    if operator in ("==", "is"):
        if (place := _first_difference(got, expected)) is not None:
            return f"at index {place}: expected {text_of(expected[place])}, got {text_of(got[place])}"
        return f"expected {text_of(expected)}, got {text_of(got)}"
    between = OPERATORS.get(operator, f"which is not {operator}")
    return f"got {text_of(got)}, {between} {text_of(expected)}"


def _first_difference(got: Any, expected: Any) -> int | None:
    """Return the first index at which two long sequences of one length differ; None for others."""
    if type(got) not in (list, tuple, str) or type(got) is not type(expected) or len(got) != len(expected):
        return None
    if len(expected) <= _short.maxlist and len(text_of(expected)) <= LONGEST:
        return None
    return next((index for index, (ours, theirs) in enumerate(zip(expected, got, strict=True)) if ours != theirs), None)


def failure(error: BaseException, folder: Path) -> str:
    """Return one line about an `error` of a test, with the place in the student's `folder`, if it came from there."""
    where = place(error, folder)
    if isinstance(error, AssertionError) and not where:
        return _assertion(str(error))
    unnamed = isinstance(error, subprocess.SubprocessError) or type(error).__name__ == "Failed"  # of `pytest.fail`
    line = f"{'' if unnamed else f'{type(error).__name__}: '}{message(error)}".strip().removesuffix(":")
    return located(line, where)


def located(line: str, where: str) -> str:
    """Return a line about a failure with its place, if it has one."""
    return f"{line[:LONGEST]}{f' ({where})' if where else ''}"


def message(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return str(error.msg)
    if isinstance(error, subprocess.TimeoutExpired):
        return f"a program did not end within {error.timeout:.3g} s"
    if isinstance(error, subprocess.CalledProcessError):
        return f"a program ended with status {error.returncode}"
    try:
        return " ".join(str(error).split())
    except Exception:  # noqa: BLE001  # `__str__` is the student's
        return ""


def _assertion(text: str) -> str:
    """Return pytest's explanation in one line: the staff's message, what is wrong, the call that gave the value."""
    lines = [line.strip().removeprefix("assert ") for line in text.splitlines() if line.strip()]
    if not lines:
        return NO_REASON
    said = [line for line in lines if not line.startswith(("+", "-", "?", "where", "and"))]
    where = next((line.lstrip("+ ") for line in lines if line.startswith("+")), "")
    if where and " at 0x" not in where and len(where) < LONGEST:
        said.append(f"({where})")
    between = ": " if len(said) > 1 and not text.startswith("assert ") else " "  # after a message of the staff's
    return between.join((said[0], " ".join(said[1:]))).strip(between)[: 2 * LONGEST] if said else NO_REASON


def place(error: BaseException, folder: Path) -> str:
    """Return `file.py, line 3`: the last place in the student's files; "" if it came from none of them."""
    if isinstance(error, SyntaxError) and error.filename and _is_below(error.filename, folder):
        return f"{_relative(error.filename, folder)}, line {error.lineno}"
    found = _frames(error.__traceback__, folder)
    return f"{_relative(found[-1].filename, folder)}, line {found[-1].lineno}" if found else ""


def own_traceback(error: BaseException, folder: Path) -> str:
    """Return the traceback of an error in the student's own frames; "" if it has none."""
    frames = _frames(error.__traceback__, folder)
    if not frames:
        return ""
    if len(frames) > FRAMES:
        frames = [*frames[: FRAMES // 2], *frames[-FRAMES // 2 :]]
    lines = []
    for frame in frames:
        lines.append(f"  {_relative(frame.filename, folder)}, line {frame.lineno}, in {frame.name}")
        if frame.line:
            lines.append(f"    {frame.line}")
    return "\n".join((*lines, f"{type(error).__name__}: {message(error)[:LONGEST]}"))


def _frames(start: TracebackType | None, folder: Path) -> list[traceback.FrameSummary]:
    linecache.checkcache()
    pairs = ((frame, line) for frame, line in traceback.walk_tb(start) if _is_below(frame.f_code.co_filename, folder))
    return list(traceback.StackSummary.extract(pairs))


def _is_below(file: str, folder: Path) -> bool:
    return Path(file).is_relative_to(folder)


def _relative(file: str, folder: Path) -> str:
    return str(Path(file).relative_to(folder))
