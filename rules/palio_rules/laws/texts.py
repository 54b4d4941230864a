"""What a position looks like: as a line of text, as a board of text, as a scene."""

import random

import msgspec

from palio_rules.contract.messages import Text
from palio_rules.errors import quoted
from palio_rules.laws.finding import Broken
from palio_rules.laws.moves import scrambled
from palio_rules.laws.walk import Sample, Walk, listed

FURTHER = 12  # plies that a position that was read is played on


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
    for _ in range(FURTHER):  # all that the rules need is in it
        moves = listed(state)
        if (again.to_move, again.outcome(), listed(again)) != (state.to_move, state.outcome(), moves):
            raise Broken(f"what is read of {quoted(text)} goes on in another way: history or options are missing in it")
        if not moves:
            return
        move = choose.choice(moves)
        try:
            state, again = state.play(move), again.play(move)
        except Exception:  # noqa: BLE001  # another law's business
            return


def hostile(walk: Walk, sample: Sample, choose: random.Random) -> None:
    rules, written = walk.rules, walk.rules.format_state(sample.state)
    twisted = [scrambled(written, choose) for _ in range(8)]
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
