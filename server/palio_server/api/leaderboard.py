"""`/api/leaderboard` and `/api/head-to-head`: ratings, and scores of pairs of bots."""

from itertools import takewhile
from typing import Annotated

import msgspec
from msgspec import structs
from starlette.requests import Request

from palio_db.values import Leader
from palio_server.api.answers import Json, next_page
from palio_server.api.games import known_board
from palio_server.api.operations import BotFilter, Routes
from palio_server.api.rating_reader import RankedGame, RatingHistory, RatingReader
from palio_server.app_state import ServerParts
from palio_server.ratings.elo import MOST_DAYS

routes = Routes("leaderboard")

EQUAL = 3  # decimals of Elo up to which two ratings are equal: computed ones differ in the last digits

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
async def get_leaderboard(
    parts: ServerParts,
    request: Request,
    game: str,
    half_life: HalfLife | None = None,
    bots: Annotated[str, msgspec.Meta(max_length=4000, description="only these, as `ann,bob`")] | None = None,
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] | None = None,
    offset: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0,
) -> Json:
    """Return the leaderboard of a game, or of a game with the settings that make another one of it, as `go:size=19`;
    with the advantage of the first move. Viewers are told when it has changed.

    With a `half_life` in days ratings are those of the newest 20,000 results, a game of that age counting half. With a
    `limit` only so many lines from `offset` on, and `total`; if there are more, the `Link` header has the address of
    the next page.
    """
    game = known_board(game)
    board = await _ratings(request).leaderboard(game, half_life)
    headers = None
    if bots is not None:
        names = set(bots.split(","))
        board = structs.replace(board, leaders=[leader for leader in board.leaders if leader.bot in names])
    if limit is not None or offset:
        end = len(board.leaders) if limit is None else offset + limit
        if end < len(board.leaders):
            headers = next_page(request, offset=str(end))
        board = _part(board, offset, end)
    disputed = [leader.bot for leader in board.leaders if len(parts.lobby.builds(leader.bot)) > 1]
    return Json(structs.replace(board, disputed=disputed), headers=headers)


def _part(board: RankedGame, start: int, end: int) -> RankedGame:
    """Return the leaders from `start` to before `end`, the number of all, and that of others level with the last."""
    shown, rest = board.leaders[start:end], board.leaders[end:]
    level = 0
    if shown:
        last = shown[-1]
        same = (_merit(leader) == _merit(last) for leader in rest)
        level = sum(1 for _ in takewhile(bool, same))
    return structs.replace(board, leaders=shown, total=len(board.leaders), level=level)


def _merit(leader: Leader) -> tuple[bool, float]:
    return leader.provisional, round(leader.rating, EQUAL)


@routes.get("/leaderboard/{game}/history", RatingHistory, 404)
async def get_rating_history(request: Request, game: str, bot: BotFilter) -> Json:
    """Return the history of the rating of `bot` over the newest results, at up to 60 moments."""
    game = known_board(game)
    return Json(await _ratings(request).history(game, bot))


def _ratings(request: Request) -> RatingReader:
    ratings: RatingReader = request.app.state.ratings
    return ratings


@routes.get("/head-to-head/{game}", HeadToHead, 404)
async def get_head_to_head(parts: ServerParts, game: str, bot: BotFilter | None = None) -> Json:
    """Return the score between every two bots of a game, or between `bot` and each other one."""
    game = known_board(game)
    scores = await parts.store.head_to_head(game, bot)
    return Json(HeadToHead(game, msgspec.convert(scores, list[Pair], from_attributes=True)))
