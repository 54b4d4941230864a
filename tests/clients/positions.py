"""Positions on which searches are tested, not yet decided: what random play reaches on small boards; and orders."""

from functools import partial
from random import Random

from hypothesis import strategies as st

from palio_clients.games import companion_of
from palio_clients.search.game_tree import AS_LISTED, History
from palio_rules.registry import game_from_spec

DUELS = ("breakthrough:rows=5,cols=4", "dominoes:rows=4,cols=5", "end_of_the_track", "end_of_the_track:max_plies=9")
TABLE = "chexers"


def solver_of(rules):
    return companion_of(rules.name).solver(rules)


def start(spec):
    rules, options = game_from_spec(spec)
    return rules.start(options)


def at(name, text):
    return game_from_spec(name)[0].parse_state(text)


def evaluator(spec):
    return companion_of(spec.partition(":")[0]).evaluate


def somewhere(spec, seed, plies):
    """(spec, position)."""
    state, random = start(spec), Random(seed)
    for _ in range(plies):
        after = state.play(random.choice(list(state.legal_moves())))
        if after.outcome() is not None:
            break
        state = after
    return spec, state


def _strategy(specs, plies):
    return st.builds(partial(somewhere), st.sampled_from(specs), st.integers(0, 1000), st.integers(0, plies))


duel_positions = _strategy(DUELS, 14)
table_positions = _strategy((TABLE,), 60)
orders = st.builds(lambda seed: AS_LISTED if seed == 0 else History(Random(seed)), st.integers(0, 5)) | st.builds(
    History
)
