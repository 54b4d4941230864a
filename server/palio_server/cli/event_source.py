"""The source of events for `palio tournament`: a running server, or the database if no server is named."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from palio_server.api.event_items import EncounterItem, RoundItem, StandingItem, TournamentDetail, TournamentItem
from palio_server.cli.command import CommandFailed
from palio_server.cli.options import with_opened
from palio_server.cli.printing import say, show_table
from palio_server.tournament.standing import shared_places

if TYPE_CHECKING:
    from palio_db.event_values import Stage
    from palio_db.store import Store
    from palio_server.api.event_items import Why
    from palio_server.api.event_views import EventView, Form
    from palio_server.cli.source import Remote


class StoredEvents:
    """A database."""

    def __init__(self, store: "Store") -> None:
        self._store = store
        self.where = store.url

    async def tournaments(self, stage: "Stage | None", limit: int) -> list["TournamentItem"]:
        from palio_server.api.event_reader import EventReader

        reader = EventReader(self._store)
        return [await reader.item(row) for row in await self._store.tournaments(limit, stage=stage)]

    async def show(self, number: int) -> "TournamentDetail":
        from palio_server.api.event_reader import EventReader

        found = await EventReader(self._store).view_and_pace(_checked(number, self.where))
        if found is None:
            raise _unknown(number, self.where)
        view, pace = found
        return view.detail(pace=pace)

    async def rounds(self, number: int) -> list["RoundItem"]:
        from palio_server.api.event_views import as_rounds

        return as_rounds(await self._view(number))

    async def why(self, number: int, encounter: int) -> "Why":
        return (await self._view(number)).why(encounter)

    async def export(self, number: int, form: "Form") -> bytes:
        from palio_server.api.event_views import exported, faults_for, record_texts

        view = await self._view(number)
        if form == "text":
            return "".join([text async for text in record_texts(self._store, number)]).encode()
        return exported(view, form, await faults_for(self._store, view, form)).encode()

    async def _view(self, number: int) -> "EventView":
        from palio_server.api.event_reader import EventReader

        view = await EventReader(self._store).view(_checked(number, self.where))
        if view is None:
            raise _unknown(number, self.where)
        return view


class RemoteEvents:
    """A running server."""

    def __init__(self, remote: "Remote") -> None:
        self._remote = remote
        self.where = remote.url

    async def tournaments(self, stage: "Stage | None", limit: int) -> list["TournamentItem"]:
        from palio_server.api.event_items import TournamentItem

        answer = await self._remote.get("tournaments", stage=stage, limit=limit)
        return msgspec.json.decode(answer, type=list[TournamentItem])

    async def show(self, number: int) -> "TournamentDetail":
        from palio_server.api.event_items import TournamentDetail

        return msgspec.json.decode(await self._remote.get(f"tournaments/{number}"), type=TournamentDetail)

    async def rounds(self, number: int) -> list["RoundItem"]:
        from palio_server.api.event_items import RoundItem

        last = (await self.show(number)).round
        answers = [await self._remote.get(f"tournaments/{number}/rounds/{each}") for each in range(1, last + 1)]
        return [msgspec.json.decode(answer, type=RoundItem) for answer in answers]

    async def why(self, number: int, encounter: int) -> "Why":
        from palio_server.api.event_items import Why

        return msgspec.json.decode(await self._remote.get(f"tournaments/{number}/why/{encounter}"), type=Why)

    async def export(self, number: int, form: "Form") -> bytes:
        return await self._remote.get(f"tournaments/{number}/export", format=form)


# The common interface. Raises CommandFailed, among others if there is no such tournament.
Events = StoredEvents | RemoteEvents


@asynccontextmanager
async def open_events(db: str | None, url: str | None, token: str | None = None) -> AsyncIterator[Events]:
    """Open the server at `url` if one is given, else the database. Raises CommandFailed, StoreError, BadOption."""
    if url is None:
        from palio_server.cli.source import open_store

        async with open_store(db) as store:
            yield StoredEvents(store)
        return
    from palio_server.cli.source import open_remote

    with open_remote(url, token) as remote:
        yield RemoteEvents(remote)


with_events = with_opened(open_events)  # the Events that --db, --url and --token name


def _checked(number: int, where: str) -> int:
    from palio_server.cli.source import MAX_TOURNAMENT

    if not 1 <= number <= MAX_TOURNAMENT:
        raise _unknown(number, where)
    return number


def _unknown(number: int, where: str) -> CommandFailed:
    return CommandFailed(f"there is no tournament {number} in {where}; `palio tournament list` shows what there is")


# Tournaments in the terminal: lists, standings, rounds.


def listed(items: Sequence[TournamentItem]) -> None:
    """Print a line for each."""
    head = ["#", "tournament", "game", "format", "stage", "bots", "round", "games", "first"]
    show_table([head, *map(_item, items)], left={1, 2, 3, 4, 8})


def _item(item: TournamentItem) -> list[str]:
    return [
        str(item.id),
        item.name,
        item.game,
        item.format,
        item.stage,
        str(len(item.bots)),
        str(item.round) if item.rounds is None else f"{item.round}/{item.rounds}",
        f"{item.finished}/{item.total}",
        item.leader or "",
    ]


def show_detail(detail: TournamentDetail, now: datetime | None = None) -> None:
    """Print its progress, and the standings."""
    for line in introduction(detail, now or datetime.now(UTC)):
        say(line)
    if detail.waits:
        say()
        lines = [["encounter", "bots", "games", "why"]]
        lines += [[str(each.encounter), " - ".join(each.bots), str(each.matches), each.why] for each in detail.waits]
        show_table(lines, left={1, 3}, title="Not begun yet")
    for group in detail.groups:
        lines = [["", "bot", "points"]]
        places = shared_places(line.rank for line in group.standings)
        lines += [[place, line.bot, f"{line.points:g}"] for place, line in zip(places, group.standings, strict=True)]
        say()
        show_table(lines, left={1}, title=f"Group {group.name}, {group.advance} go on")
    if detail.standings:
        say()
        show_table(standings(detail), left={1, 5 + len(detail.tie_breaks) + 2}, title="Standings")
    if detail.standings and any(line.costs for line in detail.standings):
        say()
        show_table(_costs(detail.standings), left={0}, title="Costs")


def introduction(detail: TournamentDetail, now: datetime) -> list[str]:
    """Return its description and its progress."""
    rounds = f"round {detail.round}" + (f" of {detail.rounds}" if detail.rounds else "")
    counts = f"{detail.finished} of {detail.total} games played"
    lines = [
        f"Tournament {detail.id}: {detail.name} ({detail.game}, {detail.title})",
        f"{detail.stage}, {rounds}, {counts}" + (f", {detail.running} in play" if detail.running else ""),
    ]
    if detail.stage == "open" and detail.starts_at is not None:
        lines.append(f"starts at {detail.starts_at:%Y-%m-%d %H:%M} UTC, {_until(detail.starts_at, now)}")
    if detail.stage == "open":
        lines.append(f"{len(detail.entries)} bots: {', '.join(entry.bot for entry in detail.entries) or 'none yet'}")
    if detail.games_per_s is not None:
        left = "" if detail.seconds_left is None else f", {_span(detail.seconds_left)} left"
        lines.append(f"{detail.games_per_s:.2g} games/s{left}")
    if (test := detail.sprt) is not None:
        bounds = f"[{test.lower:.2f}, {test.upper:.2f}] ({test.elo0:g}, {test.elo1:g})"
        lines.append(f"SPRT {test.first} - {test.second}: LLR {test.llr:.2f} {bounds}, {test.state}")
    return [*lines, *([detail.note] if detail.note else [])]


def standings(detail: TournamentDetail) -> list[list[str]]:
    """Return the standings as text cells, a head line first."""
    byes = any(line.byes for line in detail.standings)
    head = ["#", "bot", "points", "played", "W-D-L", *(["byes"] if byes else []), *detail.tie_breaks, "Elo", "+/-", ""]
    places = shared_places(line.rank for line in detail.standings)
    return [head, *(_standing(place, line, byes=byes) for place, line in zip(places, detail.standings, strict=True))]


def _standing(place: str, line: StandingItem, *, byes: bool) -> list[str]:
    return [
        place,
        line.bot,
        f"{round(line.points, 2):g}",
        str(line.played),
        f"{line.wins}-{line.draws}-{line.losses}",
        *([f"{line.bye_points:g}/{line.byes}" if line.byes else "."] if byes else []),
        *(f"{round(value, 2):g}" for value in line.tie_breaks),
        "-" if line.rating is None else f"{line.rating:.0f}",
        "-" if line.error is None else f"{line.error:.0f}",
        ", ".join(filter(None, ("left" if line.left else "", line.note))),
    ]


def _costs(lines: Sequence[StandingItem]) -> list[list[str]]:
    cells = [["bot", "races", "solved", "mean cost", "over best"]]
    for line in lines:
        if (paid := line.costs) is not None:
            mean = "-" if paid.mean is None else f"{paid.mean:.1f}"
            over = "-" if paid.over_best is None else f"{100 * paid.over_best:.1f}%"
            cells.append([line.bot, str(paid.races), str(paid.solved), mean, over])
    return cells


def show_rounds(rounds: Sequence[RoundItem]) -> None:
    """Print all pairings, round by round."""
    for item in rounds:
        say()
        title = f"Round {item.round}" + ("" if item.over else ", in play")
        lines = [["board", "bots", "result", "", "matches"], *map(_pairing, item.encounters)]
        show_table(lines, left={1, 2, 3, 4}, title=title)


def _pairing(item: EncounterItem) -> list[str]:
    who = " - ".join(f"{bot} ({before:g})" for bot, before in zip(item.bots, item.before, strict=True))
    result = " - ".join(f"{round(points, 2):g}" for points in item.points)
    if item.kind != "played":
        result = item.kind
    elif not item.over:
        result = f"{result}, in play" if any(match.scores for match in item.matches) else "in play"
    forfeits = f"forfeited by {' and '.join(item.forfeits)}" if item.forfeits else ""
    return [
        str(item.board),
        who,
        result,
        ", ".join(filter(None, (item.part, forfeits))),
        " ".join(f"{match.match} ({match.detail})" if match.detail else match.match for match in item.matches),
    ]


def _until(moment: datetime, now: datetime) -> str:
    seconds = (moment - now).total_seconds()
    return f"in {_span(seconds)}" if seconds > 0 else "as soon as it can"


def _span(seconds: float) -> str:
    """Return `40 s`, `12 min`, `3 h 20 min`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
