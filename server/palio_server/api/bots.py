"""`/api/bots`: who is here."""

import msgspec

from palio_server.api.answers import Json
from palio_server.api.games import known_game
from palio_server.api.operations import Routes
from palio_server.parts import ServerParts

routes = Routes("bots")


class BotItem(msgspec.Struct, frozen=True):
    """A bot, all its connections together: `slots` matches at once, `playing` of them taken.

    A `rested` bot did not come to its last matches: the ladder gives it no more until it shows that it is there.
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
async def list_bots(parts: ServerParts, game: str | None = None, *, connected: bool = True) -> Json:
    """The bots that are connected, or only those that play `game`; with `connected=false`, the registered ones that
    are not.

    Which games an absent bot plays is not known, so that `game` leaves none of them.
    """
    if game is not None:
        known_game(game)
    here = parts.lobby.connected(game)
    if connected:
        return Json(
            [
                BotItem(
                    bot.name, True, list(bot.games), bot.instances, bot.slots, bot.playing, bot.transport, bot.rested
                )
                for bot in here
            ]
        )
    names = {bot.name for bot in here}
    absent = [] if game is not None else await parts.store.bots()
    return Json([BotItem(bot.name, False) for bot in absent if bot.revoked_at is None and bot.name not in names])
