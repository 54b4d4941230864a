"""Positions for people: the possible moves, the meaning of a touch, and the moves that our searches suggest.

This module does not use matches. A page that plays a bot gets its positions from the bot protocol; a page that explains
a game requests them here, from the first position on.
"""

import asyncio
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta
from starlette.requests import Request

from palio_rules.contract.messages import MAX_INT, Plain
from palio_rules.errors import Rejection, quoted
from palio_rules.game import Game
from palio_rules.instances.effort import Effort
from palio_rules.scene import Cell, Mark, Scene, Touches
from palio_server.api.answers import ApiError, Json
from palio_server.api.bodies import Body
from palio_server.api.games import known_game
from palio_server.api.identity import address_of, bearer
from palio_server.api.matches import while_here
from palio_server.api.operations import Routes
from palio_server.api.quotas import POSITION, SEARCH
from palio_server.app_state import ServerParts
from palio_server.arena.analysis_queue import search_in_thread
from palio_server.processes.hint_process import FoundLine, FoundMove, HintsFailed, NoHint, TooManyHints

# A position for the page: drawn, with its possible moves, and the meaning of touches. Pure.

CellItem = tuple[int, int]  # row, column of the scene
Hand = Literal["touches", "order", "list"]

BY_NAME = "Pick a move from the list."


class HandMove(msgspec.Struct, frozen=True):
    """A legal move: as on the wire, in notation, and the cells to touch for it.

    `touches`: one cell out of each set, in this order; empty for a move that is picked by its name, as a pass.
    """

    move: Any
    notation: str
    touches: list[list[CellItem]]
    effect: str = ""  # its effect beyond the notation: ", c3 turns from red to green"
    choice: Mark | None = None  # the piece that its last touch chooses, as a promotion does


class Meant(msgspec.Struct, frozen=True):
    """The move that touches stand for. `refused`: the referee's sentence, if the rules forbid it.

    Then `notation` is empty, and `move` is null if the touches stand for no move.
    """

    move: Any
    notation: str
    refused: str | None


class EndItem(msgspec.Struct, frozen=True):
    """The end of a game by its rules."""

    reason: str
    scores: list[float]


class PositionItem(msgspec.Struct, frozen=True):
    """A position, and its possible moves. `moves` is null if there are too many to list (`hand` is "order")."""

    state: str
    to_move: int | None
    text: str
    scene: Scene | None
    hand: Hand  # "list": moves are picked by name, the game has no gestures
    how: str  # the way to make a move, in some sentences
    moves: list[HandMove] | None
    forced: Any  # the only move, which is made automatically; null
    count: str  # facts that the board does not show, in words
    over: EndItem | None
    meant: Meant | None = None  # null, too, while touches are the beginning of a move


def hand_of(rules: Game[Any, Any], scene: Scene | None) -> Hand:
    """Return how moves are made by hand: a position that is not drawn cannot be touched."""
    return "list" if rules.gestures is None or scene is None else rules.gestures.kind


def position_item(rules: Game[Any, Any], state: Any, meant: Meant | None = None) -> PositionItem:
    """Return the data that a page needs to show `state` and to play in it."""
    hands, scene, outcome = rules.gestures, rules.scene(state), state.outcome()
    hand = hand_of(rules, scene)
    forced = None if hands is None or outcome is not None else hands.forced(state)
    return PositionItem(
        rules.format_state(state),
        state.to_move,
        rules.render(state),
        scene,
        hand,
        BY_NAME if hands is None or hand == "list" else " ".join(hands.how.split()),
        None if rules.anytime else [_hand_move(rules, state, move) for move in state.legal_moves()],
        None if forced is None else rules.move_to_wire(forced),
        "" if hands is None else hands.count(state),
        None if outcome is None else EndItem(outcome.reason, list(outcome.scores)),
        meant,
    )


def touch_items(touches: Touches) -> list[list[CellItem]]:
    """Return touches in the form of JSON."""
    return [sorted(cells) for cells in touches]


