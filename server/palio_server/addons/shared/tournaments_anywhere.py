"""Tournaments of servers that share the work: each is directed by one of them, and may be asked for at any.

Who directs a tournament is its `worker` in the database. When that server is dead, the oldest referee takes its place.
Should two direct for a moment, because one was thought dead, nothing is planned twice: an encounter's number is a
primary key. Whoever has been replaced reads so at its next look, and stops.
"""

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import msgspec

from palio_db.errors import NotFound, StoreError
from palio_db.event_values import Entry, Stage, TournamentDraft
from palio_db.values import PALIO, Actor
from palio_rules.errors import BadOption
from palio_server.addons.shared.node import Node
from palio_server.addons.shared.requests import Declined, NoAnswer
from palio_server.arena.directing import NotPossible
from palio_server.arena.tournaments import MANY, Tournaments

log = logging.getLogger(__name__)

VERB = "tournament"
ANSWER_S = 20.0  # to plan a large round takes a while
LOOK_S = 1.0  # between two looks for tournaments that nobody directs any more
LOOK_FOR_OURS_S = 5.0  # between two looks for those of ours: to take one over may have failed after it was written
ADOPTED_S = 6.0  # for whoever is asked in the meantime to wait until somebody does
ACTS = frozenset({"start", "pause", "resume", "cancel", "extend", "add", "withdraw"})
OPEN: tuple[Stage, ...] = ("running", "open", "paused")
ERRORS: dict[str, type[Exception]] = {each.__name__: each for each in (NotPossible, NotFound, BadOption)}


class TournamentsAnywhere(Tournaments):
    """As `Tournaments`; what is directed elsewhere is asked for there."""

    node: Node
    directs: bool  # whether we are one of those who direct

    def share(self, node: Node, *, directs: bool) -> None:
        """Share the work with others from now on; to be called before `run`."""
        self.node, self.directs = node, directs
        if directs:
            node.requests.serve(VERB, self._serve)

    async def run(self) -> None:
        """Direct until cancelled, and look after those whose server is dead."""
        await self.node.settled.wait()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(super().run(), name="tournaments")
            tasks.create_task(self._look_for_ours(), name="our-tournaments")
            while True:
                await asyncio.sleep(LOOK_S)
                if self.node.leads():
                    try:
                        await self._adopt_orphans()
                    except StoreError as error:
                        log.warning("tournaments without a server wait: %s", error)

    async def _look_for_ours(self) -> None:
        """Whoever has one must direct it: all others take it for looked after."""
        while True:
            await asyncio.sleep(LOOK_FOR_OURS_S)
            with suppress(StoreError):  # that it is away is said by whoever waits for it; we look again
                await self._direct_ours()

    async def create(self, draft: TournamentDraft, *, by: Actor = PALIO) -> int:
        if self.directs:
            return await super().create(draft, by=by)
        value = await self._ask(self._leader(), "create", [msgspec.to_builtins(draft), msgspec.to_builtins(by)])
        return int(value)

    async def start(self, number: int) -> None:
        if not await self._elsewhere(number, "start"):
            await super().start(number)

    async def pause(self, number: int) -> None:
        if not await self._elsewhere(number, "pause"):
            await super().pause(number)

    async def resume(self, number: int) -> None:
        if not await self._elsewhere(number, "resume"):
            await super().resume(number)

    async def cancel(self, number: int) -> None:
        if not await self._elsewhere(number, "cancel"):
            await super().cancel(number)

    async def extend(self, number: int, rounds: int) -> None:
        if not await self._elsewhere(number, "extend", rounds):
            await super().extend(number, rounds)

    async def add(self, number: int, bot: str, rating: float | None = None, byes: Iterable[int] = ()) -> Entry:
        found = await self._elsewhere(number, "add", bot, rating, sorted(byes))
        return msgspec.convert(found[0], Entry) if found else await super().add(number, bot, rating, byes)

    async def withdraw(self, number: int, bot: str) -> None:
        if not await self._elsewhere(number, "withdraw", bot):
            await super().withdraw(number, bot)

    async def _elsewhere(self, number: int, act: str, *words: Any) -> list[Any]:
        """Have it done by whoever directs the tournament: [what came of it]; [] if that is for us to do, or to refuse.

        Raises what it raises there.
        """
        deadline = asyncio.get_running_loop().time() + ADOPTED_S
        while True:
            row = await self._store.tournament(number)
            if row is None or row.announced is not None or row.worker in ("", self.worker):
                return []
            if (process := self.node.process_of(row.worker)) is not None:
                return [await self._ask(process, act, [number, *words])]
            if row.stage not in OPEN and self.directs:
                await self._store.take_worker(number, self.worker, former=row.worker)
            elif asyncio.get_running_loop().time() > deadline:
                return []
            else:
                await asyncio.sleep(LOOK_S / 2)

    def _leader(self) -> str:
        leader = self.node.roster.leader(lambda beat: beat.referee)
        if leader is None:
            raise NotPossible("no server directs tournaments now; start one with --role referee, or with all roles")
        return leader

    async def _ask(self, process: str, act: str, words: list[Any]) -> Any:
        try:
            return await self.node.requests.ask(process, VERB, [act, *words], ANSWER_S)
        except Declined as error:
            raise ERRORS.get(error.kind, NotPossible)(str(error)) from None
        except NoAnswer as error:
            raise NotPossible(f"{error}; look at the tournament, and ask again") from None

    async def _serve(self, words: Any) -> Any:
        """Do what another server asks for."""
        act, *rest = words
        if act == "create":
            draft, by = msgspec.convert(rest[0], TournamentDraft), msgspec.convert(rest[1], Actor)
            return await Tournaments.create(self, draft, by=by)
        if act not in ACTS:
            raise NotPossible(f"this server cannot {str(act)[:40]} tournaments; upgrade it")
        return await getattr(Tournaments, act)(self, *rest)

    async def _adopt_orphans(self) -> None:
        """Direct what nobody directs."""
        living = {beat.worker for beat in self.node.roster.everybody()}
        for stage in OPEN:
            for row in await self._store.tournaments(MANY, stage=stage):
                if row.announced is not None or row.worker in living or not row.worker:
                    continue
                if await self._store.take_worker(row.id, self.worker, former=row.worker):
                    log.warning("tournament %d is directed here now; the server %r is gone", row.id, row.worker)
                    await self.take_up(row.id)
