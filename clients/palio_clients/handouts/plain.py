"""What a student's code returns, as it goes on the wire."""

from numbers import Integral, Real
from typing import Any

from msgspec import UNSET, UnsetType

from palio_clients.bot import Told
from palio_clients.handouts.coursework import Unfit
from palio_rules.errors import quoted
from palio_rules.messages import Info


def plain(value: object) -> Any:
    """Tuples become lists, numpy's numbers and arrays Python's. Raises Unfit for what can be no move of any game."""
    match value:
        case None | bool() | str():
            return value
        case Integral():
            return int(value)
        case Real():
            return float(value)
        case list() | tuple():
            return [plain(part) for part in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    raise Unfit(f"the file returned {quoted(value)} for a move, which is none in any game")


def info_of(told: Told | None) -> Info | UnsetType:
    """What the viewers are told."""
    if told is None:
        return UNSET
    return Info(
        depth=UNSET if told.depth is None else told.depth,
        nodes=UNSET if told.nodes is None else told.nodes,
        score=UNSET if told.score is None else told.score,
    )
