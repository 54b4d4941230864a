"""Submitted files by name and first bytes: which are safe, which a system or an editor has made, and archives."""

import unicodedata
from collections.abc import Iterable

from palio_rules.errors import quoted

Files = list[tuple[str, bytes]]  # names as an archive or a form has them, not checked yet

MOST_ENTRIES = 2000  # of an archive, folders included; junk counts, because it costs time, too
ROOM = 4  # an archive may hold so many times the assignment's size, before files that were not asked for are left out
_KINDS = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"\x1f\x8b": "gzip",
    b"7z\xbc\xaf'\x1c": "7z",
    b"Rar!\x1a\x07": "rar",
    b"\xfd7zXZ\x00": "xz",
    b"BZh": "bzip2",
}
JUNK_FOLDERS = frozenset(
    (
        *("__MACOSX", "__pycache__", ".git", ".github", ".idea", ".vscode", ".venv", "venv", "node_modules"),
        *(".pytest_cache", ".mypy_cache", ".ruff_cache", ".ipynb_checkpoints", ".hypothesis"),
    )
)
ENVIRONMENT = "pyvenv.cfg"  # the file by which a virtual environment is known, under any name of its folder
JUNK_FILES = frozenset((".DS_Store", "Thumbs.db", "desktop.ini", ".gitignore", ".gitattributes", ".gitkeep"))
LONGEST = 200  # characters of a name with its folders
DEEPEST = 10  # folders
UNSAFE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # Unicode categories: control, format, surrogate, private, ...


class Refused(ValueError):
    """Files that are not accepted. The message is one sentence for the student; nothing was kept."""


def is_junk(name: str) -> bool:
    """Return whether a program has made this file, not a student: a cache, a system's own file, version control."""
    *folders, last = name.replace("\\", "/").split("/")
    return last in JUNK_FILES or last.startswith("._") or not JUNK_FOLDERS.isdisjoint(folders)


def environments(names: Iterable[str]) -> tuple[str, ...]:
    """Return the folders of virtual environments among these files, each with its last `/`.

    >>> environments(["bot.py", "my-python/pyvenv.cfg", "my-python/lib/huge.py"])
    ('my-python/',)
    """
    return tuple(name.removesuffix(ENVIRONMENT) for name in names if name.endswith(f"/{ENVIRONMENT}"))


def safe_name(name: str) -> str:
    """Return a relative path with `/`, in Unicode's form NFC. Raises Refused.

    >>> safe_name("src/bot.py")
    'src/bot.py'
    """
    found = unicodedata.normalize("NFC", name)
    if not found.strip():
        raise Refused("a file has no name; give it one")
    if any(unicodedata.category(character) in UNSAFE for character in found):
        raise Refused(f"the name {quoted(name)} has characters that cannot be seen or read; rename the file")
    if "\\" in found or (len(found) > 1 and found[1] == ":"):
        raise Refused(f"the name {quoted(name)} is a path of Windows; hand in names with / only")
    if found.startswith("/"):
        raise Refused(f"the name {quoted(name)} is an absolute path; hand in names below one folder")
    parts = found.removeprefix("./").split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise Refused(f"the name {quoted(name)} leads out of its folder; hand in names below one folder")
    if any(part != part.strip() or part.endswith(".") for part in parts):
        raise Refused(f"the name {quoted(name)} begins or ends with a blank, or ends with a dot; rename the file")
    if len(found) > LONGEST or len(parts) > DEEPEST or any(len(part.encode()) > 255 for part in parts):
        raise Refused(f"the name {quoted(name)} is too long or too deep; use {LONGEST} characters, {DEEPEST} folders")
    return "/".join(parts)


def check_distinct(names: list[str]) -> None:
    """Check that names differ on every file system, and that none is both a file and a folder. Raises Refused."""
    seen: dict[str, str] = {}
    for name in names:
        key = unicodedata.normalize("NFKC", name).casefold()
        if key in seen:
            other = seen[key]
            twice = (
                f"{quoted(name)} is there twice" if other == name else f"{quoted(other)} and {quoted(name)} are alike"
            )
            raise Refused(f"{twice}; on some systems one would replace the other, hand in one of them")
        seen[key] = name
    for key, name in seen.items():
        parts = key.split("/")
        for depth in range(1, len(parts)):
            if (above := "/".join(parts[:depth])) in seen:
                raise Refused(
                    f"{quoted(seen[above])} is a file, and {quoted(name)} is in a folder of that name; rename one"
                )


def archive_kind(data: bytes) -> str | None:
    """Return the kind of archive that `data` is, None for other files.

    >>> archive_kind(b"BZh9")
    'bzip2'
    """
    found = next((kind for magic, kind in _KINDS.items() if data.startswith(magic)), None)
    return "tar" if found is None and data[257:262] == b"ustar" else found
