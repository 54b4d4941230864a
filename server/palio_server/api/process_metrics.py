"""What the system says of this process, under the names that every Prometheus client uses. Only Linux says it."""

import os
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from palio_server.metrics import Family, counter, gauge

PROC = Path("/proc/self")


def process_metrics() -> Iterator[Family]:
    """CPU, memory and open files."""
    if not PROC.exists():
        return
    import resource  # noqa: PLC0415  # not on Windows

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    pages = int((PROC / "statm").read_text(encoding="ascii").split()[1])
    yield counter("process_cpu_seconds_total", "User and system time.", time.process_time())
    yield gauge("process_resident_memory_bytes", "Memory in use.", pages * resource.getpagesize())
    yield gauge("process_open_fds", "Open files and sockets.", sum(1 for _ in (PROC / "fd").iterdir()))
    yield gauge("process_max_fds", "How many there may be.", soft)
    yield gauge("process_start_time_seconds", "When the process started, since 1970.", _started())


@cache
def _started() -> float:
    ticks = int((PROC / "stat").read_bytes().rpartition(b")")[2].split()[19])
    uptime = float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])
    return time.time() - uptime + ticks / os.sysconf("SC_CLK_TCK")
