"""The application: everything on the one port, put together."""

import asyncio
import time
from collections.abc import Sequence
from functools import cache, partial
from importlib.metadata import entry_points
from typing import Any, Protocol

import msgspec
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import Receive, Scope, Send

from palio_rules.contract import endpoints
from palio_rules.contract.codec import frame
from palio_rules.version import RELEASE
from palio_server.api import (
    admin,
    bots,
    course_games,
    course_publishing,
    course_term,
    courses,
    games,
    guide,
    leaderboard,
    live,
    matches,
    metrics,
    pages,
    pictures,
    play,
    positions,
    records,
    sessions,
    tournaments,
)
from palio_server.api.answers import HANDLERS, Json
from palio_server.api.bot_reader import BotReader
from palio_server.api.compression import compressed
from palio_server.api.event_reader import EventReader
from palio_server.api.guard import ByTurns, Guard
from palio_server.api.identity import root_of
from palio_server.api.live import LobbyFeed, MatchFeed
from palio_server.api.metrics import PATH, commits_of, get_metrics
from palio_server.api.operations import Operation, RefusedActs, Resource, document
from palio_server.api.quotas import MatchQuota, WorkQuota
from palio_server.api.rating_reader import RatingReader
from palio_server.api.remote_matches import remote_snapshot
from palio_server.app_state import ServerParts
from palio_server.edge.addresses import Proxies
from palio_server.edge.budgets import Budgets
from palio_server.edge.sites import Sites
from palio_server.health import HealthWatch
from palio_server.live.live_hub import LiveHub
from palio_server.network.entrance import Entrance
from palio_server.network.gateway import BotEndpoint
from palio_server.operating import Operating

ABOUT = """
Matches, bots, leaderboards and tournaments of this server, in JSON.

Reading needs no token, unless the server is private: then any token will do (`watch` is the scope for nothing else), as
`Authorization: Bearer TOKEN` or by the cookie of `POST /api/session`. Starting and stopping matches, making and
changing tournaments, and keeping analyses, needs one of scope `matches`; voiding matches and `/api/admin` one of scope
`admin`; unless the server is open (the default on loopback). `x-scope` of each operation says which. Errors are always
`{"error": {"code", "reason"}}`.

Live: `/ws/live` (the lobby) and `/ws/live/{match}` send a snapshot, then numbered messages. Bots connect to `/ws/bot`.
"""

ENDPOINTS = "palio.endpoints"  # entry points: a class that is called with the server's parts
NOUNS = (
    games,
    positions,
    bots,
    matches,
    records,
    leaderboard,
    tournaments,
    play,
    courses,
    course_games,
    course_publishing,
    course_term,
    sessions,
    live,
    admin,
    metrics,
)
CORS: dict[str, Any] = {  # what pages of allowed sites may request, and read of an answer
    "allow_methods": ["GET", "POST", "PUT", "DELETE"],
    "allow_headers": ["Authorization", "Content-Type", "Last-Event-ID", "MCP-Protocol-Version", "Mcp-Session-Id"],
    "expose_headers": ["Link", "Location", "Mcp-Session-Id", "Retry-After"],
}
UPLOADS, UPLOADS_A_SECOND = 10.0, 0.2  # of one student of a course
LICENSE = {"name": "MIT", "identifier": "MIT"}
OPERATIONS = [operation for noun in NOUNS for operation in noun.routes.operations]


class Endpoint(Protocol):
    """An ASGI application of an add-on, for one path."""

    path: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...
    async def close(self) -> None:
        """End what is being answered, because the server ends."""


