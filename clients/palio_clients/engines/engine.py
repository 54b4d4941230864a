"""What every engine offers."""

from typing import Any, NamedTuple, Protocol

from palio_clients.search.game_tree import Best, Stop

DEEPEST = 64  # plies; the search of a small endgame ends by itself


class Limits(NamedTuple):
    """Of one search; 0 is no limit."""

    depth: int = 0  # plies
    nodes: int = 0

    @property
    def plies(self) -> int:
        """The depth to end at in any case."""
        return self.depth or DEEPEST


class Engine(Protocol):
    """Thinks about one match, and remembers from move to move what is of use."""

    remark: str | None  # what viewers and whoever has started it should know; None if all is as it should be

    def warm_up(self) -> None:
        """Get ready to think at full speed, which may take some seconds the first time on a machine."""

    def best(self, state: Any, limits: Limits, stop: Stop) -> Best:
        """The best that is found until `stop` or a limit says so; there is always a move. `state` is not over."""
