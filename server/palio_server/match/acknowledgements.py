"""The numbers of turns, and what was answered to the last moves: whoever repeats one hears the same again.

A turn's number says in which epoch it was asked and how many plies had been played, so that a move that is repeated
after a restart is recognised by the journal alone.
"""

from collections.abc import Sequence

from palio_rules.contract.messages import Played
from palio_rules.records.record import Ply

TURNS_IN_EPOCH = 1_000_000  # numbers never come again after a restart: the next epoch begins above them
REMEMBERED = 64  # plies: a network repeats what is seconds old, not what half a match has followed


class Acknowledgements:
    """Of one match, the last `played` of each move that was accepted, by ply."""

    def __init__(self, match: str, epoch: int) -> None:
        self._match, self._epoch = match, epoch
        self._played: dict[int, Played] = {}

    def turn_id(self, plies: int) -> int:
        """The number of the turn that is asked after so many plies."""
        return self._epoch * TURNS_IN_EPOCH + plies + 1

    def keep(self, played: Played) -> None:
        """Remember what has just been answered."""
        self._played[played.ply] = played
        self._played.pop(played.ply - REMEMBERED, None)

    def remember(self, number: int, ply: Ply, clocks_ms: Sequence[int | None]) -> None:
        """Remember the journal's `number`-th ply, which was answered in an earlier epoch, perhaps."""
        if ply.move is not None:
            self.keep(Played(self._match, number, ply.seat, ply.move, list(clocks_ms)))

    def find(self, seat: int, turn: int) -> Played | None:
        """The answer to the move of `seat` for `turn`, in whatever epoch that was asked; None if there is none."""
        epoch, number = divmod(turn, TURNS_IN_EPOCH)
        played = self._played.get(number)
        return played if played is not None and played.seat == seat and 1 <= epoch <= self._epoch else None
