"""What a tournament is to be: read from a command line, or from the database where it was interrupted."""

import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palio_db.store import Store
from palio_rules.errors import BadOption
from palio_rules.record import Setup
from palio_rules.time_control import TimeControl
from palio_server.console.spawn import Entrant, entrants
from palio_server.console.stores import database_url
from palio_server.settings import load
from palio_server.tournament.schedule import RoundRobin

NO_CLOCK_STALL_MS = 60_000


@dataclass(frozen=True, slots=True)
class Order:
    """The flags of `palio run`."""

    rounds: int = 1
    tc: str | None = None
    st: str | None = None
    concurrency: int | None = None
    openings: int = 0
    seed: int = 1
    name: str | None = None
    db: str | None = None
    port: int = 0
    mqtt: str | None = None
    browser: bool = False
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A tournament that can be played: `number` where it is in the database already, `setups` where it is new."""

    game: str
    name: str
    entrants: Sequence[Entrant]
    concurrency: int
    worker: str  # who plays it; the same name takes interrupted matches up again at once
    settings: Mapping[str, Any]  # what is kept of all this with the tournament
    number: int | None = None
    setups: Sequence[tuple[int, Setup]] = field(default_factory=list)

    @property
    def slots(self) -> int:
        """How many matches each bot must play at once, so that `concurrency` of them keep going."""
        return -(-2 * self.concurrency // len(self.entrants))


def new(order: Order, game: str, options: Mapping[str, str], texts: Sequence[str]) -> Plan:
    """A round robin of the bots that `texts` describe. Raises BadOption."""
    bots = entrants(texts)
    names = [bot.name for bot in bots]
    time = TimeControl.parse(order.tc, order.st)
    pairs = RoundRobin(game, names, order.rounds, order.openings, order.seed, time, options)
    concurrency = order.concurrency or os.cpu_count() or 1
    name = order.name or f"{game} {' '.join(names)}"[:200]
    worker = f"run-{secrets.token_hex(4)}"
    settings = {
        "bots": [[bot.name, bot.spec] for bot in bots],
        "concurrency": concurrency,
        "worker": worker,
        "rounds": order.rounds,
        "openings": order.openings,
        "seed": order.seed,
        "time": str(time),
    }
    return Plan(game, name, bots, concurrency, worker, settings, setups=pairs.setups())


async def resumed(order: Order, number: int) -> Plan:
    """The interrupted tournament `number`. Raises BadOption if there is none, or none that `palio run` made."""
    async with await Store.open(database_url(load(db=order.db).db, must_exist=True)) as store:
        row = await store.tournament(number)
        if row is None:
            known = ", ".join(str(row.id) for row in await store.tournaments(10)) or "none"
            raise BadOption(f"there is no tournament {number} in {store.url}; the newest are: {known}")
    if not {"bots", "concurrency", "worker"} <= set(row.settings):
        raise BadOption(f"tournament {number} was not made by palio run; start a server with its bots instead")
    bots = [Entrant(name, spec) for name, spec in row.settings["bots"]]
    concurrency = order.concurrency or int(row.settings["concurrency"])
    return Plan(row.game, row.name, bots, concurrency, row.settings["worker"], row.settings, number=number)
