"""Chess beside other programs: python-chess plays the same random games, Stockfish counts the same positions.

Both are asked in tests only. Random games of all kinds come to positions that games of strong players seldom see:
many queens, bare kings, lost rights to castle.
"""

import random
import shutil
import subprocess

import chess
import pytest

from palio_rules.games.chess import Chess, ChessOptions

RULES = Chess()
STANDARD, SHUFFLED = ChessOptions(), ChessOptions(variant="chess960")
STOCKFISH = shutil.which("stockfish", path="/usr/games:/usr/local/bin:/usr/bin")
REASONS = {
    chess.Termination.CHECKMATE: "checkmate",
    chess.Termination.STALEMATE: "stalemate",
    chess.Termination.INSUFFICIENT_MATERIAL: "dead-position",
    chess.Termination.THREEFOLD_REPETITION: "threefold-repetition",
    chess.Termination.FIFTY_MOVES: "fifty-moves",
}


def their_outcome(board):
    """The outcome by python-chess; draws that may be claimed count, but not those that the next move could bring."""
    found = board.outcome()
    if found is None and board.is_repetition(3):
        return "threefold-repetition", (0.5, 0.5)
    if found is None and board.is_fifty_moves():
        return "fifty-moves", (0.5, 0.5)
    if found is None:
        return None
    return REASONS[found.termination], {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}[found.result()]


def compare_game(options, seed):
    """Play a random game on both boards, comparing all that can be seen; return its plies and its end."""
    choose = random.Random(seed)
    state = RULES.start(options, seed)
    shuffled = options.variant == "chess960"
    board = chess.Board(RULES.format_state(state), chess960=shuffled)
    tame = (
        choose.random() < 0.5
    )  # without pawn's moves and captures if there are others: for repetitions and fifty moves
    while True:
        outcome = state.outcome()
        assert (outcome and (outcome.reason, outcome.scores)) == their_outcome(board), board.fen()
        ours = [] if outcome else list(state.legal_moves())
        theirs = {board.uci(move): board.san(move) for move in board.legal_moves}
        fen = board.shredder_fen(en_passant="legal") if shuffled else board.fen(en_passant="legal")
        assert RULES.format_state(state).partition(" after ")[0] == fen
        other = board.fen(en_passant="fen")  # X-FEN's rights, and a square behind every pawn that moved by two
        assert RULES.format_state(RULES.read_state(other, options)) == fen
        if outcome:
            return len(board.move_stack), outcome.reason
        assert set(ours) == set(theirs), fen
        assert len(ours) == len(theirs)
        for move in choose.sample(ours, min(8, len(ours))):
            assert RULES.notation(state, move) == theirs[move], fen
            assert RULES.parse_notation(state, theirs[move]) == move, fen
        again = RULES.parse_state(RULES.format_state(state))
        assert again == state
        assert (again.earlier, again.trail) == (state.earlier, state.trail)
        name = next_move(board, ours, choose, tame=tame)
        state.check(name)
        state = state.play(name)
        board.push(board.parse_uci(name))


def next_move(board, moves, choose, *, tame):
    """A random move; in a tame game most often one that takes the last own move back, or at least changes little."""
    if tame and len(board.move_stack) > 1 and choose.random() < 0.3:
        last = board.move_stack[-2]
        back = chess.Move(last.to_square, last.from_square).uci()
        if (
            back in moves
            and board.is_legal(chess.Move.from_uci(back))
            and not board.is_castling(chess.Move.from_uci(back))
        ):
            return back
    quiet = [move for move in moves if not board.is_zeroing(board.parse_uci(move))]
    return choose.choice(quiet if tame and quiet and choose.random() < 0.97 else moves)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("options", [STANDARD, SHUFFLED], ids=["standard", "chess960"])
def test_random_games_are_those_of_python_chess(options, seed):
    compare_game(options, seed)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("options", [STANDARD, SHUFFLED], ids=["standard", "chess960"])
def test_fifty_thousand_random_plies_are_those_of_python_chess(options):
    plies, seed, ends = 0, 100, set()
    while plies < 50_000:
        seed += 1
        played, reason = compare_game(options, seed)
        plies += played
        ends.add(reason)
    assert ends >= {"checkmate", "stalemate", "dead-position", "threefold-repetition", "fifty-moves"}


# --- Stockfish --------------------------------------------------------------------------------------------------------


def drawn(seed):
    """A position of chess960 some plies into a random game."""
    choose = random.Random(seed)
    state = RULES.start(SHUFFLED, seed)
    for _ in range(choose.randrange(40)):
        moves = list(state.legal_moves())
        castling = [move for move in moves if RULES.notation(state, move).startswith("O")]
        state = state.play(choose.choice(castling if castling and choose.random() < 0.1 else moves))
        if state.to_move is None:
            return drawn(seed + 1000)
    return state


def counted(state, depth):
    """Leaves by first move; draws by repetition or fifty moves do not occur within a few plies."""
    if depth == 0:
        return 1
    return sum(counted(state.play(move), depth - 1) for move in state.legal_moves())


def divided(fens, depth):
    """Stockfish's counts for each first move of positions of chess960."""
    script = ["uci", "setoption name UCI_Chess960 value true"]
    for fen in fens:
        script += [f"position fen {fen}", f"go perft {depth}"]
    done = subprocess.run(
        [STOCKFISH], input="\n".join([*script, "quit", ""]), capture_output=True, text=True, timeout=250, check=True
    )
    found = [{} for _ in fens]
    at = 0
    for line in done.stdout.splitlines():
        name, _, count = line.partition(": ")
        if name == "Nodes searched":
            at += 1
        elif count.isdigit() and at < len(fens):
            found[at][name] = int(count)
    return found


@pytest.mark.skipif(STOCKFISH is None, reason="needs Stockfish")
@pytest.mark.parametrize("seeds", [range(10), pytest.param(range(10, 100), marks=pytest.mark.slow)], ids=["10", "90"])
def test_perft_of_chess960_is_that_of_stockfish(seeds):
    states = [drawn(seed) for seed in seeds]
    fens = [RULES.format_state(state).partition(" after ")[0] for state in states]
    for state, fen, theirs in zip(states, fens, divided(fens, 3), strict=True):
        assert {move: counted(state.play(move), 2) for move in state.legal_moves()} == theirs, fen
