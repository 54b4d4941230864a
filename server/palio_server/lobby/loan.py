"""A slot of one of our connections, used by a match that another process plays."""

from collections.abc import Callable
from dataclasses import dataclass

from palio_server.bus import Subscription
from palio_server.lobby.session import Session


@dataclass(eq=False, slots=True)
class Loan:
    """One slot. The session closes it when it is gone, and nothing of it is left then."""

    session: Session
    match: str
    process: str
    epoch: int
    ended: Callable[["Loan"], None]
    orphaned_at: float | None = None  # since when its process is dead
    told: Subscription | None = None  # forwards what the match says
    said: Subscription | None = None  # forwards what the bot says

    def close(self) -> None:
        for subscription in (self.told, self.said):
            if subscription is not None:
                subscription.close()
        self.told = self.said = None
        self.ended(self)
