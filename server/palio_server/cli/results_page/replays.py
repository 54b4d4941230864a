"""The replays of a results page: every position of a match as a drawing, small enough to stand in one file.

The drawings of a match differ in a few elements, so each element is kept once and a position is a list of their
numbers. That makes a duel of 60 plies some 20 kB instead of 600 kB.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

import msgspec

from palio_rules.plain_text import plain
from palio_rules.records.record import Record
from palio_server import live
from palio_server.live.picture import Box, draw
from palio_server.live.replay import Replay, replay_record
from palio_server.tournament.event_faults import EventFault

MOST_BYTES = 3_000_000  # of all replays of a page, which a browser loads at once
MOST_REPLAYS = 60
MOST_DRAWN = 6_000  # positions in all, at up to 2 ms each
MOST_POSITIONS = 300  # of one replay: the last ones, where the fault is


@dataclass(frozen=True, slots=True)
class Drawing:
    """A match, drawn. `frames[n]` has the numbers of its `parts`; `moves[n]` is the line below it."""

    faults: Sequence[EventFault]
    parts: Sequence[str]
    frames: Sequence[Sequence[int]]
    moves: Sequence[str]
    skipped: int = 0  # positions before the first of the frames
    refusals: Sequence[str] = ()

    @property
    def last(self) -> str:
        """The last position, as HTML."""
        return "".join(self.parts[part] for part in self.frames[-1])

    def data(self) -> str:
        """Return the JSON for the page's script, which cannot end the element that holds it."""
        data = {"parts": self.parts, "frames": self.frames, "moves": self.moves}
        return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


@dataclass(slots=True)
class Replays:
    """The chosen replays, in the order of games, and how many matches with a fault have none."""

    shown: list[Drawing] = field(default_factory=list)
    left_out: int = 0


def chosen_replays(records: Sequence[Record], faults: Sequence[EventFault], most_bytes: int = MOST_BYTES) -> Replays:
    """Return replays up to the limits: first one for each bot and reason, then others in the order of games.

    A match that has no record here, or cannot be drawn, is left out, and counted.
    """
    of_match: dict[str, list[EventFault]] = {}
    for fault in faults:
        if fault.match:
            of_match.setdefault(fault.match, []).append(fault)
    known = {record.match: record for record in records}
    found, room, work = Replays(), most_bytes, MOST_DRAWN
    for match in _by_interest(of_match):
        record, drawing = known.get(match), None
        positions = 0 if record is None else 1 + len(record.setup.opening) + len(record.plies)
        if record is not None and positions <= work and len(found.shown) < MOST_REPLAYS:
            drawing = _drawing(record, of_match[match])
            work -= positions
        size = 0 if drawing is None else len(drawing.data()) + len(drawing.last)
        if drawing is None or size > room:
            found.left_out += 1
            continue
        room -= size
        found.shown.append(drawing)
    found.shown.sort(key=lambda drawing: drawing.faults[0].game)
    return found


def _by_interest(of_match: Mapping[str, Sequence[EventFault]]) -> Iterator[str]:
    """Yield the first match of each bot and reason, then all others."""
    seen: set[tuple[str, str]] = set()
    later: list[str] = []
    for match, faults in of_match.items():
        new = {(fault.bot, fault.reason) for fault in faults} - seen
        seen |= new
        if new:
            yield match
        else:
            later.append(match)
    yield from later


def _drawing(record: Record, faults: Sequence[EventFault]) -> Drawing | None:
    """Return a match, drawn; of a race the boards of those at fault. None if it cannot be played again."""
    try:
        replay = replay_record(record)
    except ValueError:  # a game of a file that has changed since
        return None
    names = [seat.name for seat in replay.summary.seats]
    entrants = {seat for seat, bot in enumerate(record.setup.bots) if any(bot == fault.bot for fault in faults)}
    views = list(_views(replay, entrants))
    skipped = max(0, len(views) - MOST_POSITIONS)
    numbers: dict[str, int] = {}
    frames = [[numbers.setdefault(part, len(numbers)) for part in _parts(view, names)] for _, view in views[skipped:]]
    moves = [_move(replay, ply) for ply, _ in views[skipped:]]
    refusals = [
        f"{replay.summary.seats[each.seat].bot} after ply {each.ply}: {plain(each.move)} refused: {plain(each.reason)}"
        for each in replay.refusals
    ]
    return Drawing(faults, list(numbers), frames, moves, skipped, refusals)


def _views(replay: Replay, entrants: set[int]) -> Iterator[tuple[int, live.View]]:
    """Yield the plies and their positions; of a race those of some entrants, each with its scene."""
    in_race = replay.summary.view.race is not None
    scenes: dict[int | None, live.View] = {}
    for ply, view in enumerate(replay.views):
        if view.scene is None and view.seat in scenes:
            view = msgspec.structs.replace(view, scene=scenes[view.seat].scene)  # noqa: PLW2901  # it looks the same
        scenes[view.seat] = view
        if not in_race or ply == 0 or replay.lines[ply - 1].seat in entrants:
            yield ply, view


def _parts(view: live.View, names: Sequence[str]) -> list[str]:
    """Return a position as pieces of HTML, most of which are those of other positions."""
    if view.scene is None:
        return [f"<pre>{escape(view.text)}</pre>"]
    picture = draw(view.scene, names, view.seat or 0)
    return [_svg(picture.box), *picture.parts, "</svg>"]


def _svg(box: Box) -> str:
    left, top, right, bottom = (round(each, 2) for each in box)
    size = f"{left:g} {top:g} {right - left:g} {bottom - top:g}"
    return f'<svg role="img" aria-label="board" viewBox="{size}">'


def _move(replay: Replay, ply: int) -> str:
    """Return the move that led to a position: `12. ada (white) a2-a3, 0.5 s`."""
    if ply == 0:
        return "first position"
    line = replay.lines[ply - 1]
    seat = replay.summary.seats[line.seat]
    time = "opening" if line.ms is None else f"{line.ms / 1000:.3g} s"
    return f"{line.ply}. {seat.bot} ({plain(seat.name)}) {plain(line.move)}, {time}"
