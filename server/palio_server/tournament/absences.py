"""Who has been away for how long: a bot that does not come must not hold up a round."""

from collections.abc import Callable, Iterable


class Absences:
    """Since when bots have been away, by a clock of seconds. `grace_s`: how long is waited; None: for ever."""

    def __init__(self, grace_s: float | None) -> None:
        self._grace_s = grace_s
        self._since: dict[str, float] = {}

    def overdue(self, bots: Iterable[str], is_here: Callable[[str], bool], now: float) -> set[str]:
        """Those of the `bots`, which have something to play, that have been away for longer than the grace."""
        away = {bot for bot in bots if not is_here(bot)}
        self._since = {bot: self._since.get(bot, now) for bot in away}
        if self._grace_s is None:
            return set()
        return {bot for bot, since in self._since.items() if now - since >= self._grace_s}
