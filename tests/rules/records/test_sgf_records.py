"""A match of Go is written as SGF that others read, and SGF of others becomes records that reproduce."""

import random
from datetime import UTC, datetime

import msgspec
import pytest
from sgfmill import sgf as mill
from sgfmill import sgf_moves

from palio_rules.contract.messages import Info, Result
from palio_rules.contract.names import is_name
from palio_rules.errors import BadRecord
from palio_rules.records.faults import fault
from palio_rules.records.pgn_records import bot_name
from palio_rules.records.record import Ply, Record, Setup
from palio_rules.records.sgf import read_sgf
from palio_rules.records.sgf_records import record_of_sgf
from palio_rules.records.sgf_text import record_to_sgf
from palio_rules.records.text import record_from_text, record_to_text
from palio_rules.registry import game as rules_of
from palio_rules.time_control import TimeControl

WHEN = datetime(2026, 11, 28, tzinfo=UTC)


def match(options=None, seed=1, bots=("ann", "bob"), time=None, opening=(), result=None, **more):
    """Return the record of a match at random, to its end unless a result is given."""
    setup = Setup("go", bots, options or {}, time=time or TimeControl(), opening=tuple(opening))
    state, plies, choice = setup.start(), [], random.Random(seed)
    while state.to_move is not None and (result is None or len(plies) < 10):
        *points, last = state.legal_moves()
        move = choice.choice(points) if points and choice.random() < 0.98 else last
        info = Info(score=0.5, depth=3, text="thinks a ] \\ [ b") if len(plies) == 3 else None
        plies.append(Ply(state.to_move, move, 250, info))
        state = state.play(move)
    outcome = state.outcome()
    result = result or Result("rule", outcome.reason, list(outcome.scores), detail=outcome.detail)
    record = Record("m1", setup, tuple(plies), result, WHEN, WHEN, **more)
    assert fault(record) is None
    return record, state


def read(text):
    (game,) = read_sgf(text)
    return record_of_sgf(game)


@pytest.mark.parametrize(
    "options", [{}, {"size": 5}, {"size": 19, "komi": 6.5}, {"size": 13, "handicap": 5}, {"suicide": True}]
)
def test_sgfmill_reads_what_is_written(options):
    record, last = match(options)
    game = mill.Sgf_game.from_bytes(record_to_sgf(record, whole="").encode())
    board, moves = sgf_moves.get_setup_and_moves(game)
    first = record.setup.first()
    assert (game.get_size(), game.get_komi()) == (first.board.size, first.komi)
    assert game.get_handicap() == (options.get("handicap"))
    assert (game.get_player_name("b"), game.get_player_name("w")) == ("ann", "bob")
    for colour, point in moves:
        if point is not None:
            board.play(*point, colour)
    ours = {(last.board.size - 1 - row, col): cell for row, cells in enumerate(last.rows())
            for col, cell in enumerate(cells) if cell != "."}  # fmt: skip
    theirs = {point: {"b": "X", "w": "O"}[colour] for colour, point in board.list_occupied_points()}
    assert theirs == ours
    margin = last.margin()
    assert game.get_root().get("RE") == (f"{'BW'[margin < 0]}+{abs(margin):g}" if margin else "0")


def test_comments_names_and_the_whole_record_survive_their_escapes():
    record, _ = match(bots=("ann", "bob"), event="A [cup] \\ :")
    whole = msgspec.json.encode(record).decode()
    text = record_to_sgf(record, whole=whole)
    game = mill.Sgf_game.from_bytes(text.encode())
    assert game.get_root().get("EV") == "A [cup] \\ :"
    assert "thinks a ] \\ [ b" in game.get_main_sequence()[4].get("C")
    (ours,) = read_sgf(text)
    assert ours.nodes[0]["PALIO"] == [whole]


