"""Students' own files play as they were handed in, each in its own process; a broken one loses cleanly."""

import asyncio
import re
import subprocess
import sys
import textwrap
import time
from types import SimpleNamespace

import pytest

from palio_clients.clock import Clock
from palio_clients.failures import BadBot, PlayerFailed, Resign
from palio_clients.handouts.adapters.tsp import TspCoursework, _Watched
from palio_clients.loader import load
from palio_rules import registry
from palio_rules.errors import Rejection

DOMINOES = """
    import random

    print("loading")

    def create_dominoes_game(rows, cols):
        return DominoesGame([[False] * cols for i in range(rows)])

    class DominoesGame(object):
        def __init__(self, board):
            self.board = board
            self.rows = len(board)
            self.cols = len(board[0])

        def is_legal_move(self, row, col, vertical):
            r, c = (row + 1, col) if vertical else (row, col + 1)
            return r < self.rows and c < self.cols and not self.board[row][col] and not self.board[r][c]

        def legal_moves(self, vertical):
            return [(r, c) for r in range(self.rows) for c in range(self.cols) if self.is_legal_move(r, c, vertical)]

        def get_random_move(self, vertical):
            return random.choice(list(self.legal_moves(vertical)))

        def get_best_move(self, vertical, limit):
            print("searching to", limit)
            moves = self.legal_moves(vertical)
            return (moves[-1], len(moves), limit)
"""
RANDOM_ONLY = DOMINOES[: DOMINOES.index("        def get_best_move")]

PLAYER_AI = """
    import breakthrough

    class PlayerAI:
        def __init__(self):
            self.moves = 0

        def make_move(self, board):
            self.moves += 1
            print(self.moves)
            for r, row in enumerate(board):
                for c, tile in enumerate(row):
                    for side in (0, -1, 1):
                        src, dst = (r, c), (r + 1, c + side)
                        if breakthrough.is_valid_move(board, src, dst, breakthrough.Player.BLACK):
                            return src, dst
"""

PS2 = """
    from typing import Callable
    import copy
    import breakthrough

    def evaluate(board):
        return sum(row.count("B") for row in board) - sum(row.count("W") for row in board)

    def generate_valid_moves(board, current_player):
        cells = [(r, c) for r in range(len(board)) for c in range(len(board[0]))]
        near = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        return [((r, c), (r + i, c + j)) for r, c in cells for i, j in near
                if breakthrough.is_valid_move(board, (r, c), (r + i, c + j), current_player)]

    def minimax(board, depth, max_depth, current_player, generate_valid_moves: Callable):
        if depth == max_depth or breakthrough.is_game_over(board):
            return evaluate(board), breakthrough.MOVE_NONE
        best = None
        for src, dst in generate_valid_moves(board, current_player):
            after = breakthrough.make_move(board, src, dst, current_player, False)
            value, _ = minimax(after, depth + 1, max_depth, current_player.get_opponent(), generate_valid_moves)
            if best is None or (value > best[0]) == (current_player == breakthrough.Player.BLACK) and value != best[0]:
                best = value, (src, dst)
        return best

    def minimax_alpha_beta(board, depth, max_depth, alpha, beta, current_player, generate_valid_moves):
        assert (alpha, beta) == (-breakthrough.INF, breakthrough.INF)
        return minimax(board, depth, max_depth, current_player, generate_valid_moves)
"""

POLICIES = """
    import numpy as np
    from game import BoardState, GameSimulator, Rules

    class Player:
        def policy(self, decode_state):
            raise NotImplementedError

    class Lowest(Player):
        def __init__(self, gsp, player_idx):
            self.sim, self.player_idx = GameSimulator(None), player_idx
            assert gsp.initial_state[1] == player_idx

        def policy(self, decode_state):
            board = self.sim.game_state
            for i, cr in enumerate(decode_state):
                board.update(i, board.encode_single_pos(cr))
            idx, pos = sorted(self.sim.generate_valid_actions(self.player_idx))[0]
            return (np.int64(idx), np.int64(pos)), 0.5
"""

