"""Chess: published counts, every end, every reason to reject a move, and positions and moves in writing."""

import random

import pytest

from palio_rules.boards.chess import STEPS, arrangement
from palio_rules.errors import BadOption, BadPosition, IllegalMove, MalformedMove
from palio_rules.game import Outcome
from palio_rules.games.chess import Chess, ChessOptions
from palio_rules.games.chess_text import read_fen, uci_position
from palio_rules.records import Setup

RULES = Chess()
START = RULES.start(ChessOptions())
DRAW = (0.5, 0.5)

# The positions of the Chess Programming Wiki's page on perft, and their counts from depth 1 on.
PERFT = {
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": [20, 400, 8902, 197281, 4865609],
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": [48, 2039, 97862, 4085603],
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": [14, 191, 2812, 43238, 674624],
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": [6, 264, 9467, 422333],
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": [44, 1486, 62379, 2103487],
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": [46, 2079, 89890, 3894594],
}
COUNTS = [
    (fen, depth, count) for depth in range(1, 6) for fen, counts in PERFT.items() for count in counts[depth - 1 : depth]
]


def perft(state, depth):
    moves = state.legal_moves()
    return len(moves) if depth == 1 else sum(perft(state.play(move), depth - 1) for move in moves)


def at(fen, *moves):
    state = RULES.parse_state(fen)
    for move in moves:
        state.check(move)
        state = state.play(move)
    return state


@pytest.mark.first(18)
@pytest.mark.parametrize(("fen", "depth", "count"), COUNTS)
def test_perft_is_as_published(fen, depth, count):
    assert perft(RULES.parse_state(fen), depth) == count


# --- ends -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fen", "moves", "reason", "scores"),
    [
        ("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", ["d8h4"], "checkmate", (0.0, 1.0)),
        ("7k/8/5KQ1/8/8/8/8/8 w - - 99 80", ["g6g7"], "checkmate", (1.0, 0.0)),  # the fiftieth move mates
        ("7k/8/5KQ1/8/8/8/8/8 w - - 99 80", ["g6f5"], "fifty-moves", DRAW),
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", ["g5g6"], "stalemate", DRAW),
        ("8/8/8/4k3/8/8/3pK3/8 w - - 0 1", ["e2d2"], "dead-position", DRAW),
        ("8/8/8/4k3/8/8/3pK3/6N1 w - - 0 1", ["e2d2"], "dead-position", DRAW),
        ("8/8/8/4k3/8/8/3pK3/6B1 w - - 0 1", ["e2d2"], "dead-position", DRAW),
        ("1b6/8/8/4k3/8/8/3pK3/6B1 w - - 0 1", ["e2d2"], "dead-position", DRAW),  # both bishops on dark squares
        ("8/8/8/4k3/8/8/8/4K2R w - - 150 99", [], "seventy-five-moves", DRAW),
    ],
)
def test_the_game_ends(fen, moves, reason, scores):
    before, after = at(fen, *moves[:-1]), at(fen, *moves)
    assert after.outcome() == Outcome(reason, scores)
    assert after.to_move is None
    assert not after.legal_moves()
    assert not moves or before.outcome() is None
    with pytest.raises(IllegalMove, match="the game is over"):
        after.check("e2e4")


@pytest.mark.parametrize(
    "fen",
    [
        "2b5/8/8/4k3/8/8/4K3/6B1 w - - 0 1",  # bishops of both colours can mate in the corner
        "n7/8/8/4k3/8/8/4K3/6B1 w - - 0 1",
        "n7/8/8/4k3/8/8/4K3/6N1 w - - 0 1",
        "8/8/8/4k3/8/8/4K3/5NN1 w - - 0 1",
        "8/8/8/4k3/8/8/4K3/6R1 w - - 99 60",
    ],
)
def test_the_game_goes_on_where_a_mate_is_possible(fen):
    assert at(fen).outcome() is None


AROUND = ["g1f3", "g8f6", "f3g1", "f6g8"]


