"""An engine is led through a match as its language wants it; each of its faults has a sentence."""

import asyncio
import re

import pytest
from engine_table import EngineTable as Table

from palio_clients.engines import player as engine_player
from palio_clients.engines.player import Settings
from palio_clients.sdk.failures import PlayerFailed, ProgramDied, Resign
from palio_rules.errors import Rejection
from palio_rules.time_control import TimeControl


@pytest.mark.parametrize("how", ["well", "crlf", "noise", "slow", "notation", "shouting"])
async def test_a_whole_game_is_played_whatever_way_the_engine_writes(tmp_path, how):
    async with Table(tmp_path, how) as table:
        while table.state.to_move is not None:
            thought = await table.think()
            move = table.rules.read_move(table.state, thought.move)
            assert move == next(table.state.legal_moves())
            if how == "notation":  # it reads its own way of writing only
                break
            table.play(move)
    assert table.said == []


@pytest.mark.parametrize("spec", ["breakthrough", "dominoes", "end_of_the_track"])
async def test_each_of_our_duels_is_played(tmp_path, spec):
    async with Table(tmp_path, spec=spec) as table:
        for _ in range(6):
            thought = await table.think()
            table.play(table.rules.read_move(table.state, thought.move))
        positions = table.told("position")
        assert positions[0] == "position startpos"
        assert all(line.startswith("position startpos moves ") for line in positions[1:])


async def test_it_is_greeted_in_the_order_of_the_protocol(tmp_path):
    settings = Settings({"hash": "64", "Move Overhead": "50", "ponder": "true", "Style": "wild", "Clear Hash": ""})
    async with Table(tmp_path, settings=settings) as table:
        await table.think()
    assert table.log.read_text().splitlines() == [
        "ugi",
        "setoption name Hash value 64",
        "setoption name Move Overhead value 50",
        "setoption name Ponder value true",
        "setoption name Style value wild",
        "setoption name Clear Hash",
        "isready",
        "uginewgame",
        "isready",
        "position startpos",
        "go movetime 1000",
        "quit",
    ]


@pytest.mark.parametrize(
    ("time", "clocks", "limit_ms", "go"),
    [
        (
            TimeControl(base_ms=9000, increment_ms=100),
            (5000, 8000),
            5000,
            "go p1time 5000 p2time 8000 p1inc 100 p2inc 100",
        ),
        (TimeControl(move_ms=300), (None, None), 300, "go movetime 300"),
        (TimeControl(base_ms=9000, move_ms=300), (9000, 9000), 300, "go movetime 300"),
        (TimeControl(), (None, None), None, "go movetime 1000"),
    ],
)
async def test_it_is_told_the_referees_clocks(tmp_path, time, clocks, limit_ms, go):
    async with Table(tmp_path, time=time) as table:
        await table.think(clocks, limit_ms)
        assert table.told("go") == [go]


async def test_player_one_is_who_moves_first_in_the_game(tmp_path):
    time = TimeControl(base_ms=9000)
    async with Table(tmp_path, spec="breakthrough:first=white", seat=1, time=time) as table:
        await table.think((8000, 5000), 5000)
        assert table.told("go") == ["go p1time 5000 p2time 8000 p1inc 0 p2inc 0"]


async def test_a_limit_of_the_spec_takes_the_place_of_clocks(tmp_path):
    async with Table(tmp_path, settings=Settings(go=("depth", 4)), time=TimeControl(base_ms=9000)) as table:
        await table.think((9000, 9000), 9000)
        assert table.told("go") == ["go depth 4"]


async def test_moves_that_were_missed_are_made_good_by_the_position(tmp_path):
    async with Table(tmp_path) as table:
        await table.think()
        for _ in range(2):
            table.play(next(table.state.legal_moves()), told=False)  # the connection was lost
        text = table.rules.format_state(table.state)
        await table.think()
        table.play(next(table.state.legal_moves()))
        await table.think()
        assert table.told("position")[1] == f"position fen {text}"
        assert table.told("position")[2].startswith(f"position fen {text} moves ")


async def test_what_it_tells_is_shown_in_our_terms(tmp_path):
    async with Table(tmp_path) as table:
        info = (await table.think()).info
    assert (info.depth, info.nodes, info.score, info.pv) == (3, 456, -1.23, ["a5-a4"])


async def test_a_mate_is_a_decided_game(tmp_path):
    async with Table(tmp_path, "mates") as table:
        info = (await table.think()).info
    assert (info.depth, info.score, info.text) == (4, 1000.0, "wins in 3 plies")


async def test_it_is_stopped_before_its_time_is_up(tmp_path):
    async with Table(tmp_path, "waits") as table:
        thought = await table.think(limit_ms=400)
        assert table.told("stop") == ["stop"]
        table.rules.read_move(table.state, thought.move)


@pytest.mark.parametrize("how", ["illegal", "nonsense", "none", "nomove"])
async def test_a_move_that_is_none_goes_to_the_referee_who_says_why(tmp_path, how):
    async with Table(tmp_path, how) as table:
        thought = await table.think()
        with pytest.raises(Rejection):
            table.rules.read_move(table.state, thought.move)
    assert len(table.said) == (how != "illegal")
    assert all("; it was told `position startpos` and `go movetime 1000`; legal here: " in each for each in table.said)


async def test_it_may_resign(tmp_path):
    async with Table(tmp_path, "resigns") as table:
        with pytest.raises(Resign):
            await table.think()


async def test_its_death_has_its_last_words(tmp_path):
    async with Table(tmp_path, "dies") as table:
        with pytest.raises(ProgramDied) as found:
            await table.think()
    pattern = r"engine exited with status 3 in mid-match; it said last '.*'; its last lines.*\nout of ideas"
    assert re.match(pattern, str(found.value))


@pytest.mark.slow
@pytest.mark.parametrize(("how", "asked"), [("hangs", "ugi"), ("unready", "isready")])
async def test_one_that_does_not_get_ready_is_told_what_it_was_asked(tmp_path, monkeypatch, how, asked):
    monkeypatch.setattr(engine_player, "READY_S", 5.0)
    with pytest.raises(PlayerFailed, match=f"engine has not answered `{asked}` within 5 s; it must read stdin"):
        await Table(tmp_path, how).__aenter__()


async def test_an_option_that_it_has_not_is_refused(tmp_path):
    with pytest.raises(PlayerFailed, match=r"engine has no option 'Hsh'; did you mean 'Hash'\?"):
        await Table(tmp_path, settings=Settings({"Hsh": "1"})).__aenter__()


async def test_a_game_for_three_is_refused(tmp_path):
    with pytest.raises(PlayerFailed, match="engine speaks UGI, which is for two players; chexers is a table"):
        await Table(tmp_path, spec="chexers").__aenter__()


async def test_a_thought_that_is_not_wanted_any_more_is_ended_before_the_next(tmp_path):
    async with Table(tmp_path, "waits") as table:
        thinking = asyncio.ensure_future(table.think())
        while not table.told("go"):  # noqa: ASYNC110  # it is a file
            await asyncio.sleep(0.01)
        thinking.cancel()
        await asyncio.gather(thinking, return_exceptions=True)
        await table.think(limit_ms=300)
        assert [line.split()[0] for line in table.log.read_text().splitlines()[4:]] == [
            "position", "go", "stop", "position", "go", "stop",
        ]  # fmt: skip
