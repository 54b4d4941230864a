"""What a confined program sees of the file system: the system and Python, its own folder, and nothing else.

Pure but for asking what exists. Everything is read-only; where it may write is bubblewrap's own (`bubblewrap.py`).
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
OF_ETC = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
FOR_NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/services")
PACKAGES = ("palio_rules", "palio_clients")  # what a bot is made with; never the server, nor the store
SECRET_FILES = (
    "*.db",
    "*.db-wal",
    "*.db-shm",
    "*.db-journal",
    "*.sqlite*",
    ".env",
    ".pgpass",
    ".netrc",
    "*.pem",
    "*.key",
)
SECRET_FOLDERS = (".git", ".ssh", ".aws", ".config", ".gnupg")


@dataclass(frozen=True, slots=True)
class Binds:
    """Paths, in the order in which they are to be put there."""

    links: tuple[tuple[str, str], ...]  # (where, to what): /bin is usr/bin nearly everywhere
    readable: tuple[Path, ...]
    hidden_files: tuple[Path, ...]
    hidden_folders: tuple[Path, ...]


def binds(files: Sequence[Path], hidden: Iterable[Path] = (), *, network: bool = False) -> Binds:
    """For a program in `files`; `hidden` is kept from it, wherever it lies."""
    system = [Path(each) for each in SYSTEM]
    links = tuple((str(each), str(each.readlink())) for each in system if each.is_symlink())
    etc = [*OF_ETC, *(FOR_NETWORK if network else ())]
    found = [each for each in (*system, *map(Path, etc)) if each.exists() and not each.is_symlink()]
    found += [Path(each).resolve() for each in etc if Path(each).is_symlink() and Path(each).exists()]
    found += python_folders()
    own = [folder_of(file) for file in files]
    for place in own:
        if not any(place.is_relative_to(each) for each in found):
            found.append(place)
    secret = [each for place in own if place.is_dir() for each in secrets_in(place)]
    secret += [each.absolute() for each in hidden if each.exists()]
    within = [each for each in dict.fromkeys(secret) if any(each.is_relative_to(place) for place in own)]
    return Binds(
        links,
        tuple(dict.fromkeys(found)),
        tuple(each for each in within if not each.is_dir()),
        tuple(each for each in within if each.is_dir()),
    )


def python_folders() -> list[Path]:
    """Where this Python and the packages for bots lie, but for what is the system's anyway."""
    found = [Path(sys.prefix), Path(sys.base_prefix)]
    for name in PACKAGES:
        spec = find_spec(name)
        if spec is not None and spec.origin is not None:
            found.append(Path(spec.origin).parent.parent)
    usual = [Path(each) for each in SYSTEM]
    return [each for each in dict.fromkeys(found) if not any(each.is_relative_to(place) for place in usual)]


def folder_of(file: Path) -> Path:
    """The folder of `file`, or `file` alone where its folder holds far more than a program."""
    folder = file if file.is_dir() else file.parent
    return file if folder in (Path("/"), Path("/tmp"), Path("/var"), Path("/etc"), *_homes()) else folder  # noqa: S108


def secrets_in(folder: Path) -> list[Path]:
    """What lies in the folder itself and is no program's business."""
    found = [each for pattern in SECRET_FILES for each in folder.glob(pattern)]
    return [*found, *(folder / name for name in SECRET_FOLDERS if (folder / name).exists())]


def _homes() -> list[Path]:
    """The user's home, and what is above it."""
    try:
        home = Path.home()
    except RuntimeError:
        return []
    return [home, *home.parents]
