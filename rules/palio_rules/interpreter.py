"""The command line with which Palio starts Python, so that no process imports from the caller's folder.

`python -m` and `python -c` put the working directory first on the import path. In a folder with a `msgspec.py` or a
`random.py` of another author, a process of Palio would then run that module, outside of any sandbox. Every process is
therefore started with `-P` (Python 3.11), which leaves that folder out. A test looks for other starts.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

PYTHON = sys.executable
SAFE_PATH, BY_US = "PYTHONSAFEPATH", "palio"  # any value acts as -P
OURS = frozenset(("palio", "palio_clients", "palio_db", "palio_rules", "palio_server"))


def python(*arguments: str, isolated: bool = False) -> list[str]:
    """Return the command line of this Python with `arguments`: a file, or `-m` and a module, and their arguments.

    `isolated`: ignore the environment and installed packages, because the standard library is enough.
    """
    return [PYTHON, *(("-I", "-S") if isolated else ("-P",)), *arguments]


def set_safe_path() -> None:
    """Make Python processes that libraries start, as `multiprocessing` does with `python -c`, leave that folder out."""
    os.environ.setdefault(SAFE_PATH, BY_US)


def without_safe_path(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without our setting, so that a user's own program imports from its own folder."""
    return {name: value for name, value in environment.items() if (name, value) != (SAFE_PATH, BY_US)}


def append_working_directory() -> None:
    """Let the working directory be imported from, after all installed packages, for modules that the user names."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
