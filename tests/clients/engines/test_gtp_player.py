"""Programs that speak GTP are led as their language wants it, and each of their faults is told from the others."""

import asyncio
import re

import pytest
from gtp_table import GtpTable

from palio_clients.engines import gtp_player, process
from palio_clients.engines.gtp_player import GtpSettings
from palio_clients.sdk.events import MatchOver, MoveRejected
from palio_clients.sdk.failures import PlayerFailed, ProgramDied, Resign
from palio_rules.contract.messages import Rejected
from palio_rules.errors import Rejection
from palio_rules.time_control import TimeControl

GREETING = ["protocol_version", "name", "version", "list_commands", "kgs-rules chinese"]
EMPTY = ["boardsize 9", "clear_board", "komi 7"]


async def begun(folder, how, **kwargs):
    """Return the sentence by which a match does not begin."""
    with pytest.raises(PlayerFailed) as found:
        await GtpTable(folder, how, **kwargs).__aenter__()
    return str(found.value)


@pytest.mark.parametrize("how", ["well", "crlf", "noise", "bare", "numberless", "shouting", "plain", "unlisting"])
async def test_a_game_is_played_whatever_way_the_engine_writes(tmp_path, how):
    async with GtpTable(tmp_path, how, "go:size=5") as table:
        for _ in range(12):
            thought = await table.think()
            move = table.rules.read_move(table.state, thought.move)
            assert move == next(table.state.legal_moves())
            table.play(move)
            table.play(list(table.state.legal_moves())[-2])
    assert table.said == []


async def test_it_is_told_what_the_standard_wants_in_this_order(tmp_path):
    async with GtpTable(tmp_path) as table:
        table.play((await table.think()).move)
        table.play("E5")
        await table.think()
    assert table.lines() == [
        *GREETING, *EMPTY, "time_settings 0 1 0", "genmove b", "play w E5", "genmove b", "quit",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("how", "time", "clocks", "limit_ms", "moves_to_go", "told"),
    [
        (
            "well", TimeControl(base_ms=60_000), (9900, 8000), 9900, None,
            ["time_settings 60 0 0", "time_left w 8 0", "time_left b 9 0"],
        ),
        (
            "well", TimeControl(base_ms=60_000, moves=40), (9900, 8000), 9900, 12,
            ["time_settings 0 60 40", "time_left b 9 12"],
        ),
        (
            "well", TimeControl.parse("60+5/30"), (50_000, 8000), 50_000, None,
            ["time_settings 60 30 5", "time_left b 20 0"],
        ),
        (
            "well", TimeControl.parse("60+5/30"), (9900, 31_000), 9900, 2,
            ["time_settings 60 30 5", "time_left w 1 0", "time_left b 9 2"],
        ),
        (
            "well", TimeControl.parse("60+3x5"), (17_000, 4000), 17_000, None,
            ["time_settings 70 5 1", "time_left w 4 1", "time_left b 12 0"],
        ),
        (
            "periods", TimeControl.parse("60+3x5"), (17_000, 9000), 17_000, None,
            ["kgs-time_settings byoyomi 60 5 3", "time_left w 4 2", "time_left b 2 0"],
        ),
        ("well", TimeControl(move_ms=2000), (None, None), 2000, None, ["time_settings 0 2 1", "time_left b 2 1"]),
        ("well", TimeControl(move_ms=500), (None, None), 500, None, ["time_settings 0 1 1", "time_left b 1 1"]),
        (
            "periods", TimeControl(move_ms=2000), (None, None), 2000, None,
            ["kgs-time_settings byoyomi 0 2 1", "time_left b 2 1"],
        ),
        ("plain", TimeControl(base_ms=60_000), (9900, 8000), 9900, None, []),
    ],
)  # fmt: skip
async def test_it_is_told_the_referees_clocks(tmp_path, how, time, clocks, limit_ms, moves_to_go, told):
    async with GtpTable(tmp_path, how, time=time) as table:
        await table.think(clocks, limit_ms, *(() if moves_to_go is None else (moves_to_go,)))
    assert table.told("time_settings", "kgs-time_settings", "time_left") == told


@pytest.mark.parametrize(
    ("time", "lost"),
    [
        (TimeControl(move_ms=2500), "2500 ms a move"),
        (TimeControl.parse("60+5x0.5"), "500 ms a period of byo-yomi"),
        (TimeControl.parse("60+25/90.5"), "90500 ms a period of byo-yomi"),
        (TimeControl.parse("60+5x30"), ""),
        (TimeControl.parse("10.5"), ""),
    ],
)
async def test_parts_of_a_second_are_said_to_be_lost(tmp_path, time, lost):
    async with GtpTable(tmp_path, time=time) as table:
        pass
    assert table.said == ([f"engine is told whole seconds, as GTP has them, not {lost}"] if lost else [])


