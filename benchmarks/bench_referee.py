"""Validated plies a second of the referee in one process, on one core: Breakthrough, random play.

The seats answer at once with a random move of the turn's list, so that only the referee is measured: the rules
(listing, reading, checking, playing), the clocks, the messages as values, the events. No bytes, no sockets.

    python benchmarks/bench_referee.py [--matches N] [--runs N]
"""

import argparse
import asyncio
import random
import statistics
import time
from dataclasses import dataclass

from figures import Figure, keep

from palio_rules.contract.messages import GameMessage, Move, Ready, ServerMessage, Turn
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl
from palio_server.match.channel import Incoming, Said
from palio_server.match.events import Played
from palio_server.match.referee import Referee

KAGGLE_US = 1500  # CPU of one ply in kaggle-environments, in microseconds
TARGET = 30_000  # validated plies a second


@dataclass(frozen=True, slots=True)
class Run:
    plies: int
    wall: float  # seconds
    cpu: float


class RandomChannel:
    """Both seats in one: ready at once, then a random listed move for each turn."""

    def __init__(self, match: str, rng: random.Random) -> None:
        self._match, self._rng = match, rng
        self._queue: list[Incoming] = []
        self._now = asyncio.get_running_loop().time

    def post(self, seat: int, message: ServerMessage) -> None:
        kind = type(message)
        if kind is Turn:
            moves = message.moves
            move = moves[int(self._rng.random() * len(moves))]
            self._queue.append(Said(seat, Move(self._match, message.id, move), self._now()))
        elif kind is GameMessage:
            self._queue.append(Said(seat, Ready(self._match), self._now()))

    def without(self, seat: int) -> tuple[str, ...]:
        return ()

    def time(self) -> float:
        return self._now()

    async def next(self, deadline: float | None) -> Incoming | None:
        return self._queue.pop(0)


async def play(matches: int, seed: int) -> Run:
    referee, rng, plies = Referee(), random.Random(seed), 0
    setup = Setup(game="breakthrough", bots=("a", "b"), time=TimeControl(base_ms=600_000, increment_ms=100))
    wall, cpu = time.perf_counter(), time.process_time()
    for number in range(matches):
        match = f"m{number}"
        async for event in referee.play(match, setup, RandomChannel(match, rng)):
            plies += type(event) is Played
    return Run(plies, time.perf_counter() - wall, time.process_time() - cpu)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=2000, help="matches a run")
    parser.add_argument("--runs", type=int, default=7, help="runs, of which the median counts")
    args = parser.parse_args()
    asyncio.run(play(100, seed=0))  # warms caches
    runs = [asyncio.run(play(args.matches, seed=run)) for run in range(args.runs)]
    rate = statistics.median(run.plies / run.cpu for run in runs)  # of one core, on a busy machine, too
    wall = statistics.median(run.plies / run.wall for run in runs)
    cpu_us = statistics.median(run.cpu / run.plies * 1e6 for run in runs)
    print(f"plies: {sum(run.plies for run in runs)} in {args.runs} runs of {args.matches} matches")
    print(f"validated plies/s of one core (median): {rate:,.0f} (target {TARGET:,}, {verdict(rate)})")
    print(f"the same by the wall clock, with whatever else runs on this machine: {wall:,.0f}")
    keep(
        [
            Figure(
                "referee: validated plies", rate, "plies/s", TARGET, peer=f"kaggle-environments, quoted: {KAGGLE_US} us"
            )
        ]
    )
    print(f"CPU a ply (median): {cpu_us:.1f} us; kaggle-environments takes {KAGGLE_US} us, {KAGGLE_US / cpu_us:.0f} x")


def verdict(rate: float) -> str:
    return "met" if rate >= TARGET else "missed"


if __name__ == "__main__":
    main()
