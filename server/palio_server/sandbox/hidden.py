"""What a bot must not read though it lies in its own folder: one table, and a bounded search for what is in it.

docs/security.md shows the table, and `palio doctor` names it. Databases and keys are known by how they begin, whatever
they are called; other secrets by their names, at every depth and in capitals, too. Links are never followed.
"""

import bz2
import lzma
import os
import re
import stat
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import translate
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from palio_rules.errors import BadOption

MOST, SECONDS = 50_000, 20.0  # files and folders of a bot that are looked at, and how long
HEAD, LONG = 8192, 4 << 20  # bytes of a file that say what it is; of one that may hold keys further down
SMALL = 64 << 10  # a file of passwords is no longer
REMEMBERED = 100_000  # files that were looked at: eighty bots may share a folder
TOLD = 3  # hidden files that a bot which failed is told of


class Kind(NamedTuple):
    what: str
    names: str = ""  # of files
    folders: str = ""
    contents: str = ""  # what tells it whatever its name is, for people


DATABASE = Kind(
    "databases, their journals and dumps",
    "*-wal *-shm *-journal *.db.* *.sqlite.* *.sqlite3.* *.sql.* *.dump.* *.mdb *.accdb *.ibd *.myd *.frm",
    "",
    "SQLite, PostgreSQL and MySQL dumps, DuckDB, LMDB, Berkeley DB, GDBM, Access, Redis, also within gzip, bzip2 and"
    " xz; folders with `PG_VERSION` or `ibdata1`; empty files called `*.db`, `*.sqlite` or `*.sqlite3`",
)
KEY = Kind(
    "private keys",
    "*.key *.pem *.p8 *.p12 *.pfx *.jks *.keystore *.kdb *.kdbx *.ppk *.gpg *.pgp *.agekey *.ovpn id_*",
    "",
    "PEM, OpenSSH, PGP, PuTTY, age, DER, PKCS 12, Java and KeePass stores;"
    " a `.pem` that holds certificates alone is shown",
)
PASSWORD = Kind(
    "passwords and tokens",
    "*.env *.token token token.txt *.secret secret.txt secrets.txt secrets.json secrets.y*ml secrets.toml"
    " credentials credentials.* *.htpasswd htpasswd passwd passwords passwords.txt shadow client_secret*.json"
    " service-account*.json service_account*.json kubeconfig *.kubeconfig *.tfstate *.tfvars",
    "",
    "tokens of Palio; files in the form of `.netrc`, `.npmrc`, `.pypirc`, `.pgpass`, `.git-credentials`, AWS's,"
    " Docker's, Kubernetes' and cloud accounts' JSON",
)
REPOSITORY = Kind("repositories", "", "*.git *.hg *.svn")
DOTTED = Kind(
    "names that begin with a dot",
    ".*",
    ".*",
    "but .venv* .python-version .tool-versions .node-version .nvmrc .gitignore .gitkeep .keep .lock .libs .dylibs .bin"
    " .pnpm .yarn .pnp.* .build .package-lock.json; in `site-packages` and `node_modules` only .env* .git* .ssh"
    " .gnupg .aws .azure .config .docker .kube .netrc .npmrc .pypirc .pgpass .my.cnf .htpasswd .hg .svn",
)
SPECIAL = Kind("sockets, pipes and devices")
UNREADABLE = Kind("what Palio itself cannot read")
KINDS = (DATABASE, KEY, PASSWORD, REPOSITORY, DOTTED, SPECIAL, UNREADABLE)

_AMONG_PACKAGES = "site-packages", "node_modules"
_SOURCES = tuple(".py .pyi .pyc .pyx .js .mjs .cjs .ts .java .class .go .rs .c .h .cc .cpp .hpp .so .md .html".split())  # noqa: SIM905  # a line
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
class Search:
    """One search for all the folders of a bot. `kinds` says why a path is hidden; `named` files were asked for."""

    named: frozenset[Path] = frozenset()
    inodes: frozenset[tuple[int, int]] = frozenset()  # of the files that are hidden anyway, under whatever other names
    apart: frozenset[Path] = frozenset()  # folders that are not looked into
    kinds: dict[Path, Kind] = field(default_factory=dict)

    def look(self, place: Path) -> None:
        """Find what is hidden in the folder `place`. Raises BadOption if it is too much to be looked at."""
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

    def _kind(self, entry: "os.DirEntry[str]") -> Kind | None:
        about = entry.stat(follow_symlinks=False)
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


def kind_of_name(path: str, *, folder: bool = False) -> Kind | None:
    """What a file or folder of this name is, if no bot may read it."""
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
def kind_of_content(path: str, inode: tuple[int, int], size: int, times: tuple[int, int]) -> Kind | None:  # noqa: ARG001
    """What a file is by what is in it, if no bot may read it; asked again when the file has changed."""
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
    """The first bytes of what is compressed."""
    for mark, opener in _OPENERS:
        if head.startswith(mark):
            try:
                return opener().decompress(head, HEAD)
            except (OSError, EOFError, zlib.error, lzma.LZMAError):
                return b""
    return b""


def missed(text: str, hidden: Mapping[Path, Kind]) -> list[Path]:
    """The `hidden` files that a bot seems to have missed, by the `text` that it wrote on stderr.

    Those that `text` names; or else, where it says that some file is missing, all databases, keys and passwords. Only
    files that a SPEC can name.
    """
    files = {path: kind for path, kind in hidden.items() if kind not in (SPECIAL, UNREADABLE) and path.is_file()}
    failed = _MISSING.search(text) is not None
    # A name without a dot, such as "token", is a word of many sentences.
    named = [path for path in files if (failed or "." in path.name[1:]) and _names(text, path.name)]
    return named or [path for path, kind in files.items() if failed and kind in (DATABASE, KEY, PASSWORD)]


def _names(text: str, name: str) -> bool:
    return name in text and re.search(rf"(?<![\w.-]){re.escape(name)}(?!\.?[\w-])", text) is not None


def table() -> str:
    """The kinds as docs/security.md shows them."""
    rows = ["| hidden | by the names | by what is in it |", "|---|---|---|"]
    for kind in KINDS:
        names = " ".join(f"`{each}`" for each in dict.fromkeys((*kind.names.split(), *kind.folders.split())))
        rows.append(f"| {kind.what} | {names} | {kind.contents} |")
    return "\n".join(rows)
