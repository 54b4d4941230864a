"""The companion of Chexers: searches and evaluation."""

from palio_clients.games.chexers.evaluation import evaluate
from palio_clients.games.companion import Companion
from palio_rules.boards.chexers import Action
from palio_rules.games.chexers import Position


class ChexersCompanion(Companion[Position, Action]):
    """Compiled searches for three seats."""

    compiled = f"{__name__}.kernels"
    unit = ("point", "points")  # two rows of a piece are one point, an extra piece is three
    evaluate = staticmethod(evaluate)
