"""What the person who runs a bot may want to read, besides the session's events."""

from dataclasses import dataclass

from palio_clients.events import Event


@dataclass(frozen=True, slots=True)
class Connected:
    url: str


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The connection is gone or could not be made; the next try comes after `retry_s` seconds."""

    reason: str
    retry_s: float


@dataclass(frozen=True, slots=True)
class Crashed:
    """The bot failed, and its match was given up; `text` is a traceback or a sentence."""

    match: str
    text: str


@dataclass(frozen=True, slots=True)
class Fault:
    """Something is wrong, but the match goes on."""

    text: str
    match: str | None = None


Notice = Connected | Disconnected | Crashed | Fault | Event
