"""Where machine code is kept, that it is the same from there, and that every kernel keeps the rules of its room."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import palio_clients.kernels as package
from palio_clients.games import companion_of
from palio_clients.kernels import MISSING, available, jit
from palio_rules.registry import games

STORY = """
import json
from palio_clients.kernels import bits
from palio_clients.games.breakthrough.kernels import perft
from palio_clients.games.breakthrough.kernels.workspace import _count, _perft
from palio_rules.games.breakthrough import Position, board_of
board = board_of(5, 4)
found = [perft(Position(board, *board.home), depth) for depth in range(7)]
hits = sum(sum(kernel.stats.cache_hits.values()) for kernel in (_perft,))
misses = sum(sum(kernel.stats.cache_misses.values()) for kernel in (_perft,))
print(json.dumps([found, hits, misses]))
"""


def report(cache, **environment):
    """What a fresh process finds, and how often it has read machine code and compiled it."""
    done = subprocess.run(
        [sys.executable, "-c", STORY],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.slow
def test_what_comes_from_the_cache_finds_the_same_as_what_was_compiled(tmp_path):
    compiled, cached = report(tmp_path), report(tmp_path)
    assert compiled[0] == cached[0]
    assert (compiled[1:], cached[1:]) == ([0, 1], [1, 0])
    kept = {file.relative_to(tmp_path).parts[0] for file in tmp_path.rglob("*.nbi")}
    assert len(kept) == 1
    assert kept.pop().startswith("palio-kernels-")


@pytest.mark.slow
def test_kernels_work_where_nothing_can_be_kept(tmp_path):
    nowhere = tmp_path / "file"
    nowhere.write_text("")
    assert report(nowhere)[0] == report(tmp_path)[0]


@pytest.fixture
def afresh():
    jit.cache_directory.cache_clear()
    yield
    jit.cache_directory.cache_clear()


def test_the_users_own_cache_is_the_default(tmp_path, monkeypatch, afresh):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert jit.cache_directory(Path(jit.__file__).parent).parent == tmp_path


@pytest.mark.parametrize("changed", ["jit.py", "game/workspace.py"])
def test_a_change_of_any_source_begins_a_new_cache(tmp_path, monkeypatch, changed):
    for name in ("jit.py", "game/workspace.py", "other/workspace.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x = 1")
    monkeypatch.setattr(jit, "__file__", str(tmp_path / "jit.py"))
    before = jit._digest(tmp_path / "game")
    (tmp_path / "other" / "workspace.py").write_text("x = 2")
    assert jit._digest(tmp_path / "game") == before, "other games are no reason to compile this one anew"
    (tmp_path / changed).write_text("x = 2")
    assert jit._digest(tmp_path / "game") != before


def test_numba_keeps_its_own_settings(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    jit.kernel(lambda x: x)
    assert str(tmp_path) == numba.config.CACHE_DIR


def test_it_is_known_whether_numba_is_there(monkeypatch):
    assert available()
    monkeypatch.setattr(package, "find_spec", lambda _name: None)
    assert not available()
    assert "pip install" in MISSING


def test_a_numba_that_refuses_to_be_imported_is_none_and_its_reason_is_reported(monkeypatch):
    def refused(_name):
        raise ImportError("Numba needs NumPy 2.2 or less. Got NumPy 2.9.\nSee its page.")

    package._broken.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(package, "import_module", refused)
        assert not available()
        assert package.missing().startswith("numba cannot be imported (Numba needs NumPy 2.2 or less. Got NumPy 2.9):")
    package._broken.cache_clear()
    assert package.missing() is None


def test_the_rules_can_be_read_without_numba():
    story = (
        "import sys; sys.modules['numba'] = sys.modules['numpy'] = None; "
        "import palio_clients.kernels as kernels; print(kernels.MISSING)"
    )
    done = subprocess.run([sys.executable, "-c", story], capture_output=True, text=True, check=True)
    assert "numba is not installed" in done.stdout


GAMES = tuple(name for name in games() if companion_of(name).kernels() is not None)

STORY_OF_A_GAME = """
import json, sys
from importlib import import_module
from numba.core.dispatcher import Dispatcher
from palio_rules.registry import game
package = import_module(f"palio_clients.games.{sys.argv[1]}.kernels")
package.warm_up()
found = {}
for module in [name for name in sys.modules if name.startswith("palio_clients.") and ".kernels." in name]:
    for name, value in vars(sys.modules[module]).items():
        if isinstance(value, Dispatcher) and value.__module__ == module:
            used = value.py_func.__code__.co_names
            origins = [getattr(value.py_func.__globals__.get(each), "__module__", None) or "" for each in used]
            found[f"{module}.{name}"] = {
                "signatures": [[str(each)[:20] for each in signature] for signature in value.signatures],
                "recursive": name in used,
                "nogil": value.targetoptions["nogil"],
                "foreign": [each for each in origins if each.startswith("palio_") and ".kernels" not in each],
                "kernel": value,
            }
if hasattr(package, "engine"):
    rules = game(sys.argv[1])
    state, engine = rules.start(rules.options_type()), package.engine(rules.options_type())
    for _ in range(10):
        state = state.play(engine.best(state, max_nodes=300).move)
for name, facts in found.items():
    facts["late"] = len(facts.pop("kernel").signatures) - len(facts["signatures"])
print(json.dumps(found))
"""


def warmed_up(game, cache):
    """What a fresh process knows of each kernel of `game` after warming up; it must not crash."""
    done = subprocess.run(
        [sys.executable, "-c", STORY_OF_A_GAME, game],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.slow  # compiles all there is of a game
@pytest.mark.parametrize("game", GAMES)
def test_kernels_keep_the_rules_and_come_back_from_the_cache(game, tmp_path):
    found = warmed_up(game, tmp_path)
    assert len(found) > 10
    for name, facts in found.items():
        types = facts["signatures"]
        assert not facts["recursive"] or len(types) == 1, f"{name} is recursive and was compiled for {types}"
        assert facts["nogil"], f"{name} holds the interpreter's lock"
        assert not facts["foreign"], f"{name} has frozen what is defined elsewhere"
        assert not facts["late"], f"{name} was compiled while the clock ran"
    cached = warmed_up(game, tmp_path)
    assert set(cached) == set(found)
    assert not [name for name, facts in cached.items() if facts["late"]], "read while the clock ran"


def test_sources_are_found_where_the_cache_looks_for_them():
    assert (Path(jit.__file__).parent / "table.py").exists()
    for name in GAMES:
        kernels = companion_of(name).kernels()
        assert len(list(Path(kernels.__file__).parent.glob("*.py"))) > 1
