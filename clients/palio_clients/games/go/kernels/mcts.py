"""Monte Carlo tree search of Go compiled, with rapid action value estimation.

UCT as in `palio_clients.search.mcts`, with what programs of Go add: Gelly and Silver, "Monte-Carlo tree search and
rapid action value estimation in computer Go", Artificial Intelligence 175 (2011). A move is also judged by the games in
which its side played it later.
In the tree and in the games only the simple ko is known; the legal moves of the position that is searched are those of
the rules.
"""

from math import inf

import numpy as np

from palio_clients.games.go.kernels.playouts import LONGEST, is_settled, playout
from palio_clients.games.go.kernels.workspace import (
    AROUND,
    BORDER,
    EMPTY,
    MOST,
    PASS,
    POINTS,
    copy,
    difference,
    in_atari,
    is_eye,
    is_legal,
    lay_out,
    move_of,
    play,
    point_of,
    workspace,
)
from palio_clients.kernels.bits import STEP, raised, scrambled
from palio_clients.kernels.jit import Array, Flag, Int, Real, Record, Word, kernel, stop_flag
from palio_clients.search.game_tree import Best, Stop, never
from palio_rules.games.go_position import WHITE, Position

MOST_NODES = 1 << 21  # in the tree, 64 MiB
GROWN_AT = 4  # visits of a node before its children exist
WORTH = 600.0  # simulations after which a move's own results count as much as those of later moves

NODE = np.dtype(
    [
        ("first", np.int32),  # the index of its first child; children are adjacent
        ("children", np.int16),  # 0: they do not exist
        ("move", np.int16),
        ("visits", np.int32),
        ("wins", np.float32),  # of the side that moved here
        ("later", np.float32),  # games in which its side played the move later
        ("later_wins", np.float32),
    ],
    align=True,
)


def mcts(state: Position, *, nodes: int, depth: int = 0, seed: int = 0, stop: Stop = never) -> Best:
    """Play `nodes` simulations, or as many as there is time for, but at least one.

    If `depth` is not 0, the search also ends as soon as the tree is so many plies deep. `state` must not be over. A
    full tree is still searched, but does not grow. The same seed, nodes and depth find the same result. Returns a Best:
    the most visited move, its mean score from 0 to 1, the depth of the tree, its simulations, and the most visited
    line. After a pass of the opponent it passes if that wins, and where nothing is left to gain.
    """
    if state.passes and (state.margin() < 0) == (state.turn == WHITE) and state.margin():
        return Best("pass", 1.0, 1, 1, ("pass",))
    if is_settled(state):
        margin = state.margin() if state.turn != WHITE else -state.margin()
        return Best("pass", 1.0 if margin > 0 else 0.0 if margin < 0 else 0.5, 1, 1, ("pass",))
    tree, deepest = _grown(state, nodes, depth, seed, stop)
    line = tuple(move_of(state.board, point) for point in _main_line(tree))
    best = max(_of_root(tree), key=lambda child: child["visits"])
    return Best(line[0], float(best["wins"] / max(1, best["visits"])), int(deepest), int(tree[0]["visits"]), line)


def ranked(state: Position, *, nodes: int, seed: int = 0, stop: Stop = never) -> list[tuple[str, float]]:
    """Return the moves that a search like `mcts` has tried, the most visited ones first, with their mean scores."""
    tree, _ = _grown(state, nodes, 0, seed, stop)
    tried = sorted((child for child in _of_root(tree) if child["visits"]), key=lambda child: -child["visits"])
    return [(move_of(state.board, int(each["move"])), float(each["wins"] / each["visits"])) for each in tried]


def _of_root(tree: Array) -> Array:
    return tree[tree[0]["first"] : tree[0]["first"] + tree[0]["children"]]