@pytest.mark.parametrize(
    ("spec", "how", "base", "told"),
    [
        ("go:handicap=2", "kata", None, ["boardsize 9", "clear_board", "komi 0.5", "fixed_handicap 2"]),
        # the rules that it was told last give White a point for each stone
        ("go:handicap=2", "well", None, ["boardsize 9", "clear_board", "komi -1.5", "fixed_handicap 2"]),
        ("go:handicap=3,compensation=N", "well", None, ["boardsize 9", "clear_board", "komi 0.5", "fixed_handicap 3"]),
        (
            "go:handicap=3,compensation=N-1",
            "well",
            None,
            ["boardsize 9", "clear_board", "komi -0.5", "fixed_handicap 3"],
        ),
        ("go:handicap=3,suicide=true", "well", None, ["boardsize 9", "clear_board", "komi 0.5", "fixed_handicap 3"]),
        (
            "go:handicap=3,compensation=N-1",
            "plain",
            None,
            ["boardsize 9", "clear_board", "komi 2.5", "play b C7", "play b G7", "play b C3"],
        ),
        ("go:handicap=2", "plain", None, ["boardsize 9", "clear_board", "komi 0.5", "play b G7", "play b C3"]),
        ("go:size=5", "well", "5/1X1X1/5/5/5 w", ["boardsize 5", "clear_board", "komi 5.5", "set_free_handicap B4 D4"]),
        ("go:size=5", "well", "5/1X1O1/5/5/5 b", ["boardsize 5", "clear_board", "komi 7.5", "play b B4", "play w D4"]),
    ],
)
async def test_a_match_may_begin_with_stones(tmp_path, spec, how, base, told):
    async with GtpTable(tmp_path, how, spec, base=base) as table:
        pass
    assert table.told("boardsize", "clear_board", "komi", "play", "fixed_handicap", "set_free_handicap") == told


BY_KATA = (
    'kata-set-rules {"ko":"POSITIONAL","scoring":"AREA","tax":"NONE","suicide":%s,"hasButton":false,'
    '"whiteHandicapBonus":"%s"%s}'
)


@pytest.mark.parametrize(
    ("spec", "how", "told", "said"),
    [
        ("go", "kata", [BY_KATA % ("false", "0", ',"friendlyPassOk":false')], None),
        (
            "go:suicide=true,compensation=N-1,cleanup=final_status_list", "kata",
            [BY_KATA % ("true", "N-1", ',"friendlyPassOk":true')], None,
        ),
        (
            "go", "kata-old", [BY_KATA % ("false", "0", ',"friendlyPassOk":false'), BY_KATA % ("false", "0", "")], None,
        ),
        ("go:handicap=2,compensation=N", "well", ["kgs-rules chinese"], None),
        (
            "go:suicide=true", "well", ["kgs-rules new_zealand"],
            "engine: in its rules, new_zealand, a board may return with the other side to move; here it may not",
        ),
        (
            "go:compensation=N", "kata-strict",
            [BY_KATA % ("false", "N", ',"friendlyPassOk":false'), BY_KATA % ("false", "N", ""), "kgs-rules chinese"],
            "engine answers `kgs-rules chinese` with `? syntax error`: it may count otherwise than the server",
        ),
        ("go", "plain", [], None),
    ],
)  # fmt: skip
async def test_it_is_told_the_rules_as_they_are_and_its_author_what_differs(tmp_path, spec, how, told, said):
    async with GtpTable(tmp_path, how, spec) as table:
        pass
    assert table.told("kata-set-rules", "kgs-rules") == told
    assert table.said == ([said] if said else [])


async def test_moves_that_were_missed_are_played_before_the_next_one(tmp_path):
    async with GtpTable(tmp_path) as table:
        table.play((await table.think()).move)
        for move in ("E5", "E6", "D5"):
            table.play(move, told=False)  # the connection was lost
        table.seat = 0
        await table.think()
    assert table.told("play", "genmove", "clear_board")[1:] == [
        "genmove b", "play w E5", "play b E6", "play w D5", "genmove b",
    ]  # fmt: skip


async def test_after_a_rejected_move_the_board_is_set_up_again(tmp_path):
    async with GtpTable(tmp_path, "illegal") as table:
        for move in ("B2", "E5"):
            table.play(move)
        thought = await table.think()
        with pytest.raises(Rejection, match="B2: black has a stone there"):
            table.rules.read_move(table.state, thought.move)
        table.player.hear(MoveRejected("m", Rejected("m", 1, "occupied", "B2: black has a stone there", 2, [None] * 2)))
        await table.think()
    (said,) = table.said
    assert said.startswith("engine played what the rules forbid: B2: black has a stone there; it answered `genmove b` ")
    assert said.endswith("with `b2`, after `play b B2` and `play w E5`")
    again = table.told("boardsize", "clear_board", "komi", "play", "genmove")[6:]
    assert again == [*EMPTY, "play b B2", "play w E5", "genmove b"]


