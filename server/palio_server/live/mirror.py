"""A match that another server plays, for viewers here: its snapshot, kept up to date with that server's messages."""

from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from palio_rules.records.boards import ranks
from palio_server import live
from palio_server.live.feed import epoch_of

_read = msgspec.json.Decoder(live.LiveMessage).decode


class Fetched(NamedTuple):
    """The state of a match that another server plays."""

    snapshot: live.MatchSnapshot
    saved: bool = False  # as the database has it: the server that plays it was not reached


class MatchMirror:
    """A match followed by its numbers. `seq` is the newest number known.

    If its state is only what the database has, its number is above all that the match's server has said. When that
    server is heard after all, it has to be asked.
    """

    def __init__(self, snapshot: live.MatchSnapshot, *, saved: bool = False) -> None:
        self._snapshot, self._saved = snapshot, saved
        self._lines, self._refusals = list(snapshot.lines), list(snapshot.refusals)
        self._boards = list(snapshot.boards)
        self._encoded: bytes | None = None

    @property
    def match(self) -> str:
        return self._snapshot.summary.match

    @property
    def seq(self) -> int:
        return self._snapshot.seq

    @property
    def over(self) -> bool:
        return self._snapshot.summary.result is not None

    def snapshot(self) -> live.MatchSnapshot:
        """Return the snapshot for a viewer who comes now."""
        lines, refusals, boards = list(self._lines), list(self._refusals), list(self._boards)
        return msgspec.structs.replace(self._snapshot, lines=lines, refusals=refusals, boards=boards)

    def snapshot_json(self) -> bytes:
        """Return the snapshot as JSON, encoded once for all who come at the same `seq`."""
        if self._encoded is None:
            self._encoded = msgspec.json.encode(self.snapshot())
        return self._encoded

    def renew(self, snapshot: live.MatchSnapshot, *, saved: bool = False) -> None:
        """Replace the state, with all that was missed, by a newer snapshot; an older one changes nothing."""
        if snapshot.seq >= self.seq or (self._saved and epoch_of(snapshot.seq) == epoch_of(self.seq)):
            MatchMirror.__init__(self, snapshot, saved=saved)

    def hear(self, data: bytes) -> bool:
        """Take in a message about the match; return False if earlier ones are missing, so that it cannot be shown.

        A message without a number, or of an unknown kind, is passed on to viewers who may understand it.
        """
        try:
            message = _read(data)
        except msgspec.MsgspecError:
            return True
        match message:
            case live.MatchSnapshot() | live.Delta() if self._saved and epoch_of(message.seq) == epoch_of(self.seq):
                return False
            case live.MatchSnapshot():
                self.renew(message)
            case live.Delta() if message.seq == self.seq + 1:
                self._encoded = None
                self._note(message)
            case live.Delta() if message.seq > self.seq:
                return False
        return True

    def _note(self, delta: live.Delta) -> None:
        summary = self._snapshot.summary
        match delta:
            case live.Started(summary=summary):
                pass
            case live.Played(line=line, view=view):
                self._lines.append(line)
                if self._boards and view.race:
                    self._boards[line.seat] = view
                    self._renew_boards(ply=view.ply, clocks_ms=view.clocks_ms, race=view.race, bound=view.bound)
                    placed = ranks([standing.cost for standing in view.race])
                    view = self._boards[placed.index(min(placed))]  # of the entrant that is ahead
                summary = _after(summary, line, view)
            case live.Rejected(refusal=refusal, clocks_ms=clocks):
                self._refusals.append(refusal)
                self._renew_boards(clocks_ms=clocks)
                view = msgspec.structs.replace(summary.view, clocks_ms=clocks)
                summary = msgspec.structs.replace(summary, view=view, refused=refusal.seat)
            case live.Absent(seat=seat):
                summary = msgspec.structs.replace(summary, absent=sorted({*summary.absent, seat}))
            case live.Back(seat=seat):
                summary = msgspec.structs.replace(summary, absent=[one for one in summary.absent if one != seat])
            case live.Finished(result=result, view=view):
                self._renew_boards(clocks_ms=view.clocks_ms, race=view.race, to_move=None)
                summary = msgspec.structs.replace(summary, result=result, view=view, absent=[], refused=UNSET)
        self._snapshot = msgspec.structs.replace(self._snapshot, seq=delta.seq, summary=summary)

    def _renew_boards(self, **changes: Any) -> None:
        """Change the common parts of all boards of a race."""
        self._boards = [msgspec.structs.replace(board, **changes) for board in self._boards]


def _after(summary: live.Summary, line: live.PlyView, view: live.View) -> live.Summary:
    """Return the summary after a ply."""
    told = list(summary.told)
    if line.info is not None and line.info.score is not None and line.info.score is not UNSET:
        told = told or [None] * len(summary.seats)
        told[line.seat] = float(line.info.score)
    refused = UNSET if summary.refused == line.seat else summary.refused
    return msgspec.structs.replace(summary, view=view, told=told, refused=refused)
