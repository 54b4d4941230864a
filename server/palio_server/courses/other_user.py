"""A user without rights, for students' files that run without a sandbox on a machine whose grader is root.

So it is on Gradescope: the staff's files and the results belong to root, and a submission can neither read hidden
tests nor write its own grade.
"""

import os
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from palio_rules.interpreter import python
from palio_server.sandbox.bubblewrap import USERS
from palio_server.sandbox.confinement import Confinement

TRIAL_S = 60.0
BECOME = "import os, sys; user = int(sys.argv[1]); os.setgroups([]); os.setgid(user); os.setuid(user)"
START = f"{BECOME}; os.execv(sys.argv[2], sys.argv[2:])"


def other_user(confinement: Confinement, folder: Path) -> int | None:
    """Return the user's number; None with a sandbox, if we are not root, or if that user cannot work in `folder`."""
    if confinement.mode != "off" or os.geteuid() != 0:
        return None
    return USERS[0] if _can_work(folder) else None


@cache
def _can_work(folder: Path) -> bool:
    """Return True if the user can read `folder`, and import Palio."""
    try:
        done = subprocess.run(  # noqa: S603
            python("-c", "import palio_clients.grading, palio_server.cli"),
            check=False,
            capture_output=True,
            cwd=folder,
            user=USERS[0],
            group=USERS[0],
            extra_groups=(),
            timeout=TRIAL_S,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def as_user(user: int | None, program: Sequence[str]) -> list[str]:
    """Return the command line that runs `program` as this user."""
    return list(program) if user is None else python("-c", START, str(user), *program, isolated=True)


def give(folder: Path, user: int | None) -> None:
    """Let `folder` and all in it belong to `user`."""
    if user is not None:
        for each in (folder, *folder.rglob("*")):
            os.chown(each, user, user, follow_symlinks=False)
