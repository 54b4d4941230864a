"""The file system that a confined program sees: the system and Python, its own folder, and nothing else.

This module reads the file system, and changes nothing. All of it is read-only for the program; bubblewrap adds the
places where it may write (`bubblewrap.py`).

Files that a bot must not read, first of all the database, are not mounted, rather than masked: the folder is put
together entry by entry, because SQLite replaces files, which would drop a mask. Files added to that folder later are
not mounted either.
"""

import bz2
import lzma
import os
import re
import stat
import sys
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from palio_rules.errors import BadOption

# Files that a bot must not read although they lie in its own folder: a table of kinds, and a bounded search by content.
#
# docs/explanation/security.md shows the table, and `palio doctor` names it. Databases and keys are recognised by their
# first bytes, under any name; other secrets by their names, at every depth and in capitals. Links are never followed.

MOST, SECONDS = 50_000, 20.0  # files and folders of a bot that are examined, and for how long
HEAD, LONG = 8192, 4 << 20  # bytes of a file that show its kind; of one that may hold keys further down
SMALL = 64 << 10  # bytes; a file of passwords is not longer
REMEMBERED = 100_000  # files that were examined: eighty bots may share a folder
TOLD = 3  # hidden files named to a bot that failed


class SecretKind(NamedTuple):
    what: str
    names: str = ""  # of files
    folders: str = ""
    contents: str = ""  # for people, the content that marks it, under any name


DATABASE = SecretKind(
    "databases, their journals and dumps",
    "*-wal *-shm *-journal *.db.* *.sqlite.* *.sqlite3.* *.sql.* *.dump.* *.mdb *.accdb *.ibd *.myd *.frm",
    "",
    "SQLite, PostgreSQL and MySQL dumps, DuckDB, LMDB, Berkeley DB, GDBM, Access, Redis, also within gzip, bzip2 and"
    " xz; folders with `PG_VERSION` or `ibdata1`; empty files called `*.db`, `*.sqlite` or `*.sqlite3`",
)
KEY = SecretKind(
    "private keys",
    "*.key *.pem *.p8 *.p12 *.pfx *.jks *.keystore *.kdb *.kdbx *.ppk *.gpg *.pgp *.agekey *.ovpn id_*",
    "",
    "PEM, OpenSSH, PGP, PuTTY, age, DER, PKCS 12, Java and KeePass stores;"
    " a `.pem` that holds certificates alone is shown",
)
PASSWORD = SecretKind(
    "passwords and tokens",
    "*.env *.token token token.txt *.secret secret.txt secrets.txt secrets.json secrets.y*ml secrets.toml"
    " credentials credentials.* *.htpasswd htpasswd passwd passwords passwords.txt shadow client_secret*.json"
    " service-account*.json service_account*.json kubeconfig *.kubeconfig *.tfstate *.tfvars",
    "",
    "tokens of Palio; files in the form of `.netrc`, `.npmrc`, `.pypirc`, `.pgpass`, `.git-credentials`, AWS's,"
    " Docker's, Kubernetes' and cloud accounts' JSON",
)
REPOSITORY = SecretKind("repositories", "", "*.git *.hg *.svn")
DOTTED = SecretKind(
    "names that begin with a dot",
    ".*",
    ".*",
    "but .venv* .python-version .tool-versions .node-version .nvmrc .gitignore .gitkeep .keep .lock .libs .dylibs .bin"
    " .pnpm .yarn .pnp.* .build .package-lock.json; in `site-packages` and `node_modules` only .env* .git* .ssh"
    " .gnupg .aws .azure .config .docker .kube .netrc .npmrc .pypirc .pgpass .my.cnf .htpasswd .hg .svn",
)
SPECIAL = SecretKind("sockets, pipes and devices")
UNREADABLE = SecretKind("what Palio itself cannot read")
KINDS = (DATABASE, KEY, PASSWORD, REPOSITORY, DOTTED, SPECIAL, UNREADABLE)

_AMONG_PACKAGES = "site-packages", "node_modules"
# a line
_SOURCES = tuple(".py .pyi .pyc .pyx .js .mjs .cjs .ts .java .class .go .rs .c .h .cc .cpp .hpp .so .md .html".split())  # noqa: SIM905
_MARKS = frozenset(("pg_version", "ibdata1"))  # of a folder that is a database
_EMPTY = (".db", ".sqlite", ".sqlite3")
_OPENERS = (
    (b"\x1f\x8b", lambda: zlib.decompressobj(31)),
    (b"BZh", bz2.BZ2Decompressor),
    (b"\xfd7zXZ", lzma.LZMADecompressor),
)

