"""What `palio run` is to play: by its options, or by the database where a tournament was interrupted."""

import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palio_rules.errors import BadOption
from palio_rules.registry import game as rules_of
from palio_rules.time_control import TimeControl
from palio_server.processes import Entrant, entrants
from palio_server.tournament.heat import DEFAULT_TIME, never_ends, time_text
from palio_server.tournament.schedule import Schedule


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of `palio run`."""

    rounds: int = 1
    tc: str | None = None
    st: str | None = None
    concurrency: int | None = None
    openings: int = 0
    seed: int = 1
    by_time: bool = False
    name: str | None = None
    db: str | None = None
    port: int = 0
    mqtt: str | None = None
    browser: bool = False
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A tournament that can be played: `number` where it is in the database already, `schedule` where it is new."""

    game: str
    name: str
    entrants: Sequence[Entrant]
    concurrency: int  # matches at once
    worker: str  # who plays it; the same name takes interrupted matches up again at once
    settings: Mapping[str, Any]  # what is kept of all this with the tournament
    number: int | None = None
    schedule: Schedule | None = None
    hints: Sequence[str] = ()  # what whoever runs it may not expect
    absent: frozenset[str] = frozenset()  # who has nothing left to play

    @property
    def playing(self) -> list[Entrant]:
        """The bots that are needed."""
        return [entrant for entrant in self.entrants if entrant.name not in self.absent]

    @property
    def slots(self) -> int:
        """How many matches each bot must play at once, so that `concurrency` of them keep going."""
        rules = rules_of(self.game)
        seats = len(self.entrants) if rules.kind == "race" else len(rules.seats)
        return -(-seats * self.concurrency // len(self.entrants))


def new_plan(
    chosen: RunOptions, game: str, options: Mapping[str, Any], specs: Sequence[str], instance: str = ""
) -> Plan:
    """A tournament of the bots that `specs` describe; `instance` is what its only one is called. Raises BadOption."""
    bots = entrants(specs)
    names = [bot.name for bot in bots]
    rules, time = rules_of(game), TimeControl.parse(chosen.tc, chosen.st)
    hints = []
    if never_ends(rules, time):
        time = DEFAULT_TIME
        hints.append(f"{game} goes on until time is up: {time_text(rules, time)}; --st gives it another time")
    if rules.kind != "race" and chosen.rounds > 1 and not chosen.openings:
        hints.append(
            "all games begin alike, so bots that leave nothing to chance repeat theirs; --openings 2 varies them"
        )
    schedule = Schedule(game, names, chosen.rounds, chosen.openings, chosen.seed, time, options, chosen.by_time)
    schedule.matches()  # refuses what cannot be played before anything else is done
    # in a race all bots think at once: a second one beside it would cost each of them time
    concurrency = chosen.concurrency or (1 if rules.kind == "race" else os.cpu_count() or 1)
    name = chosen.name or " ".join(filter(None, (game, instance, *names)))[:200]
    worker = f"run-{secrets.token_hex(4)}"
    settings = {
        "bots": [[bot.name, bot.spec] for bot in bots],
        "concurrency": concurrency,
        "worker": worker,
        "rounds": chosen.rounds,
        "openings": chosen.openings,
        "seed": chosen.seed,
        "time": str(time),
    } | ({"by_time": chosen.by_time} if rules.kind == "race" else {})
    return Plan(game, name, bots, concurrency, worker, settings, schedule=schedule, hints=hints)


async def resumed_plan(chosen: RunOptions, number: int) -> Plan:
    """The interrupted tournament `number`. Raises BadOption if there is none, or none that `palio run` made."""
    from palio_server.arena.running_tournament import ALL
    from palio_server.cli.source import open_store

    async with open_store(chosen.db) as store:
        row = await store.tournament(number)
        if row is None:
            known = ", ".join(str(row.id) for row in await store.tournaments(10)) or "none"
            raise BadOption(f"there is no tournament {number} in {store.url}; the newest are: {known}")
        unplayed = [
            match
            for status in ("scheduled", "running")
            for match in await store.matches(tournament=number, status=status, limit=ALL)
        ]
    if not {"bots", "concurrency", "worker"} <= set(row.settings):
        raise BadOption(f"tournament {number} was not made by palio run; start a server with its bots instead")
    bots = [Entrant(name, spec) for name, spec in row.settings["bots"]]
    concurrency = chosen.concurrency or int(row.settings["concurrency"])
    absent = {bot.name for bot in bots} - {bot for match in unplayed for bot in match.bots}
    return Plan(
        row.game, row.name, bots, concurrency, row.settings["worker"], row.settings, number, absent=frozenset(absent)
    )