@pytest.mark.parametrize(
    "time", [TimeControl(), TimeControl(base_ms=60_000, increment_ms=500), TimeControl(60_000, moves=10)]
)
def test_what_is_written_is_read_again(time):
    record, _ = match({"size": 9}, time=time)
    made = read(record_to_sgf(record)).record
    assert fault(made) is None
    assert (made.match, made.setup.bots, made.setup.time.base_ms) == ("m1", ("ann", "bob"), time.base_ms)
    assert [ply.move for ply in made.plies] == [ply.move for ply in record.plies]
    assert made.result == record.result
    if time.base_ms is not None:
        assert [ply.ms for ply in made.plies] == [ply.ms for ply in record.plies]


def test_a_game_without_a_date_is_written_without_one():
    made = read("(;SZ[9]RE[B+R];B[aa];W[bb])").record
    assert "DT[" not in record_to_sgf(made)
    assert "DT[2024-05-01]" in record_to_sgf(read("(;SZ[9]DT[2024-05-01]RE[B+R];B[aa])").record)


def test_handicap_and_opening_are_read_again():
    record, _ = match({"size": 13, "handicap": 4}, opening=["E5"])
    made = read(record_to_sgf(record)).record
    assert fault(made) is None
    assert [ply.move for ply in made.plies] == ["E5", *(ply.move for ply in record.plies)]


@pytest.mark.parametrize(
    ("result", "written"),
    [
        (Result("resigned", "resigned", [1.0, 0.0], 1), "B+R"),
        (Result("time", "flag-fell", [0.0, 1.0], 0), "W+T"),
        (Result("crashed", "crashed", [0.0, 1.0], 0), "W+F"),
        (Result("adjudicated", "max-plies", [0.5, 0.5]), "0"),
    ],
)
def test_an_early_end_has_its_sign(result, written):
    record = Record("m1", Setup("go", ("a", "b")), (Ply(0, "E5", 1),), result, WHEN, WHEN)
    text = record_to_sgf(record)
    assert f"RE[{written}]" in text
    assert read(text).record.result.scores == result.scores


def test_claims_of_dead_stones_are_marks_that_are_read_again():
    options = {"size": 5, "komi": 0.5, "cleanup": "final_status_list"}
    setup = Setup("go", ("ann", "bob"), options)
    state, plies = setup.start(), []
    for move in ("C3", "B2", "pass:B2", "pass", "pass:C3,B2", "pass:B2"):
        plies.append(Ply(state.to_move, move, 250))
        state = state.play(move)
    outcome = state.outcome()
    assert (outcome.reason, outcome.detail) == ("score", "Black wins by 24.5 points")
    result = Result("rule", outcome.reason, list(outcome.scores), detail=outcome.detail)
    record = Record("m1", setup, tuple(plies), result, WHEN, WHEN)
    assert fault(record) is None
    text = record_to_sgf(record)
    assert "RE[B+24.5]" in text
    assert ";B[]MA[cc][bd]" in text
    nodes = mill.Sgf_game.from_bytes(text.encode()).get_main_sequence()
    assert [node.get("MA") for node in nodes if node.has_property("MA")] == [{(1, 1)}, {(2, 2), (1, 1)}, {(1, 1)}]
    made = read(text).record
    assert fault(made) is None
    assert [ply.move for ply in made.plies] == [ply.move for ply in record.plies]
    assert made.result == record.result
    assert record_from_text(record_to_text(record)).plies == record.plies


def test_marks_of_other_programs_at_a_pass_are_no_claims():
    made = read("(;GM[1]SZ[5]KM[0]RE[B+25]AP[Other];B[cc];W[bd];B[]MA[bd];W[])")
    assert "cleanup" not in made.record.setup.options
    assert [ply.move for ply in made.record.plies][:2] == ["C3", "B2"]
    assert made.record.plies[2].move == "pass"


