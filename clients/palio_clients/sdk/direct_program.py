"""Programs connected directly to the server: their standard input and output are the connection itself.

This module connects and says hello. When the first line of a match arrives, it starts the program with the connection
in place of pipes, and then only watches it. If the program dies, this module reports that in its place, which resigns
the match. When the server closes the connection, because the match is over or because it shuts down, the program gets
the end of its input, and is ended; meanwhile a new connection replaces the old one.

This needs a kernel that distinguishes a closed connection from readable data: Linux. The messages of a match go between
the program and the server: only failures are reported here.
"""

import asyncio
import ctypes
import os
import select
import signal
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import unquote

from msgspec import UNSET

from palio_clients.sdk import events
from palio_clients.sdk.failures import LinkLost, PlayerFailed, ProgramDied, RefusedByServer, ToldToWait
from palio_clients.sdk.program import STDERR, Process
from palio_clients.sdk.stdio import OUTPUT_END_S, end_program, how_it_ended
from palio_clients.sdk.transport import address, most_serious
from palio_rules.backoff import Backoff
from palio_rules.contract import messages
from palio_rules.contract.codec import Encoding, decode_from_server, encode
from palio_rules.contract.messages import BotMessage, Hello, ServerMessage
from palio_rules.errors import WireError

# A connection of JSON lines over a Unix socket, which can be given to a program as its standard input and output.
#
# Two processes then hold it. So data is only peeked at until its reader is known, and never more is taken than needed.
# Waiting does not read the program's input.

LINE_BYTES = 2**18  # more than any message has, and less than the kernel holds for a reader
REST_S = 0.002  # until the next check for the rest of a line, or for space for one