async def test_a_text_that_is_no_move_goes_to_the_referee(tmp_path):
    async with GtpTable(tmp_path, "nonsense") as table:
        thought = await table.think()
        with pytest.raises(Rejection):
            table.rules.read_move(table.state, thought.move)
    assert table.said[0].startswith("engine answers `genmove b` with `I5`: a move is written C3, or pass")


async def test_it_may_resign(tmp_path):
    async with GtpTable(tmp_path, "resigns") as table:
        with pytest.raises(Resign):
            await table.think()


async def test_what_it_tells_gogui_is_shown_where_the_spec_says_so(tmp_path):
    async with GtpTable(tmp_path, "shows", settings=GtpSettings(shows=True)) as table:
        info = (await table.think()).info
    assert (info.text, info.pv) == ("61 % of 500 playouts", ["A9", "B9"])  # and A9 again is no legal move
    async with GtpTable(tmp_path, "shows") as table:
        assert not (await table.think()).info


# --- dead stones ------------------------------------------------------------------------------------------------------


CLEANUP = "go:cleanup=final_status_list"
STONES = "9/9/9/9/4X4/4X4/9/1O7/9 b"  # black E5 and E4, white B2
ASKED = ("genmove", "final_status_list", "kgs-genmove_cleanup")


async def test_a_pass_claims_the_stones_that_the_engine_calls_dead_and_equal_claims_end_the_game(tmp_path):
    async with GtpTable(tmp_path, "dead", CLEANUP, base=STONES) as table:
        move = (await table.think()).move
        table.play(move)
        table.play("pass:B2,E4")
    assert move == "pass:E5,B2"
    assert table.told(*ASKED) == ["genmove b", "final_status_list dead"]
    assert (table.state.to_move, table.state.outcome().reason, table.state.areas()) == (None, "score", (0, 0))


async def test_an_opponents_claim_is_a_pass_on_the_engines_board(tmp_path):
    async with GtpTable(tmp_path, "dead", CLEANUP, base=STONES, seat=1) as table:
        table.play("pass:B2")
        assert (await table.think()).move == "pass:E5,B2"
        table.play("pass:E5,B2")
        table.play("pass:B2")
        await table.think()
    assert [line for line in table.told("play") if "pass" in line][:2] == ["play b pass", "play b pass"]
    assert not [line for line in table.lines() if "pass:" in line]


async def test_after_a_dispute_an_engine_takes_dead_stones(tmp_path):
    async with GtpTable(tmp_path, "dead", CLEANUP, base=STONES) as table:
        table.play((await table.think()).move)
        table.play("pass")
        assert table.state.disputed
        move = (await table.think()).move
        table.play(move)
        table.play("E6")
        await table.think()
    assert move == "A9"
    assert table.told(*ASKED) == [
        "genmove b", "final_status_list dead",
        "genmove b", "final_status_list dead", "kgs-genmove_cleanup b",
        "kgs-genmove_cleanup b",
    ]  # fmt: skip


async def test_one_that_cannot_take_dead_stones_claims_them_again_and_is_named(tmp_path):
    async with GtpTable(tmp_path, "japanese", CLEANUP, base=STONES) as table:
        table.play((await table.think()).move)
        table.play("pass")
        assert (await table.think()).move == "pass:E5,B2"
    assert table.said == ["engine sees dead stones, E5,B2, and has no kgs-genmove_cleanup to take them"]


async def test_one_that_calls_an_empty_point_dead_is_named_and_claims_the_rest(tmp_path):
    async with GtpTable(tmp_path, "wild", CLEANUP, base=STONES) as table:
        assert (await table.think()).move == "pass:E5"
    assert table.said == ["engine calls 'A1' dead, where no stone stands"]


async def test_one_that_is_not_able_to_say_what_is_dead_passes_without_a_claim(tmp_path):
    async with GtpTable(tmp_path, "silent", CLEANUP, base=STONES) as table:
        assert (await table.think()).move == "pass"
    assert table.said == ["engine has no final_status_list: its passes call no stones dead"]
    assert table.told("final_status_list") == []


async def test_without_cleanup_a_pass_is_a_pass(tmp_path):
    async with GtpTable(tmp_path, "dead", base=STONES) as table:
        assert (await table.think()).move == "pass"
    assert table.told("final_status_list") == []


# --- faults -----------------------------------------------------------------------------------------------------------


