"""Files in the forms of other terms play whole games, and one that has no known form is told its line."""

import json
import re

import pytest

from palio_clients.sdk.failures import BadBot, PlayerFailed
from palio_clients.sdk.loader import load

PS2_2025 = """
    from enum import Enum

    class Player(Enum):
        BLACK = "black"
        WHITE = "white"

    INF, WIN = 90129012, 21092109

    def successor(route):
        return [route[:i] + route[i + 1 :] + [route[i]] for i in range(len(route))]

    def hill_climbing(cities, distances, successor, evaluation_func):
        return max(successor(list(range(cities))), key=lambda route: evaluation_func(cities, distances, route))

    def transition(state, action):
        board, player = state
        (r, c), (i, j) = action
        after = [list(row) for row in board]
        after[r][c], after[i][j] = "_", "B" if player is Player.BLACK else "W"
        return after, player

    def minimax(board, depth, max_depth, current_player):
        assert isinstance(current_player, Player)
        own, step = ("B", 1) if current_player is Player.BLACK else ("W", -1)
        for r, row in enumerate(board):
            for c, cell in enumerate(row):
                for j in (c - 1, c, c + 1):
                    if cell == own and 0 <= r + step < len(board) and 0 <= j < len(row):
                        to = board[r + step][j]
                        if to == "_" or (to != own and j != c):
                            assert transition((board, current_player), ((r, c), (r + step, j)))
                            return 0, ((r, c), (r + step, j))

    def minimax_alpha_beta(board, depth, max_depth, alpha, beta, current_player):
        assert (alpha, beta) == (-INF, INF)
        return minimax(board, depth, max_depth, current_player)
"""

PS2_2023 = """
    import utils

    def generate_valid_moves(board):
        return [((r, c), (r + 1, c + s)) for r in range(len(board)) for c in range(len(board[0])) for s in (-1, 0, 1)
                if utils.is_valid_move(board, src=(r, c), dst=(r + 1, c + s))]

    def minimax(board, depth, max_depth, is_black):
        return negamax(board, depth, max_depth)

    def negamax(board, depth, max_depth):
        if depth == max_depth or utils.is_game_over(board=board):
            return -utils.WIN if utils.is_game_over(board) else 0, utils.MOVE_NONE
        best = -utils.INF, utils.MOVE_NONE
        for src, dst in generate_valid_moves(board):
            after = utils.state_change(board=board, src=src, dst=dst, in_place=False)
            score = -negamax(utils.invert_board(board=after, in_place=False), depth + 1, max_depth)[0]
            best = max(best, (score, (src, dst)))
        return best

    def minimax_alpha_beta(board, depth, max_depth, alpha, beta, is_black):
        return negamax(board, depth, max_depth)

    def negamax_alpha_beta(board, depth, max_depth, alpha, beta):
        return negamax(board, depth, max_depth)

    def hill_climbing(cities, distances):
        return list(range(cities))
"""


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("text", "search"),
    [(PS2_2025, each) for each in ("minimax", "minimax_alpha_beta")]
    + [(PS2_2023, each) for each in ("minimax", "minimax_alpha_beta", "negamax", "negamax_alpha_beta")],
)
async def test_the_searches_of_a_term_play_both_colours(write, table, capfd, text, search):
    write("ps2.py", text)
    spec = f"handout:breakthrough:ps2.py:search={search},limit=2"
    assert sorted(await table("breakthrough", rows=4, cols=3).play(spec, spec)) == [0.0, 1.0]
    assert f"of CS2109S {'2025/26' if text is PS2_2025 else '2023/24'}" in capfd.readouterr().err


@pytest.mark.parametrize("text", [PS2_2025, PS2_2023])
async def test_a_climb_of_a_term_hands_in_a_route(write, table, text):
    write("ps2.py", text)
    game = table("tsp", size=5)
    assert sorted(await game.ask(await game.sit("handout:tsp:ps2.py:repeats=1"))) == list(range(5))


async def test_another_number_of_arguments_names_the_line_and_the_signatures_that_are_wanted(write, table):
    write("ps2.py", "\n\ndef minimax(board, depth): pass\nvars()\n")
    with pytest.raises(PlayerFailed) as caught:
        await table("breakthrough").sit("handout:breakthrough:ps2.py")
    assert re.search(
        r"^ps2\.py, line 3: minimax\(board, depth\) takes .* "
        r"minimax\(board, depth, max_depth, current_player, generate_valid_moves\) of CS2109S 2024/25",
        str(caught.value),
    )


