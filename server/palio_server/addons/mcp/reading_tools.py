"""Tools for reading: games and their rules, who is here, leaderboards, matches. All of it from the server's own API."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from palio_rules.contract import topics
from palio_rules.contract.messages import Result
from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.registry import game as rules_of
from palio_rules.registry import games as installed_games
from palio_server.addons.mcp.tools import Answer, Arguments, Caller, Toolbox, ToolFailed
from palio_server.live import MatchSnapshot

toolbox = Toolbox()

LONGEST_S = 60.0  # a long poll; clients give up on a call sooner or later
LOOK_S = 1.0  # how often a match is looked at that another server plays
PLIES = 400  # of a move list that are told at once, the newest

GameName = Annotated[str, Meta(max_length=64, description="as `list_games` names it, such as breakthrough")]
MatchId = Annotated[str, Meta(max_length=64, description="the match's identity")]


class Nothing(Arguments, frozen=True):
    """No arguments."""


class Games(msgspec.Struct, frozen=True):
    """The games that are installed: name, title, kind (race, duel, table), seats, options, a line of rules."""

    games: list[dict[str, Any]]


@toolbox.add(Nothing, Games, "List games", reads=True)
async def list_games(caller: Caller, _arguments: Nothing) -> Answer:
    """List the games that can be played on this server, with their seats, options and rules in one line.

    Read `game_rules` before you play one.
    """
    games = await caller.api.get("games")
    lines = [
        f"{game['name']}: {game['title']} ({game['kind']}, {len(game['seats'])} seats). {game['line']}"
        for game in games
    ]
    return Answer(Games(games), "\n".join(lines))


class RulesOf(Arguments, frozen=True, kw_only=True):
    game: GameName


class Rules(msgspec.Struct, frozen=True):
    """The rules in Markdown, the options with defaults and bounds, and the first position as a text board."""

    game: str
    title: str
    rules: str
    board: str
    seats: list[str]
    options: list[dict[str, Any]]


@toolbox.add(RulesOf, Rules, "Rules of a game", reads=True)
async def game_rules(caller: Caller, arguments: RulesOf) -> Answer:
    """Read the rules of a game: how it is played and won, how moves are written, which options it has."""
    found = await rules_text(caller, arguments.game)
    return Answer(found, f"# {found.title}\n\n{found.rules}\n\nThe first position:\n\n{found.board}")


async def rules_text(caller: Caller, game: str) -> Rules:
    """The rules of `game`. Raises Refusal, naming the nearest known one."""
    rules = await caller.api.get("games", game, "rules")
    item = next(each for each in await caller.api.get("games") if each["name"] == game)
    parts = [f"## {each['title']}\n\n{each['text']}" if each["title"] else each["text"] for each in rules["sections"]]
    return Rules(game, rules["title"], "\n\n".join(parts), rules["text"], item["seats"], item["options"])


class ListBots(Arguments, frozen=True, kw_only=True):
    game: GameName | None = None


class Bots(msgspec.Struct, frozen=True):
    """`connected`: who is here, with slots and how many are taken. `house`: bots that the server starts for you."""

    connected: list[dict[str, Any]]
    house: list[dict[str, Any]]


@toolbox.add(ListBots, Bots, "List opponents", reads=True)
async def list_bots(caller: Caller, arguments: ListBots) -> Answer:
    """List the bots that are connected now, and the bots of the house that the server starts for whoever wants to play.

    Either can be named in `play_against` of `join`.
    """
    connected = await caller.api.get("bots", game=arguments.game)
    house = (await caller.api.get("play"))["house"]
    house = [bot for bot in house if arguments.game is None or arguments.game in bot["games"]]
    lines = [
        f"{bot['name']}: connected, {bot['slots'] - bot['playing']} of {bot['slots']} slots free" for bot in connected
    ]
    lines += [f"{bot['name']}: of the house, level {bot['level']} of 5, {bot['title']}" for bot in house]
    return Answer(Bots(connected, house), "\n".join(lines) or "Nobody is here, and there are no bots of the house.")


class LeaderboardOf(Arguments, frozen=True, kw_only=True):
    game: GameName
    limit: Annotated[int, Meta(ge=1, le=500)] = 50


class Board(msgspec.Struct, frozen=True):
    """The leaderboard, the best first. Ratings are Elo, `error` is half of the 95 % interval."""

    game: str
    leaders: list[dict[str, Any]]
    count: int


@toolbox.add(LeaderboardOf, Board, "Leaderboard", reads=True)
async def leaderboard(caller: Caller, arguments: LeaderboardOf) -> Answer:
    """Read the leaderboard of a game: rank (0: none yet), rating, error, games and results of each bot."""
    found = await caller.api.get("leaderboard", arguments.game)
    leaders = found["leaders"]
    lines = [
        f"{each['rank'] or '-'}. {each['bot']} {each['rating']:.0f} ± {each['error']:.0f}, {each['games']} games, "
        f"+{each['wins']} ={each['draws']} -{each['losses']}"
        for each in leaders[: arguments.limit]
    ]
    text = "\n".join(lines) or f"No rated match of {arguments.game} has been played yet."
    return Answer(Board(arguments.game, leaders[: arguments.limit], len(leaders)), text)


class ListMatches(Arguments, frozen=True, kw_only=True):
    status: Literal["live", "scheduled", "running", "finished", "aborted"] | None = None
    game: GameName | None = None
    bot: Annotated[str, Meta(max_length=64, description="only matches in which this bot takes part")] | None = None
    limit: Annotated[int, Meta(ge=1, le=200)] = 20


class Matches(msgspec.Struct, frozen=True):
    """Matches, the newest first."""

    matches: list[dict[str, Any]]


@toolbox.add(ListMatches, Matches, "List matches", reads=True)
async def list_matches(caller: Caller, arguments: ListMatches) -> Answer:
    """List matches, the newest first. `status`: live for those in progress, finished, scheduled, aborted."""
    status = "running" if arguments.status == "live" else arguments.status
    found = await caller.api.get(
        "matches", status=status, game=arguments.game, bot=arguments.bot, limit=arguments.limit
    )
    kept = ("id", "game", "status", "bots", "event", "rated", "scores", "termination", "reason", "detail",
            "plies", "finished_at")  # fmt: skip
    matches = [{name: each[name] for name in kept} for each in found]
    lines = [
        f"{each['id']}: {each['game']}, {' vs '.join(each['bots'])}, {each['status']}"
        + (
            f", {':'.join(f'{score:g}' for score in each['scores'])} ({each['detail'] or each['reason']})"
            if each["scores"]
            else ""
        )
        for each in matches
    ]
    return Answer(Matches(matches), "\n".join(lines) or "There is no such match.")


class Watch(Arguments, frozen=True, kw_only=True):
    match: MatchId
    since_ply: Annotated[int, Meta(ge=0, description="wait for a later ply than this one, or the end")] | None = None
    timeout_s: Annotated[float, Meta(ge=0, le=LONGEST_S, description="how long to wait at most")] = 25.0


class Watched(msgspec.Struct, frozen=True, kw_only=True):
    """A match as viewers see it. `moves` are the newest plies, in notation; `result` is null while it goes on."""

    match: str
    status: str
    game: str
    seats: list[str]
    ply: int
    to_move: int | None
    board: str
    moves: list[str]
    clocks_ms: list[int | None]
    result: Result | None = None


@toolbox.add(Watch, Watched, "Watch a match", reads=True)
async def watch_match(caller: Caller, arguments: Watch) -> Answer:
    """Look at a match: the board, the moves, the clocks, the result. It need not be yours.

    With `since_ply` the call waits until more has been played than that, or it is over; so call it again and again
    with the `ply` that you have seen.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + arguments.timeout_s
    found = await _look(caller, arguments.match)
    if (ply := arguments.since_ply) is not None:
        while found.ply <= ply and found.status == "running" and (left := end - loop.time()) > 0:
            if caller.parts.lobby.stopping is not None:
                break
            if caller.parts.feed.find(arguments.match) is None:
                await asyncio.sleep(min(left, LOOK_S))
            else:
                await _later(caller, arguments.match, ply, left)
            found = await _look(caller, arguments.match)
    return Answer(found, _watched_words(found))


