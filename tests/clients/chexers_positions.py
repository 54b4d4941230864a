"""Positions of Chexers: what random play reaches, with exits, repetitions, seats that forfeit, and short games."""

from random import Random

from hypothesis import strategies as st

from palio_rules.games.chexers import Position


def somewhere(seed, plies, max_turns=256, out=0.0, back=0.0):
    """Random play that likes to exit; sometimes it takes a step back, so that positions come again."""
    random, state = Random(seed), Position.of(max_turns=max_turns)
    for _ in range(plies):
        moves = list(state.legal_moves())
        exits = [move for move in moves if move.kind == "EXIT"]
        undone = [move for move in moves if move.kind == "MOVE" and move.where[1] in state.last]
        move = random.choice(exits or moves)
        if random.random() < back and undone:
            move = random.choice(undone)
        after = state.play(move)
        if random.random() < out:
            after = after.without(random.randrange(3))
        if after.result is not None:
            break
        state = after
    return state


def shuffled(seed, rounds):
    """All three go to and fro: the same positions again and again, up to a fourth time."""
    random, state, before = Random(seed), somewhere(seed, seed % 40), {}
    for _ in range(3 * rounds):
        moves = list(state.legal_moves())
        steps = [move for move in moves if move.kind == "MOVE"]
        back = [move for move in steps if move.where[::-1] == before.get(state.turn)]
        move = back[0] if back else random.choice(steps or moves)
        before[state.turn] = move.where
        after = state.play(move)
        if after.result is not None:
            break
        state = after
    return state


positions = st.one_of(
    st.builds(somewhere, st.integers(0, 10_000), st.integers(0, 120)),
    st.builds(somewhere, st.integers(0, 10_000), st.integers(0, 120), st.integers(5, 20)),
    st.builds(somewhere, st.integers(0, 10_000), st.integers(0, 120), st.just(40), st.just(0.03)),
    st.builds(shuffled, st.integers(0, 10_000), st.integers(1, 8)),
)
