"""Searches for a plan, each step costing 1, after Russell and Norvig, "Artificial Intelligence: A Modern Approach"."""

from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterable
from contextlib import suppress
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Any, Generic, NamedTuple, TypeVar

# A*: the cheapest path first, guided by an estimate of what remains.
#
# Hart, Nilsson and Raphael, "A formal basis for the heuristic determination of minimum cost paths", IEEE Transactions
# on Systems Science and Cybernetics 4 (1968). With a weight above 1: Pohl, "Heuristic search viewed as path finding in
# a graph", Artificial Intelligence 1 (1970).

S = TypeVar("S", bound=Hashable)
Successors = Callable[[S], Iterable[tuple[Any, S]]]
Remaining = Callable[[S], float]


class Problem(NamedTuple, Generic[S]):
    """What a search for a plan takes: a start, its successors, and an estimate.

    `remaining(state)` is an estimate of the steps to a goal. It is 0 at the goals and nowhere else, infinite only where
    no goal can be reached. It is admissible if it never exceeds the truth, consistent if a step lessens it by 1 at
    most; the second implies the first.
    """

    start: S
    successors: Successors[S]  # each move, and the state after it
    remaining: Remaining[S]


class Plan(NamedTuple):
    """What a search for a path returns: the moves from the start, each costing 1, and how sure they are."""

    moves: tuple[Any, ...]
    complete: bool  # False: the limit was reached first; the moves lead to the most promising state that was seen
    expanded: int  # states whose successors were generated
    at_least: float = 0.0  # no path is cheaper, if `remaining` is consistent; infinite: there is none


def a_star(
    start: S,
    successors: Successors[S],
    remaining: Remaining[S],
    *,
    weight: float = 1.0,
    max_expanded: int = 10_000,
    stop: Callable[[], bool] = lambda: False,
) -> Plan:
    """Find the cheapest path, each step costing 1, from `start` to a state where `remaining` is 0.

    `successors(state)` gives pairs (move, state after it), `remaining(state)` estimates the steps to a goal. The path
    is optimal if `remaining` is admissible (never above the truth) and `weight` is 1; with a larger weight it is at
    most so many times longer. A state whose `remaining` is infinite is never expanded. Of equals the one with less
    remaining is expanded first, then the older one.

    Returns a Plan. It is not complete where `max_expanded` states were expanded or `stop`, asked before each of them,
    has returned True: then its moves lead to the most promising state so far.
    """
    order = count()
    least = remaining(start)
    frontier = [(weight * least, least, next(order), 0, start)]
    cost = {start: 0}
    came_from: dict[S, tuple[S, Any]] = {}
    nearest, expanded = start, 0
    while frontier and expanded < max_expanded and not stop():
        _, left, _, steps, state = heappop(frontier)
        if steps > cost[state]:
            continue  # a shorter way here was found after this entry was made
        if left == 0:
            return Plan(_path(came_from, state), complete=True, expanded=expanded, at_least=steps / weight)
        expanded += 1
        for move, after in successors(state):
            if cost.get(after, steps + 2) > steps + 1 and (left := remaining(after)) < inf:
                cost[after] = steps + 1
                came_from[after] = (state, move)
                if left < least:
                    nearest, least = after, left
                heappush(frontier, (steps + 1 + weight * left, left, next(order), steps + 1, after))
    at_least = frontier[0][0] / weight if frontier else inf
    return Plan(_path(came_from, nearest), complete=False, expanded=expanded, at_least=at_least)


def _path(came_from: dict[S, tuple[S, Any]], state: S) -> tuple[Any, ...]:
    moves: list[Any] = []
    while state in came_from:
        state, move = came_from[state]
        moves.append(move)
    return tuple(reversed(moves))


# Breadth-first search: all states one step away, then two, then three; the first path found is a shortest one.
#
# Moore, "The shortest path through a maze", Proceedings of an International Symposium on the Theory of Switching
# (1959).


