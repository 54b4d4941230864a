"""Chess is solved as far as mates go, and a recorded game's blunders are marked, by both kinds of searches."""

from datetime import UTC, datetime

import pytest
from chess_positions import RULES

from palio_clients.analysis import analyse_record
from palio_clients.games import companion_of
from palio_clients.kernels import MISSING
from palio_clients.search.game_tree import never
from palio_clients.solving.budget import Budget
from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, Setup

pytestmark = pytest.mark.usefixtures("solvers")

NOW = datetime(2026, 1, 1, tzinfo=UTC)
MATES = {  # position: plies, for the side to move
    "2rr2k1/5ppp/8/8/8/8/3Q1PPP/3R2K1 w - - 0 1": ("win", 3),
    "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1": ("win", 3),
    "7k/5K2/8/8/8/8/8/6R1 b - - 0 1": ("loss", 2),
}


def judged(moves, seconds):
    setup = Setup("chess", ("ann", "bob"), {})
    plies = tuple(Ply(number % 2, move, 10) for number, move in enumerate(moves.split()))
    record = Record("m1", setup, plies, Result("rule", "checkmate", [0.0, 1.0]), NOW, NOW)
    return {ply.ply: ply for ply in analyse_record(record, seconds, Budget())}


@pytest.mark.parametrize("fen", MATES)
def test_a_mate_is_proven_with_its_number_of_plies_and_a_line(fen):
    state = RULES.parse_state(fen)
    found = companion_of("chess").solver(RULES).solve(state, Budget(20.0))
    assert (found.verdict, found.distance) == MATES[fen]
    assert found.shortest
    for move in found.line:
        state.check(move)
        state = state.play(move)
    assert state.outcome().reason == "checkmate"


def test_what_is_not_proven_has_a_value_in_pawns():
    state = RULES.parse_state("6k1/5ppp/8/3q4/8/8/3R1PPP/6K1 w - - 0 1")
    found = companion_of("chess").solver(RULES).solve(state, Budget(0.3))
    assert found.verdict is None
    assert 4 < found.value < 8
    assert found.line[0] == "d2d5"


def test_a_lost_queen_and_a_mate_that_is_allowed_are_marked():
    """Fool's mate: 2. g4 allows it at once. Before, Black gives nothing away."""
    found = judged("f2f3 e7e5 g2g4 d8h4", 0.3)
    assert found[3].mark == "?"
    assert (found[3].verdicts, found[3].distance) == (("loss", "win"), 1)
    assert found[2].mark is None
    queen = judged("e2e4 e7e5 g1f3 d8g5", 0.3)
    assert (queen[4].mark, queen[3].mark, queen[2].mark) == ("?", None, None)
    assert queen[4].values[0] > 5


def test_hints_tell_pawns_and_the_expected_line():
    state = RULES.parse_state("rnb1kbnr/pppp1ppp/8/4p1q1/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 1")
    advice = companion_of("chess").adviser(RULES).advise(state, 2, never)
    assert advice.move == "f3g5"
    assert "pawns ahead of your opponent" in advice.said


def test_without_numba_the_readable_engine_plays_with_quiescence(no_numba):
    engine = companion_of("chess").engine(RULES, RULES.options_type())
    assert engine.remark == MISSING
    state = RULES.parse_state("4k3/8/4p3/3r4/8/8/3Q4/4K3 w - - 0 1")
    assert engine.best(state, type("Limits", (), {"plies": 1, "nodes": 0})(), never).move != "d2d5"
