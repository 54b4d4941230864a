"""Hidden cases of Chexers for one: boards with their fewest actions, proven by A*."""

import random
from typing import Any

from palio_clients.handouts.adapters.chexers_solo import as_json
from palio_rules.boards.chexers import COLOURS
from palio_rules.instances.chexers_solo import generate, solve

BOARDS = ((1, 5), (1, 9), (2, 4), (2, 8), (3, 3), (3, 6), (3, 9), (4, 12))  # pieces and blocks
LENGTHS = range(4, 23)  # actions


def draw(seed: int) -> dict[str, Any]:
    """Return `boards`: the course's JSON, and the fewest actions."""
    choose = random.Random(f"chexers_solo {seed}")  # noqa: S311  # an assignment, no secret
    return {"boards": [_board(choose, number % len(COLOURS), *size) for number, size in enumerate(BOARDS)]}


def _board(choose: random.Random, colour: int, pieces: int, blocks: int) -> dict[str, Any]:
    while True:
        cells = generate(choose.randrange(10**9), colour, pieces, blocks, 0)
        way = solve(cells, colour)
        if way is not None and len(way) in LENGTHS:
            return {"board": as_json(cells, colour), "actions": len(way)}
