"""What is remembered of a match: how it was set up, every ply, every refusal, how it ended. See `docs/records.md`.

A record is complete: `fault` plays it through the rules again and finds the same result, or says where it differs.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta

from palio_rules.boards import Boards, same
from palio_rules.errors import Rejection
from palio_rules.game import Game, Outcome
from palio_rules.messages import MAX_ENTRANTS, Result, SeatOf
from palio_rules.ply import Ply, Refusal
from palio_rules.registry import game
from palio_rules.time_control import TimeControl

__all__ = ["FORMAT", "Ply", "Record", "Refusal", "Setup", "fault"]

FORMAT = "palio-record-1"


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that was agreed before a match began."""

    game: str
    bots: tuple[str, ...]  # by seat, in a race by entrant; all different
    options: dict[str, Any] = {}
    seed: int = 0  # of the instance, for games that have random ones
    opening: tuple[Any, ...] = ()  # moves, as on the wire, played before the clocks start
    time: TimeControl = TimeControl()
    strikes: Annotated[int, Meta(ge=1, le=100)] = 3  # refused moves that cost the match
    max_plies: Annotated[int, Meta(ge=1, le=100_000)] = 1000  # then the match is adjudicated a draw; in a race, of each
    grace_ms: Annotated[int, Meta(ge=0)] = 30_000  # how long a bot may be absent in one match, all absences together
    ready_ms: Annotated[int, Meta(ge=0)] = 30_000  # how long a bot may take to say `ready`
    stall_ms: Annotated[int, Meta(ge=0)] = 60_000  # how long a turn may stay unanswered where no clock limits it
    by_time: bool = False  # in a race: of equal costs, the one that was reached in less thinking time is ahead

    def rules(self) -> Game[Any, Any]:
        return game(self.game)

    def seats(self) -> list[SeatOf]:
        """Who sits where; the entrants of a race have the same kind of seat each."""
        rules = self.rules()
        names = rules.seats * len(self.bots) if rules.kind == "race" else rules.seats
        return [SeatOf(name=name, bot=bot) for name, bot in zip(names, self.bots, strict=True)]

    def clock(self) -> TimeControl:
        """What the clocks run by. An anytime race has one clock for all of it, whichever way its time was given."""
        return self.time.whole() if self.rules().anytime else self.time

    def start(self) -> Any:
        """The position in which the clocks start: the game's first one, with the opening played. Raises ValueError."""
        rules = self.rules()
        state = rules.start(rules.parse_options(self.options), self.seed)
        for value in self.opening:
            state = state.play(rules.read_move(state, value))
        return state

    def boards(self) -> Boards:
        """The boards as the clocks start. Raises ValueError."""
        return Boards(self.rules(), self.start(), len(self.bots))


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
        """Every position of the match, the first one included; in a race, each on the board of its ply's entrant.

        Raises Rejection where a move is not legal.
        """
        boards = self.setup.boards()
        yield boards.of(0)
        for ply in self.plies:
            yield boards.play(ply)

    def boards(self) -> Boards:
        """The boards at the end. Raises Rejection where a move is not legal."""
        boards = self.setup.boards()
        for ply in self.plies:
            boards.play(ply)
        return boards


def fault(record: Record) -> str | None:
    """What the rules say against a record: None if it reproduces, else one sentence with the place."""
    if record.format != FORMAT:
        return f"its format is {record.format!r}, this version reads {FORMAT!r}"
    try:
        boards = record.setup.boards()
    except ValueError as error:
        return f"the setup cannot be played: {error}"
    race, seats = boards.race, len(boards.out)
    for number, ply in enumerate(record.plies, 1):
        if not 0 <= ply.seat < seats or (ply.out is None and boards.of(ply.seat).to_move != (0 if race else ply.seat)):
            return f"ply {number} was played by seat {ply.seat}, but it was not that seat's turn"
        try:
            boards.play(ply)
        except Rejection as error:
            return f"ply {number} is not legal: {error}"
        if ply.ms < 0:
            return f"ply {number} took {ply.ms} ms"
    if (wrong := _fault_of_numbers(record, boards)) is not None:
        return wrong
    return _fault_of_race(record, boards) if race else _fault_of_ending(record.result, boards.rules, boards.of(0))


def _fault_of_numbers(record: Record, boards: Boards) -> str | None:
    """What contradicts the number of seats and plies."""
    setup, result, plies = record.setup, record.result, len(record.plies)
    entrants = boards.race and 1 <= len(setup.bots) <= MAX_ENTRANTS
    seats = len(setup.bots) if entrants else len(boards.rules.seats)
    if len(setup.bots) != seats or len(set(setup.bots)) != seats:
        return f"{setup.game} has {seats} seats for different bots, the record has {', '.join(setup.bots) or 'none'}"
    most = max(sum(ply.seat == seat for ply in record.plies) for seat in range(seats)) if entrants else plies
    cap = setup.max_plies + 1 if boards.race else setup.max_plies  # an entrant's exit comes after its last move
    if most > cap:
        return f"it has {most} plies, but was to be adjudicated after {setup.max_plies}"
    if len(result.scores) != seats or (result.seat is not None and result.seat >= seats):
        return f"its result does not fit {seats} seats: scores {result.scores}, seat {result.seat}"
    counts = [refusal.ply for refusal in record.refusals]
    if counts != sorted(counts) or any(not 0 <= count <= plies for count in counts):
        return f"its refusals are out of order, or beyond its {plies} plies"
    if any(not 0 <= refusal.seat < seats for refusal in record.refusals):
        return f"a move of a seat was refused that does not exist: there are {seats}"
    return None


def _fault_of_race(record: Record, boards: Boards) -> str | None:
    """What contradicts the last positions of a race."""
    result, found = record.result, boards.finishes()
    if result.finishes is UNSET or not same(result.finishes, found):
        told = "nothing" if result.finishes is UNSET else _costs(finish.cost for finish in result.finishes)
        return f"its finishes do not follow from its plies: recorded are {told}, found {_costs(boards.costs())}"
    if result.termination == "adjudicated":
        return None
    if (scores := boards.scores(by_time=record.setup.by_time)) != result.scores:
        return f"recorded as {result.scores}, the costs {_costs(boards.costs())} give {scores}"
    return None


def _costs(costs: Iterable[float | None]) -> str:
    return ", ".join("-" if cost is None else f"{cost:g}" for cost in costs)


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
