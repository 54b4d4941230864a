"""Whether a worker has what we have: Python, Palio's code, and the packages that the bots import."""

import ast
import hashlib
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path

from palio_rules import registry
from palio_server.cluster.parcels import File

PACKAGES = ("palio_rules", "palio_clients", "palio_server", "palio_db")
OURS = "palio"
ALWAYS = (OURS, "msgspec", "websockets")  # what every game is played with
SEARCHES = ("numpy", "numba")  # what the bots that ship think with, where they are installed


@cache
def code_digest() -> str:
    """Of all of Palio's Python code here: two checkouts may have one version and different rules."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        spec = find_spec(package)
        if spec is None or spec.origin is None:
            continue
        root = Path(spec.origin).parent
        for path in sorted(root.rglob("*.py")):
            digest.update(f"{package}/{path.relative_to(root).as_posix()}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def needed(parcels: Iterable[Iterable[File]], game: str) -> dict[str, str]:
    """The distributions that a game and its bots need, as far as they are installed here, each with its version."""
    names = {*ALWAYS, *SEARCHES, *registry.distributions(game)}
    known = packages_distributions()
    for files in parcels:
        for module in _imported(files):
            names.update(known.get(module, ()))
    return {name: found for name in sorted(names) if (found := _version(name)) is not None}


def mismatch(worker: str, ours: Mapping[str, str], theirs: Mapping[str, str | None], python: str) -> str:
    """In one sentence what differs first; "" if nothing does. `python` is the worker's, as in `3.12.1`."""
    here = ".".join(map(str, sys.version_info[:3]))
    if python.split(".")[:2] != here.split(".")[:2]:
        wanted = ".".join(here.split(".")[:2])
        return f"{worker} runs Python {python}, we run {here}; start its workers with Python {wanted}"
    for name, wanted in ours.items():
        found = theirs.get(name)
        if found != wanted:
            has = "is missing" if found is None else f"is {found}"
            return f"at {worker} the package {name} {has}, here it is {wanted}; install {name}=={wanted} there"
    return ""


def other_code(worker: str) -> str:
    """What is said where versions agree and code does not."""
    return (
        f"at {worker} the package {OURS} is {_version(OURS)} as here, but its code is another; install the same "
        "checkout there"
    )


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _imported(files: Iterable[File]) -> set[str]:
    """The first words of all that these files import, without what is among them or Python's own."""
    own: set[str] = set()
    found: set[str] = set()
    for file in files:
        name = file.path.rsplit("/", 1)[-1]
        if not name.endswith(".py"):
            continue
        own.update(part.removesuffix(".py") for part in file.path.split("/"))
        try:
            tree = ast.parse(file.data)
        except (SyntaxError, ValueError):  # its author hears of it when it is started
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return found - own - set(sys.stdlib_module_names)
