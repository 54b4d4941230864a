"""Hidden cases of End of the Track: boards with their actions, and plans whose optimal length is proven by A*."""

import random
from collections.abc import Callable, Iterator
from functools import partial
from operator import ne
from typing import Any

from palio_clients.games.end_of_the_track.evaluation import State, turns_between
from palio_clients.search.planning import a_star
from palio_rules.boards.end_of_track import BALL, BLOCKS, COLS, SIDE, SQUARES, WHITE
from palio_rules.games.end_of_track import START, Position

Pieces = tuple[int, ...]

BOARDS = 8  # with the actions of single pieces and balls
SIMULATED = 6  # with all actions of a player
LENGTHS = ((2, 3), (2, 3), (3, 3), (3, 3), (4, 4), (4, 4), (5, 5), (6, 5), (7, 5))  # pairs of a plan, points
EXTRA = ((6, 5), (7, 5))
EXPANDED = 800  # positions, by A* that counts the pieces that are not in place: readable Python needs seconds
LONG = 6  # pairs, from which on an estimate that is HASTE times as high finds no shortest plan
HASTE = 9
TRIES = 100_000


def draw(seed: int) -> dict[str, Any]:
    """Return `boards`, `simulated`, `validity`, `ends` and `plans`."""
    choose = random.Random(f"end_of_the_track {seed}")  # noqa: S311  # an assignment, no secret
    return {
        "boards": [_board(choose) for _ in range(BOARDS)],
        "simulated": [_simulated(choose, number % 2) for number in range(SIMULATED)],
        "validity": list(_validity(choose)),
        "ends": list(_ends(choose)),
        "plans": [
            {**_plan(choose, pairs), "points": points, "extra": extra}
            for lengths, extra in ((LENGTHS, False), (EXTRA, True))
            for pairs, points in lengths
        ],
    }


def _board(choose: random.Random) -> dict[str, Any]:
    """Return a board, the actions of a block of either side, and those of either ball."""
    pieces = _scattered(choose)
    blocks = [choose.randrange(BLOCKS), SIDE + choose.randrange(BLOCKS)]
    moves = [_actions(pieces, turn) for turn in (0, 1)]
    return {
        "state": pieces,
        "pieces": [[block, [to for piece, to in moves[block // SIDE] if piece == block % SIDE]] for block in blocks],
        "balls": [[to for piece, to in found if piece == BALL] for found in moves],
    }


def _simulated(choose: random.Random, turn: int) -> dict[str, Any]:
    """Return a board, all actions of a player there, and some that are none."""
    pieces = _scattered(choose)
    actions = _actions(pieces, turn)
    wrong = [[piece, to] for piece in range(SIDE) for to in range(SQUARES) if [piece, to] not in actions]
    return {"state": pieces, "player": turn, "actions": actions, "wrong": choose.sample(wrong, 12)}


def _validity(choose: random.Random) -> Iterator[dict[str, Any]]:
    """Yield boards that can be and such that cannot, in turn, for every reason."""
    ways: list[Callable[[list[int]], None]] = [_on_one_square, _on_an_enemy, _ball_alone, _ball_of_others, _off_board]
    for way in ways:
        pieces = list(_scattered(choose))
        yield {"state": pieces.copy(), "valid": True}
        way(pieces)
        yield {"state": pieces, "valid": False}


def _on_one_square(pieces: list[int]) -> None:
    at, holder = pieces[:BLOCKS], pieces.index(pieces[BALL])
    pieces[(holder + 1) % BLOCKS] = at[(holder + 2) % BLOCKS]


def _on_an_enemy(pieces: list[int]) -> None:
    holder = pieces.index(pieces[BALL])
    pieces[(holder + 1) % BLOCKS] = pieces[SIDE]


def _ball_alone(pieces: list[int]) -> None:
    pieces[BALL] = next(square for square in range(SQUARES) if square not in pieces)


def _ball_of_others(pieces: list[int]) -> None:
    pieces[SIDE + BALL] = pieces[0]


def _off_board(pieces: list[int]) -> None:
    holder = pieces.index(pieces[BALL])
    pieces[holder] = pieces[BALL] = SQUARES


def _ends(choose: random.Random) -> Iterator[dict[str, Any]]:
    """Yield boards on which no side has won, White has, Black has: two of each."""
    for _ in range(2):
        yield {"state": _scattered(choose), "over": False}
        for turn, row in ((0, range(SQUARES - COLS, SQUARES)), (1, range(COLS))):
            pieces = list(_scattered(choose))
            square = choose.choice([each for each in row if each not in pieces])
            pieces[SIDE * turn] = pieces[SIDE * turn + BALL] = square
            yield {"state": pieces, "over": True}


def _plan(choose: random.Random, pairs: int) -> dict[str, Any]:
    """Return a start and a goal whose shortest plan has so many pairs, the last one without an action."""
    for _ in range(TRIES):
        start = (_walked((START, WHITE), choose, choose.randrange(12))[0], choose.randrange(2))
        goal, _ = _walked(start, choose, pairs - 1)
        estimate = partial(_out_of_place, goal)
        if pairs >= LONG and estimate(start) > pairs - 3:
            continue  # any estimate leads straight there
        simple = a_star(start, _successors, estimate, max_expanded=EXPANDED)
        if simple.complete and len(simple.moves) == pairs - 1:
            hasty = a_star(start, _successors, estimate, weight=HASTE, max_expanded=EXPANDED)
            if pairs >= LONG and not (hasty.complete and len(hasty.moves) >= pairs):
                continue
            proven = a_star(start, _successors, partial(_turns_left, goal), max_expanded=10**6)
            assert proven.complete
            assert len(proven.moves) == pairs - 1
            return {"start": start[0], "player": start[1], "goal": goal, "pairs": pairs}
    raise AssertionError(f"no plan of {pairs} pairs in {TRIES} boards")


def _walked(state: State, choose: random.Random, steps: int) -> State:
    for _ in range(steps):
        state = choose.choice([after for _, after in _successors(state)])
    return state


def _successors(state: State) -> Iterator[tuple[tuple[int, int], State]]:
    """Yield each action and the state after it; the course lets a game that is won go on."""
    pieces, turn = state
    for piece, to in _actions(pieces, turn):
        at = SIDE * turn + piece
        yield (piece, to), ((*pieces[:at], to, *pieces[at + 1 :]), 1 - turn)


def _out_of_place(goal: Pieces, state: State) -> int:
    """Return the pieces that are not in place: each action moves one, so the estimate is never too high."""
    return sum(map(ne, state[0], goal))


def _turns_left(goal: Pieces, state: State) -> int:
    return turns_between(state, goal)


def _actions(pieces: Pieces, turn: int) -> list[list[int]]:
    return [[piece, to] for piece, to in Position(pieces, turn).legal_moves()]


def _scattered(choose: random.Random) -> Pieces:
    """Return pieces on random squares, on which no side has won."""
    while True:
        blocks = choose.sample(range(SQUARES), 2 * BLOCKS)
        white, black = choose.choice(blocks[:BLOCKS]), choose.choice(blocks[BLOCKS:])
        if white < SQUARES - COLS and black >= COLS:
            return (*blocks[:BLOCKS], white, *blocks[BLOCKS:], black)
