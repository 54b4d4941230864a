"""Where bots come in by WebSocket: `/ws/bot`.

The subprotocol (`palio.1.msgpack` before `palio.1.json`) chooses the encoding. A bot that asks for none may come too:
its first frame decides, text being JSON and binary MessagePack. Then hello, welcome, and the matches.
"""

import asyncio
import logging
from importlib.metadata import version
from urllib.parse import urlsplit

from starlette.types import Receive, Scope, Send

from palio_rules.contract.codec import SUBPROTOCOLS, Encoding
from palio_rules.contract.endpoints import FAILED, LATER, POLICY
from palio_rules.contract.messages import Refused, Welcome
from palio_server.bus import Bus
from palio_server.lobby.access import Access, AccessDenied
from palio_server.lobby.lobby import Lobby, LobbyError
from palio_server.lobby.session import Session
from palio_server.network.connection import Connection
from palio_server.network.cork import Cork
from palio_server.network.handshake import handshake_of

log = logging.getLogger(__name__)

HELLO_S = 10.0  # from the connection to the hello
STRANGERS = 500  # connections that have not been welcomed yet; beyond them nobody new is let in
SERVER = f"palio {version('palio')}"


class BotEndpoint:
    """An ASGI application for one route, `/ws/bot`; uvicorn serves it with `ws=Handshake`."""

    def __init__(self, lobby: Lobby, bus: Bus, access: Access, hello_s: float = HELLO_S) -> None:
        self._lobby, self._bus, self._access, self._hello_s = lobby, bus, access, hello_s
        self._strangers: set[asyncio.Task[Session | None]] = set()
        self._cork: Cork | None = None  # of the event loop that serves us

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _same_origin(scope):
            await send({"type": "websocket.close", "code": POLICY})  # before the handshake: HTTP 403
            return
        if self._cork is None:
            self._cork = Cork(asyncio.get_running_loop())
        chosen = next((name for name in SUBPROTOCOLS if name in scope["subprotocols"]), None)
        socket = handshake_of(scope).accept(chosen)
        connection = Connection(socket, self._bus, Encoding(SUBPROTOCOLS[chosen]) if chosen else None)
        socket.listen(connection, self._cork)
        if scope["subprotocols"] and chosen is None:
            connection.close(POLICY, f"no known subprotocol; offer one of {', '.join(SUBPROTOCOLS)}, or none")
        elif len(self._strangers) >= STRANGERS:
            connection.close(LATER, "too many connections that have not said hello; come back later")
        await self._serve(connection, socket.gone)

    async def _serve(self, connection: Connection, gone: asyncio.Event) -> None:
        entering = asyncio.create_task(self._enter(connection))
        self._strangers.add(entering)
        entering.add_done_callback(self._strangers.discard)
        try:
            await gone.wait()
        finally:
            connection.lost()
            entering.cancel()
            (session,) = await asyncio.gather(entering, return_exceptions=True)
            if isinstance(session, Session):
                self._lobby.leave(session)

    async def _enter(self, connection: Connection) -> Session | None:
        try:
            async with asyncio.timeout(self._hello_s):
                hello = await connection.hello
                await self._access.bot(hello)
            session = self._lobby.join(hello, connection, "websocket")
        except TimeoutError:
            connection.close(POLICY, f"no hello within {self._hello_s:g} seconds")
        except (AccessDenied, LobbyError) as error:
            connection.send(Refused(error.code, str(error)))
            connection.close(POLICY, error.code)
        except Exception:  # the store is down, or we have a bug: this bot must not wait for an answer
            log.exception("a bot could not be let in")
            connection.close(FAILED, "the server cannot let you in now; try again in a while")
        else:
            connection.enter(session)
            connection.send(Welcome(session.id, SERVER))
            return session
        return None


def _same_origin(scope: Scope) -> bool:
    """Browsers always say which page is asking; no page but ours may. Programs say nothing."""
    headers = dict(scope["headers"])
    origin = headers.get(b"origin")
    return origin is None or urlsplit(origin.decode("latin-1")).netloc == headers.get(b"host", b"").decode("latin-1")
