"""The page at `/` and its views' addresses, the API's documentation at `/api/docs`: nothing from a CDN."""

from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from palio_db.errors import StoreError
from palio_db.values import MatchRow
from palio_rules.registry import game, games, title_of
from palio_server.api import guide
from palio_server.api.answers import ApiError
from palio_server.api.guard import origin_of
from palio_server.api.identity import admit_reader, root_of
from palio_server.api.operations import Resource
from palio_server.api.page_files import PageFiles, answer, pack, page_of
from palio_server.app_state import ServerParts
from palio_server.edge.budgets import TooMuch
from palio_server.edge.sites import Sites
from palio_server.lobby.access import AccessDenied
from palio_server.network.handshake import FRAMED, policy

# The preview of a link to the page on other sites: title, description and a picture of the board.

ABOUT = "Programs play games against each other, and against you. Watch them live."
TITLES = {
    "play": ("Play", "Play against the bots that are here, without an account."),
    "tournaments": ("Tournaments", "Events between bots: standings, rounds and cross-tables, live."),
    "games": ("Games", "What is played here: the rules of each game, and who is best at it."),
    "bots": ("Bots", "The programs that play here, with their ratings and their matches."),
    "results": ("Results", "How matches ended: all of them, by game, bot and event."),
    "leaderboards": ("Leaderboards", "Who is best at each game, and how sure that is."),
    "try": ("Try moves", "Try moves from a position: what is best there, and how it stands."),
    "tv": ("Hall screen", "The most interesting matches of this moment, large enough for a hall."),
    "course": ("Course", "A course's assignments, for its students and its staff."),
    "admin": ("Operating", "The servers and their work, for those who operate them."),
    "write": ("Write a bot", "A bot is ten lines of Python: how to write, check and bring one."),
}
MOST_BOTS = 4  # bots that are named


@dataclass(frozen=True, slots=True)
class Head:
    """The title is without the site's name; `picture` is a path below the page's base."""

    title: str = ""
    description: str = ABOUT
    picture: str | None = None
    found: bool = True


LOST = Head("Not here", found=False)


async def head_of(parts: ServerParts, path: str, ply: str | None) -> Head:
    """Return the head of the view at `path` (below the page's base). An unknown address has the status 404."""
    match [word for word in path.split("/") if word]:
        case []:
            return Head()
        case ["match", name] | ["embed", "match", name]:
            return await _match(parts, name, ply)
        case ["tournaments", number, *_] if number != "new":
            return await _event(parts, number)
        case ["games", name, *_]:
            return _game(name)
        case ["bots", name, *_]:
            return await _bot(parts, name)
        case ["play", name, *_] if name in games():
            return Head(f"Play {title_of(name)}", f"Play {title_of(name)} against a bot, without an account.")
        case [first, *_] if first in TITLES:
            return Head(*TITLES[first])
    return LOST


def tags(head: Head, request: Request, root: str) -> str:
    """Return the head as HTML; addresses are absolute, because other sites read them."""
    title = f"{head.title} · Palio" if head.title else "Palio"
    ours = origin_of(request.scope, getattr(request.app.state, "sites", Sites()))
    origin = f"{ours}{root}"
    properties = {
        "og:site_name": "Palio",
        "og:type": "website",
        "og:title": head.title or "Palio",
        "og:description": head.description,
        "og:url": f"{ours}{request.url.path}",
    }
    if head.picture is not None:
        properties |= {"og:image": f"{origin}/{head.picture}", "og:image:alt": head.title}
    card = "summary_large_image" if head.picture is not None else "summary"
    lines = [
        f'<meta name="description" content="{escape(head.description)}">',
        f"<title>{escape(title)}</title>",
        *(f'<meta property="{name}" content="{escape(value)}">' for name, value in properties.items()),
        f'<meta name="twitter:card" content="{card}">',
    ]
    return "".join(f"    {line}\n" for line in lines)


async def _match(parts: ServerParts, name: str, ply: str | None) -> Head:
    row = await parts.store.match(name)
    if row is None:
        return LOST
    bots = " against ".join(row.bots[:MOST_BOTS]) + (
        f" and {len(row.bots) - MOST_BOTS} more" if row.bots[MOST_BOTS:] else ""
    )
    at = f"?ply={ply}" if ply is not None and ply.isascii() and ply.isdigit() and len(ply) < 6 else ""
    event = f", {row.event}" if row.event else ""
    return Head(f"{bots}, {title_of(row.game)}", f"{_said(row)}{event}.", f"match/{quote(row.id)}/preview.png{at}")


def _said(row: MatchRow) -> str:
    """Return the state of a match, in a few words."""
    if row.scores is None:
        return {"scheduled": "Not begun yet", "running": "Being played now"}.get(row.status, "Broken off")
    best = max(row.scores)
    winners = [bot for bot, score in zip(row.bots, row.scores, strict=True) if score == best]
    how = (row.reason or "").replace("-", " ").replace("_", " ")
    after = f" after {row.plies} plies" if row.plies else ""
    if len(row.bots) == 1:
        return f"{row.bots[0]}: {how}{after}"
    if row.detail:
        return f"{winners[0]} wins: {row.detail}{after}" if len(winners) == 1 else f"Draw: {row.detail}{after}"
    if len(winners) == len(row.bots):
        return f"Draw by {row.termination}: {how}{after}"
    by = "by rule" if row.termination == "rule" else f"({row.termination})"
    return f"{' and '.join(winners[:MOST_BOTS])} {'wins' if len(winners) == 1 else 'share the win'} {by}: {how}{after}"


