"""What all the processes of a sandbox use up, as its warden sees it in /proc. It needs nothing of Palio.

Memory is what is theirs alone, with what the kernel keeps to map it, and whatever lies in the sandbox's own folders,
which is memory, too, and each socket counts as what its buffer can hold: closed ones, whose data waits for somebody to
accept it, belong to no process. What cannot be counted so (memfd, locks) they cannot have (`syscalls.py`).
"""

import os

PLACES = ("/scratch", "/tmp", "/dev/shm")  # noqa: S108  # the sandbox's own
COUNTED = (b"RssAnon:", b"VmSwap:", b"VmPTE:")  # lines of /proc/PID/status, in KiB
SOCKET = 1 << 18  # what one holds at most; it may not ask for more (`syscalls.py`)
WARDEN = "1"
FULL = 1  # descriptors that are missing to a process that has all it may have


class Limits:  # no dataclass: to import it takes longer than to start the program
    """Sizes in bytes, as in `limits.py`."""

    def __init__(self, memory: int, processes: int, files: int, scratch: int, entries: int) -> None:
        self.memory, self.processes, self.files = memory, processes, files
        self.scratch, self.entries = scratch, entries
        self.own_network = sockets() == 0  # asked before the program begins: the machine's network has many


def look(limits: Limits) -> tuple[str, list[int]]:
    """Which limit is used up ("": none), and the threads that compute, oldest first."""
    names = _processes()
    if len(names) > limits.processes:  # at once: of a thousand of them each look would take longer
        return f"processes {limits.processes} used up", []
    memory, threads, running = 0, 0, []
    for name in names:
        try:
            own, tasks = _process(name)
        except (ProcessLookupError, FileNotFoundError):  # it has ended
            continue
        memory, threads = memory + own, threads + len(tasks)
        running += [task for task in tasks if _runs(name, task)]
        if _open_files(name) > limits.files - FULL:
            return f"open files {limits.files} used up", running
    if threads > limits.processes:
        return f"processes {limits.processes} used up", running
    kept, wrong = _kept(limits)
    if wrong:
        return wrong, running
    if limits.own_network:
        kept += SOCKET * max(sockets(), 0)
    if memory + kept > limits.memory and _exactly(names, memory) + kept > limits.memory:
        return f"memory {_size(limits.memory)} used up", running
    return "", running


def threads() -> list[int]:
    """All that there are, but for the warden's own."""
    found = []
    for name in _processes():
        try:
            found += [int(task) for task in os.listdir(f"/proc/{name}/task")]  # noqa: PTH208
        except OSError:
            continue
    return found


def sockets() -> int:
    """How many there are in the sandbox's network, closed ones that are not empty included. -1: it cannot be told."""
    try:
        with open("/proc/net/sockstat", "rb") as file:  # noqa: PTH123
            return int(file.readline().split()[2])  # sockets: used 3
    except (OSError, ValueError, IndexError):
        return -1


def _processes() -> list[str]:
    found = [name for name in os.listdir("/proc") if name.isdigit() and name != WARDEN]  # noqa: PTH208
    return sorted(found, key=int)


def _process(name: str) -> tuple[int, list[int]]:
    """What a process has of memory, in bytes, and its threads. Everybody may ask for that."""
    with open(f"/proc/{name}/status", "rb") as file:  # noqa: PTH123
        text = file.read()
    memory = 0
    for field in COUNTED:
        at = text.find(field)
        if at >= 0:
            memory += 1024 * int(text[at:].split(None, 2)[1])
    if b"\nThreads:\t1\n" in text:
        return memory, [int(name)]
    return memory, [int(task) for task in os.listdir(f"/proc/{name}/task")]  # noqa: PTH208


def _open_files(name: str) -> int:
    try:
        return len(os.listdir(f"/proc/{name}/fd"))  # noqa: PTH208  # it is done thirty times a second
    except OSError:  # it has ended, or hides; its own limit holds all the same
        return 0


def _exactly(names: list[str], memory: int) -> int:
    """The same, with pages that several processes have since a fork counted once; it takes longer to find out."""
    if len(names) == 1:
        return memory
    found = 0
    for name in names:
        try:
            own, _ = _process(name)
            with open(f"/proc/{name}/smaps_rollup", "rb") as file:  # noqa: PTH123
                sizes = {line.split()[0]: 1024 * int(line.split()[1]) for line in file if line.endswith(b"kB\n")}
            found += max(own - sizes[b"Anonymous:"], 0) + sizes[b"Pss_Anon:"]
        except (ProcessLookupError, FileNotFoundError):
            continue
        except (PermissionError, KeyError):  # it hides, or Linux is older than 5.9: then it is counted in full
            return memory
    return found


def _kept(limits: Limits) -> tuple[int, str]:
    """How many bytes lie in the sandbox's own folders, and which limit of theirs is used up."""
    kept = 0
    for place in PLACES:
        found = os.statvfs(place)
        kept += (found.f_blocks - found.f_bfree) * found.f_frsize
        if found.f_blocks and not found.f_bfree:
            return kept, f"scratch {_size(limits.scratch)} used up"
        if found.f_files - found.f_ffree > limits.entries:
            return kept, f"scratch used up: {limits.entries} files and folders"
    return kept, ""


def _runs(name: str, task: int) -> bool:
    try:
        with open(f"/proc/{name}/task/{task}/stat", "rb") as file:  # noqa: PTH123
            return file.read().rpartition(b")")[2].split(None, 1)[0] == b"R"
    except OSError:
        return False


def _size(size: int) -> str:
    for unit, factor in (("G", 2**30), ("M", 2**20), ("K", 2**10)):
        if size % factor == 0:
            return f"{size // factor}{unit}"
    return str(size)
