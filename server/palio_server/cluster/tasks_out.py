"""What is on its way to workers: which task has which game, who plays it, and until when it must be over. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from palio_db.values import Claim


@dataclass(eq=False)
class Task:
    """A portion on its way."""

    claims: dict[str, Claim]  # of those that are not over
    future: Any  # Dask's
    sent: float
    begun: float = 0.0  # when its first game began
    worker: str = ""  # who plays it, as far as known
    deadline: dict[str, float] = field(default_factory=dict)  # of games that have begun


class TasksOut:
    """Tasks by key, and the key of each game. A game that is being committed is out still, with no task."""

    def __init__(self) -> None:
        self._tasks: dict[str, Task] = {}
        self._keys: dict[str, str] = {}  # by match

    def __len__(self) -> int:
        """How many games are out."""
        return len(self._keys)

    @property
    def count(self) -> int:
        """How many tasks have them."""
        return len(self._tasks)

    def __contains__(self, key: object) -> bool:
        return key in self._tasks

    def add(self, key: str, task: Task) -> None:
        self._tasks[key] = task
        self._keys.update((match, key) for match in task.claims)

    def take(self, key: str) -> Task | None:
        """Take a task out. Its games are out until each is `over`."""
        return self._tasks.pop(key, None)

    def settling(self, match: str) -> None:
        """The game has ended, and is to be committed."""
        self._keys[match] = ""

    def over(self, match: str) -> None:
        """The game is out no more. Harmless twice."""
        self._keys.pop(match, None)

    def keys(self) -> list[str]:
        return [*self._tasks]

    def all(self) -> list[Task]:
        return [*self._tasks.values()]

    def games(self) -> list[str]:
        return [*self._keys]

    def claims(self) -> list[Claim]:
        """All that is held for them."""
        return [claim for task in self._tasks.values() for claim in task.claims.values()]

    def of(self, match: str) -> Task | None:
        """The task that has the game."""
        return self._tasks.get(self._keys.get(match, ""))

    def of_worker(self, worker: str) -> list[str]:
        """The keys of what a worker has."""
        return [key for key, task in self._tasks.items() if task.worker == worker]

    def late(self, now: float) -> Iterator[tuple[str, list[str]]]:
        """Workers, and those of their games that take longer than their clocks allow."""
        for task in self._tasks.values():
            late = [match for match, deadline in task.deadline.items() if match in task.claims and deadline < now]
            if late and task.worker:
                yield task.worker, late
