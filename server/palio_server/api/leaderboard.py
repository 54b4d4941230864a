"""`/api/leaderboard` and `/api/head-to-head`: ratings, and scores of pairs of bots."""

from typing import Annotated

import msgspec
from msgspec import structs
from starlette.requests import Request

from palio_server.api.answers import Json
from palio_server.api.games import known_game
from palio_server.api.operations import BotFilter, Routes
from palio_server.api.rating_reader import RankedGame, RatingHistory, RatingReader
from palio_server.app_state import ServerParts
from palio_server.ratings.elo import MOST_DAYS

routes = Routes("leaderboard")

HalfLife = Annotated[float, msgspec.Meta(gt=0, le=MOST_DAYS)]  # days


class Pair(msgspec.Struct, frozen=True):
    """The number of matches in which `first` finished ahead of, level with and behind `second`."""

    first: str
    second: str
    wins: int
    draws: int
    losses: int


class HeadToHead(msgspec.Struct, frozen=True):
    """Every pair that has met, once; for the filter `bot`, from its side."""

    game: str
    pairs: list[Pair]


@routes.get("/leaderboard/{game}", RankedGame, 404)
async def get_leaderboard(parts: ServerParts, request: Request, game: str, half_life: HalfLife | None = None) -> Json:
    """Return the leaderboard of a game, with the advantage of the first move. Viewers are told when it has changed.

    With a `half_life` in days ratings are those of the newest 20,000 results, a game of that age counting half.
    """
    known_game(game)
    board = await _ratings(request).leaderboard(game, half_life)
    disputed = [leader.bot for leader in board.leaders if len(parts.lobby.builds(leader.bot)) > 1]
    return Json(structs.replace(board, disputed=disputed))


@routes.get("/leaderboard/{game}/history", RatingHistory, 404)
async def get_rating_history(request: Request, game: str, bot: BotFilter) -> Json:
    """Return the history of the rating of `bot` over the newest results, at up to 60 moments."""
    known_game(game)
    return Json(await _ratings(request).history(game, bot))


def _ratings(request: Request) -> RatingReader:
    ratings: RatingReader = request.app.state.ratings
    return ratings


@routes.get("/head-to-head/{game}", HeadToHead, 404)
async def get_head_to_head(parts: ServerParts, game: str, bot: BotFilter | None = None) -> Json:
    """Return the score between every two bots of a game, or between `bot` and each other one."""
    known_game(game)
    scores = await parts.store.head_to_head(game, bot)
    return Json(HeadToHead(game, msgspec.convert(scores, list[Pair], from_attributes=True)))
