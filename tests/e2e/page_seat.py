"""A scripted server that a person plays at: the test says what the bot protocol says, and what /api/ answers."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from page_server import Stage, refusal
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from palio_rules.registry import game
from palio_server.api.games import known_game

RESTART = 1012

Answer = tuple[int, Any]


class SeatStage(Stage):
    """A Stage with posts answered by their path, and a socket for the player."""

    def clear(self) -> None:
        super().clear()
        self.by_path: dict[str, Callable[[Any], Answer]] = {}
        self.says: Callable[[dict[str, Any]], list[dict[str, Any]]] = lambda _: []
        self.heard: list[dict[str, Any]] = []
        self.changed = threading.Condition()
        self.players: set[WebSocket] = set()

    async def post(self, request: Request) -> Response:
        path, body = request.path_params["path"], await request.json()
        self.posts.append((path, body, request.headers.get("authorization", "")))
        found = self.by_path.get(path)
        status, answer = found(body) if found else (404, refusal("not-found", f"there is nothing at {path}"))
        return JSONResponse(answer, status)

    async def play(self, socket: WebSocket) -> None:
        await socket.accept()
        self.players.add(socket)
        try:
            while True:
                message = await socket.receive_json()
                with self.changed:
                    self.heard.append(message)
                    self.changed.notify_all()
                for reply in self.says(message):
                    await socket.send_json(reply)
        except WebSocketDisconnect:
            pass
        finally:
            self.players.discard(socket)

    def said(self, kind: str, count: int = 1) -> list[dict[str, Any]]:
        """The messages of that type, as soon as there are `count`."""

        def found() -> list[dict[str, Any]]:
            return [message for message in self.heard if message["type"] == kind]

        with self.changed:
            assert self.changed.wait_for(lambda: len(found()) >= count, 30), self.heard
        return found()

    def tell_players(self, message: dict[str, Any]) -> None:
        self._do(lambda: [asyncio.ensure_future(socket.send_json(message)) for socket in self.players])

    def cut_players(self) -> None:
        """Close the sockets of those who play, as a restart of the server does."""
        self._do(lambda: [asyncio.ensure_future(socket.close(RESTART)) for socket in set(self.players)])

    def app(self) -> Starlette:
        app = super().app()
        app.router.routes.insert(0, WebSocketRoute("/ws/bot", self.play))
        return app


def item(name: str) -> dict[str, Any]:
    """A game as /api/games tells it, as far as the page plays it."""
    rules = known_game(name)
    return {
        "name": rules.name,
        "title": rules.title,
        "kind": rules.kind,
        "anytime": rules.anytime,
        "seats": list(rules.seats),
        "options": [],
        "line": rules.line,
    }


def position(name: str, hand: str = "touches", **settings: Any) -> dict[str, Any]:
    """The first position of a game as the API answers it; by `hand` "list" as a game without gestures has it."""
    rules = game(name)
    state = rules.start(rules.parse_options(settings))
    moves = [
        {
            "move": rules.move_to_wire(move),
            "notation": rules.notation(state, move),
            "touches": [] if hand == "list" else [list(map(list, cells)) for cells in rules.gesture(state, move)],
            "effect": "",
        }
        for move in state.legal_moves()
    ]
    return {
        "state": rules.format_state(state),
        "to_move": state.to_move,
        "text": rules.render(state),
        "scene": None,
        "hand": hand,
        "how": "",
        "moves": moves,
        "forced": None,
        "count": "",
        "over": None,
        "meant": None,
    }
