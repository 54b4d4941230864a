"""Gestures: what a hand touches means the move it was asked for, and whatever it touches is answered."""

import random
from typing import Any

from palio_rules.errors import IllegalMove, Rejection
from palio_rules.laws.finding import Broken
from palio_rules.laws.walk import Sample, Walk, listed

SOME = 30  # moves of a position, and touches at random


def gestures(walk: Walk, sample: Sample, choose: random.Random) -> None:
    rules, state = walk.rules, sample.state
    hand = rules.gestures
    if hand is None:
        return
    scene = rules.scene(state)
    if scene is None:
        raise Broken("there are gestures, but no scene whose cells are touched")
    if hand.kind == "order":
        _order(walk, sample)
    else:
        _touches(walk, sample, choose)
    cells = [(row, col) for row in range(scene.rows) for col in range(scene.cols)]
    for _ in range(SOME):
        touched = tuple(choose.choices(cells, k=choose.randrange(1, 4)))
        _answered(walk, state, touched)


def _touches(walk: Walk, sample: Sample, choose: random.Random) -> None:
    rules, state = walk.rules, sample.state
    hand, scene = rules.gestures, rules.scene(state)
    assert hand is not None
    assert scene is not None
    moves = listed(state)
    if state.to_move is None and hand.forced(state) is not None:
        raise Broken("a move is forced after the end")
    unnamed = []
    for move in moves if len(moves) <= SOME else choose.sample(moves, SOME):
        touches = rules.gesture(state, move)
        if not touches:
            unnamed.append(move)
            continue
        for cells in touches:
            if not cells or not all(0 <= row < scene.rows and 0 <= col < scene.cols for row, col in cells):
                raise Broken(f"the touches of {move!r} lie outside of the scene: {sorted(cells)}")
        touched = tuple(choose.choice(sorted(cells)) for cells in touches)
        made = _made(hand.made, state, touched, move)
        if made != move:
            raise Broken(f"touching {touched} makes {made!r}, but it is what makes {move!r}")
        for length in range(1, len(touched)):
            if (early := _made(hand.made, state, touched[:length], move)) is not None:
                raise Broken(f"touching {touched[:length]} makes {early!r}, but it is the beginning of {move!r}")
    forced = hand.forced(state)
    if unnamed and unnamed != [forced]:
        raise Broken(f"the move {unnamed[0]!r} has no touches and is not forced, so that nobody can make it by hand")


def _made(make: Any, state: Any, touched: tuple[Any, ...], move: Any) -> Any:
    try:
        return make(state, touched)
    except Rejection as error:
        raise Broken(f"touching {touched} for {move!r} is refused: {error}") from None


def _order(walk: Walk, sample: Sample) -> None:
    hand = walk.rules.gestures
    assert hand is not None
    for move in listed(sample.state)[:SOME]:
        marks = hand.marks(sample.state, move)
        if (again := hand.ordered(sample.state, marks)) != move:
            raise Broken(f"the marks {marks} of {move!r} make {again!r}")


def _answered(walk: Walk, state: Any, touched: tuple[Any, ...]) -> None:
    """Raises Broken if touching any cells ends in anything but a move that is judged, or a sentence."""
    hand = walk.rules.gestures
    assert hand is not None
    try:
        _ = hand.made(state, touched) if hand.kind == "touches" else hand.meant(state, touched)
    except IllegalMove as error:
        if not str(error):
            raise Broken(f"touching {touched} is refused without a word") from None
        return
    except Exception as error:
        raise Broken(f"touching {touched} raises {type(error).__name__}: {error}") from error
