"""The messages between a bot and the server. `docs/reference/protocol.md` describes their order.

Every message is a map with a `type` (the class name in lower case). Unknown fields are refused. Times are milliseconds.
A `match` is the match's identity as text; an `id` numbers a turn within its match and makes a move idempotent.
"""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from palio_rules.contract.names import LONGEST_NAME, NAME_PATTERN
from palio_rules.time_control import TimeControl

MAX_INT = 2**53 - 1  # the largest integer that every JSON library keeps exact

Name = Annotated[str, Meta(pattern=NAME_PATTERN, max_length=LONGEST_NAME)]
Key = Annotated[str, Meta(min_length=1, max_length=64)]  # identities: match, session, code
Text = Annotated[str, Meta(max_length=8192)]  # sentences, positions
MAX_TRACEBACK = 8000  # characters of a traceback that are sent, its last ones: a `Text` with room for a few words more
Count = Annotated[int, Meta(ge=0, le=MAX_INT)]
SeatIndex = Annotated[int, Meta(ge=0, le=15)]
ClocksMs = Annotated[list[int | None], Meta(max_length=16)]  # one per seat; None: no clock

MAX_ENTRANTS = 64  # of one race

MAX_FLOAT = 1.7976931348623157e308  # the greatest finite one; the bounds refuse infinities and NaN
MAX_STRING = 8192  # characters of a string within a move
MAX_DEPTH = 6  # of lists within a move; the deepest move of our games has two levels

Finite = Annotated[float, Meta(ge=-MAX_FLOAT, le=MAX_FLOAT)]

MAX_MONEY = 10_000.0  # US dollars that one move may have cost: with it, and the next two, no sum grows too large
Money = Annotated[float, Meta(ge=0, le=MAX_MONEY)]
Tokens = Annotated[int, Meta(ge=0, le=10**9)]  # of one move
Latency = Annotated[int, Meta(ge=0, le=10**9)]  # milliseconds

if TYPE_CHECKING:
    Plain = Any  # the game defines what a move is made of: readers parse it with `move_from_wire`
else:
    Exact = Annotated[int, Meta(ge=-MAX_INT, le=MAX_INT)]
    Atom = Exact | Finite | Annotated[str, Meta(max_length=MAX_STRING)] | bool | None
    Plain = Atom  # lists of lists of atoms: no maps, no binary, nothing deep; the decoder refuses everything else
    for _ in range(MAX_DEPTH):
        Plain = Atom | list[Plain]

Termination = Literal[
    "rule", "illegal", "time", "disconnected", "crashed", "stalled", "resigned", "revoked", "adjudicated"
]


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag=str.lower):
    """The base of every message between a bot and the server."""


class Finish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The end of one entrant's race. `cost` is the cost of its solution, lower is better; None: no solution."""

    termination: Termination
    reason: Key  # "solved", "best-tour", "too-many-illegal-moves", ...
    cost: Finite | None
    detail: Text = ""


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The end of a match. `scores` has one number a seat; `seat` is the seat at fault, if there is one.

    A race has one result for all its entrants: an entrant's score is the share of the others that it has beaten, and
    `finishes` says how each ended. The result that an entrant gets at the end is about itself alone.
    """

    termination: Termination
    reason: Key  # "reached-far-row", "three-strikes", "flag-fell", ...
    scores: Annotated[list[Finite], Meta(max_length=MAX_ENTRANTS)]
    seat: SeatIndex | None = None
    detail: Text = ""  # a sentence, or the last lines of a traceback
    finishes: Annotated[list[Finish], Meta(max_length=MAX_ENTRANTS)] | UnsetType = UNSET  # of a race, by entrant

    @property
    def rule_detail(self) -> str:
        """Return what the rules say of a duel beyond its scores: `Black wins by 3.5 points`; "" if they say no more.

        Elsewhere `detail` has the faults of seats.
        """
        is_duel = len(self.scores) == 2 and self.finishes is UNSET
        return self.detail if self.termination == "rule" and is_duel else ""


class Info(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Information about a bot's thinking for viewers; every field is optional."""

    depth: Count | UnsetType = UNSET
    nodes: Count | UnsetType = UNSET
    score: Finite | UnsetType = UNSET  # from the bot's own view, in its own unit
    pv: Annotated[list[Annotated[str, Meta(max_length=32)]], Meta(max_length=64)] | UnsetType = UNSET
    text: Annotated[str, Meta(max_length=256)] | UnsetType = UNSET
    # From engines: depth of the longest line, nodes a second, per mille of the table in use, hits in tablebases, and
    # of a thousand games that go on from here those won, drawn and lost.
    seldepth: Count | UnsetType = UNSET
    nps: Count | UnsetType = UNSET
    hashfull: Annotated[int, Meta(ge=0, le=1000)] | UnsetType = UNSET
    tbhits: Count | UnsetType = UNSET
    wdl: Annotated[list[Annotated[int, Meta(ge=0, le=1000)]], Meta(min_length=3, max_length=3)] | UnsetType = UNSET
    # For a language model, the totals of all requests for this move: tokens, dollars, and the time its answers took.
    tokens_in: Tokens | UnsetType = UNSET
    tokens_out: Tokens | UnsetType = UNSET
    cost: Money | UnsetType = UNSET
    latency_ms: Latency | UnsetType = UNSET


