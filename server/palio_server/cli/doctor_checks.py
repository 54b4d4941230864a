"""The checks of a machine for Palio: each returns its finding, its severity, and the remedy."""

import asyncio
import os
import platform
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from palio_rules.extras import install
from palio_rules.interpreter import python
from palio_rules.version import BUILD
from palio_server.sandbox.binds import KINDS
from palio_server.sandbox.bubblewrap import GIB, MIB, size_text, this_machine
from palio_server.sandbox.cgroups import delegated
from palio_server.settings import sqlite_file

OLDEST_PYTHON = (3, 11)
NEEDED = ("msgspec", "websockets", "click", "sqlalchemy", "aiosqlite", "starlette", "uvicorn", "numpy")
NUMBA_S = 90.0  # for an import and the smallest compilation, on a busy machine
COMPILES = "import numba; print(numba.__version__, numba.njit(lambda x: x + 1)(1))"
SYNCS, SYNC_BYTES, SLOW_SYNC_MS = 5, 4096, 30.0  # a result costs a commit, and a commit a sync
LITTLE_DISK, TOO_LITTLE_DISK = GIB, 100 * MIB
LITTLE_MEMORY = 512 * MIB
FEW_FILES, TOO_FEW_FILES = 1024, 128  # each bot and each viewer is one
COARSE_S = 0.001  # of a clock that measures thinking times in milliseconds
CONNECT_S = 3.0

State = Literal["ok", "warning", "missing"]


class Check(msgspec.Struct, frozen=True):
    """The result of a check. `missing`: Palio cannot work. `warning`: it works, but something useful is
    not available.
    """

    name: str
    state: State
    found: str
    remedy: str = ""


def checks(database: str, *, must_confine: bool) -> Iterator[Check]:
    """Yield all checks, for a server with this `database` (an URL), which needs a sandbox or can do without one."""
    yield from _versions()
    yield _event_loop()
    yield _sandbox(must_confine=must_confine)
    yield Check(
        "hidden from bots",
        "ok",
        "; ".join(each.what for each in KINDS) + " (docs/explanation/security.md lists the names)",
    )
    yield _cgroups()
    yield _numba()
    yield from _database(database)
    yield from _clocks()
    yield _open_files()
    yield _memory()
    yield Check("processors", "ok", str(len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()))


def _versions() -> Iterator[Check]:
    yield Check("palio", "ok", BUILD)
    new_enough = sys.version_info[:2] >= OLDEST_PYTHON
    found = f"{platform.python_version()} ({platform.system()} {platform.release()}, {platform.machine()})"
    yield Check("python", "ok" if new_enough else "missing", found, "" if new_enough else "use Python 3.11 or newer")
    for name in NEEDED:
        try:
            yield Check(name, "ok", version(name))
        except PackageNotFoundError:
            yield Check(name, "missing", "not installed", f"install the server: {install('server')}")


def _event_loop() -> Check:
    try:
        return Check("event loop", "ok", f"uvloop {version('uvloop')}")
    except PackageNotFoundError:
        return Check("event loop", "warning", "asyncio's own, half as fast", "pip install uvloop")


def _sandbox(*, must_confine: bool) -> Check:
    machine = this_machine()
    if machine.bwrap:
        which = f"bubblewrap {machine.version}, {machine.origin} ({machine.bwrap})"
        return Check("sandbox", "ok", f"{which}, confines bots' programs")
    means = "a course is not served" if must_confine else "bots' programs can read your files"
    return Check("sandbox", "missing" if must_confine else "warning", f"{machine.lacks}; {means}", machine.remedy)


def _cgroups() -> Check:
    found = delegated()
    if found is not None:
        return Check("cgroups", "ok", f"{found} is ours: the kernel itself holds bots to memory and processes")
    remedy = "systemd-run --user --scope -p Delegate=yes palio ..., or Delegate=yes in the service"
    return Check(
        "cgroups", "ok", "none is delegated; each sandbox watches its bot's memory and processes itself", remedy
    )


