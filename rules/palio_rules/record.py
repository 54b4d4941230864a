"""What is remembered of a match: how it was set up, every ply, every refusal, how it ended. See `docs/records.md`.

A record is complete: `fault` plays it through the rules again and finds the same result, or says where it differs.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from palio_rules.errors import IllegalMove, Rejection
from palio_rules.game import Game, Outcome
from palio_rules.messages import Info, Result, Termination
from palio_rules.registry import game
from palio_rules.time_control import TimeControl

FORMAT = "palio-record-1"


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that was agreed before a match began."""

    game: str
    bots: tuple[str, ...]  # by seat; all different
    options: dict[str, Any] = {}
    seed: int = 0  # of the instance, for games that have random ones
    opening: tuple[Any, ...] = ()  # moves, as on the wire, played before the clocks start
    time: TimeControl = TimeControl()
    strikes: Annotated[int, Meta(ge=1, le=100)] = 3  # refused moves that cost the match
    max_plies: Annotated[int, Meta(ge=1, le=100_000)] = 1000  # then the match is adjudicated a draw
    grace_ms: Annotated[int, Meta(ge=0)] = 30_000  # how long a bot may be absent in one match, all absences together
    ready_ms: Annotated[int, Meta(ge=0)] = 30_000  # how long a bot may take to say `ready`
    stall_ms: Annotated[int, Meta(ge=0)] = 60_000  # how long a turn may stay unanswered where no clock limits it

    def rules(self) -> Game[Any, Any]:
        return game(self.game)

    def start(self) -> Any:
        """The position in which the clocks start: the game's first one, with the opening played. Raises ValueError."""
        rules = self.rules()
        state = rules.start(rules.parse_options(self.options), self.seed)
        for value in self.opening:
            state = state.play(rules.read_move(state, value))
        return state


class Ply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A move that was played, the time that it took, and what the bot said of it.

    In a game that plays on without a seat, the seat's end is a ply without a move: `out` says why it was thrown out.
    """

    seat: int
    move: Any  # as on the wire
    ms: int
    info: Info | None = None
    out: Termination | None = None


def advance(rules: Game[Any, Any], state: Any, ply: Ply) -> Any:
    """The position after `ply`. Raises Rejection where it is not legal."""
    if ply.out is None:
        return state.play(rules.read_move(state, ply.move))
    after = rules.forfeit(state, ply.seat)
    if isinstance(after, Outcome):
        raise IllegalMove("game-over", f"the game ends when seat {ply.seat} is thrown out, it does not play on")
    return after


class Refusal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A move that was refused."""

    ply: int  # how many plies had been played
    seat: int
    move: str  # what was sent, as text, cut to 200 characters
    code: str
    reason: str


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finished match."""

    match: str
    setup: Setup
    plies: tuple[Ply, ...]
    result: Result
    started_at: datetime  # UTC
    finished_at: datetime
    refusals: tuple[Refusal, ...] = ()
    event: str = ""  # the tournament's name, if it belonged to one
    format: str = FORMAT

    def states(self) -> Iterator[Any]:
        """Every position of the match, the first one included. Raises Rejection where a move is not legal."""
        rules, state = self.setup.rules(), self.setup.start()
        yield state
        for ply in self.plies:
            state = advance(rules, state, ply)
            yield state


def cost(record: Record) -> float | None:
    """What the solver paid in a race, less being better; None where it found no solution, and in other games.

    Raises Rejection if the record does not reproduce.
    """
    *_, last = record.states()
    return record.setup.rules().cost(last)


def fault(record: Record) -> str | None:
    """What the rules say against a record: None if it reproduces, else one sentence with the place."""
    if record.format != FORMAT:
        return f"its format is {record.format!r}, this version reads {FORMAT!r}"
    try:
        rules, state = record.setup.rules(), record.setup.start()
    except ValueError as error:
        return f"the setup cannot be played: {error}"
    for number, ply in enumerate(record.plies, 1):
        if not 0 <= ply.seat < len(rules.seats) or (ply.out is None and state.to_move != ply.seat):
            return f"ply {number} was played by seat {ply.seat}, but it was not that seat's turn"
        try:
            state = advance(rules, state, ply)
        except Rejection as error:
            return f"ply {number} is not legal: {error}"
        if ply.ms < 0:
            return f"ply {number} took {ply.ms} ms"
    return _fault_of_numbers(record, len(rules.seats)) or _fault_of_ending(record.result, rules, state)


def _fault_of_numbers(record: Record, seats: int) -> str | None:
    """What contradicts the number of seats and plies."""
    setup, result, plies = record.setup, record.result, len(record.plies)
    if len(setup.bots) != seats or len(set(setup.bots)) != seats:
        return f"{setup.game} has {seats} seats for different bots, the record has {', '.join(setup.bots) or 'none'}"
    if plies > setup.max_plies:
        return f"it has {plies} plies, but was to be adjudicated after {setup.max_plies}"
    if len(result.scores) != seats or (result.seat is not None and result.seat >= seats):
        return f"its result does not fit {seats} seats: scores {result.scores}, seat {result.seat}"
    counts = [refusal.ply for refusal in record.refusals]
    if counts != sorted(counts) or any(not 0 <= count <= plies for count in counts):
        return f"its refusals are out of order, or beyond its {plies} plies"
    if any(not 0 <= refusal.seat < seats for refusal in record.refusals):
        return f"a move of a seat was refused that does not exist: there are {seats}"
    return None


def _fault_of_ending(result: Result, rules: Game[Any, Any], state: Any) -> str | None:
    """What contradicts the last position."""
    ruled: Outcome | None = state.outcome()
    if result.termination == "rule":
        if ruled is None:
            return "recorded as ended by rule, but the last position is not final"
        if (ruled.reason, list(ruled.scores)) != (result.reason, result.scores):
            return f"recorded as {result.reason} {result.scores}, the rules say {ruled.reason} {list(ruled.scores)}"
        return None
    if ruled is not None:
        return f"ended by {result.termination}, but the rules had ended it: {ruled.reason}"
    if result.termination == "adjudicated":
        return None
    if result.seat is None:
        return f"ended by {result.termination}, but it does not say whose"
    forfeit = rules.forfeit(state, result.seat)
    if isinstance(forfeit, Outcome) and list(forfeit.scores) != result.scores:
        return f"recorded as {result.scores}, but seat {result.seat} lost by {result.termination}"
    return None
