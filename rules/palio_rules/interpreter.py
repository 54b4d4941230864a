"""How Palio starts Python: one command line for every process, so that none imports from the caller's folder.

`python -m` and `python -c` put the working directory first on the import path. In a stranger's folder with a
`msgspec.py` or a `random.py` a process of Palio's would then run the stranger's module, outside of any sandbox. Every
process is therefore started with `-P` (Python 3.11), which leaves that folder out. A test looks for other starts.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

PYTHON = sys.executable
SAFE_PATH, BY_US = "PYTHONSAFEPATH", "palio"  # any value is -P
OURS = frozenset(("palio", "palio_clients", "palio_db", "palio_rules", "palio_server"))


def python(*arguments: str, isolated: bool = False) -> list[str]:
    """Return the command line of this Python with `arguments`, a file or `-m` and a module, and what follows it.

    `isolated`: the standard library is enough, so neither the environment nor installed packages are looked at.
    """
    return [PYTHON, *(("-I", "-S") if isolated else ("-P",)), *arguments]


def keep_folder_out() -> None:
    """Let all that libraries start from now on, as `multiprocessing` does with `python -c`, leave that folder out."""
    os.environ.setdefault(SAFE_PATH, BY_US)


def without_ours(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment as the user has it: a program of theirs imports from its own folder."""
    return {name: value for name, value in environment.items() if (name, value) != (SAFE_PATH, BY_US)}


def look_here_last() -> None:
    """Let modules that the user names be imported from the working directory, behind all that is installed."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
