"""Games of Go at random to their end, compiled: what a tree search learns from, and who owns which points in them.

A group that the last move left with one liberty is taken or saved, else any legal move is equally likely that fills no
eye of its own side.
"""

from dataclasses import replace

import numpy as np

from palio_clients.games.go.kernels.workspace import (
    AROUND,
    BORDER,
    EMPTY,
    MOST,
    PASS,
    POINTS,
    copy,
    in_atari,
    is_eye,
    is_legal,
    last_liberty,
    lay_out,
    play,
    point_of,
    workspace,
)
from palio_clients.kernels.bits import STEP, below, scrambled
from palio_clients.kernels.jit import Array, Int, Record, Word, kernel
from palio_rules.games.go_position import Position

LONGEST = 3 * MOST + 2
GAMES = 200  # by which points are owned
CERTAIN = 0.7  # of the lead in games, from -1 to 1, of the side that certainly owns a point
DEAD = 0.5  # of the lead of the enemy over a group that is dead


def owners(state: Position, games: int = GAMES, seed: int = 1) -> dict[int, float]:
    """Return by point how far it is Black's at the end of games from here, from -1 to 1; the side to move begins."""
    boards, tally = workspace(), np.zeros(POINTS, np.int64)
    lay_out(boards, state)
    _tally(boards, np.zeros(LONGEST, np.int16), tally, state.turn + 1, state.board.longest, games, np.uint64(seed))
    return {bit: float(tally[point_of(state.board, name)]) / games for bit, name in state.board.names.items()}


def is_settled(state: Position) -> bool:
    """Return whether each side certainly owns what it would get now, even if the opponent moves first."""
    black, white = state.areas()
    if black | white != state.board.full:
        return False
    owned = owners(replace(state, turn=1 - state.turn, ko=0))
    return all(lead >= CERTAIN if bit & black else lead <= -CERTAIN for bit, lead in owned.items())


def dead_stones(state: Position) -> int:
    """Return the stones of groups that games to the end leave to the enemy, with either side to begin."""
    found = 0
    each_begins = [owners(replace(state, turn=turn, ko=0)) for turn in (0, 1)]
    for enemy_lead, stones in ((-1, state.black), (1, state.white)):
        for group in state.board.groups(stones):
            points = list(state.board.points(group))
            if all(sum(enemy_lead * owned[bit] for bit in points) >= DEAD * len(points) for owned in each_begins):
                found |= group
    return found


@kernel
def _tally(boards: Array, played: Array, tally: Array, colour: Int, plies: Int, games: Int, seed: Word) -> None:
    """Play games from the first board, and count for each point those in which it is Black's less the others."""
    board, random = boards[1], scrambled(seed)
    for _ in range(games):
        copy(boards[0], board)
        random += STEP
        playout(board, played, np.int64(0), colour, np.int64(0), plies, scrambled(random))
        for point in range(POINTS):
            there = np.int64(board.colour[point])
            if there == EMPTY:
                for step in AROUND:
                    beside = np.int64(board.colour[point + step])
                    if beside != BORDER:
                        there |= beside
            tally[point] += np.int64(there == 1) - np.int64(there == 2)


@kernel
def playout(board: Record, played: Array, ply: Int, colour: Int, passes: Int, plies: Int, random: Word) -> Int:
    """Play a game to its end, and write its moves; return how many plies it has."""
    last = np.int64(played[ply - 1]) if ply else np.int64(PASS)
    while passes < 2 and ply < plies:
        random += STEP
        point = _urgent(board, last, colour)
        if point == PASS:
            point = _any(board, colour, scrambled(random))
        play(board, point, colour)
        passes = passes + 1 if point == PASS else np.int64(0)
        played[ply] = point
        ply += 1
        last, colour = point, BORDER - colour
    return ply


@kernel
def _urgent(board: Record, last: Int, colour: Int) -> Int:
    """Return a move that takes the stone just played, or saves a group beside it that it left with one liberty."""
    if last == PASS or board.colour[last] == EMPTY:
        return PASS
    head = np.int64(board.head[last])
    if in_atari(board, head):
        point = last_liberty(board, head)
        if is_legal(board, point, colour):
            return point
    for step in AROUND:
        other = last + step
        if board.colour[other] == colour and in_atari(board, np.int64(board.head[other])):
            point = last_liberty(board, np.int64(board.head[other]))
            free = 0
            for beside in AROUND:
                there = np.int64(board.colour[point + beside])
                if there == EMPTY:
                    free += 1
                elif there == colour and not in_atari(board, np.int64(board.head[point + beside])):
                    free += 2
            if free > 1 and is_legal(board, point, colour):
                return point
    return PASS


@kernel
def _any(board: Record, colour: Int, random: Word) -> Int:
    """Return a legal move that fills no eye, from a random place on; a pass if there is none."""
    count = board.empty
    if count == 0:
        return PASS
    at = below(random, count)
    for _ in range(count):
        point = np.int64(board.empties[at])
        if not is_eye(board, point, colour) and is_legal(board, point, colour):
            return point
        at = at + 1 if at + 1 < count else np.int64(0)
    return PASS
