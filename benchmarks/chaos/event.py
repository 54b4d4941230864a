"""The matches to play: a number between random bots, or a Swiss tournament requested from a gateway."""

import random
import subprocess
from pathlib import Path

from chaos.hosts import PALIO, until
from chaos.network import Network
from palio_db.store import Store
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl

HERE = Path(__file__).parent
GAME, SIZE, TIME = "breakthrough", {"rows": 5, "cols": 5}, "300+5"
PATIENCE_S = 300  # bots that are cut off return, because the servers are tested here
SWISS_GAMES = 2  # an encounter, with seats swapped


def bot(number: int) -> str:
    return f"bot{number:02}"


def matches_of_swiss(bots: int, rounds: int) -> int:
    """Return how many there will be; `bots` is even, so there are no byes."""
    return rounds * bots // 2 * SWISS_GAMES


async def witnessed(db: str, matches: int, bots: int, seed: int) -> None:
    """Install triggers that check every write, and schedule `matches`."""
    rng = random.Random(seed)
    pairs = [rng.sample(range(bots), 2) for _ in range(matches)]
    setups = [
        Setup(
            GAME,
            (bot(one), bot(other)),
            options=dict(SIZE),
            time=TimeControl.parse(TIME),
            seed=number,
            grace_ms=PATIENCE_S * 1000,
            ready_ms=PATIENCE_S * 1000,
        )
        for number, (one, other) in enumerate(pairs)
    ]
    async with await Store.open(db) as store:
        async with store._database.write() as connection:  # noqa: SLF001  # for the benchmark's own triggers
            for statement in (HERE / "watchdog.sql").read_text().split("\n\n"):
                await connection.exec_driver_sql(statement.replace("%", "%%"))
        await store.schedule_many(setups)


def start_swiss(network: Network, url: str, bots: int, rounds: int, seed: int) -> None:
    """Request a tournament from a gateway, as people do; repeat until all bots are there. Raises RuntimeError."""
    size = [word for name, value in SIZE.items() for word in ("-o", f"{name}={value}")]
    words = ["tournament", "create", GAME, *map(bot, range(bots)), *size, "--format", "swiss", "--rounds", rounds]
    words += ["--tc", TIME, "--grace", PATIENCE_S, "--seed", seed, "--start", "--url", url]
    command = [*network.on("crowd"), *PALIO, *map(str, words)]

    def asked() -> bool:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    until(asked, "a gateway takes the tournament: " + " ".join(command))