class Route(NamedTuple):
    """What a search for a shortest path returns: its moves from the start, and what it took."""

    moves: tuple[Any, ...]
    expanded: int  # states whose successors were generated


def breadth_first(
    start: S, successors: Callable[[S], Iterable[tuple[Any, S]]], is_goal: Callable[[S], bool]
) -> Route | None:
    """Find a path with the fewest steps from `start` to a state for which `is_goal` is true.

    `successors(state)` gives pairs (move, state after it). All states seen stay in memory.

    Returns a Route, of equals the first one found; None if no goal can be reached.
    """
    came_from: dict[S, tuple[Any, S] | None] = {start: None}
    frontier, expanded = deque([start]), 0
    if is_goal(start):
        return Route((), 0)
    while frontier:
        state = frontier.popleft()
        expanded += 1
        for move, after in successors(state):
            if after not in came_from:
                came_from[after] = (move, state)
                if is_goal(after):
                    return Route(tuple(reversed(way_back(came_from, after))), expanded)
                frontier.append(after)
    return None


def way_back(came_from: dict[S, tuple[Any, S] | None], state: S) -> list[Any]:
    """The moves from `state` back to where a search began, the last one first."""
    moves = []
    while (step := came_from[state]) is not None:
        move, state = step
        moves.append(move)
    return moves


# A dive: depth first to a way of exactly so many steps, which gives up soon.
#
# Depth-limited search, Russell and Norvig, "Artificial Intelligence: A Modern Approach", "Uninformed Search
# Strategies". Where one can tell well which states may lie on a way of that length, most tries are good ones, and a
# dive finds a way in no time; where one cannot, it costs no more than its limit, and a thorough search has to follow.

Neighbours = Callable[[S], Iterable[tuple[Any, S]]]
Perhaps = Callable[[S, int], bool]

MOST = 500  # states that a dive may look at: a few milliseconds


class Dive(Generic[S]):
    """`finds(state, left)` says whether it has found a way of `left` steps from `state` to one of `goals`.

    Its `moves` are the way then, the last one first; `expanded` counts the states it has looked at. `may_end(state, n)`
    may be False only if no goal can be reached from `state` in exactly n steps. A state that is a goal before the last
    step does not count: shorter ways have been ruled out before.
    """

    def __init__(self, goals: Collection[S], successors: Neighbours[S], may_end: Perhaps[S]) -> None:
        self.moves: list[Any] = []
        self.expanded = 0
        self._goals, self._successors, self._may_end = goals, successors, may_end
        self._failed: set[tuple[S, int]] = set()

    def finds(self, state: S, left: int) -> bool:
        if left == 0:
            return state in self._goals
        self.expanded += 1
        for move, after in self._successors(state):
            if (after, left) in self._failed or not self._may_end(after, left - 1):
                continue
            if self.expanded >= MOST:
                return False
            if self.finds(after, left - 1):
                self.moves.append(move)
                return True
            self._failed.add((after, left))
        return False


# Bidirectional search: from both ends towards the middle, where two small searches meet instead of one large.
#
# Pohl, "Bi-directional search", Machine Intelligence 6 (1971). Lengths are tried one after the other, as in Korf,
# "Depth-first iterative-deepening: an optimal admissible tree search", Artificial Intelligence 27 (1985), so that
# every state on the way can be asked whether a way of exactly this length may lead through it. Where that question is
# answered well, most ways of the right length are good ones: a short depth-first dive from the start finds one at once.


