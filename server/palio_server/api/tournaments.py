"""`/api/tournaments`: events, how far they are, and their cross-tables."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta, convert
from starlette.requests import Request

from palio_db.values import TournamentRow
from palio_server.api.answers import ApiError, Json
from palio_server.api.operations import Number, Routes
from palio_server.arena.running_tournament import costs_of_match
from palio_server.parts import ServerParts
from palio_server.tournament.crosstable import Crosstable, Row

routes = Routes("tournaments")

PAGE = 1000  # matches read at once


class TournamentItem(msgspec.Struct, frozen=True):
    """An event, and how many of its matches stand where."""

    id: int
    name: str
    game: str
    bots: list[str]
    created_at: datetime
    total: int
    scheduled: int
    running: int
    finished: int
    aborted: int


class ScoreItem(msgspec.Struct, frozen=True):
    wins: int
    draws: int
    losses: int


class CostItem(msgspec.Struct, frozen=True):
    """What a bot has paid in its races; `over_best`: how much more than the best of each, 0.05 for 5 %, on average."""

    races: int
    solved: int
    mean: float | None
    over_best: float | None


class TableRow(msgspec.Struct, frozen=True):
    """A line of the cross-table: the rank is by points, then Sonneborn-Berger; `against` has whom the bot has met.

    A match of more than two is a ranking, in which `against` compares each two; `costs` is there in races only.
    """

    rank: int
    bot: str
    total: ScoreItem
    points: float
    sonneborn_berger: float
    against: dict[str, ScoreItem]
    games: int
    costs: CostItem | None


class TournamentDetail(TournamentItem, frozen=True):
    settings: dict[str, Any]
    table: list[TableRow]


@routes.get("/tournaments", list[TournamentItem])
async def list_tournaments(parts: ServerParts, limit: Annotated[int, Meta(ge=1, le=200)] = 50) -> Json:
    """The newest first."""
    return Json(convert(await parts.store.tournaments(limit), list[TournamentItem], from_attributes=True))


@routes.get("/tournaments/{number}", TournamentDetail, 404)
async def get_tournament(parts: ServerParts, request: Request, number: Number) -> Json:
    """An event with its cross-table as it stands."""
    row = await parts.store.tournament(number)
    if row is None:
        raise ApiError(404, "unknown-tournament", f"there is no tournament {number}; /api/tournaments lists them")
    standings: dict[int, _Standings] = request.app.state.tables
    standing = standings.setdefault(number, _Standings(Crosstable(row.bots)))
    await standing.catch_up(parts, row)
    lines = [_line(line) for line in standing.table.rows()]
    item = convert(row, TournamentItem, from_attributes=True)
    return Json(TournamentDetail(**msgspec.structs.asdict(item), settings=dict(row.settings), table=lines))


@dataclass(slots=True)
class _Standings:
    """A cross-table that is kept: many viewers ask after each result, and each match is read but once."""

    table: Crosstable
    counted: set[str] = field(default_factory=set)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def catch_up(self, parts: ServerParts, row: TournamentRow) -> None:
        """Count the matches that have finished since."""
        async with self.turn:
            before: str | None = None
            while len(self.counted) < row.finished:
                page = await parts.store.matches(status="finished", tournament=row.id, limit=PAGE, before=before)
                for match in page:
                    if match.id not in self.counted and match.scores is not None:
                        costs = await costs_of_match(parts.store, match)
                        self.counted.add(match.id)
                        self.table.add(match.bots, match.scores, costs)
                if len(page) < PAGE:
                    return
                before = page[-1].id


def _line(row: Row) -> TableRow:
    return TableRow(
        rank=row.rank,
        bot=row.bot,
        total=convert(row.total, ScoreItem, from_attributes=True),
        points=row.total.points,
        sonneborn_berger=row.sonneborn_berger,
        against=convert(row.against, dict[str, ScoreItem], from_attributes=True),
        games=row.total.games,
        costs=convert(row.paid, CostItem | None, from_attributes=True),
    )
