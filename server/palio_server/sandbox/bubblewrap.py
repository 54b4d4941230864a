"""The command line of bubblewrap that confines a program, which the warden starts within."""

import os
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from palio_rules.interpreter import python
from palio_server.sandbox import syscalls, warden
from palio_server.sandbox.binds import Binds
from palio_server.sandbox.limits import Limits

SCRATCH = "/scratch"  # home and working directory
RUN = "/run/palio"  # where the warden lies, as part of a package
PACKAGE = "palio_server.sandbox"
START = f"import sys; sys.path.insert(0, {RUN!r}); from {PACKAGE}.warden import main; main()"
USERS = range(61184, 65520)  # that systemd keeps for users who come and go
DEVICES = ("null", "full", "random", "urandom")
ZERO = "full"  # reads the same; but what is mapped of /dev/zero is memory that belongs to no process
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
KEPT = ("LANG", "LC_ALL", "PATH", "TZ")  # of our own environment
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
FOR_NETWORK = (*PROXIES, *(name.lower() for name in PROXIES), "SSL_CERT_FILE")
KEYS = ("_API_KEY", "_API_BASE", "_BASE_URL")  # how variables end that a bot needs which asks a language model
COVERED = ("kpagecount", "kpageflags", "kpagecgroup", "slabinfo", "vmallocinfo", "timer_list")  # of root's in /proc
LINKED = 200  # of its own folder's entries, which it finds in its working directory, too


def environment(ours: Mapping[str, str], more: Mapping[str, str], *, network: bool = False) -> dict[str, str]:
    """What a confined program is told: nothing of ours but language and path, and `more`.

    With a `network`, keys and addresses of services besides.
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
        **dict.fromkeys(ONE_THREAD, "1"),  # a numerical library takes a thread a core otherwise
        **more,
    }


def command(
    bwrap: str,
    program: Sequence[str],
    limits: Limits,
    found: Binds,
    variables: Mapping[str, str],
    *,
    folder: Path | None = None,
    socket: Path | None = None,
    report: int,
    network: bool = False,
) -> list[str]:
    """`program` confined; it begins in its scratch folder, with links to what its own `folder` holds.

    It may talk by `socket`, and nothing else. The warden writes a used-up limit to the fd `report`.
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
        *(*numbers, *syscalls.filter_words(network=network), *program),
    ]


def _places(limits: Limits) -> list[str]:
    """/proc, devices, and where it may write."""
    words = ["--proc", "/proc"]
    for name in COVERED:
        if os.geteuid() == 0 and Path("/proc", name).is_file():  # whom we let read its folder could read these
            words += ["--ro-bind", "/dev/null", f"/proc/{name}"]
    words += ["--perms", "0555", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1"]  # what the warden does is not shown
    words += ["--perms", "0755", "--tmpfs", "/dev"]  # not --dev: that has terminals, of which a machine has 4096
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
        words += ["--ro-bind", str(path), str(path)]
    for where, target in found.links:
        words += ["--symlink", target, where]
    for path in found.made:
        words += ["--remount-ro", str(path)]
    return words


def _linked(folder: Path, found: Binds) -> list[str]:
    """Entries that a program may look for in its working directory. Logs it rather writes anew."""
    if not folder.is_dir():
        return []
    hidden = {path.name for path, _ in found.hidden if path.parent == folder}
    names = (each.name for each in sorted(folder.iterdir()) if each.name not in hidden)
    kept = [name for name in names if not (name.startswith((".", "__")) or name.endswith(".log"))]
    return kept[:LINKED]
