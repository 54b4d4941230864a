"""A student's file as a module of its own name, which may import what lies beside it and what the handout gave out."""

import importlib.util
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

from palio_clients.handouts.coursework import PACKAGE, Unfit


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


def look_in(*folders: Path) -> None:
    """Have imports look in `folders` next to the standard library."""
    library = {sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib")}
    places = [i for i, entry in enumerate(sys.path) if entry in library or entry.endswith("lib-dynload")]
    after = max(places, default=-1) + 1
    sys.path[after:after] = [str(folder) for folder in folders]
