"""Hidden cases of Chexers: seeds of the opponents, some of which convert every piece that they can."""

import random
from typing import Any

from palio_rules.boards.chexers import COLOURS

QUIET, GREEDY = 25, 60  # turns of the student's player


def draw(seed: int) -> dict[str, Any]:
    """Return `games`: against opponents of each kind, one for each colour."""
    choose = random.Random(f"chexers {seed}")  # noqa: S311  # an assignment, no secret
    return {
        "games": [
            {"colour": colour, "seed": choose.randrange(10**9), "turns": turns, "converts": converts}
            for converts, turns in ((False, QUIET), (True, GREEDY))
            for colour in COLOURS
        ]
    }
