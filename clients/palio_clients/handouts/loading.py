"""A student's Python file or notebook as a module of its own name, or run as a program; both within this process.

Either may import what lies beside it and what the handout gave out.
"""

import importlib
import importlib.util
import runpy
import sys
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from palio_clients.handouts import notebook
from palio_clients.handouts.coursework import FAILED_CELLS, Unfit, name_of
from palio_clients.handouts.notebook import NOTEBOOK, BadNotebook
from palio_rules.import_root import PACKAGE, Place, place_of, usual_place
from palio_rules.python_file import look_in, look_in_first

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

MAX_PRINTED = 1_000_000  # bytes


def load(file: Path, handout: Path) -> ModuleType:
    """Run `file`. Whatever it raises is raised here, but for what the cells of a notebook raise.

    Imports are looked for beside the file, then in the standard library, then in the folder `handout`, and then among
    installed packages: a student's own `breakthrough.py` comes before ours, and a `random.py` before Python's, for
    the student's own files only. The `__init__.py` of a package is loaded
    as that package, and imports its own modules by `from .board import Board` or by `from team.board import Board`. A
    file in nested packages is loaded from where its imports lead (`place_of`), and that is told on stderr.
    """
    place, usual = place_of(file), usual_place(file)
    folders = (usual.root, place.root, file.parent)
    look_in(*dict.fromkeys(folders), handout)
    look_in_first(place.root)
    if place != usual and (module := _nested(place, file)) is not None:
        return module
    package = file.name == PACKAGE
    root = file.parent if package else file.with_suffix("")
    name = f"coursework_{usual.name}" if _is_taken(usual.name) else usual.name
    if file.suffix == NOTEBOOK:
        return _notebook(name, file)
    return _executed(name, file, [str(root)] if package else None)


def _nested(place: Place, file: Path) -> ModuleType | None:
    """The file as a module of its packages; None where something else has their name."""
    parent, _, last = place.name.rpartition(".")
    if _is_taken(place.name.partition(".")[0]):
        return None
    print(f"{name_of(file)} is imported as {place.name}, from {place.root}", file=sys.stderr)  # noqa: T201
    above = importlib.import_module(parent) if parent else None
    module = _executed(place.name, file, [str(file.parent)] if file.name == PACKAGE else None)
    if above is not None:
        setattr(above, last, module)
    return module


def _is_taken(name: str) -> bool:
    return name in sys.modules or name in sys.stdlib_module_names


def _executed(name: str, file: Path, inside: list[str] | None) -> ModuleType:
    if name in sys.modules:  # a package above has imported it
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=inside)
    if spec is None or spec.loader is None:
        raise Unfit(f"{file.name} is no Python file; rename it to end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _notebook(name: str, file: Path) -> ModuleType:
    """The cells of a notebook as a module, which remembers which of them have failed."""
    module = sys.modules[name] = ModuleType(name)
    module.__file__ = str(file)
    try:
        failed = notebook.run(file, module)
    except BadNotebook as error:
        raise Unfit(str(error)) from None
    setattr(module, FAILED_CELLS, failed)
    return module


class _Printed(BytesIO):
    """What was printed; it is copied to stderr, where its author may be watching."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file

    def write(self, data: "ReadableBuffer") -> int:
        text = bytes(data)
        if self.tell() + len(text) > MAX_PRINTED:
            raise Unfit(f"{name_of(self._file)} prints more than {MAX_PRINTED} bytes")
        sys.stderr.write(text.decode("utf-8", "backslashreplace"))
        return super().write(text)


def printed(file: Path, handout: Path, *arguments: str) -> str:
    """What `python file arguments` prints, run in this process: whatever ends this process ends the program, too.

    Imports are looked for as by `load`. Whatever it raises is raised here; raises Unfit where it exits with a
    status that says that it failed.
    """
    look_in(*dict.fromkeys((file.parent, place_of(file).root)), handout)
    look_in_first(file.parent)
    sys.argv = [str(file), *arguments]
    caught = _Printed(file)
    stdout = TextIOWrapper(caught, "utf-8", "backslashreplace", write_through=True)
    with redirect_stdout(stdout):
        try:
            runpy.run_path(str(file), run_name="__main__")
        except SystemExit as end:
            if end.code not in (None, 0):
                how = f"with status {end.code}" if isinstance(end.code, int) else f"saying {end.code}"
                raise Unfit(f"{name_of(file)} exited {how}") from None
    return caught.getvalue().decode("utf-8", "backslashreplace")
