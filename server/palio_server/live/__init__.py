"""Live updates for viewers: numbered events, boards drawn on demand, audiences.

Here are the messages to viewers, as JSON: a snapshot, then numbered deltas (`live.Summary`, `live.Played`, ...), as the
server sends them and as `palio watch` reads them. `docs/reference/protocol.md` has the page for viewers.

A viewer of one match (`/ws/live/<match>`, or the topic `palio/match/<match>/event`) gets every delta: `seq` grows by
one, so that a gap shows. On `/ws/live/<match>` the viewer also gets the number of viewers, and after the end each
analysis that is kept. A viewer of the lobby (`/ws/live`) gets each match's newest position a few times a second.
"""

import msgspec
from msgspec import UNSET, UnsetType

from palio_rules.contract.messages import Info, Result, SeatOf
from palio_rules.game import Kind
from palio_rules.scene import Scene
from palio_rules.time_control import TimeControl


class RaceStanding(msgspec.Struct, frozen=True):
    """The standing of an entrant in a race: the cost of its solution so far, and in one word why its race is over."""

    cost: float | None  # less is better; None: no solution yet
    plies: int  # played by this entrant
    end: str | None = None  # None: it goes on


class View(msgspec.Struct, frozen=True):
    """A position as a viewer sees it: `text` is the board for terminals, `scene` the one to draw.

    In a race both show the board of the entrant `seat`, and `race` gives the standings of all.
    """

    ply: int
    to_move: int | None
    clocks_ms: list[int | None]
    text: str
    scene: Scene | None = None
    seat: int | None = None
    race: list[RaceStanding] | None = None
    bound: float | UnsetType = UNSET  # of an anytime race: the proven lower bound of the cost of any solution
    # by seat: moves until the clock gains its time again (`40/60`, Canadian byo-yomi); unset where no clock does
    moves_to_go: list[int | None] | UnsetType = UNSET


class Summary(msgspec.Struct, frozen=True):
    """One match in a list. In a race, `seats` are its entrants and `view` is the board of the one that is ahead."""

    match: str
    game: str
    title: str
    seats: list[SeatOf]
    time: TimeControl
    event: str
    view: View
    kind: Kind
    absent: list[int]  # seats whose bots have lost their connection
    result: Result | None = None
    tournament: int | None = None  # the number of the event that it belongs to
    confined: list[str] = []  # by seat: how its program was confined, once it is over; [] if unknown
    # by seat: the newest score that its bot has sent, from its own view; [] if no bot has
    told: list[float | None] = []
    refused: int | UnsetType = UNSET  # the seat whose last move was refused, until it plays another one
    times: tuple[TimeControl, ...] | UnsetType = UNSET  # with time odds: each bot's own, by seat
    leaderboard: str | UnsetType = UNSET  # that it counts for, if that is not the game's own: "go:size=19"
    rests: bool | UnsetType = UNSET  # a guest is away or has not moved for minutes: the lobby leaves it out until then


class PlyView(msgspec.Struct, frozen=True):
    """One line of the move list. `move` is in notation."""

    ply: int  # counted from 1; the opening's plies come first
    seat: int
    move: str
    ms: int | None  # None: part of the opening
    info: Info | None = None


class RejectedMoveView(msgspec.Struct, frozen=True):
    """A rejected move, shown with its reason. `ply` is the number of plies played before."""

    ply: int
    seat: int
    move: str
    code: str
    reason: str
    strikes_left: int | None = None


class Delta(msgspec.Struct, frozen=True, tag_field="type", tag=str.lower):
    """A numbered event of `match`."""

    seq: int
    match: str


class Started(Delta, frozen=True):
    summary: Summary


class Played(Delta, frozen=True):
    line: PlyView
    view: View  # in a race, the board of the entrant that has played


class Rejected(Delta, frozen=True, tag="refused"):
    refusal: RejectedMoveView
    clocks_ms: list[int | None]


class Absent(Delta, frozen=True):
    seat: int
    grace_ms: int


class Back(Delta, frozen=True):
    seat: int
    grace_ms: int


class Finished(Delta, frozen=True):
    result: Result
    view: View


class Analysed(msgspec.Struct, frozen=True, tag_field="type", tag="analysed"):
    """Notice that `/api/matches/<match>/analysis` has a new analysis of the finished `match`.

    It has no number: a match may be analysed at any time, and later viewers request the analysis anyway.
    """

    match: str


class Viewers(msgspec.Struct, frozen=True, tag_field="type", tag="viewers"):
    """The number of viewers of `match` on this server; it has no `seq`, and comes a while after a
    viewer came or went.
    """

    match: str
    count: int


class Heartbeat(msgspec.Struct, frozen=True, tag_field="type", tag="heartbeat"):
    """Notice that the connection is alive, for viewers who have asked for `heartbeat=1`: after the snapshot, then at
    least every `every_ms`. A viewer who hears nothing for much longer connects again.
    """

    every_ms: int


class ServerStopping(msgspec.Struct, frozen=True, tag_field="type", tag="server_stopping"):
    """The server ends in a moment; come back after `back_in_ms`, if that is known."""

    reason: str
    back_in_ms: int | None = None


class MatchSnapshot(msgspec.Struct, frozen=True, tag_field="type", tag="match"):
    """The first message to a viewer of one match; deltas from `seq` + 1 follow."""

    seq: int
    summary: Summary
    lines: list[PlyView]
    refusals: list[RejectedMoveView]
    boards: list[View] = []  # of a race: the newest board of each entrant


class LobbySnapshot(msgspec.Struct, frozen=True, tag_field="type", tag="lobby"):
    """The first message to a viewer of the lobby: the matches in progress.

    A viewer that has asked for some `boards` only gets so many of them at most, and the numbers of all. One that has
    asked for an `event`, a `bot` or a `game` gets its matches only, and `playing` counts these.
    """

    seq: int
    matches: list[Summary]
    playing: int | UnsetType = UNSET  # the number of matches in progress
    here: int | UnsetType = UNSET  # the number of connected bots


class LobbyUpdate(msgspec.Struct, frozen=True, tag_field="type", tag="update"):
    """Matches of the lobby that have changed since the last update; a match with a result is removed after this."""

    seq: int
    matches: list[Summary]
    leaderboards: list[str] = []  # games whose leaderboard has changed
    bots: bool = False  # True if a bot has come, gone or become free: `/api/bots` lists the bots
    # to a viewer that has asked for some `boards` only, who is not told of all matches that begin and end
    playing: int | UnsetType = UNSET  # the number of matches in progress
    here: int | UnsetType = UNSET  # the number of connected bots
    ended: int | UnsetType = UNSET  # the number of matches that have ended since the last update


LiveMessage = (
    MatchSnapshot
    | LobbySnapshot
    | LobbyUpdate
    | Started
    | Played
    | Rejected
    | Absent
    | Back
    | Finished
    | Analysed
    | Viewers
    | ServerStopping
    | Heartbeat
)
