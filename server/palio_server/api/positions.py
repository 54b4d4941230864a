"""Positions for hands: what a person may do in one, what a touch means, and what our searches would do.

Nothing here knows of a match. A page that plays a bot has its positions from the bot protocol; a page that explains a
game makes them here, from the first position on.
"""

from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from palio_rules.contract.messages import MAX_INT, Plain
from palio_rules.scene import Scene
from palio_server.api.answers import ApiError, Json
from palio_server.api.bodies import Body
from palio_server.api.operations import Routes
from palio_server.parts import ServerParts

routes = Routes("games")

MAX_STATE = 200_000  # characters: a TSP of some thousand cities with its tour

CellItem = tuple[int, int]  # row, column of the scene


class PositionRequest(Body, frozen=True, kw_only=True):
    """A position: `state`, as a bot's `turn` has it, or the first one of `options` and `seed`; after `play`, if given.

    With `touched` (cells) or `order` (marks of the scene, by number) the answer says which move that asks for.
    """

    WRITE: ClassVar = {"state": '"state": "…"', "play": '"play": [[6, 0], [5, 0]]', "touched": '"touched": [[6, 0]]'}

    state: Annotated[str, Meta(max_length=MAX_STATE)] | None = None
    options: dict[str, Any] = {}  # noqa: RUF012  # msgspec copies it
    seed: Annotated[int, Meta(ge=0, le=MAX_INT)] = 0
    play: Plain = None
    touched: Annotated[list[CellItem], Meta(max_length=16)] | None = None
    order: Annotated[list[int], Meta(max_length=10_000)] | None = None


class HandMove(msgspec.Struct, frozen=True):
    """A legal move: as on the wire, in notation, and which cells a hand touches for it.

    `touches`: one cell out of each set, in this order; empty for a move that is picked by its name, as a pass.
    """

    move: Any
    notation: str
    touches: list[list[CellItem]]
    effect: str = ""  # what it does that its notation does not show: ", c3 turns from red to green"


class Meant(msgspec.Struct, frozen=True):
    """What touches ask for. `refused`: the referee's sentence, if the rules forbid it; then `move` may be null."""

    move: Any
    notation: str
    refused: str | None


class EndItem(msgspec.Struct, frozen=True):
    """How a game ended by its rules."""

    reason: str
    scores: list[float]


class PositionItem(msgspec.Struct, frozen=True):
    """A position, and what hands may do in it. `moves` is null where there are too many to list (`hand` is "order")."""

    state: str
    to_move: int | None
    text: str
    scene: Scene | None
    hand: Literal["touches", "order", "list"]  # "list": moves are picked by name, the game has no gestures
    how: str  # how a move is made, in some sentences
    moves: list[HandMove] | None
    forced: Any  # the move that is made without being asked for; null
    count: str  # what cannot be seen on the board, in words
    over: EndItem | None
    meant: Meant | None = None


class HintRequest(Body, frozen=True, kw_only=True):
    """`depth`: plies to look ahead; a race is planned to its end, whatever the depth."""

    WRITE: ClassVar = {"state": '"state": "…"', "depth": '"depth": 4'}

    state: Annotated[str, Meta(min_length=1, max_length=MAX_STATE)]
    depth: Annotated[int, Meta(ge=1, le=9)] = 4


class Hint(msgspec.Struct, frozen=True):
    """The best move that was found, and a sentence about it. `complete`: false where the time was up before."""

    move: Any
    notation: str
    touches: list[list[CellItem]]
    text: str
    complete: bool
    order: list[int] | None = None  # for games whose `hand` is "order"


@routes.operation("POST", "/games/{game}/position", PositionItem, 404)
async def get_position(parts: ServerParts, game: str, body: PositionRequest) -> Json:
    """A position, drawn, and what hands may do in it. A bad `state` or `play` is a 422 with the rules' own sentence."""
    raise ApiError(501, "not-written", f"positions of {game}: {parts.url} {body.seed}")


@routes.operation("POST", "/games/{game}/hint", Hint, 404, 409, 429)
async def get_hint(parts: ServerParts, game: str, body: HintRequest) -> Json:
    """What our searches would play, within some seconds. 429 when too many ask, 409 if it is over."""
    raise ApiError(501, "not-written", f"hints of {game}: {parts.url} {body.depth}")
