"""The history for draws: the positions of the game and of the search, and their numbers of occurrences.

A position is two words, one a side: its blocks as bits, its ball in the six bits from 56 on, and in the second word the
side to move. So blocks are not distinguished, as in the rules, and two positions are equal when their words are. Most
positions are new: a small array counts how many past positions share a hash, and only if there are enough are they
compared one by one.
"""

from collections import Counter
from typing import Any

import numpy as np

from palio_clients.games.end_of_the_track.kernels.workspace import (
    BALL,
    MARKS,
    SIDE,
    arrives,
    collect,
    mobility,
    moved,
    put_back,
    set_up,
    standing,
    workspace,
)
from palio_clients.kernels.bits import scrambled
from palio_clients.kernels.jit import Array, Int, Record, Truth, Word, kernel
from palio_rules.boards.end_of_track import BLOCKS, LETTERS, SQUARES, word_of
from palio_rules.games.end_of_track import Position

BALL_AT, TURN_AT = np.uint64(56), np.uint64(63)


def remember(space: Any, state: Position) -> None:
    """Put the history of a position into the workspace, for a search that begins there."""
    space["marks"], space["known"] = 0, 0
    words = Counter(state.history.split())
    for word, times in words.items():
        pieces = tuple(LETTERS.index(letter) for letter in word[1:])
        if word_of(pieces, "wb".index(word[0])) == word and len({*pieces[:BLOCKS]} & {*range(SQUARES)}) == BLOCKS:
            white, black = (_side(pieces[first : first + SIDE]) for first in (0, SIDE))
            for _ in range(times):
                push(space, np.uint64(white), np.uint64(black | "wb".index(word[0]) << 63))
    space["game"] = space["known"]
    space["repeated"] = max(words.values(), default=0) > 1
    space["left"] = state.max_plies - state.ply


def _side(pieces: tuple[int, ...]) -> int:
    return sum(1 << at for at in pieces[:BLOCKS]) | pieces[BALL] << 56


@kernel
def words_of(space: Record, own: Word, enemy: Word, turn: Int) -> tuple[Word, Word]:
    """Return the position in which the blocks of `turn`, who is to move, are `own`."""
    white, black = (own, enemy) if turn == 0 else (enemy, own)
    white |= np.uint64(space.pieces[BALL]) << BALL_AT
    black |= np.uint64(space.pieces[SIDE + BALL]) << BALL_AT
    return white, black | np.uint64(turn) << TURN_AT


@kernel
def mark_of(white: Word, black: Word) -> Word:
    return scrambled(white ^ scrambled(black)) & np.uint64(MARKS - 1)


@kernel
def push(space: Record, white: Word, black: Word) -> None:
    """Add a position to the history."""
    known = space.known
    space.past[known, 0] = white
    space.past[known, 1] = black
    space.known = known + 1
    space.marks[mark_of(white, black)] += 1


@kernel
def pop(space: Record) -> None:
    """Remove the last position from the history."""
    known = space.known - 1
    space.known = known
    space.marks[mark_of(space.past[known, 0], space.past[known, 1])] -= 1


@kernel
def occurred(space: Record, white: Word, black: Word, times: Int) -> Truth:
    """Return whether a position has occurred at least so many times."""
    if space.marks[mark_of(white, black)] < times:
        return False
    for at in range(space.known - 1, -1, -1):
        if space.past[at, 0] == white and space.past[at, 1] == black:
            times -= 1
            if times == 0:
                return True
    return False


@kernel
def occurred_since(space: Record, white: Word, black: Word, first: Int) -> Truth:
    """Return whether a position has occurred since the one with that number."""
    if space.marks[mark_of(white, black)] == 0:
        return False
    for at in range(space.known - 1, first - 1, -1):
        if space.past[at, 0] == white and space.past[at, 1] == black:
            return True
    return False


@kernel
def drawn(space: Record, own: Word, enemy: Word, turn: Int, ply: Int) -> Truth:
    """Return whether a position `ply` plies from the root, not won, is drawn: by repetition, or by the ply limit."""
    white, black = words_of(space, own, enemy, turn)
    return ply >= space.left or occurred(space, white, black, np.int64(2))


# Counting of playable games: the twin of counting with the rules, draws included.


def perft(state: Position, depth: int) -> int:
    """Return how many games of `depth` more plies there are. The last ply is counted without playing its moves."""
    if depth == 0:
        return 1
    if state.to_move is None:
        return 0
    spaces = workspace()
    remember(spaces[0], state)
    return int(_perft(spaces, *set_up(spaces[0], state.pieces, state.turn), state.turn, depth))


@kernel
def _perft(spaces: Array, own: Word, enemy: Word, turn: Int, depth: Int) -> Int:
    return _count(spaces[0], own, enemy, turn, depth, np.int64(0))


@kernel
def _count(space: Record, own: Word, enemy: Word, turn: Int, depth: Int, ply: Int) -> Int:
    if depth == 1:
        return mobility(space, own, enemy, turn)
    leaves, moves = np.int64(0), space.stack[ply]
    white, black = words_of(space, own, enemy, turn)
    push(space, white, black)
    for number in range(collect(space, own, enemy, turn, moves)):
        move = moves[number]
        if arrives(space, turn, move):
            continue
        at = standing(space, turn, move)
        mine = moved(space, own, turn, move)
        if not drawn(space, enemy, mine, 1 - turn, ply + 1):
            leaves += _count(space, enemy, mine, 1 - turn, depth - 1, ply + 1)
        put_back(space, turn, move, at)
    pop(space)
    return leaves
