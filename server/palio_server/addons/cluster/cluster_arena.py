"""Has scheduled matches played by a cluster, and commits what comes back.

    claim -> portion -> worker -> record -> commit -> tell

It takes the arena's place in a server, so that formats, lists, page and commands are the same as at home. What a worker
sends counts once: under the epoch of its claim, and while the match is in progress.
"""

import asyncio
import logging
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from palio_db.errors import LeaseLost, StoreError, Unavailable
from palio_db.values import Claim
from palio_rules.records.record import Record, Setup
from palio_server.addons.cluster import wire, worker
from palio_server.addons.cluster.fleet import Fleet
from palio_server.addons.cluster.shown_games import ShownGames, WorkerMonitor
from palio_server.addons.cluster.tasks_out import Portions, Task, TasksOut, Tries, Unplayables, longest_s, why_failed
from palio_server.arena.arena import LOOK_S, Arena
from palio_server.arena.journal import until_database_answers
from palio_server.arena.running_match import printable

log = logging.getLogger(__name__)

PAGE = 256  # matches claimed in one transaction
RETRIES = 2  # by Dask, of a task that raises: a worker that was not ready, a lost connection
END_S = 5.0  # for what is being written when the command ends


class ClusterArena(Arena):
    """The one owner of all matches that the cluster plays for this server."""

    def __init__(
        self, *parts: Any, fleet: Fleet, worker: str, most: int | None, unplayables: Unplayables, **more: Any
    ) -> None:
        """`worker` holds the claims; `most`: games at once, if there is a limit."""
        super().__init__(*parts, worker=worker, **more)
        self._fleet, self._worker, self._most = fleet, worker, most
        self._unplayables = unplayables
        self._feed = parts[3]
        self._shown = ShownGames(self._feed, self._bus)
        self._portions = Portions()
        self._again: deque[Claim] = deque()  # claimed, and to be handed out (again)
        self._tries, self._tasks = Tries(), TasksOut()
        self._off: set[str] = set()  # called off
        self._told: set[str] = set()  # whose beginning was told
        self._number = 0
        self._writing: set[asyncio.Task[None]] = set()
        self._ended: asyncio.Queue[tuple[Claim, wire.Ended]] = asyncio.Queue()
        self.stderr: defaultdict[str, list[str]] = defaultdict(list)  # by bot: what came with its newest fault
        fleet.heard = self._hear
        fleet.changed = self._changed.set
        fleet.lost = unplayables.fail

    # --- what others ask ----------------------------------------------------------------------------------------------

    def stop(self, match: str, reason: str) -> bool:
        if (task := self._tasks.of(match)) is None:
            return False
        self._soon(self._fleet.tell(worker.stop, match, printable(reason), of=[task.worker] if task.worker else None))
        return True

    def call_off(self, match: str, reason: str) -> bool:
        claim = self._claim_of(match)
        if claim is None or match in self._off:
            return claim is not None
        self._off.add(match)
        self._soon(self._end_without(claim, printable(reason)))
        return True

    def setup_of(self, match: str) -> Setup | None:
        claim = self._claim_of(match)
        return None if claim is None else claim.setup

    def playing(self) -> list[str]:
        return self._tasks.games()

    @property
    def ahead(self) -> int:
        """As many as make all workers busy, and half as many again: planning takes a while, too."""
        return 3 * self._portions.room(self._fleet.places, 0) // 2

    @property
    def needs_bots(self) -> bool:
        """A worker starts them when it has a game for them."""
        return False

    async def suspend(self) -> None:
        """Hand out nothing more. What is being played is played again when the event is resumed."""
        self._suspended = True
        self._changed.set()

    # --- at work ------------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Have matches played until cancelled. What is in progress then stays claimed, until it is put back."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.watch.run(), name="store-watch")
                tasks.create_task(self._fleet.run(), name="cluster-fleet")
                tasks.create_task(self._commit(), name="cluster-commit")
                monitor = WorkerMonitor(self._fleet, self._shown, self._tasks, self._tries, self._take_back)
                tasks.create_task(monitor.run(), name="cluster-monitor")
                await until_database_answers("former matches wait to be taken up", self._take_up)
                tasks.create_task(self._keep_leases(), name="cluster-leases")
                while True:
                    await self._hand_out(tasks)
        finally:
            await self._finish()

    async def _take_up(self) -> None:
        """Take up what this run had claimed before its coordinator was killed."""
        self._again += await self._store.reclaim(self._worker, self._lease_s)

    async def _finish(self) -> None:
        """Workers stop playing for us; what is being written is waited for."""
        if self._writing:
            await asyncio.wait(self._writing, timeout=END_S)
        try:
            async with asyncio.timeout(END_S):
                await self._fleet.leave()
                await self._fleet.cancel([task.future for task in self._tasks.all()])
        except Exception as error:  # noqa: BLE001  # workers notice by themselves that we are gone
            log.info("the cluster was left without a goodbye: %s", error)

    # --- handing out --------------------------------------------------------------------------------------------------

    async def _hand_out(self, tasks: asyncio.TaskGroup) -> None:
        """Claim what there is room for and send it off, or wait until that may be possible."""
        self._changed.clear()
        places = self._fleet.places if self._most is None else min(self._most, self._fleet.places)
        if places == 0 and self._tasks.keys():
            await self._recall()
        if places and not self._suspended and not self.watch.trouble:
            room, out = self._portions.room(places, len(self._tasks)), self._tasks.count
            room = self._portions.worth(room, places, out)
            if room > len(self._again):
                await until_database_answers("matches wait to be claimed", lambda: self._claim_more(room))
            if count := self._portions.worth(min(room, len(self._again)), places, out):
                claims = [self._again.popleft() for _ in range(count)]
                self._send(claims, places, tasks)
                return
        try:
            async with asyncio.timeout(LOOK_S):
                await self._changed.wait()
        except TimeoutError:
            self._doubt = True

    _doubt = True  # there may be matches that wait

    def nudge(self) -> None:
        self._doubt = True
        self._changed.set()

    async def _claim_more(self, room: int) -> None:
        if not self._doubt:
            return
        wanted = min(PAGE, room - len(self._again))
        found = await self._store.waiting(wanted, tournament=self.tournament)
        self._doubt = len(found) == wanted
        playable = [each.match for each in found if self.broken.isdisjoint(each.bots)]
        self._again += await self._store.claim_these(self._worker, self._lease_s, playable)

    def _send(self, claims: Sequence[Claim], places: int, tasks: asyncio.TaskGroup) -> None:
        claims = [claim for claim in claims if claim.match not in self._off]
        alone = [[claim] for claim in claims if self._tries.alone(claim.match)]
        others = [claim for claim in claims if not self._tries.alone(claim.match)]
        for portion in [*alone, *self._portions.cut(others, places, len(self._tasks))]:
            self._number += 1
            key = f"{self._fleet.run_id}-{self._number}"
            data = wire.encode(wire.Portion(self._fleet.run_id, [*portion]))
            now = asyncio.get_running_loop().time()
            future = self._fleet.submit(data, key, RETRIES)
            self._tasks.add(key, task := Task({claim.match: claim for claim in portion}, future, now))
            tasks.create_task(self._follow(key, task), name=f"portion {key}")

    async def _follow(self, key: str, task: Task) -> None:
        """Wait for a task's end, and sort what came of it."""
        try:
            ended = wire.ended_of(await task.future)
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is not None and current.cancelling():  # the run ends
                raise
            await self._forgotten(key)
            return
        except Exception as error:  # noqa: BLE001  # any fault of Dask or of a worker
            if task.future.cancelled():
                await self._forgotten(key)
            else:
                self._failed(key, task, error)
            return
        finally:
            self._changed.set()
        if self._tasks.take(key) is not task:
            return  # it was given up, and other workers play its games
        now = asyncio.get_running_loop().time()
        self._portions.note(len(ended), now - (task.begun or task.sent))
        claims = task.claims
        for each in ended:
            if (claim := claims.pop(each.match, None)) is not None:  # a worker can only end what it was given
                self._ended.put_nowait((claim, each))
        for claim in claims.values():
            self._ended.put_nowait((claim, wire.Aborted(claim.match, "its worker says nothing of it")))
        task.claims = {}

    async def _forgotten(self, key: str) -> None:
        """We have cancelled a task, or the scheduler is gone: no fault of its games."""
        if key in self._tasks:
            self._fleet.check_scheduler()
            await self._take_back([key])

    def _failed(self, key: str, task: Task, error: Exception) -> None:
        """A task has no result: its games are tried one by one, and those at fault have no result either."""
        if self._tasks.take(key) is not task:
            return
        why = why_failed(error)
        self._tries.failed(task.claims, error)
        for claim in task.claims.values():
            self._try_again(claim, why)

    def _try_again(self, claim: Claim, why: str) -> None:
        """Have a game played again that a task has not brought to an end, unless it was tried often enough."""
        self._tasks.over(claim.match)
        if self._tries.spent(claim.match):
            self._tasks.settling(claim.match)
            self._ended.put_nowait((claim, wire.Aborted(claim.match, why)))
        elif claim.match not in self._off:
            self._again.appendleft(claim)
            if why:
                self._fleet.say_once(f"games are played again: {why}")

    async def _recall(self) -> None:
        """Take back what was handed out, because no worker is left: it waits here for the next one."""
        await self._take_back(self._tasks.keys())

    async def _take_back(self, keys: Iterable[str], why: str = "") -> None:
        taken = [task for key in keys if (task := self._tasks.take(key)) is not None]
        for task in taken:
            for claim in task.claims.values():
                self._try_again(claim, why)
        try:
            await self._fleet.cancel([task.future for task in taken])
        except Exception as error:  # noqa: BLE001  # its result is ignored from now on
            log.info("tasks cannot be cancelled: %s", error)

    # --- committing ---------------------------------------------------------------------------------------------------

    async def _commit(self) -> None:
        """Commit what has come, as much as has come meanwhile in one transaction; then tell of it."""
        while True:
            group = [await self._ended.get()]
            while not self._ended.empty():
                group.append(self._ended.get_nowait())
            records = [await self._record(claim, ended) for claim, ended in group]
            finished = [(claim, record) for claim, record in records if record is not None]
            if finished:
                await asyncio.gather(*(self._settle(claim, record) for claim, record in finished))
            for claim, _ in group:
                self._tasks.over(claim.match)
                self._tries.forget(claim.match)
                self._told.discard(claim.match)
            self._changed.set()

    async def _record(self, claim: Claim, ended: wire.Ended) -> tuple[Claim, Record | None]:
        """The record to commit; what has none is ended otherwise."""
        if claim.match in self._off:
            return claim, None
        match ended:
            case wire.Finished(record=body, stderr=stderr, texts=texts):
                try:
                    record = record_of(body, claim)
                except ValueError as error:
                    await self._end_without(claim, printable(f"its worker sent what is no record of it: {error}"))
                    return claim, None
                self.stderr.update(stderr)
                waits = f"what was said in match {claim.match} waits to be kept"
                await until_database_answers(waits, lambda: self._store.keep_fault_texts(claim.match, texts))
                return claim, record
            case wire.Aborted(reason=reason):
                await self._end_without(claim, reason)
            case wire.Unplayable(bot=bot, why=why):
                if await self._unplayables.goes_on(bot, why):
                    await self._end_without(claim, printable(why))
        return claim, None

    async def _settle(self, claim: Claim, record: Record) -> None:
        waits = f"match {claim.match} waits to be committed"
        try:
            await until_database_answers(waits, lambda: self._store.finish(claim, record))
        except LeaseLost as error:
            log.warning("%s", error)
            self._shown.drop(claim.match, "another server has taken the match over")
            return
        except StoreError as error:
            await self._end_without(claim, printable(f"its record cannot be kept: {error}"))
            return
        if claim.match not in self._told:
            self._tell_begun(claim)
        self._shown.end(claim, record)
        for listener in self.on_result:
            try:
                listener(record)
            except Exception:
                log.exception("a listener failed")

    async def _end_without(self, claim: Claim, reason: str) -> None:
        match = claim.match
        waits = f"match {match} waits to be aborted"
        await until_database_answers(waits, lambda: self._store.abort(match, reason, epoch=claim.epoch))
        self._shown.drop(match, reason)
        if (task := self._tasks.of(match)) is not None:
            self._soon(self._fleet.tell(worker.call_off, [match], reason))
            task.claims.pop(match, None)
        self._tasks.over(match)

    # --- watching -----------------------------------------------------------------------------------------------------

    def _hear(self, reports: wire.Reports) -> None:
        """Take in a worker's report."""
        now = asyncio.get_running_loop().time()
        for item in reports.items:
            if isinstance(item, wire.Remark):
                self._fleet.say_once(item.text)
            elif (task := self._tasks.of(item.match)) is not None and (
                claim := task.claims.get(item.match)
            ) is not None:
                if isinstance(item, wire.Begun):
                    task.worker, task.begun = reports.worker, task.begun or now
                    task.deadline[item.match] = now + longest_s(claim.setup, item.factor)
                    self._tell_begun(claim)
                elif task.worker == reports.worker:
                    self._shown.hear(item)

    def _tell_begun(self, claim: Claim) -> None:
        self._shown.begin(claim)
        if claim.match not in self._told:
            self._told.add(claim.match)
            for listener in self.on_start:
                listener(claim.match)

    # --- holding ------------------------------------------------------------------------------------------------------

    async def _keep_leases(self) -> None:
        while True:
            await asyncio.sleep(self._lease_s / 3)
            held = [*self._tasks.claims(), *self._again]
            try:
                kept = await self._store.renew(held, self._lease_s)
            except Unavailable as error:
                log.warning("leases cannot be renewed: %s", error)
                continue
            lost = {claim.match for claim in held} - kept
            self._again = deque(claim for claim in self._again if claim.match not in lost)

    def _claim_of(self, match: str) -> Claim | None:
        if (task := self._tasks.of(match)) is not None:
            return task.claims.get(match)
        return next((claim for claim in self._again if claim.match == match), None)

    def _soon(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._writing.add(task)
        task.add_done_callback(self._written)

    def _written(self, task: "asyncio.Task[None]") -> None:
        self._writing.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("the cluster could not be told: %s", error)


def record_of(body: msgspec.Raw, claim: Claim) -> Record:
    """The record that a worker has sent of a game. Raises ValueError for what is none, or is another game's."""
    record = msgspec.json.decode(body, type=Record)
    if record.match != claim.match:
        raise ValueError(f"it is of match {record.match[:40]}")
    return record
