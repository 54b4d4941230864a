"""One process compiles, the others wait for it and then read what it has kept: as fast, and on one core only."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import IO

if sys.platform == "win32":
    import msvcrt
    import time

    def _lock(file: IO[bytes]) -> None:
        while True:
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # tries for ten seconds
            except OSError:
                time.sleep(0.1)
            else:
                return
else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)


@contextmanager
def alone(path: Path | None) -> Iterator[None]:
    """While nobody else, in whichever process, is in here with this path; None: at once, as nothing will be kept.

    The system gives the lock back when its holder ends, however that happens. A disk that knows no locks is no reason
    not to play.
    """
    with ExitStack() as held:
        if path is not None:
            with suppress(OSError):
                _lock(held.enter_context(path.open("wb")))
        yield


@contextmanager
def compiling(package: ModuleType) -> Iterator[None]:
    """While nobody else compiles the kernels of `package`, the one with a game's compiled searches. Needs numba."""
    from palio_clients.kernels.jit import cache_directory  # noqa: PLC0415 - numba may be missing

    assert package.__file__ is not None
    kept = cache_directory(Path(package.__file__).parent)
    with alone(kept and kept / "compiling"):
        yield
