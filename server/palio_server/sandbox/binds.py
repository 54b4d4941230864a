"""What a confined program sees of the file system: the system and Python, its own folder, and nothing else.

It asks the file system what exists, and changes nothing. All of it is read-only; where a program may write is
bubblewrap's own (`bubblewrap.py`).

What lies in a program's folder and is nobody's business, first of all the database, is not there at all: the folder
is put together entry by entry. To cover a file would not do: a cover is gone when SQLite replaces what is below. What
comes to lie in that folder later is not there either.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from palio_rules.errors import BadOption
from palio_server.sandbox.hidden import Kind, Search, kind_of_name

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
OF_ETC = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
FOR_NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/services")
PACKAGES = ("palio_rules", "palio_clients")  # what a bot is made with; never the server, nor the store
HOMES = "/home"
TOO_WIDE = ("/", "/root", "/tmp", "/var", "/var/tmp", "/etc", "/opt", "/srv", "/mnt", "/run", HOMES, "/dev", "/proc")  # noqa: S108
ENTRIES = 300  # of a folder that is put together; each takes some tenths of a millisecond
PARTS = 600  # of all such folders of a bot: bubblewrap takes four times as long for twice as many
OF_A_PREFIX = ("bin", "lib", "lib64", "libexec", "include", "pyvenv.cfg", "share/zoneinfo")  # of a program in bin/


@dataclass(frozen=True, slots=True)
class Binds:
    """Absolute paths; what lies in another one comes after it."""

    links: tuple[tuple[str, str], ...]  # (where, to what): /bin is usr/bin nearly everywhere
    readable: tuple[Path, ...]
    made: tuple[Path, ...] = ()  # folders that are put together of what is readable in them
    hidden: tuple[tuple[Path, Kind], ...] = field(default=(), compare=False)  # was found in its folders, and left out


def binds(
    files: Sequence[Path], hidden: Iterable[Path] = (), *, programs: Iterable[Path] = (), network: bool = False
) -> Binds:
    """For a bot in `files`, run by `programs`; `hidden` is kept from it, wherever it lies.

    Raises BadOption for a folder of which something must be hidden, and that is too full for it.
    """
    system = [Path(each) for each in SYSTEM]
    etc = [Path(each) for each in (*OF_ETC, *(FOR_NETWORK if network else ()))]
    links = [(str(each), str(each.readlink())) for each in system if each.is_symlink()]
    found = [each for each in etc if each.exists() and not each.is_symlink()]
    for link in (each for each in etc if each.is_symlink() and each.exists()):
        links.append((str(link), str(link.readlink())))
        found.append(link.resolve())
    own, made = dict.fromkeys(map(_own_place, files)), []
    links += [(str(each), str(each.resolve())) for each in (*own, *programs) if each.is_symlink()]
    own = dict.fromkeys(each.resolve() for each in own)
    beside = dict.fromkeys(each.resolve() for each in programs)
    search = _search(files, frozenset(hidden), own, beside)
    covered = frozenset(hidden) | search.kinds.keys()
    places = dict.fromkeys((*(each for each in system if not each.is_symlink()), *python_folders(), *beside, *own))
    for place in sorted(places, key=lambda path: len(path.parts)):
        if not place.exists() or is_too_wide(place) or any(place.is_relative_to(each) for each in found):
            continue
        parts = list(_parts(place, covered, apart=place in own))
        if parts != [place]:
            made.append(place)
        for part in parts:
            if part.is_symlink() and part != place:
                links.append((str(part), str(part.readlink())))
            else:
                found.append(part)
    if len(found) > PARTS:
        remedy = "move the program into a folder of its own"
        raise BadOption(f"what no bot may read lies in too many folders around {next(iter(own), '')}; {remedy}")
    there = dict(link for link in reversed(links) if not any(Path(link[0]).is_relative_to(each) for each in found))
    return Binds(tuple(there.items()), _outer_first(found), _outer_first(made), tuple(search.kinds.items()))


def _own_place(file: Path) -> Path:
    """The folder of `file`, or `file` alone where its folder is somebody's `.ssh`, or holds far more than a program."""
    folder = folder_of(file)
    return file if kind_of_name(str(folder), folder=True) is not None and not file.is_dir() else folder


def _search(files: Sequence[Path], hidden: frozenset[Path], own: Iterable[Path], programs: Iterable[Path]) -> Search:
    """Look into a bot's own folders, and into what its program has beside them; not into what is installed.

    Files that its SPEC names are asked for, and shown.
    """
    there = [each.stat() for each in hidden if each.exists()]
    named = frozenset(each for file in files if not file.is_dir() for each in (file, file.resolve()))
    inodes, apart = frozenset((about.st_dev, about.st_ino) for about in there), frozenset(python_folders())
    search = Search(named, inodes, apart)
    around = {each.parent for each in own if each.is_dir()}
    for place in dict.fromkeys((*own, *(each for each in programs if each.parent in around))):
        if place.is_dir() and not is_too_wide(place) and not any(place.is_relative_to(each) for each in apart):
            search.look(place)
    return search


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


def _parts(place: Path, hidden: frozenset[Path], *, apart: bool = False) -> Iterator[Path]:
    """`place`, if there is nothing to be kept from anybody, or else all that it holds but that.

    `apart`: that, too, if there is nothing, unless there is too much.
    """
    within = [each for each in hidden if each.is_relative_to(place)]
    names = sorted(os.listdir(place)) if place.is_dir() and not place.is_symlink() else []  # noqa: PTH208  # not sorted
    if place in hidden:
        return
    kept = [name for name in names if place / name not in hidden]
    if not within and not (apart and names and len(kept) <= ENTRIES):
        yield place
        return
    if len(kept) > ENTRIES:
        secret = within[0].name
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