def test_a_position_that_occurs_for_the_third_time_is_a_draw():
    state = at(RULES.format_state(START), *AROUND, *AROUND[:3])
    assert (state.outcome(), state.seen) == (None, 1)
    assert state.play("f6g8").outcome() == Outcome("threefold-repetition", DRAW)


def test_lost_rights_and_en_passant_captures_make_other_positions():
    rooks = "4k3/p7/8/8/8/8/8/R3K2R w KQ - 0 1"
    around = ["h1g1", "e8f8", "g1h1", "f8e8"]
    lost = at(rooks, *around)
    assert (lost.seen, lost.castling.bit_count()) == (0, 1)  # it looks as at first, with one right less
    assert at(rooks, *around, *around).outcome() is None
    assert at(rooks, *around, *around, "h1g1").outcome().reason == "threefold-repetition"

    passant = at("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4")
    assert RULES.format_state(passant) == "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"
    later = at("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4", "e8e7", "e1e2", "e7e8", "e2e1")
    assert later.board == passant.board
    assert later.seen == 0
    assert later != passant


def test_positions_are_equal_if_the_rules_treat_them_alike():
    one = at(RULES.format_state(START), "g1f3", "g8f6", "b1c3")
    other = at(RULES.format_state(START), "b1c3", "g8f6", "g1f3")
    assert one == other
    assert hash(one) == hash(other)
    assert one.trail != other.trail
    again = at(RULES.format_state(START), *AROUND)
    assert again.board == START.board
    assert again != START  # it occurs for the second time


# --- moves that are rejected ------------------------------------------------------------------------------------------

PINNED = "8/8/8/K2pP2r/8/8/8/6k1 w - d6 0 1"  # both pawns would leave the row at once
CASTLE = "r3k2r/p1pp1ppp/b7/8/8/8/PPPP1PPP/R3K2R w KQkq - 0 1"