def bidirectional(
    start: S,
    goals: Collection[S],
    successors: Neighbours[S],
    predecessors: Neighbours[S],
    *,
    may_end: Perhaps[S] = lambda _state, _steps: True,
    may_begin: Perhaps[S] = lambda _state, _steps: True,
    longest: int | None = None,
) -> Route | None:
    """Find a path with the fewest steps from `start` to one of `goals`.

    `successors(state)` gives pairs (move, state after it), `predecessors(state)` pairs (move, state before it).
    `may_end(state, n)` may be False only if no goal can be reached from `state` in exactly n steps, `may_begin(state,
    n)` only if `state` cannot be reached from `start` in exactly n steps; both prune.

    Returns a Route; None if there is no path of up to `longest` steps. Where there is no path at all and no `longest`,
    the search ends only if one side runs out of states.
    """
    expanded = 0
    for length in count() if longest is None else range(longest + 1):
        if not may_end(start, length):
            continue
        dive = Dive(goals, successors, may_end)
        if dive.finds(start, length):
            return Route(tuple(reversed(dive.moves)), expanded + dive.expanded)
        expanded += dive.expanded
        ahead = _Wave([start], successors, may_end)
        behind = _Wave([goal for goal in goals if may_begin(goal, length)], predecessors, may_begin)
        while ahead.front and behind.front and ahead.depth + behind.depth < length:
            wave = min(ahead, behind, key=lambda wave: len(wave.front))
            expanded += len(wave.front)
            wave.grow(length - wave.depth - 1)
            if not wave.front and not wave.ruled_out:
                return None  # all that can be reached from this end has been seen, and the other end was not there
        met = set(behind.front)
        meeting = next((state for state in ahead.front if state in met), None)
        if meeting is not None:
            there, back = way_back(ahead.came_from, meeting), way_back(behind.came_from, meeting)
            return Route((*reversed(there), *back), expanded)
    return None


class _Wave(Generic[S]):
    """The states that are `depth` steps from one end and no fewer, and how they were reached from there."""

    def __init__(self, ends: Iterable[S], neighbours: Neighbours[S], perhaps: Perhaps[S]) -> None:
        self.came_from: dict[S, tuple[Any, S] | None] = dict.fromkeys(ends)
        self.front = list(self.came_from)
        self.depth = 0
        self.ruled_out = False  # whether `perhaps` has kept any state away
        self._neighbours, self._perhaps = neighbours, perhaps

    def grow(self, left: int) -> None:
        """Take one step more, to those states only that may be `left` steps from the other end."""
        front, self.front = self.front, []
        self.depth += 1
        for state in front:
            for move, beyond in self._neighbours(state):
                if beyond in self.came_from:
                    continue
                if self._perhaps(beyond, left):
                    self.came_from[beyond] = (move, state)
                    self.front.append(beyond)
                else:
                    self.ruled_out = True


# What a search in linear space remembers: the path on which it is, and the most promising one that it has been on.


class Stopped(Exception):
    """The limit is reached, or `stop` has said so."""


class LinearSpace(Generic[S]):
    """`path` has the states on the way to here, each with the move that led to it; `solved`: this is a goal."""

    def __init__(
        self, start: S, successors: Successors[S], remaining: Remaining[S], max_expanded: int, stop: Callable[[], bool]
    ) -> None:
        self.path: dict[S, Any] = {start: None}
        self.solved = False
        self.successors, self.remaining = successors, remaining
        self._nearest: tuple[Any, ...] = ()
        self._least = inf
        self._expanded = 0
        self._most, self._stop = max_expanded, stop

    def enter(self, left: float) -> None:
        """Take note of the state at the end of `path`, from which `left` remains.

        If that is a goal, `solved` is set; if not, its successors are looked at next. Raises Stopped.
        """
        if left < self._least:
            self._nearest, self._least = self._moves(), left
        self.solved = left == 0
        if self.solved:
            return
        if self._expanded >= self._most or self._stop():
            raise Stopped
        self._expanded += 1

    def plan(self) -> Plan:
        """The way to the goal, or to the most promising state so far."""
        return Plan(self._moves() if self.solved else self._nearest, self.solved, self._expanded)

    def _moves(self) -> tuple[Any, ...]:
        return tuple(self.path.values())[1:]


# IDA*: depth first within a bound on the whole way, and with the next larger bound if that was too little.
#
# Korf, "Depth-first iterative-deepening: an optimal admissible tree search", Artificial Intelligence 27 (1985). It
# remembers one path and no more: memory is linear in the length of the plan, where that of A* grows with all it has
# seen. The price is that a state is looked at once for every way that leads to it.


