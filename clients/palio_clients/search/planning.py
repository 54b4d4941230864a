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
    """A planning problem: a start, its successors, and an estimate.

    `remaining(state)` estimates the steps to a goal. It is 0 at the goals and nowhere else, infinite only where no goal
    can be reached. It is admissible if it never exceeds the true number, consistent if a step lessens it by 1 at most;
    the second implies the first.
    """

    start: S
    successors: Successors[S]  # each move, and the state after it
    remaining: Remaining[S]


class Plan(NamedTuple):
    """The result of a search for a path: the moves from the start, each costing 1, and their certainty."""

    moves: tuple[Any, ...]
    complete: bool  # False: the limit was reached first; the moves lead to the most promising state so far
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
    is optimal if `remaining` is admissible (never above the true number) and `weight` is 1; with a larger weight it is
    at most so many times longer. A state whose `remaining` is infinite is never expanded. Of equals the one with less
    remaining is expanded first, then the older one.

    Returns a Plan. It is not complete if `max_expanded` states were expanded or `stop`, called before each of them, has
    returned True: then its moves lead to the most promising state so far.
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
            continue  # a shorter path here was found after this entry was made
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
    """The result of a search for a shortest path: its moves from the start, and the cost of the search."""

    moves: tuple[Any, ...]
    expanded: int  # states whose successors were generated


def breadth_first(
    start: S, successors: Callable[[S], Iterable[tuple[Any, S]]], is_goal: Callable[[S], bool]
) -> Route | None:
    """Find a path with the fewest steps from `start` to a state for which `is_goal` is true.

    `successors(state)` gives pairs (move, state after it). All visited states stay in memory.

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
    """Return the moves from `state` back to where a search began, the last one first."""
    moves = []
    while (step := came_from[state]) is not None:
        move, state = step
        moves.append(move)
    return moves


# A dive: depth first to a path of exactly so many steps, with a small limit.
#
# Depth-limited search, Russell and Norvig, "Artificial Intelligence: A Modern Approach", "Uninformed Search
# Strategies". If it is well known which states may lie on a path of that length, most attempts succeed, and a dive
# finds a path quickly; if not, it costs no more than its limit, and a complete search follows.

Neighbours = Callable[[S], Iterable[tuple[Any, S]]]
Perhaps = Callable[[S, int], bool]

MOST = 500  # states of a dive at most: a few milliseconds


class Dive(Generic[S]):
    """A dive. `finds(state, left)` returns whether it has found a path of `left` steps from `state` to one of `goals`.

    Its `moves` are then the path, the last one first; `expanded` counts the visited states. `may_end(state, n)` may be
    False only if no goal can be reached from `state` in exactly n steps. A goal before the last step does not count,
    because shorter paths have been ruled out before.
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


# Bidirectional search: from both ends towards the middle, where two small searches replace one large.
#
# Pohl, "Bi-directional search", Machine Intelligence 6 (1971). Lengths are tried one after the other, as in Korf,
# "Depth-first iterative-deepening: an optimal admissible tree search", Artificial Intelligence 27 (1985), so that for
# every state it can be tested whether a path of exactly this length may lead through it. If that test is good, most
# paths of the right length succeed: a short depth-first dive from the start finds one quickly.


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

    Returns a Route; None if there is no path of up to `longest` steps. If there is no path at all and no `longest`, the
    search ends only if one side runs out of states.
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
                return None  # all reachable states from this end have been visited, without the other end
        met = set(behind.front)
        meeting = next((state for state in ahead.front if state in met), None)
        if meeting is not None:
            there, back = way_back(ahead.came_from, meeting), way_back(behind.came_from, meeting)
            return Route((*reversed(there), *back), expanded)
    return None


