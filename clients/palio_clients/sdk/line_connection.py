"""A connection of JSON lines over a Unix socket, which a program can be given as its standard input and output.

Two processes hold it then. So nothing is read here before it is known whom it is for: it is looked at where it lies,
and never more taken than asked. Waiting takes no look at what the program has still to read.
"""

import asyncio
import select
import socket
from contextlib import suppress
from typing import Any

from palio_clients.sdk.failures import LinkLost
from palio_rules.contract.codec import Encoding, encode
from palio_rules.contract.messages import BotMessage

LINE_BYTES = 2**18  # more than any message has, and less than the kernel holds for a reader
REST_S = 0.002  # until another look at a line of which the end is missing, or at room for one


class SocketWatch:
    """Wakes whoever waits for a socket, even where another process reads it. One for an event loop; see `close`."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._epoll = select.epoll()
        self._waiters: dict[int, asyncio.Future[None]] = {}
        self._loop.add_reader(self._epoll.fileno(), self._look)

    async def until(self, end: socket.socket, *, readable: bool) -> None:
        """Return when the other side has closed or, if `readable`, there is something to read."""
        descriptor = end.fileno()
        waiter = self._waiters[descriptor] = self._loop.create_future()
        wanted = select.EPOLLRDHUP | (select.EPOLLIN if readable else 0)
        self._epoll.register(descriptor, wanted | select.EPOLLONESHOT)
        try:
            await waiter
        finally:
            self._epoll.unregister(descriptor)
            del self._waiters[descriptor]

    def close(self) -> None:
        self._loop.remove_reader(self._epoll.fileno())
        self._epoll.close()

    def _look(self) -> None:
        for descriptor, _ in self._epoll.poll(0):
            waiter = self._waiters.get(descriptor)
            if waiter is not None and not waiter.done():
                waiter.set_result(None)


class LineConnection:
    """One connection. `open_lines` makes it."""

    def __init__(self, end: socket.socket, watch: SocketWatch) -> None:
        self.socket = end
        self._watch = watch

    def look(self) -> bytes | None:
        """What there is to read, which stays there; None: nothing more will come."""
        try:
            return self.socket.recv(LINE_BYTES, socket.MSG_PEEK | socket.MSG_DONTWAIT) or None
        except BlockingIOError:
            return b""
        except OSError:  # the other side is gone, and has not read everything
            return None

    async def next_line(self) -> bytes | None:
        """The next line, with its end, as soon as it has come whole; it stays there. None: none will come."""
        while True:
            await self._watch.until(self.socket, readable=True)
            seen = self.look()
            if seen is None:
                return None
            if (end := seen.find(b"\n")) >= 0:
                return seen[: end + 1]
            if len(seen) == LINE_BYTES:
                raise LinkLost("the server has sent a line without an end")
            if self.hung_up():
                return None
            await asyncio.sleep(REST_S)

    def drop(self, line: bytes) -> None:
        """Take away a line that was seen."""
        left = len(line)
        while left:
            left -= len(self.socket.recv(left, socket.MSG_DONTWAIT))

    async def send(self, message: BotMessage) -> None:
        """Send a line. On a connection that is gone nothing happens."""
        await self._send(encode(message, Encoding.JSON) + b"\n")

    async def send_after(self, message: BotMessage) -> None:
        """As `send`, though somebody else may have been stopped in the midst of a line."""
        await self._send(b"\n" + encode(message, Encoding.JSON) + b"\n")

    async def closed(self) -> None:
        """Return when the server has closed the connection."""
        await self._watch.until(self.socket, readable=False)

    def hung_up(self) -> bool:
        """Whether the server has closed the connection, though there may be something to read."""
        poll: Any = select.poll()
        poll.register(self.socket, select.POLLRDHUP)
        return bool(poll.poll(0))

    def close(self) -> None:
        """End it for whoever else holds it, too."""
        with suppress(OSError):  # the server has done so
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    async def _send(self, data: bytes) -> None:
        flags = socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL
        while data:
            try:
                data = data[self.socket.send(data, flags) :]
            except BlockingIOError:  # a program has filled it, and the server takes its time
                await asyncio.sleep(REST_S)
            except OSError:
                return


async def open_lines(path: str, watch: SocketWatch) -> LineConnection:
    """Connect to the Unix socket at `path`. Raises LinkLost."""
    end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    end.setblocking(False)
    try:
        await asyncio.get_running_loop().sock_connect(end, path)
    except OSError as error:
        end.close()
        raise LinkLost(f"cannot connect to {path}: {error}; is it running?") from None
    except BaseException:
        end.close()
        raise
    end.setblocking(True)  # as programs have it
    return LineConnection(end, watch)
