"""How late the event loop comes to a timer: what everything that the server does is late by."""

import asyncio
from collections import deque

from palio_server.metrics.histogram import LAG_S, Histogram

EVERY_S = 0.25  # between two looks: four times a second wake nobody up who sleeps
REMEMBERED_S = 10.0  # `worst` is that of so long


class LoopLag:
    """Looks at the loop's clock, for as long as `run` runs."""

    def __init__(self) -> None:
        self.seen = Histogram(LAG_S)
        self._recent: deque[float] = deque([0.0], maxlen=round(REMEMBERED_S / EVERY_S))

    @property
    def worst_s(self) -> float:
        """The longest that the loop was late by in the last seconds."""
        return max(self._recent)

    async def run(self) -> None:
        """Look until cancelled."""
        now = asyncio.get_running_loop().time
        while True:
            due = now() + EVERY_S
            await asyncio.sleep(EVERY_S)
            late = max(0.0, now() - due)
            self.seen.observe(late)
            self._recent.append(late)
