"""The version of this Palio, with the revision that it was built from: `0.2.0+g1a2b3c4d5e`.

A wheel has the revision in a file that its build writes (`tools/build_page.py`). A checkout is asked itself, without
git: whether its files were changed since is not known.
"""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

REVISION_FILE = "revision.txt"  # beside this module, in a wheel
DIGITS = 10  # of a revision that are shown


def _release() -> str:
    try:
        return version("palio")
    except PackageNotFoundError:  # the packages are on the path without being installed
        return "unknown"


def _revision(package: Path) -> str:
    """Return the revision of the build or the checkout that holds `package`; "" if it is unknown."""
    try:
        return (package / REVISION_FILE).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return revision_of(package.parents[1])


def revision_of(root: Path) -> str:
    """Return the commit that is checked out at `root`, in hexadecimal; "" if there is none."""
    try:
        folder = root / ".git"
        if folder.is_file():  # a worktree: its own HEAD, but the branches of the main checkout
            folder = root / folder.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        head = (folder / "HEAD").read_text(encoding="utf-8").strip()
        common = folder / "commondir"
        shared = folder / common.read_text(encoding="utf-8").strip() if common.is_file() else folder
        return _commit(head, folder, shared)
    except (OSError, ValueError):
        return ""


def _commit(head: str, folder: Path, shared: Path) -> str:
    if not head.startswith("ref:"):
        return head  # a commit, not a branch
    name = head.removeprefix("ref:").strip()
    for place in (folder / name, shared / name):
        if place.is_file():
            return place.read_text(encoding="ascii").strip()
    for line in (shared / "packed-refs").read_text(encoding="utf-8").splitlines():
        commit, _, packed = line.partition(" ")
        if packed == name:
            return commit
    return ""


def _build(release: str, revision: str) -> str:
    return f"{release}+g{revision[:DIGITS]}" if revision else release


RELEASE = _release()
BUILD = _build(RELEASE, _revision(Path(__file__).parent))
