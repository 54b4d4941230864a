"""The record of a match: its setup, every ply, every rejected move, and its end. See `docs/reference/records.md`.

A record is complete: `faults.py` plays it through the rules again and finds the same result, or reports the difference.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from palio_rules.adjudication import Adjudication
from palio_rules.contract.messages import Info, Result, SeatOf, Termination
from palio_rules.errors import BadOption, BadPosition
from palio_rules.game import Game
from palio_rules.registry import game
from palio_rules.time_control import TimeControl

FORMAT = "palio-record-1"
T = TypeVar("T")


AGREEMENT = "agreement"  # the reason of a result on which the players agreed

Eco = Annotated[str, Meta(pattern=r"^[A-E][0-9]{2}(?!\n)$")]  # a code of the Encyclopaedia of Chess Openings

OpeningName = Annotated[str, Meta(min_length=1, max_length=100)]

SubmissionId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{0,64}(?!\n)$")]


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The terms that were agreed before a match began."""

    game: str
    bots: tuple[str, ...]  # by seat, in a race by entrant; all different
    options: dict[str, Any] = {}
    seed: int = 0  # of the instance, for games that have random ones
    opening: tuple[Any, ...] = ()  # moves, as on the wire, played before the clocks start
    time: TimeControl = TimeControl()
    strikes: Annotated[int, Meta(ge=1, le=100)] = 3  # rejected moves that cost the match
    max_plies: Annotated[int, Meta(ge=1, le=100_000)] = 1000  # then the match is adjudicated a draw; in a race, of each
    grace_ms: Annotated[int, Meta(ge=0)] = 30_000  # how long a bot may be absent in one match, in total
    ready_ms: Annotated[int, Meta(ge=0)] = 30_000  # how long a bot may take to say `ready`
    stall_ms: Annotated[int, Meta(ge=0)] = 60_000  # how long a turn may stay unanswered without a clock
    by_time: bool = False  # in a race: of equal costs, the one that was reached in less thinking time is ahead
    position: str = ""  # the game's text of the position where the opening begins; "": its first position
    rated: bool = True  # whether the match counts for leaderboards
    adjudication: Adjudication = Adjudication()  # when a duel is ended early by its bots' scores
    times: tuple[TimeControl, ...] | UnsetType = UNSET  # with time odds: each bot's own, by seat; unset: `time` for all
    eco: Eco | UnsetType = UNSET  # what chess players call the opening: B20, if its book says so
    opening_name: OpeningName | UnsetType = UNSET  # and how they name it: Sicilian Defense
    lenient: bool | UnsetType = UNSET  # True: engines have `strikes`, too; else their first rejected move loses
    submissions: tuple[SubmissionId, ...] | UnsetType = UNSET  # by seat: of which its bot was made, in a course; or ""
    clock: Literal["processor"] | UnsetType = UNSET  # what moves cost, of their program; unset: time by the wall
    draw_offers: bool | UnsetType = UNSET  # True: a draw may be offered and accepted, as between people

    def __post_init__(self) -> None:
        """Raise BadOption if some seats have a time control or a submission of their own, and others none."""
        if self.times is not UNSET and len(self.times) != len(self.bots):
            raise BadOption(f"times has {len(self.times)} time controls for {len(self.bots)} bots; give one for each")
        if self.submissions is not UNSET and len(self.submissions) != len(self.bots):
            count = len(self.submissions)
            raise BadOption(f'submissions has {count} IDs for {len(self.bots)} bots; give one for each, or ""')

    def rules(self) -> Game[Any, Any]:
        return game(self.game)

    @property
    def leaderboard(self) -> str:
        """The name of the leaderboard that the match counts for: the game's, with settings that make another game."""
        return self._by_rules(lambda rules, options: rules.leaderboard(options), self.game)

    @property
    def is_even(self) -> bool:
        """True if no seat is favoured: by a handicap, as the game's options say, or by time odds."""
        same = self.times is UNSET or len(set(self.times)) < 2
        return same and self._by_rules(lambda rules, options: rules.is_even(options), True)

    def _by_rules(self, ask: Callable[[Game[Any, Any], Any], T], otherwise: T) -> T:
        """Return what the rules say of the options; `otherwise` if they are the game's own, or are not known here."""
        if not self.options:
            return otherwise
        try:
            rules = self.rules()
            return ask(rules, rules.parse_options(self.options))
        except BadOption:
            return otherwise

    def with_rated(self, *, rated: bool | None) -> "Setup":
        """Return the setup, rated as was said; None: if it is even."""
        return msgspec.structs.replace(self, rated=self.is_even if rated is None else rated)

    def seats(self) -> list[SeatOf]:
        """Return the seats with their bots; all entrants of a race have the same kind of seat."""
        rules = self.rules()
        names = rules.seats * len(self.bots) if rules.kind == "race" else rules.seats
        return [SeatOf(name=name, bot=bot) for name, bot in zip(names, self.bots, strict=True)]

    def clocks(self) -> tuple[TimeControl, ...]:
        """Return the time controls by seat. An anytime race has one clock for all of it, for a time per move too."""
        times = (self.time,) * len(self.bots) if self.times is UNSET else self.times
        return tuple(time.for_all_moves() for time in times) if self.rules().anytime else times

    def with_odds(self, odds: Mapping[str, TimeControl]) -> "Setup":
        """Return the setup in which bots named in `odds` have that time of their own; `time` is that of the others."""
        if not any(bot in odds for bot in self.bots):
            return self
        return msgspec.structs.replace(self, times=tuple(odds.get(bot, self.time) for bot in self.bots))

    def with_submissions(self, submissions: Mapping[str, str]) -> "Setup":
        """Return the setup that says of which submission, by ID, each bot named in `submissions` was made."""
        if not any(submissions.get(bot) for bot in self.bots):
            return self
        return msgspec.structs.replace(self, submissions=tuple(submissions.get(bot, "") for bot in self.bots))

    def by_submission(self, texts: Mapping[int, str]) -> dict[str, str]:
        """Return texts about seats by the submissions that play there; a bot that was not handed in has none."""
        made = () if self.submissions is UNSET else self.submissions
        return {name: texts[seat] for seat, name in enumerate(made) if name and seat in texts}

    def first(self) -> Any:
        """Return the position before the opening: the game's first one, or the agreed one. Raises ValueError."""
        rules = self.rules()
        options = rules.parse_options(self.options)
        if not self.position:
            return rules.start(options, self.seed)
        if rules.kind == "race":
            raise BadPosition(f"{rules.name} is a race, give its instance in the options, not as a position")
        state = rules.read_state(self.position, options)
        _check_board(rules, state, rules.start(options, self.seed))
        return state

    def start(self) -> Any:
        """Return the position in which the clocks start: after the opening. Raises ValueError."""
        rules, state = self.rules(), self.first()
        for value in self.opening:
            state = state.play(rules.read_move(state, value))
        return state


