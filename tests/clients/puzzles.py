"""Small puzzles of both kinds on which searches are tested, with the exact distance from each position to the goal."""

from functools import cache

from hypothesis import strategies as st

from palio_clients.games import companion_of
from palio_rules.registry import game

SPECS = {
    "rush_hour": (
        ".bbb/..cc/aa.d/eeed",
        "bbbc/daac/d.ee/dfff",
        "b.cc./bde../bdef./aaef./.....",
        "bb..c/aa..c/.deff/.deg./hhhg.",
        "...b./.aab./c.dee/c.d.f/gghhf",
        "bbc.d/aac.d/..c../e..f./eggf.",
        "...b../...b../aa.b.d/..cccd/....../......",
    ),
    "chexers_solo": (
        "..../...../r...#./.....##/....../#..../#...",
        "..../.#..#/.#.#../r..r.../..#.../..#../....",
        ".##./#####/....../...##r./#..#../#...r/##..",
    ),
}


def start(name, board):
    rules = game(name)
    return rules.start(rules.parse_options({"board": board}))


@cache
def graph(name, board):
    """Each state that can be reached, with its successors; and how far each is from the nearest goal, if there is one.

    Too simple to be wrong: everything forwards, then in waves backwards.
    """
    problem = companion_of(name).problem(start(name, board))
    after, waiting = {}, [problem.start]
    for state in waiting:
        if state not in after:
            after[state] = list(problem.successors(state))
            waiting += [there for _, there in after[state]]
    before = {state: [] for state in after}
    for state, moves in after.items():
        for move, there in moves:
            before[there].append((move, state))
    wave = [state for state in after if problem.remaining(state) == 0]
    away = dict.fromkeys(wave, 0)
    for state in wave:
        for _, there in before[state]:
            if there not in away:
                away[there] = away[state] + 1
                wave.append(there)
    return after, before, away


def somewhere(name, board, number):
    """(name, board, one of the states that can be reached)."""
    after, _, _ = graph(name, board)
    return name, board, list(after)[number % len(after)]


boards = st.sampled_from([(name, board) for name, found in SPECS.items() for board in found])
states = st.builds(lambda board, number: somewhere(*board, number), boards, st.integers(0, 10_000))