def _numba() -> Check:
    remedy = install("kernels")
    try:
        version("numba")
    except PackageNotFoundError:
        return Check("numba", "warning", "not installed: searches are not compiled", remedy)
    begun = time.monotonic()
    try:
        done = subprocess.run(  # noqa: S603  # our own words
            python("-c", COMPILES), capture_output=True, text=True, timeout=NUMBA_S, check=False
        )
    except subprocess.TimeoutExpired:
        return Check("numba", "warning", f"does not compile within {NUMBA_S:g} s", remedy)
    if done.returncode != 0:
        why = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        return Check("numba", "warning", f"does not compile: {why}", remedy)
    return Check(
        "numba", "ok", f"{done.stdout.split()[0]}, compiles ({time.monotonic() - begun:.1f} s with its import)"
    )


def _database(url: str) -> Iterator[Check]:
    file = sqlite_file(url)
    if not file:
        yield _reachable(url)
        return
    folder = Path(file).absolute().parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        what = "cannot be written to" if folder.is_dir() else "does not exist"
        yield Check("database", "missing", f"{folder} {what}", "make it, or name another database with --db")
        return
    yield Check("database", "ok", url)
    free = shutil.disk_usage(folder).free
    state: State = "missing" if free < TOO_LITTLE_DISK else "warning" if free < LITTLE_DISK else "ok"
    remedy = "" if state == "ok" else f"make room in {folder}, or name another database with --db"
    yield Check("disk", state, f"{free / GIB:.1f} GiB free in {folder}", remedy)
    took = sync_ms(folder)
    slow = took > SLOW_SYNC_MS
    yield Check(
        "fsync",
        "warning" if slow else "ok",
        f"{took:.1f} ms",
        "a faster disk: each result waits for one" if slow else "",
    )


def _reachable(url: str) -> Check:
    parts = urlsplit(url)
    host, port = parts.hostname or "127.0.0.1", parts.port or 5432
    where = f"{parts.scheme}://{host}:{port}{parts.path}"
    try:
        socket.create_connection((host, port), CONNECT_S).close()
    except OSError as error:
        return Check("database", "missing", f"{where} does not answer ({error})", "start PostgreSQL, or correct --db")
    return Check("database", "ok", f"{where} answers")


def sync_ms(folder: Path) -> float:
    """Return the milliseconds until a page is certainly on the disk: the median of a few tries."""
    took = []
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(SYNCS):
            begun = time.perf_counter()
            file.write(os.urandom(SYNC_BYTES))
            file.flush()
            os.fsync(file.fileno())
            took.append(1000 * (time.perf_counter() - begun))
    return statistics.median(took)


def _clocks() -> Iterator[Check]:
    resolution = time.get_clock_info("monotonic").resolution
    state: State = "warning" if resolution > COARSE_S else "ok"
    yield Check(
        "monotonic clock", state, f"resolution {1e6 * resolution:g} us", "" if state == "ok" else "use another system"
    )
    newest = Path(__file__).stat().st_mtime  # Palio cannot have been installed in the future
    plausible = newest - 86_400 < time.time() < newest + 20 * 366 * 86_400
    now = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
    yield Check(
        "wall clock", "ok" if plausible else "warning", now, "" if plausible else "set it: timedatectl set-ntp true"
    )


def _open_files() -> Check:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    state: State = "missing" if soft < TOO_FEW_FILES else "warning" if soft < FEW_FILES else "ok"
    remedy = "" if state == "ok" else f"ulimit -n {FEW_FILES * 4}, or LimitNOFILE= in the service"
    return Check("open files", state, f"{soft} at once (at most {hard})", remedy)


def _memory() -> Check:
    try:
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        free, all_ = (1024 * int(lines[name].split()[0]) for name in ("MemAvailable", "MemTotal"))
    except (OSError, KeyError, ValueError):
        return Check("memory", "ok", "unknown on this system")
    little = free < LITTLE_MEMORY
    remedy = f"end something, or give bots less (--memory {size_text(128 * MIB)})" if little else ""
    found = f"{free / GIB:.1f} of {all_ / GIB:.1f} GiB available"
    return Check("memory", "warning" if little else "ok", found, remedy)


async def gathered(database: str, *, must_confine: bool) -> list[Check]:
    """Return `checks`, run in a thread beside the event loop."""
    return await asyncio.to_thread(lambda: list(checks(database, must_confine=must_confine)))
