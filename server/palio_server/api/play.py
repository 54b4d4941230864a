"""`/api/play`: people who play. A person is a bot whose hands are a browser: a guest with a name and a token.

POST /api/play               a table: seats assigned, house bots started, links for friends made
POST /api/play/{code}/join   the friend takes the seat
WebSocket /ws/bot            hello with the guest's name and token; from there on the bot protocol, as for any bot
POST /api/play/{table}/again a rematch, or the same game from an earlier position
"""

import secrets
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta
from starlette.requests import Request

from palio_rules.contract.messages import MAX_ENTRANTS, MAX_INT
from palio_rules.errors import BadOption
from palio_rules.time_control import TimeControl
from palio_server.api.answers import ApiError, Json
from palio_server.api.bodies import Body
from palio_server.api.games import known_game
from palio_server.api.identity import address_of, bearer, permitted
from palio_server.api.matches import while_here
from palio_server.api.operations import Routes
from palio_server.api.positions import read_state, refuse_between_people
from palio_server.app_state import ServerParts
from palio_server.arena import table as seating
from palio_server.arena.house import catalogue, house_name
from palio_server.arena.table import NotFree, NotYours, TableOrder, TablePlace, TableRefused, TooMany
from palio_server.lobby.access import PLAY, AccessDenied, BadName

routes = Routes("play")


class HouseBot(msgspec.Struct, frozen=True):
    """A bot that the server starts for people who want to play against it. `level`: 1 (beginner) to 5."""

    name: str  # its name in a request: "greedy"
    title: str  # for people: "easy: looks one move ahead"
    level: int
    games: list[str]
    ratings: dict[str, float]  # by game, if known


class PlayInfo(msgspec.Struct, frozen=True):
    """The games that can be played here by hand. `tables`: house tables in use, of at most `limit`; 0: no house bots
    here.
    """

    house: list[HouseBot]
    limit: int
    tables: int
    guests: bool  # true: people may play without a token


class Opponent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The opponent in a seat: a connected `bot`, a `house` bot, or a `friend` who comes by a link.
    Exactly one of them.
    """

    bot: str | None = None
    house: str | None = None
    friend: bool = False


class PlayRequest(Body, frozen=True, kw_only=True):
    """A person wants to play. `seat`: an index of the game's seats, null: by lot. `opponents` fill the other seats.

    In a race they are the other entrants, at most so many; none is fine, too. With `rated` and a token of scope `play`
    bound to `name`, the result counts; guests are never rated. `state`: begin from this position (a taken-back move);
    not in a rated match.
    """

    WRITE: ClassVar = {"game": '"game": "breakthrough"', "opponents": '"opponents": [{"house": "greedy"}]'}

    game: str
    opponents: Annotated[list[Opponent], Meta(max_length=MAX_ENTRANTS - 1)] = []  # noqa: RUF012  # msgspec copies it
    seat: int | None = None
    options: dict[str, Any] = {}  # noqa: RUF012  # as above
    tc: str | None = None
    st: str | int | float | None = None  # seconds a move; without tc and st there is no clock
    seed: Annotated[int, Meta(ge=0, le=MAX_INT, description="of the instance")] | None = None
    name: str | None = None
    rated: bool = False
    state: str | None = None


class Invite(msgspec.Struct, frozen=True):
    """A free seat: the first to open `play/join/CODE` on this server takes it."""

    code: str
    seat: int


class Table(msgspec.Struct, frozen=True):
    """A guest's place: `name` and `token` go into the bot protocol's hello. `match` is null until all have come."""

    game: str
    name: str
    token: str
    table: str  # its identity
    match: str | None
    seat: int
    invites: list[Invite]
    rated: bool


class TableState(msgspec.Struct, frozen=True):
    """The state of a table: its match, and who is still expected ("house bot greedy starts", "a friend")."""

    table: str
    game: str
    match: str | None
    waiting: list[str]
    closed: str | None = None  # why the table is closed, as "left"


class JoinRequest(Body, frozen=True):
    """The name that a friend wishes to have."""

    WRITE: ClassVar = {"name": '"name": "ada"'}

    name: str | None = None


class AgainRequest(Body, frozen=True, kw_only=True):
    """Another game at the same table. `state`: from this position on, which takes moves back; `swap` changes seats.

    A race begins at its instance, so that it has no `state`: with `same` it is the instance that was played, and the
    page plays the moves that shall stay.
    """

    WRITE: ClassVar = {"swap": '"swap": true', "same": '"same": true'}

    state: str | None = None
    swap: bool = False
    same: bool = False


NO_NAME = JoinRequest()
AS_BEFORE = AgainRequest()


@routes.get("/play", PlayInfo)
async def get_play(parts: ServerParts) -> Json:
    """Return the opponents available without a bot of one's own."""
    limit = parts.tables.limit
    house = []
    for entry in catalogue() if limit else ():
        leaders = {game: (await parts.leaderboards.leaders(game)).get(house_name(entry)) for game in entry.games}
        ratings = {game: leader.rating for game, leader in leaders.items() if leader is not None}
        house.append(HouseBot(entry.name, entry.title, entry.level, list(entry.games), ratings))
    return Json(PlayInfo(house, limit, parts.tables.house_tables, parts.settings.with_guests))


