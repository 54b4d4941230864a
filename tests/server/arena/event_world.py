"""An event that is played without bots: a store, and what stands in for the arena; both can die at any write."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from random import Random
from typing import Any

from palio_db.event_values import Entry, TournamentDraft
from palio_db.store import Store
from palio_db.values import Claim
from palio_rules.contract.messages import Finish, Result
from palio_rules.records.record import Ply, Record
from palio_rules.registry import is_race
from palio_server.arena.running_tournament import RunningTournament
from palio_server.tournament.format import format_of
from palio_server.tournament.terms import Terms

THEN = datetime(2026, 11, 20, tzinfo=UTC)
WRITES = ("plan", "forfeit", "replan", "unschedule", "set_stage", "set_rules", "enter", "finish", "claim", "abort")


class Killed(Exception):
    """The process is gone: its writes are there, and no other process was told."""


class MortalStore:
    """A store whose process is killed by its `lives`-th write, which is still committed."""

    def __init__(self, store: Store, lives: int | None) -> None:
        self._store, self.left = store, lives

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if name not in WRITES:
            return method

        async def writing(*args: Any, **named: Any) -> Any:
            if self.left is not None and self.left <= 0:
                raise Killed
            found = await method(*args, **named)
            if self.left is not None:
                self.left -= 1
                if self.left == 0:
                    raise Killed
            return found

        return writing


class Lobby:
    """A lobby in which every bot is present except those in `away`."""

    def __init__(self) -> None:
        self.away: set[str] = set()

    def players(self, game: str) -> "Lobby":
        return self

    def __contains__(self, bot: str) -> bool:
        return bot not in self.away


class FakeArena:
    """Plays what is scheduled, one match after the other; who wins is drawn from the match's setup and its bots."""

    ahead = 0
    needs_bots = True

    def __init__(self, store: MortalStore, score: Callable[[Claim], list[float]], worker: str = "w") -> None:
        self.on_start: list[Callable[[str], None]] = []
        self.on_result: list[Callable[[Record], None]] = []
        self.store, self.score, self.worker = store, score, worker
        self.on_remote: list[Callable[[str, bool], None]] = []
        self.called_off: list[str] = []
        self._changed = asyncio.Event()

    def scheduled(self) -> None:
        self._changed.set()

    async def call_off_anywhere(self, match: str, reason: str) -> bool:
        self.called_off.append(match)
        return False

    async def run(self) -> None:
        """Play until cancelled."""
        for claim in await self.store.reclaim(self.worker, 60):
            await self.finish(claim)
        while True:
            self._changed.clear()
            claim = await self.store.claim(self.worker, 60)
            if claim is None:
                await self._changed.wait()
                continue
            for begun in [*self.on_start]:
                begun(claim.match)
            await self.finish(claim)

    async def finish(self, claim: Claim, result: Result | None = None) -> None:
        record = record_of(claim, result or self._result(claim))
        await self.store.finish(claim, record)
        for done in [*self.on_result]:
            done(record)
        await asyncio.sleep(0)

    def _result(self, claim: Claim) -> Result:
        scores = self.score(claim)
        if not is_race(claim.setup.game):
            return Result("rule", "no-moves", scores)
        finishes = [Finish("rule", "solved", 10.0 - score) for score in scores]
        return Result("rule", "ranked", scores, finishes=finishes)


def record_of(claim: Claim, result: Result) -> Record:
    plies = tuple(Ply(seat, [seat], 10 + seat) for seat in range(len(claim.setup.bots)))
    return Record(claim.match, claim.setup, plies, result, THEN, THEN)


def by_chance(claim: Claim) -> list[float]:
    """A result that depends on who plays on which opening, and on nothing else."""
    setup = claim.setup
    draw = Random(f"{setup.bots} {setup.opening} {setup.seed}")
    places = draw.sample(range(len(setup.bots)), len(setup.bots))
    if is_race(setup.game):
        return [place / max(1, len(places) - 1) for place in places]
    if len(places) == 2 and draw.random() < 0.2:
        return [0.5, 0.5]
    return [float(place == 0) for place in places]


async def new_event(
    store: Store, game: str, bots: int, format_: str, rules: dict[str, Any] | None = None, **terms: Any
) -> int:
    """Make an event that may begin."""
    entries = tuple(Entry(f"bot{number}", number) for number in range(1, bots + 1))
    made = format_of(format_, rules or {})
    settings = Terms(game=game, **terms).settings
    return await store.create_event(
        TournamentDraft("cup", game, made.name, made.settings, settings, entries, stage="running", announced="")
    )


async def play(
    store: Store, number: int, *, lives: int | None = None, lobby: Lobby | None = None, score: Any = by_chance,
    grace_s: float | None = None, worker: str = "w",
) -> tuple[RunningTournament | None, list[str]]:  # fmt: skip
    """Play the event, to its end or until the process is killed; what was said."""
    mortal, said = MortalStore(store, lives), list[str]()
    arena = FakeArena(mortal, score, worker)
    tasks: list[asyncio.Task[None]] = []
    tournament = None
    with suppress(Killed):
        tournament = await RunningTournament.open(
            mortal,
            arena,
            lobby or Lobby(),
            number,
            say=said.append,
            grace_s=grace_s,  # type: ignore[arg-type]
        )
        tasks = [asyncio.create_task(tournament.play()), asyncio.create_task(arena.run())]
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        try:
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    return tournament, said
