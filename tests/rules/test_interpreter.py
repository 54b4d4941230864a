"""No process of Palio's imports from the caller's folder: one function starts Python, and the others ask it."""

import ast
import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from palio_rules import registry
from palio_rules.interpreter import BY_US, SAFE_PATH, python, without_safe_path

ROOT = Path(__file__).parents[2]
READY = ROOT / "clients" / "palio_clients" / "grading" / "ready"  # a course's tests: they start students' programs
PRODUCT = [
    path
    for name in ("rules", "clients", "server", "db")
    for path in sorted((ROOT / name).rglob("*.py"))
    if path != ROOT / "rules" / "palio_rules" / "interpreter.py" and READY not in path.parents
]
SHADOWS = ("msgspec", "json", "random", "click", "typing", "asyncio", "numpy", "rich", "websockets", "sitecustomize")
BEFORE_US = ("types", "numbers")  # what `python -m` itself may import before any of our lines runs
LIBRARIES = ("sqlalchemy", "starlette", "uvicorn", "uvloop", "distributed", "dask", "tornado", "cloudpickle", "numba")
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


def test_a_users_own_wish_for_a_safe_path_is_kept():
    assert without_safe_path({SAFE_PATH: BY_US, "A": "b"}) == {"A": "b"}
    assert without_safe_path({SAFE_PATH: "1"}) == {SAFE_PATH: "1"}


@pytest.fixture
def hostile(stranger):
    """The same, with a shadow of each module of Python's own, and of each library."""
    code = (stranger / "json.py").read_text()
    for name in (*sys.stdlib_module_names, *LIBRARIES):
        (stranger / f"{name}.py").write_text(code)
    (stranger.parent / "imported").touch()
    (stranger.parent / "imported").chmod(0o666)  # a confined bot has another user
    return stranger


SMALL = ("--rounds", "1", "-o", "rows=3", "-o", "cols=3", "--db", "sqlite://")


@pytest.mark.slow
@pytest.mark.parametrize(
    "verb",
    [
        ("run", "dominoes", "random", "greedy", *SMALL, "--cluster", "local:1"),
        ("run", "dominoes", "ugi:palio ugi random --game dominoes", "greedy", *SMALL),
        ("run", "dominoes", "random", "greedy", *SMALL),
        ("run", "dominoes", "./bot.py", "random", *SMALL),
        ("check-bot", "random", "--game", "dominoes"),
        ("doctor",),
    ],
    ids=lambda verb: " ".join(verb[:3]),
)
def test_a_command_in_a_strangers_folder_runs_none_of_its_modules(hostile, verb):
    (hostile / "bot.py").write_text(
        "from palio_clients import Bot\n\n\nclass Mine(Bot):\n    def choose(self, state, clock):\n"
        "        return next(iter(state.legal_moves()))\n"
    )
    palio = Path(sys.executable).with_name("palio")
    run = subprocess.run([str(palio), *verb], capture_output=True, text=True, timeout=120, check=False)
    assert imported(hostile) == ""
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


@pytest.mark.slow
def test_a_server_in_a_strangers_folder_starts_its_bots_and_gives_hints_without_its_modules(hostile):
    rules = registry.game("breakthrough")
    state = rules.format_state(rules.start(rules.parse_options({})))
    server = subprocess.Popen(
        [
            str(Path(sys.executable).with_name("palio")),
            "serve",
            "--port",
            "0",
            "--bot",
            "g=greedy",
            "--db",
            "sqlite://",
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        url = re.search(r"http://[0-9.:]+", server.stdout.readline())[0]
        body = json.dumps({"state": state}).encode()
        asked = urllib.request.Request(f"{url}/api/games/breakthrough/hint", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(asked, timeout=60) as answer:
            assert answer.status == 200
    finally:
        server.terminate()
        server.communicate(timeout=30)
    assert imported(hostile) == ""
