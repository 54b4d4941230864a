"""`palio check-bot gtp:` examines a program of Go step by step, and says what was asked and answered."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from palio_clients.engines.gtp_check import GtpCheck
from palio_clients.engines.gtp_commands import COLOURS
from palio_clients.games.go import GoCompanion

ENGINE = Path(__file__).parent / "gtp_engine.py"


async def checked(folder, how, patience=10.0):
    argv = [sys.executable, str(ENGINE), how, str(folder / "log")]
    return {each.check: each async for each in GtpCheck(argv, "engine", "go", patience).results(lambda _: None)}


async def test_each_step_of_a_good_engine_says_what_was_asked_and_answered(tmp_path):
    found = await checked(tmp_path, "well")
    assert {result.verdict for result in found.values()} == {"ok"}
    assert found["says who it is"].detail == "Tester, 1.0"
    assert found["lists its commands"].detail == "17 commands"
    asked = "asked `10 boardsize 9`, `11 clear_board`, `12 komi 7`, `13 genmove b`; answered `=10`, "
    assert asked in found["plays a legal move"].detail
    assert "play w pass`, `110 final_status_list dead`" in found["tells dead stones"].detail
    assert len(found["tells dead stones"].detail) < 400
    assert "time_settings 0 10 5" in found["moves by Canadian byo-yomi"].detail
    assert found["ends on quit"].detail == "asked `quit`; it exited with status 0"


@pytest.mark.parametrize("size", [9, 13, 19])
def test_dead_stones_are_asked_for_where_the_game_is_over_but_for_one(size):
    """GNU Go needs a minute for an empty board: it plays on until it knows."""
    check = GtpCheck(["engine"], "engine", f"go:size={size}", 1.0)
    state = check._start
    for _, colour, move in (each.split() for each in check._settled()[2:]):
        state = replace(state, turn=COLOURS.index(colour), passes=state.passes).play(move)
    assert state.to_move is None
    assert GoCompanion().dead(state) == state.board.bits[f"B{size - size // 2}"]
    black, white = state.areas()
    assert min(black.bit_count(), white.bit_count()) > size * size // 4


@pytest.mark.parametrize(
    ("how", "failed", "detail"),
    [
        ("old", "answers protocol_version", "the version is '1'; asked `1 protocol_version`; answered `=1 1`"),
        ("nomove", "lists its commands", "genmove is not listed"),
        ("bare", "ends each answer with an empty line", "has no empty line behind it"),
        ("nonsense", "plays a legal move", "`I5` is no legal move: a move is written C3, or pass"),
        ("errs", "plays a legal move", "`genmove b` is refused"),
        ("careless", "refuses an illegal move", "which is taken, is accepted"),
        ("dies", "plays a legal move", "engine exited with status 3 in mid-match"),
        ("refuses", "knows the position after moves", "engine answers `play w E5` with"),
    ],
)
@pytest.mark.slow
async def test_a_step_that_fails_says_why(tmp_path, how, failed, detail):
    result = (await checked(tmp_path, how))[failed]
    assert result.verdict == "FAIL"
    assert detail in result.detail
    assert result.remedy


async def test_lines_outside_of_answers_are_named_and_are_no_fault(tmp_path):
    only = (await checked(tmp_path, "noise"))["says only lines of its language"]
    assert only.verdict == "ok"
    assert "others, which are ignored: 'hello', 'GNU Go is thinking'" in only.detail


async def test_windows_line_ends_are_no_fault(tmp_path):
    only = (await checked(tmp_path, "crlf"))["says only lines of its language"]
    assert only.detail.endswith("lines; its lines end as in Windows, which is read")
