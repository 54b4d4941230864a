"""Positions for hands: what a person may do in one, what a touch means, and what our searches would do.

Nothing here knows of a match. A page that plays a bot has its positions from the bot protocol; a page that explains a
game makes them here, from the first position on.
"""

import asyncio
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta
from starlette.requests import Request

from palio_rules.contract.messages import MAX_INT, Plain
from palio_rules.errors import Rejection
from palio_rules.game import Game
from palio_rules.instances.effort import Effort
from palio_server.api.answers import ApiError, Json
from palio_server.api.bodies import Body
from palio_server.api.games import known_game
from palio_server.api.hands import CellItem, PositionItem, meant_by_order, meant_by_touches, position_item, touch_items
from palio_server.api.matches import while_here
from palio_server.api.operations import Routes
from palio_server.api.quotas import POSITION, SEARCH
from palio_server.api.visitor import address_of
from palio_server.arena.search_thread import search_in_thread
from palio_server.parts import ServerParts
from palio_server.processes.hint_process import Found, HintsFailed, NoHint, TooManyHints

routes = Routes("games")

MAX_STATE = 200_000  # characters: a TSP of some thousand cities with its tour
MAX_BYTES = 2 * MAX_STATE  # of a request: with an order of ten thousand marks
MOST_WORK = 500_000  # positions that the search for a puzzle may look at, for anybody: two seconds or so


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


@routes.operation("POST", "/games/{game}/position", PositionItem, 404, 429, cost=POSITION, most=MAX_BYTES)
async def get_position(request: Request, game: str, body: PositionRequest) -> Json:
    """A position, drawn, and what hands may do in it. A bad `state` or `play` is a 422 with the rules' own sentence."""
    rules = known_game(game)
    if body.touched is not None and body.order is not None:
        raise ApiError(422, "bad-value", "touched and order are two ways to make a move; leave one of them out")
    if body.state is not None and (body.options or body.seed):
        raise ApiError(422, "bad-value", "a state has its options; leave options and seed out")
    options = None if body.state is not None else rules.parse_options(body.options)
    find = partial(_position, rules, options, body)
    if options is None or rules.kind != "race" or rules.anytime:
        return Json(await search_in_thread(find))
    return Json(await while_here(request, _searched(find, request.app.state.drawing)))


async def _searched(find: Callable[[], PositionItem], drawing: asyncio.Lock) -> PositionItem:
    """What `find` gives, whose puzzle may have to be looked for: by one request at a time, for it takes a core."""
    async with drawing:
        return await search_in_thread(find, Effort(MOST_WORK))


def _position(rules: Game[Any, Any], options: Any, body: PositionRequest) -> PositionItem:
    """What is asked for. Raises BadOption or ApiError."""
    state = (
        _first(rules, msgspec.json.encode(options), body.seed) if body.state is None else read_state(rules, body.state)
    )
    if body.play is not None:
        try:
            state = state.play(rules.read_move(state, body.play))
        except Rejection as error:
            raise ApiError(422, error.code, f"play: {error}") from None
    meant = None
    if body.touched is not None:
        meant = meant_by_touches(rules, state, body.touched)
    elif body.order is not None:
        meant = meant_by_order(rules, state, body.order)
    return position_item(rules, state, meant)


def read_state(rules: Game[Any, Any], text: str) -> Any:
    """The position. Raises ApiError 422 with the rules' own sentence."""
    try:
        return rules.parse_state(text)
    except ValueError as error:
        raise ApiError(422, "bad-position", f"state: {error}") from None


@lru_cache(maxsize=64)  # every visitor of a page of rules begins with the same few
def _first(rules: Game[Any, Any], options: bytes, seed: int) -> Any:
    """The first position of these options, which come as JSON: a third party's may hold what has no hash."""
    return rules.start(rules.parse_options(msgspec.json.decode(options)), seed)


@routes.operation("POST", "/games/{game}/hint", Hint, 404, 409, 429, 503, cost=SEARCH, most=MAX_BYTES)
async def get_hint(parts: ServerParts, request: Request, game: str, body: HintRequest) -> Json:
    """What our searches would play, within some seconds.

    409 where the game is over or nothing is found, 429 when too many ask, 503 when the search fails.
    """
    rules = known_game(game)
    state = await search_in_thread(partial(read_state, rules, body.state))
    if state.to_move is None:
        raise ApiError(409, "game-over", "the game is over; there is nothing to be played")
    address = address_of(request)
    try:
        found = await while_here(request, parts.hints.ask(rules.name, rules.format_state(state), body.depth, address))
        move = rules.read_move(state, found.move)
    except NoHint as error:
        raise ApiError(409, "no-hint", str(error)) from None
    except TooManyHints as error:
        raise ApiError(429, "too-many", f"{error}; try again in some seconds", {"Retry-After": "5"}) from None
    except HintsFailed as error:
        raise ApiError(503, "hints-failed", str(error)) from None
    return Json(_hint(rules, state, move, found))


def _hint(rules: Game[Any, Any], state: Any, move: Any, found: Found) -> Hint:
    hands = rules.gestures
    return Hint(
        found.move,
        rules.notation(state, move),
        touch_items(rules.gesture(state, move)),
        found.text,
        found.complete,
        None if hands is None or hands.kind != "order" else list(hands.marks(state, move)),
    )
