"""How often a game was tried whose tasks fail, and whether it is tried again. Pure."""

from collections import Counter
from collections.abc import Iterable

from palio_server.arena.running_match import printable

TRIES = 4  # at so many a game is aborted: each failed task of it alone is one, after Dask's own tries,
KILLED = 2  # and one for which several workers have died is two


class Tries:
    """By match."""

    def __init__(self) -> None:
        self._alone: set[str] = set()
        self._tries: Counter[str] = Counter()

    def failed(self, matches: Iterable[str], error: Exception) -> None:
        """A task with these games has no result: they are handed out one by one, to tell whose fault it is."""
        found = [*matches]
        if len(found) == 1:
            self._tries.update(found * (KILLED if _is_killed(error) else 1))
        self._alone.update(found)

    def hung(self, matches: Iterable[str]) -> None:
        """These have taken longer than their clocks allow."""
        self._tries.update([*matches] * KILLED)

    def alone(self, match: str) -> bool:
        """Whether it is handed out by itself."""
        return match in self._alone

    def spent(self, match: str) -> bool:
        """Whether it was tried often enough."""
        return self._tries[match] >= TRIES

    def forget(self, match: str) -> None:
        """It is over."""
        self._alone.discard(match)
        self._tries.pop(match, None)


def why_failed(error: Exception) -> str:
    """Why a task has no result, in a sentence for the match that it played."""
    if _is_killed(error):
        workers = getattr(error, "last_worker", None)
        where = f", the last one {workers.address}" if workers is not None else ""
        return printable(f"the workers that played it died, {getattr(error, 'allowed_failures', 0) + 1} of them{where}")
    return printable(f"its worker failed: {type(error).__name__}: {error}")


def _is_killed(error: Exception) -> bool:
    return type(error).__name__ == "KilledWorker"  # Dask's, which is not imported for its name alone
