"""The arrows of the house point down: a contract that is broken fails here, as it does in `make check`."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {"palio_rules": "rules", "palio_clients": "clients", "palio_server": "server", "palio_db": "db"}

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
def house(tmp_path):
    """An empty house with the same rooms and the same contracts."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for package, folder in PACKAGES.items():
        (tmp_path / folder / package).mkdir(parents=True)
        (tmp_path / folder / package / "__init__.py").write_text("")
    return tmp_path


def test_every_import_of_ours_points_down():
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


def test_an_empty_house_keeps_the_contracts(house):
    assert lint(house).returncode == 0


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("palio_server", "palio_clients"),
        ("palio_clients", "palio_server"),
        ("palio_clients", "palio_db"),
        ("palio_db", "palio_server"),
        ("palio_db", "palio_clients"),
        ("palio_rules", "palio_db"),
        ("palio_rules", "palio_server"),
        ("palio_rules", "palio_clients"),
    ],
)
def test_an_import_that_points_up_breaks_a_contract(house, importer, imported):
    module = house / PACKAGES[importer] / importer / "module.py"
    module.write_text(f"def late():\n    import {imported}\n    return {imported}\n")
    done = lint(house)
    assert done.returncode != 0
    assert "BROKEN" in done.stdout


def test_the_rules_lean_on_msgspec_and_nothing_else():
    code = (
        "import sys, palio_rules.record_text, palio_rules.wire, palio_rules.live\n"
        "from palio_rules.registry import game\n"
        "import palio_rules.instances.files\n"
        "for name in ('breakthrough', 'chexers', 'chexers_solo', 'dominoes', 'end_of_the_track', 'rush_hour', 'tsp'):\n"
        "    game(name)\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=60, check=True)
    loaded = {name for name in done.stdout.split() if not name.startswith("_")}
    assert loaded - {"typing_extensions"} == {"msgspec", "palio_rules"}  # msgspec looks for the former if it is there