async def _event(parts: ServerParts, number: str) -> Head:
    whole = number.isascii() and number.isdigit() and len(number) < 10  # within the range of every database
    row = await parts.store.tournament(int(number)) if whole else None
    if row is None:
        return LOST
    return Head(row.name, f"{title_of(row.game)}: standings, rounds and matches of {row.name}.")


def _game(name: str) -> Head:
    if name not in games():
        return LOST
    rules = game(name)
    return Head(rules.title, f"{getattr(rules, 'line', '') or rules.title} The rules, and who is best at it.".strip())


async def _bot(parts: ServerParts, name: str) -> Head:
    here = any(bot.name == name for bot in parts.lobby.connected())
    known = here or any(bot.name == name for bot in await parts.store.bots())
    if not known and not await parts.store.matches(None, name, None, None, 1, None):
        return LOST
    return Head(name, f"{name}, a bot on Palio: its rating, results, opponents and matches.")


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
    "try",
    "results",
    "leaderboards",
    "tv",
    "admin",
    "embed",
    "write",
    "course",
)  # first words of views' addresses

# API answers that views need for their first board. Their pages name them, so that a browser requests them while it
# loads the scripts. `fetch` in `lib/api.js` takes such an answer over if it asks for the same address.

NEEDED_BY_ALL = ("games",)
NEEDED_FIRST = {"tv": ("tournaments",)}  # by the name of a view

ROBOTS = "User-agent: *\nDisallow: /api/\nDisallow: /ws/\nDisallow: /course/\n"


class Page:
    """The page: one file for all views, with the head of the requested one."""

    def __init__(self, web: Path = WEB) -> None:
        self._web = web
        self.files = PageFiles(web)

    async def view(self, request: Request) -> Response:
        """Return the page, which shows the view of its address; with the status 404 for an unknown one."""
        parts: ServerParts | None = getattr(request.app.state, "parts", None)
        root = root_of(request)
        path = request.url.path.removeprefix(root)
        tree = await self.files.newest()
        view = tree.view(path)
        head = LOST if view is None or "\0" in path else Head() if parts is None else await _head(parts, path, request)
        docs = None if parts is None else parts.settings.docs
        lines = tags(head, request, root) + guide.link(docs, root)
        open_to_all = parts is not None and not parts.access.private
        answers = answers_of(view.name, root) if view is not None and open_to_all else ""
        content = page_of(tree, view, root, lines, answers)
        packed = pack(content, "text/html")
        response = answer(request, content, packed.packed, packed.kind, "no-cache", 200 if head.found else 404)
        if path.startswith("/embed/"):
            response.headers.update(FRAMED)
        return response

    async def elsewhere(self, request: Request) -> Response:
        """Answer any other address: a browser gets the page, a program the error as JSON."""
        if "text/html" not in request.headers.get("Accept", ""):
            raise HTTPException(404)
        return await self.view(request)

    async def icon(self, _request: Request) -> Response:
        """Return the icon at its traditional address."""
        return FileResponse(self._web / "icon.svg", headers={"Cache-Control": "public, max-age=86400"})

    def routes(self) -> list[BaseRoute]:
        """Return the addresses of views, and of the files that they need."""
        words = [f"/{word}{rest}" for word in VIEWS for rest in ("", "/{rest:path}")]
        shown = Resource({"GET": self.view, "HEAD": self.view})
        files = Resource({"GET": self.files.answer, "HEAD": self.files.answer})
        return [
            Route("/", shown),
            *(Route(path, shown) for path in words),
            Route("/static/{digest:str}/{path:path}", files),
            Route("/icon.svg", Resource({"GET": self.icon, "HEAD": self.icon})),
            Route("/favicon.ico", Resource({"GET": self.icon, "HEAD": self.icon})),
            Route("/matches/{match:str}", Resource({"GET": to_match, "HEAD": to_match})),
            Route("/robots.txt", Resource({"GET": robots, "HEAD": robots})),
        ]


def answers_of(view: str, root: str) -> str:
    """Return the links by which a browser requests the API answers that a view needs first.

    A private server's pages have none: a tab keeps its token where only scripts can read it.
    """
    paths = (*NEEDED_BY_ALL, *NEEDED_FIRST.get(view, ()))
    return "".join(f'    <link rel="preload" as="fetch" crossorigin href="{root}/api/{path}">\n' for path in paths)


async def to_match(request: Request) -> Response:
    """Lead from `/matches/ID`, which is how the API and other sites write it, to the match's own address."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{root_of(request)}/match/{quote(request.path_params['match'], safe='')}{query}", 308)


async def robots(_request: Request) -> Response:
    """Return the rules for crawlers: read the page, not the API."""
    return PlainTextResponse(ROBOTS)


async def docs(_request: Request) -> HTMLResponse:
    """Return the API's documentation, for people."""
    return HTMLResponse(DOCS, headers=STYLED)


def page(web: Path = WEB) -> list[BaseRoute]:
    """Return the page's routes, to come last."""
    shown = Page(web)
    return [
        Route("/api/docs", Resource({"GET": docs})),
        Mount("/api/docs/files", StaticFiles(directory=web / "vendor" / "swagger-ui")),
        Mount("/api", routes=[]),  # unknown addresses below it do not get the page
        *shown.routes(),
        Route("/{rest:path}", Resource({"GET": shown.elsewhere, "HEAD": shown.elsewhere})),
    ]


async def _head(parts: ServerParts, path: str, request: Request) -> Head:
    try:
        await admit_reader(request, parts.access)
        return await head_of(parts, path, request.query_params.get("ply"))
    except (StoreError, AccessDenied, ApiError, TooMuch):
        return Head()  # the page itself reports that the database does not answer, or that a sign-in is needed