async def test_one_that_ends_before_it_answers(tmp_path):
    assert await begun(tmp_path, "broken") == (
        "engine exited with status 7 before it answered `1 protocol_version`; it said nothing on stdout; "
        "its last lines on stderr:\nno weights"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "asked", "remedy"),
    [
        ("hangs", "1 protocol_version", "it must read stdin while it starts, and flush what .*; it said nothing"),
        ("cut", "4 list_commands", "an answer ends with an empty line, and flush what .*; it said last .*'quit'"),
    ],
)
async def test_one_that_does_not_answer_is_told_what_it_was_asked(tmp_path, monkeypatch, how, asked, remedy):
    monkeypatch.setattr(gtp_player, "READY_S", 4.0)
    assert re.match(f"engine has not answered `{asked}` within 4 s; {remedy}", await begun(tmp_path, how))


async def test_one_without_a_command_that_a_match_needs(tmp_path):
    sentence = await begun(tmp_path, "nomove")
    assert sentence.startswith("engine does not list 'genmove' among its commands; known: boardsize, clear_board, ")


async def test_one_that_does_not_play_on_this_board(tmp_path):
    sentence = await begun(tmp_path, "well", spec="go:size=19")
    assert sentence.startswith("engine answers `boardsize 19` with `? unacceptable size`; it said last ")


async def test_another_game_is_refused(tmp_path):
    sentence = await begun(tmp_path, "well", spec="breakthrough")
    assert sentence == "engine speaks GTP, which is for go; the game is breakthrough"


async def test_a_crash_has_what_it_said_last(tmp_path):
    async with GtpTable(tmp_path, "dies") as table:
        with pytest.raises(ProgramDied, match=r"(?s)engine exited with status 3 in mid-match; .*\nout of ideas"):
            await table.think()


async def test_an_error_in_the_place_of_a_move(tmp_path):
    async with GtpTable(tmp_path, "errs") as table:
        with pytest.raises(PlayerFailed, match=r"engine answers `genmove b` with `\? no move`; it said last "):
            await table.think()


async def test_a_move_that_the_engine_does_not_accept(tmp_path):
    async with GtpTable(tmp_path, "refuses", seat=1) as table:
        table.play("E5")
        with pytest.raises(PlayerFailed, match=r"engine answers `play b E5` with `\? illegal move`, a move that was"):
            await table.think()


async def test_a_stall_is_ended_where_no_clock_does(tmp_path, monkeypatch):
    monkeypatch.setattr(gtp_player, "SILENT_S", 0.2)
    async with GtpTable(tmp_path, "deaf") as table:
        with pytest.raises(PlayerFailed, match=r"engine stalled: no answer to `genmove b` for 0\.2 s; it said last "):
            await table.think()


async def test_endless_output_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "MOST_LINES", 20_000)
    async with GtpTable(tmp_path, "floods") as table:
        with pytest.raises(PlayerFailed, match=r"engine printed 2\d{4} lines after `\d+ genmove b`"):
            await table.think()


async def test_a_thought_that_is_over_is_waited_for_and_its_move_is_not_on_the_board(tmp_path):
    async with GtpTable(tmp_path) as table:
        thinking = asyncio.ensure_future(table.think())
        while not table.told("genmove"):  # noqa: ASYNC110  # it is a file
            await asyncio.sleep(0.01)
        thinking.cancel()
        await asyncio.gather(thinking, return_exceptions=True)
        move = (await table.think()).move
    assert move == "A9"  # the first legal move of the empty board again
    assert table.told("genmove", "clear_board") == ["clear_board", "genmove b", "clear_board", "genmove b"]


async def test_a_move_that_never_came_is_reported_when_the_clock_has_ended_the_match(tmp_path):
    async with GtpTable(tmp_path, "deaf") as table:
        thinking = asyncio.ensure_future(table.think(limit_ms=200))
        while not table.told("genmove"):  # noqa: ASYNC110  # it is a file
            await asyncio.sleep(0.01)
        thinking.cancel()
        await asyncio.gather(thinking, return_exceptions=True)
        table.player.hear(MatchOver("m", None))
    assert table.said[-1].startswith("engine had not answered `genmove b` when the match was over; it said last ")


async def test_an_engine_stays_for_the_next_match(tmp_path):
    waiting = []
    for _ in range(2):
        table = GtpTable(tmp_path)
        table.player._waiting = waiting
        async with table:
            await table.think()
    assert len(waiting) == 1
    await waiting[0].engine.end_program()
    assert table.told("list_commands", "clear_board", "genmove") == [
        "list_commands", "clear_board", "genmove b", "clear_board", "genmove b",
    ]  # fmt: skip


async def test_one_that_has_died_since_is_started_again(tmp_path):
    waiting = []
    for _ in range(2):
        table = GtpTable(tmp_path)
        table.player._waiting = waiting
        async with table:
            await table.think()
        waiting[0].engine.kill()
        await waiting[0].engine.wait_for_output()
    await waiting[0].engine.end_program()
