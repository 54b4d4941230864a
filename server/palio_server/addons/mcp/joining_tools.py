"""Tools for joining and leaving: as a bot that offers itself, or at a table against opponents of its choice."""

from contextlib import suppress
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from palio_rules.contract.names import LONGEST_NAME, USE, is_name, no_name
from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.registry import games as installed_games
from palio_server.addons.mcp.handle import LONGEST, Handle
from palio_server.addons.mcp.players import Kept
from palio_server.addons.mcp.reading_tools import GameName
from palio_server.addons.mcp.tools import Answer, Arguments, Caller, OwnApi, Refusal, Toolbox
from palio_server.api.games import known_game
from palio_server.api.guard import origin_of
from palio_server.api.identity import permitted
from palio_server.lobby.access import PLAY

toolbox = Toolbox()

PlayerHandle = Annotated[
    str,
    Meta(max_length=LONGEST, description="what `join` returned as `player`; only needed where a client has no session"),
]
FRIEND = "friend"


class Join(Arguments, frozen=True, kw_only=True):
    """`name` is free on an open server; with a token it is the token's. Without `play_against` you are a bot."""

    name: Annotated[str, Meta(max_length=LONGEST_NAME, description="what you want to be called")] | None = None
    games: Annotated[
        list[GameName], Meta(max_length=64, description="what you play; with play_against exactly one game")
    ] = []  # noqa: RUF012  # msgspec copies it
    play_against: Annotated[
        list[Annotated[str, Meta(max_length=64)]],
        Meta(max_length=63, description='opponents from `list_bots`, or "friend": somebody who comes by a link'),
    ] = []  # noqa: RUF012  # as above
    seat: Annotated[int, Meta(ge=0, le=15, description="index of your seat; by lot without it")] | None = None
    options: Annotated[dict[str, Any], Meta(description="settings of the game, as game_rules lists them")] = {}  # noqa: RUF012  # as above
    tc: (
        Annotated[str, Meta(max_length=40, description="base+increment in seconds, 600+30; no clock without it")] | None
    ) = None
    st: Annotated[float, Meta(gt=0, le=86400, description="seconds a move")] | None = None
    rated: Annotated[bool, Meta(description="the result counts; needs a token bound to your name")] = False
    slots: Annotated[int, Meta(ge=1, le=8, description="matches at once; 1 with play_against")] = 1
    player: Annotated[PlayerHandle, Meta(description="come back as this player, from an earlier join")] | None = None


class Joined(msgspec.Struct, frozen=True, kw_only=True):
    """You are in. Keep `player`: by it you come back after a lost session. `invites` are links for friends."""

    player: str
    name: str
    games: list[str]
    table: str | None = None
    invites: list[str] = []
    note: str = ""


@toolbox.add(Join, Joined, "Join, to play")
async def join(caller: Caller, arguments: Join) -> Answer:
    """Come to play. With `play_against` a table is opened and the match begins as soon as the opponents are there.

    For example {"games": ["breakthrough"], "play_against": ["random"]}; there is no clock unless you give `tc` or `st`.
    A game with three seats wants two opponents. Without `play_against` you are in the lobby as a bot of that `name`,
    and get the matches that the ladder, a tournament or `start_match` give you, with their clocks. After that call
    `wait_for_turn`.
    """
    if caller.token is not None:
        await permitted(caller.request, caller.parts.access, PLAY)
    if arguments.player is not None:
        return await _come_back(caller, arguments.player)
    former = caller.players.of_owner(caller.owner)
    if former is not None and former.here and former.player.going_on:
        raise BadOption(f"you play as {former.player.name} already; finish or resign that match, or call leave")
    for game in arguments.games:
        known_game(game)
    kept, joined = await (_at_table if arguments.play_against else _as_bot)(caller, arguments)
    if former is not None:
        caller.players.leave(former)
    notice = await caller.players.enter(kept, caller.token)
    return _said(msgspec.structs.replace(joined, note=" ".join(part for part in (joined.note, notice) if part)))


async def _come_back(caller: Caller, handle: str) -> Answer:
    kept = await caller.players.find(caller.owner, handle, caller.token, caller.address, coming=True)
    caller.players.own(kept, caller.owner)
    going = ", ".join(seat.match for seat in kept.player.going_on)
    note = f"You play {going}." if going else "You are back; what you play will be given to you."
    return _said(Joined(player=handle, name=kept.handle.name, games=list(kept.handle.games), note=note))


