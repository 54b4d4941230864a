"""The page at `/` and its views' addresses, the API's documentation at `/api/docs`: nothing from a CDN."""

from importlib.resources import files
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from palio_db.errors import StoreError
from palio_server.api.answers import ApiError
from palio_server.api.asking import admit_reader
from palio_server.api.operations import Resource
from palio_server.api.page_files import PageFiles, answer, pack, page_of
from palio_server.api.page_heads import LOST, Head, head_of, tags
from palio_server.api.visitor import root_of
from palio_server.edge.refusal import TooMuch
from palio_server.lobby.access import AccessDenied
from palio_server.network.security_headers import FRAMED, policy
from palio_server.parts import ServerParts

WEB = Path(str(files("palio_server"))) / "web"

DOCS = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Palio: the HTTP interface</title>
    <link rel="icon" href="../icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="docs/files/swagger-ui.css">
    <script defer src="docs/files/swagger-ui-bundle.js"></script>
    <script defer src="docs/files/start.js"></script>
  </head>
  <body>
    <div id="docs"></div>
    <noscript>This page needs JavaScript; <a href="openapi.json">openapi.json</a> says the same.</noscript>
  </body>
</html>
"""

STYLED = {"Content-Security-Policy": policy({"style-src": "'self' 'unsafe-inline'"})}  # swagger-ui styles elements

VIEWS = (
    "match",
    "tournaments",
    "games",
    "bots",
    "play",
    "results",
    "tv",
    "embed",
    "write",
)  # first words of views' addresses

ROBOTS = "User-agent: *\nDisallow: /api/\nDisallow: /ws/\n"


class Page:
    """The page: one file for all views, with the head of the one that was asked for."""

    def __init__(self, web: Path = WEB) -> None:
        self._web = web
        self.files = PageFiles(web)

    async def view(self, request: Request) -> Response:
        """The page, which shows the view of its address; with the status 404 where nothing is."""
        parts: ServerParts | None = getattr(request.app.state, "parts", None)
        root = root_of(request)
        path = request.url.path.removeprefix(root)
        tree = await self.files.newest()
        view = tree.view(path)
        head = LOST if view is None or "\0" in path else Head() if parts is None else await _head(parts, path, request)
        content = page_of(tree, None if view is None else view.module, root, tags(head, request, root))
        packed = pack(content, "text/html")
        response = answer(request, content, packed.packed, packed.kind, "no-cache", 200 if head.found else 404)
        if path.startswith("/embed/"):
            response.headers.update(FRAMED)
        return response

    async def elsewhere(self, request: Request) -> Response:
        """Where nothing else is: a browser that goes there gets the page, a program the error as JSON."""
        if "text/html" not in request.headers.get("Accept", ""):
            raise HTTPException(404)
        return await self.view(request)

    async def icon(self, _request: Request) -> Response:
        """For whoever asks for the icon where icons were."""
        return FileResponse(self._web / "icon.svg", headers={"Cache-Control": "public, max-age=86400"})

    def routes(self) -> list[BaseRoute]:
        """The addresses of views, and of the files that they need."""
        words = [f"/{word}{rest}" for word in VIEWS for rest in ("", "/{rest:path}")]
        shown = Resource({"GET": self.view, "HEAD": self.view})
        files = Resource({"GET": self.files.answer, "HEAD": self.files.answer})
        return [
            Route("/", shown),
            *(Route(path, shown) for path in words),
            Route("/static/{digest:str}/{path:path}", files),
            Route("/icon.svg", Resource({"GET": self.icon, "HEAD": self.icon})),
            Route("/favicon.ico", Resource({"GET": self.icon, "HEAD": self.icon})),
            Route("/robots.txt", Resource({"GET": robots, "HEAD": robots})),
        ]


async def robots(_request: Request) -> Response:
    """What crawlers are asked: to read the page, not the API."""
    return PlainTextResponse(ROBOTS)


async def docs(_request: Request) -> HTMLResponse:
    """The API's documentation, for people."""
    return HTMLResponse(DOCS, headers=STYLED)


def page(web: Path = WEB) -> list[BaseRoute]:
    """The page's routes, to come last."""
    shown = Page(web)
    return [
        Route("/api/docs", Resource({"GET": docs})),
        Mount("/api/docs/files", StaticFiles(directory=web / "vendor" / "swagger-ui")),
        Mount("/api", routes=[]),  # what is not there is no business of the page
        *shown.routes(),
        Route("/{rest:path}", Resource({"GET": shown.elsewhere, "HEAD": shown.elsewhere})),
    ]


async def _head(parts: ServerParts, path: str, request: Request) -> Head:
    try:
        await admit_reader(request, parts.access)
        return await head_of(parts, path, request.query_params.get("ply"))
    except (StoreError, AccessDenied, ApiError, TooMuch):
        return Head()  # the page itself says that the database does not answer, or that one has to sign in
