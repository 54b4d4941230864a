"""The process that looks into strangers' files: `python -m palio_server.courses.inspector MEMORY SECONDS USER`.

`inspection` starts it, confined. It reads one task from stdin and writes the answer to stdout, both in MessagePack. No
other process of Palio may import the modules that it needs for that; a test looks at the imports.
"""

import ctypes
import gc
import os
import resource
import sys
from collections.abc import Callable
from typing import TypeVar

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
    Taken,
)
from palio_server.courses.submitted_names import Refused

ONE_S = 5  # seconds of the processor for one file, or one submission, of many
CLONE_NEWNET = 0x40000000  # linux/sched.h
CHUNK = 1 << 16

T = TypeVar("T")


def main() -> None:
    memory, seconds, user = map(int, sys.argv[1:4])
    _limit(memory, seconds, user)
    os.write(1, BEGUN)
    try:
        answer = answer_to(msgspec.msgpack.decode(sys.stdin.buffer.read(), type=AnyTask))
    except MemoryError:
        gc.collect()
        answer = Failed(f"take more than {memory >> 20} MB of memory")
    sys.stdout.buffer.write(msgspec.msgpack.encode(answer))


def answer_to(task: AnyTask) -> AnyAnswer:
    """Return the answer; the work itself is that of pure functions."""
    match task:
        case TakeFiles():
            try:
                taken = intake.take(task.given, task, strict=task.strict)
            except Refused as error:
                return Refusal(str(error))
            return Taken(dict(taken.files), taken.left_out)
        case CheckPython():
            return PythonError(next(filter(None, map(_python_error, task.files.items())), ""))
        case FindSimilar():
            return _similar(task)
        case FindImports():
            found = (each for file in task.files if (each := alone(_imports_of, file, Imports)) is not None)
            return Imports(sorted({name for each in found for name in each.names}))
        case ReadBotFile():
            return alone(python_sources.bot_file, task.file, BotFile) or BotFile()


def _python_error(item: tuple[str, bytes]) -> str:
    name, data = item
    found = alone(lambda data: python_sources.python_error(data, name), data, str)
    much = f"{name} takes more than {ONE_S} s or too much memory to be compiled; nest less, and write shorter texts"
    return much if found is None else found


def _imports_of(file: bytes) -> Imports:
    return Imports(list(python_sources.imports_of(file)))


def _similar(task: FindSimilar) -> Similar:
    read, left_out = dict[str, list[similar.Token]](), dict[str, str]()
    for name, files in task.submissions.items():
        if (found := alone(similar.tokens, files, list[similar.Token])) is None:
            left_out[name] = f"it takes more than {ONE_S} s or too much memory to be read"
        else:
            read[name] = found
    return Similar(similar.similar_tokens(read, task.skeleton, task.groups, share=task.share), left_out)


def alone(work: Callable[[bytes], T] | Callable[..., T], given: object, kind: type[T]) -> T | None:
    """Return `work(given)`, done by a process of its own within ONE_S; None if that process ends without an answer.

    So one file that freezes, crashes or fills its reader costs its own answer and no other's.
    """
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        _work(work, given, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = b"".join(iter(lambda: pipe.read(CHUNK), b""))
    _, status = os.waitpid(child, 0)
    return msgspec.msgpack.decode(said, type=kind) if status == 0 else None


def _work(work: Callable[..., object], given: object, writing: int) -> None:
    """Answer in the child process; it never returns."""
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (ONE_S, ONE_S))
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
