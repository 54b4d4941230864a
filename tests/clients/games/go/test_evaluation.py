"""The knowledge of bots about Go: whose board it is, what is about to be taken, which history matters."""

import pytest

from palio_clients.games.go.evaluation import evaluate, lookback
from palio_rules.games.go import Go, GoOptions

RULES = Go()


def at(rows, turn="b", **settings):
    return RULES.read_state(f"{'/'.join(rows.split())} {turn}", GoOptions(size=len(rows.split()), **settings))


def best(state):
    return max(state.legal_moves(), key=lambda move: evaluate(state.play(move), state.turn))


def test_points_count_for_the_side_that_is_nearer():
    """Black's column is one point nearer to the middle; liberties are as many."""
    assert evaluate(at(".X..O .X..O .X..O .X..O .X..O", komi=0), 0) > 3
    assert evaluate(at("X...X ..... ..... ..... O...O", komi=0), 0) == pytest.approx(0)


def test_the_komi_counts():
    assert evaluate(at("... ... ...", komi=2.5), 1) == 2.5


def test_it_takes_stones_and_saves_its_own():
    assert best(at("..... .XXX. XOOO. .XXX. .....")) == "E3"
    assert best(at("..... .XXX. XOOO. .XXX. .....", "w")) == "E3"


def test_after_a_ko_the_board_before_it_belongs_to_the_key():
    before = at(".XO. XO.O .XO. ....")
    state = before.play("C3")
    assert lookback(state, 2) is not None
    assert lookback(state, 2) != lookback(at(".XO. X.XO .XO. ....", "w"), 2)


def test_a_history_that_cannot_come_back_is_no_part_of_the_key():
    state = RULES.start(GoOptions(size=9)).play("E5").play("C3").play("G7")
    assert lookback(state, 2) is None
    assert lookback(state, 4) is not None


def test_the_last_plies_of_a_game_are_a_part_of_the_key():
    assert lookback(RULES.start(GoOptions(size=1)), 5) == (frozenset(), 3)
    assert lookback(RULES.start(GoOptions(size=1)), 2) is None
