"""Laws of moves: listed exactly when they pass, read back from the wire and from notation, refused if invalid."""

import copy
import random
from collections.abc import Iterable
from typing import Any

import msgspec

from palio_rules.contract.messages import Plain, Text
from palio_rules.errors import IllegalMove, Rejection, quoted
from palio_rules.laws.walk import MOST_MOVES, Broken, Sample, Walk, listed

OTHERS = 20  # moves of other positions that are tried
SENTENCE = 400  # characters at most; long values are cut
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
    values = [*NO_MOVES, *(mutated(walk.rules.move_to_wire(move), choose) for move in walk.moves[-OTHERS:])]
    for value in values:
        _refused(lambda given: walk.rules.read_move(sample.state, given), value, "the wire value")
    if not sample.path:
        deep: list[Any] = []
        for _ in range(DEEP):
            deep = [deep]
        try:
            _refused(lambda given: walk.rules.read_move(sample.state, given), deep, "a list in a list in a list")
        finally:
            while deep:  # unnested by a loop, because freeing it at once would recurse as deeply
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
        except Exception:  # noqa: BLE001, S112  # another law reports it
            continue


def hostile_notation(walk: Walk, sample: Sample, choose: random.Random) -> None:
    rules, state = walk.rules, sample.state
    written = [rules.notation(state, move) for move in listed(state)[:OTHERS]]
    for text in (*NO_NOTATION, *(mutated_text(each, choose) for each in written)):
        _refused(lambda given: rules.parse_notation(state, given), text, "the notation")


def _refused(read: Any, value: Any, what: str) -> None:
    """Raise Broken unless reading `value` raises a Rejection with a sentence."""
    try:
        read(value)
    except Rejection as error:
        if not 0 < len(str(error)) <= SENTENCE:
            said = f"refused with {len(str(error)):,} characters"
            raise Broken(f"{what} {quoted(value)} is {said}; say it in one sentence, with quoted()") from None
    except Exception as error:
        raise Broken(f"{what} {quoted(value)} raises {type(error).__name__}: {quoted(str(error))}") from error


def _candidates(walk: Walk, moves: list[Any], choose: random.Random) -> Iterable[Any]:
    """Yield moves of this position, of others, and mutated moves."""
    others = choose.choices(walk.moves, k=OTHERS) if walk.moves else []
    for move in [*moves[:200], *others]:
        value = walk.rules.move_to_wire(move)
        for given in (value, mutated(value, choose), mutated(value, choose)):
            try:
                yield walk.rules.move_from_wire(given)
            except Exception:  # noqa: BLE001, S112  # other laws report unreadable values
                continue


def mutated(value: Any, choose: random.Random) -> Any:
    """Return a wire value that differs in one integer or letter, or has two parts exchanged."""
    if isinstance(value, list | tuple) and value:
        found = copy.deepcopy(list(value))
        at = choose.randrange(len(found))
        if choose.random() < 0.2:
            found.reverse()
        else:
            found[at] = mutated(found[at], choose)
        return found
    if isinstance(value, str):
        return mutated_text(value, choose)
    return value + choose.choice([-2, -1, 1, 2]) if type(value) is int else value


def mutated_text(text: str, choose: random.Random) -> str:
    """Return a text that differs a little: something left out, doubled, exchanged or put in."""
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


# The views of a position: as a line of text, as a board of text, as a scene.

FURTHER = 12  # plies played from a position that was read from text


