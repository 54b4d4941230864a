"""The folder for files that can be made again, by the rule of the platform."""

import os
import sys
from pathlib import Path


def user_cache() -> Path:
    """Return the user's folder of caches. Raises RuntimeError if the user has no home."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
