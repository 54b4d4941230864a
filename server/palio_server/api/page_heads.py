"""What a link to the page says of itself before anybody follows it: title, description and a picture of the board."""

from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from starlette.requests import Request

from palio_db.values import MatchRow
from palio_rules.registry import game, games
from palio_server.api.games import title_of
from palio_server.api.guard import origin_of
from palio_server.edge.sites import Sites
from palio_server.parts import ServerParts

ABOUT = "Programs play games against each other, and against you. Watch them live."
TITLES = {
    "play": ("Play", "Play against the bots that are here, without an account."),
    "tournaments": ("Tournaments", "Events between bots: standings, rounds and cross-tables, live."),
    "games": ("Games", "What is played here: the rules of each game, and who is best at it."),
    "bots": ("Bots", "The programs that play here, with their ratings and their matches."),
    "results": ("Results", "How matches ended: all of them, by game, bot and event."),
    "tv": ("Hall screen", "The most interesting matches of this moment, large enough for a hall."),
    "write": ("Write a bot", "A bot is ten lines of Python: how to write, check and bring one."),
}
MOST_BOTS = 4  # that are named


@dataclass(frozen=True, slots=True)
class Head:
    """The title is without the site's name; `picture` is a path below the page's base."""

    title: str = ""
    description: str = ABOUT
    picture: str | None = None
    found: bool = True


LOST = Head("Not here", found=False)


async def head_of(parts: ServerParts, path: str, ply: str | None) -> Head:
    """The head of the view at `path` (below the page's base). What is not there has the status 404."""
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
    """The head as HTML; addresses are whole ones, because other sites read them."""
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
    """How a match stands, in a few words."""
    if row.scores is None:
        return {"scheduled": "Not begun yet", "running": "Being played now"}.get(row.status, "Broken off")
    best = max(row.scores)
    winners = [bot for bot, score in zip(row.bots, row.scores, strict=True) if score == best]
    how = (row.reason or "").replace("-", " ").replace("_", " ")
    after = f" after {row.plies} plies" if row.plies else ""
    if len(row.bots) == 1:
        return f"{row.bots[0]}: {how}{after}"
    if len(winners) == len(row.bots):
        return f"Draw by {row.termination}: {how}{after}"
    by = "by rule" if row.termination == "rule" else f"({row.termination})"
    return f"{' and '.join(winners[:MOST_BOTS])} {'wins' if len(winners) == 1 else 'share the win'} {by}: {how}{after}"


async def _event(parts: ServerParts, number: str) -> Head:
    whole = number.isascii() and number.isdigit() and len(number) < 10  # what every database can compare with
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