@pytest.mark.parametrize(
    ("fen", "move", "code", "reason"),
    [
        (CASTLE, "e1g1", "castling-attacked", "e1g1: the king passes f1, which the bishop on a6 attacks"),
        (CASTLE, "e1h1", "own-piece", "your own rook on h1 stands there; to castle, write e1g1"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1g1", "no-castling", "White has no right to castle on the king's side"),
        ("r3k3/8/8/8/8/8/8/4K3 b - - 0 1", "e8c8", "no-castling", "Black has no right to castle on the queen's side"),
        ("4k3/8/8/8/8/8/8/R2QK3 w Q - 0 1", "e1c1", "path-blocked", "the queen on d1 stands in the way of castling"),
        ("4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1", "e1c1", "path-blocked", "the knight on b1 stands in the way of castling"),
        (
            "4k3/8/8/8/4r3/8/8/R3K3 w Q - 0 1",
            "e1c1",
            "castling-attacked",
            "the king is in check from the rook on e4, and cannot castle out of check",
        ),
        ("2r1k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "castling-attacked", "the king comes to c1, which the rook on c8"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1q", "not-a-step", "no piece ever makes the move 'e1c1q'"),
        (CASTLE, "e4e5", "no-piece", "e4 is empty"),
        (CASTLE, "e8e7", "not-your-piece", "the king on e8 is your opponent's"),
        (CASTLE, "a1a2", "own-piece", "your own pawn on a2 stands there"),
        (CASTLE, "a1a3", "path-blocked", "the pawn on a2 stands in the way"),
        (CASTLE, "a1b3", "not-a-step", "a rook does not move from a1 to b3"),
        (CASTLE, "e1e3", "not-a-step", "a king does not move from e1 to e3"),
        (CASTLE, "a2b3", "nothing-to-capture", "a pawn moves diagonally only to capture, b3 is empty"),
        (CASTLE, "a2a5", "not-a-step", "a pawn does not move from a2 to a5"),
        (CASTLE, "e1f1", "king-attacked", "the bishop on a6 attacks f1"),
        (CASTLE, "d2d4x", "not-a-step", "no piece ever makes the move 'd2d4x'; write e2e4, or e7e8q"),
        ("4k3/8/8/8/8/p7/P7/4K3 w - - 0 1", "a2a4", "path-blocked", "the pawn on a3 stands in the way, and a pawn"),
        ("4k3/8/8/8/p7/8/P7/4K3 w - - 0 1", "a2a4", "path-blocked", "the pawn on a4 stands in the way, and a pawn"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", "no-promotion", "write one of a7a8q, a7a8r, a7a8b, a7a8n"),
        ("4k3/R7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "not-a-promotion", "the rook on a7 is no pawn; leave out the 'q'"),
        ("4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3", "king-attacked", "it leaves your king on e1 in check from the r"),
        ("4r1k1/8/8/8/8/8/N7/4K3 w - - 0 1", "a2c3", "king-attacked", "your king on e1 stays in check from the rook"),
        (PINNED, "e5d6", "nothing-to-capture", "d6 is empty, and no capture en passant is legal there"),
        (START, "e2e5", "not-a-step", "a pawn does not move from e2 to e5"),
    ],
)  # fmt: skip
def test_a_move_is_rejected_with_its_reason(fen, move, code, reason):
    state = fen if fen is START else read_fen(fen)
    with pytest.raises(IllegalMove) as caught:
        state.check(move)
    assert caught.value.code == code
    assert reason in str(caught.value)
    assert not str(caught.value).endswith(".")
    assert move not in state.legal_moves()


@pytest.mark.parametrize("options", [ChessOptions(), ChessOptions(variant="chess960")], ids=["standard", "chess960"])
@pytest.mark.parametrize("seed", range(4))
def test_of_all_moves_exactly_the_listed_ones_pass_and_each_other_one_is_refused_in_a_sentence(options, seed):
    state, choose = RULES.start(options, seed), random.Random(seed)
    for _ in range(12):
        for _ in range(choose.randrange(1, 12)):
            if state.to_move is not None:
                state = state.play(choose.choice(state.legal_moves()))
        legal, passed, told = set(state.legal_moves()), set(), {}
        for move in STEPS:
            try:
                state.check(move)
                passed.add(move)
            except IllegalMove as error:
                told[move] = str(error)
        assert passed == legal
        if legal:
            assert all(text.startswith(f"{move}: ") and len(text) < 140 for move, text in told.items())


# --- chess960 ---------------------------------------------------------------------------------------------------------


def test_the_home_rows_have_their_usual_numbers():
    assert (arrangement(0), arrangement(518), arrangement(959)) == ("BBQNNRKR", "RNBQKBNR", "RKRNNQBB")
    rows = [arrangement(number) for number in range(960)]
    assert len(set(rows)) == 960
    for row in rows:
        assert row.index("R") < row.index("K") < row.rindex("R")
        assert row.index("B") % 2 != row.rindex("B") % 2
        assert sorted(row) == sorted("RNBQKBNR")


def test_chess960_begins_with_a_row_that_is_named_or_drawn():
    assert RULES.format_state(RULES.start(ChessOptions(variant="chess960", start=518))) == (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1"
    )
    drawn = ChessOptions(variant="chess960")
    assert len({RULES.start(drawn, seed) for seed in range(20)}) > 15
    assert RULES.instance(drawn, 3)["start"] == RULES.instance(drawn, 3)["start"] != "random"
    assert RULES.instance(ChessOptions(), 3) == {"variant": "standard", "start": "random"}
    with pytest.raises(BadOption, match="start=0 is a home row of chess960; say variant=chess960 as well"):
        RULES.start(ChessOptions(start=0))
    assert RULES.start(ChessOptions(start=518)) == START


def test_in_chess960_the_king_takes_his_rook_to_castle():
    state = at("4k3/8/8/8/8/8/8/RK5R w HA - 0 1")
    assert {"b1a1", "b1h1"} <= set(state.legal_moves())
    assert [RULES.notation(state, move) for move in ("b1a1", "b1h1")] == ["O-O-O", "O-O"]
    assert [RULES.parse_notation(state, text) for text in ("O-O-O", "O-O")] == ["b1a1", "b1h1"]
    assert RULES.format_state(state.play("b1h1")) == "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"
    assert RULES.format_state(state.play("b1a1")) == "4k3/8/8/8/8/8/8/2KR3R b - - 1 1"
    with pytest.raises(IllegalMove, match="b1d1: the king moves by one square; to castle, write that he takes"):
        state.check("b1d1")
    with pytest.raises(IllegalMove, match="b1a1: the king comes to c1, which the rook on c8 attacks"):
        at("2r1k3/8/8/8/8/8/8/RK5R w HA - 0 1").check("b1a1")
    hidden = at("4k3/8/8/8/8/8/8/qRK5 w B - 0 1")  # the rook that castles shields the king
    with pytest.raises(IllegalMove, match="c1b1: the king comes to c1, which the queen on a1 attacks"):
        hidden.check("c1b1")


# --- in writing -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("", "a FEN has 6 fields with one space between them"),
        ("8/8/8/8/8/8/8 w - - 0 1", "field 1 has 8 rows with / between them, got 7"),
        ("4k3/8/8/8/8/8/8/4K2X w - - 0 1", "row 1: 'X' is none of K Q R B N P k q r b n p"),
        ("4k3/8/8/8/8/8/9/4K3 w - - 0 1", "row 2: '9' is none of"),
        ("4k3/8/8/8/8/8/7/4K3 w - - 0 1", "row 2 has another number of squares than 8, got '7'"),
        ("4k3/8/8/8/8/8/44/4K3 w - - 0 1", "the position is written '4k3/8/8/8/8/8/8/4K3 w - - 0 1'"),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", "Black has 0 kings instead of one"),
        ("4k3/8/8/8/8/8/8/4KK2 w - - 0 1", "White has 2 kings instead of one"),
        ("4k3/8/8/8/QQQQQQQQ/QQQQQQQQ/8/4K3 w - - 0 1", "White has 17 pieces; no side has more than 16"),
        ("4k3/8/8/7p/pppppppp/8/8/4K3 w - - 0 1", "Black has 9 pawns; no side has more than 8"),
        ("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", "a pawn stands on h8; none can stand on the first or last row"),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "field 2 is the side to move, w or b, got 'x'"),
        ("4k3/8/8/8/8/8/8/4K3 w X - 0 1", "field 3 has the castling rights as in KQkq, the files of rooks, or -"),
        ("4k3/8/8/8/8/8/8/4K3 w  - 0 1", "field 3 has the castling rights"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "field 3: 'K' is no right of White: king or rook is not at home"),
        ("4k2r/8/8/8/8/8/8/4K3 w kk - 0 1", "field 3: Black has two rights on one side of the king, got 'kk'"),
        ("4k3/8/8/8/8/8/8/4K1RR w HG - 0 1", "field 3: White has two rights on one side of the king, got 'HG'"),
        ("r3k2r/8/8/8/8/8/8/4K3 w qk - 0 1", "the position is written 'r3k2r/8/8/8/8/8/8/4K3 w kq - 0 1'"),
        ("4k3/8/8/8/8/8/8/4K3 w - e3 0 1", "field 4 is - or the square behind a pawn that moved two squares, on row 6"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "field 4: no pawn can just have moved two squares over e6"),
        ("4k3/8/8/4p3/8/8/8/4K3 w - e6 0 1", "the position is written '4k3/8/8/4p3/8/8/8/4K3 w - - 0 1'"),
        (
            "4k3/8/8/8/8/8/8/4K3 w - - 00 1",
            "field 5 is the number of plies without a capture or pawn's move, 0 to 9999",
        ),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", "field 6 is the move's number, from 1, got '0'"),
        ("4k3/8/8/8/8/8/8/4K3 w - -", "the position is written '4k3/8/8/8/8/8/8/4K3 w - - 0 1'"),
        ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "Black's king on e8 is in check from e1, and it is not his turn"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 1 2 after e8d8 e1e2", "the moves that follow 'after' are 2, and field 5 allows 1"),
        ("4k3/7p/8/8/8/8/8/4K3 w - - 0 2 after e7e8", "the moves that follow 'after' are 1, and field 5 allows 0"),
        ("4k3/7p/8/8/8/8/8/4K3 w - - 1 2 after c8e8", "a move that follows 'after' is illegal: c8e8: a king does not"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 1 2 after c8d8", "'c8d8' cannot be taken back"),
        ("4k3/8/8/8/8/8/8/4K3 b - - 1 1 after ", "'' cannot be taken back"),
        ("4k3/8/8/8/4P3/8/8/4K3 b - - 1 1 after e2e4", "captures, or is a pawn's, or loses a right to castle"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 1 1 after d8e8", "too many for move 1"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1" * 50, "a position has at most 1,000 characters, got 1,450"),
    ],
)
def test_a_text_that_is_no_position_is_refused_with_the_place(fen, reason):
    with pytest.raises(BadPosition) as caught:
        RULES.parse_state(fen)
    assert reason in str(caught.value)


def test_forms_that_other_programs_write_are_read():
    """X-FEN in chess960, a useless en passant square, rights in another order, and no counters."""
    assert RULES.format_state(read_fen("4k3/8/8/8/8/8/8/1RK4R w KQ - 0 1")) == "4k3/8/8/8/8/8/8/1RK4R w HB - 0 1"
    assert RULES.format_state(read_fen("6k1/8/8/8/8/8/8/RK2R2R w KQ - 0 1")).split()[2] == "HA"  # the outermost rook
    assert RULES.format_state(read_fen("6k1/8/8/8/8/8/8/RK2R2R w EA - 0 1")).split()[2] == "EA"
    pushed = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq {} 0 1"
    assert RULES.format_state(read_fen(pushed.format("e3"))) == pushed.format("-")
    assert read_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w qkQK -") == START
    assert not read_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").chess960
    assert read_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1").chess960


def test_a_position_of_a_match_is_read_under_its_options():
    usual, rooks = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "4k3/8/8/8/8/8/8/1RK4R w KQ - 0 1"
    shuffled = ChessOptions(variant="chess960")
    assert RULES.read_state(usual, ChessOptions()) == START
    assert RULES.format_state(RULES.read_state(usual, shuffled)).split()[2] == "HAha"
    assert RULES.read_state(rooks, shuffled).chess960
    with pytest.raises(BadPosition, match="castling rights of chess960; say variant=chess960 as well"):
        RULES.read_state(rooks, ChessOptions())
    setup = Setup("chess", ("a", "b"), position=usual.replace(" - 0 1", " -"))
    assert setup.first() == START


def test_history_follows_the_fen_and_becomes_uci_s_position():
    state = at("4k3/8/8/8/8/8/P7/R3K3 w Q - 3 20", "e1d1", "e8d8", "a1b1", "d8e8")
    text = RULES.format_state(state)
    assert text == "4k3/8/8/8/8/8/P7/1R1K4 w - - 7 22 after e8d8 a1b1 d8e8"  # from the lost right on
    assert uci_position(state) == ("4k3/8/8/8/8/8/P7/R2K4 b - - 4 20", ("e8d8", "a1b1", "d8e8"))
    again = RULES.parse_state(text)
    assert (again, again.earlier, again.trail) == (state, state.earlier, state.trail)
    captured = at(RULES.format_state(START), "e2e4", "d7d5", "e4d5")
    assert uci_position(captured) == (RULES.format_state(captured), ())
    longest, choose = at("4k3/8/8/8/8/p7/P7/R3K3 w - - 0 1"), random.Random(5)
    for ply in range(1, 100):  # as many quiet plies as there can be
        found = [longest.play(move) for move in longest.legal_moves()]
        longest = choose.choice([after for after in found if after.to_move is not None and len(after.trail) == ply])
    assert RULES.parse_state(RULES.format_state(longest)).earlier == longest.earlier
    assert len(longest.trail) == 99


@pytest.mark.parametrize(
    ("fen", "text", "move"),
    [
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "Ra1-d1", None),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "Rad1", "a1d1"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "0-0-0", "e1c1"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O!?", "e1g1"),
        ("4k3/8/8/8/R7/8/8/R3K3 w Q - 0 1", "R1a3", "a1a3"),
        ("4k3/8/8/8/8/5N2/8/1N2K1N1 w - - 0 1", "Nbd2", "b1d2"),
        ("4k3/8/8/8/4b3/8/8/N1N1K3 w - - 0 1", "Na1b3", "a1b3"),
        ("6k1/8/8/Q7/8/8/8/Q3QK2 w - - 0 1", "Qa1c3", "a1c3"),  # one on the same file, one on the same row
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", "e5d6"),
        ("3rk3/4P3/8/8/8/8/8/4K3 w - - 0 1", "exd8=Q+", "e7d8q"),
        ("3rk3/4P3/8/8/8/8/8/4K3 w - - 0 1", "exd8N", "e7d8n"),
        ("4r1k1/8/8/8/8/8/4N3/2N1K3 w - - 0 1", "Nd3", "c1d3"),  # the other knight is pinned
    ],
)
def test_a_move_in_san_is_read(fen, text, move):
    state = at(fen)
    if move is None:
        with pytest.raises(MalformedMove):
            RULES.parse_notation(state, text)
    else:
        assert RULES.parse_notation(state, text) == move