def _check_board(rules: Game[Any, Any], state: Any, usual: Any) -> None:
    """Raise BadPosition unless `state` has the board that the options tell the bots."""
    scene, promised = rules.scene(state), rules.scene(usual)
    if scene is None or promised is None or (scene.rows, scene.cols) == (promised.rows, promised.cols):
        return
    raise BadPosition(
        f"the position has {scene.rows} rows and {scene.cols} columns, the options give {promised.rows} and "
        f"{promised.cols}; let them agree"
    )


class Ply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A move that was played, the time that it took, and the bot's own information about it.

    In a game that continues without a seat, the seat's end is a ply without a move: `out` says why it forfeited. In an
    anytime race a solution that is not better than the seat's best one is a ply without a move and without `out`.
    """

    seat: int
    move: Any  # as on the wire
    ms: int
    info: Info | None = None
    out: Termination | None = None


def score_of(ply: Ply) -> float | None:
    """Return the score that the bot reported, from its own view and in its own unit; None: no score."""
    return None if ply.info is None or ply.info.score is UNSET else ply.info.score


class RejectedMove(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A move that the referee rejected because the rules forbid it."""

    ply: int  # how many plies had been played
    seat: int
    move: str  # the bot's move as text, cut to 200 characters
    code: str
    reason: str


