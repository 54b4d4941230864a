"""What the writer is asked to do. Each is one caller's; many of them make one transaction (`group.py`)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from palio_db.connections import Connection
from palio_db.journaling import Line
from palio_db.values import Claim
from palio_rules.records.record import Record


@dataclass(frozen=True, slots=True)
class Journaling:
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class Finishing:
    claim: Claim
    record: Record
    data: bytes  # the record as JSON


@dataclass(frozen=True, slots=True)
class Releasing:
    match: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Renewing:
    held: Collection[tuple[str, int]]  # match and epoch
    lease_s: float


@dataclass(frozen=True, slots=True)
class Claiming:
    worker: str
    lease_s: float
    free: Mapping[str, frozenset[str]] | None
    tournament: int | None
    moment: datetime
    most: int = 1


@dataclass(frozen=True, slots=True)
class ClaimingThese:
    worker: str
    lease_s: float
    matches: Collection[str]
    moment: datetime


@dataclass(frozen=True, slots=True)
class Alone:
    """Whatever is not to share its transaction: it locks rows in an order of its own."""

    run: Callable[[Connection], Any]


Work = Journaling | Finishing | Releasing | Renewing | Claiming | ClaimingThese | Alone