async def _look(caller: Caller, match: str) -> Watched:
    """The match as it is now. Raises Refusal or ToolFailed."""
    live = caller.parts.feed.find(match)
    if live is not None:
        snapshot = live.snapshot()
        return _seen(snapshot, "running" if snapshot.summary.result is None else "finished")
    row = await caller.api.get("matches", match)
    if row["status"] == "scheduled":
        raise ToolFailed(f"match {match} has not begun; it waits for {', '.join(row['bots'])}")
    replay = await caller.api.get("matches", match, "replay")
    last = {"lines": replay["lines"], "refusals": [], "seq": 0, "summary": replay["summary"], "type": "match"}
    return _seen(msgspec.convert(last, MatchSnapshot), row["status"])


async def _later(caller: Caller, match: str, ply: int, seconds: float) -> None:
    """Return when more than `ply` plies have been played, the match is over, the time is up, or the server stops."""
    happened = asyncio.Event()
    bus, feed = caller.parts.bus, caller.parts.feed
    heard = [topics.match_event(match), topics.STOPPING]
    subscriptions = [bus.subscribe(topic, lambda *_: happened.set()) for topic in heard]
    try:
        async with asyncio.timeout(seconds):
            while caller.parts.lobby.stopping is None:
                live = feed.find(match)
                if live is None or live.ply > ply or live.result is not None:
                    return
                happened.clear()
                await happened.wait()
    except TimeoutError:
        return
    finally:
        for subscription in subscriptions:
            subscription.close()


def _seen(snapshot: MatchSnapshot, status: str) -> Watched:
    summary, view = snapshot.summary, snapshot.summary.view
    return Watched(
        match=summary.match,
        status=status,
        game=summary.game,
        seats=[f"{seat.name}: {seat.bot}" for seat in summary.seats],
        ply=view.ply,
        to_move=view.to_move,
        board=view.text,
        moves=[line.move for line in snapshot.lines[-PLIES:]],
        clocks_ms=view.clocks_ms,
        result=summary.result,
    )


def _watched_words(found: Watched) -> str:
    lines = [f"Match {found.match}: {found.game}, {', '.join(found.seats)}; {found.ply} plies.", found.board]
    if found.moves:
        lines.append(f"Moves: {' '.join(found.moves)}")
    if found.result is not None:
        scores = ", ".join(f"{score:g}" for score in found.result.scores)
        detail = f" {found.result.rule_detail}." if found.result.rule_detail else ""
        lines.append(f"Over: {found.result.reason} ({found.result.termination}); scores by seat {scores}.{detail}")
    elif found.to_move is not None:
        lines.append(f"To move: {found.seats[found.to_move] if found.to_move < len(found.seats) else found.to_move}")
    return "\n".join(lines)


# What models and their clients read besides tools: instructions, resources by address, the prompt.

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
    """Return the text of the prompt. Raises BadOption."""
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