def test_a_san_that_names_no_legal_move_or_several_is_refused_with_the_remedy():
    state = at("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    with pytest.raises(MalformedMove, match="Rf1 may be Raf1 or Rhf1; say which"):
        RULES.parse_notation(at("4k3/8/8/8/8/8/4K3/R6R w - - 0 1"), "Rf1")
    with pytest.raises(IllegalMove, match="e1d3: a king does not move from e1 to d3"):
        RULES.parse_notation(state, "Kd3")
    with pytest.raises(IllegalMove, match="e8c8: Black has no right to castle on the queen's side"):
        RULES.parse_notation(at("r3k3/7p/8/8/8/8/8/4K3 b - - 0 1"), "O-O-O")
    with pytest.raises(MalformedMove, match="written as in e4, Nbd7, exd6, e8=Q or O-O, and none is written 'Qd3'"):
        RULES.parse_notation(state, "Qd3")


# --- by hand ----------------------------------------------------------------------------------------------------------


def test_the_scene_has_all_pieces_the_last_move_and_a_line_for_each_check():
    scene = RULES.scene(at(RULES.format_state(START), "e2e4", "f7f5", "d1h5"))
    assert len(scene.marks) == 32
    assert (scene.marks[0].shape, scene.marks[0].seat, scene.marks[-5].shape) == ("rook", 1, "bishop")
    assert scene.last == ((7, 3), (3, 7))
    assert [(line.kind, line.seat, line.cells) for line in scene.lines] == [("way", 0, ((3, 7), (0, 4)))]
    assert RULES.scene(START).lines == ()


def test_castling_is_made_by_the_king_s_square_or_by_his_rook():
    state = at("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    for touched in (((7, 4), (7, 6)), ((7, 4), (7, 7))):
        assert RULES.gestures.made(state, touched) == "e1g1"
    shuffled = at("4k3/8/8/8/8/8/8/RK5R w HA - 0 1")
    assert RULES.gestures.made(shuffled, ((7, 1), (7, 6))) == RULES.gestures.made(shuffled, ((7, 1), (7, 7))) == "b1h1"
    assert RULES.gestures.made(shuffled, ((7, 1), (7, 0))) == "b1a1"
    assert RULES.gestures.made(shuffled, ((7, 1), (7, 2))) == "b1c1"  # a step of the king, where castling also leads


def test_a_promotion_is_chosen_by_a_third_square():
    for fen, cells, names in (
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", ((1, 0), (0, 0)), ["a7a8q", "a7a8r", "a7a8b", "a7a8n"]),
        ("4k3/8/8/8/8/8/p7/4K3 b - - 0 1", ((6, 0), (7, 0)), ["a2a1q", "a2a1r", "a2a1b", "a2a1n"]),
    ):
        state, inwards = at(fen), 1 if cells[1][0] == 0 else -1
        assert RULES.gestures.made(state, cells) is None
        thirds = [(cells[1][0] + inwards * place, 0) for place in range(4)]
        assert [RULES.gestures.made(state, (*cells, third)) for third in thirds] == names
        with pytest.raises(IllegalMove, match="touch one of the four squares from"):
            RULES.gestures.made(state, (*cells, (4, 4)))
