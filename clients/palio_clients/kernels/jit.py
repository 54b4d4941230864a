"""`@kernel`: the compilation of a function, and its cache.

Numba caches machine code for each file, and compiles again when that file has changed; it does not see changes in other
files whose functions were inlined (its documentation, "Notes on Caching", names this as a limitation). So the kernels
of a game are cached in a directory named after the text of its package and of all shared modules: any change in them
begins a new one.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import extending
from numba.core import event

from palio_clients.kernels.compilation import compilation
from palio_clients.search.game_tree import Stop, Stopped, never
from palio_rules.user_cache import user_cache

config: Any = numba.config
F = TypeVar("F", bound=Callable[..., Any])

# The types that numba uses instead of Python's; for readers only, because numba infers them from the arguments.
Word = Any  # uint64
Int = Any  # int64
Real = Any  # float64
Truth = Any  # a truth value
Record = Any  # one element of a structured array, by reference
Array = Any
Flag = Any  # uint8[1], raised by another thread


class _Counted(event.Listener):
    """A listener that hears from numba what is really compiled, not read from the cache."""

    def __init__(self) -> None:
        self._depth, self._began = 0, 0.0

    def on_start(self, event: Any) -> None:
        if self._depth == 0:
            code = event.data["dispatcher"].py_func.__code__
            folder = Path(code.co_filename).parent
            compilation.begins(folder.parent.name if folder.name == "kernels" else "this game", cache_directory(folder))
            self._began = monotonic()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            compilation.seconds += monotonic() - self._began


register: Any = event.register  # untyped
register("numba:compile", _Counted())


def kernel(function: F) -> F:
    """Compile `function` on its first call, without the interpreter's lock, and cache the result on disk.

    Division by zero gives the hardware's result, as in numpy; an index is never checked.
    """
    directory = cache_directory(Path(function.__code__.co_filename).parent)
    before, config.CACHE_DIR = config.CACHE_DIR, str(directory or "")
    try:
        compiled: Any = numba.njit(cache=directory is not None, nogil=True, error_model="numpy")(function)
    finally:
        config.CACHE_DIR = before
    return cast(F, compiled)


# For functions that kernels call, whose code is generated for LLVM.
intrinsic: Callable[[Callable[..., Any]], Any] = extending.intrinsic


@cache
def cache_directory(package: Path) -> Path | None:
    """Return the directory for machine code of `package`: below NUMBA_CACHE_DIR, or in the user's own cache.

    Never beside the sources, which may be read-only. None if no such directory can be written to: then every process
    compiles again.
    """
    try:
        directory = Path(config.CACHE_DIR or user_cache()) / f"palio-kernels-{_digest(package)}"
        directory.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # RuntimeError: the user has no home
        return None
    return directory if os.access(directory, os.W_OK | os.X_OK) else None


def _digest(package: Path) -> str:
    """Return a digest of the sources in `package` and in this folder, by name and text."""
    text = sha256()
    for folder in dict.fromkeys((Path(__file__).parent, package)):
        for source in sorted(folder.glob("*.py")):
            text.update(f"{folder.parent.name}/{folder.name}/{source.name}\n".encode())
            text.update(source.read_bytes())
    return text.hexdigest()[:16]


# Stopping a kernel, which has no clock and cannot be interrupted: a flag, and a thread that raises it.

EVERY_S = 0.001  # between two calls of `stop`: the delay of a kernel's deadline


@contextmanager
def stop_flag(stop: Stop = never) -> Iterator[Flag]:
    """Yield a flag that is raised when `stop` says so: at once if it does already, or else at most a millisecond later.

    An exception of `stop` is raised at the end of the `with` block; the flag is up then, too.
    """
    flag = np.zeros(1, np.uint8)
    if stop is never:
        yield flag
        return
    done, faults = threading.Event(), list[BaseException]()

    def watch() -> None:
        try:
            while not stop() and not done.wait(EVERY_S):
                pass
        except BaseException as fault:  # noqa: BLE001 - raised in the thread that waits for the kernel
            faults.append(fault)
        flag[0] = 1

    flag[0] = stop()
    watcher = threading.Thread(target=watch, name="alarm", daemon=True)
    watcher.start()
    try:
        yield flag
    finally:
        done.set()
        watcher.join()
    if faults:
        raise faults[0]


@contextmanager
def stoppable(stop: Stop) -> Iterator[Flag]:
    """Yield a flag like `stop_flag`; once it is up the search is invalid, and Stopped is raised at the end."""
    with stop_flag(stop) as flag:
        yield flag
        if flag[0]:
            raise Stopped
