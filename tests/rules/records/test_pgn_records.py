"""Games of other programs become records, and records of chess are PGN that other programs read without a complaint."""

import io
import subprocess
from datetime import UTC, datetime
from itertools import pairwise
from random import Random

import chess.engine
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from palio_rules.contract.messages import Info, Result
from palio_rules.contract.names import is_name
from palio_rules.errors import BadRecord
from palio_rules.records import Ply, Record, RejectedMove, Setup, fault, record_from_text, record_to_text
from palio_rules.records.pgn import PgnGame, read_pgn
from palio_rules.records.pgn_records import bot_name, record_of_pgn
from palio_rules.records.pgn_text import UNDATED, record_to_pgn
from palio_rules.registry import game
from palio_rules.time_control import TimeControl

THEN = datetime(2026, 11, 27, 18, 0, tzinfo=UTC)
RULES = game("chess")
CUTECHESS = """[Event "?"]
[Site "?"]
[Date "2024.05.01"]
[Round "1"]
[White "Stockfish 16.1"]
[Black "M\u00fcller's engine"]
[Result "1-0"]
[GameDuration "00:00:04"]
[GameEndTime "2024-05-01T12:00:05.123 CEST"]
[GameStartTime "2024-05-01T10:00:01.123 +0000"]
[PlyCount "7"]
[TimeControl "40/60+0.6"]

1. e4 {book} e5 {book} 2. Bc4 {+0.31/12 1.2s} Nc6 {-0.25/11 0.83s} 3. Qh5
{+M3/20 0.5s} Nf6 {0.00/1 0s} 4. Qxf7# {+M1/5 0.001s, White mates} 1-0
"""
FASTCHESS = """[Event "Fastchess Tournament"]
[Site "?"]
[Date "2024.11.01"]
[Round "1"]
[White "new"]
[Black "old"]
[Result "0-1"]
[SetUp "1"]
[FEN "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2"]
[GameDuration "00:00:02"]
[GameStartTime "2024-11-01T10:00:01 +0000"]
[GameEndTime "2024-11-01T10:00:03 +0000"]
[PlyCount "2"]
[Termination "time forfeit"]
[TimeControl "1+0.01"]

2. c4 {+0.27/12 0.083s, n=12345, pv="c4 e6 Nc3"} dxc4 {-0.11/13 0.046s, White loses on time}
0-1
"""
LICHESS = """[Event "Rated blitz game"]
[Site "https://lichess.org/abcdefgh"]
[Date "2024.05.01"]
[White "ann_x"]
[Black "guest-bob"]
[Result "1/2-1/2"]
[UTCDate "2024.05.01"]
[UTCTime "23:59:58"]
[WhiteElo "1500"]
[Variant "Standard"]
[TimeControl "300+3"]
[ECO "B00"]
[Termination "Normal"]

1. e4 { [%eval 0.17] [%clk 0:05:00] } 1... d5?! { [%eval #4] [%clk 0:04:58] } { Inaccuracy. e5 was best. } \
(1... e5 { [%eval 0.2] }) 2. exd5 { [%eval #-3,18] [%clk 0:05:01.5] } 1/2-1/2
"""
CHESS960 = """[Event "x"]
[White "a"]
[Black "b"]
[Result "*"]
[Variant "fischerandom"]
[FEN "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1"]

1. e4 e5 2. f4 exf4 3. Rxf4 f6 4. d3 d6 5. O-O *
"""


def read(text):
    [found] = read_pgn(text.split("\n"))
    assert isinstance(found, PgnGame)
    return found


def record(text):
    made = record_of_pgn(read(text)).record
    assert fault(made) is None
    return made


