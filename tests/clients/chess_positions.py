"""Positions of chess for tests: random games, of all kinds of starts, some of them full of repetitions."""

import random

from hypothesis import strategies as st

from palio_rules.games.chess import Chess, ChessOptions

RULES = Chess()
START = RULES.start(ChessOptions())
ENDINGS = (
    "8/8/8/4k3/8/8/4P3/4K2R w - - 0 1",
    "4k3/8/8/8/8/8/8/QK6 w - - 3 40",
    "4k3/pp6/8/2Pp4/8/8/6PP/4K3 w - d6 0 1",
    "8/P5k1/8/8/8/8/1p4K1/8 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 95 70",
    "5k2/8/8/2b5/8/3N4/8/2K1R3 b - - 7 50",
)


def after(state, *moves):
    for move in moves:
        state.check(move)
        state = state.play(move)
    return state


def walked(start, seed, plies, back=0.0):
    """The last position before the end of a random game; `back`: how often a side takes its last move back."""
    choose = random.Random(seed)
    if start == -1:
        state = START
    elif start < 960:
        state = RULES.start(ChessOptions(variant="chess960", start=start))
    else:
        state = RULES.parse_state(ENDINGS[start - 960])
    for _ in range(plies):
        moves = list(state.legal_moves())
        last = state.trail[-2] if len(state.trail) > 1 else ""
        undone = last[2:] + last[:2]
        played = state.play(undone if undone in moves and choose.random() < back else choose.choice(moves))
        if played.to_move is None:
            break
        state = played
    return state


positions = st.builds(
    walked,
    st.one_of(st.just(-1), st.integers(0, 959 + len(ENDINGS)), st.integers(960, 959 + len(ENDINGS))),
    st.integers(0, 10_000),
    st.integers(0, 120),
    st.sampled_from([0.0, 0.7]),
)
