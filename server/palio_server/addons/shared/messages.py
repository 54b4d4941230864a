"""Messages between servers, as JSON, on topics that carry a version.

    palio/cluster/v1/beat/<process>                   for all: I live, and this is what I am
    palio/cluster/v1/gone/<process>                   its last will
    palio/cluster/v1/sessions/<process>               what has changed of its bots' connections, numbered
    palio/cluster/v1/all/<process>                    something for all
    palio/cluster/v1/to/<process>/word/<from>         something for one
    palio/cluster/v1/to/<process>/in/<from>/<name>/<match>    what a match says to a bot that is there; MessagePack
    palio/cluster/v1/to/<process>/out/<from>/<name>/<match>   what a bot says to a match that is played there; the same

Fields that are not known are ignored, so that two releases may work side by side; what cannot be understood without
them would be another version, with topics of its own.
"""

from typing import Any, Literal

import msgspec

from palio_rules.contract.messages import Omission, Termination
from palio_rules.contract.topics import CLUSTER

VERSION = "v1"
ROOT = f"{CLUSTER}{VERSION}"
ALL_BEATS = f"{CLUSTER}+/beat/+"  # of all versions: a process of another version shall not go unnoticed
ALL_GONE = f"{ROOT}/gone/+"
ALL_SESSIONS = f"{ROOT}/sessions/+"
FOR_ALL = f"{ROOT}/all/+"

Role = Literal["all", "gateway", "referee"]


def beat(process: str) -> str:
    return f"{ROOT}/beat/{process}"


def gone(process: str) -> str:
    return f"{ROOT}/gone/{process}"


def sessions(process: str) -> str:
    return f"{ROOT}/sessions/{process}"


def to_all(process: str) -> str:
    """Return the topic for all others."""
    return f"{ROOT}/all/{process}"


def mailbox(process: str) -> str:
    """A filter for all that is said to this process alone."""
    return f"{ROOT}/to/{process}/#"


def word(to: str, of: str) -> str:
    return f"{ROOT}/to/{to}/word/{of}"


def to_bot(to: str, of: str, name: str, match: str) -> str:
    """Return the topic from a match that `of` plays to a bot that `to` has."""
    return f"{ROOT}/to/{to}/in/{of}/{name}/{match}"


def to_match(to: str, of: str, name: str, match: str) -> str:
    """Return the topic from a bot that `of` has to a match that `to` plays."""
    return f"{ROOT}/to/{to}/out/{of}/{name}/{match}"


class Beat(msgspec.Struct, frozen=True):
    """A process lives. Said once a second, and at once when another process has come."""

    process: str
    worker: str  # its name in the database
    role: Role
    since: float  # seconds since 1970 by its own clock, which need not be right: the oldest leads
    seq: int  # the number of the last change of its connections
    release: str = ""
    watched: bool = False  # a viewer here watches the lobby
    stopping: bool = False
    draining: bool = False  # an operator lets it begin no further match

    @property
    def gateway(self) -> bool:
        return self.role in ("all", "gateway")

    @property
    def referee(self) -> bool:
        return self.role in ("all", "referee")


class Card(msgspec.Struct, frozen=True):
    """One connection of a bot, as its process tells others of it; `key` is never used twice there."""

    key: int
    session: str
    name: str
    games: list[str]
    slots: int
    transport: str
    matches: list[str] = []
    without: list[Omission] = []
    build: str = ""
    confined: str = ""
    address: str = ""


class Changes(msgspec.Struct, frozen=True):
    """Connections that are new or other than before, and those that are gone. `seq` counts these messages."""

    seq: int
    cards: list[Card] = []
    gone: list[int] = []


class Whole(msgspec.Struct, frozen=True, tag_field="type", tag="whole"):
    """All connections as they were at `seq`: part `part` of `parts`, from 1."""

    seq: int
    part: int
    parts: int
    cards: list[Card]


class AskWhole(msgspec.Struct, frozen=True, tag_field="type", tag="ask_whole"):
    """Tell me of all your connections: I have missed something, or have just come."""


class Ask(msgspec.Struct, frozen=True, tag_field="type", tag="ask"):
    """Lend me a slot of the connection `key` for `match`, which I play under `epoch`."""

    key: int
    name: str
    match: str
    epoch: int


class Lent(msgspec.Struct, frozen=True, tag_field="type", tag="lent"):
    """The answer to Ask; `why` says why not."""

    key: int
    match: str
    epoch: int
    lent: bool
    why: str = ""


class GiveBack(msgspec.Struct, frozen=True, tag_field="type", tag="give_back"):
    """I need the slot no more."""

    key: int
    match: str
    epoch: int


class Borrowed(msgspec.Struct, frozen=True, tag_field="type", tag="borrowed"):
    """All that I have borrowed from you, or asked for: [key, match, epoch]. All else that you have lent me is free."""

    slots: list[tuple[int, str, int]]


class Recalled(msgspec.Struct, frozen=True, tag_field="type", tag="recalled"):
    """I have lent you no such slot, or no more."""

    key: int
    match: str
    epoch: int


class Expelled(msgspec.Struct, frozen=True, tag_field="type", tag="expelled"):
    """A bot has lost its right to play, and forfeits `match`."""

    name: str
    match: str
    session: str
    termination: Termination
    reason: str
    detail: str


class Close(msgspec.Struct, frozen=True, tag_field="type", tag="close"):
    """Close the connection: its session goes on with another process."""

    key: int
    code: int
    reason: str


class Request(msgspec.Struct, frozen=True, tag_field="type", tag="request"):
    """Do something, and answer. `about` is the verb's own business."""

    id: int
    verb: str
    about: Any = None


class Answer(msgspec.Struct, frozen=True, tag_field="type", tag="answer"):
    """The answer to a Request: a value as JSON, perhaps in several parts, or the kind of an error and its sentence."""

    id: int
    value: str = ""
    parts: int = 1  # of the same id, in order
    error: str = ""
    reason: str = ""


class News(msgspec.Struct, frozen=True, tag_field="type", tag="news"):
    """Something that concerns all who care for `subject`."""

    subject: str
    about: Any = None


Message = Whole | AskWhole | Ask | Lent | GiveBack | Borrowed | Recalled | Expelled | Close | Request | Answer | News

read_message = msgspec.json.Decoder(Message).decode
read_beat = msgspec.json.Decoder(Beat).decode
read_changes = msgspec.json.Decoder(Changes).decode
write = msgspec.json.Encoder().encode
