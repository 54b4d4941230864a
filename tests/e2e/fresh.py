"""Fresh environments with the wheel that we build, as after a new installation of Palio."""

import os
import subprocess
import sys
from pathlib import Path

from conftest import lacking

ROOT = Path(__file__).parent.parent.parent
BIN = Path(sys.executable).parent
UV = BIN / "uv"
LOOK_AT = {"index-url": "--index-url", "extra-index-url": "--extra-index-url", "find-links": "--find-links"}


def environment_without_ours() -> dict[str, str]:
    """This process's environment, without what would lead another Python to our sources."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PALIO_", "VIRTUAL_"))}


def index_words() -> list[str]:
    """Return the package index of pip, as words for uv."""
    words: list[str] = []
    for option, flag in LOOK_AT.items():
        for level in ("global", "install", ":env:"):
            key = f"{level}.{option}"
            found = subprocess.run(
                [sys.executable, "-m", "pip", "config", "get", key], check=False, capture_output=True, text=True
            )
            for place in found.stdout.split() if found.returncode == 0 else ():
                if not place.startswith(("/", "file:")):  # folders are pip's own business
                    words += [flag, place]
    return words


def build_sdist(folder: Path) -> Path:
    command = [sys.executable, "-m", "build", "--sdist", "--outdir", folder, ROOT]
    built = subprocess.run(command, check=False, capture_output=True, text=True)
    if built.returncode:
        lacking("an sdist", f"let pip reach a package index, for hatchling ({built.stderr.strip()[-200:]})")
    [sdist] = folder.glob("palio-*.tar.gz")
    return sdist


class Fresh:
    """A virtual environment of its own in `folder`, and a folder to work in."""

    def __init__(self, folder: Path, *packages: str, bare: tuple[str, ...] = ()) -> None:
        """With `packages` and all that they need, and with `bare` ones and nothing else."""
        self.bin, self.work = folder / "env" / "bin", folder / "work"
        self.work.mkdir(parents=True)
        self._uv("venv", "--quiet", "--python", sys.executable, str(folder / "env"))
        if bare:
            self._uv("pip", "install", "--quiet", "--no-deps", *bare)
        if packages:
            self._uv("pip", "install", "--quiet", *index_words(), *packages)

    def _uv(self, *words: str) -> None:
        python = ["--python", str(self.bin / "python")] if words[0] == "pip" else []
        done = subprocess.run(
            [UV, *words, *python],
            check=False,
            capture_output=True,
            text=True,
            env=environment_without_ours(),
            cwd=self.work,
        )
        assert done.returncode == 0, done.stderr

    def __call__(self, *words: str, seconds: float = 100, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, without input; with `variables` besides."""
        return subprocess.run(
            [self.bin / words[0], *words[1:]],
            stdin=subprocess.DEVNULL,
            check=False,
            capture_output=True,
            text=True,
            cwd=self.work,
            env=environment_without_ours() | {"NO_COLOR": "1"} | variables,
            timeout=seconds,
        )