class Void(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An organiser's decision that a match does not count, as if it had never been played."""

    reason: str
    by: str
    at: datetime  # UTC


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finished match."""

    match: str
    setup: Setup
    plies: tuple[Ply, ...]
    result: Result
    started_at: datetime  # UTC
    finished_at: datetime
    refusals: tuple[RejectedMove, ...] = ()
    event: str = ""  # the tournament's name, "" without one
    confined: tuple[str, ...] = ()  # by seat, in a race by entrant: how its program was confined; "": unknown; (): all
    format: str = FORMAT
    void: Void | UnsetType = UNSET
    # All times of the setup were multiplied by it, because the match ran on a slower machine than they were meant for.
    time_factor: Annotated[float, Meta(gt=0, le=100)] | UnsetType = UNSET
    # Seats, in a race entrants, whose bots did not come to the match: then it counts for no leaderboard.
    absent: tuple[Annotated[int, Meta(ge=0)], ...] | UnsetType = UNSET

    @property
    def rated(self) -> bool:
        """Return whether the match counts for leaderboards: that was agreed, and all its bots came."""
        return self.setup.rated and not self.absent

    def absentees(self) -> tuple[int, ...]:
        """Return the seats whose bots did not come: they forfeited without a move, disconnected or silent.

        If no bot became ready, all seats.
        """
        if self.result.reason == "nobody-ready":
            return tuple(range(len(self.setup.bots)))
        silent = {"disconnected", "stalled"}
        seats = range(len(self.setup.bots))
        return tuple(seat for seat in seats if not self.has_moved(seat) and silent.intersection(self.ends_of(seat)))

    def has_moved(self, seat: int) -> bool:
        """Return whether a bot has played at least one move; in an anytime race, submitted a solution."""
        return any(ply.seat == seat and ply.out is None for ply in self.plies)

    def ends_of(self, seat: int) -> Iterator[Termination]:
        """Yield each end of the match for a seat that was its own fault, as often as the record has one."""
        result = self.result
        if result.seat == seat:
            yield result.termination
        if result.finishes is not UNSET:
            yield result.finishes[seat].termination
        yield from (ply.out for ply in self.plies if ply.seat == seat and ply.out is not None)


# The analysis of a match: how good each position was, what is proven of it, which moves gave a result away.
#
# Clients compute it, servers store it, pages draw it; see `docs/explanation/analysis.md`. Plies are counted as viewers
# see them: from 1, those of the opening first, all entrants of a race in one row; ply 0 stands for the first position.
#
# | | duel, table | race |
# |---|---|---|
# | `values` | by seat; evaluations, about one pawn's worth to the unit | one: a lower bound of the cost to come |
# | `verdicts` | by seat; the proven result without further errors | one: `win` is solvable, `loss` is not |
# | `distance` | plies to that result | moves that remain at least |
# | `??` | gave a proven win or draw away | made a solvable instance unsolvable |
# | `?` | lost much by evaluation, or missed a proven win | wasted a move, or more |
#
# In an anytime race (a move is a whole solution) `values` has the cost of the best one, and nothing else is given.

ANALYSIS_FORMAT = "palio-analysis-1"

Verdict = Literal["win", "draw", "loss"]
Mark = Literal["?", "??"]

LEVEL = 2.0  # units of evaluation that make three wins out of four likely
MOST_LEAD = 0.999  # of shares that are turned into values


class JudgedPly(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ply, and the judgement of the position after it."""

    ply: Annotated[int, Meta(ge=0)]  # 0: the first position, before any
    seat: Annotated[int, Meta(ge=0)]  # the mover; for ply 0 the seat to move
    move: str  # in notation, "out" where a seat left; "" for ply 0
    values: tuple[float | None, ...] = ()  # None: not searched, or proven, in which case a verdict says more
    verdicts: tuple[Verdict | None, ...] = ()  # None: not proven
    distance: Annotated[int, Meta(ge=0)] | None = None
    best: str = ""  # a better move, if `mark` is set and one is known
    mark: Mark | None = None


class Analysis(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The analysis of a match. Plies that were not reached, because a person stopped it early, are missing."""

    match: str
    seconds: Annotated[float, Meta(gt=0)]  # for each position
    plies: tuple[JudgedPly, ...]  # by number
    complete: bool
    format: str = ANALYSIS_FORMAT


def expected(value: float) -> float:
    """Return the share of points, from 0 to 1, to expect from a position of this value; moves are compared by it.

    It grows with the value, ever more slowly: in a won position a less good move costs little.
    """
    return (1 + value / (LEVEL + abs(value))) / 2


def value_of(share: float) -> float:
    """Return the value of a position from which this share of points is expected, as far as it is from 0 and 1.

    >>> round(value_of(expected(3.0)), 6), value_of(0.5), round(value_of(1.0))
    (3.0, 0.0, 1998)
    """
    lead = max(-MOST_LEAD, min(MOST_LEAD, 2 * share - 1))
    return LEVEL * lead / (1 - abs(lead))
