"""GTP in both directions, in real tournaments: GNU Go is a bot, and our bots are programs of Go."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command import Palio

from palio_rules.boards.go import PASS, is_pass
from palio_rules.records.sgf import read_sgf
from palio_rules.records.sgf_records import record_of_sgf
from palio_rules.records.sgf_text import record_to_sgf
from palio_rules.records.text import record_from_text

ENGINE = Path(__file__).parents[1] / "clients" / "engines" / "gtp_engine.py"
AREA = "--chinese-rules --positional-superko"
OPENINGS = ("--openings", "4")


def engine(program, name, level, *flags):
    return f"{name}=gtp:{program} --mode gtp --level {level} {AREA} {' '.join(flags)}"


def records(palio):
    texts = re.split(r"\n\n(?=\[Event)", palio("match", "export").stdout)
    return [record_from_text(each) for each in texts]


def last_of(record):
    state = record.setup.start()
    for ply in record.plies:
        state = state.play(ply.move)
    return state


def score_of(program, record):
    """Return the score by area that another process of GNU Go gives to the last position: "B+3.5"."""
    last = last_of(record)
    lines = [f"boardsize {last.board.size}", f"komi {last.komi:g}"]
    first, board = record.setup.first(), last.board
    lines += [f"play b {board.names[bit]}" for bit in board.points(first.black)]
    moves = [PASS if is_pass(move) else move for move in last.moves]
    lines += [f"play {'bw'[(at + record.setup.first().turn) % 2]} {move}" for at, move in enumerate(moves)]
    told = "\n".join([*lines, "final_score", "quit\n"])
    command = [program, "--mode", "gtp", *AREA.split()]
    done = subprocess.run(command, input=told, capture_output=True, text=True, timeout=120, check=True)
    answers = [line for line in done.stdout.splitlines() if line]
    assert answers[: len(lines)] == ["= "] * len(lines), answers
    return answers[len(lines)].removeprefix("= ").replace(".0", "")


@pytest.mark.slow
@pytest.mark.parametrize("tc", ["1+3x5", "1+4/10"])
def test_engines_play_by_byoyomi_and_the_result_tells_the_points(palio: Palio, gnugo: str, tc: str):
    bots = engine(gnugo, "one", 1, "--never-resign"), engine(gnugo, "five", 5, "--never-resign")
    done = palio.json("run", "go:size=5", *bots, "--rounds", "1", "--sandbox", "off", "--tc", tc)
    assert done["games"] == {"scheduled": 0, "finished": 2, "aborted": 0}
    for record in records(palio):
        assert str(record.setup.time) == tc
        assert (record.result.termination, record.result.reason) == ("rule", "score"), record.result
        assert record.result.detail == last_of(record).outcome().detail
        text = record_to_sgf(record)
        (game,) = read_sgf(text)
        again = record_of_sgf(game).record
        assert (again.setup.time, again.result) == (record.setup.time, record.result)
        points = record.result.detail.split(" ")[3]
        assert f"RE[{record.result.detail[0]}+{points}]" in text


PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "engines.md"
RECIPES = re.findall(r"^palio (?:run|serve) .*?gtp:gnugo .*$", PAGE.read_text(), re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("handicap", ["", ",handicap=2,compensation=N"])
def test_recipes_for_gnu_go_end_with_the_score_that_the_engine_counts_itself(
    palio: Palio, gnugo: str, recipe: str, handicap: str
):
    flags = re.search(r"gtp:gnugo ([^\"]+)", recipe)[1]
    cleanup = ",cleanup=final_status_list" if "cleanup=" in recipe else ""
    bots = [f"{name}=gtp:{gnugo} {flags} --never-resign --level {level}" for name, level in (("one", 1), ("five", 5))]
    words = ("--rounds", "2", "--sandbox", "off", "--tc", "60+1", *(() if handicap else OPENINGS))
    done = palio.json("run", f"go:size=9{cleanup}{handicap}", *bots, *words)
    assert done["games"] == {"scheduled": 0, "finished": 4, "aborted": 0}
    for record in records(palio):
        assert (record.result.termination, record.result.reason) == ("rule", "score"), record.result
        margin = last_of(record).margin()
        assert score_of(gnugo, record) == (f"{'BW'[margin < 0]}+{abs(margin):g}" if margin else "0")


@pytest.mark.slow
def test_engines_that_claim_dead_stones_end_with_the_score_that_both_agree_on(
    palio: Palio, bubblewrap: str, gnugo: str
):
    bots = engine(gnugo, "one", 1, "--never-resign"), engine(gnugo, "five", 5, "--never-resign")
    words = ("--rounds", "3", *OPENINGS, "--sandbox", "require", "--tc", "60+1")
    claims: list[str] = []
    done = palio.json("run", "go:cleanup=final_status_list", *bots, *words)
    assert done["games"] == {"scheduled": 0, "finished": 6, "aborted": 0}
    for record in records(palio):
        assert (record.result.termination, record.result.reason) == ("rule", "score"), record.result
        *_, claim, again = [ply.move for ply in record.plies]
        assert claim == again
        claims += [claim] * (claim != PASS)
        last = last_of(record)
        assert last.dead == last.claim
        margin = last.margin()
        ours = f"{'BW'[margin < 0]}+{abs(margin):g}" if margin else "0"
        assert score_of(gnugo, record) == ours
    assert claims  # at least one of the games ended before all dead stones were taken
    assert "6 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout


@pytest.mark.slow
def test_an_engine_plays_it_out_against_a_bot_that_claims_no_dead_stones(palio: Palio, gnugo: str):
    bots = engine(gnugo, "one", 1, "--never-resign"), "greedy"
    words = ("--rounds", "1", "--sandbox", "off", "--tc", "60+1")
    done = palio.json("run", "go:size=7,cleanup=final_status_list", *bots, *words)
    assert done["games"] == {"scheduled": 0, "finished": 2, "aborted": 0}
    disputed = []
    for record in records(palio):
        last = last_of(record)
        assert (record.result.reason, last.dead, record.refusals) == ("score", 0, ())
        disputed.append(last.disputed)
    assert any(disputed)


@pytest.mark.slow
def test_engines_that_were_killed_with_the_run_go_on_with_it(palio: Palio, gnugo: str):
    bots = engine(gnugo, "a", 1), engine(gnugo, "b", 1)
    words = ("--rounds", "3", *OPENINGS, "--concurrency", "2", "--sandbox", "off")
    running = palio.start("run", "go:size=7", *bots, *words)
    running.line_with("Finished game 1 ")
    assert running.end(signal.SIGKILL) == -signal.SIGKILL
    assert palio.json("run", "--resume", "1")["games"] == {"scheduled": 0, "finished": 6, "aborted": 0}
    assert "6 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout


@pytest.mark.slow
def test_a_bot_plays_the_same_game_by_way_of_gtp(palio: Palio):
    words = ("--games-per-encounter", "2", "--max-plies", "30", "--sandbox", "off")
    bot = "alpha_beta:depth=1,seed=1"
    palio("run", "go:size=5", f"a={bot}", f"b={bot}", *words)
    palio("run", "go:size=5", f"a=gtp:palio gtp {bot}", f"b={bot}", *words)
    found = [[ply.move for ply in record.plies] for record in records(palio)]
    assert sorted(map(str, found[:2])) == sorted(map(str, found[2:]))


def test_the_words_of_cutechess_start_programs_of_go(palio: Palio, gnugo: str):
    words = ("-engine", f"cmd={gnugo}", "name=A", "-engine", f"cmd={gnugo}", "name=B", "-each", "proto=gtp")
    done = palio.json("run", "go:size=5", *words, f"args=--mode gtp --level 1 {AREA}", "-rounds", "1")
    assert done["games"] == {"scheduled": 0, "finished": 2, "aborted": 0}


@pytest.mark.slow
def test_check_bot_goes_through_gtp_step_by_step(palio: Palio, gnugo: str):
    done = palio("check-bot", f"gtp:{gnugo} --mode gtp --level 1")
    assert "ok    answers protocol_version: asked `1 protocol_version`; answered `=1 2`" in done.stdout
    assert "ok    plays go as white" in done.stdout
    assert "0 failed" in done.stdout


def test_an_engine_that_does_not_play_on_the_board_is_told_before_the_first_game(palio: Palio):
    small = f"gtp:{sys.executable} {ENGINE} well {palio.folder / 'log'}"
    done = palio("run", "go:size=19", f"a={small}", "random", "--sandbox", "off", code=2)
    assert "does not play on 19x19: it answers `boardsize 19` with `? unacceptable size`" in done.stderr