GAME_3 = """
    class Player:
        def __init__(self, policy_fnc):
            self.policy_fnc = policy_fnc

        def policy(self, decode_state):
            pass

    class {graded}(Player):
        def __init__(self, gsp, player_idx, search_depth=4):
            super().__init__(gsp.get_actions)
            self.gsp, self.player_idx = gsp, player_idx

        def policy(self, decode_state):
            state = tuple(row * 7 + col for col, row in decode_state), self.player_idx
            return min(self.policy_fnc(state)), 0

    class Careless({graded}):
        def policy(self, decode_state):
            raise RuntimeError("the wrong one")
"""


async def test_the_graded_player_of_assignment_3_plays_wherever_it_stands(write, table):
    write("mine.py", GAME_3.format(graded="AdversarialSearchPlayer"))
    game = table("end_of_the_track", max_plies=4)
    await game.play("handout:end_of_the_track:mine.py", "handout:end_of_the_track:mine.py")
    assert len(game.moves) == 4


async def test_without_it_several_players_are_all_named(write, table):
    write("mine.py", GAME_3.format(graded="Careful"))
    with pytest.raises(BadBot, match=r"2 players .*; choose one: player=Careful or player=Careless"):
        load("handout:end_of_the_track:mine.py")
    write("mine.py", GAME_3.format(graded="Careful") + "\n    vars()\n")
    with pytest.raises(PlayerFailed, match=r"2 players .*; choose one: player=Careful or player=Careless"):
        await table("end_of_the_track").sit("handout:end_of_the_track:mine.py")


# --- before the first match -------------------------------------------------------------------------------------------

KEEP = "; keep the handout's own names"
GIVES = " takes other arguments than the handout gives: "
PLAYER = (
    "class Player:\n    def __init__(self, colour): pass\n    def action(self): return ('MOVE', ((-3, 0), (-2, 0)))\n"
)
UPDATE = "    def update(self, colour, action): pass\n"
SOLVER = "class Solver:\n    def __init__(self, board, heuristic): pass\n    def run(self): pass\n"
SOLUTION = "    def solution(self): return [('c', -2)]\n"
DOMINOES = "class DominoesGame:\n    def __init__(self, board): pass\n"
BEST = "    def get_best_move(self, vertical, limit): return (0, 0), 0, 1\n"
TAKES = "(board, depth, max_depth, current_player, generate_valid_moves) of CS2109S 2024/25, or "

REFUSED = [
    ("dominoes", "x = 1", f"mine.py has no DominoesGame(board){KEEP}"),
    ("dominoes", DOMINOES, f"mine.py, line 1: DominoesGame has no get_best_move(self, vertical, limit){KEEP}"),
    (
        "dominoes",
        BEST.join(["class DominoesGame:\n", ""]),
        f"mine.py, line 1: DominoesGame has no __init__(self, board){KEEP}",
    ),
    (
        "dominoes",
        DOMINOES.replace("board", "rows, cols") + BEST,
        f"mine.py, line 2: __init__(self, rows, cols){GIVES}__init__(self, board)",
    ),
    (
        "dominoes",
        DOMINOES + BEST.replace(", limit", ""),
        f"mine.py, line 3: get_best_move(self, vertical){GIVES}get_best_move(self, vertical, limit)",
    ),
    (
        "dominoes",
        DOMINOES + "    def get_random_move(): pass\n",
        f"mine.py, line 3: get_random_move(){GIVES}get_random_move(self, vertical)",
    ),
    ("chexers", "x = 1", f"mine.py has no Player(colour){KEEP}"),
    ("chexers", PLAYER, f"mine.py, line 1: Player has no update(self, colour, action){KEEP}"),
    (
        "chexers",
        PLAYER.replace("self, colour", "self") + UPDATE,
        f"mine.py, line 2: __init__(self){GIVES}__init__(self, colour)",
    ),
    (
        "chexers",
        f"import abc\nclass Base(object):\n{UPDATE.replace(', action', '')}{PLAYER.replace('Player', 'Player(Base)')}",
        f"mine.py, line 3: update(self, colour){GIVES}update(self, colour, action)",
    ),
    (
        "chexers",
        PLAYER.replace("action(self)", "action(self, state, *, time)") + UPDATE,
        f"mine.py, line 3: action(self, state, *, time){GIVES}action(self)",
    ),
    ("rush_hour", "from math import *", f"mine.py has no Solver(board, heuristic){KEEP}"),
    ("rush_hour", SOLVER, f"mine.py, line 1: Solver has no solution(self){KEEP}"),
    (
        "rush_hour",
        SOLVER.replace(", heuristic", "") + SOLUTION,
        f"mine.py, line 2: __init__(self, board){GIVES}__init__(self, board, heuristic)",
    ),
    (
        "rush_hour",
        f"{SOLVER}{SOLUTION}class Board:\n    pass\n",
        f"mine.py, line 5: Board has no __init__(self, stream){KEEP}",
    ),
    ("tsp", "x = 1", f"mine.py has no hill_climbing(cities, distances, transition, evaluation_func){KEEP}"),
    ("tsp", "def hill_climbing(cities): pass", f"mine.py, line 1: hill_climbing(cities){GIVES}hill_climbing(cities, "),
    ("breakthrough", "x = 1", f"mine.py has neither PlayerAI nor a search{KEEP}"),
    ("breakthrough", "def minimax(board): pass", f"mine.py, line 1: minimax(board){GIVES}minimax{TAKES}"),
    ("breakthrough", "minimax = lambda board: 0", f"mine.py, line 1: minimax(board){GIVES}minimax{TAKES}"),
    (
        "breakthrough",
        "class PlayerAI:\n    def make_move(self): pass",
        f"mine.py, line 2: make_move(self){GIVES}make_move(self, board)",
    ),
    (
        "breakthrough",
        "class PlayerAI:\n    def __init__(self, name): pass\n    def make_move(self, board): pass",
        f"mine.py, line 2: __init__(self, name){GIVES}__init__(self)",
    ),
    ("end_of_the_track", "x = 1", f"mine.py has no policy(decode_state){KEEP}"),
    ("end_of_the_track", "def policy(): pass", f"mine.py, line 1: policy(){GIVES}policy(decode_state)"),
    (
        "end_of_the_track",
        "class Mine:\n    def policy(self, state, player): pass",
        f"mine.py, line 2: policy(self, state, player){GIVES}policy(self, decode_state)",
    ),
    (
        "end_of_the_track",
        "class Mine:\n    def __init__(self, depth): pass\n    def policy(self, s): pass",
        "mine.py, line 1: Mine asks for 'depth', which nobody has here; give it a default, or ask for ",
    ),
]


