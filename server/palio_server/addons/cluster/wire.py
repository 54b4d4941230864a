"""Messages between the coordinator and its workers, as JSON: the store's own form of setups and records."""

from datetime import UTC, datetime
from typing import Literal

import msgspec

from palio_db.values import Claim
from palio_rules.records.record import Ply, RejectedMove

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
RESOURCE = "palio"  # of a worker, for Dask: the cores that are free for bots that think

Clocks = list[int | None]


class TravellingBot(msgspec.Struct, frozen=True):
    """A bot as workers start it: in its `spec`, a place holder stands for each folder of its parcel."""

    name: str
    spec: str
    network: bool = False
    parcel: str = ""  # the digest of its files; "": it has none
    home: str = ""  # the folder in the parcel where it is started
    keys: tuple[str, ...] = ()  # variables of a worker's environment, one of which must hold its key: none travels


class TravellingGame(msgspec.Struct, frozen=True):
    """The game of a run, and what to type for it: for one of a file its class and its place in its `parcel`."""

    name: str
    typed: str
    parcel: str = ""  # "": it has no files


class Roster(msgspec.Struct, frozen=True):
    """The facts that a worker needs before its first game of a run."""

    run: str  # another one each time that a coordinator begins
    game: TravellingGame
    bots: tuple[TravellingBot, ...]
    sandbox: Literal["auto", "require", "off"]
    memory: str
    processes: int
    reference: float = 0.0  # nodes a second for which the clocks are meant; 0: they are never scaled
    counts_crashes: bool = False  # True: the coordinator does, and no worker gives a bot up for crashes in a row
    clock_zero: datetime = EPOCH  # the coordinator's time when this worker's monotonic clock was 0; set for each worker


class Admission(msgspec.Struct, frozen=True):
    """A worker's description of itself: `cores` for games, by which `factor` all its times are multiplied."""

    cores: int
    factor: float = 1.0
    lacks: str = ""  # why it cannot play
    warning: str = ""


class Portion(msgspec.Struct, frozen=True):
    """Games that one task plays, one after the other."""

    run: str
    claims: list[Claim]


class Finished(msgspec.Struct, frozen=True, tag=True):
    """A whole record, the stderr of bots at fault, and in a course by submission what programs said of their faults."""

    match: str
    record: msgspec.Raw
    stderr: dict[str, list[str]] = {}
    texts: dict[str, str] = {}


class Aborted(msgspec.Struct, frozen=True, tag=True):
    """A game that has no result."""

    match: str
    reason: str


class Unplayable(msgspec.Struct, frozen=True, tag=True):
    """A game that was not begun, because a bot cannot be played with here."""

    match: str
    bot: str
    why: str


Ended = Finished | Aborted | Unplayable


class Begun(msgspec.Struct, frozen=True, tag=True):
    """A worker has taken up the game `match`: its bots are asked to be ready."""

    match: str
    factor: float = 1.0  # of its clocks


class Snapshot(msgspec.Struct, frozen=True, tag=True):
    """A game so far, for its first viewer; events from the next ply on follow."""

    match: str
    plies: list[Ply]
    refusals: list[RejectedMove]


class Event(msgspec.Struct, frozen=True, tag=True):
    """An event of the referee, named as in `palio_server.match.events`; positions are left out, plies give them."""

    match: str


class Started(Event, frozen=True):
    clocks_ms: Clocks


class Played(Event, frozen=True):
    number: int
    ply: Ply
    clocks_ms: Clocks


class Forfeited(Played, frozen=True):
    reason: str
    detail: str = ""


class Rejected(Event, frozen=True):
    rejected: RejectedMove
    strikes_left: int
    clocks_ms: Clocks


class Absent(Event, frozen=True):
    seat: int
    grace_ms: int


class Back(Event, frozen=True):
    seat: int
    grace_ms: int


class Remark(msgspec.Struct, frozen=True, tag=True):
    """A sentence about a bot that people should read once."""

    text: str


Report = Begun | Snapshot | Started | Played | Forfeited | Rejected | Absent | Back | Remark


class Reports(msgspec.Struct, frozen=True):
    """The news of a worker since its last report; without items it only says that it is there."""

    worker: str
    items: list[Report] = []


encode = msgspec.json.Encoder().encode
portion_of = msgspec.json.Decoder(Portion).decode
ended_of = msgspec.json.Decoder(list[Ended]).decode
reports_of = msgspec.json.Decoder(Reports).decode
roster_of = msgspec.json.Decoder(Roster).decode
admission_of = msgspec.json.Decoder(Admission).decode