class SeatOf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat of a match and the bot in it."""

    name: Key
    bot: Name


# --- bot -> server ---------------------------------------------------------------------------------------------------


Omission = Literal["moves", "played"]  # "moves": the list in a `turn`, which is null then; "played": these messages


class Hello(Message, frozen=True):
    """The first message of a connection. `slots`: matches at once; `resume`: the session of a lost connection.

    `without`: messages and fields that this bot does not use and need not be sent. `program`: after the welcome, a
    program plays that has this connection as its stdin and stdout; only on connections of JSON lines, with one slot.
    `about` is the author's line on the bot's page; `build` identifies the program, so that two programs under one name
    are told apart.
    """

    name: Name
    games: Annotated[list[Key], Meta(min_length=1, max_length=64)]
    token: Annotated[str, Meta(max_length=128)] | UnsetType = UNSET
    resume: Key | UnsetType = UNSET
    slots: Annotated[int, Meta(ge=1, le=256)] | UnsetType = UNSET  # 1 where unset
    without: Annotated[list[Omission], Meta(max_length=2)] | UnsetType = UNSET
    program: bool | UnsetType = UNSET
    about: Annotated[str, Meta(max_length=200)] | UnsetType = UNSET
    build: Annotated[str, Meta(min_length=1, max_length=200)] | UnsetType = UNSET


class Ready(Message, frozen=True):
    """The bot is prepared for `match`; clocks may run.

    `again` is for programs on stdin and stdout: after `over` they stay alive and take the next `game`.
    """

    match: Key
    again: bool | UnsetType = UNSET


class Move(Message, frozen=True):
    """The answer to a `turn`, with its `id`."""

    match: Key
    id: Count
    move: Plain  # lists, ints and strings, as the game says
    info: Info | UnsetType = UNSET


class Resign(Message, frozen=True):
    """The bot resigns `match`; `reason` is a sentence for the record."""

    match: Key
    reason: Text | UnsetType = UNSET


class Draw(Message, frozen=True):
    """The bot offers a draw in `match`, or accepts the one that its opponent has offered."""

    match: Key


ILLEGAL_MOVE = "illegal-move"


class Error(Message, frozen=True):
    """An error in the protocol, from either side. From a bot, code "crashed" resigns `match`, with a traceback;
    "illegal-move" says that its rejected move loses at once, as engines' first one does.
    """

    code: Key
    reason: Text
    id: Count | UnsetType = UNSET
    match: Key | UnsetType = UNSET


# --- server -> bot ---------------------------------------------------------------------------------------------------


class Welcome(Message, frozen=True):
    """The accepted login.

    `notice` tells the bot's author, for example, that another program plays under the same name.
    """

    session: Key
    server: Key  # "palio 0.2.0"
    notice: Text | UnsetType = UNSET


SERVER_STOPPING = "server-stopping"  # the code of a refusal that is valid only until the server is back


class Refused(Message, frozen=True):
    """The answer to a `hello` that is not accepted; the connection closes.

    `retry_ms`: a limit was reached, and the same hello may be accepted after this time.
    """

    code: Key
    reason: Text
    retry_ms: Count | UnsetType = UNSET


class GameMessage(Message, frozen=True, tag="game"):
    """A match begins or resumes: always the first message, never changed. `setup` is the first position as text."""

    match: Key
    game: Key
    options: dict[str, Plain]
    setup: str
    seat: SeatIndex
    seats: list[SeatOf]
    time: TimeControl
    strikes: Count
    draw_offers: bool | UnsetType = UNSET  # True: `draw` may be sent, and `draw_offered` comes; only between people


class Turn(Message, frozen=True):
    """A request for a move. Complete in itself, so a bot needs no memory between turns.

    Repeated until it is answered.
    """

    match: Key
    id: Count
    ply: Count
    state: str
    moves: list[Plain] | None  # every legal move, in the game's order; None if a game has too many to list
    clocks_ms: ClocksMs
    limit_ms: Count | None  # time for this move, without the network margin; None: no limit
    moves_to_go: Count | UnsetType = UNSET  # of this seat until its clock gains its time again, where `time` has moves


class Rejected(Message, frozen=True):
    match: Key
    id: Count
    code: Key
    reason: Text
    strikes_left: Count
    clocks_ms: ClocksMs


class Played(Message, frozen=True):
    match: Key
    ply: Count  # plies played so far, this one included
    seat: SeatIndex
    move: Plain
    clocks_ms: ClocksMs


class DrawOffered(Message, frozen=True, tag="draw_offered"):
    """`seat` offers a draw; its opponent takes it with `draw`, and declines it with its next move."""

    match: Key
    seat: SeatIndex


class Absent(Message, frozen=True):
    """The bot in `seat` lost its connection and has `grace_ms` to return."""

    match: Key
    seat: SeatIndex
    grace_ms: Count


class Back(Message, frozen=True):
    match: Key
    seat: SeatIndex
    grace_ms: Count  # the grace time that is left for later absences


class Over(Message, frozen=True):
    match: Key
    outcome: Result


class ServerStopping(Message, frozen=True, tag="server_stopping"):
    """The server is shutting down. Matches continue when it is back: connect again after `back_in_ms`."""

    reason: Text
    back_in_ms: Count | UnsetType = UNSET  # unset: unknown


BotMessage = Hello | Ready | Move | Resign | Draw | Error
ServerMessage = (
    Welcome
    | Refused
    | GameMessage
    | Turn
    | Rejected
    | Played
    | DrawOffered
    | Absent
    | Back
    | Over
    | Error
    | ServerStopping
)
