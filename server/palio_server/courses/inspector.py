"""The process that looks into strangers' files: `python -m palio_server.courses.inspector MEMORY SECONDS EACH USER`.

`inspection` starts it, confined. It reads one task from stdin and writes the answer to stdout, both in MessagePack. No
other process of Palio may import the modules that it needs for that; a test looks at the imports.
"""

import ctypes
import gc
import os
import resource
import sys
from collections.abc import Callable
from functools import partial
from typing import NoReturn, TypeVar

import msgspec

from palio_server.courses import intake, python_sources, similar
from palio_server.courses.inspection_tasks import (
    BEGUN,
    AnyAnswer,
    AnyTask,
    BotFile,
    CheckPython,
    Failed,
    FindImports,
    FindSimilar,
    Imports,
    PythonError,
    ReadBotFile,
    Refusal,
    Similar,
    TakeFiles,
)
from palio_server.courses.submitted_names import Refused

CLONE_NEWNET = 0x40000000  # linux/sched.h
CHUNK = 1 << 16

G = TypeVar("G")
T = TypeVar("T")


def main() -> None:
    memory, seconds, each, user = map(int, sys.argv[1:5])
    _limit(memory, seconds, user)
    os.write(1, BEGUN)
    try:
        answer = Inspector(each).answer_to(msgspec.msgpack.decode(sys.stdin.buffer.read(), type=AnyTask))
    except MemoryError:
        gc.collect()
        answer = Failed(f"take more than {memory >> 20} MB of memory")
    sys.stdout.buffer.write(msgspec.msgpack.encode(answer))


class Inspector:
    """Answers tasks; the work itself is that of pure functions.

    One file, or one submission, of many has `each_s` seconds of the processor.
    """

    def __init__(self, each_s: int) -> None:
        self._each_s = each_s

    def answer_to(self, task: AnyTask) -> AnyAnswer:
        match task:
            case TakeFiles():
                try:
                    return intake.take(task.given, task, strict=task.strict)
                except Refused as error:
                    return Refusal(str(error))
            case CheckPython():
                return PythonError(next(filter(None, map(self._python_error, task.files.items())), ""))
            case FindSimilar():
                return self._similar(task)
            case FindImports():
                return Imports([self._alone(python_sources.imports_of, file, set[str]) or set() for file in task.files])
            case ReadBotFile():
                return self._alone(python_sources.bot_file, task.file, BotFile) or BotFile()

    def _python_error(self, item: tuple[str, bytes]) -> str:
        name, data = item
        found = self._alone(partial(python_sources.python_error, name=name), data, str)
        much = f"{name} takes more than {self._each_s} s or too much memory to be compiled; write shorter statements"
        return much if found is None else found

    def _similar(self, task: FindSimilar) -> Similar:
        read, left_out = dict[str, list[similar.Token]](), dict[str, str]()
        for name, files in task.submissions.items():
            if (found := self._alone(similar.tokens, files, list[similar.Token])) is None:
                left_out[name] = f"it takes more than {self._each_s} s or too much memory to be read"
            else:
                read[name] = found
        return Similar(similar.similar_tokens(read, task.skeleton, task.groups, share=task.share), left_out)

    def _alone(self, work: Callable[[G], T], given: G, kind: type[T]) -> T | None:
        """Return `work(given)`, done by a process of its own; None if that process ends without an answer.

        So one file that freezes, crashes or fills its reader costs its own answer and no other's.
        """
        reading, writing = os.pipe()
        if (child := os.fork()) == 0:
            os.close(reading)
            _work(work, given, writing, self._each_s)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            said = b"".join(iter(lambda: pipe.read(CHUNK), b""))
        _, status = os.waitpid(child, 0)
        return msgspec.msgpack.decode(said, type=kind) if status == 0 else None


def _work(work: Callable[[G], object], given: G, writing: int, seconds: int) -> NoReturn:
    """Answer in the child process."""
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(msgspec.msgpack.encode(work(given)))
        code = 0
    except (MemoryError, RecursionError, OSError):
        pass
    finally:
        os._exit(code)


def _limit(memory: int, seconds: int, user: int) -> None:
    """Give up rights that the work does not need; become `user`, if not 0, which is for root without a sandbox."""
    for kind, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))
    if sys.platform == "linux":
        ctypes.CDLL(None).unshare(CLONE_NEWNET)  # refused to all but root
    if user:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)


if __name__ == "__main__":
    main()
