"""The intake of submissions: files or one archive become the files that an assignment asks for, or a sentence.

Pure: it works on names and bytes. Nothing is executed, and syntax is left to the check. Only the inspecting process
may import this.
"""

import io
import re
import tokenize
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from palio_rules.errors import nearest, quoted
from palio_server.courses.archives import unpack
from palio_server.courses.inspection_tasks import Asked, Taken
from palio_server.courses.submitted_names import (
    ROOM,
    Files,
    Refused,
    archive_kind,
    check_distinct,
    environments,
    is_junk,
    safe_name,
)

_NOTEBOOK = re.compile(rb'\A\s*\{.*"nbformat"\s*:', re.DOTALL)


def take(given: Sequence[tuple[str, bytes]], assignment: Asked, *, strict: bool = True) -> Taken:
    """Accept files, or one archive of files, for an assignment. Raises Refused.

    With `strict`, a file that the assignment does not ask for is refused; otherwise it is left out, as for exports of
    other systems, which hold whole repositories.
    """
    made = environments(name for name, _ in given)
    found: Files = [(name, data) for name, data in given if not (is_junk(name) or name.startswith(made))]
    if len(found) == 1 and archive_kind(found[0][1]) is not None and not _asked_for(found[0][0], assignment):
        found = unpack(*found[0], ROOM * assignment.size)
    elif not strict:
        found = _with_archive(found, assignment)
    if not found:
        raise Refused(f"nothing was handed in; {_wanted(assignment)}")
    return _accepted(found, assignment, strict=strict)


def _accepted(found: Files, assignment: Asked, *, strict: bool) -> Taken:
    checked = [(safe_name(name), data) for name, data in found]
    check_distinct([name for name, _ in checked])
    files = _without_folder(dict(checked), assignment)
    wanted = {name: data for name, data in files.items() if _asked_for(name, assignment)}
    others = [name for name in files if name not in wanted]
    _check_required(wanted, others, assignment)
    if strict:
        for name in others:
            _refuse_other(name, files[name], assignment)
    size = sum(map(len, wanted.values()))
    if size > assignment.size:
        raise Refused(f"the files have {size:,} bytes together; {assignment.name} takes {assignment.size:,} at most")
    for name, data in wanted.items():
        _check_content(name, data, required=_is_required(name, assignment))
    return Taken(wanted, tuple(others))


def _with_archive(found: Files, assignment: Asked) -> Files:
    """Return files with the content of an archive among them, if the files that are asked for can only be in there."""
    archives = [each for each in found if archive_kind(each[1]) is not None]
    if len(archives) != 1 or any(_is_required(name.rpartition("/")[2], assignment) for name, _ in found):
        return found
    return [each for each in found if each is not archives[0]] + unpack(*archives[0], ROOM * assignment.size)


def _without_folder(files: dict[str, bytes], assignment: Asked) -> dict[str, bytes]:
    """Return the files without the folder that GitHub, macOS and others put around them."""
    for _ in range(2):
        tops = {name.partition("/")[0] for name in files}
        inside = all("/" in name for name in files)
        if len(tops) != 1 or not inside or any(_asked_for(name, assignment) for name in files):
            break
        files = {name.partition("/")[2]: data for name, data in files.items()}
    return files


def _asked_for(name: str, assignment: Asked) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in (*assignment.files, *assignment.optional))


def _is_required(name: str, assignment: Asked) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in assignment.files)


def _check_required(wanted: Mapping[str, bytes], others: Sequence[str], assignment: Asked) -> None:
    """Check that each required file is there. Raises Refused with the file that was probably meant."""
    for pattern in assignment.files:
        if any(fnmatchcase(name, pattern) for name in wanted):
            continue
        stem = pattern.rpartition(".")[0] or pattern
        notebook = next((name for name in others if name.endswith(".ipynb")), None)
        if pattern.endswith(".py") and notebook is not None:
            raise Refused(f"{quoted(notebook)} is a notebook; export it as a Python file and hand in {pattern}")
        compiled = next((name for name in others if name.endswith((".pyc", ".pyo"))), None)
        if pattern.endswith(".py") and compiled is not None:
            raise Refused(f"{quoted(compiled)} is compiled Python; hand in {pattern} itself")
        deep = next((name for name in others if name.rpartition("/")[2] == pattern), None)
        if deep is not None:
            raise Refused(f"{pattern} is missing; {quoted(deep)} is in a folder, hand it in without one")
        alike = next((name for name in others if name.casefold() == pattern.casefold()), None)
        if alike is None:
            alike = next((name for name in others if stem.casefold() in name.casefold()), None)
        if alike is not None:
            raise Refused(f"{pattern} is missing; rename {quoted(alike)} if you mean it")
        given = [*wanted, *others]
        raise Refused(f"{pattern} is missing among what you handed in ({_listed(given)}); hand it in, too")


def _refuse_other(name: str, data: bytes, assignment: Asked) -> None:
    if archive_kind(data) is not None:
        raise Refused(f"{quoted(name)} is an archive within what you handed in; hand in its files instead")
    if name.endswith((".pyc", ".pyo")):
        raise Refused(f"{quoted(name)} is compiled Python; leave it out")
    if name.endswith(".ipynb"):
        raise Refused(f"{quoted(name)} is a notebook, which nobody asked for; leave it out")
    patterns = (*assignment.files, *assignment.optional)
    raise Refused(f"{quoted(name)} is not asked for; {nearest(name, patterns)}; leave it out or rename it")


def _check_content(name: str, data: bytes, *, required: bool) -> None:
    """Check what a file must be before it is run. Raises Refused."""
    if required and not data.strip():
        raise Refused(f"{quoted(name)} is empty; hand in the file that you have written")
    if not name.endswith(".py"):
        return
    if _NOTEBOOK.match(data):
        raise Refused(f"{quoted(name)} is a notebook with another name; export it as a Python file")
    if archive_kind(data) is not None:
        raise Refused(f"{quoted(name)} is an archive with another name; hand in the file itself")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Refused(f"{quoted(name)} is written in UTF-16; save it in UTF-8")
    if b"\0" in data:
        raise Refused(f"{quoted(name)} has a NUL byte, so it is no text; save it as a Python file in UTF-8")
    try:
        encoding = _encoding(data)
        data.decode(encoding)
    except SyntaxError as error:
        raise Refused(f"{quoted(name)}: {error.msg}; save it in UTF-8") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        remedy = "save it in UTF-8, or name its encoding in the first line"
        raise Refused(f"{quoted(name)}, line {line}: the text is not {error.encoding}; {remedy}") from None
    except (LookupError, ValueError):
        raise Refused(f"{quoted(name)} names an encoding that is none for texts; save it in UTF-8") from None


def _encoding(data: bytes) -> str:
    """Return a Python file's encoding as PEP 263 says. Raises SyntaxError for an unknown one."""
    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    except SyntaxError as error:
        if "invalid or missing" in str(error.msg):  # one of the first lines is not UTF-8: its number is told later
            return "utf-8"
        raise


def _wanted(assignment: Asked) -> str:
    return f"{assignment.name} asks for {_listed(assignment.files)}"


def _listed(names: Iterable[str], most: int = 5) -> str:
    found = sorted(names)
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(quoted(name)[1:-1] for name in found[:most]) + more
