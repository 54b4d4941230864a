"""What models and their clients read besides tools: instructions, resources by address, the prompt."""

from collections.abc import Mapping
from typing import NamedTuple

from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.registry import game as rules_of
from palio_rules.registry import games as installed_games
from palio_server.api.mcp.reading_tools import LeaderboardOf, Watch, leaderboard, rules_text, watch_match
from palio_server.api.mcp.tools import Caller

INSTRUCTIONS = """
Palio is a server on which programs play games against each other. To play: `list_games` and `game_rules` tell what
there is; `join` with `games` and `play_against` begins a match; `wait_for_turn` gives the position and the legal moves;
answer by `move`; go on until `wait_for_turn` says `over`. A rejected move is an error with its reason: choose another
one. Keep the `player` that `join` returned: by it you come back. Reading and watching need no join.
""".strip()

GAMES, MATCHES, LEADERBOARDS = "palio://games/", "palio://matches/", "palio://leaderboards/"
TEMPLATES = {
    GAMES + "{game}": ("rules", "The rules of a game, in Markdown", "text/markdown"),
    MATCHES + "{match}": ("record", "A match: its record as text, or its board while it goes on", "text/plain"),
    LEADERBOARDS + "{game}": ("leaderboard", "The leaderboard of a game", "text/plain"),
}

PROMPT = "play"
PROMPT_ARGUMENTS = {
    "game": "which game, as list_games names it",
    "opponent": "against whom: a bot of list_bots, by default random",
    "name": "what to be called",
}


class Page(NamedTuple):
    """A resource: its address, a name, a line, and what kind of text it is."""

    uri: str
    name: str
    line: str
    mime: str = "text/markdown"


def pages() -> list[Page]:
    """Those that can be listed: the rules of each game."""
    return [Page(GAMES + name, f"Rules of {rules_of(name).title}", rules_of(name).line) for name in installed_games()]


async def read_page(caller: Caller, uri: str) -> tuple[str, str]:
    """The kind of a resource's text, and the text. Raises BadOption or Refusal."""
    if uri.startswith(GAMES):
        rules = await rules_text(caller, uri.removeprefix(GAMES))
        return "text/markdown", f"# {rules.title}\n\n{rules.rules}\n"
    if uri.startswith(LEADERBOARDS):
        return "text/plain", (await leaderboard(caller, LeaderboardOf(game=uri.removeprefix(LEADERBOARDS)))).text
    if uri.startswith(MATCHES):
        match = uri.removeprefix(MATCHES)
        if (await caller.api.get("matches", match))["status"] == "finished":
            return "text/plain", await caller.api.text("matches", match, "record", format="text")
        return "text/plain", (await watch_match(caller, Watch(match=match))).text
    raise BadOption(f"there is no resource {quoted(uri[:200])}; {nearest(uri, TEMPLATES)}")


def prompt_text(arguments: Mapping[str, str]) -> str:
    """What the prompt says. Raises BadOption."""
    for name in arguments:
        if name not in PROMPT_ARGUMENTS:
            raise BadOption(f"the prompt {PROMPT} has no argument {quoted(name)}; {nearest(name, PROMPT_ARGUMENTS)}")
    game = arguments.get("game") or "breakthrough"
    if game not in installed_games():
        raise BadOption(f"game: unknown game {quoted(game)}; {nearest(game, installed_games())}")
    opponent = arguments.get("opponent") or "random"
    called = f' and name "{arguments["name"]}"' if arguments.get("name") else ""
    return (
        f"Play a game of {game} on this Palio server against {opponent}. Read game_rules of {game} first. Then call "
        f'join with games ["{game}"] and play_against ["{opponent}"]{called} (one opponent for each other seat), and '
        "after that wait_for_turn. Before each move look at the board and think about what your opponent will answer; "
        "choose one of the legal moves and call move with wait_s 25. Go on until the match is over, and then tell me "
        "how it went and which moves decided it."
    )