def _grown(state: Position, nodes: int, depth: int, seed: int, stop: Stop) -> tuple[Array, int]:
    """Return the tree of a search, and how deep it is."""
    boards, path = workspace(), np.zeros(LONGEST, np.int64)
    lay_out(boards, state)
    legal = np.array([point_of(state.board, move) for move in state.legal_moves()], np.int16)
    tree = np.zeros(min(MOST_NODES, (nodes // GROWN_AT + 2) * (MOST + 1)), NODE)
    played, first = np.zeros(LONGEST, np.int16), np.zeros(POINTS, np.int8)
    plies = state.board.longest - len(state.moves)
    with stop_flag(stop) as flag:
        deepest = _simulate(
            boards, tree, path, played, first, legal, flag, state.turn + 1, state.passes, plies, state.komi, nodes,
            depth, np.uint64(seed),
        )  # fmt: skip
    return tree, deepest


def _main_line(tree: Array) -> list[int]:
    """Return the most visited moves, the first of equals, as points."""
    line, node = list[int](), tree[0]
    while node["children"]:
        children = tree[node["first"] : node["first"] + node["children"]]
        node = children[int(np.argmax(children["visits"]))]
        if not node["visits"] and line:
            break
        line.append(int(node["move"]))
    return line


@kernel
def _simulate(
    boards: Array,
    tree: Array,
    path: Array,
    played: Array,
    first: Array,
    legal: Array,
    flag: Flag,
    colour: Int,
    passed: Int,
    plies: Int,
    komi: Real,
    simulations: Int,
    most: Int,
    seed: Word,
) -> Int:
    """Grow the tree, whose first element is the root, to `most` plies if that is not 0; return its depth."""
    board, random, deepest = boards[1], scrambled(seed), np.int64(0)
    used = np.int64(1)
    for move in legal:
        tree[used].move = move
        _expect(boards[0], tree, used, np.int64(move), colour)
        used += 1
    tree[0].first, tree[0].children = 1, len(legal)
    for _ in range(simulations):
        if (raised(flag) and tree[0].visits) or 0 < most <= deepest:
            break
        copy(boards[0], board)
        side, passes, at, depth = colour, passed, np.int64(0), np.int64(0)
        path[0] = 0
        while passes < 2 and depth < plies:
            node = tree[at]
            if not node.children:
                if node.visits < GROWN_AT or used + board.empty + 1 > len(tree):
                    break
                used = _grow(board, tree, at, used, side)
            at = _promising(tree, at)
            move = np.int64(tree[at].move)
            play(board, move, side)
            passes = passes + 1 if move == PASS else np.int64(0)
            played[depth] = move
            depth += 1
            path[depth] = at
            side = BORDER - side
        random += STEP
        length = playout(board, played, depth, side, passes, plies, scrambled(random))
        margin = difference(board) - komi
        black = 1.0 if margin > 0 else 0.0 if margin < 0 else 0.5
        deepest = max(deepest, depth)
        _back_up(tree, path, played, first, depth, length, colour, black)
    return deepest


@kernel
def _back_up(
    tree: Array, path: Array, played: Array, first: Array, depth: Int, length: Int, colour: Int, black: Real
) -> None:
    """Count a game for the nodes on its path, and for their children that were played later by the same side."""
    for point in range(POINTS):
        first[point] = 0
    for ply in range(length - 1, -1, -1):
        side = colour if ply & 1 == 0 else BORDER - colour
        if played[ply] != PASS:
            first[played[ply]] = side
        if ply > depth:
            continue
        node = tree[path[ply]]
        reward = black if side == 1 else 1.0 - black
        for child in range(node.first, node.first + node.children):
            move = tree[child].move
            if move != PASS and first[move] == side:
                tree[child].later += 1
                tree[child].later_wins += reward
    for ply in range(depth + 1):
        node = tree[path[ply]]
        mover = BORDER - colour if ply & 1 == 0 else colour
        node.visits += 1
        node.wins += black if mover == 1 else 1.0 - black


@kernel
def _grow(board: Record, tree: Array, at: Int, used: Int, colour: Int) -> Int:
    """Add the children of the node `at`: legal moves that fill no eye, and a pass; return how many nodes are used."""
    end = used
    for number in range(board.empty):
        point = np.int64(board.empties[number])
        if is_legal(board, point, colour) and not is_eye(board, point, colour):
            tree[end].move = point
            _expect(board, tree, end, point, colour)
            end += 1
    tree[end].move = PASS
    _expect(board, tree, end, np.int64(PASS), colour)
    end += 1
    tree[at].first, tree[at].children = used, end - used
    return end


@kernel
def _expect(board: Record, tree: Array, at: Int, point: Int, colour: Int) -> None:
    """Give a new node some games that were never played: better ones for a capture or an escape, worse for a pass."""
    games, wins = 10.0, 5.0
    if point == PASS:
        wins = 1.0
    else:
        edge, near = False, False
        for step in AROUND:
            other = point + step
            there = np.int64(board.colour[other])
            if there == BORDER:
                edge = True
            elif there != EMPTY:
                near = True
                if in_atari(board, np.int64(board.head[other])):
                    games, wins = 20.0, 15.0
        if games == 10.0 and edge and not near:
            wins = 2.0
        if is_eye(board, point, colour):
            games, wins = 40.0, 1.0
    tree[at].later, tree[at].later_wins = games, wins


@kernel
def _promising(tree: Array, at: Int) -> Int:
    """Return the child with the best mean of its own games and of those in which it was played later."""
    node = tree[at]
    first = np.int64(node.first)
    best, chosen = -inf, np.int64(first)
    wide = 0.15 * np.sqrt(np.log(np.float64(node.visits) + 1.0))
    for child in range(first, first + np.int64(node.children)):
        own = tree[child]
        visits, later = np.float64(own.visits), np.float64(own.later)
        share = later / (later + visits + visits * later / WORTH)
        mean = np.float64(own.wins) / visits if visits > 0 else 0.0
        value = (1.0 - share) * mean + share * np.float64(own.later_wins) / later + wide / np.sqrt(visits + 1.0)
        if value > best:
            best, chosen = value, np.int64(child)
    return chosen