_DATABASE = re.compile(
    rb"SQLite format 3\0|7\x7f\x06[\x82\x83]|\xd9\xd5\x05\xf9\x20\xa1\x63\xd7|PGDMP|REDIS\d|.{8}DUCK"
    rb"|.{4}Standard (?:Jet|ACE) DB|.{16}\xde\xc0\xef\xbe|.{12}(?:[\x61\x62]\x31\x05\0|\0\x05\x31[\x61\x62])"
    rb"|[\xcd\xce\xcf]\x9aW\x13|\x13W\x9a[\xcd\xce\xcf]|\s*(?:--\s*)*-- (?:PostgreSQL database|MySQL|MariaDB) "
    rb"|(?:\xef\xbb\xbf)?PRAGMA foreign_keys=OFF;\s*BEGIN TRANSACTION;",
    re.DOTALL,
)
_KEY_HEAD = re.compile(
    rb"PuTTY-User-Key-File-|\xfe\xed\xfe\xed|\xce\xce\xce\xce|\x03\xd9\xa2\x9a|.{8}KBXf|0\x82..\x02\x01\x03"
    rb"|0\x82..\x02\x01\0(?:\x02\x82|0\r\x06\t\*\x86H\x86\xf7\r\x01\x01\x01)",
    re.DOTALL,
)
_BEGIN = b"-----BEGIN "
_KEY = re.compile(
    rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[ \t]*(?:[\r\n]|\Z)|(?:\\r)?\\n[A-Za-z0-9+/])"
    rb"|^AGE-SECRET-KEY-1",
    re.MULTILINE,
)
_PASSWORD = re.compile(
    rb"palio_(?=[\w-]{0,31}[A-Z])[\w-]{32}(?![\w-])"
    rb"|^\s*machine\s+\S+\s+login\s+\S+\s+password\s+\S"
    rb"|^//\S+:_(?:authToken|password|auth)\s*=|^\s*aws_secret_access_key\s*=\s*[A-Za-z0-9/+]{16}|^\s*password\s*=\s*pypi-"
    rb"|\A(?:https?://[^\s:/@]+:[^\s@/]+@\S+\s*)+\Z|\A(?:#.*\n)*[\w.*-]+:(?:\d+|\*):[^:\n]+:[^:\n]+:\S+\s*$"
    rb'|"type"\s*:\s*"(?:service_account|authorized_user|external_account)"|"auths"\s*:\s*\{'
    rb'|"(?:client_secret|refresh_token|secretAccessKey)"\s*:\s*"[^"]{8}|^\s*(?:-\s*)?(?:client-key-data|token):\s*[\w.-]{20}',
    re.MULTILINE,
)

_MISSING = re.compile(
    r"FileNotFound|NoSuchFile|No such file|ENOENT|PermissionError|Permission denied|EACCES"
    r"|unable to open database file",
    re.IGNORECASE,
)


def _any(patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(translate(each) for each in patterns.split()) or r"(?!)")


_NAMES = tuple((kind, _any(kind.names)) for kind in (DATABASE, KEY, PASSWORD))
_ANY_NAME = _any(" ".join(kind.names for kind, _ in _NAMES))
_FOLDERS = _any(REPOSITORY.folders)
_DOTS_SHOWN = _any(DOTTED.contents.partition(";")[0].removeprefix("but "))
_DOTS_NEVER = _any(DOTTED.contents.partition("only ")[2])


