"""How often a bot may come: who loses its connection again and again disturbs others, and is told to wait.

Every hello under a name costs, and every match that is over gives as much back, so that a program which is started for
each match comes as often as it plays. Of a name with many connections each hello costs less: they may all be lost at
once, and come again. Whoever resumes a session has shown that it is the same bot, and pays from a budget of its own, so
that nobody else can use up what it needs.
"""

from collections.abc import Callable

from palio_server.edge.budgets import Budgets
from palio_server.edge.refusal import TooMuch

HELLOS, HELLOS_A_SECOND = 20.0, 0.5  # of one name without a match in between


class Comings:
    """The hellos of all names."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._budgets = Budgets(HELLOS_A_SECOND, HELLOS, now)

    def count(self, name: str, session: str | None, others: int) -> None:
        """One more hello, which resumes `session`; `others` are connected under the same name. Raises TooMuch."""
        wait = self._budgets.take(_key(name, session), 1 / (1 + others))
        if wait:
            raise TooMuch("too-many-hellos", f"{name} has come too often without playing a match", wait)

    def played(self, name: str, session: str) -> None:
        """A match of that session is over."""
        self._budgets.give(_key(name, None))
        self._budgets.give(_key(name, session))


def _key(name: str, session: str | None) -> str:
    return f"name {name}" if session is None else f"session {session}"
