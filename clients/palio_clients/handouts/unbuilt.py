"""What to say of a path that names no Python file: a folder of sources, or a source that is not compiled."""

import os
from pathlib import Path

from palio_rules.import_root import PACKAGE

SOURCES = (".cpp", ".cc", ".cxx", ".c", ".h", ".hpp")
MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
PROGRAM = "rh"  # as the course's Makefile calls it


def built_in(folder: Path) -> Path | None:
    """The program of a folder of sources, if it has been built there."""
    program = folder / PROGRAM
    return program if program.is_file() and os.access(program, os.X_OK) else None


def remedy_for_sources(path: Path, course: str) -> str | None:
    """How to build the program of a folder of sources, or of a source; None if it is neither."""
    folder = path if path.is_dir() else path.parent
    if path.is_file() and path.suffix not in SOURCES:
        return None
    found = sorted(each.name for each in folder.iterdir() if each.suffix in SOURCES[:4])
    if path.is_dir() and not found:
        return None
    if path.is_dir():
        what = f"the folder {path} has C++ sources ({', '.join(found[:3])}) and no program {PROGRAM}"
    else:
        what = f"{path} is no program that can be started; compile it, or make it executable"
    program = folder / PROGRAM
    if any((folder / name).is_file() for name in MAKEFILES):
        return f"{what}: build it first: make -C {folder}, and name the program: handout:{course}:{program}"
    build = f"g++ -O2 -o {program} {folder}/*.cpp"
    return f"{what}: build it first: make, or {build}, and name the program: handout:{course}:{program}"


def remedy_for_folder(folder: Path, course: str) -> str:
    """What to name instead of a folder that is no package."""
    files = sorted(each.name for each in folder.iterdir() if each.suffix in (".py", ".ipynb"))
    if not files:
        return f"there is no file '{folder}/{PACKAGE}', nor any other Python file in that folder; name the file"
    names = " or ".join(f"handout:{course}:{folder / name}" for name in files[:4])
    return f"there is no file '{folder}/{PACKAGE}', which would make it a package; name the file: {names}"
