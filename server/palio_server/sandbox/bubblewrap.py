"""The command line of bubblewrap that confines a program, which the warden starts within."""

import os
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from palio_server.sandbox import other_user, warden
from palio_server.sandbox.binds import Binds
from palio_server.sandbox.limits import Limits

SCRATCH = "/scratch"  # home and working directory
RUN = "/run/palio"
WARDEN = f"{RUN}/warden.py"
USERS = range(61184, 65520)  # that systemd keeps for users who come and go
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
KEPT = ("LANG", "LC_ALL", "PATH", "TZ")  # of our own environment


def environment(ours: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
    """What a confined program is told: nothing of ours but language and path, and `more`."""
    return {
        **{name: ours[name] for name in KEPT if name in ours},
        "HOME": SCRATCH,
        "TMPDIR": "/tmp",  # noqa: S108  # its own
        "USER": "bot",
        "LOGNAME": "bot",
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
    sockets: Sequence[Path] = (),
    report: int,
    network: bool = False,
) -> list[str]:
    """`program` confined. `sockets` are what it may talk by; the warden writes a used-up limit to the fd `report`."""
    user = random.SystemRandom().choice(USERS) if os.geteuid() == 0 else 0
    words = [
        *(bwrap, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
        *(() if network else ("--unshare-net",)),
        *(() if user else ("--unshare-user", "--disable-userns", "--uid", str(USERS[0]), "--gid", str(USERS[0]))),
        *("--hostname", "palio", "--new-session", "--die-with-parent", "--as-pid-1", "--clearenv"),
    ]
    for name, value in variables.items():
        words += ["--setenv", name, value]
    words += ["--proc", "/proc", "--dev", "/dev"]
    for place in ("/dev/shm", "/tmp", SCRATCH):  # noqa: S108  # its own ones
        words += ["--perms", "1777", "--size", str(limits.scratch), "--tmpfs", place]
    for where, target in found.links:
        words += ["--symlink", target, where]
    for path in found.readable:
        words += ["--ro-bind", str(path), str(path)]
    for path in found.hidden_files:
        words += ["--ro-bind", "/dev/null", str(path)]
    for path in found.hidden_folders:
        words += ["--perms", "0000", "--tmpfs", str(path), "--remount-ro", str(path)]
    for path in sockets:
        words += ["--bind", str(path), str(path)]
    words += ["--ro-bind", warden.__file__, WARDEN, "--ro-bind", other_user.__file__, f"{RUN}/other_user.py"]
    words += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", SCRATCH, "--"]
    numbers = (report, user, limits.memory, limits.processes, limits.files, limits.scratch, limits.entries)
    return [*words, sys.executable, "-I", "-S", WARDEN, *map(str, numbers), *program]
