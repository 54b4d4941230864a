"""An engine is checked before its first game: all that is wrong about its options is said at once."""

import sys
from pathlib import Path

import pytest

from palio_clients.engines import first_game
from palio_clients.engines.first_game import checked
from palio_clients.engines.uci import UCI
from palio_clients.sdk.failures import BadBot, ClientError
from palio_clients.sdk.loader import load

ENGINE = Path(__file__).parent / "engine.py"


async def check(folder, how="well", options=None, game="chess"):
    argv = [sys.executable, str(ENGINE), "chess", how, str(folder / "log"), "uci"]
    started = await checked(UCI, argv, "engine", options or {}, game)
    await started.engine.end_program()
    return started


async def test_one_that_can_play_is_started_and_greeted(tmp_path):
    started = await check(tmp_path, options={"hash": "64", "Style": "wild"})
    assert "Move Overhead" in {option.name for option in started.offered}
    await check(tmp_path, "960", game="chess:variant=chess960")
    await check(tmp_path, game="./unknown.py:Here")  # a game of a file that a sandbox does not show


async def test_all_faults_are_said_at_once(tmp_path):
    with pytest.raises(BadBot) as refused:
        await check(tmp_path, options={"Hsh": "64", "Style": "sold", "Hash": "0"}, game="chess:variant=chess960")
    assert str(refused.value).split("; ") == [
        "engine has no option 'Hsh'",
        "did you mean 'Hash'?",
        "engine option Style='sold': did you mean 'solid'?",
        "engine option Hash='0': the least is 1",
        "engine plays no chess960: it has no option UCI_Chess960",
    ]


async def test_a_game_that_it_does_not_play_is_said(tmp_path):
    with pytest.raises(BadBot, match="engine does not play dominoes: it has no option UCI_Variant"):
        await check(tmp_path, game="dominoes")


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("broken", "engine exited with status 7 before it answered `uci`"),
        ("stranger", "it speaks UGI, write ugi:engine"),
        ("hangs", "engine has not answered `uci` within 0.3 s; it said nothing"),
    ],
)
async def test_one_that_does_not_start_is_no_matter_of_options(tmp_path, monkeypatch, how, sentence):
    if how == "hangs":
        monkeypatch.setattr(first_game, "READY_S", 0.3)
    with pytest.raises(ClientError, match=sentence) as failed:
        await check(tmp_path, how)
    assert not isinstance(failed.value, BadBot)


@pytest.mark.parametrize(("restart", "waits"), [("off", True), ("on", False)])
async def test_the_engine_that_was_checked_plays_the_first_match_unless_each_has_its_own(tmp_path, restart, waits):
    log = tmp_path / "log"
    spec = f"uci:{sys.executable} {ENGINE} chess well {log} uci,restart={restart}"
    async with load(spec).checked_for("chess").stay():
        assert ("quit" in log.read_text()) != waits
    assert log.read_text().splitlines() == ["uci", "quit"]
