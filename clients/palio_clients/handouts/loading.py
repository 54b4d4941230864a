"""A student's Python file as a module of its own name, or run as a program; both within this process.

Either may import what lies beside it and what the handout gave out.
"""

import importlib.util
import runpy
import sys
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from palio_clients.handouts.coursework import PACKAGE, Unfit, name_of
from palio_rules.python_file import look_in

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

MAX_PRINTED = 1_000_000  # bytes


def load(file: Path, handout: Path) -> ModuleType:
    """Run `file`. Whatever it raises is raised here.

    Imports are looked for in the standard library, then beside the file, then in the folder `handout`, and then among
    installed packages: a student's own `breakthrough.py` comes before ours. The `__init__.py` of a package is loaded
    as that package, and imports its own modules by `from .board import Board` or by `from team.board import Board`.
    """
    package = file.name == PACKAGE
    root = file.parent if package else file.with_suffix("")
    look_in(root.parent, handout)
    taken = root.name in sys.modules or root.name in sys.stdlib_module_names
    name = f"coursework_{root.name}" if taken else root.name
    inside = [str(root)] if package else None
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=inside)
    if spec is None or spec.loader is None:
        raise Unfit(f"{file.name} is no Python file; rename it to end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
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
    look_in(file.parent, handout)
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