def test_players_who_agreed_on_dead_stones_end_one_pass_earlier():
    text = "(;GM[1]SZ[5]KM[0]PB[Lee Sedol]PW[AlphaGo]RE[B+25]DT[2016-03-13];B[cc];W[aa];B[];W[])"
    made = read(text)
    assert made.names == (("Lee Sedol", "Lee-Sedol"), ("AlphaGo", "AlphaGo"))
    record = made.record
    assert fault(record) is None
    assert [ply.move for ply in record.plies] == ["C3", "A5", "pass"]
    detail = "Black wins by 25 points"
    assert record.result == Result("adjudicated", "agreement", [1.0, 0.0], detail=f"{detail}; all stones alive: draw")
    assert record.started_at == datetime(2016, 3, 13, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("(;GM[2]RE[B+R];B[aa])", r"line 1: GM\[2\] is another game than Go"),
        ("(;SZ[25]RE[B+R];B[aa])", "a board is square, with 1 to 19 rows"),
        ("(;KM[375]AP[Palio]RE[B+R];B[aa])", r"KM\[375\]: a komi is a multiple of 0.25, at most 361; write points"),
        ("(;KM[375]RU[AGA]RE[B+R];B[aa])", "a komi is a multiple of 0.25, at most 361"),
        ("(;SZ[9:13]RE[B+R];B[aa])", "a board is square"),
        ("(;KM[3.7]AP[Palio]RE[B+R];B[aa])", "a komi is a multiple of 0.25"),
        ("(;KM[nan]RE[B+R];B[aa])", r"KM\[nan\] is no number; write points, as in KM\[6.5\]"),
        ("(;SZ[9]RE[B+R];B[jj])", "'jj' is no point of the board of 9x9"),
        ("(;SZ[9]RE[B+R];B[aa]W[bb])", r"move 1: B\[aa\] and W\[bb\] stand in one node; write a node for each move"),
        ("(;SZ[9]RE[B+R];B[aa];W[aa])", r"move 2, W\[aa\]: A9: black has a stone there"),
        ("(;SZ[9]RE[B+R];B[aa];B[bb])", r"move 2, B\[bb\]: it is white's turn"),
        ("(;SZ[9];B[aa])", r"RE\[\] is no result; only finished games are records; write B\+R"),
        ("(;SZ[9]RE[?];B[aa])", r"RE\[\?\] is no result"),
        ("(;SZ[9]RE[B+R]AB[aa]AW[aa];B[bb])", "AB and AW name the same point"),
        ("(;SZ[9]RE[B+R]PL[x];B[bb])", r"PL\[x\] is no colour; write B or W"),
        ("(;SZ[9]RE[B+R];B[aa];AB[bb])", "stones are set after move 1"),
        ("(;SZ[9]HA[3]RE[B+R];W[aa])", r"HA\[3\] has no stones; a handicap is read from AB, or"),
        ("(;SZ[9]AW[ba][ab]RE[W+R];B[aa])", r"A9 is suicide: .* no liberty; RU\[NZ\], RU\[GOE\] or RU\[Tromp-Taylor\]"),
        ("(;SZ[9]RU[Japanese]AW[ba][ab]RE[W+R];B[aa])", "A9 is suicide"),
    ],
)
def test_what_cannot_be_a_record_says_why(text, sentence):
    with pytest.raises(BadRecord, match=sentence):
        read(text)


def test_the_rules_of_go_are_what_another_program_wrote():
    """`tt` is a pass on boards up to 19x19, and `aa:cc` names the points of a rectangle."""
    record = read("(;SZ[9]KM[0.5]AB[aa:ca]RE[W+R];W[ee];B[tt];W[])").record
    assert fault(record) is None
    assert [ply.move for ply in record.plies] == ["E5", "pass"]
    first = record.setup.first()
    assert rules_of("go").format_state(first).startswith("XXX6/9/")