def round_trip(walk: Walk, sample: Sample, choose: random.Random) -> None:
    rules, state = walk.rules, sample.state
    text = rules.format_state(state)
    if not isinstance(text, str) or not text or len(text.splitlines()) != 1:
        raise Broken(f"a position is written {quoted(text)}, which is not one line")
    try:
        msgspec.convert(text, Text)
    except msgspec.ValidationError:
        raise Broken(f"a position is written with {len(text):,} characters; the wire carries 8,192") from None
    again = rules.parse_state(text)
    if again != state:
        raise Broken(f"what is read of {quoted(text)} is another position, written {quoted(rules.format_state(again))}")
    if (twice := rules.format_state(again)) != text:
        raise Broken(f"what is read of {quoted(text)} is written {quoted(twice)}")
    for _ in range(FURTHER):  # the text has all that the rules need
        moves = listed(state)
        if (again.to_move, again.outcome(), listed(again)) != (state.to_move, state.outcome(), moves):
            raise Broken(f"what is read of {quoted(text)} goes on in another way: history or options are missing in it")
        if not moves:
            return
        move = choose.choice(moves)
        try:
            state, again = state.play(move), again.play(move)
        except Exception:  # noqa: BLE001  # another law reports it
            return


def hostile_texts(walk: Walk, sample: Sample, choose: random.Random) -> None:
    rules, written = walk.rules, walk.rules.format_state(sample.state)
    twisted = [mutated_text(written, choose) for _ in range(8)]
    for text in ("", " ", "no position at all", "\0", "²" * 30, "9" * 5000, written + " x", *twisted):
        try:
            found = rules.parse_state(text)
        except ValueError as error:
            if not 0 < len(str(error)) <= 400:
                said = f"refused with {len(str(error)):,} characters; say it in one sentence"
                raise Broken(f"the position {quoted(text)} is {said}") from None
            continue
        except Exception as error:
            raise Broken(
                f"the position {quoted(text)} raises {type(error).__name__}: {error}, no BadPosition"
            ) from error
        if rules.format_state(found) != text:
            raise Broken(f"the position {quoted(text)} is read as {quoted(rules.format_state(found))}, and not refused")


def board(walk: Walk, sample: Sample, choose: random.Random) -> None:
    text = walk.rules.render(sample.state)
    if not isinstance(text, str):
        raise Broken(f"render gives {type(text).__name__}, not text")
    lines = text.split("\n")
    if len(lines) < 2:
        raise Broken(f"render gives one line, {quoted(text)}, and no board")
    for line in lines:
        if line != line.rstrip():
            raise Broken(f"the line {line!r} of the board ends in white space")


def scene(walk: Walk, sample: Sample, choose: random.Random) -> None:
    found = walk.rules.scene(sample.state)
    if found is None:
        return
    msgspec.json.encode(found)
    for mark in found.marks:
        inside = (
            0 <= mark.row <= mark.row + mark.rows <= found.rows and 0 <= mark.col <= mark.col + mark.cols <= found.cols
        )
        if not inside:
            raise Broken(f"{mark!r} lies outside of the board of {found.rows} x {found.cols} cells")
        if mark.seat is not None and not 0 <= mark.seat < len(walk.rules.seats):
            raise Broken(f"{mark!r} belongs to a seat that the game does not have")
    for row, col in (*found.last, *found.path):
        if not (0 <= row < found.rows and 0 <= col < found.cols):
            raise Broken(f"the cell {(row, col)} lies outside of the board of {found.rows} x {found.cols} cells")
    if len(found.row_names) not in (0, found.rows) or len(found.col_names) not in (0, found.cols):
        raise Broken("row_names and col_names name each row and column, or none")


# Gestures: touches make the intended move, and any touches are answered.

SOME = 30  # moves of a position, and random touches


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
    untouched = []
    for move in moves if len(moves) <= SOME else choose.sample(moves, SOME):
        touches = rules.gesture(state, move)
        if not touches:
            untouched.append(move)
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
    _named(hand, state, untouched)


def _named(hand: Any, state: Any, untouched: list[Any]) -> None:
    """Raise Broken unless each move without touches is made in another way."""
    named = [*hand.by_name(state), hand.forced(state)]
    for move in untouched:
        if move not in named:
            told = "has no touches, is not forced, and by_name() does not list it"
            raise Broken(f"the move {move!r} {told}, so that nobody can make it by hand")


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
    """Raise Broken if touching any cells gives anything but a checked move or a sentence."""
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
