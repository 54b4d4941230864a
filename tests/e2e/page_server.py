"""A server whose whole story the test tells: the page's folder, canned JSON, and sockets that the test feeds and drops.

It runs in a thread of its own; the test's calls cross over to its loop and return when they are done there.
"""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
from page_matches import PlayedMatch
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from palio_server import live
from palio_server.api.guard import Guard
from palio_server.api.pages import VIEWS, Page
from palio_server.edge.addresses import Proxies
from palio_server.edge.sites import Sites

WEB = Path(__file__).parents[2] / "server" / "palio_server" / "web"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"
LOBBY = ""  # the topic of the lobby's viewers; a match's is its name
GONE = 4404
RESTART = 1012


class Strict:
    """Adds a content policy at least as strict as the real server's."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"].append((b"content-security-policy", POLICY.encode()))
            await send(message)

        await self.app(scope, receive, send_with_policy)


class Stage:
    """A scripted server. `answers` maps paths under /api/, with a query or without, to values; `posts` keeps bodies.

    `joined`: the page with its modules in few files, as the real server gives it.
    """

    def __init__(self, *, joined: bool = False) -> None:
        self.joined = joined
        self.url = ""
        self.loop: asyncio.AbstractEventLoop | None = None
        self._viewers: dict[str, set[asyncio.Queue[str | int]]] = defaultdict(set)
        self.clear()

    def clear(self) -> None:
        """Serve nothing, and forget what has been asked for."""
        self.matches: dict[str, PlayedMatch] = {}
        self.answers: dict[str, Any] = {}
        self.posts: list[tuple[str, Any, str]] = []
        self.on_post: Callable[[Any, str], tuple[int, Any]] = lambda body, token: (201, {"match": "new"})
        self.closed_to_viewers = False
        self.lobby_seq = 0
        self.wishes: list[str] = []  # of each viewer of the lobby, as its address has them
        self.connections: dict[str, int] = defaultdict(int)

    # what the test does ------------------------------------------------------------------------------------------

    def add(self, match: PlayedMatch) -> PlayedMatch:
        self.matches[match.match] = match
        return match

    def tell(self, match: PlayedMatch, delta: live.Delta) -> None:
        """Send `delta` to the viewers of its match, and the match's new state to those of the lobby."""
        self._do(lambda: self._post(match.match, delta))
        self.update_lobby(match)

    def update_lobby(self, *matches: PlayedMatch, leaderboards: tuple[str, ...] = (), bots: bool = False) -> None:
        self.lobby_seq += 1
        summaries = [match.summary() for match in matches]
        update = live.LobbyUpdate(self.lobby_seq, summaries, list(leaderboards), bots)
        self._do(lambda: self._post(LOBBY, update))

    def drop(self, *, stay_closed: bool = False) -> None:
        """Cut every viewer's socket, as a restart of the server does."""
        self.closed_to_viewers = stay_closed
        self._do(lambda: [queue.put_nowait(RESTART) for queues in self._viewers.values() for queue in queues])

    def raw(self, topic: str, value: Any) -> None:
        """Send any message."""
        self._do(lambda: self._post(topic, value))

    # what the server does ----------------------------------------------------------------------------------------

    def _do(self, action: Callable[[], Any]) -> None:
        done = threading.Event()

        def run() -> None:
            action()
            done.set()

        assert self.loop is not None
        self.loop.call_soon_threadsafe(run)
        assert done.wait(10)

    def _post(self, topic: str, value: Any) -> None:
        text = msgspec.json.encode(value).decode()
        for queue in self._viewers[topic]:
            queue.put_nowait(text)

    async def watch(self, socket: WebSocket) -> None:
        topic = socket.path_params.get("match", LOBBY)
        if self.closed_to_viewers:
            await socket.close(RESTART)
            return
        await socket.accept()
        if topic != LOBBY and topic not in self.matches:
            await socket.close(GONE, "no such match")
            return
        self.connections[topic] += 1
        queue: asyncio.Queue[str | int] = asyncio.Queue()
        if topic == LOBBY:
            self.wishes.append("&".join(f"{k}={v}" for k, v in socket.query_params.items() if k != "heartbeat"))
        queue.put_nowait(msgspec.json.encode(self._snapshot(topic, socket.query_params.get("boards"))).decode())
        self._viewers[topic].add(queue)
        reader = asyncio.create_task(socket.receive())
        try:
            await self._serve(socket, queue, reader)
        finally:
            self._viewers[topic].discard(queue)
            reader.cancel()

    async def _serve(self, socket: WebSocket, queue: "asyncio.Queue[str | int]", reader: Awaitable[Any]) -> None:
        """Pass on what is queued until the viewer leaves; a number in the queue closes with that code."""
        while True:
            waiting = asyncio.ensure_future(queue.get())
            await asyncio.wait({waiting, reader}, return_when=asyncio.FIRST_COMPLETED)
            if not waiting.done():
                waiting.cancel()
                return
            match waiting.result():
                case int() as code:
                    await socket.close(code)
                    return
                case text:
                    await socket.send_text(text)

    def _snapshot(self, topic: str, boards: str | None) -> live.MatchSnapshot | live.LobbySnapshot:
        if topic != LOBBY:
            return self.matches[topic].snapshot()
        running = [match.summary() for match in self.matches.values() if match.result is None]
        if boards is not None and len(running) > int(boards):
            return live.LobbySnapshot(self.lobby_seq, running[: int(boards)], len(running), 2 * len(running))
        return live.LobbySnapshot(self.lobby_seq, running)

    async def get(self, request: Request) -> Response:
        path = request.path_params["path"]
        asked = f"{path}?{request.url.query}"
        if asked not in self.answers and path not in self.answers:
            return _refusal(404, "not-found", f"there is nothing at {path}")
        answer = self.answers[asked if asked in self.answers else path]
        return Response(msgspec.json.encode(answer), media_type="application/json")

    async def post(self, request: Request) -> Response:
        """Also DELETE, whose body is kept as "DELETE"."""
        body = await request.json() if request.method == "POST" else request.method
        token = request.headers.get("authorization", "")
        self.posts.append((request.path_params["path"], body, token))
        status, answer = self.on_post(body, token)
        return JSONResponse(answer, status)

    def app(self) -> Starlette:
        if self.joined:
            guard = Middleware(Guard, sites=Sites.parse("127.0.0.1", None, ""), proxies=Proxies.parse(""))
            page: list[BaseRoute] = [Mount("/", routes=Page().routes(), middleware=[guard])]
        else:
            views = [f"/{word}{rest}" for word in VIEWS for rest in ("", "/{rest:path}")]
            page = [*(Route(path, view) for path in views), Mount("/", StaticFiles(directory=WEB, html=True))]
        return Starlette(
            routes=[
                Route("/api/{path:path}", self.get, methods=["GET"]),
                Route("/api/{path:path}", self.post, methods=["POST", "DELETE"]),
                WebSocketRoute("/ws/live", self.watch),
                WebSocketRoute("/ws/live/{match}", self.watch),
                *page,
            ],
            middleware=[] if self.joined else [Middleware(Strict)],  # the guard knows no other WebSockets than ours
        )


async def view(_request: Request) -> Response:
    """The page as it lies in its folder: its modules one by one, which is how they are tested."""
    return Response((WEB / "index.html").read_bytes(), media_type="text/html")


def refusal(code: str, reason: str) -> dict[str, Any]:
    """An error as the real server words it."""
    return {"error": {"code": code, "reason": reason}}


def _refusal(status: int, code: str, reason: str) -> Response:
    return JSONResponse(refusal(code, reason), status)


@contextmanager
def serving(stage: Stage) -> Iterator[Stage]:
    """Serve `stage` on a free port of 127.0.0.1 until the context ends."""
    config = uvicorn.Config(stage.app(), port=0, log_level="warning", ws="websockets-sansio", lifespan="off")
    server = uvicorn.Server(config)

    async def run() -> None:
        stage.loop = asyncio.get_running_loop()
        await server.serve()

    thread = threading.Thread(target=lambda: asyncio.run(run()), name="page-server", daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        threading.Event().wait(0.01)
    stage.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    yield stage
    server.should_exit = True
    server.force_exit = True
    thread.join(10)
