"""The date of a repository's last commit, read without running anything that the repository configures."""

import os
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from palio_rules.temporary import TemporaryFolder

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_COMMITTER = re.compile(rb"^committer .*> (\d{1,12}) [+-]\d{4}$", re.MULTILINE)
LIMIT_S = 20
SMALL = 1_000_000  # bytes of a list of references


def commit_date(repository: Path) -> datetime | None:
    """Return when the last commit was made, as its author's machine said; None if that is not known.

    A student's `.git/config` can name programs, so git runs in a directory of its own and sees only the objects.
    """
    git, sha = shutil.which("git"), _head(repository / ".git")
    if git is None or sha is None:
        return None
    with TemporaryFolder("git") as folder:
        own = str(folder)
        env = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": own,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_LAZY_FETCH": "1",
        }
        objects = {"GIT_DIR": own, "GIT_OBJECT_DIRECTORY": str((repository / ".git" / "objects").absolute())}
        try:
            _run([git, "init", "--quiet", "--bare", own], env)
            found = _COMMITTER.search(_run([git, "cat-file", "commit", sha], env | objects))
        except (OSError, subprocess.SubprocessError):
            return None
    try:
        return None if found is None else datetime.fromtimestamp(int(found[1]), UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _run(command: list[str], env: dict[str, str]) -> bytes:
    return subprocess.run(command, env=env, check=True, capture_output=True, timeout=LIMIT_S).stdout  # noqa: S603


def _head(folder: Path) -> str | None:
    """Return the hash of HEAD's commit."""
    head = _text(folder / "HEAD").strip()
    if not head.startswith("ref: "):
        return head if _SHA.fullmatch(head) else None
    name = head.removeprefix("ref: ")
    if ".." in name or name.startswith("/"):
        return None
    loose = _text(folder / name).strip()
    packed = (line.partition(" ") for line in _text(folder / "packed-refs").splitlines())
    found = loose or next((sha for sha, _, ref in packed if ref == name), "")
    return found if _SHA.fullmatch(found) else None


def _text(path: Path) -> str:
    try:
        if path.is_symlink() or not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(SMALL).decode(errors="replace")
    except OSError:
        return ""