@routes.operation("POST", "/play", Table, 401, 403, 404, 409, 429, statuses=(201,))
async def open_table(parts: ServerParts, request: Request, body: PlayRequest) -> Json:
    """Take a seat. 429 with a sentence where all house tables are taken; 409 where an opponent is not here."""
    rules = known_game(body.game)
    if body.rated and body.state is not None:
        raise ApiError(422, "bad-value", "a rated match begins at the game's first position; leave `state` out")
    if body.state and rules.kind != "race":
        refuse_between_people(parts, rules.name, read_state(rules, body.state), None)
    order = TableOrder(
        game=rules.name,
        options=body.options,
        time=TimeControl.parse(body.tc, None if body.st is None else str(body.st)),
        seed=secrets.randbelow(2**31) if body.seed is None else body.seed,
        rated=body.rated,
    )
    if body.rated and not rules.is_even(rules.parse_options(body.options)):
        raise ApiError(422, "bad-value", "a match with a handicap is not rated; leave `rated` out, or the handicap")
    person = await _registered(parts, request, body) if body.rated else await _guest(parts, body.name)
    opponents = [_place(opponent) for opponent in body.opponents]
    try:
        address = address_of(request)
        opening = parts.tables.open(order, person, opponents, body.seat, body.state or "", address=address)
        table = await while_here(request, opening)  # drawing a puzzle may take seconds
    except TableRefused as error:
        raise _refused(error) from None
    except BadOption:
        raise
    except ValueError as error:
        raise ApiError(422, "bad-setup", str(error)) from None
    return _answer(table, next(seat for seat, place in enumerate(table.places) if place is person), 201)


@routes.get("/play/{table}", TableState, 404)
async def get_table(parts: ServerParts, table: str) -> Json:
    """Return the state of the table."""
    try:
        return Json(_state(parts, parts.tables.table(table)))
    except TableRefused as error:
        raise _refused(error) from None


@routes.operation("POST", "/play/{table}/join", Table, 403, 404, 409, statuses=(201,))
async def join_table(parts: ServerParts, table: str, body: JoinRequest = NO_NAME) -> Json:
    """Take the free seat behind a link's code (`table` is the code here)."""
    friend = await _guest(parts, body.name)
    try:
        found, seat = await parts.tables.join(table, friend.name, friend.token)
    except TableRefused as error:
        raise _refused(error) from None
    return _answer(found, seat, 201)


