"""Everything on the one port, put together."""

import asyncio
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.routing import WebSocketRoute

from palio_server.api import analyses, bots, errors, games, health, leaderboard, matches, pages, records, tournaments
from palio_server.api.answers import COMPONENTS
from palio_server.api.guard import Guard
from palio_server.api.house import House
from palio_server.api.live import LobbyFeed, MatchFeed
from palio_server.live.live_hub import LiveHub
from palio_server.network.gateway import bot_endpoint
from palio_server.settings import LOOPBACK

ABOUT = """
Matches, bots, leaderboards and tournaments of this server, in JSON.

Reading needs no token. Starting and stopping matches, and keeping analyses, needs one of scope `matches`, as
`Authorization: Bearer TOKEN`, unless the server is open (the default on loopback). Errors are always
`{"error": {"code", "reason"}}`.

Live: `/ws/live` (the lobby) and `/ws/live/{match}` send a snapshot, then numbered messages. Bots connect to `/ws/bot`.
"""


def create_app(house: House) -> FastAPI:
    """The ASGI application of a server; serve it with uvicorn and `ws=WebSocketProtocol`."""
    app = FastAPI(
        title="Palio",
        version=health.VERSION,
        description=ABOUT,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.state.house = house
    app.state.replays = records.ReplayCache()
    app.state.tables = {}  # cross-tables by tournament, which are kept
    app.state.searching = asyncio.Lock()  # of the request that has openings or instances searched for it
    hub = app.state.hub = LiveHub(house.feed, house.bus, lambda: house.lobby.version)
    api = APIRouter(prefix="/api")
    for noun in (games, bots, matches, records, analyses, leaderboard, tournaments, health):
        api.include_router(noun.router)
    app.include_router(api)
    app.router.routes += [
        WebSocketRoute("/ws/bot", bot_endpoint(house.lobby, house.bus, house.access)),
        WebSocketRoute("/ws/live", LobbyFeed(hub)),
        WebSocketRoute("/ws/live/{match}", MatchFeed(hub, house)),
    ]
    pages.install(app)
    errors.install(app)
    app.add_middleware(
        Guard,
        loopback_only=house.settings.open and house.settings.host in LOOPBACK,
        own_pages_only=house.settings.open,
    )
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]  # FastAPI's documented way
    return app


def _openapi(app: FastAPI) -> dict[str, Any]:
    """FastAPI's description, with the schemas of our structs in it."""
    if app.openapi_schema is None:
        document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        components = document.setdefault("components", {})
        components.setdefault("schemas", {}).update(COMPONENTS)
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        app.openapi_schema = document
    return app.openapi_schema
