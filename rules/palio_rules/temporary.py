"""Temporary folders `palio-KIND-….tmp`, removed when they are no longer needed, or their process is gone.

Each is locked while it is in use. What is not locked belongs to a process that was killed; the next process that makes
such a folder removes it. Systems without such locks (Windows) keep it.
"""

import os
import shutil
import time
import weakref
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from types import TracebackType

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PREFIX, ENDING = "palio-", ".tmp"
TRIES, PAUSE_S = 20, 0.05  # to hold a folder that another process is removing


class TemporaryFolder:
    """A folder of this user only, until `cleanup`, or the end of the context or of the process."""

    def __init__(self, kind: str, parent: str | Path | None = None, *, at: Path | None = None) -> None:
        """Make it in `parent`, by default where the system has such folders; or `at` a path, where it may be already.

        Raises OSError.
        """
        remove_abandoned(Path(at.parent if at is not None else parent or gettempdir()))
        for left in reversed(range(TRIES)):
            self.path = Path(mkdtemp(ENDING, f"{PREFIX}{kind}-", parent)) if at is None else at
            self.path.mkdir(0o700, exist_ok=True)
            try:
                lock = _lock(self.path)
                break
            except (FileNotFoundError, BlockingIOError):  # another process is just removing it
                if left == 0:
                    raise
                time.sleep(PAUSE_S)
        self.cleanup = weakref.finalize(self, _end, self.path, lock, os.getpid())

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.cleanup()


def new_name(kind: str) -> Path:
    """Return a path for `TemporaryFolder(at=...)` that cannot be guessed."""
    return Path(gettempdir()) / f"{PREFIX}{kind}-{os.urandom(8).hex()}{ENDING}"


@cache
def remove_abandoned(parent: Path) -> None:
    """Remove this user's folders in `parent` that no process holds; once in a process."""
    with suppress(OSError):
        for folder in parent.glob(f"{PREFIX}*{ENDING}"):
            with suppress(OSError):
                about = folder.lstat()
                ours = fcntl is not None and os.getuid() in (0, about.st_uid) and not folder.is_symlink()
                if ours and (lock := _lock(folder)) is not None:
                    _end(folder, lock, os.getpid())


def _lock(folder: Path) -> int | None:
    """Return what holds the folder; None where it cannot be locked.

    Raises BlockingIOError if a process holds it, FileNotFoundError if it is gone.
    """
    if fcntl is None:
        return None
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        folder.stat()
    except (BlockingIOError, FileNotFoundError):
        os.close(lock)
        raise
    except OSError:  # a file system without locks
        os.close(lock)
        return None
    return lock


def _end(folder: Path, lock: int | None, process: int) -> None:
    if os.getpid() == process:  # not in a copy of the process that made it
        _remove(folder)
    if lock is not None:
        os.close(lock)


def _remove(folder: Path) -> None:
    """Remove a folder with all that is in it, folders that were closed to their owner too."""
    for place, folders, _ in os.walk(folder):
        for each in folders:
            with suppress(OSError):
                if not os.path.islink(path := os.path.join(place, each)):  # noqa: PTH114, PTH118  # for speed
                    os.chmod(path, 0o700)  # noqa: PTH101
    shutil.rmtree(folder, ignore_errors=True)
