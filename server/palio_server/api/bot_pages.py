"""`/api/profiles` and `/api/bots/NAME`: the bots that are known here, and all about one of them."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta
from starlette.requests import Request

from palio_server.api.answers import Json
from palio_server.api.bot_items import BotDetail, BotHistory, BotReport, HistoryPoint, Profiles
from palio_server.api.bot_reader import BotReader
from palio_server.api.days import first_moment
from palio_server.api.games import known_game
from palio_server.api.operations import Routes
from palio_server.api.rating_reader import RatingReader

routes = Routes("bots")

Day = Annotated[str, Meta(max_length=40)]


@routes.get("/profiles", Profiles)
async def list_profiles(
    request: Request,
    q: Annotated[str, Meta(max_length=100, description="a part of the name; empty: all")] = "",
    limit: Annotated[int, Meta(ge=1, le=200)] = 50,
    offset: Annotated[int, Meta(ge=0, le=1_000_000)] = 0,
) -> Json:
    """The bots that are known here, connected ones first, then whoever was here last. Guests are not listed."""
    return Json(await _bots(request).profiles(q, limit, offset))


@routes.get("/bots/{name}", BotDetail, 404)
async def get_bot(request: Request, name: str) -> Json:
    """All about one bot: who it is, whether it is here, how it stands in each game."""
    return Json(await _bots(request).bot(name))


@routes.get("/bots/{name}/history", BotHistory, 404)
async def get_bot_history(request: Request, name: str, game: str | None = None, since: Day | None = None) -> Json:
    """How its rating in `game` (by default the one it has played most) went, at up to 60 moments.

    With `since`, only from that day on. `builds` says when another program began to play under its name.
    """
    bots, ratings = _bots(request), _ratings(request)
    played = [each.game for each in (await bots.bot(name)).ratings]
    if game is not None:
        known_game(game)
    wanted = game or (played[0] if played else "")
    found = (await ratings.history(wanted, name)).points if wanted in played else []
    first: datetime | None = None if since is None else first_moment("since", since)
    points = [
        HistoryPoint(each.at, each.rating, each.error, each.provisional)
        for each in found
        if first is None or each.at >= first
    ]
    return Json(BotHistory(wanted, name, points, await bots.builds(name)))


@routes.get("/bots/{name}/report", BotReport, 404)
async def get_bot_report(request: Request, name: str, game: str) -> Json:
    """How a bot plays a game: opponents, form, openings, time for a move. The last two are of its newest matches."""
    known_game(game)
    await _bots(request).bot(name)
    return Json(await _bots(request).report(name, game))


def _bots(request: Request) -> BotReader:
    bots: BotReader = request.app.state.bots
    return bots


def _ratings(request: Request) -> RatingReader:
    ratings: RatingReader = request.app.state.ratings
    return ratings