def ida_star(
    start: S,
    successors: Successors[S],
    remaining: Remaining[S],
    *,
    max_expanded: int = 1_000_000,
    stop: Callable[[], bool] = lambda: False,
) -> Plan:
    """Find the cheapest path, each step costing 1, from `start` to a state where `remaining` is 0.

    `successors` and `remaining` as in `a_star`; `remaining` must be admissible. Each bound is the least estimate that
    exceeded the one before. A path never comes back to a state that it has left, so the search ends on every finite
    graph.

    Returns a Plan; a state that is expanded again counts again. It is not complete where `max_expanded` or `stop` ended
    the search: then its moves lead to the most promising state so far. Where there is no path, likewise.
    """
    space = LinearSpace(start, successors, remaining, max_expanded, stop)
    bound = remaining(start)
    with suppress(Stopped):
        while bound < inf and not space.solved:
            bound = _within(space, bound, start, 0)
    return space.plan()


def _within(space: LinearSpace[S], bound: float, state: S, steps: int) -> float:
    """Try all ways on from `state` whose estimate is within `bound`; the least estimate that exceeded it."""
    left = space.remaining(state)
    if steps + left > bound:
        return steps + left
    space.enter(left)
    if space.solved:
        return bound
    beyond = inf
    for move, after in space.successors(state):
        if after not in space.path:
            space.path[after] = move
            beyond = min(beyond, _within(space, bound, after, steps + 1))
            if space.solved:
                break  # and leave the path as it is
            del space.path[after]
    return beyond


# Recursive best-first search: the best path first, as A* does it, in memory that is linear in its length.
#
# Korf, "Linear-space best-first search", Artificial Intelligence 62 (1993). The search goes down the best path for as
# long as no other one looks better; then it forgets what is below, remembers only how good that turned out to be, and
# turns to the other.


def rbfs(
    start: S,
    successors: Successors[S],
    remaining: Remaining[S],
    *,
    max_expanded: int = 1_000_000,
    stop: Callable[[], bool] = lambda: False,
) -> Plan:
    """Find the cheapest path, each step costing 1, from `start` to a state where `remaining` is 0.

    `successors` and `remaining` as in `a_star`; `remaining` must be admissible. A path never comes back to a state that
    it has left, so the search ends on every finite graph. Of equals the first one is followed.

    Returns a Plan; a state that is expanded again counts again. It is not complete where `max_expanded` or `stop` ended
    the search: then its moves lead to the most promising state so far. Where there is no path, likewise.
    """
    space = LinearSpace(start, successors, remaining, max_expanded, stop)
    left = remaining(start)
    with suppress(Stopped):
        if left < inf:
            _best_first_within(space, inf, start, left, left)
    return space.plan()


def _best_first_within(space: LinearSpace[S], bound: float, state: S, left: float, value: float) -> float:
    """Follow the best way on from `state` for as long as its value is within `bound`; the value it turns out to have.

    A value is what the whole way costs at least. That of `state`, from which `left` remains by the estimate, is more
    than the estimate says where `state` was looked at before and forgotten: then the ways on inherit it.
    """
    space.enter(left)
    if space.solved:
        return value
    steps = len(space.path)  # after the next move
    inherited = value if value > steps - 1 + left else 0
    ways = []
    for number, (move, after) in enumerate(space.successors(state)):
        if after not in space.path:
            rest = space.remaining(after)
            ways.append((max(steps + rest, inherited), number, rest, move, after))
    while ways:
        ways.sort(key=lambda way: way[:2])
        value, number, rest, move, after = ways[0]
        if value > bound or value == inf:
            return value
        rival = ways[1][0] if len(ways) > 1 else inf
        space.path[after] = move
        value = _best_first_within(space, min(bound, rival), after, rest, value)
        if space.solved:
            return value  # and leave the path as it is
        del space.path[after]
        ways[0] = (value, number, rest, move, after)
    return inf
