"""No process of Palio's imports from the caller's folder: one function starts Python, and the others ask it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from palio_rules.interpreter import python

ROOT = Path(__file__).parents[2]
PRODUCT = [
    path
    for name in ("rules", "clients", "server", "db")
    for path in sorted((ROOT / name).rglob("*.py"))
    if path != ROOT / "rules" / "palio_rules" / "interpreter.py"
]
SHADOWS = ("msgspec", "json", "random", "click", "typing", "asyncio", "numpy", "rich", "websockets", "sitecustomize")
BEFORE_US = ("types", "numbers")  # what `python -m` itself may import before any of our lines runs
PACKAGES = ("palio_clients", "palio_rules", "palio_server")


@pytest.fixture
def stranger(tmp_path, monkeypatch):
    """The working directory, a stranger's: a module that is imported from it leaves a mark."""
    folder = tmp_path / "stranger"
    folder.mkdir()
    code = f"open({str(tmp_path / 'imported')!r}, 'a').write(__name__ + '\\n')\nraise SystemExit(99)\n"
    for name in (*SHADOWS, *BEFORE_US):
        (folder / f"{name}.py").write_text(code)
    for name in PACKAGES:
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(code)
    monkeypatch.chdir(folder)
    return folder


def imported(folder: Path) -> str:
    mark = folder.parent / "imported"
    return mark.read_text() if mark.exists() else ""


def test_only_one_module_names_the_interpreter():
    starters = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in PRODUCT
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.executable"
    ]
    assert starters == []


@pytest.mark.parametrize("argv", [("-c", "import json, random, msgspec"), ("-m", "palio_clients", "--help")])
def test_a_process_imports_nothing_from_the_folder_in_which_it_starts(stranger, argv):
    run = subprocess.run(python(*argv), capture_output=True, text=True, check=False)
    assert (run.returncode, imported(stranger)) == (0, ""), run.stderr


def test_an_isolated_process_has_the_standard_library_alone(stranger):
    run = subprocess.run(python("-c", "import json; import msgspec", isolated=True), capture_output=True, check=False)
    assert run.returncode == 1
    assert b"No module named 'msgspec'" in run.stderr
    assert imported(stranger) == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "verb",
    [
        ("run", "dominoes", "random", "greedy", "--rounds", "1", "-o", "rows=3", "-o", "cols=3", "--db", "sqlite://"),
        ("run", "dominoes", "./bot.py", "random", "--rounds", "1", "-o", "rows=3", "-o", "cols=3", "--db", "sqlite://"),
        ("check-bot", "random", "--game", "dominoes"),
        ("doctor",),
    ],
    ids=lambda verb: " ".join(verb[:3]),
)
def test_a_command_in_a_strangers_folder_runs_none_of_its_modules(stranger, verb):
    (stranger / "bot.py").write_text(
        "from palio_clients import Bot\n\n\nclass Mine(Bot):\n    def choose(self, state, clock):\n"
        "        return next(iter(state.legal_moves()))\n"
    )
    palio = Path(sys.executable).with_name("palio")
    (stranger.parent / "imported").touch()
    (stranger.parent / "imported").chmod(0o666)  # a confined bot has another user
    run = subprocess.run([str(palio), *verb], capture_output=True, text=True, timeout=120, check=False)
    assert imported(stranger) == ""
    assert run.returncode == 0 or verb == ("doctor",), run.stdout + run.stderr


@pytest.mark.slow
def test_our_commands_started_as_a_module_run_none_of_a_folders_modules(stranger):
    for name in PACKAGES:  # whoever names the module has Python look for the package itself here first
        (stranger / name / "__init__.py").unlink()
        (stranger / name).rmdir()
    for name in BEFORE_US:
        (stranger / f"{name}.py").unlink()
    run = subprocess.run(
        [sys.executable, "-m", "palio_clients", "check-game", "dominoes", "--help"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, imported(stranger).replace("sitecustomize\n", "")) == (0, ""), run.stderr
