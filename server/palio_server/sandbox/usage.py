"""The resources that all processes of a sandbox use up, as its warden sees them in /proc. It imports nothing of Palio.

Memory is the processes' private memory, with the kernel's page tables for it, and the files in the sandbox's own
folders, which are memory, too, and each socket counts as the size that its buffer can hold: closed ones, whose data
waits to be accepted, belong to no process. Memory that cannot be counted so (memfd, locks) is not available to them
(`syscalls.py`).

A process writes parts of these files itself, such as its name. So a field is found by its line and its exact key, and
an unreadable value counts as more than any limit.
"""

import os

PLACES = ("/scratch", "/tmp", "/dev/shm")  # noqa: S108  # the sandbox's own
COUNTED = (b"RssAnon", b"VmSwap", b"VmPTE")  # fields of /proc/PID/status, in KiB
SOCKET = 1 << 18  # bytes that one holds at most; it may not ask for more (`syscalls.py`)
WARDEN = "1"
FULL = 1  # descriptors that are missing to a process that has as many as it may have
WORST = 1 << 62  # bytes: more than any limit


class WardenLimits:  # not a dataclass: importing that takes longer than starting the program
    """Sizes in bytes, as in `bubblewrap.py`."""

    def __init__(
        self, memory: int, processes: int, files: int, scratch: int, entries: int, cores: int, own_network: int
    ) -> None:
        self.memory, self.processes, self.files = memory, processes, files
        self.scratch, self.entries, self.cores = scratch, entries, cores
        self.own_network = bool(own_network)  # otherwise the machine's sockets are counted beside the bot's


Threads = dict[str, list[str]]  # of each process, oldest first


def look(limits: WardenLimits) -> tuple[str, Threads]:
    """Return which limit is used up ("": none), and all processes with their threads."""
    names = processes()
    if len(names) > limits.processes:  # at once: with a thousand of them each look would take longer
        return f"processes {limits.processes} used up", {}
    memory, found = 0, Threads()
    for name in names:
        try:
            own, found[name] = _process(name)
        except (ProcessLookupError, FileNotFoundError):  # it has ended
            continue
        memory += own
        if any(_open_files(name, task) > limits.files - FULL for task in found[name][:1]):
            return f"open files {limits.files} used up", found
    if sum(map(len, found.values())) > limits.processes:
        return f"processes {limits.processes} used up", found
    kept, wrong = _kept(limits)
    if wrong:
        return wrong, found
    if limits.own_network:
        kept += SOCKET * sockets(names)
    if memory + kept > limits.memory and _exactly(found, memory) + kept > limits.memory:
        return f"memory {_size(limits.memory)} used up", found
    return "", found


def sockets(names: list[str]) -> int:
    """Return how many sockets the network of these processes has, closed ones that are not empty included.

    All of a sandbox's processes have one network. The warden's own files are covered (`bubblewrap.py`).
    """
    for name in names:
        try:
            with open(f"/proc/{name}/net/sockstat", "rb") as file:  # noqa: PTH123
                return int(file.readline().split()[2])  # sockets: used 3
        except (OSError, ValueError, IndexError):  # it has ended
            continue
    return 0


def processes() -> list[str]:
    """Return the numbers of all processes but the warden's, oldest first."""
    found = [name for name in os.listdir("/proc") if name.isdigit() and name != WARDEN]  # noqa: PTH208
    return sorted(found, key=int)


def fields(text: bytes) -> dict[bytes, bytes]:
    r"""Return the lines `KEY: VALUE` by their keys; of a key that comes twice the first line counts.

    >>> fields(b"Name:\tRssAnon: 0\nRssAnon:\t    12 kB\n")[b"RssAnon"]
    b'12 kB'
    """
    found: dict[bytes, bytes] = {}
    for line in text.split(b"\n"):
        key, colon, value = line.partition(b":")
        if colon:
            found.setdefault(key, value.strip())
    return found


def memory_of(status: bytes) -> int | None:
    """Return the bytes that /proc/PID/status names; WORST if they cannot be read; None if it names no memory."""
    found = fields(status)
    sizes = [found[key] for key in COUNTED if key in found]
    if not sizes:
        return None
    parsed = [_kib(size) for size in sizes]
    return WORST if len(parsed) < len(COUNTED) or WORST in parsed else sum(parsed)


def after_name(stat: bytes) -> list[bytes]:
    """Return the fields of /proc/PID/stat that follow the name, the state first. The name may hold brackets."""
    return stat.rpartition(b")")[2].split()


def _kib(value: bytes) -> int:
    """Return the bytes of a value such as `12 kB`; WORST for any other text."""
    number, _, unit = value.partition(b" ")
    return 1024 * int(number) if number.isdigit() and unit.strip() == b"kB" else WORST


def _process(name: str) -> tuple[int, list[str]]:
    """Return the memory of a process, in bytes, and its threads. Every process may read that."""
    status = _read(f"/proc/{name}/status")
    memory = memory_of(status)
    if memory is not None and fields(status).get(b"Threads") == b"1":
        return memory, [name]
    tasks = sorted(os.listdir(f"/proc/{name}/task"), key=int)  # noqa: PTH208
    if memory is None and len(tasks) > 1:  # its first thread has ended: the others hold the memory
        memory, tasks = _of_later_threads(name, tasks)
    return memory or 0, tasks


def _of_later_threads(name: str, tasks: list[str]) -> tuple[int | None, list[str]]:
    """Return the memory as the first living thread reports it, and the threads beginning with that one."""
    for at, task in enumerate(tasks):
        try:
            memory = memory_of(_read(f"/proc/{name}/task/{task}/status"))
        except (ProcessLookupError, FileNotFoundError):
            continue
        if memory is not None:
            return memory, [task, *tasks[:at], *tasks[at + 1 :]]
    return None, tasks


def _read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123  # it is done many times a second
        return file.read()


def _open_files(name: str, task: str) -> int:
    try:
        return len(os.listdir(f"/proc/{name}/task/{task}/fd"))  # noqa: PTH208  # as above
    except OSError:  # it has ended, or hides; its own limit still holds
        return 0


def _exactly(found: Threads, memory: int) -> int:
    """Return the same, with pages shared by several processes since a fork counted once; this takes longer.

    A process that hides, or whose first thread has ended, is counted in full.
    """
    if len(found) == 1:
        return memory
    total = 0
    for name in found:
        try:
            own, _ = _process(name)
        except (ProcessLookupError, FileNotFoundError):
            continue
        try:
            sizes = fields(_read(f"/proc/{name}/smaps_rollup"))
        except OSError:
            sizes = {}
        anonymous, shared = _kib(sizes.get(b"Anonymous", b"")), _kib(sizes.get(b"Pss_Anon", b""))  # since Linux 5.9
        total += own if WORST in (anonymous, shared) else max(own - anonymous, 0) + shared
    return total


def _kept(limits: WardenLimits) -> tuple[int, str]:
    """Return the bytes in the sandbox's own folders, and the limit of them that is used up."""
    kept = 0
    for place in PLACES:
        found = os.statvfs(place)
        kept += (found.f_blocks - found.f_bfree) * found.f_frsize
        if found.f_blocks and not found.f_bfree:
            return kept, f"scratch {_size(limits.scratch)} used up"
        if found.f_files - found.f_ffree > limits.entries:
            return kept, f"scratch used up: {limits.entries} files and folders"
    return kept, ""


def _size(size: int) -> str:
    for unit, factor in (("G", 2**30), ("M", 2**20), ("K", 2**10)):
        if size % factor == 0:
            return f"{size // factor}{unit}"
    return str(size)