def played(seed, *, plies=300, **options):
    """A game of random moves, with all that a bot may tell."""
    draw = Random(seed)
    setup = Setup("chess", ("ann", "bob"), options, seed, time=TimeControl(60_000, 500), max_plies=plies)
    state, found = setup.start(), []
    while state.to_move is not None and len(found) < plies:
        move = draw.choice(list(state.legal_moves()))
        info = draw.choice(
            [None, Info(depth=9, score=-0.004), Info(score=1.5, nodes=7, pv=["e4", "e5"], text="a {remark} [%x y]"),
             Info(depth=3, score=1000.0, text="wins in 2 moves", seldepth=9, nps=10**6,
                  hashfull=5, tbhits=0, wdl=[1000, 0, 0]), Info(depth=3, score=-1000.0, text="loses in 4 plies")]
        )  # fmt: skip
        found.append(Ply(state.to_move, move, draw.randrange(900), info))
        state = state.play(move)
    ruled = state.outcome()
    result = Result("adjudicated", "ply-cap", [0.5, 0.5])
    if ruled is not None:
        result = Result("rule", ruled.reason, list(ruled.scores))
    return Record(f"m{seed}", setup, tuple(found), result, THEN, THEN, event="The Cup")


# --- reading ----------------------------------------------------------------------------------------------------------


def test_a_game_of_cutechess():
    made = record(CUTECHESS)
    assert made.setup.bots == ("Stockfish-16.1", "Muller-s-engine")
    assert made.setup.opening == ("e2e4", "e7e5")
    assert made.setup.time == TimeControl(60_000, 600, moves=40)
    assert [ply.ms for ply in made.plies] == [1200, 830, 500, 0, 1]
    assert made.plies[0].info == Info(depth=12, score=0.31)
    assert made.plies[1].info == Info(depth=11, score=-0.25)
    assert made.plies[2].info == Info(depth=20, score=1000.0, text="wins in 3 plies")
    assert made.result == Result("rule", "checkmate", [1.0, 0.0])
    assert made.started_at == datetime(2024, 5, 1, 10, 0, 1, tzinfo=UTC)
    assert made.event == ""


def test_a_game_of_fastchess():
    made = record(FASTCHESS)
    assert made.setup.position == "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2"
    assert made.plies[0] == Ply(0, "c2c4", 83, Info(depth=12, nodes=12345, score=0.27, pv=["c4", "e6", "Nc3"]))
    assert made.result == Result("time", "flag-fell", [0.0, 1.0], 0)


def test_a_game_of_lichess_has_its_clocks_and_evaluations_of_the_mover():
    found = record_of_pgn(read(LICHESS))
    made = found.record
    assert found.names == (("ann_x", "ann_x"), ("guest-bob", "pgn-guest-bob"))  # the names of guests are the server's
    assert [ply.ms for ply in made.plies] == [3000, 5000, 1500]
    assert made.plies[0].info == Info(score=0.17)
    assert made.plies[1].info == Info(score=-1000.0, text="loses in 8 plies; Inaccuracy. e5 was best.")
    assert made.plies[2].info == Info(depth=18, score=-1000.0, text="loses in 6 plies")
    assert made.result == Result("adjudicated", "agreement", [0.5, 0.5])
    assert made.started_at == datetime(2024, 5, 1, 23, 59, 58, tzinfo=UTC)
    again = record_to_pgn(made)
    for clock in ("[%clk 0:05:00]", "[%clk 0:04:58]", "[%clk 0:05:01.500]"):
        assert clock in again


def test_chess960_by_its_names_and_its_position():
    for name in ("fischerandom", "Chess960", "chess 960"):
        made = record(CHESS960.replace("fischerandom", name).replace("*", "1-0"))
        assert made.setup.options == {"variant": "chess960"}
        assert made.plies[-1].move == "g1h1"
    x_fen = record(CHESS960.replace("HFhf", "KQkq").replace("*", "1-0"))
    assert x_fen.setup.position == made.setup.position


END = '[White "a"]\n[Black "b"]\n[Result "{0}"]\n[Termination "{1}"]\n\n1. e4 e5 {{{2}}} {0}'