CLIMBER = """
    import random

    def hill_climbing(cities, distances, transition, evaluation_func):
        route = random.sample(range(cities), cities)
        return max(transition(route), key=lambda near: evaluation_func(cities, distances, near))
"""


# --- good files -------------------------------------------------------------------------------------------------------


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


# --- broken files -----------------------------------------------------------------------------------------------------


async def failure(game, spec):
    """How a file fails, on being loaded or asked."""
    with pytest.raises(PlayerFailed) as caught:
        await game.ask(await game.sit(spec))
    return str(caught.value)


def best(body):
    return f"class DominoesGame:\n    def __init__(self, board): pass\n    def get_best_move(self, v, limit): {body}\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import nowhere", r'^Traceback.*\n  File ".*hw4\.py", line 1, in <module>(.|\n)*No module named .nowhere.$'),
        (
            best("return limit / 0"),
            r'^Traceback.*\n  File ".*hw4\.py", line 3, in get_best_move(.|\n)*ZeroDivisionError',
        ),
        (best("return self.get_best_move(v, limit)"), "RecursionError"),
        (best("exit(3)"), "SystemExit: 3"),
        (best("import os; os._exit(3)"), r"^hw4\.py exited with status 3 in mid-match"),
        (best("return input()"), "EOFError"),
        (best("return (0, 0)"), r"^get_best_move returned \(0, 0\), the handout asks for \(move, value, leaves\)$"),
        (best("return object(), 1, 1"), r"^the file returned <object object at .*> for a move, which is none"),
        (best("return 10**30, 1, 1"), "a move that cannot be sent"),
        ("def get_best_move(): pass", r"^hw4\.py has no DominoesGame; keep the handout's own names$"),
        ("class DominoesGame:\n    def __init__(self, b): pass", r"DominoesGame of hw4\.py has no get_random_move"),
    ],
)
async def test_an_exception_is_a_clean_loss_with_its_traceback(write, table, text, told):
    write("hw4.py", text)
    game = table("dominoes")
    reason = await failure(game, "handout:dominoes:hw4.py")
    assert re.search(told, reason), reason
    assert "palio_clients" not in reason
    assert not game.reports


@pytest.mark.parametrize("move", ["(-1, 0)", "[0, 0.5]", "None", "'a1'", "(9, 9)"])
async def test_a_move_that_is_none_is_the_referees_to_refuse(write, table, move):
    write("hw4.py", best(f"return {move}, 0, 1"))
    game = table("dominoes")
    player = await game.sit("handout:dominoes:hw4.py")
    with pytest.raises(Rejection):
        await game.ask(player)


async def test_an_action_without_its_value_is_the_referees_to_refuse(write, table):
    write("mine.py", "def policy(decode_state): return (0, 14)")
    game = table("end_of_the_track")
    player = await game.sit("handout:end_of_the_track:mine.py")
    with pytest.raises(Rejection, match="got 0"):
        await game.ask(player)


async def test_a_player_ai_without_a_move_is_the_referees_to_refuse(write, table):
    write("template.py", "class PlayerAI:\n    def make_move(self, board): return None\n")
    game = table("breakthrough", first="white")
    player = await game.sit("handout:breakthrough:template.py", 1)
    with pytest.raises(Rejection, match="got None"):
        await game.ask(player)


