"""Chexers puzzles: from a seed, with the fewest actions proven, and from the course's JSON files."""

import json
import random
from collections import deque
from functools import lru_cache
from heapq import heappop, heappush
from typing import Any

from palio_rules.boards.chexers import (
    BLOCK,
    COLOURS,
    EMPTY,
    EXITS,
    HEXES,
    INDEX,
    LETTERS,
    WAYS,
    Action,
    actions,
    moved,
    rows_of,
)
from palio_rules.errors import BadInstance, BadOption, quoted
from palio_rules.instances.effort import spend
from palio_rules.instances.source import Source

# The fewest actions of a Chexers puzzle, exactly: A* with a table of distances.
#
# Source: Hart, Nilsson and Raphael, "A formal basis for the heuristic determination of minimum cost paths" (1968). The
# heuristic is the sum, over all pieces, of the actions that each would need if it could jump in every direction at
# every step. One action moves one piece, so the sum never exceeds the true cost (it is admissible), and one action
# changes it by at most one (it is consistent): when a position is first taken off the heap, the path to it is a
# shortest one.


def distances(cells: str, colour: int) -> dict[int, int]:
    """Return for each cell the fewest actions in which a piece there, free to jump anywhere, could leave.

    Blocks stay in the way. A cell without an exit is not in the table.
    """
    reached = {at: 1 for at in EXITS[colour] if cells[at] != BLOCK}
    waiting = deque(sorted(reached))
    while waiting:
        at = waiting.popleft()
        for way in WAYS[at]:
            for there in (way.near, way.far):
                if there >= 0 and there not in reached and cells[there] != BLOCK:
                    reached[there] = reached[at] + 1
                    waiting.append(there)
    return reached


def solve(cells: str, colour: int) -> list[Action] | None:
    """Return a shortest list of actions that takes all pieces of `colour` off, or None if there is none."""
    letter, table = LETTERS[colour], distances(cells, colour)
    if any(cell == letter and at not in table for at, cell in enumerate(cells)):
        return None

    total = sum(table[at] for at, cell in enumerate(cells) if cell == letter)
    best = {cells: 0}
    came: dict[str, tuple[str, Action]] = {}
    heap = [(total, total, cells)]
    while heap:
        total, left, here = heappop(heap)
        spend(1)
        if letter not in here:
            return _way(here, came)
        taken = best[here]
        if total > taken + left:
            continue  # a shorter path here has been found since
        for action in actions(here, colour):
            there = moved(here, action, convert=False)
            if taken + 1 < best.get(there, taken + 2):
                best[there], came[there] = taken + 1, (here, action)
                rest = left + _change(action, table)
                heappush(heap, (taken + 1 + rest, rest, there))
    return None


def _change(action: Action, table: dict[int, int]) -> int:
    """Return by how much the estimate grows with an action."""
    if action.kind == "EXIT":
        return -1
    src, dst = action.where
    return table[INDEX[dst]] - table[INDEX[src]]


def _way(here: str, came: dict[str, tuple[str, Action]]) -> list[Action]:
    way: list[Action] = []
    while here in came:
        here, action = came[here]
        way.append(action)
    return way[::-1]


SEEDS = 4  # derived from the given seed, if that one leads to no position
TRIES = 2000  # random positions that are tried, for each seed
SOLVED = 60  # at most so many positions that may need the given number of actions are solved; then the search gives up
KEYS = ("colour", "pieces", "blocks")


@lru_cache(maxsize=256)
def generate(seed: int, colour: int, pieces: int, blocks: int, actions: int) -> str:
    """Return the cells of a random solvable position; with `actions`, one that needs exactly so many.

    If the seed leads to none, the next one that is derived from it is tried. The same arguments give the same position
    everywhere. Raises BadOption if none was found.
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
    """Return the cells of such a position, or None; the action counts of the other positions are added to `needed`."""
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
    """Return cells with each letter of `what` at a random place."""
    places = list(range(len(HEXES)))
    choose.shuffle(places)
    cells = [EMPTY] * len(HEXES)
    for cell, at in zip(what, places, strict=False):
        cells[at] = cell
    return "".join(cells)


def _may_need(cells: str, colour: int, actions: int) -> bool:
    """Return whether to solve a position: not if it surely needs more than `actions`, or very likely fewer."""
    table = distances(cells, colour)
    least = [table.get(at) for at, cell in enumerate(cells) if cell == LETTERS[colour]]
    if None in least:
        return False
    total = sum(filter(None, least))
    return actions == 0 or total <= actions <= 2 * total


def read_json(source: Source) -> dict[str, Any]:
    """Read the options of a puzzle in the course's form: `{"colour": "red", "pieces": [[q, r]], "blocks": [[q, r]]}`.

    Other keys are ignored, as the course's programs do. Blocks are a set, as in the course, because existing boards
    name a block twice; pieces are not. Raises BadInstance with file, line and reason.
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
    """Return an error at the line on which `key` stands, or at the first line if it does not occur."""
    at = max(0, source.text.find(json.dumps(key)))
    return source.fault(source.text.count("\n", 0, at) + 1, reason)
