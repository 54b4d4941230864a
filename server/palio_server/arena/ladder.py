"""The ladder: idle bots of one game meet again and again, first those of similar rating and with few games.

A game here may have settings: `go:size=19`.

`tournament/ladder_pairing.py` decides which bots meet and what they play; `Ladder` asks it whenever the lobby changes.
Duels and tables are filled with as many bots as they have seats: these play one opening from every side. In a race all
idle bots run one heat, on an instance drawn for it.

A bot that has not played a move in its last three matches, because it did not come, crashed or let its time run out, is
rested: it gets no further matches until it says hello again or sends any other message. A bot that had its second
chance is rested again after one such match.
"""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from palio_db.errors import Unavailable
from palio_db.store import Store
from palio_db.values import START_RATING, Leader, MatchRow
from palio_rules.contract.messages import Result
from palio_rules.errors import BadOption
from palio_rules.records.record import Record, Setup
from palio_rules.registry import game as rules_of
from palio_rules.spec import Spec
from palio_rules.time_control import TimeControl
from palio_server.arena.analysis_queue import search_in_thread
from palio_server.arena.arena import Arena
from palio_server.arena.running_match import NOBODY_READY
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.other_servers import ALONE, OtherServers
from palio_server.processes.lost_matches import GONE, MISSES, Appearances
from palio_server.tournament.ladder_pairing import (
    HEAT,
    Idle,
    LadderEncounters,
    LadderGroup,
    game_of,
    groups,
    heats,
    just_met,
)
from palio_server.tournament.round_robin import heat

log = logging.getLogger(__name__)

SETTLE_S = 0.5  # seconds to wait after a change, so that bots that become free at nearly the same time have a choice
LOOK_S = 2.0  # seconds after which to look even without a change
REPEAT_S = 10.0  # seconds that bots that have just met wait for another opponent that is busy now
REMEMBERED = 3  # matches whose opponents count as recent
DRAWS = 5  # seeds that are tried for the instance of a heat
EVENT = "ladder"
SLICE = 100  # groups whose matches are scheduled in one transaction: the first begin while the next are written
CROWD = 200  # idle bots; more are paired in a thread, so that matches in progress do not wait

RESTED = "a bot has played no move in its last matches"
Signs = Mapping[tuple[str, int], int]  # by process and key, the messages on a bot's connections besides matches
Leaders = Callable[[str], Awaitable[Mapping[str, Leader]]]  # of a game, by bot
DrawInstance = Callable[[Setup], Awaitable[Setup]]  # adds the instance to a race's setup; raises BadOption


async def draw_instance(setup: Setup) -> Setup:
    """Draw the instance in a thread, because matches in progress must not wait for it."""
    return await search_in_thread(lambda: heat(setup))


def leaders_of(store: Store) -> Leaders:
    """Return a function that asks the store each time."""

    async def leaders(game: str) -> Mapping[str, Leader]:
        return {leader.bot: leader for leader in (await store.leaderboard(game)).leaders}

    return leaders


@dataclass(slots=True)
class _LadderHistory:
    recent: deque[str]
    sat: Counter[int] = field(default_factory=Counter)
    waited: int = 0
    played_before: bool = False  # True: it had games when first seen here, with unknown opponents and openings


