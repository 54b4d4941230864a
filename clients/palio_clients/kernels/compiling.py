"""One process compiles, the others wait for it and then read its cache: as fast, and on one core only."""

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
    """Hold a lock on this path, across threads and processes; None: no lock, because nothing will be cached.

    The system releases the lock when its holder ends in any way. A disk without locks must not prevent playing.
    """
    with ExitStack() as held:
        if path is not None:
            with suppress(OSError):
                _lock(held.enter_context(path.open("wb")))
        yield


@contextmanager
def compiling(package: ModuleType) -> Iterator[None]:
    """Hold the lock for compiling the kernels of `package`, which has a game's compiled searches. Needs numba."""
    from palio_clients.kernels.jit import cache_directory  # noqa: PLC0415 - numba may be missing

    assert package.__file__ is not None
    kept = cache_directory(Path(package.__file__).parent)
    with alone(kept and kept / "compiling"):
        yield
