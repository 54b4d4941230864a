"""The positions of a match while its plies are played: one board for all seats or, in a race, one for each entrant.

In a race lower cost ranks higher, equal costs share a rank, and entrants without a solution come last.
"""

from collections.abc import Sequence
from math import inf
from typing import Any

from palio_rules.contract.messages import Finish, Termination
from palio_rules.errors import IllegalMove
from palio_rules.game import Game, Outcome
from palio_rules.records.record import Ply, Setup


def ranks(costs: Sequence[float | None], times: Sequence[float] | None = None) -> list[int]:
    """Return the rank of each entrant from 1; with `times`, of equal costs the one reached sooner is ahead.

    As at the Olympics, two at rank 1 are followed by rank 3. Times of entrants without a solution do not count.
    """
    merits = [
        (inf, 0.0) if cost is None else (cost, 0.0 if times is None else times[entrant])
        for entrant, cost in enumerate(costs)
    ]
    return [1 + sum(other < merit for other in merits) for merit in merits]


def shares(costs: Sequence[float | None], times: Sequence[float] | None = None) -> list[float]:
    """Return the score of each entrant: the share of the others that it has beaten, equals counting half.

    So two entrants score as in a duel. A single entrant has 1 for a solution, else 0.
    """
    if len(costs) == 1:
        return [float(costs[0] is not None)]
    placed = ranks(costs, times)
    return [
        (sum(other > rank for other in placed) + (placed.count(rank) - 1) / 2) / (len(placed) - 1) for rank in placed
    ]


PROVEN = "proven-optimal"  # the reason of an entrant whose solution cannot be improved


def is_proven(rules: Game[Any, Any], state: Any) -> bool:
    """Return whether the solution in `state`, of an anytime race, is proven to be optimal."""
    if not rules.anytime or (cost := rules.cost(state)) is None:
        return False
    least = rules.lower_bound(state)
    return least is not None and cost <= least


def boards_of(setup: Setup, start: Any = None) -> "Boards":
    """Return the boards of a match whose clocks start in the position `start`; None: the setup's position.

    Raises ValueError if the setup cannot be played.
    """
    rules = setup.rules()
    start = setup.start() if start is None else start
    return RaceBoards(rules, start, len(setup.bots)) if rules.kind == "race" else Boards(rules, start)


def seat_name(rules: Game[Any, Any], seat: int) -> str:
    """Return a seat's name in records: the game's own word; entrants of a race have numbers from 1."""
    return str(seat + 1) if rules.kind == "race" else rules.seats[seat]


def advance(rules: Game[Any, Any], state: Any, ply: Ply) -> Any:
    """Return the position after `ply`. Raises Rejection if it is illegal."""
    if ply.out is None and ply.move is None and rules.anytime:
        return _no_better(rules, state)
    if ply.out is None:
        return state.play(rules.read_move(state, ply.move))
    after = rules.forfeit(state, ply.seat)
    if isinstance(after, Outcome):
        raise IllegalMove("game-over", f"the game ends when seat {ply.seat} forfeits, it does not play on")
    return after


def _no_better(rules: Game[Any, Any], state: Any) -> Any:
    if state.to_move is None:
        raise IllegalMove("game-over", "the race is over")
    if rules.cost(state) is None:
        raise IllegalMove("no-solution", "a solution that is no better can only come after another one")
    return rules.no_better(state)


class Boards:
    """The board of a duel or a table, which all seats share. `boards_of` makes the boards of any match."""

    def __init__(self, rules: Game[Any, Any], start: Any) -> None:
        self.rules = rules
        self._state = start

    @property
    def seats(self) -> int:
        """Return how many seats the match has; in a race, how many entrants."""
        return len(self.rules.seats)

    def of(self, seat: int) -> Any:
        """Return the position on the board of `seat`."""
        return self._state

    def to_move(self, seat: int) -> int | None:
        """Return the seat to move on the board of `seat`; None if the game is over."""
        turn: int | None = self._state.to_move
        return turn

    def play(self, ply: Ply) -> Any:
        """Return the position after `ply`, on the board where it was played. Raises Rejection if it is illegal."""
        after = advance(self.rules, self._state, ply)
        self.put(ply, after)
        return after

    def put(self, ply: Ply, after: Any) -> None:
        """Record `ply`, after which the position is `after`."""
        self._state = after


class RaceBoards(Boards):
    """The boards of a race. Every entrant has seat 0 of its own game, and is ranked by the cost of its solution."""

    def __init__(self, rules: Game[Any, Any], start: Any, entrants: int) -> None:
        super().__init__(rules, start)
        self._states = [start] * entrants
        self.out: list[Termination | None] = [None] * entrants  # the reason why an entrant left the race
        self.played = [0] * entrants  # moves of each
        self._ms = [0] * entrants
        self._reached_ms = [0] * entrants

    @property
    def seats(self) -> int:
        return len(self._states)

    def of(self, seat: int) -> Any:
        return self._states[seat]

    def to_move(self, seat: int) -> int | None:
        return None if self._states[seat].to_move is None else seat

    def play(self, ply: Ply) -> Any:
        if self.out[ply.seat] is not None:
            raise IllegalMove("game-over", f"entrant {ply.seat + 1} has left the race already")
        after = self._leave(ply) if ply.out is not None else advance(self.rules, self.of(ply.seat), ply)
        self.put(ply, after)
        return after

    def put(self, ply: Ply, after: Any) -> None:
        seat = ply.seat
        if ply.out is None:
            self.played[seat] += 1
        else:
            self.out[seat] = ply.out
        self._ms[seat] += ply.ms
        if self.rules.cost(after) != self.rules.cost(self._states[seat]):
            self._reached_ms[seat] = self._ms[seat]
        self._states[seat] = after

    def costs(self) -> list[float | None]:
        """Return the cost of each entrant's current solution; None: no solution."""
        return [self.rules.cost(state) for state in self._states]

    def ahead(self) -> int:
        """Return the entrant that is ahead, the first of equals."""
        placed = ranks(self.costs())
        return placed.index(min(placed))

    def scores(self, *, by_time: bool = False) -> list[float]:
        """Return the current scores of the entrants; with `by_time`, of equal costs the sooner one is ahead."""
        return shares(self.costs(), self.times() if by_time else None)

    def times(self) -> list[int]:
        """Return the thinking time, in milliseconds, of each entrant when it found its current solution."""
        return self._reached_ms

    def ends(self) -> list[str | None]:
        """Return in one word why each entrant's race is over; None: it is not."""
        return [self.end(seat) for seat in range(self.seats)]

    def end(self, seat: int) -> str | None:
        """Return in one word why the race of entrant `seat` is over; None: it is not."""
        state = self._states[seat]
        if (outcome := state.outcome()) is not None:
            return str(outcome.reason)
        return self.out[seat] or (PROVEN if is_proven(self.rules, state) else None)

    def finishes(self) -> list[Finish]:
        """Return the final state of each entrant; a race that the referee had to end was played for too long."""
        return [
            Finish(out or ("adjudicated" if state.outcome() is None else "rule"), end or "ply-cap", cost)
            for state, out, end, cost in zip(self._states, self.out, self.ends(), self.costs(), strict=True)
        ]

    def _leave(self, ply: Ply) -> Any:
        """Return the position in which an entrant leaves: an anytime race is closed, another one stays unchanged."""
        state = self.of(ply.seat)
        if state.outcome() is not None:
            raise IllegalMove("game-over", f"the race of entrant {ply.seat + 1} is over already")
        after = self.rules.forfeit(state, 0)
        return state if isinstance(after, Outcome) else after
