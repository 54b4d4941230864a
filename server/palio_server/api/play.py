"""`/api/play`: people who play. A person is a bot whose hands are a browser: a guest with a name and a token.

POST /api/play              a table: who sits where, house bots started, links for friends made
POST /api/play/{code}/join  the friend takes the seat
WebSocket /ws/bot           hello with the guest's name and token; from there on the bot protocol, as for any bot
"""

from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta

from palio_rules.contract.messages import MAX_ENTRANTS
from palio_server.api.answers import ApiError, Json
from palio_server.api.bodies import Body
from palio_server.api.operations import Routes
from palio_server.parts import ServerParts

routes = Routes("play")


class HouseBot(msgspec.Struct, frozen=True):
    """A bot that the server starts for whoever wants to play against it. `level`: 1 (beginner) to 5."""

    name: str  # what a request names: "greedy"
    title: str  # for people: "easy: looks one move ahead"
    level: int
    games: list[str]
    ratings: dict[str, float]  # by game, where it is known


class PlayInfo(msgspec.Struct, frozen=True):
    """What can be played here by hand. `tables`: house tables in use, of at most `limit`; 0: no house bots here."""

    house: list[HouseBot]
    limit: int
    tables: int
    guests: bool  # whether anybody may play without a token


class Opponent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who sits there: a connected `bot`, a `house` bot, or a `friend` who comes by a link. Exactly one of them."""

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
    seed: int | None = None
    name: str | None = None
    rated: bool = False
    state: str | None = None


class Invite(msgspec.Struct, frozen=True):
    """A free seat: whoever opens `play/join/CODE` on this server takes it."""

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
    """How far a table is: its match, and who is still waited for ("house bot greedy starts", "a friend")."""

    table: str
    game: str
    match: str | None
    waiting: list[str]


@routes.get("/play", PlayInfo)
async def get_play(parts: ServerParts) -> Json:
    """Who can be played against without bringing a bot."""
    raise ApiError(501, "not-written", parts.url)


@routes.operation("POST", "/play", Table, 404, 409, 429, statuses=(201,))
async def open_table(parts: ServerParts, body: PlayRequest) -> Json:
    """Take a seat. 429 with a sentence where all house tables are taken; 409 where an opponent is not here."""
    raise ApiError(501, "not-written", f"{parts.url} {body.game}")


@routes.get("/play/{table}", TableState, 404)
async def get_table(parts: ServerParts, table: str) -> Json:
    """How far the table is."""
    raise ApiError(501, "not-written", f"{parts.url} {table}")


@routes.operation("POST", "/play/{table}/join", Table, 404, 409, 429, statuses=(201,))
async def join_table(parts: ServerParts, table: str) -> Json:
    """Take the free seat behind a link's code (`table` is the code here)."""
    raise ApiError(501, "not-written", f"{parts.url} {table}")


@routes.operation("POST", "/play/{table}/leave", TableState, 404)
async def leave_table(parts: ServerParts, table: str) -> Json:
    """Go away before it has begun; its token must be given as `Authorization: Bearer TOKEN`. A match goes on."""
    raise ApiError(501, "not-written", f"{parts.url} {table}")
