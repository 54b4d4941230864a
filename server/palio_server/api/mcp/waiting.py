"""Long polls: a call that waits for something to happen to its player, and ends in time whatever happens."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from palio_rules.errors import BadOption
from palio_server.api.mcp.player import Player, Seat

T = TypeVar("T")


async def until(player: Player, ready: Callable[[], T | None], seconds: float) -> T | None:
    """What `ready` finds, as soon as it finds something; None if that is not within `seconds`.

    Raises BadOption when the player is in the lobby no more, or the server stops.
    """
    try:
        async with asyncio.timeout(seconds):
            while (found := ready()) is None:
                if player.ended or player.stopping:
                    raise BadOption(_gone(player))
                await player.changed()
            return found
    except TimeoutError:
        return None


async def news(player: Player, match: str | None, seconds: float) -> Seat | None:
    """The match, of all or just that one, in which it is the player's turn, or that has ended and was not told of.

    None if nothing happens within `seconds`. Meanwhile matches that begin are taken up: their clocks run.
    """
    player.attend()
    try:
        return await until(player, lambda: _news(player, match), seconds)
    finally:
        player.look_away()


def _news(player: Player, match: str | None) -> Seat | None:
    seats = [seat for seat in player.seats if match in (None, seat.match)]
    ended = next((seat for seat in seats if seat.outcome is not None and not seat.told), None)
    waiting = [seat for seat in seats if seat.to_move is not None]
    return ended or min(waiting, key=lambda seat: seat.since, default=None)


def _gone(player: Player) -> str:
    why = player.ended or player.stopping
    return f"{player.name} is not in the lobby any more: {why}; call any tool again to come back, or join"