@pytest.mark.parametrize(
    ("time", "said"),
    [
        ("9+3x5", ["TM[9]", "OT[3x5 byo-yomi]", "BL[5.000]OB[2]", "WL[8.000]C"]),
        ("9+3/5", ["TM[9]", "OT[3/5 Canadian]", "BL[1.000]OB[2]", "WL[8.000]C"]),
    ],
)
def test_byoyomi_is_written_with_periods_or_stones_and_read_back(time, said):
    used = {"9+3x5": 15_000, "9+3/5": 13_000}[time]
    setup = Setup("go", ("ann", "bob"), {"size": 5}, time=TimeControl.parse(time))
    plies = (Ply(0, "C3", used), Ply(1, "D3", 1000), Ply(0, "pass", 0), Ply(1, "pass", 0))
    whole = Record("m", setup, plies, Result("rule", "score", [0.0, 1.0]), WHEN, WHEN)
    text = record_to_sgf(whole)
    assert all(each in text for each in said), text
    (game,) = read_sgf(text)
    read = record_of_sgf(game).record
    assert read.setup.time == setup.time
    assert [ply.ms for ply in read.plies][:2] == [13_000 if "/" in time else 9_000 + 5_000, 1000]


SUICIDE = "(;SZ[5]KM[0]RU[{}]AW[ca][bb][ab]RE[W+R];B[aa];W[ee];B[ba];W[dd])"


@pytest.mark.parametrize(
    "rules", ["NZ", "New Zealand", "GOE", "Ing", "Tromp-Taylor", "tromp taylor", "koPOSITIONALscoreAREAtaxNONEsui1"]
)
def test_suicide_is_played_under_rules_that_allow_it(rules):
    record = read(SUICIDE.format(rules)).record
    assert fault(record) is None
    assert record.setup.options["suicide"]
    state = record.setup.first()
    for ply in record.plies[:3]:
        state = state.play(ply.move)
    assert (state.rows()[0], state.captures) == ("..O..", (0, 2))
    again = read(record_to_sgf(record)).record
    assert again.setup == record.setup
    assert [ply.move for ply in again.plies] == [ply.move for ply in record.plies]


@pytest.mark.parametrize(
    "rules", ["", "Chinese", "Japanese", "AGA", "koPOSITIONALscoreAREAtaxNONEsui0", "Stone Scoring"]
)
def test_suicide_is_no_option_under_other_rules(rules):
    text = SUICIDE.format(rules).replace("B[ba];W[dd]", "B[de]")
    assert "suicide" not in read(text).record.setup.options


@pytest.mark.parametrize(
    ("text", "first", "moves"),
    [
        ("(;SZ[5]KM[0]RE[B+R];AB[aa][ee];C[set up];W[cc])", "X4/5/5/5/4X w", ["C3"]),
        ("(;SZ[5]KM[0]RE[B+R]AB[aa:ca];AE[ba]AW[bb];B[cc])", "X1X2/1O3/5/5/5 b", ["C3"]),
        ("(;SZ[5:5]KM[0]RE[B+R];W[cc];B[bb])", "5/5/5/5/5 w", ["C3", "B4"]),
        ("(;SZ[5]KM[0]RE[B+R]AB[aa];B[cc])", "X4/5/5/5/5 b", ["C3"]),
        ("(;SZ[5]KM[0]RE[B+R]AB[aa]PL[W])", "X4/5/5/5/5 w", []),
        ("(;SZ[5]KM[0]HA[2]AB[aa][bb]RE[B+R]PL[B];B[cc])", "X4/1X3/5/5/5 b", ["C3"]),
    ],
)
def test_a_game_begins_with_what_is_set_before_the_first_move_which_its_colour_plays(text, first, moves):
    record = read(text).record
    assert fault(record) is None
    assert record.setup.position.startswith(first)
    assert [ply.move for ply in record.plies] == moves


def test_a_third_pass_ends_nothing_that_is_not_over():
    """By AGA's rules White passes last."""
    record = read("(;SZ[5]KM[0]RE[B+25];B[cc];W[];B[];W[])").record
    assert fault(record) is None
    assert [ply.move for ply in record.plies] == ["C3", "pass", "pass"]
    assert record.result.reason == "score"


