"""CONTRIBUTING's three walks, typed from the page into a copy of the checkout: each passes its own tests."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, lacking

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]  # each installs, and checks as a contributor does

PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
NAMED = re.compile(r"`((?:clients|server|tests)/[\w/]+\.py)`")
GROUP = re.compile(r'`(\[project\.entry-points\."[\w.]+"\])`')
INSTALL = re.search(r"^pip install .*? && ", PAGE, re.MULTILINE)[0].removesuffix(" && ")
GAME = "rules/palio_rules/games/three_in_a_row.py"
LAST = "| `tsp` |"
QUICK = re.compile(r"(?<=^palio run)")  # by its clock a search thinks for minutes
MAKE = "make "  # of the whole checkout, minutes long: `.ci/run` has it anyhow


class Checkout:
    """A copy with an environment of its own, which has the packages of the one that runs the tests."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder / "palio", folder / "env"
        listed = subprocess.run(
            ["git", "ls-files", "-coz", "--exclude-standard"], check=False, capture_output=True, text=True, cwd=ROOT
        )
        if listed.returncode:
            lacking("the checkout's list of files", "run this in a clone, with git")
        for name in filter(None, listed.stdout.split("\0")):
            if (ROOT / name).is_file():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.folder / name)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(self.home)], check=True)
        [packages] = self.home.glob("lib/python*/site-packages")
        [ours] = Path(sys.prefix).glob("lib/python*/site-packages")
        (packages / "shared.pth").write_text(f"{ours}\n")
        for module in ("pip", "pytest"):
            file = self.home / "bin" / module
            file.write_text(f'#!/bin/sh\nexec {shlex.quote(str(self.home / "bin" / "python"))} -m {module} "$@"\n')
            file.chmod(0o755)
        (self.home / "bin" / "ruff").symlink_to(Path(sys.executable).parent / "ruff")

    def type(self, lines: str) -> str:
        """Type lines into a shell, with the environment activated; return what they print."""
        env = {name: text for name, text in os.environ.items() if not name.startswith(("PALIO_", "PYTEST_", "PYTHON"))}
        env["PATH"] = f"{self.home / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-ec", lines], check=False, capture_output=True, text=True, cwd=self.folder, env=env, timeout=280
        )
        assert done.returncode == 0, f"{lines}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    def change(self, name: str, before: str, after: str) -> None:
        """Change the first place of a file."""
        text = (self.folder / name).read_text("utf-8")
        assert before in text, f"{name} has no {before!r}"
        (self.folder / name).write_text(text.replace(before, after, 1), "utf-8")

    def install(self) -> None:
        self.type(f"{INSTALL} --no-build-isolation")  # hatchling is there: no index is asked


def walk(checkout: Checkout, title: str, elsewhere: Path) -> None:
    """Do what a section of the page says: save its files, add its lines, type its commands; at the end its tests."""
    [text] = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    before = 0
    tests = re.findall(r"[Rr]un `(pytest [^`]*)`", text)
    for block in BLOCK.finditer(text):
        said, kind, content = text[before : block.start()], block[1], block[2]
        before = block.end()
        if kind == "python":
            (checkout.folder / NAMED.findall(said)[-1]).write_text(content)
        elif kind == "toml":
            group = GROUP.findall(said)[-1]
            checkout.change("pyproject.toml", f"{group}\n", f"{group}\n{content}")
            checkout.install()
        elif kind == "sh":
            lines = [QUICK.sub(" --st 0.02", line) for line in content.splitlines() if not line.startswith(MAKE)]
            tests += [line for line in lines if line.startswith("pytest tests/")]
            lines = [line for line in lines if not line.startswith("pytest tests/")]
            checkout.type("\n".join(lines).replace("/tmp", str(elsewhere)))
        elif kind == "py":
            checkout.change(GAME, "import Mark, Scene", "import Cell, Gestures, Mark, Scene, Touches")
            checkout.change(GAME, "\nclass ThreeInARow(", f"\n{content}\n\nclass ThreeInARow(")
            checkout.change(GAME, "    options_type = ", "    gestures = Touching()\n    options_type = ")
        elif kind == "md":
            checkout.change("docs/reference/environments.md", LAST, f"{content}{LAST}")
    for command in tests:
        checkout.type(command)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    made = Checkout(tmp_path_factory.mktemp("contributor"))
    made.install()
    return made


def test_the_bot_of_the_walk_is_installed_checked_and_tested(checkout: Checkout, tmp_path: Path):
    walk(checkout, "Add a bot", tmp_path)


def test_the_format_of_the_walk_is_played_and_tested(checkout: Checkout, tmp_path: Path):
    walk(checkout, "Add a tournament format", tmp_path)
    checkout.type("pytest tests/server/tournament/formats/test_king.py")


def test_the_game_of_the_walk_is_written_moved_in_and_keeps_the_laws(checkout: Checkout, tmp_path: Path):
    walk(checkout, "Add a game", tmp_path)