@pytest.mark.parametrize(
    ("result", "tag", "comment", "expected"),
    [
        ("1-0", "normal", "", ("resigned", "resigned", 1)),
        ("1-0", "", "Black resigns", ("resigned", "resigned", 1)),
        ("0-1", "Time forfeit", "", ("time", "flag-fell", 0)),
        ("0-1", "bob won on time", "", ("time", "flag-fell", 0)),
        ("0-1", "", "White loses on time", ("time", "flag-fell", 0)),
        ("1-0", "rules infraction", "", ("illegal", "illegal-move", 1)),
        ("1-0", "", "Black makes an illegal move: e7e5", ("illegal", "illegal-move", 1)),
        ("1-0", "stalled connection", "", ("stalled", "stalled", 1)),
        ("1-0", "", "Black disconnects", ("disconnected", "disconnected", 1)),
        ("1-0", "Abandoned", "", ("disconnected", "abandoned", 1)),
        ("1-0", "adjudication", "", ("adjudicated", "adjudication", None)),
        ("1/2-1/2", "adjudication", "", ("adjudicated", "adjudication", None)),
        ("1/2-1/2", "Normal", "", ("adjudicated", "agreement", None)),
        ("1/2-1/2", "Time forfeit", "", ("adjudicated", "time-forfeit", None)),
    ],
)
def test_an_end_that_is_not_the_rules_is_told_by_tag_or_comment(result, tag, comment, expected):
    made = record(END.format(result, tag, comment)).result
    assert (made.termination, made.reason, made.seat) == expected
    assert made.scores == {"1-0": [1.0, 0.0], "0-1": [0.0, 1.0], "1/2-1/2": [0.5, 0.5]}[result]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1. e4 e5 2. Ke3 1-0", "line 1: 2. Ke3: "),
        ("1. e4\ne5\n2. Nf9 1-0", "line 3: 2. Nf9: "),
        ("1. e4 -- 1-0", "line 1: 1... --: a move was passed"),
        ('[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 12"]\n\n12... Kd7 13. Ke3 1-0', "line 3: 13. Ke3: "),
        ("1. e4 e5 *", "line 1: the game has no result; only finished games are records"),
        ("1. f3 e5 2. g4 Qh4# 1-0", "line 1: it is recorded as 1-0, the rules say checkmate; correct the result"),
        (
            "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 1-0",
            "line 1: 5. e4: the game is over by then (threefold-repetition); cut off what follows",
        ),
        ('[Variant "Atomic"]\n\n1. e4 1-0', "line 1: the variant 'Atomic' is not played here; known: "),
        ('[Variant "chess690"]\n\n1. e4 1-0', "line 1: the variant 'chess690' is not played here; did you mean"),
        ('[Variant "Chess960"]\n\n1. e4 1-0', "a game of chess960 needs the tag FEN with its first position"),
        ('[FEN "8/8 w - - 0 1"]\n\n1. e4 1-0', "the tag FEN is no position: "),
    ],
)
def test_a_game_that_the_rules_do_not_allow_is_refused_with_its_line(text, sentence):
    with pytest.raises(BadRecord) as raised:
        record_of_pgn(read(text))
    assert sentence in str(raised.value)
    assert str(raised.value).startswith("line ")


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ('[Date "1992.??.??"]', datetime(1992, 1, 1, tzinfo=UTC)),
        ('[Date "2024.02.30"]', UNDATED),
        ('[Date "????.??.??"]', UNDATED),
        ("", UNDATED),
        ('[Date "2024.05.01"]\n[Time "10:11:12"]', datetime(2024, 5, 1, 10, 11, 12, tzinfo=UTC)),
    ],
)
def test_a_date_is_read_as_far_as_it_is_known(tags, expected):
    assert record(f"{tags}\n\n1. e4 1-0").started_at == expected


def test_a_date_that_is_unknown_stays_unknown_when_it_is_written():
    found = chess.pgn.read_game(io.StringIO(record_to_pgn(record('[Date "????.??.??"]\n\n1. e4 1-0'))))
    assert found.headers["Date"] == "????.??.??"
    assert not {"UTCDate", "UTCTime"} & set(found.headers)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("300+3", TimeControl(300_000, 3000)),
        ("60", TimeControl(60_000)),
        ("40/9000", TimeControl(9_000_000, moves=40)),
        ("1/0.5", TimeControl(move_ms=500)),
        ("0.5/move", TimeControl(move_ms=500)),
        *((text, TimeControl()) for text in ("-", "?", "", "inf", "*60", "40/7200:3600", "99999999")),
    ],
)
def test_time_controls(text, expected):
    assert record(f'[TimeControl "{text}"]\n\n1. e4 1-0').setup.time == expected


