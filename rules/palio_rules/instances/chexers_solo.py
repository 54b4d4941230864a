"""Chexers puzzles: from a seed, with the fewest actions proven, and from the course's JSON files."""

import json
import random
from functools import lru_cache
from typing import Any

from palio_rules.boards.chexers import BLOCK, COLOURS, EMPTY, HEXES, INDEX, LETTERS, rows_of
from palio_rules.errors import BadInstance, BadOption, quoted
from palio_rules.instances.chexers_solver import distances, solve
from palio_rules.instances.effort import spend
from palio_rules.instances.source import Source

SEEDS = 4  # derived from the one that was given, if that one leads to no position
TRIES = 2000  # random positions that are looked at, for each seed
SOLVED = 60  # of these, so many that may need the number of actions asked for are solved; then the answer is no
KEYS = ("colour", "pieces", "blocks")


@lru_cache(maxsize=256)
def generate(seed: int, colour: int, pieces: int, blocks: int, actions: int) -> str:
    """The cells of a random position that can be solved, in exactly `actions` if that is not 0.

    Where the seed leads to none, the next one that is derived from it is tried. The same arguments give the same
    position everywhere. Raises BadOption if none was found.
    """
    if pieces + blocks > len(HEXES):
        raise BadOption(f"chexers_solo has {len(HEXES)} hexes, {pieces} pieces and {blocks} blocks do not fit")
    needed: set[int] = set()
    for attempt in range(SEEDS):
        words = f"chexers_solo {seed} {colour} {pieces} {blocks} {actions}{f' {attempt}' if attempt else ''}"
        choose = random.Random(words)  # noqa: S311  # an instance, no secret
        if (found := _find(choose, colour, pieces, blocks, actions, needed)) is not None:
            return found
    known = f"they need {min(needed)} to {max(needed)}" if needed else "none can be solved in about so many"
    raise BadOption(
        f"chexers_solo: no random position of {pieces} pieces and {blocks} blocks was found that needs "
        f"{actions or 'any'} actions: {known}; ask for another number, or give the board"
    )


def _find(choose: random.Random, colour: int, pieces: int, blocks: int, actions: int, needed: set[int]) -> str | None:
    """The cells of such a position, or None; how many actions the others need is added to `needed`."""
    left = SOLVED
    for _ in range(TRIES):
        position = _scatter(choose, LETTERS[colour] * pieces + BLOCK * blocks)
        spend(1)
        if not _may_need(position, colour, actions):
            continue
        way = solve(position, colour)
        if way is not None and actions in (0, len(way)):
            return position
        if way is not None:
            needed.add(len(way))
        left -= 1
        if left == 0:
            break
    return None


def _scatter(choose: random.Random, what: str) -> str:
    """Cells with each letter of `what` somewhere."""
    places = list(range(len(HEXES)))
    choose.shuffle(places)
    cells = [EMPTY] * len(HEXES)
    for cell, at in zip(what, places, strict=False):
        cells[at] = cell
    return "".join(cells)


def _may_need(cells: str, colour: int, actions: int) -> bool:
    """Whether a position is worth solving: not if it needs more actions for certain, or very likely fewer."""
    table = distances(cells, colour)
    least = [table.get(at) for at, cell in enumerate(cells) if cell == LETTERS[colour]]
    if None in least:
        return False
    total = sum(filter(None, least))
    return actions == 0 or total <= actions <= 2 * total


def read_json(source: Source) -> dict[str, Any]:
    """The options of a puzzle as the course writes it: `{"colour": "red", "pieces": [[q, r]], "blocks": [[q, r]]}`.

    Other keys are read over, as the course's programs do.
    Blocks are a set, as in the course, where boards are in use that name one twice; pieces are not.
    Raises BadInstance with file, line and reason.
    """
    try:
        value = json.loads(source.text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise source.fault(error.lineno, f"is no JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError) as error:
        raise source.fault(1, f"is no JSON of a puzzle: {error}") from None
    if not isinstance(value, dict):
        raise source.fault(1, f"a puzzle is an object with {', '.join(KEYS)}, got {quoted(value)}")
    if value.get("colour") not in COLOURS:
        raise _about(source, "colour", f"the colour is one of {', '.join(COLOURS)}, got {quoted(value.get('colour'))}")
    cells = [EMPTY] * len(HEXES)
    for key, cell in (("pieces", LETTERS[COLOURS.index(value["colour"])]), ("blocks", BLOCK)):
        _place(source, key, value.get(key), cells, cell)
    return {"board": rows_of(cells)}


def _place(source: Source, key: str, hexes: object, cells: list[str], cell: str) -> None:
    if not isinstance(hexes, list) or (key == "pieces" and not 1 <= len(hexes) <= 4):
        wanted = "a list of 1 to 4 hexes [q, r]" if key == "pieces" else "a list of hexes [q, r]"
        raise _about(source, key, f"{key} is {wanted}, got {quoted(hexes)}")
    for number, hex_ in enumerate(hexes):
        match hex_:
            case [q, r] if type(q) is type(r) is int and (q, r) in INDEX:
                at = INDEX[q, r]
            case _:
                raise _about(source, key, f"{key}[{number}] is no hex of the board: {quoted(hex_)}")
        if cells[at] != EMPTY and not cells[at] == cell == BLOCK:
            raise _about(source, key, f"{key}[{number}]: {quoted(hex_)} is taken")
        cells[at] = cell


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is given twice")
    return found


def _about(source: Source, key: str, reason: str) -> BadInstance:
    """A fault at the line on which `key` stands, or the first one if it does not."""
    at = max(0, source.text.find(json.dumps(key)))
    return source.fault(source.text.count("\n", 0, at) + 1, reason)
