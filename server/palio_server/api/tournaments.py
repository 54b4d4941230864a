"""`/api/tournaments`: events, how far they are, and their cross-tables."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Query, Request

from palio_db.values import TournamentRow
from palio_server.api.answers import Json, answers
from palio_server.api.errors import ApiError
from palio_server.api.house import House, Parts
from palio_server.api.requests import MAX_NUMBER, CheckedQuery
from palio_server.tournament.crosstable import Crosstable, Row
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


class TableRow(msgspec.Struct, frozen=True):
    """A line of the cross-table: the rank is by points, then Sonneborn-Berger; `against` has whom the bot has met."""

    rank: int
    bot: str
    total: ScoreItem
    points: float
    sonneborn_berger: float
    against: dict[str, ScoreItem]


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
    tables: dict[int, tuple[int, list[TableRow]]] = request.app.state.tables
    if number not in tables or tables[number][0] != row.finished:  # many viewers ask after each result
        tables[number] = row.finished, await _table(house, row)
    table = tables[number][1]
    return Json(TournamentDetail(**_fields(row), settings=dict(row.settings), table=table))


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


async def _table(house: House, row: TournamentRow) -> list[TableRow]:
    table, before = Crosstable(row.bots), None
    while True:
        page = await house.store.matches(status="finished", tournament=row.id, limit=PAGE, before=before)
        for match in page:
            if match.scores is not None and len(match.bots) == 2:
                table.add(match.bots, match.scores)
        if len(page) < PAGE:
            return [_line(line) for line in table.rows()]
        before = page[-1].id


def _line(row: Row) -> TableRow:
    against = {bot: _score(score) for bot, score in row.against.items()}
    return TableRow(row.rank, row.bot, _score(row.total), row.total.points, row.sonneborn_berger, against)


def _score(score: Score) -> ScoreItem:
    return ScoreItem(score.wins, score.draws, score.losses)
