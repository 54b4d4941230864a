"""The messages of servers to viewers: a lost connection is made again, to the same server or to the next one.

A server that stops says so; one that is killed, or can no longer be reached, does not. Both are reported in one line,
and the messages after that begin with a snapshot, as always.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from ssl import SSLError

import msgspec

from palio_rules.backoff import Backoff
from palio_rules.contract.endpoints import POLICY, UNKNOWN, web
from palio_server import live
from palio_server.cli.addresses import socket
from palio_server.cli.command import CommandFailed, with_command

OPEN_S = 10.0  # to connect, on one server
MAX_SNAPSHOT = 2**25  # bytes: 64 entrants of a race, each with a map of 2000 cities
FIRST_S, LONGEST_S = 0.25, 5.0  # between two attempts, when all servers have been tried
STEADY_S = 2.0  # seconds; a connection that lasts so long was a success; a shorter one is part of the same loss
WAIT_S = 60.0  # seconds without an answer of any server


class Away(CommandFailed):
    """A server that gives no answer for now; it may come back, and another one may have the same data.

    `answered`: the server is there. `back_s`: the time after which it said that it would be back.
    """

    def __init__(self, sentence: str, *, answered: bool, back_s: float = 0.0) -> None:
        super().__init__(sentence)
        self.answered, self.back_s = answered, back_s


class LiveStream:
    """The servers at `urls`, which share their matches. `say` is called with each loss, once."""

    def __init__(self, urls: Sequence[str | None], wait_s: float, say: Callable[[str], None]) -> None:
        """Raises BadOption for a text that is not an address."""
        self._urls = [web(url) for url in urls] or [web(None)]
        self._wait_s, self._say = wait_s, say
        self._at = 0  # the index of the one that is followed

    @property
    def url(self) -> str:
        """The server that is followed now, or is tried next."""
        return self._urls[self._at]

    async def follow(self, path: str) -> AsyncGenerator[live.LiveMessage, None]:
        """Yield the messages of a WebSocket; after each loss they begin with a snapshot again.

        Raises CommandFailed if a server says that there is nothing to follow, if no server answers at first, or if none
        has for `wait_s` seconds.
        """
        backoff = Backoff(first=FIRST_S, longest=LONGEST_S)
        heard = told = False  # True: a server has answered before; this loss has been reported
        last, failures = time.monotonic(), 0  # time of the last message, and failed attempts since
        while True:
            begun = time.monotonic()
            away = Away(f"the server at {self.url} has ended the stream", answered=True)  # of a stream without an error
            try:
                async with aclosing(_messages(self.url, path)) as messages:
                    async for message in messages:
                        heard, failures, last = True, 0, time.monotonic()
                        yield message
            except Away as error:
                away = error
            if failures == 0 and time.monotonic() - begun >= STEADY_S:
                told = False
                backoff.reset()
            heard = heard or away.answered
            failures += 1
            self._at = (self._at + 1) % len(self._urls)
            alone, silent = len(self._urls) == 1, time.monotonic() - last
            if not heard and failures >= len(self._urls):
                raise away if alone else CommandFailed(_nobody(self._urls))
            if failures > 1 and silent >= self._wait_s:
                raise CommandFailed(f"no server has answered for {silent:.0f} s; at last: {away}")
            if heard and not told:
                told = True
                self._say(f"{away}; looking for {'it' if alone else 'another server'} again")
            if failures == 1:
                last = time.monotonic()  # a match may be quiet for long: the silence begins with the loss
            if failures >= len(self._urls):  # all have been tried
                pause = backoff.next() + (away.back_s if alone else 0.0)
                await asyncio.sleep(min(pause, max(0.0, last + self._wait_s - time.monotonic())))


def _nobody(urls: Sequence[str]) -> str:
    return f"no server answers at {', '.join(urls)}; start one with `palio serve`, or give other ones with --url"


async def _messages(url: str, path: str) -> AsyncGenerator[live.LiveMessage, None]:
    """Yield the messages of one server on one of its WebSockets, until it ends. Raises Away, CommandFailed."""
    from websockets.asyncio.client import connect
    from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

    address = socket(url, path)
    read = msgspec.json.Decoder(live.LiveMessage).decode
    try:
        connection = await connect(address, max_size=MAX_SNAPSHOT, open_timeout=OPEN_S)
    except InvalidStatus as error:
        status = error.response.status_code
        sentence = f"{address} answers with HTTP {status}; is it a palio server?"
        raise (Away(sentence, answered=False) if status >= 500 else CommandFailed(sentence)) from None
    except (WebSocketException, SSLError) as error:
        raise Away(f"{address} opens no WebSocket ({error}); is it a palio server?", answered=False) from None
    except OSError:
        sentence = f"no server answers at {url}; start one with `palio serve`, or give --url"
        raise Away(sentence, answered=False) from None
    stopping: live.ServerStopping | None = None
    try:
        async for message in connection:
            found = read(message)
            if isinstance(found, live.ServerStopping):
                stopping = found
            else:
                yield found
    except ConnectionClosed:
        pass  # reported below, with the server's own reason
    finally:
        await connection.close()
    if connection.close_code == UNKNOWN:
        raise CommandFailed(with_command(connection.close_reason or f"there is no match at {path}", url))
    if connection.close_code == POLICY:
        raise CommandFailed(f"the server closed the connection: {connection.close_reason or 'it may not be followed'}")
    if stopping is not None:
        raise Away(stopping.reason, answered=True, back_s=(stopping.back_in_ms or 0) / 1000)
    raise Away(f"the server closed the connection: {connection.close_reason or 'it has ended'}", answered=True)
