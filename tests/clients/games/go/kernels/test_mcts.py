"""Go's compiled tree search: deterministic, its lines legal, and it finds what decides a game."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from palio_clients.agents.greedy import GreedyBot
from palio_clients.agents.mcts import MctsBot
from palio_clients.games.engine import Limits
from palio_clients.games.go import GoCompanion
from palio_clients.games.go.kernels import GoEngine, mcts
from palio_clients.sdk.clock import Clock
from palio_clients.search.game_tree import never
from palio_rules.games.go import Go, GoOptions
from palio_rules.laws import walk_through

pytestmark = pytest.mark.slow  # compiles; in `make test` the kernels of Rush Hour stand for all
RULES = Go()


def at(rows, turn="b", **settings):
    return RULES.read_state(f"{'/'.join(rows.split())} {turn}", GoOptions(size=len(rows.split()), **settings))


@st.composite
def positions(draw):
    size = draw(st.integers(1, 6))
    options = GoOptions(size=size, suicide=draw(st.booleans()))
    walk = walk_through(RULES, options, 20, draw(st.integers(0, 10_000)))
    return draw(st.sampled_from([each.state for each in walk.samples if each.state.to_move is not None]))


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1])
def test_a_seed_finds_the_same_again(seed):
    assert mcts(RULES.start(GoOptions()), nodes=500, seed=seed) == mcts(RULES.start(GoOptions()), nodes=500, seed=seed)


def test_other_seeds_play_other_games():
    assert len({mcts(RULES.start(GoOptions()), nodes=200, seed=seed).score for seed in range(8)}) > 1


@settings(deadline=None)
@given(positions(), st.integers(1, 300), st.integers(0, 9))
def test_the_move_is_legal_and_each_simulation_counts(state, nodes, seed):
    best = mcts(state, nodes=nodes, seed=seed)
    state.check(best.move)
    assert best.move == best.pv[0]
    assert best.nodes in {1, nodes}
    assert 0 <= best.score <= 1


def test_it_stops_when_it_is_told_but_has_played_a_game():
    best = mcts(RULES.start(GoOptions()), nodes=10**9, stop=lambda: True)
    assert best.nodes == 1
    assert best.move in RULES.start(GoOptions()).legal_moves()


@settings(deadline=None)
@given(positions(), st.integers(1, 6))
def test_it_stops_as_soon_as_the_tree_is_as_deep_as_asked(state, depth):
    assume(state.board.longest - len(state.moves) > 2 * depth)
    best = mcts(state, nodes=20_000, depth=depth)
    assert best.depth == depth or best.nodes in {1, 20_000}  # not reached: the game ends before
    if best.nodes > 1:
        assert best.depth <= depth
        assert mcts(state, nodes=best.nodes).depth == best.depth
        assert mcts(state, nodes=best.nodes - 1).depth < depth or best.nodes == 20_000


def test_it_takes_the_stones_that_decide_the_game():
    """White's wall of five has a last liberty at E3; Black's has three on the left."""
    state = at("..XOX ..XOX ..XO. ..XOX ..XOX")
    assert mcts(state, nodes=1000).move == "E3"
    assert mcts(at("..XOX ..XOX ..XO. ..XOX ..XOX", "w"), nodes=1000).move == "E3"


def test_it_passes_after_a_pass_if_that_wins():
    state = at("..X.. ..X.. ..X.. ..X.. ..X..", "w", komi=0.5).play("pass")
    assert mcts(state, nodes=100).move == "pass"


SETTLED = "..XXOO..O .XXXOO.OO X.XXOOO.. .XXXOOO.O X.XXOO.OO .XXXOOO.. X.XXOO.OO .XXXOOO.O ..XXOO..."


@pytest.mark.parametrize("turn", ["b", "w"])
def test_where_nothing_is_left_to_gain_it_passes_and_greedy_does_too(turn):
    """Both sides have their points, in eyes too small to live in; a stone would only fill one's own or be lost."""
    state = at(SETTLED, turn, komi=0.5)
    assert mcts(state, nodes=2000).move == "pass"
    bot = GreedyBot(seed=1)
    bot.game, bot.seat = RULES, state.turn
    assert bot.choose(state, Clock()) == "pass"


@pytest.mark.parametrize(
    "rows",
    [
        "..... ..X.. ..... ..... .....",  # the enemy can live
        SETTLED.replace("XOO..O", "X.O..O", 1).replace("XXOO", "X.OO", 1),  # a neutral point
        SETTLED.replace("OO.OO", "OOXOO", 1),  # a stone to be taken
    ],
)
def test_where_there_is_something_to_gain_they_do_not_pass(rows):
    state = at(rows, "w", komi=0.5)
    assert mcts(state, nodes=2000).move != "pass"
    assert GoCompanion().rest(state) is None


def test_it_plays_on_after_a_pass_if_passing_loses():
    state = at("..... ..... ..X.. ..... .....", "b", komi=0.5).play("pass")
    assert state.margin() > 0
    assert mcts(state, nodes=1000).move != "pass"


def test_mcts_and_champion_play_it():
    bot, state = MctsBot(nodes=300, seed=5), RULES.start(GoOptions(size=5))
    bot.game = RULES
    bot.prepare(RULES, GoOptions(size=5), 0)
    assert bot.own is not None
    assert bot.choose(state, Clock()) in state.legal_moves()
    engine = GoCompanion().engine(RULES, GoOptions(size=5), 1)
    assert isinstance(engine, GoEngine)
    assert engine.best(state, Limits(0, 300), never).nodes == 300


def test_it_beats_greedy_play():
    companion, state = GoCompanion(), RULES.start(GoOptions(size=7))
    while state.to_move is not None:
        if state.turn == 0:
            move = mcts(state, nodes=2000, seed=len(state.moves)).move
        else:
            move = max(state.legal_moves(), key=lambda move: companion.evaluate(state.play(move), 1))
        state = state.play(move)
    assert state.margin() > 0
