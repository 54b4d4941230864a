"""What is written down of a match while it is played: its plies, and the moves that were refused."""

from typing import Any

import msgspec

from palio_rules.messages import Info, Termination


class Ply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A move that was played, the time that it took, and what the bot said of it.

    In a game that plays on without a seat, the seat's end is a ply without a move: `out` says why it was thrown out.
    In an anytime race a solution that is no better than the seat's best one is a ply without a move and without `out`.
    """

    seat: int
    move: Any  # as on the wire
    ms: int
    info: Info | None = None
    out: Termination | None = None


class Refusal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A move that was refused."""

    ply: int  # how many plies had been played
    seat: int
    move: str  # what was sent, as text, cut to 200 characters
    code: str
    reason: str
