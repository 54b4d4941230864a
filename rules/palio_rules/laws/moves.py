"""Moves: listed exactly when they pass, read back from the wire and from notation, refused where they are none."""

import copy
import random
from collections.abc import Iterable
from typing import Any

import msgspec

from palio_rules.contract.messages import Plain
from palio_rules.errors import IllegalMove, Rejection, quoted
from palio_rules.laws.finding import Broken
from palio_rules.laws.walk import MOST_MOVES, Sample, Walk, listed

OTHERS = 20  # moves of other positions that are tried
SENTENCE = 400  # characters at most: a long value is cut in it
DEEP = 100_000  # lists within lists
NO_MOVES: tuple[Any, ...] = (
    *(None, True, 0.5, "", "no move at all", [], {}, [[]], [None], [True, 1], [1.0, 1], ["1", 2], {"row": 1}, b"x"),
    *([[0, 0], [True, 0]], [0, -1], [-1, 0], 10**5000, [10**5000, 0], [[0, 0], [0, 10**5000]], float("nan")),
    *([2**63, 1], "x" * 10_000, [0] * 1000),
)
NO_NOTATION = ("", " ", "no-move-at-all", "\0", "²", "x" * 10_000, "1-")
QUOTED: tuple[Any, ...] = (None, True, 0.5, "", [], {}, [[]], [True, 1], [1.0, 1], ["1", 2], {"row": 1})


def listed_once(walk: Walk, sample: Sample, choose: random.Random) -> None:
    moves = listed(sample.state)
    if len(moves) >= MOST_MOVES:
        raise Broken(f"there are {MOST_MOVES:,} moves or more, which takes too long to list for every turn")
    for number, move in enumerate(moves):
        if number and move in moves[:number] and len(moves) < 2000:
            raise Broken(f"the move {move!r} is listed twice")
    if listed(sample.state) != moves:
        raise Broken("the moves are listed in another order the second time")


def checked(walk: Walk, sample: Sample, choose: random.Random) -> None:
    if sample.state.to_move is None:
        return
    moves = listed(sample.state)
    for move in moves:
        try:
            sample.state.check(move)
        except Rejection as error:
            raise Broken(f"the listed move {move!r} does not pass check: {error}") from None
    if walk.rules.anytime:
        return
    legal = set(moves)
    for move in _candidates(walk, moves, choose):
        if move in legal:
            continue
        try:
            sample.state.check(move)
        except IllegalMove:
            continue
        raise Broken(f"the move {move!r} passes check, but is not listed")


def over(walk: Walk, sample: Sample, choose: random.Random) -> None:
    if sample.state.to_move is not None:
        return
    for move in walk.moves[-OTHERS:]:
        try:
            sample.state.check(move)
        except IllegalMove as error:
            if error.code == "game-over":
                continue
            raise Broken(f"after the end {move!r} is refused with the code {error.code!r}, not 'game-over'") from None
        raise Broken(f"the move {move!r} passes check after the end")


def wire(walk: Walk, sample: Sample, choose: random.Random) -> None:
    for move in listed(sample.state):
        value = walk.rules.move_to_wire(move)
        try:
            packed = msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=Plain)
        except (msgspec.MsgspecError, TypeError, OverflowError, ValueError) as error:
            raise Broken(f"the move {move!r} cannot travel as {quoted(value)}: {error}") from None
        if not packed == msgspec.json.decode(msgspec.json.encode(value)) == value:
            raise Broken(
                f"the move {move!r} is {quoted(value)} for the wire, and {quoted(packed)} when it has travelled"
            )
        again = walk.rules.move_from_wire(packed)
        if again != move:
            raise Broken(f"the move {move!r} comes back from the wire as {again!r}")
        if msgspec.msgpack.encode(move) != msgspec.msgpack.encode(value):
            raise Broken(f"the move {move!r} itself travels otherwise than as {quoted(value)}, what move_to_wire says")


