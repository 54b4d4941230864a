"""The workers of a run: found, compared with us, given the files of bots and game, watched for life."""

import asyncio
import hashlib
import logging
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from msgspec import structs

from palio_rules import registry
from palio_server.addons.cluster import wire, worker
from palio_server.addons.cluster.batch_system import Jobs
from palio_server.addons.cluster.connecting import WAIT_S
from palio_server.addons.cluster.parcels import File, Parcels
from palio_server.courses.inspection import imports

if TYPE_CHECKING:
    from distributed import Client, Future


# Whether a worker has what we have: Python, Palio's code, and the packages that the bots import.

PACKAGES = ("palio", "palio_rules", "palio_clients", "palio_server", "palio_db")
OURS = "palio"
ALWAYS = (OURS, "msgspec", "websockets")  # what every game is played with
SEARCHES = ("numpy", "numba")  # what the bots that ship think with, where they are installed


@cache
def code_digest() -> str:
    """Of all of Palio's Python code here: two checkouts may have one version and different rules."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        spec = find_spec(package)
        if spec is None or spec.origin is None:
            continue
        root = Path(spec.origin).parent
        for path in sorted(root.rglob("*.py")):
            digest.update(f"{package}/{path.relative_to(root).as_posix()}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def needed(parcels: Iterable[Iterable[File]], game: str) -> dict[str, str]:
    """The distributions that a game and its bots need, as far as they are installed here, each with its version."""
    names = {*ALWAYS, *SEARCHES, *registry.distributions(game)}
    known = packages_distributions()
    for module in _imported([[*files] for files in parcels]):
        names.update(known.get(module, ()))
    return {name: found for name in sorted(names) if (found := _version(name)) is not None}


def mismatch(worker: str, ours: Mapping[str, str], theirs: Mapping[str, str | None], python: str) -> str:
    """In one sentence what differs first; "" if nothing does. `python` is the worker's, as in `3.12.1`."""
    here = ".".join(map(str, sys.version_info[:3]))
    if python.split(".")[:2] != here.split(".")[:2]:
        wanted = ".".join(here.split(".")[:2])
        return f"{worker} runs Python {python}, we run {here}; start its workers with Python {wanted}"
    for name, wanted in ours.items():
        found = theirs.get(name)
        if found != wanted:
            has = "is missing" if found is None else f"is {found}"
            return f"at {worker} the package {name} {has}, here it is {wanted}; install {name}=={wanted} there"
    return ""


def other_code(worker: str) -> str:
    """Return the sentence for versions that agree and code that does not."""
    return (
        f"at {worker} the package {OURS} is {_version(OURS)} as here, but its code is another; install the same "
        "checkout there"
    )


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _imported(parcels: Sequence[Sequence[File]]) -> set[str]:
    """The first words of all that these files import, without what is among the files of a parcel, or Python's own."""
    sources = [[file for file in files if file.path.endswith(".py")] for files in parcels]
    found = iter(imports([file.data for files in sources for file in files]))
    names: set[str] = set()
    for files in sources:
        own = {part.removesuffix(".py") for file in files for part in file.path.split("/")}
        names.update(*(next(found) - own for _ in files))
    return names


log = logging.getLogger(__name__)

LOOK_S = 10.0  # between two looks at who is there, besides what the scheduler says by itself
ADMIT_S = 120.0  # for one worker: files come over a network, and a machine may be busy
LOST_S = 15.0  # of a scheduler that does not answer; it knew where all games are
SILENT_S = 30.0  # without a word of a worker: it hangs, or is gone without a word
TRY_S, TRIES = 120.0, 2  # for all bots to be started once before the first game, and again where a worker ends
CLOCK_ASKED, SKEW_S = 3, 2.0  # answers about its clock; seconds by which it may differ without a word
NO_WORKER = "no worker has come"  # how that sentence begins
PATIENCE_S = 3.0  # then it is said that workers are waited for


