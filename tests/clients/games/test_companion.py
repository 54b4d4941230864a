"""One lookup finds what is known of a game, whatever it is called; what nobody has written works by the rules alone."""

import subprocess
import sys

import pytest

from palio_clients.games import Companion, companion_of
from palio_clients.search.game_tree import never
from palio_clients.solving.budget import Budget
from palio_clients.solving.solver import ProofSolver
from palio_rules.errors import BadOption
from palio_rules.registry import game, games

NAMES = ("proof", "task", "budget", "solver", "planning", "table", "kernels", "evaluation", "a.b", "os.path", "", "..")


@pytest.mark.parametrize("name", games())
def test_every_game_that_ships_has_a_companion_and_always_the_same(name):
    assert type(companion_of(name)) is not Companion
    assert companion_of(name) is companion_of(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_game_may_be_named_like_a_module_of_ours_or_with_a_dot(nim, name):
    rules = type("Named", (type(nim),), {"name": name})()
    state = rules.start(rules.options_type(heaps=3))
    companion = companion_of(name)
    assert type(companion) is Companion
    solver = companion.solver(rules)
    assert isinstance(solver, ProofSolver)
    assert solver.solve(state, Budget()).verdict == "loss"
    engine = companion.engine(rules, rules.options_type())
    assert (
        engine.remark == f"nobody has compiled {name} yet: the readable search plays instead, hundreds of times slower"
    )
    assert companion.adviser(rules).advise(state, 2, never).text.startswith("limit 2: value ")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "solver_only",
            "the companion of 'solver_only' is no subclass of palio_clients.games.Companion; mend its entry",
        ),
        (
            "absent",
            "'absent' cannot be imported: ModuleNotFoundError: No module named 'palio_nim_absent'; mend its entry",
        ),
    ],
)
def test_what_is_installed_as_a_companion_and_is_none_is_refused_with_the_remedy(nim, name, message):
    with pytest.raises(BadOption) as caught:
        companion_of(name)
    assert message in str(caught.value)


def test_a_race_without_a_problem_is_neither_planned_nor_solved():
    rules = game("rush_hour")
    assert not Companion().plans
    assert companion_of("rush_hour").plans
    assert Companion().adviser(rules) is None
    with pytest.raises(BadOption, match="rush_hour cannot be solved here: nobody has written down"):
        Companion().solver(rules)


def test_nothing_heavy_is_imported_until_it_is_asked_for():
    """Looking all companions up needs neither numba nor numpy nor a screen."""
    story = (
        "import sys; from palio_clients.games import companion_of; from palio_rules.registry import games\n"
        "known = [name for name in games() if companion_of(name).adviser]\n"
        "print(len(known), *({'numba', 'numpy', 'textual', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", story], capture_output=True, text=True, check=True)
    assert done.stdout == "9\n"
