"""The leases of one worker: on the matches that it plays, and on those that it will begin next."""

import time
from collections import deque
from collections.abc import Collection, Mapping, Sequence

from palio_db.store import Store
from palio_db.values import Claim
from palio_server.arena.running_match import RunningMatch

ALL = 1_000_000  # matches in progress, of all workers


class Leases:
    """Claims matches for `worker`, for `lease_s` seconds at a time. All its coroutines raise StoreError."""

    def __init__(self, store: Store, worker: str, lease_s: float) -> None:
        self._store, self._worker, self._lease_s = store, worker, lease_s
        self.renewed_at, self.taken_over = time.monotonic(), 0  # the count is for operators
        self.waiting: deque[Claim] = deque()  # claimed, not yet begun
        self.adopted: deque[Claim] = deque()  # the same, taken over from others: these come first, room or not
        self._former: set[str] = set()  # matches that this worker was playing before it was started again

    @property
    def lease_s(self) -> float:
        return self._lease_s

    def next(self) -> Claim | None:
        """The next to begin."""
        first = self.adopted or self.waiting
        return first.popleft() if first else None

    def claimed(self) -> set[str]:
        """The matches that are claimed, and not yet begun."""
        return {claim.match for claim in (*self.adopted, *self.waiting)}

    def was_ours(self, claim: Claim) -> bool:
        """Whether its bots were connected here, and are coming back."""
        return claim.match in self._former

    async def claim(self, free: Mapping[str, Collection[str]], most: int, tournament: int | None) -> None:
        """Claim the oldest matches that bots of `free` (names by game) can play; of one tournament only, if given."""
        self.waiting += await self._store.claim_some(
            self._worker, self._lease_s, most, free=free, tournament=tournament
        )

    async def claim_these(self, matches: Sequence[str]) -> None:
        """Claim those of `matches` that nobody else has claimed by now; they are begun next."""
        self.waiting += await self._store.claim_these(self._worker, self._lease_s, matches)

    async def claim_first(self, matches: Sequence[str]) -> None:
        """The same, and begin them before all others."""
        self.waiting.extendleft(reversed(await self._store.claim_these(self._worker, self._lease_s, matches)))

    async def take_up(self) -> None:
        """Claim what this worker was playing before it was started again."""
        running = await self._store.matches(status="running", limit=ALL)
        self._former = {row.id for row in running if row.worker == self._worker}
        self.waiting += await self._store.reclaim(self._worker, self._lease_s, lapsed=False)

    async def take_over(self, matches: Sequence[str]) -> None:
        """Claim those of `matches` that others have let go of; they are begun before all others."""
        found = await self._store.take_over(self._worker, self._lease_s, matches)
        self.taken_over += len(found)
        self.adopted += found

    async def renew(self, playing: Collection[RunningMatch]) -> None:
        """Hold all for another lease; those that belong to somebody else by now are lost."""
        asked_at, waiting = time.monotonic(), [*self.adopted, *self.waiting]
        claims = [*(running.claim for running in playing), *waiting]
        if not claims:
            self.renewed_at = asked_at
            return
        kept = await self._store.renew(claims, self._lease_s)
        self.renewed_at = asked_at
        for running in playing:
            if running.claim.match not in kept:
                running.lose()
        for claim in waiting:
            for line in (self.adopted, self.waiting):
                if claim.match not in kept and claim in line:
                    line.remove(claim)
