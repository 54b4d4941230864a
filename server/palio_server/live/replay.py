"""Every position of a match, drawn, for the steps on a page."""

from collections.abc import Sequence
from typing import Any

import msgspec

from palio_db.values import MatchRow
from palio_rules.records.boards import boards_of
from palio_rules.records.record import Ply, Record, Setup
from palio_rules.scene import Scene
from palio_server import live
from palio_server.live.match_live import MatchLive, aborted


class Replay(msgspec.Struct, frozen=True):
    """A match from its first position to its newest: `views[n]` is the position after `lines[n - 1]`.

    In a race that is the board of the entrant that played the ply. A board that looks the same as after that entrant's
    last ply, for instance after a solution that is no better, comes without its scene: otherwise a long race would be
    one picture a thousand times.
    """

    summary: live.Summary
    lines: list[live.PlyView]
    refusals: list[live.RejectedMoveView]
    views: list[live.View]


def replay(snapshot: live.MatchSnapshot, setup: Setup, plies: Sequence[Ply]) -> Replay:
    """Draw all positions up to a snapshot, which may take a while. Raises ValueError if a ply is not legal."""
    views: list[live.View] = []
    MatchLive(snapshot.summary.match, setup, journal=plies, views=views)
    return _replay(snapshot, views)


def replay_record(record: Record, tournament: int | None = None) -> Replay:
    """Return the replay of a finished match, which belonged to the event with that number."""
    views: list[live.View] = []
    return _replay(ended(record, tournament, views).snapshot(), views)


def ended(record: Record, tournament: int | None = None, views: list[live.View] | None = None) -> MatchLive:
    """Return a finished match as its viewers saw it at the end; a record has only the name of its event."""
    found = MatchLive(
        record.match, record.setup, record.event, record.plies, record.refusals, tournament=tournament, views=views
    )
    found.end(record.result, record.confined)
    return found


def position_at(setup: Setup, plies: Sequence[Ply], ply: int, seat: int | None = None) -> Any:
    """Return the position after `ply` plies, the opening's first; in a race the board of the entrant `seat`, or of
    the one that played it.

    Raises ValueError if there are fewer plies, or no such entrant.
    """
    last = len(setup.opening) + len(plies)
    if not 0 <= ply <= last:
        raise ValueError(f"there is no ply {ply}, the match has plies 0 to {last}")
    if seat is not None and not 0 <= seat < len(setup.bots):
        raise ValueError(f"there is no seat {seat}, the match has seats 0 to {len(setup.bots) - 1}")
    rules, state = setup.rules(), setup.first()
    for value in setup.opening[:ply]:
        state = state.play(rules.read_move(state, value))
    if ply <= len(setup.opening):
        return state
    boards = boards_of(setup)
    for each in plies[: ply - len(setup.opening)]:
        state = boards.play(each)
    return state if seat is None else boards.of(seat)


def without_record(row: MatchRow) -> MatchLive:
    """Return a match that has not been played: it waits, or it was aborted."""
    found = MatchLive(row.id, row.setup, row.event, tournament=row.tournament)
    if row.status == "aborted":
        found.end(aborted(row.setup, row.reason or ""))
    return found


def _replay(snapshot: live.MatchSnapshot, views: list[live.View]) -> Replay:
    """Return the replay. The newest view has the present clocks, and no seat to move if it is over; of a race, the last
    ply's board.
    """
    in_race = snapshot.boards and snapshot.lines
    views[-1] = snapshot.boards[snapshot.lines[-1].seat] if in_race else snapshot.summary.view
    return Replay(snapshot.summary, snapshot.lines, snapshot.refusals, _once(views) if snapshot.boards else views)


def _once(views: list[live.View]) -> list[live.View]:
    """Return the views of a race, with each entrant's scenes only where they are new."""
    known: dict[int | None, Scene | None] = {}
    found = []
    for view in views:
        found.append(view if known.get(view.seat) is not view.scene else msgspec.structs.replace(view, scene=None))
        known[view.seat] = view.scene
    return found