class SocketWatch:
    """A watcher that wakes tasks waiting for a socket, even if another process reads it.

    One an event loop; see `close`.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._epoll = select.epoll()
        self._waiters: dict[int, asyncio.Future[None]] = {}
        self._loop.add_reader(self._epoll.fileno(), self._look)

    async def until(self, end: socket.socket, *, readable: bool) -> None:
        """Return when the other side has closed or, if `readable`, there is data to read."""
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
    """One connection, made by `open_lines`."""

    def __init__(self, end: socket.socket, watch: SocketWatch) -> None:
        self.socket = end
        self._watch = watch

    def look(self) -> bytes | None:
        """Return the available data without taking it; None: nothing more will come."""
        try:
            return self.socket.recv(LINE_BYTES, socket.MSG_PEEK | socket.MSG_DONTWAIT) or None
        except BlockingIOError:
            return b""
        except OSError:  # the other side is gone, and has not read everything
            return None

    async def next_line(self) -> bytes | None:
        """Return the next line, with its end, when it is complete, without taking it. None: no line will come."""
        while True:
            await self._watch.until(self.socket, readable=True)
            seen = self.look()
            if seen is None:
                return None
            if (end := seen.find(b"\n")) >= 0:
                return seen[: end + 1]
            if len(seen) == LINE_BYTES:
                raise LinkLost("the server has sent a line without an end")
            if self.closed_by_peer():
                return None
            await asyncio.sleep(REST_S)

    def drop(self, line: bytes) -> None:
        """Take a line that was peeked at."""
        left = len(line)
        while left:
            left -= len(self.socket.recv(left, socket.MSG_DONTWAIT))

    async def send(self, message: BotMessage) -> None:
        """Send a line. Does nothing on a lost connection."""
        await self._send(encode(message, Encoding.JSON) + b"\n")

    async def send_after(self, message: BotMessage) -> None:
        """Send a line, after ending a line that another process may have left incomplete."""
        await self._send(b"\n" + encode(message, Encoding.JSON) + b"\n")

    async def closed(self) -> None:
        """Return when the server has closed the connection."""
        await self._watch.until(self.socket, readable=False)

    def closed_by_peer(self) -> bool:
        """Return whether the server has closed the connection, even if there is data to read."""
        poll: Any = select.poll()
        poll.register(self.socket, select.POLLRDHUP)
        return bool(poll.poll(0))

    def close(self) -> None:
        """Close it for other holders, too."""
        with suppress(OSError):  # the server has already closed it
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    async def _send(self, data: bytes) -> None:
        flags = socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL
        while data:
            try:
                data = data[self.socket.send(data, flags) :]
            except BlockingIOError:  # a program has filled it, and the server is slow
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
        raise LinkLost(f"cannot connect to {path}: {error} (is it running?)") from None
    except BaseException:
        end.close()
        raise
    end.setblocking(True)  # as programs expect
    return LineConnection(end, watch)


WELCOME_S = 10.0  # how long a server may leave hello unanswered
DIED = "died"  # the code of the report that the program has ended
PR_SET_PDEATHSIG = 1  # linux/prctl.h


class DirectPrograms:
    """A runner of matches with the program `argv` until refused or cancelled, at most `slots` at once."""

    def __init__(
        self,
        argv: Sequence[str],
        url: str,
        hello: Hello,
        *,
        slots: int = 1,
        notify: Callable[[events.Notice], None] = lambda _: None,
        reconnect: bool = True,
    ) -> None:
        self._argv, self._called = argv, argv[0]
        self._url, self._path = url, unquote(address(url).path)
        self._hello, self._slots = hello, slots
        self._notify, self._reconnect = notify, reconnect
        self._ending: set[asyncio.Task[None]] = set()  # tasks that end programs
        self._watch: SocketWatch

    async def run(self) -> None:
        """Connect and play. Raises RefusedByServer, and LinkLost if reconnecting is off."""
        self._watch = SocketWatch()
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._slots):
                    group.create_task(self._stay_connected())
        except ExceptionGroup as failed:
            raise most_serious([error for error in failed.exceptions if isinstance(error, Exception)]) from None
        finally:
            await asyncio.gather(*self._ending)
            self._watch.close()

    async def _stay_connected(self) -> None:
        backoff = Backoff()
        while True:
            try:
                async with self._connection() as connection:
                    backoff.reset()
                    await self._play(connection)
            except LinkLost as error:
                if not self._reconnect:
                    raise
                delay = backoff.next() + (error.retry_s if isinstance(error, ToldToWait) else 0.0)
                self._notify(events.Disconnected(str(error), delay))
                await asyncio.sleep(delay)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[LineConnection]:
        """Open a connection and get its welcome."""
        connection = await open_lines(self._path, self._watch)
        try:
            await connection.send(self._hello)
            try:
                async with asyncio.timeout(WELCOME_S):
                    answer = await self._take(connection)
            except TimeoutError:
                raise LinkLost(f"the server left hello unanswered for {WELCOME_S:g} s") from None
            match answer:
                case messages.Welcome(session, server, notice):
                    said = "" if notice is UNSET else notice
                    self._notify(events.Welcomed(session, server, resumed=False, notice=said))
                    self._notify(events.Connected(self._url))
                case messages.ServerStopping(reason) | messages.Refused(messages.SERVER_STOPPING, reason):
                    raise LinkLost(reason)
                case messages.Refused(_, reason, int(retry_ms)):
                    raise ToldToWait(reason, retry_ms / 1000)
                case messages.Refused(code, reason):
                    self._notify(events.Refused(code, reason))
                    raise RefusedByServer(code, reason)
                case _:
                    raise RefusedByServer("no-lines", f"the server at {self._url} does not speak JSON lines")
            yield connection
        finally:
            connection.close()

    async def _take(self, connection: LineConnection) -> ServerMessage:
        """Return the next message, which is for this client.

        Raises LinkLost, with the server's reason if there is one.
        """
        line = await connection.next_line()
        if line is None:
            raise LinkLost("the server closed the connection")
        connection.drop(line)
        message = _message(line)
        if isinstance(message, messages.Error):
            raise LinkLost(f"the server closed the connection: {message.reason}")
        if message is None:
            raise RefusedByServer("no-lines", f"the server at {self._url} answers with {line[:40]!r}, no JSON line")
        return message

    # --- a program ----------------------------------------------------------------------------------------------------

    async def _play(self, connection: LineConnection) -> None:
        """Play all matches of one connection."""
        while True:
            line = await connection.next_line()
            game = None if line is None else _message(line)
            if not isinstance(game, messages.GameMessage):
                raise LinkLost("the server closed the connection")
            text = await self._run_program(connection, game.match)
            if text is not None:
                await self._give_up(connection, text)
            if connection.closed_by_peer():
                return  # the match is over, or the server is gone: the next connection will show it

    async def _run_program(self, connection: LineConnection, match: str) -> str | None:
        """Let a program play. Returns how it died; None if it need not play on, or another one must."""
        try:
            program = await start(self._argv, connection.socket.fileno())
        except PlayerFailed as error:
            return str(error)
        closed, ended = asyncio.ensure_future(connection.closed()), asyncio.ensure_future(program.wait())
        try:
            await asyncio.wait({closed, ended}, return_when=asyncio.FIRST_COMPLETED)
            if closed.done():
                return None
            with suppress(TimeoutError):
                async with asyncio.timeout(OUTPUT_END_S):
                    await program.wait_for_output()
        finally:
            for task in (closed, ended):
                task.cancel()
            await asyncio.gather(closed, ended, return_exceptions=True)
            ending = asyncio.create_task(end_program(program))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)
        game = _message((connection.look() or b"").partition(b"\n")[0])
        if isinstance(game, messages.GameMessage) and game.match != match:
            return None  # it had stayed, and did not read the next match
        how = f"{self._called} {how_it_ended(await program.wait())} in mid-match"
        return str(ProgramDied(how, tuple(program.last_lines)))

    async def _give_up(self, connection: LineConnection, text: str) -> None:
        """Report that the program has died, and wait in its place for the end of the match."""
        await connection.send_after(messages.Error(DIED, text[-messages.MAX_TRACEBACK :]))
        while (line := await connection.next_line()) is not None:
            connection.drop(line)
            match _message(line):
                case messages.Error(code="died", match=str(match)):
                    self._notify(events.Crashed(match, text))


def _message(line: bytes) -> ServerMessage | None:
    try:
        return decode_from_server(line.strip(), Encoding.JSON)
    except WireError:  # for example the rest of a line that a program has begun to read
        return None


class DirectProgram(Process):
    """A program that has a connection in place of stdin and stdout."""

    def hang_up(self) -> None:
        """Mark its connection as closed, or about to be."""


async def start(argv: Sequence[str], connection: int) -> DirectProgram:
    """Start the program on a connection, by its descriptor. Raises PlayerFailed."""
    loop, us, libc = asyncio.get_running_loop(), os.getpid(), ctypes.CDLL(None)

    def tie_to_us() -> None:  # between fork and exec: a connection, unlike a pipe, would not end with us
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != us:
            os._exit(127)

    pipes: dict[str, Any] = {"stdin": connection, "stdout": connection, "stderr": asyncio.subprocess.PIPE}
    try:
        _, program = await loop.subprocess_exec(
            lambda: DirectProgram(argv[0], (STDERR,)), *argv, **pipes, preexec_fn=tie_to_us
        )
    except OSError as error:
        raise PlayerFailed(f"{argv[0]} cannot be started: {error}") from error
    return program
