"""The strength of the champion: `python benchmarks/bench_champion.py [--games N] [--seconds S] [GAME]... [--json]`.

In duels it plays against alpha-beta, both with the same time a move; each opening of random plies is played twice, with
the seats swapped. In three-handed games it sits with two paranoid searches, in each seat in turn. In races its cost is
compared with that of another bot on the same instances. By the rules alone, in this process: no server, no network.
Late is by how much longer than its time the champion took for a move; the last line shows the machine's own lateness,
caused by other programs.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from math import inf, log10, sqrt
from random import Random
from typing import Any

from figures import Figure, keep

from palio_clients.agents.champion import ChampionBot
from palio_clients.agents.greedy import GreedyBot
from palio_clients.agents.searcher import AlphaBetaBot, ParanoidBot
from palio_clients.agents.tours import HillClimbingBot
from palio_clients.sdk.bot import Bot
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import Resign
from palio_rules.registry import game_from_spec

DUELS = ("breakthrough", "breakthrough:rows=8,cols=8", "chess", "dominoes", "end_of_the_track")
TABLES = ("chexers",)
RACES: dict[str, Callable[[float], Bot]] = {
    "chexers_solo": lambda _: GreedyBot(seed=1),
    "rush_hour": lambda _: GreedyBot(seed=1),
    "tsp:size=200": lambda _: HillClimbingBot(seed=1),
}
OPENING = 4  # random plies before the bots take over
LOOKS = 200
RACE_S = 10.0  # for one whole race
MIN_RACES = 3  # fewer have no error bar
CONFIDENT = 1.96  # standard errors: 95 %


@dataclass
class Standing:
    """The champion's result, from 0 to 1 a game, where equal players would have `fair`."""

    spec: str
    against: str
    fair: float
    scores: list[float]
    late_ms: list[float]

    def interval(self) -> tuple[float, float]:
        """Return Wilson's interval, which is right near 0 and 1, too; draws make the true one narrower."""
        n, mean = len(self.scores), statistics.mean(self.scores)
        centre = (mean + CONFIDENT**2 / (2 * n)) / (1 + CONFIDENT**2 / n)
        half = CONFIDENT / (1 + CONFIDENT**2 / n) * sqrt(mean * (1 - mean) / n + CONFIDENT**2 / (4 * n * n))
        return centre - half, centre + half

    def figures(self) -> list[Figure]:
        what = f"champion vs {self.against}, {self.spec}: lower end of its score"
        mean, (low, _) = statistics.mean(self.scores), self.interval()
        return [Figure(what, 100 * low, "%", 100 * self.fair, note=f"{mean:.1%} in {len(self.scores)} games")]

    def line(self) -> str:
        low, high = self.interval()
        elo = "" if self.fair != 0.5 else f"  Elo {shown(statistics.mean(self.scores))} ({shown(low)}, {shown(high)})"
        verdict = "better" if low > self.fair else "worse" if high < self.fair else "not distinguished"
        return (
            f"{self.spec:<28} vs {self.against:<11} {len(self.scores):>4} games  {statistics.mean(self.scores):6.1%}"
            f" [{low:.1%}, {high:.1%}]{elo}  {verdict}; late p99 {p99(self.late_ms):.1f} ms of {len(self.late_ms)}"
        )