def notation(walk: Walk, sample: Sample, choose: random.Random) -> None:
    rules, state = walk.rules, sample.state
    known: dict[str, Any] = {}
    for move in dict.fromkeys(listed(state)):
        text = rules.notation(state, move)
        if not isinstance(text, str) or text.split() != [text]:
            raise Broken(f"the move {move!r} is written {text!r}, which is not one word")
        if text[0] in "{}":
            raise Broken(f"the move {move!r} is written {text!r}; records begin their comments so")
        if text in known:
            raise Broken(f"the moves {known[text]!r} and {move!r} are both written {text!r}")
        known[text] = move
        if (again := rules.parse_notation(state, text)) != move:
            raise Broken(f"the move {move!r} is written {text!r}, which is read as {again!r}")


def hostile(walk: Walk, sample: Sample, choose: random.Random) -> None:
    values = [*NO_MOVES, *(bent(walk.rules.move_to_wire(move), choose) for move in walk.moves[-OTHERS:])]
    for value in values:
        _refused(lambda given: walk.rules.read_move(sample.state, given), value, "the wire value")
    if not sample.path:
        deep: list[Any] = []
        for _ in range(DEEP):
            deep = [deep]
        try:
            _refused(lambda given: walk.rules.read_move(sample.state, given), deep, "a list in a list in a list")
        finally:
            while deep:  # taken apart by hand, because freeing it in one go would recurse as deeply
                deep = deep[0]


def quotes(walk: Walk, sample: Sample, choose: random.Random) -> None:
    for value in QUOTED:
        try:
            walk.rules.read_move(sample.state, value)
        except Rejection as error:
            if repr(value) not in str(error):
                raise Broken(
                    f"the wire value {value!r} is refused with {str(error)!r}, which does not quote it"
                ) from None
        except Exception:  # noqa: BLE001, S112  # another law's business
            continue


def hostile_notation(walk: Walk, sample: Sample, choose: random.Random) -> None:
    rules, state = walk.rules, sample.state
    written = [rules.notation(state, move) for move in listed(state)[:OTHERS]]
    for text in (*NO_NOTATION, *(scrambled(each, choose) for each in written)):
        _refused(lambda given: rules.parse_notation(state, given), text, "the notation")


def _refused(read: Any, value: Any, what: str) -> None:
    """Raises Broken if anything but a Rejection with a sentence comes of reading `value`."""
    try:
        read(value)
    except Rejection as error:
        if not 0 < len(str(error)) <= SENTENCE:
            said = f"refused with {len(str(error)):,} characters"
            raise Broken(f"{what} {quoted(value)} is {said}; say it in one sentence, with quoted()") from None
    except Exception as error:
        raise Broken(f"{what} {quoted(value)} raises {type(error).__name__}: {quoted(str(error))}") from error


def _candidates(walk: Walk, moves: list[Any], choose: random.Random) -> Iterable[Any]:
    """Moves of this position, of others, and moves bent out of these."""
    others = choose.choices(walk.moves, k=OTHERS) if walk.moves else []
    for move in [*moves[:200], *others]:
        value = walk.rules.move_to_wire(move)
        for given in (value, bent(value, choose), bent(value, choose)):
            try:
                yield walk.rules.move_from_wire(given)
            except Exception:  # noqa: BLE001, S112  # what cannot be read is the business of other laws
                continue


def bent(value: Any, choose: random.Random) -> Any:
    """A wire value that differs in one integer or letter, or has two parts exchanged."""
    if isinstance(value, list | tuple) and value:
        found = copy.deepcopy(list(value))
        at = choose.randrange(len(found))
        if choose.random() < 0.2:
            found.reverse()
        else:
            found[at] = bent(found[at], choose)
        return found
    if isinstance(value, str):
        return scrambled(value, choose)
    return value + choose.choice([-2, -1, 1, 2]) if type(value) is int else value


def scrambled(text: str, choose: random.Random) -> str:
    """A text that differs a little: something left out, doubled, exchanged or put in."""
    at, to = sorted((choose.randrange(len(text) + 1), choose.randrange(len(text) + 1)))
    letters = text + "0x/ -.,\n²"
    match choose.randrange(4):
        case 0:
            return text[:at] + text[to:]
        case 1:
            return text[:to] + text[at:]
        case 2:
            return text[:at] + choose.choice(letters) + text[at + 1 :]
        case _:
            return text[:at] + choose.choice(letters) + text[at:]
