"""A student's file as a module of its own name, which may import what lies beside it and what the handout gave out."""

import importlib.util
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

from palio_clients.handouts.coursework import Unfit


def load(file: Path, handout: Path) -> ModuleType:
    """Run `file`. Whatever it raises is raised here.

    Imports are looked for in the standard library, then beside the file, then in the folder `handout`, and then among
    installed packages: a student's own `breakthrough.py` comes before ours.
    """
    _look_in(file.parent, handout)
    taken = file.stem in sys.modules or file.stem in sys.stdlib_module_names
    name = f"coursework_{file.stem}" if taken else file.stem
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise Unfit(f"{file.name} is no Python file; rename it to end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _look_in(*folders: Path) -> None:
    library = {sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib")}
    places = [i for i, entry in enumerate(sys.path) if entry in library or entry.endswith("lib-dynload")]
    after = max(places, default=-1) + 1
    sys.path[after:after] = [str(folder) for folder in folders]
