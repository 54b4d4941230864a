"""`/api/leaderboard` and `/api/head-to-head`: who is best, and who beats whom."""

import msgspec
from fastapi import APIRouter

from palio_rules.live import Leaderboard
from palio_server.api.answers import Json, answers
from palio_server.api.games import known_game
from palio_server.api.house import Parts
from palio_server.api.requests import CheckedQuery

router = APIRouter(tags=["leaderboard"], dependencies=[CheckedQuery])


class Pair(msgspec.Struct, frozen=True):
    """How often `first` finished ahead of, level with and behind `second`."""

    first: str
    second: str
    wins: int
    draws: int
    losses: int


class HeadToHead(msgspec.Struct, frozen=True):
    """Every pair that has met, once; asked for one bot, from its side."""

    game: str
    pairs: list[Pair]


@router.get("/leaderboard/{game}", responses=answers(Leaderboard, 404, 422))
async def get_leaderboard(house: Parts, game: str) -> Json:
    """The leaderboard of a game. Viewers are told when it has changed."""
    known_game(game)
    return Json(await house.store.leaderboard(game))


@router.get("/head-to-head/{game}", responses=answers(HeadToHead, 404, 422))
async def get_head_to_head(house: Parts, game: str, bot: str | None = None) -> Json:
    """The score between every two bots of a game, or between `bot` and each other one."""
    known_game(game)
    scores = await house.store.head_to_head(game, bot)
    pairs = [Pair(each.first, each.second, each.wins, each.draws, each.losses) for each in scores]
    return Json(HeadToHead(game, pairs))
