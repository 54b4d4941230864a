"""Positions of End of the Track with a past: random play, and pieces that go to and fro until a draw is near."""

from random import Random

from hypothesis import strategies as st

from palio_rules.games.end_of_track import START, Position

COURSE_START = (1, 2, 3, 4, 5, 3, 50, 51, 52, 53, 54, 52)  # as AI388U writes the first board


def somewhere(seed, plies, max_plies=300):
    """What random play reaches, a pass of the ball whenever there is one at odd seeds; not yet decided."""
    random, state = Random(seed), Position.of(START, max_plies=max_plies)
    for _ in range(min(plies, max_plies - 1)):
        moves = list(state.legal_moves())
        after = state.play(moves[-1] if seed % 2 and random.random() < 0.3 else random.choice(moves))
        if after.outcome() is not None:
            break
        state = after
    return state


def repeated(seed, plies, cycles, steps):
    """From somewhere both sides go to and fro `cycles` times, and then `steps` plies of the next time."""
    state, random = somewhere(seed, plies), Random(seed)
    there = [random.choice([move for move in state.legal_moves() if move.piece < 5])]
    there.append(next(move for move in state.play(there[0]).legal_moves() if move.piece < 5))
    back = [type(move)(move.piece, state.pieces[6 * (state.turn ^ at) + move.piece]) for at, move in enumerate(there)]
    for number in range(4 * cycles + steps):
        after = state.play((there + back)[number % 4])
        if after.outcome() is not None:
            break
        state = after
    return state


positions = st.one_of(
    st.builds(somewhere, st.integers(0, 9999), st.integers(0, 30)),
    st.builds(somewhere, st.integers(0, 9999), st.integers(0, 12), st.integers(1, 12)),
    st.builds(repeated, st.integers(0, 9999), st.integers(0, 6), st.integers(0, 2), st.integers(0, 3)),
)
