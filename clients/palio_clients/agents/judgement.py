"""How our agents judge a position that is not decided yet."""

from typing import Any

from palio_clients.knowledge import knowledge_of
from palio_clients.search.game_tree import Evaluate
from palio_clients.search.transposition import Lookback, nothing

DECIDED = 1000.0


def judge(game: str) -> Evaluate:
    """The evaluation of `game`; for a game that nobody has written one for, all open positions are equal."""
    module = knowledge_of(game)
    return _equal if module is None else module.evaluate


def looking_back(game: str) -> Lookback:
    """What of the past a position of `game` depends on; nothing, unless somebody has written it down."""
    return getattr(knowledge_of(game), "lookback", nothing)


def shown(score: float) -> float:
    """A score as viewers are told it: a decided game is worth a round thousand, not the search's own large number."""
    return max(-DECIDED, min(DECIDED, score))


def _equal(_state: Any, _seat: int) -> float:
    return 0.0
