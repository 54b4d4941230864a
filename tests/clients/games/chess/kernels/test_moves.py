"""Chess compiled: its positions, moves and counts are those of the rules, and its evaluation is the readable one."""

import shutil
import subprocess

import numpy as np
import pytest
from chess_positions import RULES, START, after, positions, walked
from hypothesis import example, given, settings
from hypothesis import strategies as st

from palio_clients.games.chess import evaluation
from palio_clients.games.chess.kernels import legal_moves, perft
from palio_clients.games.chess.kernels.moves import collect
from palio_clients.games.chess.kernels.strong import evaluate
from palio_clients.games.chess.kernels.workspace import (
    checkers_of,
    dead,
    line_of,
    make,
    pass_turn,
    repeats,
    set_up,
    unmake,
    unpass,
    workspace,
)
from palio_rules.games.chess_position import placed
from palio_rules.games.chess_text import read_fen

pytestmark = pytest.mark.slow  # compiles; in `make test` the kernels of Rush Hour stand for all

IN_CHECK = read_fen("4k3/8/2B5/8/8/8/3p4/6K1 b - - 0 1")  # the pawn on d2 may not promote
HERE = ("board", "sets", "castling", "passant", "clock", "key", "total", "known", "salt")
STOCKFISH = shutil.which("stockfish", path="/usr/games:/usr/local/bin:/usr/bin")
PUBLISHED = {  # of the Chess Programming Wiki
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": (20, 400, 8902, 197281, 4865609),
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": (48, 2039, 97862, 4085603),
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": (14, 191, 2812, 43238, 674624),
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": (6, 264, 9467, 422333, 15833292),
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": (44, 1486, 62379, 2103487),
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": (46, 2079, 89890, 3894594),
}


def counted(state, depth):
    """Perft by the rules."""
    if depth == 0:
        return 1
    return sum(counted(state.play(move), depth - 1) for move in state.legal_moves())


def laid_out(state):
    spaces = workspace()
    set_up(spaces[0], state)
    return spaces


def facts(space):
    return {name: np.copy(space[name]).tolist() for name in HERE}


@settings(deadline=None, max_examples=200)
@given(positions)
def test_the_moves_are_those_of_the_rules_in_their_order(state):
    assert list(legal_moves(state)) == list(state.legal_moves())


@settings(deadline=None, max_examples=100)
@given(positions)
@example(IN_CHECK)
def test_loud_moves_are_the_captures_and_the_promotions_to_a_queen(state):
    spaces = laid_out(state)
    space = spaces[0]
    count = collect(space, state.turn, np.uint64(checkers_of(space, state.turn)), True, space["stack"][0])
    loud = {line_of(state, (number, 0))[0] for number in space["stack"][0][:count]}
    expected = set()
    for move in state.legal_moves():
        captures = state.play(move).occupied.bit_count() < state.occupied.bit_count()
        if (captures and len(move) == 4) or move.endswith("q"):
            expected.add(move)
    assert loud == expected


@settings(deadline=None, max_examples=100)
@given(positions)
def test_a_move_that_is_made_leads_to_the_position_of_the_rules_and_is_taken_back_whole(state):
    space = laid_out(state)[0]
    before = facts(space)
    count = collect(space, state.turn, np.uint64(checkers_of(space, state.turn)), False, space["stack"][0])
    for number in space["stack"][0][:count].tolist():
        played = state.play(line_of(state, (number, 0))[0])
        make(space, state.turn, number, 0)
        found, fresh = facts(space), facts(laid_out(played)[0])
        drawn = space["clock"] >= 100 or repeats(space, False) or dead(space)
        for name in set(HERE) - {"known", "salt"}:
            assert found[name] == fresh[name], (number, name)
        outcome = played.outcome()
        assert bool(drawn) is (outcome is not None and outcome.scores == (0.5, 0.5) and played.has_move()), number
        unmake(space, state.turn, number, 0)
        assert facts(space) == before


@settings(deadline=None, max_examples=50)
@given(positions)
def test_a_turn_that_was_passed_is_taken_back(state):
    space = laid_out(state)[0]
    before = facts(space)
    pass_turn(space, 0)
    assert facts(space)["key"] != before["key"]
    unpass(space, 0)
    assert facts(space) == before


@settings(deadline=None, max_examples=200)
@given(positions)
def test_the_evaluation_is_the_readable_one(state):
    space = laid_out(state)[0]
    assert evaluate(space, state.turn) / 100 == evaluation.evaluate(state, state.turn)
    assert evaluate(space, 1 - state.turn) / 100 == evaluation.evaluate(state, 1 - state.turn)


@pytest.mark.parametrize("board", ["k7/8/1K6/8/8/8/8/7R", "7k/8/8/8/8/q7/8/K7", "QQQQQQQQ/QQQQQQQQ/8/8/8/8/8/k6K"])
def test_the_evaluation_of_bare_kings_and_of_many_queens_is_the_readable_one(board):
    state = placed("".join("." * int(each) if each.isdigit() else each for each in board.replace("/", "")))
    assert evaluate(laid_out(state)[0], 0) / 100 == evaluation.evaluate(state, 0)


@settings(deadline=None, max_examples=30)
@given(positions, st.integers(0, 2))
def test_perft_counts_what_the_rules_list(state, depth):
    assert perft(state, depth) == counted(state, depth)


@pytest.mark.parametrize("fen", PUBLISHED)
def test_perft_is_the_published_one(fen):
    counts = PUBLISHED[fen]
    assert tuple(perft(RULES.parse_state(fen), depth) for depth in range(1, len(counts) + 1)) == counts


def test_perft_sees_the_draws_by_repetition_and_by_fifty_moves():
    state = after(START, "g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1")
    without = RULES.parse_state(RULES.format_state(state).partition(" after ")[0])
    assert perft(state, 2) == counted(state, 2) < perft(without, 2)
    late = RULES.parse_state("4k3/8/8/8/8/8/4P3/4K2R w - - 98 70")
    assert [perft(late, depth) for depth in (1, 2, 3)] == [counted(late, depth) for depth in (1, 2, 3)]


@pytest.mark.skipif(STOCKFISH is None, reason="Stockfish is not installed")
def test_perft_of_chess960_is_stockfishs():
    starts = [walked(number, number, 10) for number in range(0, 960, 40)]
    asked = "".join(f"position fen {RULES.format_state(state).split(' after ')[0]}\ngo perft 4\n" for state in starts)
    said = subprocess.run(
        [STOCKFISH],
        input=f"uci\nsetoption name UCI_Chess960 value true\nisready\n{asked}quit\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    ).stdout
    theirs = [int(line.partition(": ")[2]) for line in said.splitlines() if line.startswith("Nodes searched")]
    assert [perft(state, 4) for state in starts] == theirs


def test_castling_is_written_as_its_variant_wants():
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w {} - 0 1"
    for rights, castlings in (("KQkq", {"e1g1", "e1c1"}), ("HAha", {"e1h1", "e1a1"})):
        assert castlings <= set(legal_moves(RULES.parse_state(fen.format(rights))))
