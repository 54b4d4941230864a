"""`/api/health`: for those who watch over servers."""

import asyncio
from importlib.metadata import version
from typing import Literal

import msgspec
from fastapi import APIRouter

from palio_db.errors import StoreError
from palio_server.api.answers import Json, answers
from palio_server.api.house import House, Parts

router = APIRouter(tags=["health"])

DATABASE_S = 2.0  # a database that takes longer to answer counts as not there
VERSION = version("palio")


class Health(msgspec.Struct, frozen=True):
    """`status` is "ok", or "degraded" while the database does not answer (then with HTTP 503)."""

    status: Literal["ok", "degraded"]
    version: str
    database: Literal["reachable", "unreachable"]
    matches: int  # in progress
    bots: int  # connected


@router.get("/health", responses={**answers(Health), 503: answers(Health)[200]})
async def get_health(house: Parts) -> Json:
    """Whether the server is well."""
    good = await _database_answers(house)
    health = Health(
        status="ok" if good else "degraded",
        version=VERSION,
        database="reachable" if good else "unreachable",
        matches=house.feed.running(),
        bots=len(house.lobby.connected()),
    )
    return Json(health, 200 if good else 503, {"Cache-Control": "no-store"})


async def _database_answers(house: House) -> bool:
    try:
        async with asyncio.timeout(DATABASE_S):
            await house.store.matches(limit=1)
    except (StoreError, TimeoutError):
        return False
    return True
