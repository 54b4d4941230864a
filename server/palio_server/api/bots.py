"""`/api/bots`: the connected bots."""

from datetime import datetime
from typing import Annotated
from urllib.parse import quote

import msgspec
from msgspec import Meta
from starlette.requests import Request

from palio_server.api.answers import ApiError, Json, next_page
from palio_server.api.bodies import first_moment
from palio_server.api.bot_reader import BotDetail, BotHistory, BotReader, BotReport, HistoryPoint, Profiles
from palio_server.api.games import known_board, known_game
from palio_server.api.operations import Routes
from palio_server.api.rating_reader import RatingReader
from palio_server.app_state import ServerParts

routes = Routes("bots")


class BotItem(msgspec.Struct, frozen=True):
    """A bot, all its connections together: `slots` matches at once, `playing` of them taken.

    A `rested` bot did not come to its last matches: the ladder gives it no further ones until it sends a message.
    """

    name: str
    connected: bool
    games: list[str] = []
    instances: int = 0
    slots: int = 0
    playing: int = 0
    transport: str = ""
    rested: bool = False


@routes.get("/bots", list[BotItem], 404)
async def list_bots(
    parts: ServerParts,
    request: Request,
    game: str | None = None,
    *,
    connected: bool = True,
    limit: Annotated[int, Meta(ge=1, le=1000)] | None = None,
    offset: Annotated[int, Meta(ge=0, le=1_000_000)] = 0,
) -> Json:
    """Return the bots that are connected, or only those that play `game`; with `connected=false`, the registered ones
    that are not. By name; all, or `limit` of them from `offset` on: if there are more, the `Link` header has the
    address of the next page.

    The games of an absent bot are not known, so that `game` leaves none of them.
    """
    if game is not None:
        known_game(game)
    here = parts.lobby.connected(game)
    end = None if limit is None else offset + limit
    if connected:
        total = len(here)
        items = [
            BotItem(bot.name, True, list(bot.games), bot.instances, bot.slots, bot.playing, bot.transport, bot.rested)
            for bot in here[offset:end]
        ]
    else:
        names = {bot.name for bot in here}
        absent = [] if game is not None else await parts.store.bots()
        listed = [BotItem(bot.name, False) for bot in absent if bot.revoked_at is None and bot.name not in names]
        total, items = len(listed), listed[offset:end]
    return Json(items, headers=next_page(request, offset=str(end)) if end is not None and end < total else None)


# `/api/profiles` and `/api/bots/NAME`: the known bots, and all about one of them.

Day = Annotated[str, Meta(max_length=40)]


@routes.get("/profiles", Profiles)
async def list_profiles(
    request: Request,
    q: Annotated[str, Meta(max_length=100, description="a part of the name; empty: all")] = "",
    limit: Annotated[int, Meta(ge=1, le=200)] = 50,
    offset: Annotated[int, Meta(ge=0, le=1_000_000)] = 0,
) -> Json:
    """Return the known bots, connected ones first, then those who were here last. Guests are not listed."""
    return Json(await _bots(request).profiles(q, limit, offset))


@routes.get("/bots/{name}", BotDetail, 308, 404)
async def get_bot(parts: ServerParts, request: Request, name: str) -> Json:
    """Return all about one bot: its profile, its presence, its results in each game. A former name leads to its own."""
    return Json(await _known_bot(parts, request, name))


@routes.get("/bots/{name}/history", BotHistory, 308, 404)
async def get_bot_history(
    parts: ServerParts, request: Request, name: str, game: str | None = None, since: Day | None = None
) -> Json:
    """Return the history of its rating in `game` (by default the one it has played most), at up to 60 moments.

    With `since`, only from that day on. `builds` says when another program began to play under its name.
    """
    bots, ratings = _bots(request), _ratings(request)
    played = [each.game for each in (await _known_bot(parts, request, name)).ratings]
    if game is not None:
        game = known_board(game)
    wanted = game or (played[0] if played else "")
    found = (await ratings.history(wanted, name)).points if wanted in played else []
    first: datetime | None = None if since is None else first_moment("since", since)
    points = [
        HistoryPoint(each.at, each.rating, each.error, each.provisional)
        for each in found
        if first is None or each.at >= first
    ]
    return Json(BotHistory(wanted, name, points, await bots.builds(name)))


@routes.get("/bots/{name}/report", BotReport, 308, 404)
async def get_bot_report(parts: ServerParts, request: Request, name: str, game: str) -> Json:
    """Return a bot's report for a game: opponents, form, openings, time for a move. The last two are of its newest
    matches.
    """
    game = known_board(game)
    await _known_bot(parts, request, name)
    return Json(await _bots(request).report(name, game))


async def _known_bot(parts: ServerParts, request: Request, name: str) -> BotDetail:
    """Return all about one bot. Raises ApiError 404, or 308 with the address under the present name."""
    if successor := parts.access.bans.successor(name):
        before, _, after = request.url.path.rpartition(f"/bots/{name}")
        query = f"?{request.url.query}" if request.url.query else ""
        to = f"{before}/bots/{quote(successor)}{after}{query}"
        raise ApiError(308, "renamed", f"the bot {name} is called {successor} now", {"Location": to})
    return await _bots(request).bot(name)


def _bots(request: Request) -> BotReader:
    bots: BotReader = request.app.state.bots
    return bots


def _ratings(request: Request) -> RatingReader:
    ratings: RatingReader = request.app.state.ratings
    return ratings
