"""The fixture `student`: a student's program, in a process of its own, as the tests see it.

Its values come as plain data, which Python's own types compare, or as handles, which are equal to themselves only.
"""

import builtins
import socket
from collections.abc import Callable, Iterator
from itertools import count
from types import ModuleType
from typing import Any, NamedTuple

from palio_clients.grading.codec import BadData, Channel
from palio_clients.grading.staff_files import StaffModules

MOST_ITEMS = 1_000_000  # of an iterator
AT_ONCE = 256  # items that are asked for at once, after a first few
LONGEST = 80  # characters of a type's name


class StudentError(Exception):
    """An error of the student's code: its kind, its message and its place, as text.

    It is an instance of the builtin exception of that kind, too: `pytest.raises(ValueError)` takes it.
    """

    kind, told, place, trace, over, gone = "", "", "", "", False, False

    def __str__(self) -> str:
        return f"{self.kind}: {self.told}".strip().removesuffix(":").removeprefix(": ")


class Ran(NamedTuple):
    """The end of a program of the student."""

    status: int
    stdout: str
    stderr: str


class Handle:
    """A value of the student's program that is no plain data: it is read, called and set there."""

    __slots__ = ("_ask", "_kind", "_number")

    def __init__(self, ask: Callable[..., Any], number: int, kind: str) -> None:
        object.__setattr__(self, "_ask", ask)
        object.__setattr__(self, "_number", number)
        object.__setattr__(self, "_kind", kind)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):  # Python and pytest look for these
            raise AttributeError(name)
        return self._ask("get", self, name)

    def __setattr__(self, name: str, value: object) -> None:
        self._ask("set", self, name, value)

    def __iter__(self) -> Iterator[Any]:
        items, asked, seen = self._ask("iterate", self), 1, 0
        while found := self._ask("next", items, asked):
            yield from found
            seen += len(found)
            # An object may change when the next item is made, so one after the other is asked for.
            asked = 1 if _has_handle(found) else min(2 * asked, AT_ONCE)
            if seen > MOST_ITEMS:
                raise _error("the answer", f"it has more than {MOST_ITEMS} items")

    def __len__(self) -> int:
        found: int = self._ask("length", self)
        return found

    def __bool__(self) -> bool:
        return bool(self._ask("truth", self))

    def __getitem__(self, key: object) -> Any:
        return self._ask("item", self, key)

    def __repr__(self) -> str:
        return f"<{self._kind} of the student>"


def _has_handle(value: object) -> bool:
    if isinstance(value, dict):
        value = [*value, *value.values()]
    return isinstance(value, Handle) or (
        isinstance(value, list | tuple | set | frozenset) and any(map(_has_handle, value))
    )


class CallableHandle(Handle):
    """A function, a method or a class of the student's program."""

    __slots__ = ()

    def __call__(self, *given: object, **named: object) -> Any:
        return self._ask("call", self, given, named)


class Student:
    """The student's program. Its own functions are for tests; all else is read through `module`."""

    def __init__(self, end: socket.socket) -> None:
        self._channel = Channel(end, self._refer, self._resolve)
        self._handles: dict[int, Handle] = {}  # one for each value: they are compared by identity
        self._functions: list[Callable[..., Any]] = []
        self._numbers = count()
        self._waiting: list[int] = []  # the numbers of requests without an answer, the innermost last

    def module(self, name: str) -> Any:
        """Import a module of the submission or of the handout; `player.py` is loaded as a bot's file is."""
        return self._ask("module", name)

    def keep(self, value: object) -> Any:
        """Return a handle of plain data that stays in the student's process, where its code may change it."""
        return self._ask("keep", value)

    def value(self, handle: object) -> Any:
        """Return what `keep` has kept, as it is now."""
        return self._ask("value", handle)

    def new(self, function: object, *given: object, **named: object) -> Any:
        """Call a function of the student's program and return a handle of what it returns, plain data or not."""
        return self._ask("new", function, given, named)

    def define(self, module: ModuleType) -> Any:
        """Run a module of the tests in the student's process, too, such as functions that the course provides.

        The student's code can read and replace what it defines.
        """
        assert isinstance(module.__loader__, StaffModules)
        return self._ask("define", module.__loader__.source(module))

    def file(self, name: str, text: str) -> str:
        """Write a file that the student's program can read, and return its path."""
        return str(self._ask("file", name, text))

    def run(self, *words: str, stdin: str = "") -> Ran:
        """Run a program in the folder of the submission, and return how it ended."""
        status, stdout, stderr = self._ask("run", words, stdin)
        return Ran(int(status), str(stdout), str(stderr))

    def _ask(self, operation: str, *given: object) -> Any:
        try:
            message = self._exchange((next(self._numbers), operation, *given))
            while message[0] == "asks":
                _, at, positional, named = message
                message = self._exchange(("returns", self._functions[at](*positional, **named)))
        except BadData as error:
            raise _error("the answer", str(error)) from None
        if message[0] == "raised":
            raise _raised(*message[2:])
        return message[2]

    def _exchange(self, message: tuple[Any, ...]) -> tuple[Any, ...]:
        """Send a message and return the one that comes back, of a known form. Raises BadData, StudentError."""
        if isinstance(message[0], int):
            self._waiting.append(message[0])
        try:
            self._channel.write(self._channel.frame(message))
            found: tuple[Any, ...] = self._channel.receive()
        except (EOFError, OSError):
            gone = _error("", "its program ended during the test")
            gone.gone = True
            raise gone from None
        match found:
            case ("ok", int(at), _) | ("raised", int(at), _, _, _, _, _, _, _) if at == self._waiting[-1]:
                self._waiting.pop()
            case ("asks", int(at), tuple(), dict()) if 0 <= at < len(self._functions):
                pass
            case _:
                raise BadData("it answers what was not asked")
        return found

    def _refer(self, value: object) -> tuple[Any, ...]:
        if isinstance(value, Handle):
            return ("object", object.__getattribute__(value, "_number"))
        if callable(value):
            self._functions.append(value)
            return ("function", len(self._functions) - 1)
        raise TypeError(f"{value!r} is neither plain data nor a value of the student; make it in the student's program")

    def _resolve(self, reference: tuple[Any, ...]) -> Any:
        match reference:
            case ("function", int(number)) if number < len(self._functions):
                return self._functions[number]
            case ("object", int(number), bool(can_be_called), str(kind)):
                made = CallableHandle if can_be_called else Handle
                return self._handles.setdefault(number, made(self._ask, number, kind[:LONGEST]))
        raise BadData("it is no plain data: an unknown reference")


def _raised(
    operation: object, kind: object, kinds: object, told: object, place: object, trace: object, over: object
) -> StudentError:
    names = [str(each) for each in kinds] if isinstance(kinds, list) else []
    error = _error(str(kind), str(told), names)
    if operation == "module":
        error.kind = f"cannot be imported: {error.kind}"
    error.place, error.trace, error.over = str(place)[:1000], str(trace)[:10_000], over is True
    return error


def _error(kind: str, told: str, names: list[str] = []) -> StudentError:  # noqa: B006  # is only read
    """Return an error that is also of the first builtin kind among `names`."""
    found = (getattr(builtins, name, None) for name in names if "Group" not in name)
    base = next((each for each in found if isinstance(each, type) and issubclass(each, Exception)), Exception)
    made: Any = StudentError if base is Exception else type("StudentError", (StudentError, base), {})
    error: StudentError = made.__new__(made)  # some builtin kinds want arguments to be initialized
    error.kind, error.told = kind[:LONGEST], told[:1000]
    return error
