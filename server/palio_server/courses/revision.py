"""The revision of an assignment: a digest of its files, so that a check says which tests it ran."""

import hashlib
from pathlib import Path

from palio_server.courses.submitted_names import is_junk
from palio_server.courses.values import SOLUTION, Assignment

SHOWN = 16  # characters


def revision_of(assignment: Assignment, *, with_solution: bool = False) -> str:
    """Return the digest of all files in the assignment's folder, names and contents. Raises OSError.

    The solution, which no check of a submission reads, is left out.
    """
    digest = hashlib.sha256()
    for path in sorted(assignment.folder.rglob("*")):
        name = path.relative_to(assignment.folder).as_posix()
        if path.is_file() and not is_junk(name) and (with_solution or not name.startswith(f"{SOLUTION}/")):
            content = hashlib.sha256(_content(path)).hexdigest()
            digest.update(f"{len(name)} {name} {content}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()[:SHOWN]


def _content(path: Path) -> bytes:
    return path.read_bytes()