@routes.operation("POST", "/play/{table}/again", Table, 401, 404, 409)
async def play_again(parts: ServerParts, request: Request, table: str, body: AgainRequest = AS_BEFORE) -> Json:
    """Start another game at this table, or the same one from an earlier position; one in progress is called off.

    The token of a person at the table must be given as `Authorization: Bearer TOKEN`. Opponents stay the same.
    """
    try:
        found = parts.tables.table(table)
        person = found.places[parts.tables.person_at(found, bearer(request))]
        again = parts.tables.again(found, state=body.state or "", swap=body.swap, same=body.same)
        await while_here(request, again)
    except TableRefused as error:
        raise _refused(error) from None
    except BadOption:
        raise
    except ValueError as error:
        raise ApiError(422, "bad-setup", str(error)) from None
    return _answer(found, found.places.index(person))


@routes.operation("POST", "/play/{table}/leave", TableState, 401, 404)
async def leave_table(parts: ServerParts, request: Request, table: str) -> Json:
    """Leave the table; its token must be given as `Authorization: Bearer TOKEN`.

    An unrated match against bots is called off; any other goes on without its table.
    """
    try:
        found = parts.tables.table(table)
        parts.tables.person_at(found, bearer(request))
    except TableRefused as error:
        raise _refused(error) from None
    await parts.tables.leave(found)
    return Json(_state(parts, found))


async def _guest(parts: ServerParts, wish: str | None) -> TablePlace:
    """Return a name and a token for a person without an account. Raises ApiError."""
    if not parts.settings.with_guests:
        raise ApiError(403, "no-guests", 'this server has no guests; send your token and `"rated": true`')
    guests = parts.access.guests
    try:
        name = guests.name(wish)
    except BadName as error:
        raise ApiError(422, "bad-name", str(error)) from None
    return TablePlace("person", name, token=await guests.token(name))


async def _registered(parts: ServerParts, request: Request, body: PlayRequest) -> TablePlace:
    """Return a person whose results count, by the token of a bot of that name. Raises ApiError, AccessDenied."""
    token = bearer(request)
    grant = None if token is None else await permitted(request, parts.access, PLAY)
    if token is None or grant is None:
        remedy = "give a token as `Authorization: Bearer TOKEN`; `palio bot add NAME` makes one"
        raise ApiError(
            401, "token-missing", f"only who has an account is rated: {remedy}", {"WWW-Authenticate": "Bearer"}
        )
    if grant.bot is None or body.name not in (None, grant.bot):
        raise AccessDenied("name-not-yours", f"this token belongs to {grant.bot or 'no bot'}; play under that name")
    if parts.lobby.is_here(grant.bot):
        raise ApiError(409, "busy", f"{grant.bot} is connected already; let it leave before you play under its name")
    return TablePlace("person", grant.bot, token=token)


def _place(opponent: Opponent) -> TablePlace:
    """Return the opponent's place. Raises ApiError unless exactly one kind is given."""
    match opponent:
        case Opponent(bot=str(name), house=None, friend=False):
            return TablePlace("bot", name)
        case Opponent(bot=None, house=str(name), friend=False):
            return TablePlace("house", name)
        case Opponent(bot=None, house=None, friend=True):
            return TablePlace("friend")
    one = '{"bot": NAME}, {"house": NAME} or {"friend": true}'
    raise ApiError(422, "bad-value", f"an opponent is one of {one}, exactly one of them")


def _refused(error: TableRefused) -> ApiError:
    match error:
        case TooMany():
            return ApiError(429, "too-many", str(error), {"Retry-After": "5"})
        case NotFree():
            return ApiError(409, "not-free", str(error))
        case NotYours():
            return ApiError(401, "not-yours", str(error), {"WWW-Authenticate": "Bearer"})
    return ApiError(404, "unknown-table", str(error))


def _answer(table: seating.Table, seat: int, status: int = 200) -> Json:
    place, order = table.places[seat], table.order
    invites = [Invite(code, free) for code, free in table.invites]
    return Json(Table(order.game, place.name, place.token, table.id, table.match, seat, invites, order.rated), status)


def _state(parts: ServerParts, table: seating.Table) -> TableState:
    return TableState(table.id, table.order.game, table.match, parts.tables.waiting(table), table.closed or None)
