"""Which program a bot is, in a line: its page shows where it has changed, and two under one name are told apart.

Of files it has the names and what is in them, as a short digest; never the folders in which they lie.
"""

import hashlib
import inspect
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from palio_rules.contract import llm_specs

MOST = 200  # characters, as `Hello.build` has
FILES = 3  # that are looked into
DIGITS = 8  # of a file's digest
LARGEST = 16 * 2**20  # bytes of a file that is looked into: an engine, not its tables


def build_of_spec(spec: str) -> str:
    """The build of the bot that SPEC names: "mine.py:depth=3 1f0c88ab, palio 1.0.0"."""
    scheme, _, rest = spec.partition(":")
    if scheme == llm_specs.SCHEME:
        spec = f"{scheme}:{llm_specs.without_address(rest)}"
    words = re.split(r"([\s:=,]+)", spec)
    files = [Path(word) for word in words if _is_path(word)]
    named = "".join(Path(word.replace("\\", "/")).name if _is_path(word) else word for word in words)
    return _line(named, *map(_digest, files[:FILES]))


def build_of_class(bot: type) -> str:
    """The build of a bot that is given as a class: its name, and what is in its file."""
    try:
        file = inspect.getsourcefile(bot)
    except TypeError:  # it was typed into an interpreter
        file = None
    return _line(bot.__qualname__, _digest(Path(file)) if file else "")


def _line(named: str, *digests: str) -> str:
    try:
        ours = f"palio {version('palio')}"
    except PackageNotFoundError:
        ours = "palio"
    what = " ".join(" ".join([named, *digests]).split())
    return f"{what[: MOST - len(ours) - 2]}, {ours}"


def _is_path(word: str) -> bool:
    return "/" in word or "\\" in word or word.endswith((".py", ".ipynb"))


def _digest(file: Path) -> str:
    try:
        if not file.is_file() or file.stat().st_size > LARGEST:
            return ""
        return hashlib.sha256(file.read_bytes()).hexdigest()[:DIGITS]
    except OSError:
        return ""
