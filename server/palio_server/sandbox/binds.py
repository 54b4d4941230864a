"""What a confined program sees of the file system: the system and Python, its own folder, and nothing else.

It asks the file system what exists, and changes nothing. All of it is read-only; where a program may write is
bubblewrap's own (`bubblewrap.py`).

What lies in a program's folder and is nobody's business, first of all the database, is not there at all: the folder
is then put together entry by entry. To cover a file would not do: a cover is gone when SQLite replaces what is below.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from palio_rules.errors import BadOption

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
OF_ETC = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
FOR_NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/services")
PACKAGES = ("palio_rules", "palio_clients")  # what a bot is made with; never the server, nor the store
SECRET = (
    *("palio*.db", "palio*.db-*", ".env", ".env.*", ".pgpass", ".netrc", "*.pem", "id_rsa*", "id_ed25519*"),
    *(".git", ".ssh", ".aws", ".config", ".gnupg", ".kube", ".docker"),
)
HOMES = "/home"
TOO_WIDE = ("/", "/root", "/tmp", "/var", "/var/tmp", "/etc", "/opt", "/srv", "/mnt", "/run", HOMES, "/dev", "/proc")  # noqa: S108
ENTRIES = 300  # of a folder that is put together; each takes some tenths of a millisecond
OF_A_PREFIX = ("bin", "lib", "lib64", "libexec", "include", "pyvenv.cfg", "share/zoneinfo")  # of a program in bin/


@dataclass(frozen=True, slots=True)
class Binds:
    """Absolute paths; what lies in another one comes after it."""

    links: tuple[tuple[str, str], ...]  # (where, to what): /bin is usr/bin nearly everywhere
    readable: tuple[Path, ...]
    made: tuple[Path, ...] = ()  # folders that are put together of what is readable in them


def binds(
    files: Sequence[Path], hidden: Iterable[Path] = (), *, programs: Iterable[Path] = (), network: bool = False
) -> Binds:
    """For a bot in `files`, run by `programs`; `hidden` is kept from it, wherever it lies.

    Raises BadOption for a folder of which something must be hidden, and that is too full for it.
    """
    system = [Path(each) for each in SYSTEM]
    etc = [Path(each) for each in (*OF_ETC, *(FOR_NETWORK if network else ()))]
    links = [(str(each), str(each.readlink())) for each in system if each.is_symlink()]
    found = [each for each in (*system, *etc) if each.exists() and not each.is_symlink()]
    for link in (each for each in etc if each.is_symlink() and each.exists()):
        links.append((str(link), str(link.readlink())))
        found.append(link.resolve())
    covered, made = frozenset(hidden), []
    places = dict.fromkeys((*python_folders(), *programs, *map(folder_of, files)))
    for place in sorted(places, key=lambda path: len(path.parts)):
        if is_too_wide(place) or any(place.is_relative_to(each) for each in found):
            continue
        parts = list(_parts(place, covered))
        if parts != [place]:
            made.append(place)
        for part in parts:
            if part.is_symlink() and part != place:
                links.append((str(part), str(part.readlink())))
            else:
                found.append(part)
    return Binds(tuple(dict.fromkeys(links)), _outer_first(found), _outer_first(made))


@cache
def python_folders() -> tuple[Path, ...]:
    """Where this Python and the packages for bots lie, but for what is the system's anyway."""
    found = [Path(sys.prefix), Path(sys.base_prefix)]
    for name in PACKAGES:
        spec = find_spec(name)
        if spec is not None and spec.origin is not None:
            found.append(Path(spec.origin).parent.parent)
    return tuple(each for each in dict.fromkeys(found) if not _is_systems(each))


def program_places(program: Path) -> list[Path]:
    """What an installed program needs beside itself, if it is not the system's: pyenv's, a venv's, conda's."""
    places: list[Path] = []
    for file in dict.fromkeys((program, program.resolve())):
        if _is_systems(file):
            continue
        prefix = file.parent.parent
        if file.parent.name == "shims":  # of pyenv, asdf, mise: it looks for the program in all that they have
            places.append(prefix)
        elif file.parent.name == "bin":
            places += [prefix / each for each in OF_A_PREFIX if (prefix / each).exists()]
        else:
            places.append(file)
    return places


def folder_of(file: Path) -> Path:
    """The folder of `file`, or `file` alone where its folder holds far more than a program."""
    folder = file if file.is_dir() else file.parent
    return file if is_too_wide(folder) else folder


def is_too_wide(folder: Path) -> bool:
    """Whether a folder holds far more than a program: somebody's home, and all that is above it."""
    return folder in (*map(Path, TOO_WIDE), *_homes()) or str(folder.parent) == HOMES


def is_secret(name: str) -> bool:
    """Whether a file or folder of this name is no program's business, in whose folder ever it lies."""
    return any(fnmatch(name, pattern) for pattern in SECRET)


def _parts(place: Path, hidden: frozenset[Path]) -> Iterator[Path]:
    """`place`, if there is nothing to be kept from anybody, or else all that it holds but that."""
    within = [each for each in hidden if each.is_relative_to(place)]
    names = sorted(os.listdir(place)) if place.is_dir() and not place.is_symlink() else []  # noqa: PTH208  # not sorted
    if place in hidden:
        return
    if not within and not any(map(is_secret, names)):
        yield place
        return
    kept = [name for name in names if not is_secret(name) and place / name not in hidden]
    if len(kept) > ENTRIES:
        secret = within[0].name if within else next(filter(is_secret, names))
        remedy = "move the program into a folder of its own"
        raise BadOption(f"the folder {place} holds {secret}, which no bot may read, and {len(kept)} more; {remedy}")
    for name in kept:
        part = place / name
        if any(each.is_relative_to(part) for each in within):
            yield from _parts(part, hidden)
        else:
            yield part


def _outer_first(found: Iterable[Path]) -> tuple[Path, ...]:
    """Without those that lie in others."""
    kept: list[Path] = []
    for each in sorted(dict.fromkeys(found), key=lambda path: len(path.parts)):
        if not any(each.is_relative_to(outer) for outer in kept):
            kept.append(each)
    return tuple(kept)


def _is_systems(path: Path) -> bool:
    return any(path.is_relative_to(each) for each in SYSTEM)


def _homes() -> list[Path]:
    """The user's home, and what is above it."""
    try:
        home = Path.home()
    except RuntimeError:
        return []
    return [home, *home.parents]
