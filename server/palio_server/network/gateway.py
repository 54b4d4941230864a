"""The gateway by which bots connect: by WebSocket at `/ws/bot`, or with JSON lines.

The subprotocol (`palio.1.msgpack` before `palio.1.json`) chooses the encoding. A bot may also request none: then its
first frame decides, text for JSON and binary for MessagePack. After that hello, welcome, and the matches follow, on
both transports.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable
from functools import partial

from msgspec import UNSET
from starlette.types import Receive, Scope, Send

from palio_db.values import Grant
from palio_rules.contract.codec import SUBPROTOCOLS, Encoding
from palio_rules.contract.endpoints import FAILED, LATER, POLICY, RESTART
from palio_rules.contract.messages import Hello, Refused, Welcome
from palio_rules.plain_text import plain
from palio_rules.version import BUILD
from palio_server.bus import Bus
from palio_server.edge.budgets import TooMuch
from palio_server.lobby.access import Access, AccessDenied
from palio_server.lobby.lobby import Lobby, LobbyError, ServerStops
from palio_server.lobby.session import Session
from palio_server.log_lines import about
from palio_server.network.bot_listener import BotListener
from palio_server.network.connection import Connection, ProgramConnection
from palio_server.network.corked_socket import Cork, CorkedSocket
from palio_server.network.handshake import handshake_of
from palio_server.network.line_socket import LineSocket
from palio_server.network.websocket import WebSocket

log = logging.getLogger(__name__)

HELLO_S = 5.0  # seconds from the handshake, or the first byte, to the hello
ACCESS_S = 10.0  # seconds for the store to check a bot's token, while others ask too
REPORTED = 5  # faults of the programs of one name that are reported to the operator
SERVER = f"palio {BUILD}"


class BotEndpoint:
    """An ASGI application for one route, `/ws/bot`, which uvicorn serves with `ws=Handshake`; and `lines`."""

    def __init__(self, lobby: Lobby, bus: Bus, access: Access, hello_s: float = HELLO_S) -> None:
        self._lobby, self._bus, self._access, self._hello_s = lobby, bus, access, hello_s
        self._cork: Cork | None = None  # of the event loop that serves it
        self._reported: Counter[str] = Counter()  # faults of programs, by name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        chosen = self.subprotocol(scope["subprotocols"])
        socket = handshake_of(scope).accept(chosen)
        if scope["subprotocols"] and chosen is None:
            socket.close(POLICY, f"no known subprotocol; offer one of {', '.join(SUBPROTOCOLS)}, or none")
        await self.websocket(socket, chosen)

    def subprotocol(self, offered: Iterable[str]) -> str | None:
        """Return the subprotocol that is spoken with a bot that offers these; None: its first frame decides."""
        return next((name for name in SUBPROTOCOLS if name in offered), None)

    async def websocket(self, socket: WebSocket, chosen: str | None, own: BotListener | None = None) -> None:
        """Serve a bot on a WebSocket, perhaps by a socket of its own; return when it is gone."""
        connection = Connection(socket, self._bus, Encoding(SUBPROTOCOLS[chosen]) if chosen else None)
        socket.listen(connection, self._one_cork())
        await self._serve(connection, socket, own)

    async def lines(self, socket: LineSocket, own: BotListener | None = None) -> None:
        """Serve a bot that sends JSON lines, perhaps by a socket of its own; return when it is gone."""
        connection = Connection(socket, self._bus, Encoding.JSON)
        socket.listen(connection, self._one_cork())
        await self._serve(connection, socket, own)

    def _one_cork(self) -> Cork:
        if self._cork is None:
            self._cork = Cork(asyncio.get_running_loop())
        return self._cork

    async def _serve(self, connection: Connection, socket: CorkedSocket, own: BotListener | None) -> None:
        socket.visit.on_drop(partial(_make_room, connection, socket))
        entering = asyncio.create_task(self._enter(connection, socket, own))
        try:
            await socket.gone.wait()
        finally:
            connection.lost()
            entering.cancel()
            (session,) = await asyncio.gather(entering, return_exceptions=True)
            if isinstance(session, Session):
                self._lobby.leave(session)

    async def _enter(self, connection: Connection, socket: CorkedSocket, own: BotListener | None) -> Session | None:
        try:
            async with asyncio.timeout(self._hello_s):
                hello = await connection.hello
            about(bot=hello.name, peer=socket.visit.host)
            _admit(hello, own)
            socket.visit.answering(True)
            # a socket of its own proves a bot's name: only the program that the server started has it
            grant = None if own is not None else await self._grant(hello, socket)
            session = self._join(hello, connection, socket, own)
            session.token = None if grant is None else grant.id
        except TimeoutError:
            if connection.hello.done() and not connection.hello.cancelled():
                connection.close(FAILED, "the server cannot look at your token now; try again in a while")
                return None
            connection.close(POLICY, f"no hello within {self._hello_s:g} seconds")
        except TooMuch as error:
            self._lobby.refusals[error.code] += 1
            connection.send(Refused(error.code, str(error), error.retry_ms))
            connection.close(LATER, error.code)
        except ServerStops as error:
            self._lobby.refusals[error.code] += 1
            connection.send(error.notice)
            connection.send(Refused(error.code, str(error)))
            connection.close(RESTART, str(error))
        except (AccessDenied, LobbyError) as error:
            self._lobby.refusals[error.code] += 1
            connection.send(Refused(error.code, str(error)))
            connection.close(POLICY, error.code)
        except Exception:  # the store is down, or there is a bug: this bot must not wait for an answer
            log.exception("a bot could not be let in")
            connection.close(FAILED, "the server cannot let you in now; try again in a while")
        else:
            told = self._lobby.greeting(session, hello, local=not socket.visit.host)
            connection.send(Welcome(session.id, SERVER, told or UNSET))
            return session
        return None

    async def _grant(self, hello: Hello, socket: CorkedSocket) -> Grant | None:
        """Return what its token allows. Raises TooMuch, AccessDenied and TimeoutError."""
        token = None if hello.token is UNSET else hello.token
        async with asyncio.timeout(ACCESS_S), self._access.attempts.of(socket.visit.address, token):
            return await self._access.bot(hello, socket.visit.address)

    def _join(self, hello: Hello, connection: Connection, socket: CorkedSocket, own: BotListener | None) -> Session:
        """Let the bot into the lobby. Raises LobbyError."""
        if not isinstance(socket, LineSocket):
            if hello.program is True:
                raise LobbyError("no-lines", "a program plays on a connection of JSON lines; leave `program` out")
            session = self._lobby.join(hello, connection, "websocket")
        elif hello.program is not True:
            session = self._lobby.join(hello, connection, "lines")
        elif hello.slots not in (UNSET, 1):
            raise LobbyError("one-slot", "a program plays one match at a time on its connection; leave `slots` out")
        else:
            program = ProgramConnection(connection, socket, self._bus, partial(self._report, hello.name))
            session = self._lobby.join(hello, program, "lines")
            program.enter(session, partial(self._lobby.leave, session))
            socket.hand_to_program(program)
        connection.enter(session, None if own is None else own.awaited)
        session.address = socket.visit.address
        socket.visit.known()
        socket.credit.trust()
        if own is not None:
            session.confined, session.own_address = own.confined, own.url
        return session

    def _report(self, name: str, fault: str) -> None:
        """Report a program's fault to the operator."""
        self._reported[name] += 1
        if self._reported[name] <= REPORTED:
            log.warning("%s %s", name, plain(fault), extra={"bot": name})


def _make_room(connection: Connection, socket: CorkedSocket) -> None:
    """Close a connection that has sent nothing, to make room for others."""
    connection.close(LATER, "too many connections that have not said hello; come back with one")
    socket.transport.close()


def _admit(hello: Hello, own: BotListener | None) -> None:
    """Check that a bot's own listener is used by that bot only. Raises AccessDenied."""
    if own is not None and hello.name != own.bot:
        reason = f"this connection is for the bot {own.bot!r}, not for {hello.name!r}"
        raise AccessDenied("name-not-yours", reason)