def test_the_opening_has_its_code():
    made = record('[ECO "B20"]\n\n1. e4 c5 1-0')
    assert made.setup.eco == "B20"
    assert '[ECO "B20"]' in record_to_pgn(made)
    assert record_from_text(record_to_text(made)) == made
    assert record('[ECO "?"]\n\n1. e4 c5 1-0').setup.eco is UNSET


def test_the_name_of_an_opening_stays_with_the_record():
    made = record('[Opening "Sicilian \\"Open\\""]\n[Variation "Najdorf"]\n\n1. e4 c5 1-0')
    assert made.setup.opening_name == "Sicilian 'Open': Najdorf"
    assert "[Opening \"Sicilian 'Open': Najdorf\"]" in record_to_pgn(made)
    assert record_from_text(record_to_text(made)) == made
    assert record('[Opening "?"]\n\n1. e4 c5 1-0').setup.opening_name is UNSET


def test_time_odds():
    made = record('[WhiteTimeControl "60+1"]\n[BlackTimeControl "5"]\n\n1. e4 1-0')
    assert made.setup.times == (TimeControl(60_000, 1000), TimeControl(5000))
    assert '[BlackTimeControl "5"]' in record_to_pgn(made)


@given(st.text(max_size=60))
def test_every_name_becomes_a_name_for_a_bot(name):
    assert is_name(bot_name(name))
    assert bot_name(bot_name(name)) == bot_name(name)


def test_two_players_of_one_name_are_two_bots():
    assert record('[White "a b"]\n[Black "a-b"]\n\n1. e4 1-0').setup.bots == ("a-b", "a-b-2")
    assert record("1. e4 1-0").setup.bots == ("unknown", "unknown-2")


def test_the_same_game_is_the_same_match_however_it_is_laid_out():
    one, other = (
        record(CUTECHESS),
        record(CUTECHESS.replace("\n2", " 2").replace("\n", "\r\n").replace("{+M3", "{ +M3")),
    )
    assert one.match == other.match
    assert record(CUTECHESS.replace("0.83s", "0.84s")).match != one.match
    assert record(record_to_pgn(one)).match == one.match


comments = st.lists(
    st.sampled_from(["[%clk", "0:01:00]", "[%eval", "#-3]", "99999999]", "0.31/12", "+M9/1", "1.2s", "n=5", 'pv="a',
                     'b"', "book", "]", "[%x", ",", "∞/1"]), max_size=8,
).map(" ".join)  # fmt: skip


@given(st.one_of(st.text(max_size=80), comments), st.one_of(st.text(max_size=20), st.just("1+1")))
def test_no_comment_or_tag_is_too_odd(comment, tag):
    tags = dict.fromkeys(("TimeControl", "Date", "UTCTime", "Termination", "White", "Event", "Match"), tag)
    found = read("1. e4 e5 1-0")
    found.tags = {**tags, "Result": "1-0"}
    found.moves[0] = found.moves[0]._replace(comment=comment)
    made = record_of_pgn(found).record
    assert fault(made) is None


# --- writing, read by others ------------------------------------------------------------------------------------------

GAMES = [played(seed) for seed in range(4)] + [played(seed, variant="chess960") for seed in range(4)]
FROM_POSITION = replace(record(FASTCHESS), match="m9")


@pytest.mark.parametrize("made", [*GAMES, FROM_POSITION], ids=lambda made: made.match)
def test_python_chess_reads_the_same_game_without_an_error(made):
    found = chess.pgn.read_game(io.StringIO(record_to_pgn(made)))
    assert found.errors == []
    board = found.board()
    assert board.chess960 == (made.setup.options.get("variant") == "chess960")
    nodes = list(found.mainline())
    assert [node.move.uci() for node in nodes] == [ply.move for ply in made.plies]
    assert found.headers["White"] == made.setup.bots[0]
    assert found.headers["Event"] == (made.event or "?")
    left = [node.clock() for node in nodes[::2]]
    increment = made.setup.time.increment_ms / 1000
    spent = [before + increment - after for before, after in pairwise([made.setup.time.base_ms / 1000, *left])]
    assert spent == pytest.approx([ply.ms / 1000 for ply in made.plies[::2]])


