"""`/api/tournaments`: events, how far they are, and their cross-tables."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Query, Request

from palio_db.values import MatchRow, TournamentRow
from palio_rules.registry import game, games
from palio_server.api.answers import Json, answers
from palio_server.api.errors import ApiError
from palio_server.api.house import House, Parts
from palio_server.api.requests import MAX_NUMBER, CheckedQuery
from palio_server.tournament.crosstable import Costs, Crosstable, Paid, Row, Total, costs_of
from palio_server.tournament.elo import Score

router = APIRouter(prefix="/tournaments", tags=["tournaments"], dependencies=[CheckedQuery])

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


@router.get("", responses=answers(list[TournamentItem], 422))
async def list_tournaments(house: Parts, limit: Annotated[int, Query(ge=1, le=200)] = 50) -> Json:
    """The newest first."""
    return Json([TournamentItem(**_fields(row)) for row in await house.store.tournaments(limit)])


@router.get("/{number}", responses=answers(TournamentDetail, 404, 422))
async def get_tournament(house: Parts, request: Request, number: Annotated[int, Path(ge=1, le=MAX_NUMBER)]) -> Json:
    """An event with its cross-table as it stands."""
    row = await house.store.tournament(number)
    if row is None:
        raise ApiError(404, "unknown-tournament", f"there is no tournament {number}; /api/tournaments lists them")
    standings: dict[int, _Standings] = request.app.state.tables
    standing = standings.setdefault(number, _Standings(Crosstable(row.bots)))
    await standing.catch_up(house, row)
    lines = [_line(line) for line in standing.table.rows()]
    return Json(TournamentDetail(**_fields(row), settings=dict(row.settings), table=lines))


@dataclass(slots=True)
class _Standings:
    """A cross-table that is kept: many viewers ask after each result, and each match is read but once."""

    table: Crosstable
    counted: set[str] = field(default_factory=set)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def catch_up(self, house: House, row: TournamentRow) -> None:
        """Count the matches that have finished since."""
        async with self.turn:
            before: str | None = None
            while len(self.counted) < row.finished:
                page = await house.store.matches(status="finished", tournament=row.id, limit=PAGE, before=before)
                for match in page:
                    if match.id not in self.counted and match.scores is not None:
                        costs = await _costs(house, match)
                        self.counted.add(match.id)
                        self.table.add(match.bots, match.scores, costs)
                if len(page) < PAGE:
                    return
                before = page[-1].id


async def _costs(house: House, match: MatchRow) -> Costs | None:
    """What the entrants of a race have paid, which only its record tells."""
    if match.game not in games() or game(match.game).kind != "race":  # it may have been uninstalled since
        return None
    record = await house.store.record(match.id)
    return None if record is None else costs_of(record.result)


def _fields(row: TournamentRow) -> Mapping[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "game": row.game,
        "bots": list(row.bots),
        "created_at": row.created_at,
        "total": row.scheduled + row.running + row.finished + row.aborted,
        "scheduled": row.scheduled,
        "running": row.running,
        "finished": row.finished,
        "aborted": row.aborted,
    }


def _line(row: Row) -> TableRow:
    return TableRow(
        rank=row.rank,
        bot=row.bot,
        total=_score(row.total),
        points=row.total.points,
        sonneborn_berger=row.sonneborn_berger,
        against={bot: _score(score) for bot, score in row.against.items()},
        games=row.total.games,
        costs=None if row.paid is None else _paid(row.paid),
    )


def _score(score: Score | Total) -> ScoreItem:
    return ScoreItem(score.wins, score.draws, score.losses)


def _paid(paid: Paid) -> CostItem:
    return CostItem(paid.races, paid.solved, paid.mean, paid.over_best)