async def _as_bot(caller: Caller, arguments: Join) -> tuple[Kept, Joined]:
    if arguments.seat is not None or arguments.options or arguments.tc or arguments.st or arguments.rated:
        raise BadOption(
            "seat, options, tc, st and rated belong to play_against; name your opponents, or leave them out"
        )
    grant = None if caller.token is None else await permitted(caller.request, caller.parts.access, PLAY)
    name = arguments.name or (None if grant is None else grant.bot)
    if name is None:
        raise BadOption(f"name is missing: say what you want to be called; {USE}")
    if not is_name(name):
        raise BadOption(no_name(name))
    games = arguments.games or list(installed_games())
    handle = Handle.of(name, games, arguments.slots)
    note = "Call wait_for_turn; your matches are given by the ladder, a tournament, or start_match."
    joined = Joined(player=str(handle), name=name, games=games, note=note)
    return caller.players.new(handle, caller.owner, caller.address), joined


async def _at_table(caller: Caller, arguments: Join) -> tuple[Kept, Joined]:
    if len(arguments.games) != 1:
        raise BadOption(f"play_against wants exactly one game in `games`, got {len(arguments.games)}")
    if arguments.slots != 1:
        raise BadOption("slots: at a table you play one match at a time; leave it out")
    game = arguments.games[0]
    body = {
        "game": game,
        "opponents": await _opponents(caller, game, arguments.play_against),
        "seat": arguments.seat,
        "options": arguments.options,
        "tc": arguments.tc,
        "st": arguments.st,
        "rated": arguments.rated,
        "name": arguments.name,
    }
    table = await caller.api.post("play", body={key: value for key, value in body.items() if value is not None})
    handle = Handle.of(table["name"], [game], 1, "" if arguments.rated else table["token"], table["table"])
    origin = origin_of(caller.request.scope, caller.request.app.state.sites)
    links = [f"{origin}/play/join/{invite['code']}" for invite in table["invites"]]
    note = "Call wait_for_turn: the match begins when your opponents are there."
    if links:
        note = f"Give these links to your friends: {' '.join(links)}. {note}"
    joined = Joined(
        player=str(handle), name=table["name"], games=[game], table=table["table"], invites=links, note=note
    )
    return caller.players.new(handle, caller.owner, caller.address), joined


async def _opponents(caller: Caller, game: str, names: list[str]) -> list[dict[str, Any]]:
    """Return each opponent as `/api/play` wants it: connected, or of the house. Raises BadOption, Refusal."""
    rules = known_game(game)
    connected = {bot["name"] for bot in await caller.api.get("bots", game=game)}
    house = [bot["name"] for bot in (await caller.api.get("play"))["house"] if game in bot["games"]]
    found: list[dict[str, Any]] = []
    for name in names:
        bare = name.removeprefix("house-")
        if name in connected:
            found.append({"bot": name})
        elif bare in house:
            found.append({"house": bare})
        elif name == FRIEND:
            found.append({"friend": True})
        else:
            remedy = nearest(name, [*connected, *house, FRIEND])
            raise BadOption(f"play_against: nobody called {quoted(name)} plays {game} here; {remedy}")
    if rules.kind != "race" and len(found) != len(rules.seats) - 1:
        raise BadOption(
            f"play_against: {game} has {len(rules.seats)} seats: name {len(rules.seats) - 1}, got {len(found)}"
        )
    return found


def _said(joined: Joined) -> Answer:
    text = f"You are {joined.name}. {joined.note}\nplayer: {joined.player}"
    return Answer(joined, text)


class Leave(Arguments, frozen=True, kw_only=True):
    player: PlayerHandle | None = None


class Left(msgspec.Struct, frozen=True):
    """You are in the lobby no more. `going_on`: matches that you have left behind, absent."""

    name: str
    going_on: list[str]


@toolbox.add(Leave, Left, "Leave", destroys=True, repeats=True)
async def leave(caller: Caller, arguments: Leave) -> Answer:
    """Leave. An unrated match against bots of the house is called off; in any other one you are absent, and lose it
    when your grace is over: resign first if you do not want to play on.
    """
    kept = await caller.players.find(caller.owner, arguments.player, caller.token, caller.address)
    if kept.handle.table:
        api = OwnApi(caller.request, token=kept.handle.guest_token or None)
        with suppress(Refusal):  # the table is closed already
            await api.post("play", kept.handle.table, "leave", body={})
    going = [seat.match for seat in kept.player.going_on]
    caller.players.leave(kept)
    behind = f" You are absent in {', '.join(going)}." if going else ""
    return Answer(Left(kept.handle.name, going), f"{kept.handle.name} has left.{behind}")