def test_times_may_have_more_digits_than_a_clock():
    record = read("(;SZ[5]KM[0]TM[60.000000]RE[B+R];B[cc]BL[57.123456])").record
    assert (record.setup.time.base_ms, record.plies[0].ms) == (60_000, 2877)


FOX = (
    "(;GM[1]FF[4]\r\nSZ[19]\r\nGN[]\r\nDT[2019-10-09]\r\nPB[棋手甲]\r\nPW[星阵围棋]\r\nBR[9段]\r\nWR[P9段]\r\n"
    "KM[375]HA[0]RU[Chinese]AP[GNU Go:3.8]RE[W+R]TM[1200]TC[3]TT[30]RL[0]\r\n;B[pd];W[dp];B[pp];W[dd])"
)
KGS = (
    "(;GM[1]FF[4]CA[UTF-8]AP[CGoban:3]ST[2]\nRU[Japanese]SZ[19]HA[2]KM[0.50]TM[1800]OT[5x30 byo-yomi]\n"
    "PW[white]PB[black]WR[5k]BR[7k]DT[2019-01-01]PC[The KGS Go Server at http://www.gokgs.com/]\n"
    "AB[dp][pd]C[hello]RE[W+Time]\n;W[dd]WL[1797.1];B[pp]BL[30]OB[5])"
)
OGS = (
    "(;FF[4]\nCA[UTF-8]\nGM[1]\nDT[2020-01-01]\nPC[OGS: https://online-go.com/game/1]\nGN[a game]\nPB[ann]\n"
    "PW[bob]\nBR[5k]\nWR[5k]\nTM[600]OT[10 fischer]\nRE[B+22.5]\nSZ[9]\nKM[5.5]\nRU[AGA]\n"
    ";B[ee]\n(;W[cc]\n(;B[gc]\n(;W[]\n(;B[]\n))))"
    "(;W[dd]))"
)
OGS_FREE = (
    "(;FF[4]GM[1]PC[OGS: https://online-go.com/game/2]HA[2]SZ[9]KM[0.5]RU[Chinese]RE[B+R]\n;B[cc]\n(;B[gg]\n(;W[ee])))"
)
GOGOD = (
    "(;\nSZ[19]FF[3]\nPW[Honinbo Shusaku]\nWR[4d]\nPB[Gennan Inseki]\nDT[1846-09-11,12,14]\nKM[0]\n"
    "RE[B+2 (moves after 2 not known)]\nTM[5h each]\nUS[GoGoD95]\n\n;B[qd];W[dc])"
)
CGOS = (
    "(;GM[1]FF[4]CA[UTF-8]\nRU[Chinese]SZ[9]KM[7.0]TM[300]\nPW[gnugo-3.8]PB[Zen-1.0]WR[1800]BR[2300]DT[2007-06-22]"
    "PC[CGOS: http://cgos.boardspace.net/9x9]RE[B+Resign]GN[123]\n;B[ee]BL[290];W[ce]WL[298.5])"
)
TYGEM = "(;GM[1]FF[4]SZ[19]KM[6,5]EV[Tygem]PB[갑]PW[을]RE[백 불계승]HA[]AB[]\n;B[pd];W[dp])"


