"""Programs beside the server: their standard input and output are a connection to it, and nobody stands between.

Here the connection is made and hello said. When the first line of a match has come, the program is started with the
connection in the place of pipes; from then on it is only watched. If it dies, we say so in its place, and the match is
given up. When the server closes the connection, because the match is over or because it ends itself, the program sees
the end of its input, and is ended for certain; meanwhile a new connection has taken the place of the old one.

It works where the kernel tells apart that a connection has been closed and that there is something to read, on Linux.
What happens in a match is between the program and the server: only failures are told here.
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
from palio_clients.sdk.stdio import LAST_WORDS_S, dismiss, how_it_ended
from palio_clients.sdk.transport import address, gravest
from palio_rules.backoff import Backoff
from palio_rules.contract import messages
from palio_rules.contract.codec import Encoding, decode_from_server, encode
from palio_rules.contract.messages import BotMessage, Hello, ServerMessage
from palio_rules.errors import WireError

# A connection of JSON lines over a Unix socket, which a program can be given as its standard input and output.
#
# Two processes hold it then. So nothing is read here before it is known whom it is for: it is looked at where it lies,
# and never more taken than asked. Waiting takes no look at what the program has still to read.

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


WELCOME_S = 10.0  # how long a server may leave hello unanswered
DIED = "died"  # the code by which we say that the program has ended
PR_SET_PDEATHSIG = 1  # linux/prctl.h


class DirectPrograms:
    """Plays matches with the program `argv` until refused or cancelled, as many at once as there are `slots`."""

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
        self._ending: set[asyncio.Task[None]] = set()  # of programs
        self._watch: SocketWatch

    async def run(self) -> None:
        """Connect and play. Raises RefusedByServer, and LinkLost where reconnecting is not wanted."""
        self._watch = SocketWatch()
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._slots):
                    group.create_task(self._stay_connected())
        except ExceptionGroup as failed:
            raise gravest([error for error in failed.exceptions if isinstance(error, Exception)]) from None
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
        """A connection on which we are welcome."""
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
        """The next message, which is for us. Raises LinkLost, with the server's reason if it has given one."""
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
            if connection.hung_up():
                return  # the match is over, or the server is gone: the next connection will tell

    async def _run_program(self, connection: LineConnection, match: str) -> str | None:
        """Let a program play. How it died, if it did; None: it need play no more, or another one has to."""
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
                async with asyncio.timeout(LAST_WORDS_S):
                    await program.wait_for_last_words()
        finally:
            for task in (closed, ended):
                task.cancel()
            await asyncio.gather(closed, ended, return_exceptions=True)
            ending = asyncio.create_task(dismiss(program))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)
        game = _message((connection.look() or b"").partition(b"\n")[0])
        if isinstance(game, messages.GameMessage) and game.match != match:
            return None  # it had stayed, and has not looked at the next match
        how = f"{self._called} {how_it_ended(await program.wait())} in mid-match"
        return str(ProgramDied(how, tuple(program.last_lines)))

    async def _give_up(self, connection: LineConnection, text: str) -> None:
        """Say that the program has died, and wait in its place for the end of the match."""
        await connection.send_after(messages.Error(DIED, text[-messages.MAX_TRACEBACK :]))
        while (line := await connection.next_line()) is not None:
            connection.drop(line)
            match _message(line):
                case messages.Error(code="died", match=str(match)):
                    self._notify(events.Crashed(match, text))


def _message(line: bytes) -> ServerMessage | None:
    try:
        return decode_from_server(line.strip(), Encoding.JSON)
    except WireError:  # the rest of a line that a program has begun to read, for example
        return None


class DirectProgram(Process):
    """A program that has a connection in the place of stdin and stdout."""

    def hang_up(self) -> None:
        """Its connection has been closed, or is about to be."""


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
