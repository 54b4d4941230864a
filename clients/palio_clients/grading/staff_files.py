"""The staff's test files, which are kept in memory: a student's code finds none of their Python on disk.

`read` takes them from a folder, or from the standard input as `{"files": {"test_a.py": BASE64, ...}}`. Files that are
not Python are data, and are written beside the tests.
"""

import ast
import base64
import json
import sys
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO
from unittest.mock import MagicMock

from _pytest.assertion.rewrite import rewrite_asserts

Sources = Mapping[str, bytes]  # by path, relative to the folder of the tests: "test_a.py", "helpers/__init__.py"


def read(place: str, stdin: BinaryIO) -> dict[str, bytes]:
    """Return all files of the folder `place`, or for `-` of the message on `stdin`."""
    if place == "-":
        files: dict[str, str] = json.load(stdin)["files"]
        return {name: base64.b64decode(text) for name, text in files.items()}
    folder = Path(place)
    return {
        str(each.relative_to(folder)): each.read_bytes()
        for each in sorted(folder.rglob("*"))
        if each.is_file() and "__pycache__" not in each.parts
    }


def lay_out(files: Sources, folder: Path) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Write the data to `folder`, and an empty file for each Python file; return the Python files and the data."""
    sources = {name: content for name, content in files.items() if name.endswith(".py")}
    data = {name: content for name, content in files.items() if name not in sources}
    write(dict.fromkeys(sources, b"") | data, folder)
    return sources, data


def write(files: Sources, folder: Path) -> None:
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


class StaffModules(MetaPathFinder, Loader):
    """An import hook for the staff's modules, which come after those of the student and of the handout.

    Their asserts are rewritten by pytest, so that a failure tells both sides.
    """

    def __init__(self, sources: Sources, folder: Path, before: Sequence[Path]) -> None:
        """`before` are the folders whose modules of the same name win."""
        self._sources, self.folder, self._before = sources, folder, [str(each) for each in before]
        self.names = frozenset(sources)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        base = fullname.replace(".", "/")
        name = next((each for each in (f"{base}/__init__.py", f"{base}.py") if each in self._sources), None)
        if name is None or fullname in sys.stdlib_module_names:
            return None
        if path is None and PathFinder.find_spec(fullname, self._before) is not None:
            return None
        package = name.endswith("__init__.py")
        spec = spec_from_loader(fullname, self, origin=str(self.folder / name), is_package=package)
        if spec is not None:
            spec.has_location = True
        return spec

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        assert module.__spec__.origin is not None
        self.run(Path(module.__spec__.origin), module, None)

    def source(self, module: ModuleType) -> str:
        """Return the text of one of these modules."""
        return self._sources[str(Path(str(module.__file__)).relative_to(self.folder))].decode()

    def run(self, file: Path, module: ModuleType, config: Any) -> None:
        """Execute the source of `file` in `module`. Raises what it raises."""
        source = self._sources[str(file.relative_to(self.folder))]
        tree = ast.parse(source, str(file))
        rewrite_asserts(tree, source, str(file), config)
        exec(compile(tree, str(file), "exec", dont_inherit=True), module.__dict__)  # noqa: S102  # the staff's code


class Absent(MetaPathFinder, Loader):
    """An import hook that makes stand-ins of a submission's modules, and of missing names in the handout's modules.

    The tests of a file are listed with it, before any student's code runs.
    """

    def __init__(self, handout: Path | None, submitted: Sequence[str]) -> None:
        """`submitted` are patterns of a submission's files; another module that is missing is the staff's error."""
        self._handout = [] if handout is None else [str(handout)]
        self._submitted = [pattern.rpartition("/")[2] for pattern in submitted]
        self._folders = {folder for pattern in submitted for folder in pattern.split("/")[:-1]}

    def start(self) -> None:
        """Install the hook; the stand-ins come after all modules that are there."""
        sys.meta_path.insert(0, _OfHandout(self._handout))
        sys.meta_path.append(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        top = fullname.partition(".")[0]
        submitted = any(fnmatchcase(f"{top}.py", pattern) for pattern in self._submitted) or top in self._folders
        return spec_from_loader(fullname, self, is_package=True) if submitted else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        found = ModuleType(spec.name)
        found.__dict__["__getattr__"] = _stand_in
        return found

    def exec_module(self, module: ModuleType) -> None:
        pass


class _OfHandout(MetaPathFinder):
    """The handout's own modules; a submission may have one of the same name with more in it."""

    def __init__(self, handout: Sequence[str]) -> None:
        self._handout = handout

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        found = PathFinder.find_spec(fullname, self._handout) if path is None and self._handout else None
        if found is None or fullname in sys.stdlib_module_names or not isinstance(found.loader, SourceFileLoader):
            return None
        found.loader = _Extended(fullname, found.loader.path)
        return found


class _Extended(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        module.__dict__.setdefault("__getattr__", _stand_in)


def _stand_in(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return MagicMock(name=name)
