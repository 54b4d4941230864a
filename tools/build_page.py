"""Hatch's hook: a wheel has the page joined into a few files, instead of its modules, and the revision of its source.

Without the wheel's build (a checkout, an editable installation) the server joins them itself, and asks the checkout for
its revision.
"""

import importlib.util
import os
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WEB = "server/palio_server/web"
JOINER = "server/palio_server/api/page_joiner.py"
INSIDE = "palio_server/web"  # of the wheel
VERSION = "rules/palio_rules/version.py"
REVISION = "palio_rules/revision.txt"  # of the wheel; in a source distribution it lies in `rules`
ASKED = "PALIO_REVISION"  # in the environment: the revision, where .git is not at hand


class PageHook(BuildHookInterface[Any]):
    """Adds the joined page to a wheel, and the revision to it and to a source distribution.

    pyproject.toml leaves the page's modules out of a wheel.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the files into a temporary folder and have the build take them. Raises UnknownShape."""
        if version == "editable":
            return
        root = Path(self.root)
        self._folder = tempfile.TemporaryDirectory()
        is_source = self.target_name == "sdist"
        revision = os.environ.get(ASKED) or _revision(root)
        if revision:
            file = Path(self._folder.name) / "revision.txt"
            file.write_text(f"{revision}\n", encoding="ascii")
            build_data["force_include"][str(file)] = f"rules/{REVISION}" if is_source else REVISION
        if not is_source:
            self._join(root, build_data)

    def _join(self, root: Path, build_data: dict[str, Any]) -> None:
        web = root / WEB
        sources = {path.relative_to(web).as_posix(): path.read_bytes() for path in web.rglob("*") if path.is_file()}
        for name, content in _module(root / JOINER).build(sources).sources().items():
            file = Path(self._folder.name) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            build_data["force_include"][str(file)] = f"{INSIDE}/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        if version != "editable":
            self._folder.cleanup()


def _revision(root: Path) -> str:
    kept = root / "rules" / REVISION
    if kept.is_file():  # this is a source distribution
        return kept.read_text(encoding="ascii").strip()
    found: str = _module(root / VERSION).revision_of(root)
    return found


def _module(path: Path) -> ModuleType:
    """Load a module by its path: our packages are not installed while a wheel is built."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