@pytest.mark.parametrize(("course", "text", "message"), REFUSED)
def test_what_the_text_tells_is_refused_before_the_first_match(write, course, text, message):
    write("mine.py", text)
    with pytest.raises(BadBot) as caught:
        load(f"handout:{course}:mine.py")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


async def played(game, spec):
    """Until after the second answer."""
    player = await game.sit(spec)
    await game.ask(player)
    await game.tell(0, next(game.state.legal_moves()))
    await game.ask(player)


@pytest.mark.parametrize(("course", "text", "message"), REFUSED)
@pytest.mark.first(4)
async def test_what_the_text_hides_is_told_in_the_match_in_the_students_words(write, table, course, text, message):
    """`vars()`: from then on the text is no proof of what the file defines."""
    write("mine.py", f"{text}\nvars()\n")
    game = table(course, **({"board": "...b../...b../aa.b.d/..cccd/....../......"} if course == "rush_hour" else {}))
    with pytest.raises(PlayerFailed) as caught:
        await played(game, f"handout:{course}:mine.py")
    wanted = message.removesuffix(KEEP).rpartition(GIVES)[2].partition("(" if "(" in message else " ")[2]
    assert wanted.rpartition("asks for")[2] in str(caught.value)
    assert "palio_clients" not in str(caught.value)


GIVER = """import functools
def gives(f):
    @functools.wraps(f)
    def given(self, v, n): return f(self, v, n, 0)
    return given
"""
CACHED = "import functools\n@functools.lru_cache(maxsize=None)\ndef score(state): return 0\n"
ABSTRACT = """from abc import ABC, abstractmethod
class Base(ABC):
    @abstractmethod
    def action(self): ...
"""


