"""The documentation as a site at `/guide/`, where it has been built (`make docs`), or a link to it elsewhere."""

from html import escape
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from palio_server.api.identity import root_of
from palio_server.network.handshake import policy
from palio_server.settings import is_address

PATH = "guide"
BUILT = Path(__file__).parents[3] / "site"  # where `make docs` puts it in a checkout; a wheel has none
STYLED = policy({"style-src": "'self' 'unsafe-inline'"})  # the site's generator styles elements


class GuideFiles(StaticFiles):
    """The files of a built site; a folder is its index.html."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Content-Security-Policy"] = STYLED
        response.headers["Cache-Control"] = "no-cache"
        return response


def built() -> str | None:
    """Return the folder of the site that was built in this checkout."""
    return str(BUILT) if (BUILT / "index.html").is_file() and (BUILT.parent / "docs").is_dir() else None


def routes(docs: str | None) -> list[BaseRoute]:
    """Return the site's routes; none without one in a folder."""
    if docs is None or is_address(docs):
        return []
    return [Route(f"/{PATH}", front), Mount(f"/{PATH}", GuideFiles(directory=docs, html=True))]


async def front(request: Request) -> RedirectResponse:
    """Lead to the address from which the site's relative links are right."""
    return RedirectResponse(f"{root_of(request)}/{PATH}/")


def link(docs: str | None, root: str) -> str:
    """Return the line of a page's head from which the footer takes its link; empty without a site."""
    if docs is None:
        return ""
    address = docs if is_address(docs) else f"{root}/{PATH}/"
    return f'    <link rel="help" href="{escape(address)}">\n'
