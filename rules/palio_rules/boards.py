"""The positions of a match while its plies are played: one board for all seats or, in a race, one for each entrant."""

from collections.abc import Sequence
from typing import Any

from palio_rules.errors import IllegalMove
from palio_rules.game import Game, Outcome
from palio_rules.messages import Finish, Termination
from palio_rules.ply import Ply
from palio_rules.ranking import shares


def advance(rules: Game[Any, Any], state: Any, ply: Ply) -> Any:
    """The position after `ply`. Raises Rejection where it is not legal."""
    if ply.out is None and ply.move is None and rules.anytime:
        return _no_better(rules, state)
    if ply.out is None:
        return state.play(rules.read_move(state, ply.move))
    after = rules.forfeit(state, ply.seat)
    if isinstance(after, Outcome):
        raise IllegalMove("game-over", f"the game ends when seat {ply.seat} is thrown out, it does not play on")
    return after


def _no_better(rules: Game[Any, Any], state: Any) -> Any:
    if state.to_move is None:
        raise IllegalMove("game-over", "the race is over")
    if rules.cost(state) is None:
        raise IllegalMove("no-solution", "a solution that is no better can only come after another one")
    return rules.no_better(state)


class Boards:
    """Where each seat stands. In a race every entrant has seat 0 of a game of its own."""

    def __init__(self, rules: Game[Any, Any], start: Any, seats: int) -> None:
        """`seats` are those of the match: in a race, where they count, its entrants."""
        self.rules = rules
        self.race = rules.kind == "race"
        seats = seats if self.race else len(rules.seats)
        self.states = [start] * (seats if self.race else 1)
        self.out: list[Termination | None] = [None] * seats  # why an entrant has left the race
        self._ms = [0] * seats
        self._reached_ms = [0] * seats

    def of(self, seat: int) -> Any:
        """The position on the board of `seat`."""
        return self.states[seat if self.race else 0]

    def play(self, ply: Ply) -> Any:
        """The position after `ply`, on the board where it was played. Raises Rejection where it is not legal."""
        if self.race and self.out[ply.seat] is not None:
            raise IllegalMove("game-over", f"entrant {ply.seat + 1} has left the race already")
        after = self._leave(ply) if self.race and ply.out is not None else advance(self.rules, self.of(ply.seat), ply)
        self.put(ply, after)
        return after

    def put(self, ply: Ply, after: Any) -> None:
        """Take note of `ply`, after which the position is `after`."""
        seat = ply.seat
        if not self.race:
            self.states[0] = after
            return
        if ply.out is not None:
            self.out[seat] = ply.out
        self._ms[seat] += ply.ms
        if self.rules.cost(after) != self.rules.cost(self.states[seat]):
            self._reached_ms[seat] = self._ms[seat]
        self.states[seat] = after

    def costs(self) -> list[float | None]:
        """What each entrant's solution costs by now; None: it has none."""
        return [self.rules.cost(state) for state in self.states]

    def scores(self, *, by_time: bool = False) -> list[float]:
        """The scores of a race's entrants as they stand; with `by_time`, of equal costs the sooner one is ahead."""
        return shares(self.costs(), self.times() if by_time else None)

    def times(self) -> list[int]:
        """How long each entrant had thought, in milliseconds, when it had the solution that it has now."""
        return self._reached_ms

    def ends(self) -> list[str | None]:
        """In one word why each entrant's race is over; None: it is not."""
        outcomes = [state.outcome() for state in self.states]
        return [out if ended is None else ended.reason for ended, out in zip(outcomes, self.out, strict=True)]

    def finishes(self) -> list[Finish]:
        """How each entrant stands at the end; whose race had to be ended by the referee had played too long."""
        return [
            Finish(out or ("adjudicated" if state.outcome() is None else "rule"), end or "ply-cap", cost)
            for state, out, end, cost in zip(self.states, self.out, self.ends(), self.costs(), strict=True)
        ]

    def _leave(self, ply: Ply) -> Any:
        """The position in which an entrant leaves: an anytime race is closed, another one stays as it is."""
        state = self.of(ply.seat)
        if state.outcome() is not None:
            raise IllegalMove("game-over", f"the race of entrant {ply.seat + 1} is over already")
        after = self.rules.forfeit(state, 0)
        return state if isinstance(after, Outcome) else after


def seat_name(rules: Game[Any, Any], seat: int) -> str:
    """What a record calls a seat: by the game's own word, the entrants of a race by their numbers from 1."""
    return str(seat + 1) if rules.kind == "race" else rules.seats[seat]


def same(told: Sequence[Finish], found: Sequence[Finish]) -> bool:
    """Whether finishes agree in all that follows from the plies; a referee's own reasons and details do not."""
    return len(told) == len(found) and all(
        (one.termination, one.cost) == (other.termination, other.cost)
        and (one.reason == other.reason or one.termination != "rule")
        for one, other in zip(told, found, strict=True)
    )
