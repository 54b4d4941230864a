"""The files that a bot's SPEC names: they decide what its program may read, and if it is untrusted.

Only the SPEC's own words count, and names of files: nothing is read of a file but the first line of a program, which
may ask for an interpreter, and that opens no other folder.
"""

import os
import re
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from palio_rules.contract import engine_specs
from palio_rules.interpreter import PYTHON
from palio_server.sandbox.binds import SYSTEM, folder_of, is_too_wide, program_places, python_folders

LONGEST = 250  # characters of a module's name: a longer one is not a file, and looking for it fails
_OURS_RUN = (".py", ".ipynb")  # files of coursework that Palio's own Python runs; their first lines do not matter
OURS = "palio"  # the distribution whose bots need no sandbox
INTERPRETERS = 4  # the limit of interpreters that name each other in first lines
FIRST_LINE = 256  # bytes of a file that name the program that reads it, as in Linux
_PROGRAMS = ("exec", *engine_specs.SCHEMES)  # a command follows
# Programs whose words are code of the current folder: `python3 -m mine`, `sh -c ./start`, `java Main`. Installed
# programs with other names (`gtp:gnugo --mode gtp`) see no folder unless their command names a file in it.
_RUNNERS = re.compile(
    r"(?:python|pypy)[\d.]*t?|(?:ba|da|k|z)?sh|env|node|nodejs|deno|bun|npx?|java|ruby|perl|lua[\d.]*|julia|Rscript|php"
    r"|dotnet|mono|go|cargo|make|uv|nice|timeout"
)
ASKS = "llm:"  # specs of bots that ask a language model: our own code, and it needs the network
_TEMPLATE = re.compile(r"(?<=,template=)[^,]+")
_COURSEWORK = re.compile(r"(?P<course>handout:[^:]*:)(?P<file>.*?)(?P<settings>:[^:/\\]*=[^:]*)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SpecFiles:
    """The files of a SPEC. `spec` means the same in any folder; `files` exist, and are absolute."""

    spec: str
    files: tuple[Path, ...] = ()
    programs: tuple[Path, ...] = ()  # places that the installed programs that run it need
    imports: Path | None = None  # where Python looks for them, if they are a package in this folder
    named: bool = False  # True: its files import each other by the name of its folder
    refused: str = ""  # why it cannot be confined, for people

    @property
    def variables(self) -> dict[str, str]:
        return {} if self.imports is None else {"PYTHONPATH": str(self.imports)}

    @property
    def folder(self) -> Path | None:
        """Its own folder, if it has one."""
        found = folder_of(self.files[0]) if self.files else None
        return found if found is not None and found.is_dir() and not is_too_wide(found) else None


def is_shipped(spec: str) -> bool:
    """Return True if the bot is part of Palio itself."""
    return spec.partition(":")[0] in _shipped()


@cache
def _shipped() -> frozenset[str]:
    found = entry_points(group="palio.bots")
    names = [each.name for each in found]
    ours = {each.name for each in found if each.dist is not None and each.dist.name == OURS}
    # a package that takes one of our names is untrusted
    return frozenset(name for name in ours if names.count(name) == 1)


def is_untrusted(spec: str) -> bool:
    """Return True if the bot's program is untrusted. If it cannot be found, `palio join`, in our
    folder, reports that.
    """
    if is_shipped(spec) or spec.startswith(ASKS) or _is_lost_policy(spec):
        return False
    head = spec.partition(":")[0]
    if head in _PROGRAMS:
        return _command(head, spec.partition(":")[2], "") is not None
    named = head == "handout" or head.endswith(".py") or "/" in head
    return not named or files_of(spec) != SpecFiles(spec)


def files_of(spec: str, folder: str = "") -> SpecFiles:
    """Return the files that `spec` names, with their paths written out in it; packages are looked for in `folder`, or
    here.
    """
    head, colon, rest = spec.partition(":")
    if head == "policy":
        return _policy(rest, folder)
    if head == "handout" and (found := _COURSEWORK.fullmatch(spec)):
        if not _is_there(found["file"]):
            return SpecFiles(spec)
        file = _absolute(found["file"])
        programs, refused = ((), "") if file.suffix in _OURS_RUN else _asked_by(file, [folder_of(file)])
        spec = f"{found['course']}{file}{found['settings'] or ''}"
        return SpecFiles(spec, (file,), programs, named=file.is_dir(), refused=refused)
    if head in _PROGRAMS:
        return _command(head, rest, folder) or SpecFiles(spec)
    if spec.startswith(ASKS):
        if not (named := _TEMPLATE.search(spec)) or not _is_there(named[0].strip()):
            return SpecFiles(spec)
        file = _absolute(named[0].strip())
        return SpecFiles(f"{spec[: named.start()]}{file}{spec[named.end() :]}", (file,))
    after, files = _settings(rest, _file)
    after = f"{colon}{after}"
    if (head.endswith(".py") or "/" in head) and _is_there(head):
        file = _absolute(head)
        return SpecFiles(f"{file}{after}", (file, *files))
    package = Path(folder, head.partition(".")[0])
    if "." in head and len(head) < LONGEST and (package.is_dir() or package.with_suffix(".py").is_file()):
        file = _absolute(str(package if package.is_dir() else package.with_suffix(".py")))
        return SpecFiles(f"{head}{after}", (file, *files), imports=Path(folder).absolute())
    return SpecFiles(spec)


def naming(spec: str, file: str) -> str:
    """Return in one sentence how the author of `spec` requests `file`, which is hidden otherwise."""
    head = spec.partition(":")[0]
    if head == "handout":
        return "a SPEC of coursework cannot name a hidden file; keep its data in a text file or in Python"
    how = {
        "exec": f"exec:PROGRAM {file}",
        **{scheme: f"{scheme}:ENGINE option.NAME={file}" for scheme in engine_specs.SCHEMES},
        "policy": f"policy:FILE.py:SETTING={file}",
    }
    return f"to show a hidden file, name it in the SPEC: {how.get(head, f'FILE.py:SETTING={file}')}"


def _policy(rest: str, folder: str) -> SpecFiles:
    """Return the files of a trained policy: its file or module, and the files among its settings, for example its
    weights.
    """
    head, colon, more = rest.partition(":")
    after, files = _settings(more, _saved)
    after = f"{colon}{after}"
    if (head.endswith(".py") or "/" in head) and _is_there(head):
        file = _absolute(head)
        return SpecFiles(f"policy:{file}{after}", (file, *files))
    package = Path(folder, head.partition(".")[0])
    named = len(head) < LONGEST and head.replace(".", "").isidentifier()
    if named and (package.is_dir() or package.with_suffix(".py").is_file()):
        file = _absolute(str(package if package.is_dir() else package.with_suffix(".py")))
        return SpecFiles(f"policy:{head}{after}", (file, *files), imports=Path(folder).absolute())
    return SpecFiles(f"policy:{head}{after}", tuple(files))


def _settings(rest: str, file_of: Callable[[str], str]) -> tuple[str, list[Path]]:
    """Return a class and its settings, `Mine:book=book.sqlite`, with the paths in it made absolute.

    `file_of` returns the file that a setting's value names, or "".
    """
    name, between, settings = rest.rpartition(":")
    files, written = [], []
    for setting in settings.split(",") if "=" in settings else [settings]:
        key, equals, value = setting.partition("=")
        if equals and (found := file_of(value)):
            files.append(_absolute(found))
            value = str(_absolute(value))
        written.append(f"{key}{equals}{value}")
    return f"{name}{between}{','.join(written)}", files


def _file(value: str) -> str:
    """Return the file that a bot's setting names, or ""; `fast` and `0.9` are never files."""
    before, _, after = value.rpartition(".")
    like_a_file = os.sep in value or (before and not after.isdigit())
    return value if like_a_file and os.path.isfile(value) else ""  # noqa: PTH113  # however long


def _saved(value: str) -> str:
    """Return the file that a setting names, "" if none; Stable-Baselines3 saves and loads "model" as model.zip."""
    there = (name for name in (value, f"{value}.zip") if os.path.isfile(name))  # noqa: PTH113  # however long
    return "" if value.isdigit() else next(there, "")


def _is_lost_policy(spec: str) -> bool:
    """Return True if `spec` is a policy whose file does not exist."""
    head = spec.removeprefix("policy:").partition(":")[0]
    return spec.startswith("policy:") and (head.endswith(".py") or "/" in head) and not _is_there(head)


def _command(scheme: str, command: str, folder: str) -> SpecFiles | None:
    """Return the files of a program and its arguments; other words stay unchanged."""
    engine = scheme in engine_specs.SCHEMES
    try:
        words, settings = engine_specs.parts_of(scheme, command) if engine else (shlex.split(command), [])
    except ValueError:
        return None
    # `palio ugi` is run by our Python, in any folder
    ours = engine and words[:1] == ["palio"] and words[1:2] in [[each] for each in engine_specs.SCHEMES]
    if not words or (found := PYTHON if ours else shutil.which(words[0])) is None:
        return None
    program, named = _absolute(found), os.sep in words[0]
    files = [program] if named and not _is_interpreter(program) else []
    written = [str(program) if named else words[0]]
    for word in [*words[1:], *settings]:
        text, paths = _written_out(word)
        written.append(text)
        files += paths
    own = files or ([_absolute(folder or os.curdir)] if _RUNNERS.fullmatch(program.name) else [])
    programs, refused = _run_by(program, [folder_of(each) for each in own])
    join = engine_specs.joined if engine else shlex.join
    return SpecFiles(f"{scheme}:{join(written)}", tuple(own), programs, refused=refused)


def _written_out(word: str) -> tuple[str, list[Path]]:
    """Return an argument with the paths in it made absolute: `book.bin`, `--book=book.bin`, `classes:lib`.

    This includes `option.EvalFile=net.bin`, which is an engine's, and `own.book=book.bin`.
    """
    ours = ("-", engine_specs.OPTION, engine_specs.OWN)
    option, equals, value = word.partition("=") if word.startswith(ours) else ("", "", word)
    if word.startswith("-") and not equals:
        return word, []
    parts, found = [], []
    for part in value.split(os.pathsep):
        if part and (os.sep in part or value == word or equals) and _is_there(part):
            found.append(_absolute(part))
            parts.append(str(found[-1]))
        else:
            parts.append(part)
    return f"{option}{equals}{os.pathsep.join(parts)}", found


def _run_by(program: Path, own: list[Path]) -> tuple[tuple[Path, ...], str]:
    """Return the places needed to run `program` and the interpreter in its first line; and why it may
    not run, or "".
    """
    here = Path.cwd()
    territory = [*own, *(() if is_too_wide(here) else (here,))]
    if any(program.is_relative_to(each) for each in territory):
        return _asked_by(program, own)
    return _places_of(program), ""  # of an installed one, which was named explicitly


def _asked_by(program: Path, own: list[Path]) -> tuple[tuple[Path, ...], str]:
    """Return the same for a bot's own program: its link or first line gives access only to its own or public files."""
    known = (*map(Path, SYSTEM), *python_folders(), *own, program.parent)
    readers = [reader for reader in _readers(program) if not _is_the_users_python(reader)]
    for asked in (program.resolve(), *(each for reader in readers for each in (reader, reader.resolve()))):
        if not any(asked.is_relative_to(each) for each in known):
            remedy = f"name it in the SPEC (exec:{asked} ...), or use the system's Python or {PYTHON}"
            return (), f"{program} is run by {asked}, which is neither the system's, nor Palio's, nor its own; {remedy}"
    around = [place for folder in own for place in folder.parents]  # a folder called `shims` stands for the one above
    return tuple(place for place in _places_of(program) if place not in around), ""


def _places_of(program: Path) -> tuple[Path, ...]:
    return tuple(place for each in (program, *_readers(program)) for place in program_places(each))


def _is_the_users_python(reader: Path) -> bool:
    """Return True if it is the `python3` of the user who starts Palio, as with pyenv and conda."""
    found = shutil.which(reader.name) if reader.name.startswith("python") else None
    return found is not None and _absolute(found) == reader


def _readers(file: Path) -> list[Path]:
    """Return the programs that the first lines of scripts name, one after the other."""
    found: list[Path] = []
    while len(found) < INTERPRETERS and (reader := _reader(found[-1] if found else file)) is not None:
        found.append(reader)
    return found


def _reader(file: Path) -> Path | None:
    try:
        with file.open("rb") as opened:
            line = opened.read(FIRST_LINE).split(b"\n")[0].decode(errors="replace")
    except OSError:
        return None
    words = line.removeprefix("#!").split() if line.startswith("#!") else []
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    found = shutil.which(words[0]) if words else None
    return None if found is None else _absolute(found)


def _is_interpreter(program: Path) -> bool:
    """Return True if a program that was named by its path is an installed one, and not the bot itself."""
    in_venv = (program.parent.parent / "pyvenv.cfg").exists()
    return in_venv or program.name.startswith("python") or any(program.is_relative_to(each) for each in SYSTEM)


def _is_there(path: str) -> bool:
    """Return True if the file exists; False also for a text that is too long for a file's name."""
    return os.path.exists(path)  # noqa: PTH110  # `Path.exists` raises then


def _absolute(path: str) -> Path:
    """Return the path without symbolic links in its folder, because they do not resolve in the sandbox."""
    found = Path(path).absolute()
    if found.name in ("", "..") or path == os.curdir:
        return found.resolve()
    return found.parent.resolve() / found.name
