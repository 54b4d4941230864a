"""The costs of plans and the lengths of tours, as tables of search-counts.md: `python benchmarks/search_planning.py`.

No time is measured: the same steps are taken on every machine.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from palio_clients.games import companion_of
from palio_clients.games.tsp.landscape import TourLandscape, distances
from palio_clients.search.local_search import hill_climbing, late_acceptance, random_restarts, simulated_annealing
from palio_clients.search.planning import Plan, a_star, breadth_first, ida_star, rbfs
from palio_clients.search.tours import (
    Improved,
    Steps,
    Tours,
    iterated_local_search,
    length_of,
    near_cities,
    nearest_neighbour,
    or_opt,
    two_opt,
)
from palio_rules.registry import game_from_spec

PUZZLES = (
    "rush_hour:board=...b../...b../aa.b.d/..cccd/....../......",
    "rush_hour:board=bbccdd/..e.ff/gge.hi/jkklhi/jaalhi/mm.nnn",
    "rush_hour:board=gbb.l./ghi.lm/ghiaam/ccck.m/..jkdd/eejff.",
    "chexers_solo:board=..../...../..r..#/..#r.../.r#.#./...../....",
    "chexers_solo:board=.r../..r../..#.../...r.../r#..../#...#/.#.#",
    "chexers_solo:board=r.../...../....../r....../....../...../r..r",
)
MOST = 20_000  # states that a search in linear space may expand
HASTY = 5  # the weight of a fast A*
CITIES, SEED, NEAR = 200, 1, 8
TRIES = 200_000  # random changes of a tour
CLIMBS, BRIDGES = 8_000, 10_000  # steps of the searches without an end


def puzzle(spec: str) -> list[str]:
    """Return one row: the states that each search expands."""
    rules, options = game_from_spec(spec)
    problem = companion_of(rules.name).problem(rules.start(options))
    route = breadth_first(problem.start, problem.successors, lambda state: problem.remaining(state) == 0)
    assert route is not None
    shortest, hasty = len(route.moves), a_star(*problem, weight=HASTY, max_expanded=MOST)
    plans = [search(*problem, max_expanded=MOST) for search in (a_star, ida_star, rbfs)]
    counts = [expanded(plan, shortest) for plan in plans]
    name, _, board = spec.partition(":board=")
    return [
        f"`{name}` `{board}`",
        str(shortest),
        f"{route.expanded:,}",
        *counts,
        f"{hasty.expanded:,} ({len(hasty.moves)})",
    ]


def expanded(plan: Plan, shortest: int) -> str:
    if not plan.complete:
        return f"more than {plan.expanded:,}"
    if len(plan.moves) != shortest:
        raise AssertionError(f"a plan has {len(plan.moves)} moves where {shortest} are enough")
    return f"{plan.expanded:,}"


def improvers() -> list[list[str]]:
    """Return the rows of the second table, all on one instance."""
    rules, options = game_from_spec(f"tsp:size={CITIES}")
    distance = distances(rules.start(options, SEED).instance)
    near = near_cities(distance, NEAR)
    tours, landscape = Tours(distance, near), TourLandscape(Tours(distance, near))
    anywhere, greedy = landscape.somewhere(Random(SEED)), nearest_neighbour(distance)
    runs: list[tuple[str, str, Callable[[Random], Improved[Any]]]] = [
        ("a random tour", "", lambda _: Improved(anywhere, length_of(anywhere, distance), 0)),
        ("`nearest_neighbour`", "", lambda _: Improved(greedy, length_of(greedy, distance), 0)),
        ("`hill_climbing`", "random", lambda _: hill_climbing(anywhere, landscape)),
        ("`random_restarts`", "random", lambda r: random_restarts(anywhere, landscape, r, stop=Steps(CLIMBS))),
        ("`late_acceptance`", "random", lambda r: late_acceptance(anywhere, landscape, r, stop=Steps(TRIES))),
        ("`simulated_annealing`", "random", lambda r: annealed(anywhere, landscape, r)),
        ("`two_opt`", "random", lambda _: two_opt(anywhere, distance, near=near)),
        ("`two_opt`", "greedy", lambda _: two_opt(greedy, distance, near=near)),
        ("`or_opt`", "greedy", lambda _: or_opt(greedy, distance, near=near)),
        ("`double_bridge`", "greedy", lambda r: iterated_local_search(greedy, tours, r, stop=Steps(BRIDGES))),
    ]
    found = [(name, start, run(Random(SEED))) for name, start, run in runs]
    best = min(each.cost for _, _, each in found)
    return [
        [name, start, f"{each.steps:,}" if start else "", f"{each.cost:,}", f"{each.cost / best - 1:.1%}"]
        for name, start, each in found
    ]


def annealed(start: Any, landscape: TourLandscape, random: Random) -> Improved[Any]:
    return simulated_annealing(start, landscape, random, steps=TRIES, hot=50, cold=1)


def table(head: str, rule: str, rows: list[list[str]]) -> str:
    return "\n".join([head, rule, *(f"| {' | '.join(row)} |" for row in rows)])


def main() -> None:
    head = "| puzzle | moves | breadth-first | A* | IDA* | RBFS | A*, weight 5 (its moves) |"
    print(table(head, "|---|--:|--:|--:|--:|--:|--:|", [puzzle(spec) for spec in PUZZLES]))
    print()
    head = "| search | from | steps | length | over the best |"
    print(table(head, "|---|---|--:|--:|--:|", improvers()))


if __name__ == "__main__":
    main()
