"""The page at `/` and its files, the API's documentation at `/api/docs`: all from here, nothing from a CDN."""

import os
from importlib.resources import files
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from palio_server.api.operations import Resource

WEB = Path(str(files("palio_server"))) / "web"

DOCS = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Palio: the HTTP interface</title>
    <link rel="icon" href="../static/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="../static/vendor/swagger-ui/swagger-ui.css">
    <script defer src="../static/vendor/swagger-ui/swagger-ui-bundle.js"></script>
    <script defer src="../static/vendor/swagger-ui/start.js"></script>
  </head>
  <body>
    <div id="docs"></div>
    <noscript>This page needs JavaScript; <a href="openapi.json">openapi.json</a> says the same.</noscript>
  </body>
</html>
"""


VIEWS = ("match", "tournaments", "games", "bots", "play", "results", "tv", "embed", "write")  # first words of views' addresses


class Revalidated(StaticFiles):
    """Static files that browsers keep, but ask about (ETag): after an upgrade nobody runs half of the old page."""

    def file_response(
        self, full_path: "os.PathLike[str] | str", stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["Cache-Control"] = "no-cache"
        return response


async def view(_request: Request) -> HTMLResponse:
    """The page, which shows the view of its address."""
    return HTMLResponse((WEB / "index.html").read_bytes(), headers={"Cache-Control": "no-cache"})


async def docs(_request: Request) -> HTMLResponse:
    """The API's documentation, for people."""
    return HTMLResponse(DOCS)


def page(web: Path = WEB) -> list[BaseRoute]:
    """The page's routes, to come last: its files lie at `/`, where the page looks for them, and under `/static`."""
    return [
        Route("/api/docs", Resource({"GET": docs})),
        Mount("/api", routes=[]),  # what is not there is no business of the page's files
        *views(),
        Mount("/static", Revalidated(directory=web), name="static"),
        Mount("/", Revalidated(directory=web, html=True), name="page"),
    ]


def views() -> list[BaseRoute]:
    """The addresses that the page's views have: all give the page, whatever follows the first word."""
    both = [(f"/{word}", f"/{word}/{{rest:path}}") for word in VIEWS]
    return [Route(path, Resource({"GET": view, "HEAD": view})) for paths in both for path in paths]