def meant_by_touches(rules: Game[Any, Any], state: Any, cells: list[Cell]) -> Meant | None:
    """Return the move for touching `cells`; None while they are the beginning of a move. Raises ApiError 422."""
    hands, scene = rules.gestures, rules.scene(state)
    if hands is None or scene is None:
        raise ApiError(422, "no-gestures", f"{rules.name} is not played by touch; pick one of `moves`")
    for row, col in cells:
        if not (0 <= row < scene.rows and 0 <= col < scene.cols):
            size = f"{scene.rows} x {scene.cols} cells"
            raise ApiError(
                422, "bad-value", f"touched: {quoted([row, col])} is off the board of {size}, which count from 0"
            )
    if not cells:
        return None
    try:
        move = hands.made(state, tuple(cells)) if hands.kind == "touches" else hands.meant(state, tuple(cells))
    except Rejection as error:
        return Meant(_wanted(rules, state, tuple(cells)), "", str(error))
    return None if move is None else _judged(rules, state, move)


def meant_by_order(rules: Game[Any, Any], state: Any, marks: list[int]) -> Meant:
    """Return the move for visiting the marks of the scene in this order. Raises ApiError 422."""
    hands = rules.gestures
    if hands is None or hands.kind != "order":
        remedy = "pick one of `moves`" if hands is None else "send touched"
        raise ApiError(422, "no-order", f"{rules.name} is not played by an order of marks; {remedy}")
    try:
        move = hands.ordered(state, tuple(marks))
    except Rejection as error:
        return Meant(None, "", str(error))
    return _judged(rules, state, move)


def _hand_move(rules: Game[Any, Any], state: Any, move: Any) -> HandMove:
    hands, touches = rules.gestures, touch_items(rules.gesture(state, move))
    effect, choice = ("", None) if hands is None else (hands.effect(state, move), hands.choice(state, move))
    return HandMove(rules.move_to_wire(move), rules.notation(state, move), touches, effect, choice)


def _wanted(rules: Game[Any, Any], state: Any, cells: tuple[Cell, ...]) -> Any:
    """Return in wire form the move that refused touches stand for; None if they stand for none."""
    assert rules.gestures is not None
    try:
        return rules.move_to_wire(rules.gestures.meant(state, cells))
    except Rejection:
        return None


def _judged(rules: Game[Any, Any], state: Any, move: Any) -> Meant:
    """Return the move, in notation if it is legal, otherwise with the referee's sentence."""
    try:
        state.check(move)
    except Rejection as error:
        return Meant(rules.move_to_wire(move), "", str(error))
    return Meant(rules.move_to_wire(move), rules.notation(state, move), None)


routes = Routes("games")

MAX_STATE = 200_000  # characters: a TSP of some thousand cities with its tour
MAX_BYTES = 2 * MAX_STATE  # of a request: with an order of ten thousand marks
MOST_WORK = 500_000  # positions that the search for a puzzle may look at, for every caller: two seconds or so


class PositionRequest(Body, frozen=True, kw_only=True):
    """A position: `state`, as a bot's `turn` has it, or the first one of `options` and `seed`; after `play`, if given.

    With `touched` (cells) or `order` (marks of the scene, by number) the answer has the move that these stand for.
    """

    WRITE: ClassVar = {"state": '"state": "…"', "play": '"play": [[6, 0], [5, 0]]', "touched": '"touched": [[6, 0]]'}

    state: Annotated[str, Meta(max_length=MAX_STATE)] | None = None
    options: dict[str, Any] = {}  # noqa: RUF012  # msgspec copies it
    seed: Annotated[int, Meta(ge=0, le=MAX_INT)] = 0
    play: Plain = None
    touched: Annotated[list[CellItem], Meta(max_length=16)] | None = None
    order: Annotated[list[int], Meta(max_length=10_000)] | None = None


class HintRequest(Body, frozen=True, kw_only=True):
    """The options of a hint. `depth`: plies to look ahead; a race is planned to its end, at any depth.

    `best`: how many of the best moves are wanted with their values; a race has none.
    """

    WRITE: ClassVar = {"state": '"state": "…"', "depth": '"depth": 4'}

    state: Annotated[str, Meta(min_length=1, max_length=MAX_STATE)]
    depth: Annotated[int, Meta(ge=1, le=9)] = 4
    best: Annotated[int, Meta(ge=0, le=20)] = 0


