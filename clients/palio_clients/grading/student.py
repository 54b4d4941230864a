"""A student's process: it imports the submission, and answers the tests' process, which asks for values.

It is forked for each test by a process that has read no test (`serve_students`), so it finds nothing of them in its
memory, its descriptors or its frames. What it answers are claims: they are judged elsewhere.
"""

import ctypes
import importlib
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from palio_clients.grading import reasons
from palio_clients.grading.codec import BadData, Channel, is_plain
from palio_clients.handouts.entering import entry_of
from palio_clients.handouts.loading import load
from palio_rules.python_file import add_import_folders, prefer_own_modules

CHANNEL, MOST_FILES = 3, 1 << 16  # descriptors of a child
ORDER = 1 << 16  # bytes of an order
PRINTED = 8192  # bytes of stdout that are written at once
PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 4, 36  # linux/prctl.h


class TimeOver(BaseException):  # not an Exception: a student's `except Exception` must not stop it
    """The time of a test is over."""


def time_over(_number: int, _frame: FrameType | None) -> None:
    raise TimeOver("the time was over")


def close_memory(*, closed: bool = True) -> bool:
    """Close this process's memory, descriptors and environment to other processes of the same user, or open them.

    Return whether that worked.
    """
    if sys.platform != "linux":
        return True
    failed: int = ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, int(not closed), 0, 0, 0)
    return not failed