def p99(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[98] if len(values) > 1 else 0.0


def machine_late(seconds: float) -> str:
    """Return how late this machine is for a process that only waits, because of other programs."""
    late_ms = []
    for _ in range(LOOKS):
        due = time.monotonic() + seconds
        while time.monotonic() < due:
            pass
        late_ms.append(1000 * (time.monotonic() - due))
    return f"a loop that only looks at the clock: late p99 {p99(late_ms):.1f} ms of {LOOKS}"


def shown(score: float) -> str:
    return f"{elo(score):+.0f}" if 0 < score < 1 else "+inf" if score else "-inf"


def elo(score: float) -> float:
    return -400 * log10(1 / score - 1) if 0 < score < 1 else inf if score else -inf


def seated(bot: Bot, spec: str, seat: int) -> Bot:
    rules, options = game_from_spec(spec)
    bot.game, bot.options, bot.seat = rules, options, seat
    bot.prepare(rules, options, seat)
    return bot


def opening(spec: str, seed: int) -> Any:
    rules, options = game_from_spec(spec)
    random = Random(seed)
    while True:
        state = rules.start(options, seed)
        for _ in range(OPENING * len(rules.seats) // 2):
            if state.to_move is not None:
                state = state.play(random.choice(list(state.legal_moves())))
        if state.to_move is not None:
            return state


def played(spec: str, state: Any, bots: list[Bot], champion: int, seconds: float, late_ms: list[float]) -> float:
    """Return the champion's score of one game."""
    for seat, bot in enumerate(bots):
        seated(bot, spec, seat)
    while (seat := state.to_move) is not None:
        alone = sum(1 for _ in state.legal_moves()) == 1
        began = time.monotonic()
        move = bots[seat].choose(state, Clock())
        if seat == champion and not alone:
            late_ms.append(1000 * max(0.0, time.monotonic() - began - seconds))
        state.check(move)
        state = state.play(move)
    return float(state.outcome().scores[champion])


def duels(spec: str, games: int, seconds: float, seed: int) -> Standing:
    standing = Standing(spec, "alpha_beta", 1 / 2, [], [])
    for number in range(games):
        state, seat = opening(spec, seed + number // 2), number % 2
        bots: list[Bot] = [AlphaBetaBot(seconds=seconds), AlphaBetaBot(seconds=seconds)]
        bots[seat] = ChampionBot(seconds=seconds)
        standing.scores.append(played(spec, state, bots, seat, seconds, standing.late_ms))
    return standing


def tables(spec: str, games: int, seconds: float, seed: int) -> Standing:
    standing = Standing(spec, "2 paranoid", 1 / 3, [], [])
    for number in range(games):
        state, seat = opening(spec, seed + number // 3), number % 3
        bots: list[Bot] = [ParanoidBot(seconds=seconds) for _ in range(3)]
        bots[seat] = ChampionBot(seconds=seconds)
        standing.scores.append(played(spec, state, bots, seat, seconds, standing.late_ms))
    return standing


@dataclass
class Costs:
    """The costs on the instances that both have solved."""

    spec: str
    against: str
    champion: list[float | None]
    other: list[float | None]

    @property
    def both(self) -> list[tuple[float, float]]:
        pairs = zip(self.champion, self.other, strict=True)
        return [(ours, theirs) for ours, theirs in pairs if ours is not None and theirs is not None]

    def less(self) -> tuple[float, float]:
        """Return by how much the champion's cost is less, with the confidence."""
        less = [theirs - ours for ours, theirs in self.both]
        error = CONFIDENT * statistics.stdev(less) / sqrt(len(less)) if len(less) > 1 else inf
        return statistics.mean(less), error

    def figures(self) -> list[Figure]:
        (mean, error), what = self.less(), f"champion vs {self.against}, {self.spec}: lower end of cost saved"
        return [Figure(what, mean - error, "", 0.0, note=f"{mean:.1f} in {len(self.both)} races")]

    def line(self) -> str:
        mean, error = self.less()
        ours, theirs = (statistics.mean(side) for side in zip(*self.both, strict=True))
        solved = sum(cost is not None for cost in self.champion)
        return (
            f"{self.spec:<28} vs {self.against:<11} {len(self.champion):>4} races, {solved} solved; "
            f"mean cost {ours:.1f} against {theirs:.1f}, less by {mean:.1f} ± {error:.1f}"
        )


def raced(spec: str, bot: Bot, seed: int) -> float | None:
    rules, options = game_from_spec(spec)
    seated(bot, spec, 0)
    state, ends = rules.start(options, seed), time.monotonic() + RACE_S
    while state.to_move is not None and time.monotonic() < ends:
        left = ends - time.monotonic()
        clock = Clock(round(1000 * left), 0, round(1000 * left), (), ends)
        try:
            state = state.play(bot.choose(state, clock))
        except Resign:
            break
    return rules.cost(state)


def races(spec: str, count: int, seed: int) -> Costs:
    other = RACES[spec]
    costs = Costs(spec, type(other(0)).__name__.removesuffix("Bot").lower(), [], [])
    for number in range(count):
        costs.champion.append(raced(spec, ChampionBot(), seed + number))
        costs.other.append(raced(spec, other(0), seed + number))
    return costs


def measured(asked: argparse.Namespace) -> Iterator[Standing | Costs]:
    for spec in asked.specs or (*DUELS, *TABLES, *RACES):
        rules = game_from_spec(spec)[0]
        if rules.kind == "race":
            yield races(spec, max(MIN_RACES, asked.games // 10 if rules.anytime else asked.games), asked.seed)
        else:
            yield (duels if rules.kind == "duel" else tables)(spec, asked.games, asked.seconds, asked.seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="*", metavar="GAME", help="with options if need be; all by default")
    parser.add_argument("--games", type=int, default=100, help="of each; of anytime races a tenth")
    parser.add_argument("--seconds", type=float, default=0.05, help="a move, of each bot")
    parser.add_argument("--seed", type=int, default=1, help="of openings and instances")
    parser.add_argument("--json", action="store_true", help="JSON, one object a line, instead of the table")
    asked = parser.parse_args()
    for found in measured(asked):
        keep(found.figures())
        print(json.dumps(asdict(found)) if asked.json else found.line(), flush=True)
    if not asked.json:
        print(machine_late(asked.seconds))


if __name__ == "__main__":
    main()
