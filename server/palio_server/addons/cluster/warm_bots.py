"""The bots of a worker: started when a game needs them, kept for the next one, ended when others need the room."""

import asyncio
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from palio_rules.records.record import Record
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.programs import joined
from palio_server.processes import BotFailed, Bots, Entrant, Sandbox, running_bots
from palio_server.processes.bots import NewAddress

LOOK_S = 0.5  # between two looks at what has become of bots that are waited for
KEPT_A_CORE = 4  # bots that run without a game: to start one costs half a second
KEPT = 8  # and at least so many


class CannotPlay(Exception):
    """A bot cannot be played with here; the message says why."""

    def __init__(self, bot: str, why: str) -> None:
        super().__init__(why)
        self.bot = bot


class WarmBots:
    """Bots as processes beside a server of this process. At most `cores` games go on at once."""

    def __init__(
        self,
        bots: Mapping[str, Entrant],
        lobby: Lobby,
        url: str,
        sandbox: Sandbox,
        cores: int,
        say: Callable[[str], None],
        tasks: asyncio.TaskGroup,
        *,
        counts_crashes: bool = False,
    ) -> None:
        self._bots, self._lobby, self._url, self._cores = bots, lobby, url, cores
        self._sandbox = replace(sandbox, new_address=_reused(sandbox.new_address, cores))
        self._say, self._tasks = say, tasks
        self._warm: OrderedDict[str, _WarmBot] = OrderedDict()  # the one that played longest ago first
        self._wanted: Counter[str] = Counter()  # by games that are being played or wait
        self._ended = False
        self._counts_crashes = counts_crashes  # by the coordinator

    @contextmanager
    def wanted(self, names: Sequence[str]) -> Iterator[None]:
        """In the context these are not ended to make room."""
        self._wanted.update(names)
        try:
            yield
        finally:
            self._wanted.subtract(names)
            self._make_room()

    async def free(self, names: Sequence[str], game: str) -> None:
        """Return when all of them are free for a match; in the same turn of the loop they still are.

        Raises CannotPlay.
        """
        while True:
            seen = self._lobby.version
            missing = [name for name in names if not self._is_free(name, game)]
            if not missing:
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._lobby.changed(seen), LOOK_S)

    def finished_match(self, record: Record) -> None:
        """Count crashes and absences, as at home."""
        for name in record.setup.bots:
            if (bot := self._warm.get(name)) is not None and bot.bots is not None:
                bot.bots.finished_match(record)

    async def stderr(self, name: str) -> list[str]:
        """The last lines that the bot's processes have written since the last call."""
        bot = self._warm.get(name)
        return [] if bot is None or bot.bots is None else await bot.bots.stderr(name)

    def end(self) -> None:
        """End all bots, and start no more."""
        self._ended = True
        for bot in self._warm.values():
            bot.ended.set()

    def _is_free(self, name: str, game: str) -> bool:
        bot = self._warm.get(name)
        if bot is None:
            if name not in self._bots:
                raise CannotPlay(name, f"the bot {name} has not been sent to this worker")
            bot = self._warm[name] = _WarmBot(self._bots[name])
            if not self._ended:
                self._tasks.create_task(self._keep(bot), name=f"warm {name}")
        self._warm.move_to_end(name)
        if bot.failure:
            raise CannotPlay(name, bot.failure)
        if self._lobby.is_free(name, game):
            return True
        if self._lobby.is_here(name) and name not in self._lobby.players(game):
            raise CannotPlay(name, f"{name} does not play {game}; leave it out")
        bot.grow(min(self._cores, self._wanted[name]), self._url)
        return False

    async def _keep(self, bot: "_WarmBot") -> None:
        """Keep one bot running until it is ended, or of no use."""
        name = bot.entrant.name
        try:
            async with running_bots(
                lambda who: joined(self._lobby, who),
                self._say,
                sandbox=self._sandbox,
                counts_crashes=self._counts_crashes,
            ) as bots:
                bot.bots = bots
                bot.grow(1, self._url)
                await bot.ended.wait()
        except BotFailed as failure:
            bot.failure = str(failure)
        if not bot.failure and self._warm.get(name) is bot:
            del self._warm[name]

    def _make_room(self) -> None:
        idle = [name for name in self._warm if not self._wanted[name] and not self._warm[name].failure]
        for name in idle[: max(0, len(idle) - max(KEPT, KEPT_A_CORE * self._cores))]:
            self._warm.pop(name).ended.set()


class _WarmBot:
    def __init__(self, entrant: Entrant) -> None:
        self.entrant = entrant
        self.bots: Bots | None = None
        self.ended = asyncio.Event()
        self.failure = ""
        self._processes = 0

    def grow(self, processes: int, url: str) -> None:
        """Start more of its processes, up to so many."""
        while self.bots is not None and self._processes < processes:
            self._processes += 1
            self.bots.add(url, self.entrant)


def _reused(new_address: NewAddress, most: int) -> NewAddress:
    """Addresses of a bot's own, at most so many: one that is started again gets a former one. Each is a socket."""
    made: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    handed: Counter[tuple[str, str]] = Counter()

    def address(bot: str, how: str, slots: int) -> str:
        known = made[bot, how]
        if len(known) < most:
            known.append(new_address(bot, how, slots))
        handed[bot, how] += 1
        return known[handed[bot, how] % len(known)]

    return address
