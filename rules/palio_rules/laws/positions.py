"""Laws of positions as values: frozen, hashable, copied, and unchanged by moves."""

import copy
import pickle
import random
import time
from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any

import msgspec

from palio_rules.errors import BadOption
from palio_rules.game import Outcome
from palio_rules.laws.walk import INSTANCES, Broken, Sample, Walk, listed, some


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
        return  # a closed race: no move leads there
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
        except Exception:  # noqa: BLE001, S112  # another law reports it
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
    """Return the same position, built again from the first one of its game."""
    state = next(each.state for each in walk.samples if each.seed == sample.seed and not each.path)
    for move in sample.path:
        state = state.play(move)
    return state


def _seen(walk: Walk, state: Any) -> tuple[Any, ...]:
    """Return everything that is observable of a position."""
    return (walk.rules.format_state(state), state.to_move, listed(state), state.outcome(), walk.rules.render(state))


# The start, end and scores of games; the properties of races, duels and tables; speed.

SPEED_S = 0.3  # duration of the measurement


def options(walk: Walk) -> None:
    rules = walk.rules
    schema = msgspec.json.schema(rules.options_type)
    described = schema["$defs"][rules.options_type.__name__].get("properties", {})
    for field in msgspec.structs.fields(rules.options_type):
        if field.required:
            raise Broken(f"the option {field.name} has no default, so that the game has no first position by itself")
        if not described[field.encode_name].get("description"):
            raise Broken(f"the option {field.name} has no description; write Annotated[..., Meta(description=...)]")
    defaults = rules.parse_options({})
    if defaults != rules.options_type():
        raise Broken(f"no settings at all are read as {defaults!r}")
    plain = msgspec.to_builtins(defaults)
    written = {name: _typed(value) for name, value in plain.items() if value is not None and value != ""}
    if (again := rules.parse_options(written)) != defaults:
        raise Broken(f"the settings {written} are read as {again!r}")
    try:
        rules.parse_options({"no_such_option": "1"})
    except BadOption:
        return
    raise Broken("a setting that does not exist is accepted")


def _typed(value: Any) -> str:
    """Return a value as it is typed on a command line."""
    if isinstance(value, bool | list | tuple | dict):
        return msgspec.json.encode(value).decode()
    return str(value)


def starts(walk: Walk) -> None:
    rules, chosen = walk.rules, walk.options
    for seed in range(INSTANCES):
        first = rules.start(chosen, seed)
        if rules.start(chosen, seed) != first:
            raise Broken(f"start(options, seed={seed}) gives another position each time")
        written = rules.parse_options(rules.instance(chosen, seed))
        if rules.start(written, seed + 1) != first:
            raise Broken(f"instance(options, seed={seed}), written out, begins with another position")


def plays(walk: Walk) -> None:
    if walk.error is not None:
        doing, error, _ = walk.error
        raise Broken(f"{doing} raises {type(error).__name__}: {error}") from error


def plays_each(walk: Walk, sample: Sample, choose: random.Random) -> None:
    for move in some(listed(sample.state), choose):
        try:
            sample.state.play(move)
        except Exception as error:
            raise Broken(f"play({move!r}) raises {type(error).__name__}: {error}") from error


def ends(walk: Walk) -> str | None:
    if walk.endless is not None:
        raise Broken(f"a game of random moves was not over after {len(walk.endless.path):,} plies")
    if not walk.ends:
        return None
    longest = max(len(sample.path) for sample in walk.ends)
    return f"{len(walk.ends)} random games, of {longest} plies at most"


def scores(walk: Walk, sample: Sample, choose: random.Random) -> None:
    outcome = sample.state.outcome()
    if outcome is None:
        return
    if not isinstance(outcome, Outcome):
        raise Broken(f"the outcome is {outcome!r}, no Outcome(reason, scores)")
    reason = outcome.reason
    if not isinstance(reason, str) or not 0 < len(reason) <= 64 or [reason] != reason.lower().split():
        raise Broken(f"the reason is {reason!r}; take small letters and dashes, as in 'no-move-left'")
    _fair(walk, outcome.scores)


def _fair(walk: Walk, found: tuple[float, ...]) -> None:
    """Raise Broken for scores that the kind of the game does not allow."""
    seats, kind = len(walk.rules.seats), walk.rules.kind
    if not isinstance(found, tuple) or len(found) != seats:
        raise Broken(f"the scores are {found!r}; there are {seats} seats, and a tuple has a number for each")
    winners = sum(score > 0 for score in found)
    if kind == "race":
        fair = found in ((0,), (1,))
        asked = "1 for a solution, else 0"
    else:
        fair = winners > 0 and all(score == 0 or abs(score - 1 / winners) < 1e-9 for score in found)
        asked = "1 and 0, or 0.5 each" if kind == "duel" else "1 for the winner, or equal shares of it"
    if not fair:
        raise Broken(f"the scores of a {kind} are {found!r}; they are {asked}")


def forfeits(walk: Walk, sample: Sample, choose: random.Random) -> None:
    rules, state = walk.rules, sample.state
    if state.to_move is None:
        return
    for seat in range(len(rules.seats)):
        after = rules.forfeit(state, seat)
        if isinstance(after, Outcome):
            _fair(walk, after.scores)
            if after.scores[seat]:
                raise Broken(f"the seat {rules.seats[seat]} forfeits, and scores {after.scores[seat]}")
        elif rules.kind == "duel":
            raise Broken(f"the seat {rules.seats[seat]} forfeits, and the duel goes on")
        elif not rules.anytime and after.to_move == seat:
            raise Broken(f"the seat {rules.seats[seat]} has forfeited, and it is its turn")
        elif rules.parse_state(rules.format_state(after)) != after:
            raise Broken(f"after {rules.seats[seat]} has forfeited, the position is not read back as it is written")


def costs(walk: Walk, sample: Sample, choose: random.Random) -> None:
    rules, state = walk.rules, sample.state
    cost, bound = rules.cost(state), rules.lower_bound(state)
    if rules.kind != "race":
        if cost is not None:
            raise Broken(f"the cost is {cost!r}; only races have one")
        return
    if cost is not None and not (isinstance(cost, int | float) and 0 <= cost < float("inf")):
        raise Broken(f"the cost is {cost!r}; it is a number from 0")
    if cost is not None and bound is not None and bound > cost:
        raise Broken(f"the cost is {cost!r}, and the lower bound {bound!r}")
    outcome = state.outcome()
    if outcome is not None and (cost is not None) != (tuple(outcome.scores) == (1,)):
        raise Broken(f"the cost at the end is {cost!r}, and the scores are {outcome.scores!r}")


def speed(walk: Walk) -> str | None:
    """Return positions a second in random games, for information only."""
    rules, choose, count = walk.rules, random.Random(walk.seed), 0
    if rules.anytime or walk.error is not None:
        return None
    began = now = time.perf_counter()
    while now < began + SPEED_S:
        state = walk.samples[0].state
        while now < began + SPEED_S and (moves := listed(state)):
            state = state.play(choose.choice(moves))
            count += 1
            now = time.perf_counter()
        if not count:
            return None
        now = time.perf_counter()
    return f"{count / (now - began):,.0f} positions/s of random play in one thread"