def create_app(
    parts: ServerParts,
    health_watch: HealthWatch | None = None,
    operating: Operating | None = None,
    bots_in: BotEndpoint | None = None,
    entrance: Entrance | None = None,
) -> Starlette:
    """Return the ASGI application of a server; serve it with uvicorn and `ws=Handshake`.

    What is not given is made here, as for tests.
    """
    if not parts.settings.lets_in:
        return _for_operators(parts, health_watch, entrance)
    hub = LiveHub(
        parts.feed,
        parts.bus,
        partial(frame, text=True),
        crowd=lambda: parts.lobby.version,
        here=lambda: len(parts.lobby.connected()),
    )
    hub.on_watched = parts.others.tell_watched
    parts.feed.on_lost.append(lambda match: hub.follow(match, partial(remote_snapshot, parts, match)))
    parts.others.on_missed.append(hub.renew_all)
    added: list[Endpoint] = [entry.load()(parts) for entry in entry_points(group=ENDPOINTS)]
    bots_in = bots_in or BotEndpoint(parts.lobby, parts.bus, parts.access)
    settings = parts.settings
    sites = Sites.parse(settings.host, settings.public_url, settings.origin)
    others = [Middleware(CORSMiddleware, allow_origins=sorted(sites.others), **CORS)] if sites.others else []
    app = Starlette(
        routes=[
            Route(PATH, Resource({"GET": get_metrics})),
            Route(f"{endpoints.API}/openapi.json", Resource({"GET": openapi})),
            *_resources(),
            WebSocketRoute(endpoints.BOT, bots_in),
            *(Route(each.path, each) for each in added),
            WebSocketRoute(endpoints.LIVE, LobbyFeed(hub, parts)),
            WebSocketRoute(endpoints.live("{match}"), MatchFeed(hub, parts)),
            *pictures.routes(),
            *guide.routes(settings.docs),
            *pages.page(),
        ],
        middleware=[
            Middleware(Guard, sites=sites, proxies=Proxies.parse(settings.forwarded_from)),
            Middleware(ByTurns),
            *others,
        ],
        exception_handlers=HANDLERS,
    )
    app.state.parts = parts
    app.state.sites = sites
    app.state.health = health_watch or HealthWatch(parts)
    app.state.commits = commits_of(parts.store)
    app.state.entrance = entrance or Entrance()
    app.state.refused = RefusedActs(parts.store)
    app.state.replays = records.ReplayCache()
    app.state.events = EventReader(parts.store)
    app.state.bots = BotReader(parts)
    app.state.ratings = RatingReader(parts.store, parts.settings.anchors)
    app.state.searching = asyncio.Lock()  # held by the request that has openings or instances searched for it
    app.state.drawing = asyncio.Lock()  # held by the request that has a puzzle generated, to show it
    app.state.work = WorkQuota()
    app.state.uploads = Budgets(UPLOADS_A_SECOND, UPLOADS, time.monotonic)
    app.state.uploading = asyncio.Semaphore(courses.AT_ONCE)
    app.state.quota = MatchQuota(parts.store.still_open, settings.open_matches, settings.open_matches_in_all)
    app.state.hub = hub
    app.state.operating = operating or Operating(parts, app.state.health)
    app.state.operating.limits |= _limits(app)
    app.state.endpoints = added
    return app


def _limits(app: Starlette) -> dict[str, Budgets]:
    """Return the rate limits of requests, by what they count."""
    work, quota = app.state.work, app.state.quota
    return {
        "matches scheduled by one asker": quota.budgets,
        "work for an address": work.far,
        "work for this machine": work.here,
        "uploads of a student": app.state.uploads,
    }


def _for_operators(parts: ServerParts, health_watch: HealthWatch | None, entrance: Entrance | None) -> Starlette:
    """Return a referee's application: only its health and its metrics."""
    sites = Sites.parse(parts.settings.host, None, "")
    app = Starlette(
        routes=[Route(PATH, Resource({"GET": get_metrics})), *_resources(metrics.routes.operations)],
        middleware=[Middleware(Guard, sites=sites, proxies=Proxies.parse(""))],
        exception_handlers=HANDLERS,
    )
    app.state.parts, app.state.sites = parts, sites
    app.state.health = health_watch or HealthWatch(parts)
    app.state.commits = commits_of(parts.store)
    app.state.entrance = entrance or Entrance()
    app.state.refused = RefusedActs(parts.store)
    return app


def _resources(operations: Sequence[Operation] = OPERATIONS) -> list[BaseRoute]:
    found: dict[str, list[Operation]] = {}
    for operation in operations:
        found.setdefault(operation.path, []).append(operation)
    return [Route(path, Resource({each.method: each.respond for each in found[path]})) for path in found]


async def openapi(request: Request) -> Response:
    """Return all operations, for programs."""
    return await compressed(request, Json(_described(root_of(request) or "/")))


@cache
def _described(server: str) -> bytes:
    about = {"title": "Palio", "version": RELEASE, "description": ABOUT, "license": LICENSE}
    return msgspec.json.encode(document(OPERATIONS, server, **about))
