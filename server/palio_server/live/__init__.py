"""What viewers follow: numbered events, boards drawn when somebody looks, audiences.

Here are the messages to viewers, as JSON: a snapshot, then numbered deltas (`live.Summary`, `live.Played`, ...), as the
server sends them and as `palio watch` reads them. `docs/reference/protocol.md` has the page for viewers.

A viewer of one match (`/ws/live/<match>`, or the topic `palio/match/<match>/event`) sees every delta: `seq` grows by
one, so that a gap shows. Over `/ws/live/<match>` it hears how many watch, and after the end of each analysis that is
kept. A viewer of the lobby (`/ws/live`) gets each match's newest position a few times a second.
"""

import msgspec
from msgspec import UNSET, UnsetType

from palio_rules.contract.messages import Info, Result, SeatOf
from palio_rules.game import Kind
from palio_rules.scene import Scene
from palio_rules.time_control import TimeControl


class RaceStanding(msgspec.Struct, frozen=True):
    """How an entrant of a race stands: what its solution costs by now, and in one word why its race is over."""

    cost: float | None  # less is better; None: no solution yet
    plies: int  # played by this entrant
    end: str | None = None  # None: it goes on


class View(msgspec.Struct, frozen=True):
    """A position as a viewer sees it: `text` is the board for terminals, `scene` the one to draw.

    In a race both show the board of the entrant `seat`, and `race` says how all of them stand.
    """

    ply: int
    to_move: int | None
    clocks_ms: list[int | None]
    text: str
    scene: Scene | None = None
    seat: int | None = None
    race: list[RaceStanding] | None = None
    bound: float | UnsetType = UNSET  # of an anytime race: what no solution costs less than, where that is proven


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
    confined: list[str] = []  # by seat: how its program was confined, once it is over; [] if nobody knows
    told: list[float | None] = []  # by seat: the newest score that its bot has told, from its own view; [] if none has
    refused: int | UnsetType = UNSET  # the seat whose last move was refused, until it plays another one


class PlyView(msgspec.Struct, frozen=True):
    """One line of the move list. `move` is in notation."""

    ply: int  # counted from 1; the opening's plies come first
    seat: int
    move: str
    ms: int | None  # None: part of the opening
    info: Info | None = None


class RejectedMoveView(msgspec.Struct, frozen=True):
    """A rejected move, shown with its reason. `ply` is how many plies had been played."""

    ply: int
    seat: int
    move: str
    code: str
    reason: str
    strikes_left: int | None = None


class Delta(msgspec.Struct, frozen=True, tag_field="type", tag=str.lower):
    """What happened in `match`, numbered."""

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
    """`/api/matches/<match>/analysis` has an analysis of the finished `match`, or another one than before.

    It has no number: a match may be analysed at any time, and those who come later ask for it anyway.
    """

    match: str


class Viewers(msgspec.Struct, frozen=True, tag_field="type", tag="viewers"):
    """How many viewers of `match` this server has; it has no number, and comes a while after somebody came or went."""

    match: str
    count: int


class ServerStopping(msgspec.Struct, frozen=True, tag_field="type", tag="server_stopping"):
    """The server ends in a moment; come back after `back_in_ms`, where anybody knows that."""

    reason: str
    back_in_ms: int | None = None


class MatchSnapshot(msgspec.Struct, frozen=True, tag_field="type", tag="match"):
    """First message to a viewer of one match; deltas from `seq` + 1 follow."""

    seq: int
    summary: Summary
    lines: list[PlyView]
    refusals: list[RejectedMoveView]
    boards: list[View] = []  # of a race: the newest board of each entrant


class LobbySnapshot(msgspec.Struct, frozen=True, tag_field="type", tag="lobby"):
    """First message to a viewer of the lobby: the matches in progress."""

    seq: int
    matches: list[Summary]


class LobbyUpdate(msgspec.Struct, frozen=True, tag_field="type", tag="update"):
    """Matches of the lobby that have changed since the last update; a match with a result leaves after this."""

    seq: int
    matches: list[Summary]
    leaderboards: list[str] = []  # games whose leaderboard has changed
    bots: bool = False  # whether somebody has come, gone or become free: `/api/bots` knows who is here


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
)