@pytest.mark.parametrize(
    ("course", "text", "told"),
    [
        ("breakthrough", "x = 1", "has neither PlayerAI nor a search"),
        ("end_of_the_track", "x = 1", "has no policy"),
        ("tsp", "x = 1", "has no hill_climbing"),
        (
            "end_of_the_track",
            "class A:\n    def policy(self, s): pass\nclass B:\n    def policy(self, s): pass\n",
            "mine.py has 2 players; choose one: player=A or player=B",
        ),
        (
            "end_of_the_track",
            "class A:\n    def __init__(self, depth): pass\n    def policy(self, s): pass\n",
            "A of mine.py asks for 'depth', which nobody has here",
        ),
        (
            "end_of_the_track",
            "def policy(s): return 14\n",
            r"policy returned 14, the handout asks for \(action, value\)",
        ),
    ],
)
async def test_a_file_that_is_not_what_its_handout_asks_for_is_told_so(write, table, course, text, told):
    write("mine.py", text)
    assert re.search(told, await failure(table(course), f"handout:{course}:mine.py"))


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("handout:dominoes", r"names no file; write handout:COURSE:path/to/file\.py"),
        ("handout:dominoes:", "names no file"),
        ("handout:domino:hw4.py", r"there is no course 'domino'; did you mean 'dominoes'\?"),
        ("handout:dominoes:hw5.py", r"there is no file 'hw5\.py'; check the path"),
        ("handout:dominoes:hw4.py:limt=3", r"has no setting 'limt'; did you mean 'limit'\?"),
        ("handout:dominoes:hw4.py:limit=x", "setting limit='x': expected `int`"),
        ("handout:dominoes:hw4.py:limit=3,limit=4", "sets 'limit' twice"),
        ("handout:dominoes:broken.py", r"broken\.py cannot be loaded: SyntaxError: .*line 1"),
    ],
)
def test_a_spec_that_cannot_be_meant_is_told_with_the_remedy(write, spec, told):
    write("hw4.py", DOMINOES)
    write("broken.py", "def f(:\n")
    with pytest.raises(BadBot, match=told):
        load(spec)


def test_its_usual_name_has_the_folder_because_in_a_course_all_files_are_called_alike(write):
    write("alice/adversarial_search.py", DOMINOES)
    assert load("handout:dominoes:alice/adversarial_search.py").name == "alice-adversarial_search"
    assert load("handout:dominoes:alice/adversarial_search.py:limit=2").name == "alice-adversarial_search-limit2"
    assert load("handout:dominoes:alice/adversarial_search.py").games == ("dominoes",)


async def test_files_of_a_students_folder_do_not_break_the_runner(write, table):
    for name in ("random", "json", "queue", "palio_rules", "game", "search"):
        write(f"{name}.py", "raise RuntimeError('the wrong one')" if name != "game" else "x = 1")
    write("hw4.py", "import random, game\nassert game.x == 1\n" + best("return (0, 0), random.random(), 1"))
    game = table("dominoes")
    player = await game.sit("handout:dominoes:hw4.py")
    assert await game.ask(player) == (0, 0)


async def test_a_file_without_end_is_ended_with_the_match(write, table, monkeypatch):
    monkeypatch.setattr("palio_clients.stdio.LEAVE_S", 0.05)
    write("hw4.py", "while True: pass")
    game = table("dominoes")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1):
            await game.sit("handout:dominoes:hw4.py")
    process = game.players[0]._process
    await game.players[0].close()
    assert process.returncode is not None


def test_a_file_whose_listener_is_gone_does_not_run_on(write):
    """The pipe is closed in mid-thought, as by kill -9 of whoever listens."""
    write("hw4.py", "print('up', flush=True)\nwhile True: pass")
    command = [sys.executable, "-P", "-m", "palio_clients.handouts.run", "dominoes", "hw4.py"]
    game = (
        '{"type":"game","match":"m","game":"dominoes","options":{},"setup":"","seat":0,"seats":[],'
        '"time":{"base_ms":null,"increment_ms":0,"move_ms":null,"margin_ms":200},"strikes":3}\n'
    )
    done = subprocess.run(command, input=game, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "up" in done.stderr


def test_a_wrong_command_line_is_answered():
    command = [sys.executable, "-P", "-m", "palio_clients.handouts.run", "domino", "x.py"]
    done = subprocess.run(command, input="", capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 2
    assert "there is no course 'domino'" in done.stderr