class RankedMove(msgspec.Struct, frozen=True):
    """One of the best moves. `value`: for the side to move, about one piece a unit; 1000: it wins, -1000: it loses."""

    move: Any
    notation: str
    value: float


class Hint(msgspec.Struct, frozen=True):
    """The best move that was found, and a sentence about it. `complete`: false if the time was up before the end."""

    move: Any
    notation: str
    touches: list[list[CellItem]]
    text: str
    complete: bool
    order: list[int] | None = None  # for games whose `hand` is "order"
    best: list[RankedMove] = []  # msgspec copies it


@routes.operation("POST", "/games/{game}/position", PositionItem, 404, 429, cost=POSITION, most=MAX_BYTES)
async def get_position(request: Request, game: str, body: PositionRequest) -> Json:
    """Return a position, drawn, with its possible moves. A bad `state` or `play` is a 422 with the
    rules' own sentence.
    """
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
    """Return the result of `find`, whose puzzle may have to be generated: by one request at a time, because it takes a
    core.
    """
    async with drawing:
        return await search_in_thread(find, Effort(MOST_WORK))


def _position(rules: Game[Any, Any], options: Any, body: PositionRequest) -> PositionItem:
    """Return the requested position. Raises BadOption or ApiError."""
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
    """Return the position. Raises ApiError 422 with the rules' own sentence."""
    try:
        return rules.parse_state(text)
    except ValueError as error:
        raise ApiError(422, "bad-position", f"state: {error}") from None


@lru_cache(maxsize=64)  # every visitor of a page of rules begins with the same few
def _first(rules: Game[Any, Any], options: bytes, seed: int) -> Any:
    """Return the first position of these options, which come as JSON: a third party's may contain unhashable values."""
    return rules.start(rules.parse_options(msgspec.json.decode(options)), seed)


@routes.operation("POST", "/games/{game}/hint", Hint, 404, 409, 429, 503, cost=SEARCH, most=MAX_BYTES)
async def get_hint(parts: ServerParts, request: Request, game: str, body: HintRequest) -> Json:
    """Return the move that our searches suggest, within some seconds.

    409 if the game is over or nothing is found, or if people play each other here and stand in this position; 429
    after too many requests, 503 when the search fails.
    """
    rules = known_game(game)
    state = await search_in_thread(partial(read_state, rules, body.state))
    if state.to_move is None:
        raise ApiError(409, "game-over", "the game is over; there is nothing to be played")
    refuse_between_people(parts, rules.name, state, bearer(request))
    address = address_of(request)
    try:
        found = await while_here(
            request, parts.hints.ask(rules.name, rules.format_state(state), body.depth, address, body.best)
        )
        move = rules.read_move(state, found.move)
    except NoHint as error:
        raise ApiError(409, "no-hint", str(error)) from None
    except TooManyHints as error:
        raise ApiError(429, "too-many", f"{error}; try again in some seconds", {"Retry-After": "5"}) from None
    except HintsFailed as error:
        raise ApiError(503, "hints-failed", str(error)) from None
    return Json(_hint(rules, state, move, found))


def refuse_between_people(parts: ServerParts, game: str, state: Any, token: str | None) -> None:
    """Raise ApiError 409 if people play each other on this server and `state` is their present position.

    The `token` of a person who plays against bots alone shows that the position is that person's own.
    """
    for match in parts.tables.between_people(token):
        found = parts.feed.find(match)
        if found is not None and found.rules.name == game and state in found.positions():
            reason = "people play each other in this position now, without help; ask again after their match"
            raise ApiError(409, "between-people", reason)


def _hint(rules: Game[Any, Any], state: Any, move: Any, found: FoundMove) -> Hint:
    hands = rules.gestures
    return Hint(
        found.move,
        rules.notation(state, move),
        touch_items(rules.gesture(state, move)),
        found.text,
        found.complete,
        None if hands is None or hands.kind != "order" else list(hands.marks(state, move)),
        [_ranked(rules, state, line) for line in found.lines],
    )


def _ranked(rules: Game[Any, Any], state: Any, line: FoundLine) -> RankedMove:
    return RankedMove(line.move, rules.notation(state, rules.read_move(state, line.move)), line.value)
