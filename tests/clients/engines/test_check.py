"""`palio check-bot` examines an engine step by step, and says what was asked and answered."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from palio_clients.cli.check_bot import check_bot
from palio_clients.engines import check as check_module
from palio_clients.engines.check import EngineCheck
from palio_clients.engines.player import Settings
from palio_clients.engines.uci import UCI
from palio_clients.engines.ugi import UGI

ENGINE = Path(__file__).parent / "engine.py"


async def checked(folder, how, language=UCI, options=None, game="breakthrough", patience=6.0, later=None):
    """Return the results by name; `patience` is for the start, and `later` for each answer after it."""
    argv = [sys.executable, str(ENGINE), game, how, str(folder / "log"), language.hello]
    check = EngineCheck(language, argv, "engine", Settings(options or {}), game, patience)
    found = {}
    async for result in check.results(lambda _: None):
        found[result.check] = result
        if later is not None and result.check == "begins a new game":
            check._patience = later
    return found


@pytest.mark.parametrize("language", [UCI, UGI])
async def test_each_step_of_a_good_engine_says_what_was_asked_and_answered(tmp_path, language):
    found = await checked(tmp_path, "patient", language, {"Hash": "64"})
    assert {result.verdict for result in found.values()} == {"ok"}
    greeted = found[f"answers {language.hello}"].detail
    assert greeted.startswith(f"asked `{language.hello}`; answered `id name Tester 1.0`, `id author nobody`, (")
    assert f"`{language.hello}ok`, after" in greeted
    assert "asked `setoption name Hash value 64`" in found["takes the options of the spec and of the game"].detail
    assert "asked `position startpos`, `go depth 2`; answered `info depth 3" in found["ends at a depth"].detail
    assert "position startpos moves a5a4 " in found["knows the position after moves"].detail
    assert found["ends on quit"].detail == "asked `quit`; it exited with status 0"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "failed", "detail"),
    [
        ("broken", "answers uci", "engine exited with status 7 before it answered `uci`"),
        ("hangs", "answers uci", "`uci` is not answered within 2 s; asked `uci`; answered nothing"),
        ("babbles", "answers uci", "answered `Hello, I am an engine`"),
        ("unready", "takes the options of the spec and of the game", "`isready` is not answered within 2 s"),
        ("illegal", "moves within movetime", "`bestmove a1a2` is no legal move: "),
        ("nonsense", "moves by the clocks", "`bestmove e2e4q` is no legal move: 'e2e4q' is no move of breakthrough"),
        ("nomove", "ends at a depth", "`bestmove (none)` is no legal move"),
        ("dies", "moves within movetime", "engine exited with status 3 in mid-match"),
        ("deaf", "thinks until stop", "`stop` is not answered within 0.3 s"),
        ("well", "thinks until stop", "there is a bestmove before `stop`"),
        ("misfit", "offers well-formed options", "option Depth has the default 99 outside of min and max"),
        ("unscored", "says info as its language has it", "`info depth 3 score cp none` cannot be read"),
    ],
)
async def test_a_step_that_fails_says_why(tmp_path, monkeypatch, how, failed, detail):
    silent = how in ("hangs", "babbles", "unready", "deaf")  # the check waits for answers that never come
    if silent:
        monkeypatch.setattr(check_module, "STOP_S", 0.1)
    found = await checked(tmp_path, how, patience=2.0 if silent else 6.0, later=0.3 if silent else None)
    assert found[failed].verdict == "FAIL"
    assert detail in found[failed].detail
    assert found[failed].remedy
    assert "asked ;" not in found[failed].detail


async def test_nothing_is_examined_after_an_engine_that_does_not_speak(tmp_path):
    found = list((await checked(tmp_path, "broken")).values())
    assert [result.verdict for result in found[:2]] == ["ok", "FAIL"]
    assert {(result.verdict, result.detail) for result in found[2:]} == {
        ("skip", "not examined, because 'answers uci' failed")
    }


async def test_lines_of_no_language_are_named_and_are_no_fault(tmp_path):
    found = await checked(tmp_path, "noise", UGI)
    only = found["says only lines of its language"]
    assert (only.verdict, only.detail) == ("ok", "1 others, which are ignored: 'Engine 1.0, compiled yesterday'")


async def test_windows_line_ends_are_no_fault(tmp_path):
    found = await checked(tmp_path, "crlf")
    assert found["says only lines of its language"].detail.endswith("lines; its lines end as in Windows, which is read")


def test_check_bot_examines_the_language_first_and_then_the_protocol(tmp_path):
    spec = f"ugi:{sys.executable} {ENGINE} breakthrough patient {tmp_path}/log"
    done = CliRunner().invoke(check_bot, [spec, "--game", "breakthrough"])
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    quits, answers = (f"ok    {check}" for check in ("ends on quit: asked `quit`", "answers a turn: answers"))
    places = [next(at for at, line in enumerate(lines) if line.startswith(each)) for each in (quits, answers)]
    assert places == sorted(places)
    broken = CliRunner().invoke(check_bot, [spec.replace(" patient ", " broken "), "--game", "breakthrough"])
    assert broken.exit_code == 1
    assert "answers a turn" not in broken.output
