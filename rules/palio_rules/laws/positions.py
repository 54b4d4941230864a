"""Positions as values: frozen, hashable, copied, and untouched by what is played in them."""

import copy
import pickle
import random
from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any

from palio_rules.laws.finding import Broken
from palio_rules.laws.walk import Sample, Walk, listed, some


def frozen(walk: Walk, sample: Sample, choose: random.Random) -> None:
    state = sample.state
    for name in _attributes(state):
        twin = copy.copy(state)
        if twin is state:
            twin = pickle.loads(pickle.dumps(state))  # noqa: S301  # we have just written it
        try:
            setattr(twin, name, getattr(twin, name, None))
        except (AttributeError, TypeError):
            continue
        raise Broken(f"the attribute {name!r} of a position can be set")


def _attributes(state: Any) -> list[str]:
    if is_dataclass(state):
        return [each.name for each in fields(state)]
    return [*getattr(state, "_fields", ()), *getattr(state, "__dict__", ())] or ["anything_at_all"]


def hashable(walk: Walk, sample: Sample, choose: random.Random) -> None:
    state = sample.state
    try:
        known = hash(state)
    except TypeError as error:
        raise Broken(f"hash(position) fails: {error}") from None
    if sample not in walk.samples:
        return  # a race that was closed: no move leads there
    twin = _again(walk, sample)
    if twin != state:
        raise Broken("the same moves from the same start lead to a position that is not equal to it")
    if hash(twin) != known:
        raise Broken("two equal positions have different hashes")


def copies(walk: Walk, sample: Sample, choose: random.Random) -> None:
    state = sample.state
    for how, twin in (
        ("copy.copy", copy.copy(state)),
        ("copy.deepcopy", copy.deepcopy(state)),
        ("pickle", pickle.loads(pickle.dumps(state))),  # noqa: S301  # we have just written it
    ):
        if type(twin) is not type(state) or twin != state:
            raise Broken(f"{how} makes another position of it")
        if listed(twin) != listed(state):
            raise Broken(f"{how} makes a position that lists other moves")


def unchanged_by_play(walk: Walk, sample: Sample, choose: random.Random) -> None:
    state = sample.state
    before = _seen(walk, state)
    for move in some(listed(state), choose):
        try:
            after = state.play(move)
        except Exception:  # noqa: BLE001, S112  # another law's business
            continue
        if after is state:
            raise Broken(f"play({move!r}) returns the position itself")
        if _seen(walk, state) != before:
            raise Broken(f"play({move!r}) changes the position it is played in")


def turns(walk: Walk, sample: Sample, choose: random.Random) -> None:
    state, seats = sample.state, len(walk.rules.seats)
    seat, outcome, some = state.to_move, state.outcome(), next(iter(islice(state.legal_moves(), 1)), None)
    if seat is not None and (type(seat) is not int or not 0 <= seat < seats):
        raise Broken(f"to_move is {seat!r}, and the seats are 0 to {seats - 1}")
    if (seat is None) != (outcome is not None):
        raise Broken(f"to_move is {seat!r}, and the outcome {outcome!r}; either both or neither say that it is over")
    if (seat is None) != (some is None):
        raise Broken(f"to_move is {seat!r}, and the first listed move {some!r}")


def _again(walk: Walk, sample: Sample) -> Any:
    """The same position, made anew out of the first one of its game."""
    state = next(each.state for each in walk.samples if each.seed == sample.seed and not each.path)
    for move in sample.path:
        state = state.play(move)
    return state


def _seen(walk: Walk, state: Any) -> tuple[Any, ...]:
    """All that can be seen of a position."""
    return (walk.rules.format_state(state), state.to_move, listed(state), state.outcome(), walk.rules.render(state))