class _Wave(Generic[S]):
    """The states that are `depth` steps from one end and no fewer, with their predecessors."""

    def __init__(self, ends: Iterable[S], neighbours: Neighbours[S], perhaps: Perhaps[S]) -> None:
        self.came_from: dict[S, tuple[Any, S] | None] = dict.fromkeys(ends)
        self.front = list(self.came_from)
        self.depth = 0
        self.ruled_out = False  # whether `perhaps` has excluded any state
        self._neighbours, self._perhaps = neighbours, perhaps

    def grow(self, left: int) -> None:
        """Expand by one step, only to states that may be `left` steps from the other end."""
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


# The memory of a search in linear space: its current path, and the most promising path so far.


class Stopped(Exception):
    """The error that the limit is reached, or `stop` has returned True."""


class LinearSpace(Generic[S]):
    """A search's state: `path` has the states to the current one, each with its move; `solved`: it is a goal."""

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
        """Visit the state at the end of `path`, from which `left` remains.

        If that is a goal, `solved` is set; if not, its successors are visited next. Raises Stopped.
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
        """Return the path to the goal, or to the most promising state so far."""
        return Plan(self._moves() if self.solved else self._nearest, self.solved, self._expanded)

    def _moves(self) -> tuple[Any, ...]:
        return tuple(self.path.values())[1:]


# IDA*: depth first within a bound on the whole path, and with the next larger bound if that was too small.
#
# Korf, "Depth-first iterative-deepening: an optimal admissible tree search", Artificial Intelligence 27 (1985). It
# stores only one path: memory is linear in the length of the plan, where that of A* grows with all visited states. The
# price is that a state is visited once for every path that leads to it.


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
    exceeded the one before. A path never returns to a state on it, so the search ends on every finite graph.

    Returns a Plan; a state that is expanded again counts again. It is not complete if `max_expanded` or `stop` ended
    the search: then its moves lead to the most promising state so far. If there is no path, likewise.
    """
    space = LinearSpace(start, successors, remaining, max_expanded, stop)
    bound = remaining(start)
    with suppress(Stopped):
        while bound < inf and not space.solved:
            bound = _within(space, bound, start, 0)
    return space.plan()


def _within(space: LinearSpace[S], bound: float, state: S, steps: int) -> float:
    """Search all paths from `state` with estimates within `bound`; return the least estimate that exceeded it."""
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
                break  # and leave the path unchanged
            del space.path[after]
    return beyond


# Recursive best-first search: the best path first, as in A*, in memory that is linear in its length.
#
# Korf, "Linear-space best-first search", Artificial Intelligence 62 (1993). The search follows the best path while no
# other one seems better; then it drops the states below, stores only their value, and turns to the other path.


def rbfs(
    start: S,
    successors: Successors[S],
    remaining: Remaining[S],
    *,
    max_expanded: int = 1_000_000,
    stop: Callable[[], bool] = lambda: False,
) -> Plan:
    """Find the cheapest path, each step costing 1, from `start` to a state where `remaining` is 0.

    `successors` and `remaining` as in `a_star`; `remaining` must be admissible. A path never returns to a state on it,
    so the search ends on every finite graph. Of equals the first one is followed.

    Returns a Plan; a state that is expanded again counts again. It is not complete if `max_expanded` or `stop` ended
    the search: then its moves lead to the most promising state so far. If there is no path, likewise.
    """
    space = LinearSpace(start, successors, remaining, max_expanded, stop)
    left = remaining(start)
    with suppress(Stopped):
        if left < inf:
            _best_first_within(space, inf, start, left, left)
    return space.plan()


def _best_first_within(space: LinearSpace[S], bound: float, state: S, left: float, value: float) -> float:
    """Follow the best path from `state` while its value is within `bound`; return its value in the end.

    A value is a lower bound of the whole path's cost. That of `state`, from which `left` remains by the estimate, is
    more than the estimate if `state` was searched before and dropped: then its successors inherit it.
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
            return value  # and leave the path unchanged
        del space.path[after]
        ways[0] = (value, number, rest, move, after)
    return inf
