"""UCI engines are led as their language wants it, and each of their faults is told apart from the others."""

import asyncio
import re

import pytest
from engine_table import EngineTable

from palio_clients.engines import player, process
from palio_clients.engines.player import Settings
from palio_clients.engines.uci import UCI
from palio_clients.sdk.events import MatchOver, MoveRejected
from palio_clients.sdk.failures import PlayerFailed, ProgramDied
from palio_rules.contract.messages import Rejected
from palio_rules.time_control import TimeControl

PONDERS = Settings({"Ponder": "true"})


class UciTable(EngineTable):
    language = UCI

    def lines(self):
        return self.log.read_text().splitlines()


async def begun(folder, how, **kwargs):
    """Return the sentence by which a match does not begin."""
    with pytest.raises(PlayerFailed) as found:
        await UciTable(folder, how, **kwargs).__aenter__()
    return str(found.value)


async def test_it_is_greeted_in_the_order_of_the_protocol(tmp_path):
    settings = Settings({"hash": "64", "Clear Hash": ""})
    async with UciTable(tmp_path, settings=settings) as table:
        await table.think()
    assert table.lines() == [
        "uci",
        "setoption name Hash value 64",
        "setoption name Clear Hash",
        "setoption name UCI_Variant value breakthrough",
        "isready",
        "ucinewgame",
        "isready",
        "position startpos",
        "go movetime 1000",
        "quit",
    ]


async def test_white_has_the_first_clock_though_black_moves_first(tmp_path):
    async with UciTable(tmp_path, time=TimeControl(base_ms=9000, increment_ms=50)) as table:
        await table.think((5000, 8000), 5000)
        assert table.told("go") == ["go wtime 8000 btime 5000 winc 50 binc 50"]


async def test_moves_in_a_time_are_told(tmp_path):
    async with UciTable(tmp_path, time=TimeControl(base_ms=9000, moves=40)) as table:
        await table.think((5000, 8000), 5000, moves_to_go=12)
        assert table.told("go") == ["go wtime 8000 btime 5000 winc 0 binc 0 movestogo 12"]


@pytest.mark.parametrize("how", ["well", "crlf", "noise"])
async def test_a_whole_game_is_played(tmp_path, how):
    async with UciTable(tmp_path, how) as table:
        while table.state.to_move is not None:
            table.play(table.rules.read_move(table.state, (await table.think()).move))
    assert table.said == []


async def test_a_game_that_it_does_not_play_is_refused(tmp_path):
    assert await begun(tmp_path, "chess only") == (
        "engine does not play breakthrough: it has no option UCI_Variant; a UCI engine plays chess"
    )


async def test_what_it_tells_reaches_viewers(tmp_path):
    async with UciTable(tmp_path, "rich") as table:
        info = (await table.think()).info
        assert (info.depth, info.nodes, info.score, info.pv) == (9, 5000, 0.31, ["a5-a4"])
        assert (info.seldepth, info.nps, info.hashfull, info.tbhits, info.wdl) == (14, 250_000, 17, 3, [90, 880, 30])
        assert info.text == "loaded 7 pieces"
        again = (await table.think()).info
        assert again.text is not info.text  # a remark that repeats itself is shown once


# --- faults -----------------------------------------------------------------------------------------------------------


async def test_one_that_ends_before_uciok(tmp_path):
    assert await begun(tmp_path, "broken") == (
        "engine exited with status 7 before it answered `uci`; it said nothing on stdout; "
        "its last lines on stderr:\nno net file"
    )


async def test_one_that_cannot_be_started():
    gone = player.LanguagePlayer(UCI, ["/nonesuch/engine"], Settings(), print, "engine")
    with pytest.raises(PlayerFailed, match=r"engine cannot be started: .*No such file"):
        await gone._start()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "asked", "words"),
    [
        ("hangs", "uci", "it said nothing"),
        ("babbles", "uci", "it said last 'Hello, I am an engine'"),
        ("unready", "isready", "it said last .*'uciok'"),
    ],
)
async def test_one_that_does_not_get_ready_is_told_what_it_was_asked(tmp_path, monkeypatch, how, asked, words):
    monkeypatch.setattr(player, "READY_S", 5.0)
    sentence = await begun(tmp_path, how)
    assert re.match(f"engine has not answered `{asked}` within 5 s; it must read stdin .*; {words}", sentence)


async def test_one_of_another_language_is_told_how_to_name_it(tmp_path):
    assert await begun(tmp_path, "stranger") == "engine answers `uci` with `ugiok`: it speaks UGI, write ugi:engine"


async def test_a_crash_has_what_it_said_last(tmp_path):
    async with UciTable(tmp_path, "dies") as table:
        with pytest.raises(ProgramDied, match=r"engine exited with status 3 in mid-match; it said last .*'readyok'"):
            await table.think()


async def test_a_stall_is_ended_where_no_clock_does(tmp_path, monkeypatch):
    monkeypatch.setattr(player, "STOP_S", 0.3)
    monkeypatch.setattr(player, "WITHOUT_LIMIT_MS", 100)
    async with UciTable(tmp_path, "deaf") as table:
        with pytest.raises(
            PlayerFailed, match=r"engine stalled: no line for 0\.4 s after `go movetime 100`, and no best"
        ):
            await table.think()


