"""The arrows between the rooms point down: a contract that is broken fails here, as it does in `make check`."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("rules", "clients", "server", "db")
PACKAGES = {"palio": "palio", **{f"palio_{folder}": folder for folder in FOLDERS}}

ADDONS = [  # some, which the core must not import
    *("palio_rules.addons.openspiel", "palio_clients.addons.llm", "palio_clients.engines"),
    *("palio_server.addons.cluster", "palio_server.addons.shared"),
]

CODE = """
import sys
from importlinter.cli import lint_imports
sys.exit(lint_imports(config_filename=sys.argv[1], no_cache=True))
"""


def lint(folder):
    """Run the contracts of `folder`'s pyproject.toml over the packages there."""
    paths = [str(folder / parent) for parent in PACKAGES.values()]
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {paths}\n{CODE}", str(folder / "pyproject.toml")],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        cwd=folder,
    )


@pytest.fixture
def tree(tmp_path):
    """Empty packages with the same rooms and the same contracts."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for module in {*PACKAGES, *rooms(), *chain(*excused()), *ADDONS}:
        parts = module.split(".")
        for depth in range(1, len(parts) + 1):
            package = path_of(tmp_path, ".".join(parts[:depth]))
            package.mkdir(parents=True, exist_ok=True)
            (package / "__init__.py").touch()
    for importer, imported in excused():
        with (path_of(tmp_path, importer) / "__init__.py").open("a") as module:
            module.write(f"import {imported}\n")
    return tmp_path


def rooms():
    """Every module that a contract names."""
    for contract in contracts():
        for key in ("source_modules", "forbidden_modules", "modules", "ancestors"):
            yield from contract.get(key, ())
        for container in contract.get("containers", ()):
            for layer in contract["layers"]:
                yield from (f"{container}.{room.strip()}" for room in re.split("[|:]", layer))


def excused():
    """The imports that a contract lets pass, as (importer, imported): they have to be there."""
    for contract in contracts():
        yield from (line.split(" -> ") for line in contract.get("ignore_imports", ()))


def contracts():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]


def path_of(folder, module):
    return folder / PACKAGES[module.partition(".")[0]] / module.replace(".", "/")


def test_every_import_of_ours_points_down():
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


def test_empty_rooms_keep_the_contracts(tree):
    assert lint(tree).returncode == 0


@pytest.mark.first(4)
@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("palio_server.arena", "palio_server.addons.shared"),
        ("palio_server", "palio_clients"),
        ("palio_clients", "palio_server"),
        ("palio_clients", "palio_db"),
        ("palio_db", "palio_server"),
        ("palio_db", "palio_clients"),
        ("palio_rules", "palio_db"),
        ("palio_rules", "palio_server"),
        ("palio_rules", "palio_clients"),
        ("palio_clients", "palio"),
        ("palio_clients.sdk", "palio_clients.search"),
        ("palio_clients.sdk", "palio_clients.handouts"),
        ("palio_server.match", "palio_db"),
        ("palio_server.match", "palio_server.bus"),
        ("palio_server.match", "palio_server.live"),
        ("palio_server.lobby", "palio_server.arena"),
        ("palio_server.tournament", "palio_db.database"),
        ("palio_server.ratings", "palio_server.arena"),
        ("palio_server.live", "palio_server.network"),
        ("palio_server.server", "palio_server.addons.shared"),
        ("palio_server.cli", "palio_server.addons.cluster"),
        ("palio_rules.registry", "palio_rules.addons.openspiel"),
        ("palio_clients.sdk", "palio_clients.addons.llm"),
        ("palio_clients.cli", "palio_clients.engines"),
    ],
)
def test_an_import_that_points_up_breaks_a_contract(tree, importer, imported):
    with (path_of(tree, importer) / "__init__.py").open("a") as module:
        module.write(f"def late():\n    import {imported}\n    return {imported}\n")
    done = lint(tree)
    assert done.returncode != 0
    assert "BROKEN" in done.stdout
    assert f"{importer} -> {imported}" in done.stdout


def test_the_maps_table_names_what_is_there():
    rows = re.findall(r"^\| `(\w+/\w+)` \| (.+) \|$", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE)
    assert len(rows) == len(PACKAGES)
    for folder, about in rows:
        rooms, _, addons = about.partition("Add-ons: ")
        for place in (ROOT / folder, ROOT / folder / "addons"):
            named = (
                re.findall(r"`(\w+(?:/|\.py))`", rooms) if place.name != "addons" else re.findall(r"`(\w+)`", addons)
            )
            there = {f"{each.name}/" if each.is_dir() else each.name for each in place.glob("*")}
            assert [each for each in named if not {each, f"{each}/", f"{each}.py"} & there] == []


def test_the_contract_of_games_names_every_game():
    (named,) = (contract["modules"] for contract in contracts() if contract["type"] == "independence")
    folders = path_of(ROOT, "palio_clients.games").glob("*/__init__.py")
    assert named == sorted(f"palio_clients.games.{path.parent.name}" for path in folders)


def test_the_rules_lean_on_msgspec_and_nothing_else(loaded_by):
    code = (
        "import palio_rules.records.text, palio_rules.contract.codec\n"
        "from palio_rules.registry import game\n"
        "import palio_rules.instances.files\n"
        "games = 'breakthrough chess chexers chexers_solo dominoes end_of_the_track rush_hour tsp'.split()\n"
        "for name in games:\n"
        "    game(name)"
    )
    assert loaded_by(code) == {"msgspec", "palio_rules"}


@pytest.mark.parametrize(("package", "parent"), PACKAGES.items())
def test_nothing_is_raised_within_except_star(package, parent):
    """Before Python 3.11.4 it would leave in a group of its own, and no `except` outside would know it."""
    for path in (ROOT / parent / package).rglob("*.py"):
        groups = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.TryStar)]
        raised = [each for group in groups for node in group.handlers for each in ast.walk(node)]
        assert not any(isinstance(node, ast.Raise) for node in raised), path
