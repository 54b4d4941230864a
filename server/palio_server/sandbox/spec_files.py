"""Which files a bot's SPEC names: they decide what its program may read, and whether it is a stranger's at all."""

import os
import re
import shlex
import shutil
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

LONGEST = 250  # characters of a module's name: a longer one is no file, and to ask for it fails
OURS = "palio"  # the distribution whose bots need no sandbox
_COURSEWORK = re.compile(r"(?P<course>handout:[^:]*:)(?P<file>.*?)(?P<settings>:[^:/\\]*=[^:]*)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SpecFiles:
    """`spec` means the same in whatever folder it is read; `files` exist, and are absolute."""

    spec: str
    files: tuple[Path, ...] = ()
    imports: Path | None = None  # where Python looks for them, if they are a package beside us

    @property
    def variables(self) -> dict[str, str]:
        return {} if self.imports is None else {"PYTHONPATH": str(self.imports)}


def is_shipped(spec: str) -> bool:
    """Whether Palio itself brings the bot."""
    name = spec.partition(":")[0]
    found = entry_points(group="palio.bots", name=name)
    return any(each.dist is not None and each.dist.name == OURS for each in found)


def files_of(spec: str) -> SpecFiles:
    """The files that `spec` names, with their paths written out in it."""
    head, _, rest = spec.partition(":")
    if head == "handout" and (found := _COURSEWORK.fullmatch(spec)):
        if not _is_there(found["file"]):
            return SpecFiles(spec)
        file = _absolute(found["file"])
        return SpecFiles(f"{found['course']}{file}{found['settings'] or ''}", (file,))
    if head == "exec":
        return _command(rest) or SpecFiles(spec)
    if (head.endswith(".py") or "/" in head) and _is_there(head):
        file = _absolute(head)
        return SpecFiles(f"{file}{spec[len(head) :]}", (file,))
    package = Path(head.partition(".")[0])
    if "." in head and len(head) < LONGEST and (package.is_dir() or package.with_suffix(".py").is_file()):
        return SpecFiles(
            spec, (_absolute(str(package if package.is_dir() else package.with_suffix(".py"))),), Path.cwd()
        )
    return SpecFiles(spec)


def _command(command: str) -> SpecFiles | None:
    """Of a program and its arguments; what is no file stays as it is."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    if not words or (program := shutil.which(words[0])) is None:
        return None
    files = [_absolute(program)]
    written = [str(files[0]) if os.sep in words[0] else words[0]]
    for word in words[1:]:
        if not word.startswith("-") and os.path.isfile(word):  # noqa: PTH113  # as in `_is_there`
            files.append(_absolute(word))
            written.append(str(files[-1]))
        else:
            written.append(word)
    return SpecFiles(f"exec:{shlex.join(written)}", tuple(files))


def _is_there(path: str) -> bool:
    """False, too, for what is too long to be a file's name."""
    return os.path.exists(path)  # noqa: PTH110  # `Path.exists` raises then


def _absolute(path: str) -> Path:
    """Without symbolic links in its folder: they do not lead anywhere in the sandbox."""
    found = Path(path).absolute()
    return found.parent.resolve() / found.name
