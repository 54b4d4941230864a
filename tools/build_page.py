"""Hatch's hook: the wheel has the page joined into a few files, instead of its modules.

Without the wheel's build (a checkout, an editable installation) the server joins them itself.
"""

import importlib.util
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WEB = "server/palio_server/web"
JOINER = "server/palio_server/api/page_joiner.py"
INSIDE = "palio_server/web"  # of the wheel


class PageHook(BuildHookInterface[Any]):
    """Adds the joined page to a wheel; pyproject.toml leaves the modules out of it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the joined files into a temporary folder and have the wheel take them. Raises UnknownShape."""
        if version == "editable":
            return
        root = Path(self.root)
        web = root / WEB
        sources = {path.relative_to(web).as_posix(): path.read_bytes() for path in web.rglob("*") if path.is_file()}
        self._folder = tempfile.TemporaryDirectory()
        for name, content in _joiner(root / JOINER).build(sources).sources().items():
            file = Path(self._folder.name) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            build_data["force_include"][str(file)] = f"{INSIDE}/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        if version != "editable":
            self._folder.cleanup()


def _joiner(path: Path) -> ModuleType:
    """Load the joiner by its path: our packages are not installed while a wheel is built."""
    spec = importlib.util.spec_from_file_location("page_joiner", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