@dataclass
class HiddenFileSearch:
    """One search for all the folders of a bot. `kinds` says why a path is hidden; `named` files are
    named in its SPEC.
    """

    named: frozenset[Path] = frozenset()
    inodes: frozenset[tuple[int, int]] = frozenset()  # of files that are hidden already, under any other names
    apart: frozenset[Path] = frozenset()  # folders that are not searched
    kinds: dict[Path, SecretKind] = field(default_factory=dict)

    def look(self, place: Path) -> None:
        """Find the hidden files in the folder `place`. Raises BadOption if it has too many files to examine."""
        count, until = 0, time.monotonic() + SECONDS
        waiting = [str(place)]
        while waiting:
            folder = waiting.pop()
            for entry in self._entries(folder):
                count += 1
                if count > MOST or time.monotonic() > until:
                    much = f"more than {MOST} files" if count > MOST else f"more than is read in {SECONDS:g} s"
                    raise BadOption(
                        f"the folder {place} holds {much}, too many to find what no bot may read;"
                        " move the program into a folder of its own"
                    )
                if (kind := self._kind(entry)) is not None:
                    self.kinds[Path(folder if entry.name.casefold() in _MARKS else entry.path)] = kind
                elif entry.is_dir(follow_symlinks=False) and Path(entry.path) not in self.apart:
                    waiting.append(entry.path)

    def _entries(self, folder: str) -> Iterator["os.DirEntry[str]"]:
        try:
            with os.scandir(folder) as entries:
                yield from entries
        except OSError:
            self.kinds[Path(folder)] = UNREADABLE

    def _kind(self, entry: "os.DirEntry[str]") -> SecretKind | None:
        try:
            about = entry.stat(follow_symlinks=False)
        except OSError:  # removed since the folder was listed, as SQLite does; what comes in its place is not examined
            return UNREADABLE
        if Path(entry.path) in self.named:
            return None
        if (about.st_dev, about.st_ino) in self.inodes or entry.name.casefold() in _MARKS:
            return DATABASE
        folder = stat.S_ISDIR(about.st_mode)
        kind = kind_of_name(entry.path, folder=folder)
        if kind is not None and not (kind is KEY and _is_pem(entry.name)):
            return kind
        if folder or stat.S_ISLNK(about.st_mode):
            return kind
        if not stat.S_ISREG(about.st_mode):
            return SPECIAL
        times = (about.st_mtime_ns, about.st_ctime_ns)
        return kind_of_content(entry.path, (about.st_dev, about.st_ino), about.st_size, times)


def kind_of_name(path: str, *, folder: bool = False) -> SecretKind | None:
    """Return the kind of a file or folder of this name, if no bot may read it."""
    name = os.path.basename(path).casefold()  # noqa: PTH119  # fifty thousand of them
    if name.startswith("."):
        packaged = any(each in path.split(os.sep) for each in _AMONG_PACKAGES)  # noqa: PTH206
        hidden = _DOTS_NEVER.match(name) if packaged else not _DOTS_SHOWN.match(name)
        return DOTTED if hidden else None
    if folder:
        return REPOSITORY if _FOLDERS.match(name) else None
    if not _ANY_NAME.match(name) or name.endswith(_SOURCES):
        return None
    return next(kind for kind, names in _NAMES if names.match(name))


@lru_cache(maxsize=REMEMBERED)
def kind_of_content(path: str, inode: tuple[int, int], size: int, times: tuple[int, int]) -> SecretKind | None:  # noqa: ARG001
    """Return the kind of a file by its content, if no bot may read it; computed again when the file has changed."""
    name = path.casefold()
    if not size:
        return DATABASE if name.endswith(_EMPTY) else kind_of_name(path)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123
            head = file.read(HEAD) or b""
            if _BEGIN in head or _is_pem(path):
                head += file.read(LONG) or b""
    except OSError:
        return UNREADABLE
    if _DATABASE.match(head) or _DATABASE.match(_opened(head)):
        return DATABASE
    if _KEY_HEAD.match(head) or _KEY.search(head) or (_is_pem(path) and _BEGIN + b"CERTIFICATE" not in head):
        return KEY
    if size <= SMALL and not name.endswith(_SOURCES) and _PASSWORD.search(head):
        return PASSWORD
    return None


def _is_pem(name: str) -> bool:
    return name.casefold().endswith(".pem")


def _opened(head: bytes) -> bytes:
    """Return the first bytes of a compressed file's content."""
    for mark, opener in _OPENERS:
        if head.startswith(mark):
            try:
                return opener().decompress(head, HEAD)
            except (OSError, EOFError, zlib.error, lzma.LZMAError):
                return b""
    return b""


def missed(text: str, hidden: Mapping[Path, SecretKind]) -> list[Path]:
    """Return the `hidden` files that a bot seems to have missed, by the `text` that it wrote on stderr.

    They are those that `text` names; or, if it says that some file is missing, all databases, keys and passwords. Only
    files that a SPEC can name are returned.
    """
    files = {path: kind for path, kind in hidden.items() if kind not in (SPECIAL, UNREADABLE) and path.is_file()}
    failed = _MISSING.search(text) is not None
    # A name without a dot, such as "token", is a word of many sentences.
    named = [path for path in files if (failed or "." in path.name[1:]) and _names(text, path.name)]
    return named or [path for path, kind in files.items() if failed and kind in (DATABASE, KEY, PASSWORD)]


def _names(text: str, name: str) -> bool:
    return name in text and re.search(rf"(?<![\w.-]){re.escape(name)}(?!\.?[\w-])", text) is not None


SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
OF_ETC = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
FOR_NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/services")
PACKAGES = ("palio", "palio_rules", "palio_clients")  # packages a bot is made with; never the server, nor the store
HOMES = "/home"
TOO_WIDE = ("/", "/root", "/tmp", "/var", "/var/tmp", "/etc", "/opt", "/srv", "/mnt", "/run", HOMES, "/dev", "/proc")  # noqa: S108
ENTRIES = 300  # of a folder that is put together; each takes some tenths of a millisecond
PARTS = 600  # of all such folders of a bot: bubblewrap takes four times as long for twice as many
OF_A_PREFIX = ("bin", "lib", "lib64", "libexec", "include", "pyvenv.cfg", "share/zoneinfo")  # of a program in bin/


@dataclass(frozen=True, slots=True)
class Binds:
    """The places to mount, as absolute paths; a path inside another one comes after it."""

    links: tuple[tuple[str, str], ...]  # (where, to what): /bin is usr/bin nearly everywhere
    readable: tuple[Path, ...]
    made: tuple[Path, ...] = ()  # folders that are put together of their readable entries
    # hidden files found in its folders, and left out
    hidden: tuple[tuple[Path, SecretKind], ...] = field(default=(), compare=False)


def binds(
    files: Sequence[Path], hidden: Iterable[Path] = (), *, programs: Iterable[Path] = (), network: bool = False
) -> Binds:
    """Return the binds for a bot in `files`, run by `programs`; `hidden` is kept from it, in any folder.

    Raises BadOption if a folder contains hidden files and too many entries to put it together.
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
    """Return the folder of `file`, or `file` alone if its folder is a user's `.ssh`, or holds far more
    than a program.
    """
    folder = folder_of(file)
    return file if kind_of_name(str(folder), folder=True) is not None and not file.is_dir() else folder


def _search(
    files: Sequence[Path], hidden: frozenset[Path], own: Iterable[Path], programs: Iterable[Path]
) -> HiddenFileSearch:
    """Search a bot's own folders, and those that its program has beside them; not installed ones.

    Files named in its SPEC are shown.
    """
    named = frozenset(each for file in files if not file.is_dir() for each in (file, file.resolve()))
    inodes = frozenset(inode for each in hidden if (inode := _inode(each)) is not None)
    apart = frozenset(python_folders())
    search = HiddenFileSearch(named, inodes, apart)
    around = {each.parent for each in own if each.is_dir()}
    for place in dict.fromkeys((*own, *(each for each in programs if each.parent in around))):
        if place.is_dir() and not is_too_wide(place) and not any(place.is_relative_to(each) for each in apart):
            search.look(place)
    return search


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        about = path.stat()
    except OSError:  # not there yet, or removed
        return None
    return about.st_dev, about.st_ino


@cache
def python_folders() -> tuple[Path, ...]:
    """Return the folders of this Python and the packages for bots, without those of the system."""
    found = [Path(sys.prefix), Path(sys.base_prefix)]
    for name in PACKAGES:
        spec = find_spec(name)
        if spec is not None and spec.origin is not None:
            found.append(Path(spec.origin).parent.parent)
    return tuple(each for each in dict.fromkeys(found) if not _is_systems(each))


def program_places(program: Path) -> list[Path]:
    """Return the places that an installed program needs beside itself, if it is not the system's: pyenv's, a venv's,
    conda's.
    """
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
    """Return the folder of `file`, or `file` alone if its folder holds far more than a program."""
    folder = file if file.is_dir() else file.parent
    return file if is_too_wide(folder) else folder


def is_too_wide(folder: Path) -> bool:
    """Return True if a folder holds far more than a program: a user's home, and every folder above it."""
    return folder in (*map(Path, TOO_WIDE), *_homes()) or str(folder.parent) == HOMES


def _parts(place: Path, hidden: frozenset[Path], *, apart: bool = False) -> Iterator[Path]:
    """Yield `place` if nothing in it is hidden, or else all its entries that are not.

    `apart`: yield the entries in both cases, unless there are too many.
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
    """Return the paths without those that lie in others."""
    kept: list[Path] = []
    for each in sorted(dict.fromkeys(found), key=lambda path: len(path.parts)):
        if not any(each.is_relative_to(outer) for outer in kept):
            kept.append(each)
    return tuple(kept)


def _is_systems(path: Path) -> bool:
    return any(path.is_relative_to(each) for each in SYSTEM)


def _homes() -> list[Path]:
    """Return the user's home, and the folders above it."""
    try:
        home = Path.home()
    except RuntimeError:
        return []
    return [home, *home.parents]