class Fleet:
    """Workers that may play, and what is told to them.

    `changed` is called when workers have come or gone, `heard` with all that they report, `lost` with a sentence when
    the scheduler is gone, `say` with sentences for people.
    """

    def __init__(
        self, client: "Client", roster: wire.Roster, parcels: Parcels, say: Callable[[str], None], cores: int
    ) -> None:
        """`cores`: how many a game takes."""
        self._client, self._roster, self._parcels, self._say = client, roster, parcels, say
        self._cores = cores
        self._needed = needed(parcels.files.values(), parcels.game.name)
        self._topic = f"palio-{roster.run}"
        self._known: dict[str, asyncio.Task[None]] = {}  # by address, as admitted or refused
        self._heard: dict[str, float] = {}
        self._said: set[str] = set()
        self._look = asyncio.Event()
        self.cores: dict[str, int] = {}  # of those who play, by address
        self.refused: dict[str, str] = {}  # why the others do not
        self.changed: Callable[[], None] = lambda: None
        self.heard: Callable[[wire.Reports], None] = lambda _: None
        self.lost: Callable[[str], None] = lambda _: None
        self.restore: Callable[[], None] = lambda: None  # called now and then
        self._lost_since = 0.0  # the scheduler; 0: it is there
        self._check_wanted = False

    @property
    def places(self) -> int:
        """Return how many games can be played at once; none while it is not known whether the scheduler is there."""
        if self._check_wanted:
            return 0
        return sum(cores // self.cores_a_game for cores in self.cores.values())

    @property
    def cores_a_game(self) -> int:
        """As many as its bots think at once, or all that the largest worker has."""
        largest = max(self.cores.values(), default=self._cores)
        return max(1, min(self._cores, largest))

    @property
    def run_id(self) -> str:
        return self._roster.run

    async def run(self) -> None:
        """Look after the workers until cancelled."""
        self._client.subscribe_topic(self._topic, self._hear)
        self._client.subscribe_topic("all", self._hear_of_workers)
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._look.clear()
                await self._compare(tasks)
                try:
                    async with asyncio.timeout(1.0 if self._check_wanted else LOOK_S):
                        await self._look.wait()
                except TimeoutError:
                    pass

    async def first_worker(self, jobs: Jobs | None = None, wait_s: float = WAIT_S) -> str:
        """Wait for a worker that can play; return "", or why none comes, or none of those that are there can."""
        jobs, loop = jobs or Jobs(0), asyncio.get_running_loop()
        began, said = loop.time(), False
        while not self.cores:
            if self._known and all(task.done() for task in self._known.values()) and self.refused:
                return next(iter(self.refused.values()))
            if jobs.refusal:
                return jobs.refusal
            waiting = loop.time() - began
            if waiting > wait_s:
                return f"{NO_WORKER} within {_span(wait_s)}"
            for words in jobs.refused:
                self.say_once(f"a job is refused, others are waited for: {words}")
            if waiting > PATIENCE_S and not said:
                said = True
                self._say(f"waiting for the cluster's workers, {_span(wait_s)} at most")
            await asyncio.sleep(0.05)
        return ""

    def check_scheduler(self) -> None:
        """Ask soon if the scheduler is still there: it has forgotten a task."""
        self._check_wanted = True
        self._look.set()

    # --- tasks --------------------------------------------------------------------------------------------------------

    def submit(self, portion: bytes, key: str, retries: int) -> "Future":
        """A task that plays a Portion, wherever there is room."""
        return self._client.submit(
            worker.play, portion, key=key, pure=False, retries=retries, resources={wire.RESOURCE: self.cores_a_game}
        )

    async def unplayable(self, bots: Iterable[str], game: str) -> dict[str, str]:
        """Start each bot once, wherever there is room: those that cannot play, and why.

        What is not known in time, or since a worker has ended, is found out by the first game.
        """
        room = {wire.RESOURCE: 1}
        tries = {
            bot: self._client.submit(
                worker.try_bot,
                self.run_id,
                bot,
                game,
                key=f"{self.run_id}-try-{bot}",
                pure=False,
                retries=TRIES,
                resources=room,
            )
            for bot in bots
        }
        answers = {bot: asyncio.ensure_future(each.result()) for bot, each in tries.items()}
        if not answers:
            return {}
        try:
            done, late = await asyncio.wait(answers.values(), timeout=TRY_S)
        finally:
            for answer in answers.values():
                answer.cancel()
        if late:
            await self.cancel([each for bot, each in tries.items() if answers[bot] in late])
        known = {bot: each for bot, each in answers.items() if each in done and each.exception() is None}
        return {bot: why for bot, each in known.items() if (why := each.result())}

    async def cancel(self, futures: Collection["Future"]) -> None:
        async with asyncio.timeout(LOOK_S):
            await self._client.cancel([*futures], force=True)

    async def tell(self, what: Callable[..., None], *words: Any, of: Iterable[str] | None = None) -> None:
        """Have these workers, or all, do `what` of `worker`; those that are gone need not."""
        workers = [address for address in (self.cores if of is None else of) if address in self.cores]
        if workers:
            async with asyncio.timeout(LOOK_S):
                await self._client.run(what, self.run_id, *words, workers=workers, on_error="ignore")

    async def leave(self) -> None:
        """The run is over."""
        self._client.unsubscribe_topic("all")
        self._client.unsubscribe_topic(self._topic)
        await self.tell(worker.leave)

    # --- life ---------------------------------------------------------------------------------------------------------

    def silent(self) -> list[str]:
        """Workers that should have said something by now."""
        now = asyncio.get_running_loop().time()
        return [address for address in self.cores if now - self._heard.get(address, now) > SILENT_S]

    async def give_up(self, address: str, why: str) -> None:
        """A worker hangs: have it started again where it has a nanny, or have it forgotten."""
        self._say(f"the worker {address} is given up: {why}")
        self._forget(address)
        try:
            async with asyncio.timeout(LOOK_S):
                await self._client.scheduler.restart_workers(
                    workers=[address], client=self._client.id, timeout=5, wait_for_workers=False, on_error="return"
                )
        except Exception as error:  # noqa: BLE001  # any hindrance: then it is forgotten
            log.info("worker %s cannot be started again: %s", address, error)
        try:
            async with asyncio.timeout(LOOK_S):
                await self._client.scheduler.unregister(address=address, stimulus_id="palio-hangs")
        except Exception as error:  # noqa: BLE001  # it is gone, which is what we want
            log.info("worker %s cannot be forgotten: %s", address, error)

    def _forget(self, address: str) -> None:
        self._known.pop(address, None)
        self._heard.pop(address, None)
        self.refused.pop(address, None)
        if self.cores.pop(address, None) is not None:
            self.changed()

    # --- admission ----------------------------------------------------------------------------------------------------

    async def _compare(self, tasks: asyncio.TaskGroup) -> None:
        """Find the workers that have come, and those that are gone."""
        try:
            async with asyncio.timeout(LOOK_S):
                there = set(await self._client.scheduler.ncores())
        except Exception as error:  # noqa: BLE001  # between two connections, or permanently
            log.info("the scheduler does not answer: %s", error)
            now = asyncio.get_running_loop().time()
            self._check_wanted, self._lost_since = True, self._lost_since or now
            if now > self._lost_since + LOST_S or self._client.status not in ("running", "connecting"):
                self.lost("the cluster's scheduler does not answer any more")
            return
        self._lost_since = 0.0
        if self._check_wanted:
            self._check_wanted = False
            self.changed()
        self.restore()
        for address in [known for known in self._known if known not in there]:
            self._known[address].cancel()
            self._forget(address)
        for address in there - self._known.keys():
            self._known[address] = tasks.create_task(self._admit(address), name=f"admit {address}")

    async def _admit(self, address: str) -> None:
        try:
            async with asyncio.timeout(ADMIT_S):
                found = await self._admission(address)
        except TimeoutError:
            found = wire.Admission(0, lacks=f"{address} did not get ready in {ADMIT_S:.0f} s; look at its log")
        except OSError as error:  # it has died meanwhile; if not, it is asked again
            log.info("%s is gone before it has begun: %s", address, error)
            if self._known.get(address) is asyncio.current_task():
                del self._known[address]
            return
        except Exception as error:  # noqa: BLE001  # it has no Palio that could answer
            found = wire.Admission(0, lacks=f"{address} cannot be used: {type(error).__name__}: {error}"[:300])
        if self._known.get(address) is not asyncio.current_task():
            return  # it is gone
        if found.lacks:
            self.refused[address] = found.lacks
            self.say_once(f"{found.lacks} (the games go to other workers)")
            return
        self._heard[address] = asyncio.get_running_loop().time()
        self.cores[address] = found.cores
        if found.factor != 1.0:
            self.say_once(f"{address}: all times are multiplied by {found.factor}")
        if found.cores < self._cores:
            few = f"{address} has {found.cores} cores for games, and {self._cores} bots think at once"
            self.say_once(f"{few}; give its worker more threads (dask worker --nthreads)")
        self.changed()

    async def _admission(self, address: str) -> wire.Admission:
        """Compare, send what is missing, start. Raises what Dask raises where that cannot be."""
        client = self._client
        asked = {"op": "versions", "packages": [*self._needed]}
        told = (await client.scheduler.broadcast(msg=asked, workers=[address]))[address]
        if wrong := mismatch(address, self._needed, told["packages"], _python(told)):
            return wire.Admission(0, lacks=wrong)
        digest = (await client.run(code_digest, workers=[address]))[address]
        if digest != code_digest():
            return wire.Admission(0, lacks=other_code(address))
        wanted = (await client.run(worker.wanted, [*self._parcels.bodies], workers=[address]))[address]
        bodies = {each: self._parcels.bodies[each] for each in wanted}
        words = wire.encode(structs.replace(self._roster, clock_zero=await self._clock_zero(address)))
        answer = (await client.run(worker.admit, words, bodies, self._topic, workers=[address]))[address]
        found = wire.admission_of(answer)
        return wire.Admission(found.cores, found.factor, f"{address}: {found.lacks}") if found.lacks else found

    async def _clock_zero(self, address: str) -> datetime:
        """Return the time here at which the worker's monotonic clock was 0, by the quickest of some answers.

        A worker needs seconds to unpack files and to be measured: what it is told of the time must not age meanwhile.
        """
        answers = []
        for _ in range(CLOCK_ASKED):
            asked, began = datetime.now(UTC), monotonic()
            theirs, wall = (await self._client.run(worker.clocks, workers=[address]))[address]
            took = monotonic() - began
            answers.append((took, asked + timedelta(seconds=took / 2), theirs, wall))
        took, here, theirs, wall = min(answers)
        ahead = wall - here.timestamp()
        if abs(ahead) > took / 2 + SKEW_S:
            side = "ahead" if ahead > 0 else "behind"
            self.say_once(f"{address}: its clock is {abs(ahead):.0f} s {side}; records have the time of this machine")
        return here - timedelta(seconds=theirs)

    # --- what comes ---------------------------------------------------------------------------------------------------

    def _hear(self, event: tuple[float, bytes]) -> None:
        reports = wire.reports_of(event[1])
        if reports.worker in self.cores:
            self._heard[reports.worker] = asyncio.get_running_loop().time()
        self.heard(reports)

    def _hear_of_workers(self, event: tuple[float, Any]) -> None:
        action = event[1].get("action") if isinstance(event[1], dict) else None
        if action in ("add-worker", "remove-worker"):
            self._look.set()

    def say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._say(text)


def _span(seconds: float) -> str:
    return f"{seconds:g} s" if seconds < 120 else f"{seconds / 60:.3g} minutes"


def _python(told: Any) -> str:
    return ".".join(str(told["host"]["python"]).split(".")[:3])
