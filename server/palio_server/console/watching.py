"""`palio watch`: the websocket on one side, a terminal or a pipe on the other."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator

import click
import msgspec
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from palio_rules import live
from palio_server.console.addresses import socket, web
from palio_server.console.spectator import Spectator

NOT_FOUND = 4404  # close code of the server for a match that it does not know
OPEN_S = 10.0
MAX_SNAPSHOT = 2**25  # bytes: 64 entrants of a race, each with a map of 2000 cities

_read = msgspec.json.Decoder(live.LiveMessage).decode


class WatchError(Exception):
    """What was to be watched cannot be; the message says why, and what to do."""


async def follow(match: str | None, url: str | None) -> int:
    """Show `match`, or the newest one, or the next that begins, until it ends."""
    if match is None:
        match = await _newest(url)
    messages = _messages(url, f"/ws/live/{match}")
    async with contextlib.aclosing(messages):
        first = await anext(messages)
        if not isinstance(first, live.MatchSnapshot):
            raise WatchError(f"the server tells of the match with {type(first).__name__} first; is it a newer palio?")
        spectator = Spectator(first)
        await (_draw if Console().is_terminal else _tell)(spectator, messages)
    return 0


async def _newest(url: str | None) -> str:
    """The newest match in progress; if there is none, the next to begin. Identities grow with time."""
    messages = _messages(url, "/ws/live")
    async with contextlib.aclosing(messages):
        async for message in messages:
            if isinstance(message, live.LobbySnapshot | live.LobbyUpdate):
                new = isinstance(message, live.LobbyUpdate)  # so short a match may be over when we hear of it
                matches = [summary.match for summary in message.matches if new or summary.result is None]
                if matches:
                    return max(matches)
                if not new:
                    click.echo(f"no match is being played on {web(url)}; waiting for the next one", err=True)
    raise WatchError(f"the server at {web(url)} has ended")


async def _tell(spectator: Spectator, messages: AsyncIterator[live.LiveMessage]) -> None:
    """A line for each thing that happens."""
    for line in spectator.introduction():
        click.echo(line)
    while spectator.result is None:
        for line in spectator.hear(await anext(messages)):
            click.echo(line)


async def _draw(spectator: Spectator, messages: AsyncIterator[live.LiveMessage]) -> None:
    """A board that is drawn anew with every move; it stays on the screen at the end."""
    with Live(_screen(spectator), refresh_per_second=12) as display:
        while spectator.result is None:
            spectator.hear(await anext(messages))
            display.update(_screen(spectator))


def _screen(spectator: Spectator) -> Group:
    head, board, news = spectator.screen()
    return Group(Text(head, style="bold"), Text(board), Text(), Text(news))


async def _messages(url: str | None, path: str) -> AsyncGenerator[live.LiveMessage, None]:
    """What the server tells on one of its websockets. Raises WatchError where it cannot be reached or stops."""
    address = socket(url, path)
    try:
        async with asyncio.timeout(OPEN_S):
            connection = await connect(address, max_size=MAX_SNAPSHOT)
    except InvalidStatus as error:
        raise WatchError(f"{address} answers with HTTP {error.response.status_code}; is it a palio server?") from None
    except (OSError, TimeoutError, WebSocketException):
        raise WatchError(f"no server answers at {web(url)}; start one with `palio serve`, or give --url") from None
    try:
        async for message in connection:
            yield _read(message)
    except ConnectionClosed:
        pass  # told below, with the server's own reason
    finally:
        await connection.close()
    if connection.close_code == NOT_FOUND:
        raise WatchError(connection.close_reason or f"there is no match at {path}")
    raise WatchError(f"the server closed the connection: {connection.close_reason or 'it has ended'}")