@pytest.mark.parametrize(
    ("text", "komi", "time", "end", "scores"),
    [
        (FOX, 7.5, "1200+3x30", "resigned", [0.0, 1.0]),
        (KGS, 0.5, "1800+5x30", "time", [0.0, 1.0]),
        (OGS, 5.5, "600+10", "adjudicated", [1.0, 0.0]),
        (OGS_FREE, 0.5, "inf", "resigned", [1.0, 0.0]),
        (GOGOD, 0.0, "inf", "adjudicated", [1.0, 0.0]),
        (CGOS, 7.0, "300", "resigned", [1.0, 0.0]),
        (TYGEM, 6.5, "inf", "resigned", [0.0, 1.0]),
    ],
    ids=["fox", "kgs", "ogs", "ogs-free-handicap", "gogod", "cgos", "tygem"],
)
def test_games_of_servers_and_collections_are_read_as_they_write_them(text, komi, time, end, scores):
    record = read(text).record
    assert fault(record) is None
    assert record.setup.first().komi == komi
    assert record.setup.time == TimeControl.parse(time)
    assert (record.result.termination, list(record.result.scores)) == (end, scores)


def test_handicap_stones_that_black_chose_as_moves_are_set_before_the_game():
    record = read(OGS_FREE).record
    assert record.setup.position.startswith("9/9/2X6/9/9/9/6X2/9/9 w")
    assert [ply.move for ply in record.plies] == ["E5"]


@pytest.mark.parametrize("moves", [";B[cc];W[gg];B[ee]", ";B[cc];B[gg];B[ee]", ";B[cc]"])
def test_other_moves_are_no_handicap(moves):
    with pytest.raises(BadRecord, match=r"HA\[2\] has no stones"):
        read(f"(;SZ[9]HA[2]RE[B+R]{moves})")


def test_a_written_margin_is_kept_beside_the_counted_one():
    """The players agree that a stone is dead; a winner who is the same with it alive has won by other points."""
    text = "(;GM[1]SZ[5]KM[0.5]PB[ann]PW[bob]RE[B+24.5];B[cc];W[aa];B[bb];W[ee];B[dd];W[];B[];W[])"
    record = read(text).record
    assert fault(record) is None
    assert record.result.detail == "Black wins by 24.5 points; all stones alive: black wins by 0.5"
    written = record_to_sgf(record)
    assert "RE[B+24.5]" in written
    again = read(written).record
    assert again.result.detail == "Black wins by 24.5 points"
    assert "RE[B+24.5]" in record_to_sgf(again)


def test_a_game_that_was_resumed_after_two_passes_goes_on():
    record = read("(;GM[1]SZ[5]KM[0.5]RE[B+R];B[dd];W[bb];B[];W[];B[cc];W[])").record
    assert fault(record) is None
    assert [ply.move for ply in record.plies] == ["D2", "B4", "C3", "pass"]


def test_a_handicap_in_words_says_who_moves_first():
    record = read("(;GM[1]SZ[9]HA[吴受先]RE[B+R]PB[吴清源]PW[雁金準一];B[ee];W[cc])").record
    assert [ply.move for ply in record.plies] == ["E5", "C7"]


def test_passes_of_white_between_handicap_stones_are_no_moves():
    record = read("(;GM[1]SZ[9]HA[3]KM[0.5]RE[W+R];B[cc];W[];B[gg];W[tt];B[cg];W[ee];B[dd])").record
    assert record.setup.position.startswith("9/9/2X6/9/9/9/2X3X2/9/9 w")
    assert [ply.move for ply in record.plies] == ["E5", "D6"]


def test_an_illegal_move_loses_and_is_written_as_such():
    record = read("(;GM[1]SZ[9]RE[W+Illegal];B[ee];W[cc];B[dd])").record
    assert fault(record) is None
    assert record.result == Result("illegal", "illegal-move", [0.0, 1.0], 0)
    assert "RE[W+Illegal]" in record_to_sgf(record)


def test_players_in_other_scripts_are_bots_of_their_own():
    names = ["柯洁", "芈昱廷", "이창호", "조훈현", "井山裕太", "Жанна", "Жора", "柯洁 9p", "古力 9p"]
    bots = [bot_name(name) for name in names]
    assert len({*bots}) == len(names)
    assert all(is_name(bot) for bot in bots)
    assert bot_name("柯洁") == bots[0]
    assert bot_name("José Müller") == "Jose-Muller"
