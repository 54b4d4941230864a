"""Who did what, as the audit remembers it: frozen values, none of which knows a database."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Outcome = Literal["done", "refused"]


@dataclass(frozen=True, slots=True)
class Actor:
    """Whoever does something to a server: `who` for people, the number of the token, where it was asked from."""

    who: str
    token: int | None = None
    address: str = ""


PALIO = Actor("palio")  # what nobody asked for, and programs that use the store by themselves


@dataclass(frozen=True, slots=True)
class Act:
    """Something that is worth remembering. `name`: "token issued"; `what` it was done to: "token 3 of mine"."""

    name: str
    what: str
    detail: str = ""
    outcome: Outcome = "done"


@dataclass(frozen=True, slots=True)
class AuditLine:
    """A line of the audit; numbers grow with time."""

    id: int
    at: datetime
    who: str
    token: int | None
    address: str
    act: str
    what: str
    outcome: Outcome
    detail: str
