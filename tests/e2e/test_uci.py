"""UCI in both directions, in real tournaments: Debian's chess engines are bots, and our bots are engines."""

import re
import sys
from pathlib import Path

import pytest
from command import Palio

from palio_rules.records.text import record_from_text

ENGINE = Path(__file__).parents[1] / "clients" / "engines" / "engine.py"

FAULTS = {"crashed", "illegal", "time", "stalled", "disconnected"}


def records(palio):
    texts = re.split(r"\n\n(?=\[Event)", palio("match", "export").stdout)
    return [record_from_text(each) for each in texts]


@pytest.mark.slow
def test_published_engines_play_in_the_sandbox(palio: Palio, bubblewrap: str, stockfish: str, gnuchess: str):
    bots = (f"sf=uci:{stockfish},option.Hash=8,nodes=300,option.UCI_ShowWDL=true", f"gnu=uci:{gnuchess} --uci,depth=2")
    words = ("--rounds", "2", "--openings", "4", "--max-plies", "80", "--sandbox", "require", "--tc", "20+0.5")
    done = palio.json("run", "chess", *bots, *words)
    assert done["games"] == {"scheduled": 0, "finished": 4, "aborted": 0}
    for record in records(palio):
        assert record.result.termination not in FAULTS, record.result
        told = [ply.info for ply in record.plies if ply.info is not None and record.setup.bots[ply.seat] == "sf"]
        assert all(
            info.seldepth >= 1 and sum(info.wdl) == 1000 and info.pv for info in told if isinstance(info.pv, list)
        )
        assert len(told) > 5


@pytest.mark.slow
def test_the_words_of_cutechess_start_engines_of_chess960(palio: Palio, stockfish: str):
    words = ("-engine", f"cmd={stockfish}", "name=A", "option.Hash=8", "-engine", f"cmd={stockfish}", "name=B")
    each = ("-each", "proto=uci", "nodes=200", "tc=20+0.5", "-rounds", "1", "-games", "2", "-maxmoves", "30")
    done = palio.json("run", "chess:variant=chess960,start=356", *words, *each, "-recover")
    assert done["games"]["finished"] == 2
    assert all(record.result.termination not in FAULTS for record in records(palio))


@pytest.mark.slow
def test_engines_ponder_through_a_game(palio: Palio, stockfish: str):
    bots = (f"a=uci:{stockfish},option.Ponder=true,option.Hash=8", f"b=uci:{stockfish},option.Hash=8,nodes=200")
    done = palio.json("run", "chess", *bots, "--games-per-encounter", "1", "--tc", "3+0.05", "--max-plies", "60")
    assert done["games"]["finished"] == 1
    [record] = records(palio)
    assert record.result.termination not in FAULTS


@pytest.mark.slow
def test_a_bot_plays_the_same_game_by_way_of_uci(palio: Palio):
    bot = "alpha_beta:depth=1,seed=1"
    words = ("--games-per-encounter", "2", "--max-plies", "30")
    palio("run", "chess", f"a={bot}", f"b={bot}", *words)
    palio("run", "chess", f"a=uci:palio uci {bot} --game chess", f"b={bot}", *words)
    found = [[ply.move for ply in record.plies] for record in records(palio)]
    assert sorted(map(str, found[:2])) == sorted(map(str, found[2:]))


@pytest.mark.slow
def test_an_engine_that_plays_chess_only_says_so_elsewhere(palio: Palio, stockfish: str):
    for spec in (f"uci:{stockfish}", f"uci:{stockfish},option.UCI_Variant=breakthrough"):
        refused = palio("run", "breakthrough", spec, "random", "--games-per-encounter", "1", code=2)
        assert "it has no option UCI_Variant" in refused.stderr
        assert "Finished" not in refused.stdout


@pytest.mark.slow
def test_published_engines_pass_the_check(palio: Palio, stockfish: str):
    done = palio("check-bot", f"uci:{stockfish},movetime=50")  # no clock ends most of its searches here
    assert "ok    answers uci: asked `uci`; answered `" in done.stdout
    assert "ok    plays chess as black: " in done.stdout
    assert "FAIL" not in done.stdout


@pytest.mark.parametrize(("how", "answer"), [("illegal", "a1a2"), ("nomove", "(none)"), ("null", "0000")])
def test_an_engine_loses_at_once_by_a_move_that_is_illegal_as_elsewhere(
    palio: Palio, tmp_path: Path, how: str, answer: str
):
    fake = f"uci:{sys.executable} {ENGINE} chess {how} {tmp_path / 'told.txt'} uci"
    done = palio.json(
        "run", "chess", f"fake={fake}", "random", "--sandbox", "off", "--games-per-encounter", "1", "--seats", "fixed"
    )
    [match] = palio.json("match", "list")
    assert (match["termination"], match["reason"], match["scores"]) == ("illegal", "illegal-move", [0.0, 1.0])
    assert len(palio.json("match", "show", match["id"])["refusals"]) == 1
    [fault] = done["faults"]
    assert (fault["bot"], fault["games"]) == ("fake", 1)


def test_strikes_that_are_asked_for_are_those_of_engines_too(palio: Palio, tmp_path: Path):
    fake = f"uci:{sys.executable} {ENGINE} chess illegal {tmp_path / 'told.txt'} uci"
    palio.json(
        "run",
        "chess",
        f"fake={fake}",
        "random",
        "--sandbox",
        "off",
        "--games-per-encounter",
        "1",
        "--seats",
        "fixed",
        "--strikes",
        "4",
    )
    [match] = palio.json("match", "list")
    assert match["reason"] == "too-many-illegal-moves"
    assert len(palio.json("match", "show", match["id"])["refusals"]) == 4
