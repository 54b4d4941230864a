"""The time to rate a thousand bots, with error bars, after a million results.

    python benchmarks/bench_ratings.py               # 1,000 bots
    python benchmarks/bench_ratings.py --bots 200

As on a ladder (every bot has met some forty near to it), and as in a round robin (every bot has met all others). A cold
start has no earlier ratings; a warm one begins from those of 99 % of the games, as a server does after each result. All
is timed from a list of `PairScore`s to a dictionary of `Rating`s, in CPU time of one core: linear algebra has one
thread. The errors are compared with the inverse of the whole information matrix.
"""

import argparse
import json
import os
import statistics
import sys
import time

import numpy as np
from figures import Figure, keep, table

from palio_db.values import START_RATING, PairScore
from palio_server.ratings.bradley_terry import ELO, PRIOR, rate
from palio_server.ratings.elo import Z_95

GOAL_S = 0.1
RESULTS = 1_000_000


def played(bots: int, results: int, near: int) -> list[PairScore]:
    """Return scores of every two bots that are at most `near` places apart, with `results` in total."""
    rng = np.random.default_rng(1)
    strength = np.sort(rng.normal(0.0, 1.2, bots))
    first, second = np.triu_indices(bots, 1)
    close = second - first <= near
    first, second = first[close], second[close]
    games = np.full(len(first), results // len(first))
    games[: results - int(games.sum())] += 1
    expected = 1 / (1 + np.exp(strength[second] - strength[first]))
    drawn = np.minimum(expected, 1 - expected) / 2
    draws = rng.binomial(games, drawn)
    wins = rng.binomial(games - draws, np.clip((expected - drawn / 2) / (1 - drawn), 0, 1))
    rows = zip(*(each.tolist() for each in (first, second, wins, draws, games - draws - wins)), strict=True)
    return [PairScore(f"bot{a:04}", f"bot{b:04}", *counts) for a, b, *counts in rows]


def timed(pairs: list[PairScore], before: dict[str, float] | None, runs: int) -> float:
    spent = []
    for _ in range(runs):
        start = time.process_time()
        rate(pairs, before)
        spent.append(time.process_time() - start)
    return statistics.median(spent)


def furthest(pairs: list[PairScore]) -> float:
    """Return the greatest difference of an error from that of the inverted matrix, as a share of it."""
    rated = rate(pairs)
    names = sorted(rated)
    place = {name: number for number, name in enumerate(names)}
    strength = np.array([(rated[name].rating - START_RATING) / ELO for name in names])
    weight = np.zeros((len(names), len(names)))
    for pair in pairs:
        a, b = place[pair.first], place[pair.second]
        expected = 1 / (1 + np.exp(strength[b] - strength[a]))
        weight[a, b] = weight[b, a] = pair.games * expected * (1 - expected)
    information = np.diag(weight.sum(axis=1) + PRIOR) - weight
    variance = np.diag(np.linalg.inv(information)) - 1 / (PRIOR * len(names))
    exact = Z_95 * ELO * np.sqrt(variance)
    found = np.array([rated[name].error for name in names])
    return float(np.abs(found / exact - 1).max())


def alone() -> None:
    """Start again with one thread for linear algebra, which its library reads when it is loaded."""
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
        os.execv(sys.executable, [sys.executable, *sys.argv])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", type=int, default=1000)
    parser.add_argument("--results", type=int, default=RESULTS)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = []
    for what, near, goal in (("ladder", 20, GOAL_S), ("round robin", given.bots, None)):
        pairs = played(given.bots, given.results, near)
        earlier = played(given.bots, given.results - given.results // 100, near)
        before = {bot: rating.rating for bot, rating in rate(earlier).items()}
        size = f"{given.bots:,} bots, {given.results:,} results, {what} ({len(pairs):,} pairs)"
        for start, known in (("cold", None), ("warm", before)):
            seconds = timed(pairs, known, given.runs)
            figures.append(Figure(f"{size}: {start}", seconds, "s", goal, less_is_better=True))
        off = furthest(pairs)
        figures.append(Figure(f"{size}: errors off by", 100 * off, "%", 0.1, less_is_better=True))
    keep(figures)
    if given.json:
        print(json.dumps([{"what": each.what, "value": each.value, "unit": each.unit} for each in figures]))
    else:
        print(table(figures))


if __name__ == "__main__":
    alone()
    main()
