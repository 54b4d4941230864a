"""Students' own files play as they were handed in, each in its own process."""

import textwrap
import time
from types import SimpleNamespace

import pytest
from student_files import CLIMBER, DOMINOES, PLAYER_AI, POLICIES, PS2, RANDOM_ONLY

from palio_clients.clock import Clock
from palio_clients.failures import PlayerFailed, Resign
from palio_clients.handouts.adapters.tsp import TspCoursework, _Watched
from palio_rules import registry


async def test_a_dominoes_game_plays_by_its_best_move(write, table, capfd):
    write("adversarial_search.py", DOMINOES)
    game = table("dominoes", rows=3, cols=3)
    spec = "handout:dominoes:adversarial_search.py:limit=2"
    assert await game.play(spec, spec) in [(1.0, 0.0), (0.0, 1.0)]
    assert game.moves[0] == (1, 2)
    assert (game.infos[0].depth, game.infos[0].score, game.infos[0].nodes) == (2, 6.0, 2)
    assert not game.reports  # what it printed did not reach the protocol
    assert "searching to 2" in capfd.readouterr().err


@pytest.mark.parametrize(("text", "settings"), [(RANDOM_ONLY, ""), (DOMINOES, ":play=random")])
async def test_a_dominoes_game_may_play_at_random(write, table, text, settings):
    write("hw4.py", text)
    game = table("dominoes", rows=4, cols=4)
    await game.play(f"handout:dominoes:hw4.py{settings}", f"handout:dominoes:hw4.py{settings}")
    assert len(game.moves) >= 4


async def test_a_player_ai_always_plays_black(write, table):
    """Both play "the first pawn straight ahead": for White that is the last row, and the same column."""
    write("alice/template.py", PLAYER_AI)
    game = table("breakthrough")
    spec = "handout:breakthrough:alice/template.py"
    await game.play(spec, spec)
    assert game.moves[:2] == [((1, 0), (2, 0)), ((4, 0), (3, 0))]
    assert not game.reports


@pytest.mark.parametrize("search", ["", ":search=minimax", ":search=minimax_alpha_beta,limit=1"])
async def test_a_search_of_problem_set_2_plays_both_colours(write, table, search):
    write("ps2.py", PS2)
    game = table("breakthrough", rows=4, cols=3)
    spec = f"handout:tsp_and_breakthrough:ps2.py{search or ':limit=2'}"
    scores = await game.play(spec, spec)
    assert sorted(scores) == [0.0, 1.0]
    assert game.infos[0].depth == (1 if "limit=1" in search else 3 if search else 2)


async def test_a_search_without_a_move_generator_is_given_the_handouts(write, table):
    write("ps2.py", PS2[: PS2.index("    def generate_valid_moves")] + PS2[PS2.index("    def minimax(") :])
    game = table("breakthrough", rows=4, cols=3)
    await game.ask(await game.sit("handout:breakthrough:ps2.py:limit=1"))


async def test_a_students_own_breakthrough_module_comes_before_ours(write, table):
    write("breakthrough.py", "raise RuntimeError('my own')")
    write("ps2.py", "import breakthrough")
    with pytest.raises(PlayerFailed, match="RuntimeError: my own"):
        await table("breakthrough").sit("handout:breakthrough:ps2.py")


async def test_a_policy_plays_either_side(write, table):
    write("agents.py", POLICIES)
    game = table("end_of_the_track", max_plies=6)
    assert await game.play("handout:end_of_the_track:agents.py", "handout:end_of_the_track:agents.py:player=Lowest")
    assert game.moves[0] == (0, 10)
    assert game.infos[0].score == 0.5


async def test_a_policy_may_be_a_function(write, table):
    write("mine.py", "def policy(decode_state):\n    return (0, 14), None\n")
    game = table("end_of_the_track")
    player = await game.sit("handout:end_of_the_track:mine.py")
    assert await game.ask(player) == (0, 14)


async def test_a_climber_hands_in_a_route_for_each_climb_and_then_no_more(write, table):
    write("ps2.py", CLIMBER)
    game = table("tsp", size=6)
    player = await game.sit("handout:tsp:ps2.py:repeats=2")
    for _ in range(2):
        tour = await game.ask(player)
        game.moves.append(tour)
        assert sorted(tour) == list(range(6))
    with pytest.raises(Resign):
        await game.ask(player)


ENDLESS_CLIMBER = """
    import itertools

    def transition(route):
        return []

    def evaluation_func(cities, distances, route):
        return 0

    def hill_climbing(cities, distances, transition, evaluation_func):
        for route in itertools.cycle(itertools.permutations(range(cities))):
            try:
                evaluation_func(cities, distances, list(route))
            except Exception:
                pass
"""


def test_of_a_climb_that_the_bell_would_cut_off_the_best_route_so_far_is_handed_in():
    rules, bot = registry.game("tsp"), TspCoursework()
    bot.module = SimpleNamespace()
    exec(textwrap.dedent(ENDLESS_CLIMBER), vars(bot.module))
    options = rules.parse_options({"size": 5})
    bot.prepare(rules, options, 0)
    state = rules.start(options)
    at_the_last_call = Clock(deadline=time.monotonic())
    assert bot.choose(state, at_the_last_call) == [0, 1, 2, 3, 4]  # the first one that it asks about
    with pytest.raises(Resign):
        bot.choose(state, at_the_last_call)


def test_the_route_that_is_handed_in_is_the_best_that_was_asked_about():
    watched = _Watched(lambda cities, distances, route: distances[route[0]], time.monotonic() + 3600)
    for route in ([1, 0, 2], [2, 1, 0], [0, 1, 2]):
        watched(3, [5.0, 7, 9], route)
    watched(3, ["no number"] * 3, [0, 2, 1])
    assert watched.best == [2, 1, 0]


@pytest.mark.parametrize(
    ("course", "file"),
    [
        ("dominoes", "dominoes/adversarial_search.py:limit=1"),
        ("breakthrough", "tsp_and_breakthrough/ps2.py:limit=1"),
        ("tsp", "tsp_and_breakthrough/ps2.py:repeats=1"),
    ],
)
async def test_our_own_modules_are_files_like_any_other(table, handout_folder, course, file):
    game = table(course)
    player = await game.sit(f"handout:{course}:{handout_folder(file)}")
    await game.ask(player)