@pytest.mark.parametrize(
    ("course", "text"),
    [
        ("dominoes", f"{DOMINOES}    def get_best_move(self, *given): return (0, 0), 0, 1\n"),
        ("dominoes", f"{DOMINOES}    def get_best_move(self, vertical, limit, alpha=None): return (0, 0), 0, 1\n"),
        ("dominoes", f"{DOMINOES}    get_best_move = lambda s, v, n: ((0, 0), 0, 1)\n"),
        ("dominoes", f"{DOMINOES}    @staticmethod\n    def get_best_move(vertical, limit): return (0, 0), 0, 1\n"),
        ("dominoes", f"{DOMINOES}    @classmethod\n    def get_best_move(cls, vertical, limit): return (0, 0), 0, 1\n"),
        ("dominoes", f"{DOMINOES}    def best(self, v, n): return (0, 0), 0, 1\n    get_best_move = best\n"),
        ("dominoes", f"{DOMINOES}def best(self, v, n): return (0, 0), 0, 1\nDominoesGame.get_best_move = best\n"),
        ("dominoes", f"{DOMINOES}    def __getattr__(self, name): return lambda v, n: ((0, 0), 0, 1)\n"),
        (
            "dominoes",
            f"{DOMINOES}        self.get_best_move = lambda v, n: ((0, 0), 0, 1)\n".replace(": pass\n", ":\n", 1),
        ),
        ("dominoes", f"{GIVER}{DOMINOES}    @gives\n    def get_best_move(self, v, n, more): return (0, 0), 0, 1\n"),
        ("dominoes", f"class Base:\n    def __init__(self, b): pass\n{BEST}class DominoesGame(Base): pass\n"),
        ("dominoes", f"class A: pass\n{DOMINOES.replace('DominoesGame', 'B')}{BEST}class DominoesGame(A, B): pass\n"),
        ("dominoes", f"class DominoesGame:\n    pass\n{DOMINOES}{BEST}"),
        ("dominoes", f"if True:\n    class DominoesGame(list):\n    {BEST}else:\n    DominoesGame = None\n"),
        ("dominoes", f"try:\n    import nowhere\nexcept ImportError:\n    class DominoesGame(list):\n    {BEST}"),
        ("dominoes", "from beside import DominoesGame"),
        ("dominoes", "from beside import *"),
        ("dominoes", "import beside\nDominoesGame = beside.DominoesGame"),
        ("dominoes", "from beside import Game as DominoesGame"),
        ("dominoes", "from beside import make\nDominoesGame = make()"),
        ("dominoes", "import beside\nglobals().update(vars(beside))"),
        ("dominoes", "import beside\ndef __getattr__(name): return getattr(beside, name)"),
        ("dominoes", "def f():\n    global DominoesGame\n    from beside import DominoesGame\nf()"),
        ("dominoes", f"import dataclasses\n@dataclasses.dataclass\nclass DominoesGame:\n    board: list\n{BEST}"),
        ("dominoes", f"import typing\nclass DominoesGame(typing.NamedTuple):\n    board: list\n{BEST}"),
        ("dominoes", f"class DominoesGame:\n    def __new__(cls, board): return super().__new__(cls)\n{BEST}"),
        ("end_of_the_track", "policy = lambda decode_state: ((0, 14), 0)"),
        ("end_of_the_track", "from functools import partial\npolicy = partial(lambda n, s: ((0, 14), 0), 1)"),
        (
            "end_of_the_track",
            "class A:\n    def __init__(self, n=3): pass\n    def policy(self, s): return (0, 14), 0\nB = A\n",
        ),
        (
            "end_of_the_track",
            f"{CACHED}def policy(decode_state, cache={{}}): return (0, 14), score(tuple(decode_state))",
        ),
        ("chexers", ABSTRACT + PLAYER.replace("Player", "Player(Base)") + UPDATE),
        ("chexers", f"{PLAYER}{UPDATE.replace('colour, action', '*_')}".replace("Player", "ExamplePlayer")),
    ],
)
@pytest.mark.first(4)
async def test_what_can_play_is_never_refused_for_its_looks(write, table, course, text):
    write("beside.py", f"{DOMINOES}{BEST}Game = DominoesGame\ndef make(): return Game\n")
    write("mine.py", text)
    game = table(course)
    await game.ask(await game.sit(f"handout:{course}:mine.py"))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"team/__init__.py": "from .agent import Player\n", "team/agent.py": f"\n{PLAYER}"},
            "agent.py, line 2: Player has no update(self, colour, action)",
        ),
        (
            {
                "team/__init__.py": "from team.agent import Team as Player\n",
                "team/agent.py": f"from .told import *\n{PLAYER.replace('Player', 'Team(Told)')}",
                "team/told.py": f"class Told:\n{UPDATE.replace(', action', '')}",
            },
            "told.py, line 2: update(self, colour) takes",
        ),
    ],
)
def test_a_class_of_another_file_is_read_there(write, files, message):
    for name, text in files.items():
        write(name, text)
    with pytest.raises(BadBot) as caught:
        load("handout:chexers:team")
    assert str(caught.value).startswith(message)


def test_a_function_of_a_notebook_is_named_by_its_cell(write):
    cells = [{"cell_type": "code", "source": text} for text in ("x = 1", "\ndef minimax(board): pass")]
    write("ps2.ipynb", json.dumps({"cells": cells}))
    with pytest.raises(BadBot, match=r"^ps2\.ipynb, cell 2, line 2: minimax\(board\) takes other arguments"):
        load("handout:breakthrough:ps2.ipynb")


@pytest.mark.parametrize(("text", "term"), [(PS2_2025, "2025/26"), (PS2_2023, "2023/24")])
def test_the_form_of_a_term_is_noted_on_loading(write, text, term):
    write("ps2.py", text)
    assert load("handout:breakthrough:ps2.py:search=minimax").notes[-1].endswith(f" of CS2109S {term}")
    assert load("handout:tsp:ps2.py").notes[0].startswith("ps2.py plays by hill_climbing(cities, distances")
    write("own.py", "from ps2 import minimax, hill_climbing")
    assert load("handout:breakthrough:own.py").notes[-1].endswith(f" of CS2109S {term}")
