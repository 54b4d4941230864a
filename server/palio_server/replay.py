"""Every position of a match, drawn: what a page steps through."""

from collections.abc import Sequence

import msgspec

from palio_rules import live
from palio_rules.messages import Result
from palio_rules.record import Ply, Record, Refusal, Setup
from palio_server.match_live import MatchLive


class Replay(msgspec.Struct, frozen=True):
    """A match from its first position to its newest: `views[n]` is the position after `lines[n - 1]`."""

    summary: live.Summary
    lines: list[live.PlyView]
    refusals: list[live.RefusalView]
    views: list[live.View]


def replay(
    match: str,
    setup: Setup,
    event_name: str,
    plies: Sequence[Ply],
    refusals: Sequence[Refusal],
    result: Result | None,
) -> Replay:
    """Play a match again and draw all of it, which may take a while. Raises ValueError where it is not legal."""
    views: list[live.View] = []
    played = MatchLive(match, setup, event_name, plies, refusals, views=views)
    if result is not None:
        played.end(result)
    snapshot = played.snapshot()
    return Replay(snapshot.summary, snapshot.lines, snapshot.refusals, [*views[:-1], snapshot.summary.view])


def replay_record(record: Record) -> Replay:
    """The replay of a finished match."""
    return replay(record.match, record.setup, record.event, record.plies, record.refusals, record.result)


def ended(record: Record) -> MatchLive:
    """A finished match as its viewers saw it at the end."""
    found = MatchLive(record.match, record.setup, record.event, record.plies, record.refusals)
    found.end(record.result)
    return found
