"""One world: servers, bots, network, broker and database, from its beginning until nothing is left to play."""

import asyncio
import hashlib
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context
from pathlib import Path
from random import Random
from typing import Any

from palio_db.errors import StoreError
from palio_db.event_values import Entry, TournamentDraft
from palio_db.store import Store
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl
from palio_server.tournament.format import format_of
from palio_server.tournament.terms import Terms
from palio_simulation.bots import Instance
from palio_simulation.broker import Broker, BrokerInstance
from palio_simulation.disk import Disk
from palio_simulation.faults import FAULTS
from palio_simulation.games import OPTIONS
from palio_simulation.ledger import Ledger
from palio_simulation.loop import EPOCH, OWNER, OwnedTask, SimulatedLoop
from palio_simulation.network import Link
from palio_simulation.process import Incarnation
from palio_simulation.schedule import Fault, Schedule

BORN = 1_790_000_000.0  # seconds since 1970, the right wall clock's when a world begins
FAULT_LASTS_MS = 3_000  # after the last fault has begun all faults end, but for a pause that goes on
MOST_S = 120.0  # a world is over by then, or hangs
GOODBYE_S = 2.5  # until a connection is gone that was closed
SETTLE_S = 0.5  # after the last result, for what is on its way


class World:
    """Made for one schedule; `play` returns when all is over."""

    margin_ms = 100

    def __init__(self, schedule: Schedule, file: Path, loop: SimulatedLoop, *, verbose: bool = False) -> None:
        self.schedule, self.loop = schedule, loop
        self.complaints: list[str] = []  # what must never happen
        self._trace = hashlib.blake2b(digest_size=16)
        self._verbose = verbose
        self.context = Context()
        self._chance = Random(f"network {schedule.seed}")
        self.disk = Disk(file, self.right_time, Random(f"disk {schedule.seed}"))
        self.disk.happened = self.note
        self.disk.restart = lambda after, seconds: self.call_later(after, self.lose_database, seconds)
        self.broker = Broker(self) if schedule.broker else None
        self.at_broker = "server-1"
        self.ledger = Ledger(self)
        self.gathered_at = "server-1"
        self.wall_offsets: dict[str, float] = {}
        self.careless: dict[str, float] = {}  # bots whose connection is careless, and until when
        self.servers: dict[str, Incarnation | None] = dict.fromkeys(schedule.server_names())
        self.incarnations: list[Incarnation] = []
        self.bots: list[Instance] = []
        self.scheduled: set[str] = set()  # matches that a client was told are on the list
        self.tournament: int | None = None
        self._links = 0
        self._asking: list[OwnedTask] = []
        self.healed = self.over = False
        self._faults_end = EPOCH

    # --- time and chance ----------------------------------------------------------------------------------------------

    def right_time(self) -> float:
        return BORN + self.loop.time() - EPOCH

    def wall(self) -> float:
        """Return the wall clock of the calling process."""
        owner: Any = OWNER.get()
        return self.right_time() + (0.0 if owner is None else self.wall_offsets.get(owner.name, 0.0))

    def at(self, ms: float) -> float:
        """A moment of this world in the loop's time."""
        return EPOCH + ms / 1000

    def call_at(self, when: float, callback: Callable[..., Any], *args: Any) -> None:
        """Schedule a callback outside of every process."""
        self.loop.call_at(when, callback, *args, context=self.context)

    def call_later(self, delay: float, callback: Callable[..., Any], *args: Any) -> None:
        self.call_at(self.loop.time() + delay, callback, *args)

    def delay(self, bot: str) -> float:
        """Return how long a message of this bot is under way: whole milliseconds."""
        if self.careless.get(bot, 0.0) > self.loop.time() and self._chance.random() < 0.4:
            return self._chance.randrange(1, 600) / 1000
        return self._chance.randrange(1, 6) / 1000

    def copies(self, bot: str) -> int:
        """Return how often a message of this bot comes."""
        if self.careless.get(bot, 0.0) <= self.loop.time():
            return 1
        return self._chance.choice((0, 1, 1, 2, 2, 2))

    # --- what happened ------------------------------------------------------------------------------------------------

    def note(self, what: str) -> None:
        """Every event goes into the trace; worlds of one seed have the same one."""
        line = f"{self.loop.time() - EPOCH:.6f} {what}"
        self._trace.update(line.encode())
        if self._verbose:
            print(line)

    def complain(self, what: str) -> None:
        self.note(f"WRONG: {what}")
        self.complaints.append(what)

    @property
    def digest(self) -> str:
        return self._trace.hexdigest()

    def watch(self, incarnation: Incarnation, delta: Any) -> None:
        """A viewer hears what happens."""
        if type(delta).__name__ == "Finished":
            self.ledger.viewed(incarnation, delta)

    def lose_database(self, seconds: float) -> None:
        """From now on the database answers no process for so long."""
        if self.healed:
            return
        now = self.loop.time()
        self.disk.bad_times.append((now, now + seconds))
        self.disk.away = True
        self.call_later(seconds, setattr, self.disk, "away", False)

    # --- servers ------------------------------------------------------------------------------------------------------

    def start(self, name: str) -> None:
        """Start a server, unless it runs."""
        former = self.servers[name]
        if self.over or (former is not None and former.ended_at is None):
            return
        number = sum(each.name == name for each in self.incarnations) + 1
        self.servers[name] = found = Incarnation(self, name, number)
        self.incarnations.append(found)
        self.note(f"{found.label} starts")

    def connect(self, instance: Instance, server: str) -> Link | None:
        """A connection to the server; None if it does not listen."""
        found = self.servers[server]
        if found is None or not found.up or (found.frozen and self._chance.random() < 0.5):
            if instance.home is None and self._chance.random() < 0.3:
                self._move_on()
            return None
        self._links += 1
        link = found.context.run(Link, self, instance, found, self._links)
        self.note(f"{instance.label} connects to {found.label} by link {link.number}")
        return link

    def _move_on(self) -> None:
        """Bots that find a server away come to another one."""
        up = [name for name, each in self.servers.items() if each is not None and each.up and not each.frozen]
        if up and self.gathered_at not in up:
            self.gather(self._chance.choice(up))

    def gather(self, server: str) -> None:
        """All bots come to this server."""
        if self.schedule.everywhere or self.gathered_at == server:
            return
        self.note(f"bots gather at {server}")
        self.gathered_at = server
        for instance in self.bots:
            if instance.home is None and not isinstance(instance, BrokerInstance):
                instance.hang_up()

    # --- a story ------------------------------------------------------------------------------------------------------

    async def play(self) -> None:
        """Play the schedule until everything is over, and all servers have ended."""
        for name in self.servers:
            self.start(name)
        names = self.schedule.bot_names()
        at_broker = names[len(names) - self.schedule.broker :] if self.schedule.broker else []
        for name in names:
            if name in at_broker:
                self.bots.append(BrokerInstance(self, name, 0, None))
                self.bots[-1].connect()
                continue
            homes = self.servers if self.schedule.everywhere else [None]
            for number, home in enumerate(homes):
                self.bots.append(Instance(self, name, number, home))
                self.bots[-1].connect()
        for fault in self.schedule.faults:
            self.call_at(self.at(fault.at_ms), self.befall, fault)
            self._faults_end = max(self._faults_end, self.at(fault.at_ms + FAULT_LASTS_MS))
        await asyncio.sleep(0.02)
        await asyncio.create_task(self.ledger.owned(self._schedule_matches()))
        await asyncio.sleep(0.5)
        while self.loop.time() < self._faults_end and self.ledger.unfinished():  # noqa: ASYNC110  # as below
            await asyncio.sleep(0.25)
        self._heal()
        await asyncio.sleep(SETTLE_S)  # what was asked for before may come now
        await self._until_over()
        await asyncio.sleep(SETTLE_S)
        await self._end()

    async def _until_over(self) -> None:
        while left := self.ledger.unfinished() or self._unanswered():
            if self.loop.time() > EPOCH + MOST_S:
                self.complain(f"not over after {MOST_S:g} s: {', '.join(left)}")
                return
            if self.broker is not None:  # whose bots are to be met at one server only
                self.gather(self.at_broker)
            await asyncio.sleep(0.25)

    def _unanswered(self) -> list[str]:
        """Return what people have asked for, and servers that run still have to do."""
        asked = [task.get_name() for task in self._asking if self._lives(task)]
        running = [each for each in self.incarnations if each.ended_at is None]
        asked += [f"{one} of {each.label}" for each in running for one in each.beside.to_be_scheduled()]
        return asked or [f"analysis of {match}" for each in running for match in each.beside.to_be_analysed()]

    async def _schedule_matches(self) -> None:
        store, draw = Store(self.ledger.database), Random(f"matches {self.schedule.seed}")
        names = self.schedule.bot_names()
        setups = []
        for _ in range(self.schedule.matches):
            game = draw.choice(list(OPTIONS))
            setups.append(self.setup(game, tuple(draw.sample(names, 2)), draw))
        self.scheduled.update(await store.schedule_many(setups))
        for _ in range(draw.choice((0, 0, 1, 2))):
            setup = self.setup(draw.choice(list(OPTIONS)), tuple(draw.sample(names, 2)), draw)
            self.call_at(self.at(draw.randrange(100, 2_500)), self._ask_to_schedule, setup)
        if self.schedule.entrants:
            entries = tuple(Entry(name, number) for number, name in enumerate(names[: self.schedule.entrants], 1))
            format_ = format_of("round_robin", {})
            terms = Terms(game="dominoes", options=OPTIONS["dominoes"], time=self._time(draw), max_plies=10)
            draft = TournamentDraft(
                "cup", "dominoes", format_.name, format_.settings, {**terms.settings, "grace_s": 60}, entries,
                worker="server-1", stage="running",
            )  # fmt: skip
            self.tournament = await store.create_event(draft)
            server = self.servers["server-1"]
            if server is not None and server.up and server.tournaments is not None:
                server.context.run(server.tournaments._directed.begin, self.tournament)
        for _ in range(self.schedule.tables):
            game, (person, other) = draw.choice(list(OPTIONS)), draw.sample(names, 2)
            setup = self.setup(game, (person, other), draw)
            self.call_at(self.at(draw.randrange(100, 2_500)), self._ask_for_table, setup, draw.random() < 0.3)

    def _ask_to_schedule(self, setup: Setup) -> None:
        """An organiser asks the server where the bots are; what it confirms has to be played."""
        server = self.servers[self.gathered_at]
        if server is None or not server.up or server.arena is None or self.healed:
            return
        arena = server.arena

        async def ask() -> None:
            with suppress(StoreError):  # then it is unknown if it is on the list
                self.scheduled.add(await arena.schedule(setup))

        self._asking.append(self.loop.create_task(ask(), name="a match is asked for", context=server.context))

    def _ask_for_table(self, setup: Setup, leaves: bool) -> None:  # as a timer calls it
        """A person asks the server where the bots are for a table, and perhaps leaves it soon."""
        server = self.servers[self.gathered_at]
        if server is not None and server.up and not self.healed:
            work = server.beside.sit_down(setup, leaves=leaves)
            self._asking.append(self.loop.create_task(work, name="a table is asked for", context=server.context))

    def _lives(self, task: OwnedTask) -> bool:
        """Return True if it goes on, in a process that does."""
        owner: Any = task.owner
        return not task.done() and not owner.dead

    def setup(self, game: str, bots: tuple[str, ...], draw: Random) -> Setup:
        return Setup(
            game,
            bots,
            OPTIONS[game],
            time=self._time(draw),
            strikes=draw.choice((1, 3)),
            grace_ms=draw.choice((800, 2500)),
            ready_ms=2500,
            stall_ms=1500,
            max_plies=10,
        )

    def _time(self, draw: Random) -> TimeControl:
        return draw.choice(
            (
                TimeControl(1500, 50, margin_ms=self.margin_ms),
                TimeControl(1000, 0, margin_ms=self.margin_ms),
                TimeControl(None, 0, 500, margin_ms=self.margin_ms),
                TimeControl(None, margin_ms=self.margin_ms),
            )
        )

    def befall(self, fault: Fault) -> None:
        """A fault begins."""
        if self.healed:
            return
        self.note(f"fault {fault}")
        FAULTS[fault.kind](self, fault)

    def _heal(self) -> None:
        """From now on nothing fails."""
        self.note("healed")
        self.healed = True
        self.disk.away = self.disk.full = False
        self.disk.slow = 0.0
        self.disk.at_commit.clear()
        self.disk.restarts.clear()
        self.careless.clear()
        for each in self.incarnations:
            each.beside.end_ladder()
        for name in self.servers:
            self.start(name)
        for instance in self.bots:
            instance.connect()

    async def _end(self) -> None:
        """Stop every server in order; then nothing of it is left."""
        self.note("the end")
        self.over = True
        for instance in self.bots:
            instance.leave()
        for each in self.incarnations:
            if each.ended_at is None:
                each.at_the_end = True
                each.stop()
        living = [each.task for each in self.incarnations if not each.dead]
        if living:
            done, late = await asyncio.wait(living, timeout=30.0)
            if late:
                self.complain(f"{len(late)} servers do not end")
            for task in done:
                if not task.cancelled() and task.exception() is not None:
                    self.complain(f"{task.get_name()} ended with {task.exception()!r}")
        await asyncio.sleep(GOODBYE_S)
        for each in self.incarnations:
            if not each.dead:
                self._left_over(each)

    def _left_over(self, incarnation: Incarnation) -> None:
        tasks = [task.get_name() for task in self.loop.tasks if task.owner is incarnation and not task.done()]
        if tasks:
            self.complain(f"{incarnation.label} has ended, its tasks have not: {', '.join(sorted(tasks))}")
        if timers := self.loop.pending(incarnation):
            self.complain(f"{incarnation.label} has ended, its timers have not: {'; '.join(timers[:3])}")

    async def bury(self) -> None:
        """Clean up, without observers."""
        for each in self.incarnations:
            each.dead = True
            each.bury()
        self.loop.thaw()
        for _ in range(50):
            if all(task.done() or task is asyncio.current_task() for task in self.loop.tasks):
                break
            await asyncio.sleep(1.0)
        self.disk.close()
