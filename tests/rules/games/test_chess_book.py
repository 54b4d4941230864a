"""Polyglot's books: keys as published and as python-chess computes them, and moves drawn from entries."""

import random

import chess
import chess.polyglot
import pytest

from palio_rules.errors import BadOption
from palio_rules.games.chess import Chess, ChessOptions
from palio_rules.games.chess_book import ENTRY, Book, Choice, key

RULES = Chess()
PUBLISHED = {  # the positions of the format's description, by the moves that lead there
    "": 0x463B96181691FC9C,
    "e2e4": 0x823C9B50FD114196,
    "e2e4 d7d5": 0x0756B94461C50FB0,
    "e2e4 d7d5 e4e5": 0x662FAFB965DB29D4,
    "e2e4 d7d5 e4e5 f7f5": 0x22A48B5A8E47FF78,
    "e2e4 d7d5 e4e5 f7f5 e1e2": 0x652A607CA3F242C1,
    "e2e4 d7d5 e4e5 f7f5 e1e2 e8f7": 0x00FDD303C946BDD9,
    "a2a4 b7b5 h2h4 b5b4 c2c4": 0x3C8123EA7B067637,
    "a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3": 0x5C3F9B829B279560,
}


def after(moves, options=ChessOptions()):  # noqa: B008
    state = RULES.start(options)
    for move in moves.split():
        state.check(move)
        state = state.play(move)
    return state


def entry(state, move, weight=1, promotion=0):
    """Return an entry, with the move written as Polyglot has it."""
    src, dst = (chess.parse_square(each) for each in (move[:2], move[2:4]))
    return ENTRY.pack(key(state), promotion << 12 | src << 6 | dst, weight, 0)


def book(tmp_path, *entries):
    file = tmp_path / "book.bin"
    file.write_bytes(b"".join(sorted(entries)))
    return Book.read(str(file))


@pytest.mark.parametrize(("moves", "expected"), PUBLISHED.items())
def test_keys_of_the_published_positions(moves, expected):
    assert key(after(moves), moves[-4:]) == expected


@pytest.mark.parametrize("shuffled", [False, True])
def test_keys_are_those_of_python_chess_in_random_games(shuffled):
    options = ChessOptions(variant="chess960" if shuffled else "standard")
    for seed in range(12):
        choose, state, last = random.Random(seed), RULES.start(options, seed), ""
        board = chess.Board(RULES.format_state(state), chess960=shuffled)
        while moves := list(state.legal_moves()):
            assert key(state, last) == chess.polyglot.zobrist_hash(board), board.fen()
            last = choose.choice(moves)
            board.push_uci(last)
            state = state.play(last)


def test_a_pinned_pawn_beside_counts_although_its_capture_is_illegal():
    fen = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
    board, state = chess.Board(fen), RULES.read_state(fen)
    board.push_uci("e2e4")
    assert state.play("e2e4").passant < 0
    assert key(state.play("e2e4"), "e2e4") == chess.polyglot.zobrist_hash(board)


def test_moves_of_a_position_with_their_weights(tmp_path):
    start, other = after(""), after("e2e4")
    found = book(tmp_path, entry(start, "e2e4", 3), entry(start, "d2d4", 1), entry(other, "e7e5"))
    assert len(found) == 3
    assert set(found.choice(start).moves) == {("e2e4", 3), ("d2d4", 1)}
    assert found.choice(other) == Choice((("e7e5", 1),))
    assert found.choice(after("a2a3")) == Choice(())


def test_castling_is_written_as_king_takes_rook(tmp_path):
    short = after("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5")
    assert book(tmp_path, entry(short, "e1h1")).choice(short) == Choice((("e1g1", 1),))
    black = RULES.read_state("r3k3/8/8/8/8/8/8/4K3 b q - 0 1")
    assert book(tmp_path, entry(black, "e8a8")).choice(black) == Choice((("e8c8", 1),))
    shuffled = RULES.read_state("4k3/8/8/8/8/8/8/4K2R w H - 0 1", ChessOptions(variant="chess960"))
    assert book(tmp_path, entry(shuffled, "e1h1")).choice(shuffled).moves == (("e1h1", 1),)


def test_promotions(tmp_path):
    state = RULES.read_state("8/P6k/8/8/8/8/8/K7 w - - 0 1")
    found = book(tmp_path, entry(state, "a7a8", promotion=4), entry(state, "a7a8", promotion=1))
    assert sorted(found.choice(state).moves) == [("a7a8n", 1), ("a7a8q", 1)]


def test_illegal_entries_are_left_out_and_named(tmp_path):
    start = after("")
    found = book(tmp_path, entry(start, "e2e5"), entry(start, "d2d4"), entry(start, "a1a1", promotion=7)).choice(start)
    assert found == Choice((("d2d4", 1),), ("e2e5", "a1a1?"))


def test_moves_are_drawn_by_weight_and_the_same_with_the_same_seed():
    choice = Choice((("e2e4", 3), ("d2d4", 1), ("a2a3", 0)))
    drawn = [choice.drawn(random.Random(seed)) for seed in range(400)]
    assert drawn == [choice.drawn(random.Random(seed)) for seed in range(400)]
    assert 260 < drawn.count("e2e4") < 340
    assert "a2a3" not in drawn
    assert Choice((("a2a3", 0),)).drawn(random.Random(1)) is None


def test_a_file_that_is_no_book_is_refused(tmp_path):
    file = tmp_path / "book.txt"
    with pytest.raises(BadOption, match=r"book\.txt' cannot be read: No such file or directory; check the path"):
        Book.read(str(file))
    file.write_bytes(b"1. e4")
    with pytest.raises(BadOption, match=r"is no Polyglot book: it has 5 bytes.*--openings file=BOOK"):
        Book.read(str(file))
