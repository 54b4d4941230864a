"""Every position of a match, drawn: what a page steps through."""

from collections.abc import Sequence

import msgspec

from palio_db.values import MatchRow
from palio_rules import live
from palio_rules.record import Ply, Record, Setup
from palio_server.live.match_live import MatchLive, aborted


class Replay(msgspec.Struct, frozen=True):
    """A match from its first position to its newest: `views[n]` is the position after `lines[n - 1]`."""

    summary: live.Summary
    lines: list[live.PlyView]
    refusals: list[live.RefusalView]
    views: list[live.View]


def replay(snapshot: live.MatchSnapshot, setup: Setup, plies: Sequence[Ply]) -> Replay:
    """Draw the whole way to a snapshot, which may take a while. Raises ValueError where it is not legal."""
    views: list[live.View] = []
    MatchLive(snapshot.summary.match, setup, journal=plies, views=views)
    return _replay(snapshot, views)


def replay_record(record: Record) -> Replay:
    """The replay of a finished match."""
    views: list[live.View] = []
    return _replay(ended(record, views).snapshot(), views)


def ended(record: Record, views: list[live.View] | None = None) -> MatchLive:
    """A finished match as its viewers saw it at the end."""
    found = MatchLive(record.match, record.setup, record.event, record.plies, record.refusals, views=views)
    found.end(record.result)
    return found


def without_record(row: MatchRow) -> MatchLive:
    """A match that has not been played: it waits, or it was aborted and will never be."""
    found = MatchLive(row.id, row.setup, row.event)
    if row.status == "aborted":
        found.end(aborted(row.setup, row.reason or ""))
    return found


def _replay(snapshot: live.MatchSnapshot, views: list[live.View]) -> Replay:
    views[-1] = snapshot.summary.view  # with the clocks as they are, and nobody's turn if it is over
    return Replay(snapshot.summary, snapshot.lines, snapshot.refusals, views)