async def test_one_that_prints_what_is_no_uci_is_quoted(tmp_path, monkeypatch):
    monkeypatch.setattr(player, "STOP_S", 0.3)
    monkeypatch.setattr(player, "WITHOUT_LIMIT_MS", 100)
    async with UciTable(tmp_path, "gibberish") as table:
        with pytest.raises(PlayerFailed, match=r"stalled: .*it said last .* / 'thinking about 19'"):
            await table.think()


async def test_endless_info_is_ended_where_no_clock_does(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "MOST_LINES", 20_000)
    async with UciTable(tmp_path, "floods") as table:
        with pytest.raises(PlayerFailed, match=r"engine printed 2\d{4} lines after `go movetime 1000`; it said"):
            await table.think()


async def test_a_search_that_ignores_stop_is_reported_when_the_clock_has_ended_the_match(tmp_path):
    async with UciTable(tmp_path, "deaf") as table:
        thinking = asyncio.ensure_future(table.think(limit_ms=200))
        while not table.told("stop"):  # noqa: ASYNC110  # it is a file
            await asyncio.sleep(0.01)
        thinking.cancel()
        await asyncio.gather(thinking, return_exceptions=True)
        table.player.hear(MatchOver("m", None))
        assert table.said[0].startswith("engine had not answered `stop` when the match was over; it said last ")


async def test_an_illegal_move_is_told_with_what_was_sent(tmp_path):
    async with UciTable(tmp_path, "illegal") as table:
        thought = await table.think()
        refused = Rejected("m", 1, "illegal", f"{thought.move} cannot be", 2, [None, None])
        table.player.hear(MoveRejected("m", refused))
        assert table.said[-1].startswith("engine played what the rules forbid: ")
        told = (
            "it was told `position startpos` and `go movetime 1000`, and answered `bestmove a1a2`; legal here: a5a4, "
        )
        assert told in table.said[-1]


async def test_no_move_is_no_garbage(tmp_path):
    async with UciTable(tmp_path, "nomove") as table:
        await table.think()
    assert table.said[0].startswith("engine answers `bestmove (none)`, as if it had no legal move; it was told ")


async def test_a_line_with_an_illegal_move_is_a_warning_once(tmp_path):
    async with UciTable(tmp_path, "misled") as table:
        assert (await table.think()).info.pv == ["a5-a4"]
        await table.think()
    assert table.said == ["engine shows a line with the illegal move 'a1a1': `pv a5a4 a1a1`"]


async def test_an_option_that_it_has_not_is_refused(tmp_path):
    sentence = await begun(tmp_path, "well", settings=Settings({"Hsh": "1"}))
    assert sentence.startswith("engine has no option 'Hsh'; did you mean 'Hash'?")


# --- pondering --------------------------------------------------------------------------------------------------------


async def test_it_ponders_on_the_move_that_it_expects(tmp_path):
    time = TimeControl(base_ms=9000, increment_ms=10)
    async with UciTable(tmp_path, "ponders", settings=PONDERS, time=time) as table:
        for _ in range(2):
            table.play(table.rules.read_move(table.state, (await table.think((5000, 8000), 5000)).move))
            table.play(next(table.state.legal_moves()))
    thought = [line for line in table.lines() if line.split()[0] in ("go", "position", "ponderhit", "stop")]
    assert thought[0] == "position startpos"
    assert thought[1] == "go wtime 8000 btime 5000 winc 10 binc 10"
    assert thought[2].startswith("position startpos moves a5a4 ")
    assert re.fullmatch(r"go ponder wtime 8000 btime (49\d\d|50[01]\d) winc 10 binc 10", thought[3])
    assert thought[4] == "ponderhit"
    assert thought[5].startswith(thought[2])


async def test_it_stops_pondering_when_another_move_was_played(tmp_path):
    async with UciTable(tmp_path, "thinks", settings=PONDERS) as table:
        table.play(table.rules.read_move(table.state, (await table.think()).move))
        table.play(list(table.state.legal_moves())[-1])
        await table.think()
    words = [line.split()[0] for line in table.lines() if line.split()[0] in ("go", "position", "ponderhit", "stop")]
    assert words[:7] == ["position", "go", "position", "go", "stop", "position", "go"]


async def test_without_the_option_it_does_not_ponder(tmp_path):
    async with UciTable(tmp_path, "ponders") as table:
        await table.think()
    assert not [line for line in table.lines() if "ponder" in line]


# --- many matches -----------------------------------------------------------------------------------------------------


async def test_an_engine_stays_for_the_next_match(tmp_path):
    waiting = []
    tables = []
    for _ in range(2):
        table = UciTable(tmp_path)
        table.player._waiting = waiting
        async with table:
            table.play(table.rules.read_move(table.state, (await table.think()).move))
        tables.append(table)
    assert len(waiting) == 1
    await waiting[0].engine.end_program()
    words = tables[0].lines()
    assert words.count("uci") == 1
    assert words.count("ucinewgame") == 2


async def test_one_that_has_died_since_is_started_again(tmp_path):
    waiting = []
    for _ in range(2):
        table = UciTable(tmp_path)
        table.player._waiting = waiting
        async with table:
            await table.think()
        waiting[0].engine.kill()
        await waiting[0].engine.wait_for_output()
    await waiting[0].engine.end_program()
