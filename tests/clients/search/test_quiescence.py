"""Quiescence: what it adds to alpha-beta, by definition, in a small game of exchanges."""

from dataclasses import dataclass, replace
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.search.game_tree import WIN, History, Noisy, Stopped, Table
from palio_clients.search.minimax import Quiescence, alpha_beta
from palio_rules.game import Outcome


@dataclass(frozen=True)
class Auction:
    """Each side in turn takes the first of the prizes on the table, or passes; three passes end the game, a draw.

    A prize may be negative, as a piece that is recaptured. `lead` is the first side's.
    """

    prizes: tuple[int, ...]
    lead: int = 0
    seat: int = 0
    passes: int = 0
    threat: bool = False  # whether the side to move must take

    @property
    def to_move(self):
        return None if self.outcome() else self.seat

    def outcome(self):
        if self.passes == 3:
            return Outcome("passed", (0.5, 0.5))
        if abs(self.lead) >= 20:
            return Outcome("rich", (1.0, 0.0) if self.lead > 0 else (0.0, 1.0))
        return None

    def legal_moves(self):
        if self.prizes:
            yield "take"
        yield "pass"

    def play(self, move):
        if move == "pass":
            return replace(self, seat=1 - self.seat, passes=self.passes + 1)
        won = self.prizes[0] * (1 if self.seat == 0 else -1)
        return Auction(self.prizes[1:], self.lead + won, 1 - self.seat, 0)


def evaluate(state, seat):
    return float(state.lead if seat == 0 else -state.lead)


def noisy(state, beyond):
    if state.threat and beyond == 0:
        return Noisy(state.legal_moves(), forced=True)
    return Noisy([move for move in state.legal_moves() if move == "take"], forced=False)


def calm_value(state, seat, ply=0, beyond=0):
    """The definition, without any cut."""
    if (outcome := state.outcome()) is not None:
        return (2 * outcome.scores[seat] - 1) * (WIN - ply)
    found = noisy(state, beyond)
    values = [-calm_value(state.play(move), 1 - seat, ply + 1, beyond + 1) for move in found.moves]
    return max(values if found.forced else [evaluate(state, seat), *values])


auctions = st.builds(
    Auction,
    st.lists(st.integers(-9, 9), max_size=6).map(tuple),
    st.integers(-9, 9),
    st.integers(0, 1),
    threat=st.booleans(),
)


@given(auctions)
def test_its_value_is_the_definitions(state):
    best = Quiescence(evaluate, noisy).value(state, state.seat, 0, -inf, inf)
    assert best.score == calm_value(state, state.seat)


@given(auctions, st.floats(-9, 9), st.floats(0.1, 9))
def test_within_a_window_it_is_a_bound(state, alpha, width):
    value, beta = calm_value(state, state.seat), alpha + width
    found = Quiescence(evaluate, noisy).value(state, state.seat, 0, alpha, beta).score
    assert found == value if alpha < found < beta else (found <= value) is (found >= beta) or found == value


@given(auctions, st.integers(1, 3))
def test_alpha_beta_has_it_at_its_leaves_with_any_order_and_table(state, depth):
    def value(state, seat, depth, ply):
        if (outcome := state.outcome()) is not None:
            return (2 * outcome.scores[seat] - 1) * (WIN - ply)
        if depth == 0:
            return calm_value(state, seat, ply)
        return max(-value(state.play(move), 1 - seat, depth - 1, ply + 1) for move in state.legal_moves())

    expected = value(state, state.seat, depth, 0)
    assert alpha_beta(state, depth, evaluate, noisy=noisy).score == expected
    order, table = History(noisy=noisy), Table()
    for _ in range(2):
        assert alpha_beta(state, depth, evaluate, order=order, table=table, noisy=noisy).score == expected


def test_noisy_moves_are_tried_after_the_hint_and_before_all_others():
    order = History(noisy=lambda state, beyond: Noisy(["c", "b"], forced=False))
    state = type("Listed", (), {"to_move": 0, "legal_moves": lambda self: iter("abcd")})()
    order.cut(state, "d", 3)
    assert order(state, "a") == ["a", "c", "b", "d"]
    assert order(state) == ["c", "b", "d", "a"]


def test_every_node_is_counted_and_can_stop_the_search():
    state, looks = Auction((1, 1, 1)), []
    best = Quiescence(evaluate, noisy).value(state, 0, 0, -inf, inf)
    assert best.nodes == 4
    assert best.pv == ("take",)  # the other side would only give the prize back

    def stop():
        looks.append(None)
        return len(looks) > 2

    with pytest.raises(Stopped):
        Quiescence(evaluate, noisy, stop).value(state, 0, 0, -inf, inf)


def test_without_noisy_moves_nothing_is_searched_below_the_depth():
    state = Auction((1, 1, 1))
    assert alpha_beta(state, 1, evaluate).nodes == 3
    assert alpha_beta(state, 1, evaluate, noisy=noisy).nodes > 3