class Ladder:
    """The scheduler of matches for idle bots, whenever there are enough of one game."""

    def __init__(
        self,
        arena: Arena,
        lobby: Lobby,
        store: Store,
        time: TimeControl,
        *,
        rng: Random | None = None,
        draw: DrawInstance = draw_instance,
        leaders: Leaders | None = None,
        boards: Sequence[Spec] = (),
        others: OtherServers = ALONE,
    ) -> None:
        """Of several servers only the one that leads pairs.

        `boards`: games with settings, `go:size=19`, several of one game by turns. A game that is not among them has its
        own settings.
        """
        self._boards: dict[str, list[str]] = {}  # by game
        for board in boards:
            self._boards.setdefault(board.name, []).append(str(board))
        self._others = others
        self._arena, self._lobby, self._store, self._draw = arena, lobby, store, draw
        self._leaders = leaders or leaders_of(store)
        self._rng = rng or Random()  # noqa: S311  # not for secrets
        self._encounters = LadderEncounters(time, self._rng)
        self._histories: dict[tuple[str, str], _LadderHistory] = {}  # by game and bot
        self._waiting: dict[str, tuple[str, ...]] = {}  # matches scheduled here that have not begun, and their bots
        self._claimed: set[str] = set()  # those of them that were found claimed by the last round
        self._held: dict[frozenset[str], float] = {}  # groups that wait for a better opponent, and since when
        self._last: dict[str, float] = {}  # when a match of the game was last scheduled here
        self._appearances = Appearances(GONE | {"time"})
        self._rested: dict[str, Signs] = {}  # bots that get no matches, and their signs when that began
        self._remote: set[str] = set()  # matches scheduled here that another server has begun
        self._tasks: set[asyncio.Task[None]] = set()
        self._over: list[str] = []  # those of them that are over, and whose result is not read yet
        arena.on_start.append(self.begun)
        arena.on_result.insert(0, self._note)  # first, so that a bot that is rested is not asked for its presence
        arena.on_unplayed.insert(0, self._note)
        arena.on_remote.append(self._hear_remote)

    async def run(self) -> None:
        """Pair bots until cancelled."""
        while True:
            seen = self._lobby.version
            try:
                if self._others.leads():
                    await self.round()
            except Unavailable as error:
                log.warning("the ladder waits: %s", error)
            try:
                async with asyncio.timeout(LOOK_S):
                    await self._lobby.changed(since=seen)
            except TimeoutError:
                continue
            await asyncio.sleep(SETTLE_S)

    async def round(self) -> list[str]:
        """Pair the idle bots of every game; return the new matches."""
        await self._review()
        await self._look_at_remote()
        self._wake_rested()
        games = [board for game in self._lobby.games() for board in self._boards.get(game, [game])]
        self._rng.shuffle(games)
        # The game that has waited longest comes first, or tables would hardly ever find three idle bots beside all the
        # duels.
        games.sort(key=lambda game: self._last.get(game, 0.0))
        taken = {bot for bots in self._waiting.values() for bot in bots}
        found = []
        for game in games:
            rules = rules_of(game_of(game)[0])
            free = [
                name for name in self._lobby.free(rules.name) if name not in taken and not self._lobby.is_rested(name)
            ]
            if len(free) < max(2, len(rules.seats)):
                continue
            size = 1 if rules.kind == "race" else SLICE  # an instance takes seconds
            for some in _slices(await self._groups(game, free), size):
                setups = [setup for names in some for setup in await self._setups(game, names)]
                if setups:
                    matches = await self._arena.schedule_many(setups, EVENT)
                    for match, setup in zip(matches, setups, strict=True):
                        self._waiting[match] = setup.bots
                        taken.update(setup.bots)
                    self._last[game] = asyncio.get_running_loop().time()
                    found += matches
        return found

    async def _setups(self, game: str, names: tuple[str, ...]) -> list[Setup]:
        """Return the setups of the matches of a group; none if no instance was found for a race."""
        if rules_of(game_of(game)[0]).kind != "race":
            met_before = all(self._history(game, name).played_before for name in names)
            return self._encounters.setups(game, names, met_before=met_before)
        for _ in range(DRAWS):
            draft = self._encounters.heat(game, names)
            try:
                return [await self._draw(draft)]
            except BadOption as error:
                log.info("seed %d gives no instance: %s", draft.seed, error)
        log.warning("%d seeds gave no instance of %s", DRAWS, game)
        return []

    async def _groups(self, game: str, free: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the groups to play now; bots that have just met wait a while for one of those that are busy."""
        name, options = game_of(game)
        leaders, now = (
            await self._leaders(Setup(name, (), dict(options)).leaderboard),
            asyncio.get_running_loop().time(),
        )
        others = len(self._lobby.players(name)) > len(free)
        if len(free) <= CROWD:
            return self._pair(game, free, leaders, now, others=others)
        return await asyncio.to_thread(self._pair, game, free, leaders, now, others=others)

    def _pair(
        self, game: str, free: Sequence[str], leaders: Mapping[str, Leader], now: float, *, others: bool
    ) -> list[tuple[str, ...]]:
        """Return the pairs. Perhaps runs in a thread: no other code touches the histories meanwhile."""
        rules, idle = rules_of(game_of(game)[0]), self._idle(game, free, leaders)
        met = heats(idle, self._rng) if rules.kind == "race" else groups(idle, len(rules.seats), self._rng)
        found, left_out = [], {bot.name for bot in idle}
        for group in met:
            names = tuple(bot.name for bot in group)
            key = frozenset((game, *names))
            if others and just_met(group) and now - self._held.setdefault(key, now) < REPEAT_S:
                continue
            self._held.pop(key, None)
            self._remember(game, group)
            found.append(names)
            left_out -= {*names}
        for name in left_out:
            self._history(game, name).waited += 1
        return found

    def _idle(self, game: str, free: Sequence[str], leaders: Mapping[str, Leader]) -> list[Idle]:
        seats = range(len(rules_of(game_of(game)[0]).seats))
        idle = []
        for name in free:
            leader = leaders.get(name)
            history = self._history(game, name, leader)
            rating, games = (leader.rating, leader.games) if leader else (START_RATING, 0)
            sat = tuple(history.sat[seat] for seat in seats)
            idle.append(Idle(name, rating, games, tuple(history.recent), history.waited, sat))
        return idle

    def _remember(self, game: str, group: LadderGroup) -> None:
        for seat, bot in enumerate(group):
            history = self._history(game, bot.name)
            history.recent.extend(other.name for other in group if other is not bot)
            history.waited = 0
            history.sat[seat] += 1

    def _history(self, game: str, name: str, leader: Leader | None = None) -> _LadderHistory:
        """Return what is known of a bot here; `leader` is its line of the leaderboard, used when it is first seen."""
        found = self._histories.get((game, name))
        if found is None:
            rules = rules_of(game_of(game)[0])
            others = (HEAT if rules.kind == "race" else len(rules.seats)) - 1
            found = _LadderHistory(
                deque(maxlen=REMEMBERED * others), played_before=leader is not None and leader.games > 0
            )
            self._histories[game, name] = found
        return found

    def begun(self, match: str) -> None:
        """Note that a match has begun, on any server."""
        self._waiting.pop(match, None)

    # --- bots that do not come ----------------------------------------------------------------------------------------

    def _note(self, record: Record) -> None:
        """Rest the bots that have missed too many matches, now that one is over."""
        for name in self._appearances.note(record)[1]:
            if self._lobby.is_here(name):
                log.info("bot %s is rested: no move in %d matches in a row", name, MISSES, extra={"bot": name})
                self._rested[name] = self._signs(name)
                self._lobby.rest(name)
            else:
                self._appearances.excuse(name)
        for name in self._rested.keys() | {record.setup.bots[seat] for seat in record.absent or ()}:
            self._call_off_soon(name)
        for seat, name in enumerate(record.setup.bots):
            if name in self._rested and record.has_moved(seat):
                self._wake(name)

    def _call_off_soon(self, name: str) -> None:
        """Take its waiting matches, the other games of its encounter, off the list before its slot becomes free for
        them.
        """
        if matches := [match for match, bots in self._waiting.items() if name in bots]:
            task = asyncio.get_running_loop().create_task(self._call_off(matches), name=f"rest of {name}")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _call_off(self, matches: Sequence[str]) -> None:
        try:
            for match in matches:
                if await self._store.abort(match, RESTED, epoch=0):
                    self._waiting.pop(match, None)
        except Unavailable as error:
            log.warning("matches of a rested bot are called off later: %s", error)

    def _hear_remote(self, match: str, over: bool) -> None:  # noqa: FBT001  # as the arena calls it
        if not over and match in self._waiting:
            self._remote.add(match)
            self.begun(match)
        elif over and match in self._remote | self._waiting.keys():
            self._remote.discard(match)
            self._over.append(match)

    async def _look_at_remote(self) -> None:
        """Read the results of matches that other servers have played."""
        while self._over:
            record = await self._store.record(match := self._over[0])
            if record is None and (row := await self._store.match(match)) is not None and row.reason is not None:
                record = _unplayed(row)
            self._over.remove(match)  # only now: while the database is away it stays
            if record is not None:
                self._note(record)

    def _wake_rested(self) -> None:
        """Wake the rested bots that have sent a message again; forget those that are gone."""
        for name, known in list(self._rested.items()):
            signs = self._signs(name)
            if not signs:
                del self._rested[name]
                self._appearances.excuse(name)
            elif any(signs[key] != known.get(key) for key in signs):
                self._wake(name)
            elif not self._lobby.is_rested(name):  # another request to it was answered
                self._lobby.rest(name)

    def _signs(self, name: str) -> Signs:
        return {(each.process, each.key): each.asides for each in self._lobby.connections(name)}

    def _wake(self, name: str) -> None:
        del self._rested[name]
        self._appearances.excuse(name)
        self._lobby.wake(name)

    # --- matches that do not begin ------------------------------------------------------------------------------------

    async def _review(self) -> None:
        """Forget matches that have begun; give up those that cannot begin because a bot has left.

        `begun` is called for those that begin here. One that is no longer on the list has been claimed, and its bots
        will be busy in a moment, but perhaps are not yet: it is forgotten the next time.
        """
        if not self._waiting:
            return
        still = await self._store.still_waiting(self._waiting)
        claimed, self._claimed = self._claimed, set()
        for match, bots in list(self._waiting.items()):
            epoch = still.get(match)
            if epoch is None and match not in claimed:
                self._claimed.add(match)
                continue
            if epoch is not None:
                gone, rested = not all(map(self._lobby.is_here, bots)), any(map(self._lobby.is_rested, bots))
                if not gone and not rested:
                    continue
                await self._store.abort(match, "a bot left before it began" if gone else RESTED, epoch=epoch)
            self._waiting.pop(match, None)


def _unplayed(row: MatchRow) -> Record | None:
    """Return the record of a match in which no bot was ready; None if the match was aborted for another reason."""
    if row.status != "aborted" or not (row.reason or "").startswith(NOBODY_READY) or row.finished_at is None:
        return None
    result = Result("adjudicated", "nobody-ready", [0.5] * len(row.bots))
    return Record(row.id, row.setup, (), result, row.started_at or row.created_at, row.finished_at)


def _slices(groups: Sequence[tuple[str, ...]], size: int) -> Iterator[Sequence[tuple[str, ...]]]:
    return (groups[start : start + size] for start in range(0, len(groups), size))
