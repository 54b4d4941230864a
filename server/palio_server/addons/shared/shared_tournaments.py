"""Tournaments of servers that share the work: each is run by one of them, and any of them takes requests for it.

The server that runs a tournament is its `worker` in the database. When that server is dead, the oldest referee takes
its place. Should two run one for a moment, because a server was thought dead, nothing is planned twice: an encounter's
number is a primary key. The server that was replaced reads so the next time that it looks, and stops.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec

from palio_db.errors import NotFound, StoreError
from palio_db.event_values import Entry, Stage, TournamentDraft
from palio_db.store import Store
from palio_db.values import Actor
from palio_rules.errors import BadOption
from palio_server.addons.shared.node import Node
from palio_server.addons.shared.requests import Declined
from palio_server.arena.directing import NotPossible
from palio_server.arena.tournaments import ACTS, MANY, Tournaments
from palio_server.lobby.other_servers import NoAnswer

log = logging.getLogger(__name__)

VERB = "tournament"
ANSWER_S = 20.0  # to plan a large round takes a while
LOOK_S = 1.0  # between two looks for tournaments whose server is gone
LOOK_FOR_OURS_S = 5.0  # between two looks for our own: to take one over may have failed after it was written
ADOPTED_S = 6.0  # a request waits so long for another server to take over the tournament
OPEN: tuple[Stage, ...] = ("running", "open", "paused")
ERRORS: dict[str, type[Exception]] = {each.__name__: each for each in (NotPossible, NotFound, BadOption)}


class SharedTournaments:
    """Requests for tournaments, passed between servers; and the take-over of tournaments whose server is gone."""

    def __init__(self, store: Store, own: Tournaments, node: Node, *, runs: bool) -> None:
        """`own`: the tournaments of this server; `runs`: whether it may run any."""
        self._store, self._own, self._node, self._runs = store, own, node, runs
        if runs:
            node.requests.serve(VERB, self._serve)

    async def run(self) -> None:
        """Look after tournaments whose server is dead, until cancelled."""
        await self._node.settled.wait()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._look_for_ours(), name="our-tournaments")
            while True:
                await asyncio.sleep(LOOK_S)
                if self._node.leads():
                    try:
                        await self._adopt_orphans()
                    except StoreError as error:
                        log.warning("tournaments without a server wait: %s", error)

    async def _look_for_ours(self) -> None:
        """Run every tournament that is ours in the database: all other servers rely on that."""
        while True:
            await asyncio.sleep(LOOK_FOR_OURS_S)
            with suppress(StoreError):  # another task reports that it is away; we look again
                await self._own.direct_ours()

    async def create(self, draft: TournamentDraft, by: Actor) -> int | None:
        """Have a tournament made by the server that leads; None if this server can run it."""
        if self._runs:
            return None
        value = await self._ask(self._leader(), "create", [msgspec.to_builtins(draft), msgspec.to_builtins(by)])
        return int(value)

    async def change(self, number: int, act: str, arguments: Sequence[Any]) -> list[Any]:
        """Have `act` done by the server that runs the tournament: a list with its answer; empty if this server is to.

        Raises what the act raises there.
        """
        deadline = asyncio.get_running_loop().time() + ADOPTED_S
        while True:
            row = await self._store.tournament(number)
            if row is None or row.announced is not None or row.worker in ("", self._own.worker):
                return []
            if (process := self._node.process_of(row.worker)) is not None:
                answer = await self._ask(process, act, [number, *arguments])
                return [msgspec.convert(answer, Entry) if act == "add" else answer]
            if row.stage not in OPEN and self._runs:
                await self._store.take_worker(number, self._own.worker, former=row.worker)
            elif asyncio.get_running_loop().time() > deadline:
                return []
            else:
                await asyncio.sleep(LOOK_S / 2)

    def _leader(self) -> str:
        leader = self._node.roster.leader(lambda beat: beat.referee)
        if leader is None:
            raise NotPossible("no server directs tournaments now; start one with --role referee, or with all roles")
        return leader

    async def _ask(self, process: str, act: str, words: list[Any]) -> Any:
        try:
            return await self._node.requests.ask(process, VERB, [act, *words], ANSWER_S)
        except Declined as error:
            raise ERRORS.get(error.kind, NotPossible)(str(error)) from None
        except NoAnswer as error:
            raise NotPossible(f"{error}; look at the tournament, and ask again") from None

    async def _serve(self, words: Any) -> Any:
        """Do what another server asks for."""
        act, *rest = words
        if act == "create":
            draft, by = msgspec.convert(rest[0], TournamentDraft), msgspec.convert(rest[1], Actor)
            return await self._own.create(draft, by=by)
        if act not in ACTS:
            raise NotPossible(f"this server cannot {str(act)[:40]} tournaments; upgrade it")
        number, *arguments = rest
        return await self._own.change_here(number, act, arguments)

    async def _adopt_orphans(self) -> None:
        """Run the tournaments whose server is gone."""
        living = {beat.worker for beat in self._node.roster.beats()}
        for stage in OPEN:
            for row in await self._store.tournaments(MANY, stage=stage):
                if row.announced is not None or row.worker in living or not row.worker:
                    continue
                if await self._store.take_worker(row.id, self._own.worker, former=row.worker):
                    log.warning("tournament %d is directed here now; the server %r is gone", row.id, row.worker)
                    await self._own.take_up(row.id)