def print_whole_lines() -> None:
    """Let programs that print much not wait for each part of a line, as they do in a sandbox (PYTHONUNBUFFERED)."""
    sys.stdout = open(1, "w", buffering=PRINTED, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115


def become(user: int) -> None:
    os.environ["HOME"] = tempfile.gettempdir()
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def enter(folder: Path, handout: Path | None) -> None:
    """Let this process import the modules of the submission in `folder`, then those of the handout."""
    add_import_folders(folder, *([] if handout is None else [handout]))
    prefer_own_modules(folder)


def serve_students(orders: socket.socket) -> None:
    """Fork a student's process for each order, which comes with its channel and its output; tell how it ended."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    while True:
        text, given, _, _ = socket.recv_fds(orders, ORDER, 2)
        if not text:
            return
        order = json.loads(text)
        if "import" in order:  # of the installed ones: each student's process has them at once
            with suppress(ImportError):
                importlib.import_module(order["import"])
            continue
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:  # what former ones have left behind
                pass
        child = os.fork()
        if child == 0:
            orders.close()
            try:
                _serve(order, *given)
                os._exit(0)
            except BaseException:  # noqa: BLE001  # such as a folder that it may not read
                traceback.print_exc()
            finally:
                os._exit(1)
        for end in given:
            os.close(end)
        orders.sendall(json.dumps({"pid": child}).encode() + b"\n")
        _, status = os.waitpid(child, 0)
        orders.sendall(json.dumps({"ended": os.waitstatus_to_exitcode(status)}).encode() + b"\n")


def _serve(order: dict[str, Any], channel: int, output: int) -> None:
    os.setsid()
    for place in (1, 2):
        os.dup2(output, place)
    os.dup2(channel, CHANNEL)
    os.closerange(CHANNEL + 1, MOST_FILES)
    if order["user"]:
        become(order["user"])
    if order["memory"]:
        resource.setrlimit(resource.RLIMIT_DATA, (order["memory"], order["memory"]))
    close_memory(closed=False)
    work = Path(order["folder"])
    os.chdir(work)
    sys.argv = [""]
    print_whole_lines()
    handout = Path(order["handout"]) if order["handout"] else None
    enter(work, handout)
    _Answers(socket.socket(fileno=CHANNEL), work, handout).run()


class _OfTests:
    """A function of the tests, which the student's code may call."""

    def __init__(self, answers: "_Answers", number: int) -> None:
        self._answers, self.number = answers, number

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._answers.ask(self.number, given, named)


class _Kept:
    """A value that crosses as a reference, even if it is plain data."""

    def __init__(self, value: object) -> None:
        self.value = value


class _Answers:
    """The values of the student's program, by the numbers under which the tests know them."""

    def __init__(self, end: socket.socket, folder: Path, handout: Path | None) -> None:
        self._folder, self._handout = folder, handout
        self._channel = Channel(end, self._refer, self._resolve)
        self._known: list[Any] = []
        self._numbers: dict[int, int] = {}  # by `id`; the objects are kept
        self._functions: dict[int, _OfTests] = {}
        self._loaded: dict[str, ModuleType] = {}  # by the file's name

    def run(self) -> None:
        """Answer until the tests close the channel."""
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        with suppress(EOFError, ConnectionError):
            while True:
                self._reply(self._channel.receive())

    def ask(self, number: int, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Call a function of the tests, and return what it returns; they may ask for more meanwhile."""
        self._channel.write(self._channel.frame(("asks", number, given, named)))
        while True:
            message = self._channel.receive()
            if message[0] == "returns":
                return message[1]
            self._reply(message)

    def _reply(self, request: tuple[Any, ...]) -> None:
        number, operation, *given = request
        before = signal.signal(signal.SIGALRM, time_over)
        try:
            frame = self._channel.frame(("ok", number, getattr(self, f"_do_{operation}")(*given)))
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
        except BaseException as error:  # such as SystemExit and TimeOver
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
            if type(error) is EOFError and not error.args:  # of the channel
                raise
            frame = self._channel.frame(self._failed(number, operation, error))
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        self._channel.write(frame)
        signal.signal(signal.SIGALRM, before)

    def _failed(self, number: int, operation: str, error: BaseException) -> tuple[Any, ...]:
        kinds = [each.__name__ for each in type(error).__mro__]
        about = reasons.message(error), reasons.place(error, self._folder), reasons.own_traceback(error, self._folder)
        kind = "the answer" if isinstance(error, BadData) else kinds[0]
        return ("raised", number, operation, kind, kinds, *about, isinstance(error, TimeOver))

    def _refer(self, value: object) -> tuple[Any, ...]:
        value = value.value if type(value) is _Kept else value
        if type(value) is _OfTests:
            return ("function", value.number)
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self._known)
            self._known.append(value)
        return ("object", self._numbers[id(value)], callable(value), type(value).__name__)

    def _resolve(self, reference: tuple[Any, ...]) -> Any:
        kind, number = reference
        if kind == "object":
            return self._known[number]
        return self._functions.setdefault(number, _OfTests(self, number))

    # What the tests ask for.

    def _do_module(self, name: str) -> object:
        if name.endswith(".py"):  # as a bot's file is entered
            if name not in self._loaded:
                if (entry := entry_of(self._folder, name)) is None:
                    raise ModuleNotFoundError(f"there is neither {name} nor one package that has it; hand in {name}")
                self._loaded[name] = load(entry, self._handout or self._folder)
            return self._loaded[name]
        return importlib.import_module(name)

    def _do_get(self, owner: Any, name: str) -> object:
        return getattr(owner, name)

    def _do_set(self, owner: Any, name: str, value: object) -> None:
        setattr(owner, name, value)

    def _do_call(self, function: Any, given: tuple[Any, ...], named: dict[str, Any]) -> object:
        found = function(*given, **named)
        return _Kept(found) if isinstance(function, type) and not is_plain(found) else found

    def _do_new(self, function: Any, given: tuple[Any, ...], named: dict[str, Any]) -> object:
        return _Kept(function(*given, **named))

    def _do_define(self, text: str) -> object:
        module = ModuleType("provided")
        exec(compile(text, "<provided>", "exec"), module.__dict__)  # noqa: S102  # the staff's text
        return module

    def _do_iterate(self, items: Any) -> object:
        return _Kept(iter(items))

    def _do_next(self, items: Iterator[Any], most: int) -> list[Any]:
        return list(islice(items, most))

    def _do_length(self, owner: Any) -> int:
        return len(owner)

    def _do_item(self, owner: Any, key: object) -> object:
        return owner[key]

    def _do_keep(self, value: object) -> object:
        return _Kept(value)

    def _do_value(self, value: object) -> object:
        return value

    def _do_truth(self, value: object) -> bool:
        return bool(value)

    def _do_file(self, name: str, text: str) -> str:
        place = Path(tempfile.mkdtemp(prefix="given-")) / name
        place.write_text(text, encoding="utf-8")
        return str(place)

    def _do_run(self, words: tuple[str, ...], stdin: str) -> tuple[int, str, str]:
        ran = subprocess.run(  # noqa: S603  # the student's own program
            words, input=stdin, capture_output=True, text=True, errors="replace", check=False
        )
        return ran.returncode, ran.stdout, ran.stderr