def test_pgn_extract_reads_all_without_a_complaint(pgn_extract, tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text("".join(record_to_pgn(made) for made in GAMES))
    done = subprocess.run([pgn_extract, "-s", "-r", path], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize("made", [*GAMES, FROM_POSITION], ids=lambda made: made.match)
def test_what_is_written_is_read_back_by_a_strict_reader(made):
    [found] = read_pgn(record_to_pgn(made).split("\n"), strict=True)
    again = record_of_pgn(found).record
    assert again.match == made.match
    assert again.result == made.result
    assert [(ply.move, ply.ms) for ply in again.plies] == [(ply.move, ply.ms) for ply in made.plies]
    assert again.setup.time == made.setup.time
    for one, other in zip(again.plies, made.plies, strict=True):
        ours = Info() if other.info is None else other.info
        theirs = Info() if one.info is None else one.info
        for name in ("nodes", "pv", "seldepth", "nps", "hashfull", "tbhits", "wdl"):
            assert getattr(theirs, name) == getattr(ours, name)
        assert theirs.score == (UNSET if ours.score is UNSET else pytest.approx(ours.score, abs=0.005))
    assert record_to_pgn(again) == record_to_pgn(made).replace("wins in 2 moves", "wins in 3 plies")


def test_quotes_and_backslashes_in_a_tag_are_escaped():
    made = replace(GAMES[0], event='The "Cup" \\ 1')
    assert record(record_to_pgn(made)).event == made.event


def test_the_text_of_a_bot_cannot_end_its_comment():
    text = record_to_pgn(GAMES[0])
    assert "a (remark) [ %x y]" in " ".join(text.split())


def test_rejected_moves_stand_before_the_move_that_followed():
    made = replace(record("1. e4 e5 1-0"), refusals=(RejectedMove(1, 1, "e7]e4", "x", "no {pawn} goes there"),))
    text = record_to_pgn(made)
    assert "1... e5 {0.000s, Black resigns [%rejected e7)e4: no (pawn) goes there]}" in text.replace("\n", " ")
    assert record(text).plies == made.plies
    last = replace(made, refusals=(replace(made.refusals[0], ply=2),))
    assert "{[%rejected e7)e4: no (pawn) goes there]} 1-0" in record_to_pgn(last).replace("\n", " ")


@pytest.mark.parametrize(
    ("termination", "reason", "scores", "words", "tag"),
    [
        ("rule", "checkmate", [1.0, 0.0], "White mates", "normal"),
        ("rule", "stalemate", [0.5, 0.5], "Draw by stalemate", "normal"),
        ("rule", "threefold-repetition", [0.5, 0.5], "Draw by 3-fold repetition", "normal"),
        ("rule", "fifty-moves", [0.5, 0.5], "Draw by fifty moves rule", "normal"),
        ("rule", "dead-position", [0.5, 0.5], "Draw by insufficient mating material", "normal"),
        ("time", "flag-fell", [0.0, 1.0], "White loses on time", "time forfeit"),
        ("illegal", "illegal-move", [0.0, 1.0], "White makes an illegal move", "illegal move"),
        ("crashed", "bot-crashed", [1.0, 0.0], "Black disconnects", "abandoned"),
        ("stalled", "no-answer", [1.0, 0.0], "Black's connection stalls", "stalled connection"),
        ("resigned", "resigned", [1.0, 0.0], "Black resigns", "normal"),
        ("adjudicated", "resign-by-score", [0.0, 1.0], "Black wins by adjudication", "adjudication"),
        ("adjudicated", "draw-by-score", [0.5, 0.5], "Draw by adjudication", "adjudication"),
        ("adjudicated", "agreement", [0.5, 0.5], "Draw by agreement", "normal"),
    ],
)
def test_the_end_stands_behind_the_last_move_as_peers_write_it_and_is_no_remark(
    termination, reason, scores, words, tag
):
    made = record("1. e4 e5 1-0")
    loser = None if len(set(scores)) == 1 else scores.index(0.0)
    text = record_to_pgn(replace(made, result=Result(termination, reason, scores, loser)), round_="3")
    assert f"e5 {{0.000s, {words}}}" in text.replace("\n", " ")
    assert f'[Termination "{tag}"]' in text
    assert '[Round "3"]' in text
    assert record(text).plies == made.plies


def test_minimal_pgn_has_moves_and_no_comments_as_of_peers():
    text = record_to_pgn(GAMES[0], minimal=True)
    assert "{" not in text
    assert record(text).result.scores == GAMES[0].result.scores
    assert [ply.move for ply in record(text).plies][-3:] == [ply.move for ply in GAMES[0].plies][-3:]


@pytest.mark.parametrize("seed", range(4))
def test_what_python_chess_writes_is_read_as_the_same_game(seed):
    draw, board = Random(seed), chess.Board()
    tree = chess.pgn.Game({"White": "a", "Black": "b", "Result": "1-0", "TimeControl": "60+1", "Event": 'A "B" \\ C'})
    node, clocks, scores = tree, [], []
    for number in range(60):
        moves = list(board.legal_moves)
        if not moves or board.is_game_over(claim_draw=True):
            break
        move = draw.choice(moves)
        node.add_variation(move)  # the first one goes on
        for other in draw.sample(moves, min(2, len(moves))):
            if other != move:
                node.add_variation(other, comment="[%clk 9:00:00] no } brace".replace("}", ""))
        node = node.variations[0]
        board.push(move)
        clocks.append(60 - number / 8)
        scores.append(draw.randrange(-999, 999))
        node.set_clock(clocks[-1])
        node.set_eval(chess.engine.PovScore(chess.engine.Cp(scores[-1]), chess.WHITE), depth=7)
        node.nags.add(draw.randrange(1, 20))
    if board.is_game_over(claim_draw=True):
        tree.headers["Result"] = board.result(claim_draw=True)
    made = record(str(tree))
    assert [ply.move for ply in made.plies] == [move.uci() for move in board.move_stack]
    assert [ply.info.score for ply in made.plies] == [
        score / 100 * (-1 if number % 2 else 1) for number, score in enumerate(scores)
    ]
    assert [node.clock() for node in chess.pgn.read_game(io.StringIO(record_to_pgn(made))).mainline()] == clocks


HEAD = '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n'
LONG_FORMS = [
    "1. e2-e4 d7-d5 2. e4xd5 Ng8-f6 3. d5-d6 Nf6-e4 4. d6xc7 Ne4-c3 5. c7xb8=Q 1-0",
    "1. e2e4 d7d5 2. e4d5 g8f6 3. d5d6 f6e4 4. d6c7 e4c3 5. c7b8q 1-0",
    "1. Pe4 Pd5 2. Pe4xd5 Nf6 3. Pd6 Nf6e4 4. Pdxc7 Nc3 5. cxb8/Q 1-0",
    "1. e2-e4 d7-d5 2. exd5 Ng8f6 3. d6 Ne4 4. dxc7 Nc3 5. cxb8q 1-0",
]


@pytest.mark.parametrize("text", LONG_FORMS)
def test_long_notation_is_read(text):
    made = record(HEAD + text)
    wire = ["e2e4", "d7d5", "e4d5", "g8f6", "d5d6", "f6e4", "d6c7", "e4c3", "c7b8q"]
    assert [ply.move for ply in made.plies] == wire


def test_castling_is_read_as_a_move_of_the_king():
    made = record(HEAD + "1. g1f3 g8f6 2. g2g3 g7g6 3. f1g2 f8g7 4. e1g1 Ke8-g8 1-0")
    assert [ply.move for ply in made.plies][-2:] == ["e1g1", "e8g8"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1. Bg1-f3 1-0", "none is written 'Bg1-f3'"),
        ("1. e2-e5 1-0", "e2e5"),
        ("1. e4-e5 1-0", "e4e5: e4 is empty"),
        ("1. g1-g3 1-0", "g1g3: a knight does not move from g1 to g3"),
    ],
)
def test_long_notation_of_no_legal_move_is_refused(text, sentence):
    with pytest.raises(BadRecord, match=sentence):
        record(HEAD + text)


def test_a_game_of_crazyhouse_is_named_by_its_variant():
    head = HEAD.replace("\n\n", '\n[Variant "Crazyhouse"]\n\n')
    with pytest.raises(BadRecord, match="the variant 'Crazyhouse' is not played here"):
        record(head + "1. e4 d5 2. exd5 Qxd5 3. P@e4 N@f6+ 1-0")
