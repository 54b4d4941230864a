"""A position as hands have it: drawn, with what may be done in it, and what touches mean. Pure."""

from typing import Any, Literal

import msgspec

from palio_rules.errors import Rejection, quoted
from palio_rules.game import Game
from palio_rules.gestures import Cell, Touches
from palio_rules.scene import Scene
from palio_server.api.answers import ApiError

CellItem = tuple[int, int]  # row, column of the scene
Hand = Literal["touches", "order", "list"]

BY_NAME = "Pick a move from the list."


class HandMove(msgspec.Struct, frozen=True):
    """A legal move: as on the wire, in notation, and which cells a hand touches for it.

    `touches`: one cell out of each set, in this order; empty for a move that is picked by its name, as a pass.
    """

    move: Any
    notation: str
    touches: list[list[CellItem]]
    effect: str = ""  # what it does that its notation does not show: ", c3 turns from red to green"


class Meant(msgspec.Struct, frozen=True):
    """What touches ask for. `refused`: the referee's sentence, if the rules forbid it.

    Then `notation` is empty, and `move` is null where the touches ask for no move at all.
    """

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
    hand: Hand  # "list": moves are picked by name, the game has no gestures
    how: str  # how a move is made, in some sentences
    moves: list[HandMove] | None
    forced: Any  # the move that is made without being asked for; null
    count: str  # what cannot be seen on the board, in words
    over: EndItem | None
    meant: Meant | None = None  # null, too, while touches are the beginning of a move


def hand_of(rules: Game[Any, Any], scene: Scene | None) -> Hand:
    """How moves are made by hand: what is not drawn cannot be touched."""
    return "list" if rules.gestures is None or scene is None else rules.gestures.kind


def position_item(rules: Game[Any, Any], state: Any, meant: Meant | None = None) -> PositionItem:
    """All that a page needs to show `state` and to have it played in."""
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
    """Touches as JSON has them."""
    return [sorted(cells) for cells in touches]


def meant_by_touches(rules: Game[Any, Any], state: Any, cells: list[Cell]) -> Meant | None:
    """What touching `cells` asks for; None while they are the beginning of a move. Raises ApiError 422."""
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
    """What visiting the marks of the scene in this order asks for. Raises ApiError 422."""
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
    effect = "" if rules.gestures is None else rules.gestures.effect(state, move)
    touches = touch_items(rules.gesture(state, move))
    return HandMove(rules.move_to_wire(move), rules.notation(state, move), touches, effect)


def _wanted(rules: Game[Any, Any], state: Any, cells: tuple[Cell, ...]) -> Any:
    """On the wire the move that refused touches ask for; None if they ask for none."""
    assert rules.gestures is not None
    try:
        return rules.move_to_wire(rules.gestures.meant(state, cells))
    except Rejection:
        return None


def _judged(rules: Game[Any, Any], state: Any, move: Any) -> Meant:
    """The move, in notation if it is legal, else with the referee's sentence."""
    try:
        state.check(move)
    except Rejection as error:
        return Meant(rules.move_to_wire(move), "", str(error))
    return Meant(rules.move_to_wire(move), rules.notation(state, move), None)
