"""`palio watch`: a match in progress, as a board in the terminal or as lines in a pipe."""

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from ssl import SSLError
from typing import TYPE_CHECKING

import click
import msgspec

from palio_rules.contract import endpoints
from palio_rules.contract.endpoints import UNKNOWN
from palio_server import live
from palio_server.cli.addresses import socket, web
from palio_server.cli.command import runs
from palio_server.cli.errors import CommandFailed
from palio_server.cli.options import server_option
from palio_server.cli.spectator import Spectator

if TYPE_CHECKING:
    from rich.console import Group

EXAMPLES = """
\b
Examples:
  palio watch                                  the newest match on this machine's server
  palio watch 0m3k9x --url https://palio.example
  palio watch | tee match.txt                  one line a move
"""

OPEN_S = 10.0
MAX_SNAPSHOT = 2**25  # bytes: 64 entrants of a race, each with a map of 2000 cities


@click.command(epilog=EXAMPLES)
@click.argument("match", required=False)
@server_option
@runs
async def watch(*, match: str | None, url: str | None) -> int | None:
    """Follow MATCH live until it ends; without MATCH the newest one, or the next that begins."""
    from rich.console import Console

    if match is None:
        match = await _newest(url)
    async with contextlib.aclosing(_messages(url, endpoints.live(match))) as messages:
        first = await anext(messages)
        if not isinstance(first, live.MatchSnapshot):
            begun = f"the server begins with {type(first).__name__} where a match's snapshot is due"
            raise CommandFailed(f"{begun}; is it a newer palio?")
        await (_draw if Console().is_terminal else _print)(Spectator(first), messages)
    return 0


async def _newest(url: str | None) -> str:
    """The newest match in progress; if there is none, the next to begin. Identities grow with time."""
    async with contextlib.aclosing(_messages(url, endpoints.LIVE)) as messages:
        async for message in messages:
            if isinstance(message, live.LobbySnapshot | live.LobbyUpdate):
                new = isinstance(message, live.LobbyUpdate)  # so short a match may be over when we hear of it
                matches = [summary.match for summary in message.matches if new or summary.result is None]
                if matches:
                    return max(matches)
                if not new:
                    click.echo(f"no match is being played on {web(url)}; waiting for the next one", err=True)
    raise CommandFailed(f"the server at {web(url)} has ended")


async def _print(spectator: Spectator, messages: AsyncIterator[live.LiveMessage]) -> None:
    for line in spectator.introduction():
        click.echo(line)
    while spectator.result is None:
        for line in spectator.hear(await anext(messages)):
            click.echo(line)


async def _draw(spectator: Spectator, messages: AsyncIterator[live.LiveMessage]) -> None:
    """A board that is drawn anew with every move; it stays on the screen at the end."""
    from rich.live import Live

    with Live(_screen(spectator), refresh_per_second=12) as display:
        while spectator.result is None:
            spectator.hear(await anext(messages))
            display.update(_screen(spectator))


def _screen(spectator: Spectator) -> "Group":
    from rich.console import Group
    from rich.text import Text

    head, board, news = spectator.screen()
    return Group(Text(head, style="bold"), Text(board), Text(), Text(news))


async def _messages(url: str | None, path: str) -> AsyncGenerator[live.LiveMessage, None]:
    """What the server sends on one of its websockets. Raises CommandFailed where it cannot be reached or stops."""
    from websockets.asyncio.client import connect
    from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

    address = socket(url, path)
    read = msgspec.json.Decoder(live.LiveMessage).decode
    try:
        connection = await connect(address, max_size=MAX_SNAPSHOT, open_timeout=OPEN_S)
    except InvalidStatus as error:
        status = error.response.status_code
        raise CommandFailed(f"{address} answers with HTTP {status}; is it a palio server?") from None
    except (WebSocketException, SSLError) as error:
        raise CommandFailed(f"{address} opens no WebSocket ({error}); is it a palio server?") from None
    except OSError:
        raise CommandFailed(f"no server answers at {web(url)}; start one with `palio serve`, or give --url") from None
    try:
        async for message in connection:
            found = read(message)
            if isinstance(found, live.ServerStopping):
                raise CommandFailed(found.reason)
            yield found
    except ConnectionClosed:
        pass  # reported below, with the server's own reason
    finally:
        await connection.close()
    if connection.close_code == UNKNOWN:
        raise CommandFailed(connection.close_reason or f"there is no match at {path}")
    raise CommandFailed(f"the server closed the connection: {connection.close_reason or 'it has ended'}")
