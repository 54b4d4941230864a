"""The page at `/` and its files, the API's documentation at `/api/docs`: all from here, nothing from a CDN."""

import os
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

WEB = Path(str(files("palio_server"))) / "web"

METHODS = ("GET", "POST")  # all that the API uses

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


class Revalidated(StaticFiles):
    """Static files that browsers keep, but ask about (ETag): after an upgrade nobody runs half of the old page."""

    def file_response(
        self, full_path: "os.PathLike[str] | str", stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["Cache-Control"] = "no-cache"
        return response


@dataclass(frozen=True, slots=True)
class Nothing:
    """What is asked for under `/api` and is not there, or not with this method: no business of the page's files."""

    routes: tuple[BaseRoute, ...]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        allowed = [method for method in METHODS if self._answers({**scope, "method": method})]
        raise HTTPException(405, headers={"Allow": ", ".join(allowed)}) if allowed else HTTPException(404)

    def _answers(self, scope: Scope) -> bool:
        return any(route.matches(scope)[0] is Match.FULL for route in self.routes)


def install(app: FastAPI, web: Path = WEB) -> None:
    """Serve the page. It comes last: its files lie at `/`, where the page looks for them, and under `/static`."""

    @app.get("/api/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(DOCS)

    app.router.routes.append(Route("/api/{rest:path}", Nothing(tuple(app.routes)), include_in_schema=False))
    app.mount("/static", Revalidated(directory=web), name="static")
    app.mount("/", Revalidated(directory=web, html=True), name="page")
