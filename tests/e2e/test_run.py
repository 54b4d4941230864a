"""`palio run`, as a user runs it: real processes, real sockets, a real database."""

import re
import shlex
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from command import COLD, Palio, Started

from palio_rules.records import record_from_text

DIES = """
import os
from palio_clients import Bot

class Dies(Bot):
    def choose(self, state, clock):
        os._exit(7)
"""


HOLDS = """
import time
from pathlib import Path
from palio_clients import Bot

moves = 0

class Holds(Bot):
    # plays three games or more, and goes on when a file says so: until then a long tournament is not over

    def choose(self, state, clock):
        global moves
        moves += 1
        while moves > 150 and not Path("go").exists():
            time.sleep(0.01)
        return next(state.legal_moves())
"""


def holding(palio: Palio) -> tuple[str, ...]:
    """A bot without which no long tournament ends, until the file `go` is there."""
    (palio.folder / "holds.py").write_text(HOLDS)
    return ("./holds.py", "--concurrency", "1")


def programs() -> Iterator[tuple[int, list[str]]]:
    """All processes, with their command lines."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            yield int(folder.name), (folder / "cmdline").read_text(errors="replace").split("\0")
        except OSError:
            continue


def address_of_bots(running: Started) -> str:
    """Return the address that a `palio run` has given its bots; every bot is on a tether of its own."""
    parent = str(running.process.pid)
    return next(words[words.index("join") + 1] for _, words in programs() if parent in words and "join" in words)


def bots_at(address: str) -> list[int]:
    """The processes of bots that play at `address`."""
    return [pid for pid, words in programs() if address in words and "palio_clients" in words]


def test_a_round_robin_is_played_and_remembered(palio: Palio):
    done = palio.json("run", "breakthrough", "random", "first=greedy", "random", "-rounds", "2", "--openings", "2")
    assert [bot["name"] for bot in done["bots"]] == ["random", "first", "random-2"]
    assert done["games"] == {"scheduled": 0, "finished": 12, "aborted": 0}
    assert [line["games"] for line in done["crosstable"]] == [8, 8, 8]
    assert sum(line["points"] for line in done["crosstable"]) == 12
    assert {(line["first"], line["second"]) for line in done["scores"]} == {
        ("random", "first"),
        ("random", "random-2"),
        ("first", "random-2"),
    }
    assert done["ratings"][0]["bot"] == "first"

    assert "12 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout
    board = palio.json("leaderboard", "--game", "breakthrough")
    assert {leader["bot"]: leader["points"] for leader in board["leaders"]} == {
        line["bot"]: line["points"] for line in done["crosstable"]
    }
    listed = palio.json("match", "list", "--tournament", str(done["tournament"]))
    assert len(listed) == 12
    text = palio("match", "export", listed[0]["id"]).stdout
    assert record_from_text(text).match == listed[0]["id"]
    palio("match", "export", "-o", "all.jsonl", "--format", "json")
    assert len((palio.folder / "all.jsonl").read_text().splitlines()) == 12
    assert "reached-far-row" in palio("match", "show", listed[0]["id"]).stdout
    assert "the first position" in palio("match", "replay", listed[0]["id"]).stdout


@pytest.mark.slow
def test_the_lines_are_those_that_users_of_cutechess_know(palio: Palio):
    shown = palio("run", "dominoes:rows=4,cols=4", "random", "greedy", "tc=10+0.1", "-concurrency", "1").stdout
    assert "Started game 1 of 2 (random vs greedy)" in shown
    assert re.search(r"^Finished game 2 \(greedy vs random\): (1-0|0-1) \{no-moves\}$", shown, re.MULTILINE)
    assert re.search(r"^Score of random vs greedy: \d - \d - 0  \[\d\.\d{3}\] 2$", shown, re.MULTILINE)
    assert re.search(r"^Elo difference: .* \+/- .*, LOS: .* %, DrawRatio: 0\.0 %$", shown, re.MULTILINE)
    assert re.search(r"^Rank +Name +Elo +\+/- +Games +Score +Draw$", shown, re.MULTILINE)


@pytest.mark.parametrize("interval", ["-ratinginterval", "-scoreinterval"])
def test_a_script_finds_score_and_difference_at_its_interval_and_at_the_end(palio: Palio, interval: str):
    line = "dominoes:rows=4,cols=4 random greedy -rounds 2 -games 2 -concurrency 1 tc=10+0.1"
    shown = palio("run", *line.split(), interval, "2").stdout
    scores = re.findall(r"^Score of random vs greedy: \d - \d - \d  \[\d\.\d{3}\] (\d)$", shown, re.MULTILINE)
    assert scores == ["2", "4", "4"]
    assert len(re.findall(r"^Elo difference: \S+ \+/- \S+, LOS: \S+ %, DrawRatio: \S+ %$", shown, re.MULTILINE)) == 3


PRINTS = """
import sys
from palio_clients import Bot

class Prints(Bot):
    def choose(self, state, clock):
        print("I think", "a lot")
        print("I doubt", file=sys.stderr)
        return next(state.legal_moves())

    def game_over(self, result):
        print("good game")
"""


@pytest.mark.slow
def test_what_a_bot_prints_is_shown_line_by_line_and_kept_in_a_file_that_is_named(palio: Palio):
    (palio.folder / "prints.py").write_text(PRINTS)
    done = palio("run", "dominoes:rows=4,cols=4", "mine=./prints.py", "random", "--show", "mine")
    lines = done.stdout.splitlines()
    first = lines.index("mine: I think a lot")
    assert first < next(number for number, line in enumerate(lines) if line.startswith("Finished game 2"))
    assert "mine: I doubt" in lines
    assert lines.count("mine: good game") == 2
    folder = re.search(r"^what the bots printed is in (.*)$", done.stderr, re.MULTILINE)
    assert folder is not None
    assert {file.name for file in Path(folder[1]).iterdir()} == {"mine.log"}
    kept = Path(folder[1], "mine.log").read_text().splitlines()
    assert sorted(f"mine: {line}" for line in kept) == sorted(line for line in lines if line.startswith("mine: "))
    quiet = palio("run", "dominoes", "mine=./prints.py", "random", "--json")
    assert "I think" not in quiet.stdout + quiet.stderr
    assert "what the bots printed is in" in quiet.stderr
    assert palio("run", "dominoes", "random", "greedy").stderr == ""


def test_a_bot_to_show_must_play(palio: Palio):
    refused = palio("run", "dominoes", "mine=./prints.py", "random", "--show", "mien", code=2)
    assert "--show names 'mien', who does not play; did you mean 'mine'?" in refused.stderr


@pytest.mark.slow
def test_a_bot_that_does_not_start_is_reported_at_once_and_leaves_no_tournament(palio: Palio):
    failed = palio("run", "breakthrough", "random", "nonesuch", code=2)
    assert "the bot nonesuch (nonesuch) cannot be used: no bot called 'nonesuch' is installed" in failed.stderr
    assert "no bot called 'nonesuch' is installed" in failed.stderr
    assert "there is no tournament 1" in palio("run", "--resume", "1", code=2).stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("run", "--resume"), ("match", "list", "--tournament"), ("match", "export", "--tournament")]
)
def test_a_number_beyond_every_database_is_refused_in_a_sentence(palio: Palio, tournament, words):
    shown = palio(*words, "99999999999999999999", code=2).stderr
    assert "99999999999999999999" in shown
    assert "unexpected" not in shown


@pytest.mark.slow
def test_a_bot_that_keeps_dying_loses_its_own_matches_and_costs_nobody_else_anything(palio: Palio):
    (palio.folder / "dies.py").write_text(DIES)
    run = palio("run", "dominoes", "random", "./dies.py", "greedy", "--concurrency", "1", "--st", "1")
    assert "the bot dies (./dies.py) ended with exit code 7 and is started again" in run.stderr
    ended = [match for match in palio.json("match", "list") if match["status"] == "finished"]
    assert len(ended) == 6
    for match in ended:
        if "dies" in match["bots"]:
            assert match["scores"][match["bots"].index("dies")] == 0
        else:
            assert match["termination"] in ("rule", "time")  # a busy machine may take the second that each move has


@pytest.mark.slow
def test_what_a_bot_that_loses_by_its_own_fault_has_written_is_reported_and_which_clock_ran_out(palio: Palio):
    (palio.folder / "cheats.py").write_text(
        "import sys\nfrom palio_clients import Bot\n\nclass Cheats(Bot):\n    def choose(self, state, clock):\n"
        "        print('I am \\x1b[2Jconfused', file=sys.stderr)\n        return (99, 99)\n"
    )
    (palio.folder / "slow.py").write_text(
        "import time\nfrom palio_clients import Bot\n\nclass Slow(Bot):\n    def choose(self, state, clock):\n"
        "        time.sleep(2)\n        return next(state.legal_moves())\n"
    )
    shown = palio("run", "dominoes:rows=4,cols=4", "./cheats.py", "./slow.py", "--tc", "1", "--concurrency", "1").stdout
    assert "  cheats on stderr:\n    I am " in shown
    assert "\x1b" not in shown
    assert "  slow: its move 1 took longer than the 1 s left on its clock of 1+0; give more with --tc" in shown


@pytest.mark.slow
def test_a_bot_that_can_start_no_more_stops_the_tournament_which_can_be_resumed(palio: Palio):
    (palio.folder / "dies.py").write_text(DIES.replace("os._exit", "os.unlink(__file__); os._exit"))
    words = ("random", "./dies.py", "--concurrency", "1", "--sandbox", "off")  # it removes its own file
    failed = palio("run", "breakthrough", *words, code=1)
    assert "the bot dies (./dies.py) ended with exit code 7 and is started again" in failed.stderr
    assert "there is no file 'dies.py'" in failed.stderr
    assert "stopped after 0 of 2 games; go on with: palio run --resume 1" in failed.stderr
    assert {match["status"] for match in palio.json("match", "list")} == {"scheduled"}


@pytest.mark.slow
def test_a_bot_that_can_start_no_more_is_given_up_where_others_have_more_to_play(palio: Palio):
    (palio.folder / "dies.py").write_text(DIES.replace("os._exit", "os.unlink(__file__); os._exit"))
    words = ("--rounds", "3", "--concurrency", "1", "--st", "1", "--sandbox", "off")  # it removes its own file
    run = palio("run", "dominoes", "random", "./dies.py", "greedy", *words)
    assert "there is no file 'dies.py'" in run.stderr
    assert "dies stays away" in run.stderr
    off = int(re.search(r"^dies is given up: (\d+) games are off$", run.stdout, re.MULTILINE)[1])
    matches = palio.json("match", "list", "--limit", "50")
    assert [match["status"] for match in matches] == ["finished"] * (18 - off)
    played = [set(match["bots"]) for match in matches]
    assert played.count({"random", "greedy"}) == 6
    assert palio.json("run", "--resume", "1")["games"] == {"scheduled": 0, "finished": 18 - off, "aborted": 0}


@pytest.mark.slow
def test_ctrl_c_ends_cleanly_and_the_tournament_goes_on_later(palio: Palio):
    running = palio.start("run", "breakthrough", "random", *holding(palio), "--rounds", "15", "--openings", "2")
    running.line_with("Finished game")
    address = address_of_bots(running)
    assert address.startswith("ws+unix:///")
    assert bots_at(address)
    assert running.end(signal.SIGINT) == 130
    assert re.search(r"interrupted after \d+ of 30 games; go on with: palio run --resume 1$", running.errors[-1])
    assert bots_at(address) == []
    assert not Path(address.removeprefix("ws+unix://")).parent.exists()

    left = palio.json("match", "list", "--limit", "100")
    assert {match["status"] for match in left} == {"scheduled", "finished"}
    (palio.folder / "go").touch()
    done = palio.json("run", "--resume", "1")
    assert done["games"] == {"scheduled": 0, "finished": 30, "aborted": 0}
    assert sum(line["points"] for line in done["crosstable"]) == 30
    assert "30 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout


@pytest.mark.slow
def test_the_way_to_go_on_is_told_once_after_a_second_ctrl_c_too(palio: Palio):
    running = palio.start("run", "breakthrough", "random", *holding(palio), "--rounds", "15")
    running.line_with("Finished game")
    running.process.send_signal(signal.SIGINT)
    assert running.end(signal.SIGINT) == 130
    [told] = [line for line in running.errors if "--resume" in line]
    assert re.fullmatch(r"interrupted after \d+ of 30 games; go on with: palio run --resume 1", told)
    (palio.folder / "go").touch()
    assert palio.json("run", "--resume", "1")["games"]["finished"] == 30


def test_kill_9_leaves_no_bots_behind_and_loses_no_result(palio: Palio):
    files = ("--records", "games.jsonl", "--log-file", "run.log,append=false")
    running = palio.start("run", "breakthrough", "random", *holding(palio), "--rounds", "15", "--openings", "2", *files)
    running.wait_for(lambda lines: sum("Finished" in line for line in lines) >= 3)
    address = address_of_bots(running)
    assert running.end(signal.SIGKILL) == -signal.SIGKILL
    announced = {
        int(re.search(r"game (\d+)", line)[1]): re.search(r"\): (\S+)", line)[1]
        for line in running.lines
        if line.startswith("Finished")
    }
    kept = palio.json("match", "list", "--limit", "100")[::-1]
    for number, outcome in announced.items():
        assert kept[number - 1]["status"] == "finished"
        assert "-".join(f"{score:g}" for score in kept[number - 1]["scores"]) == outcome

    (palio.folder / "go").touch()
    done = palio.json("run", "--resume", "1")
    assert done["games"] == {"scheduled": 0, "finished": 30, "aborted": 0}
    assert "30 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout
    assert bots_at(address) == []
    assert len((palio.folder / "games.jsonl").read_text().splitlines()) == 30, "it goes on with its files"
    log = (palio.folder / "run.log").read_text()
    assert "Tournament 1: " in log
    assert "Resuming tournament 1: " in log


@pytest.mark.slow
def test_other_tournaments_in_the_database_are_left_alone(palio: Palio):
    first = palio.start("run", "breakthrough", "random", *holding(palio), "--rounds", "20")
    first.line_with("Finished game")
    assert first.end(signal.SIGINT) == 130
    waiting = [match["id"] for match in palio.json("match", "list", "--status", "scheduled", "--limit", "100")]
    assert palio.json("run", "breakthrough", "random", "greedy")["games"]["finished"] == 2
    assert waiting == [match["id"] for match in palio.json("match", "list", "--status", "scheduled", "--limit", "100")]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_openings(palio: Palio):
    exports = []
    for db in ("one.db", "two.db"):
        words = ("run", "dominoes", "random", "greedy", "--openings", "3", "--seed", "7", "--db", db)
        assert palio.json(*words)["games"]["finished"] == 2
        palio("match", "export", "--db", db, "-o", f"{db}.txt")
        text = (palio.folder / f"{db}.txt").read_text()
        exports.append(re.findall(r"\[Opening .*\]", text))
    assert exports[0] == exports[1]
    assert exports[0]


def test_a_pipe_that_closes_early_is_no_error(palio: Palio, tournament):
    shell = f"{shlex.join([*COLD, 'match', 'export'])} | head -c 10"
    done = subprocess.run(["bash", "-c", shell], check=True, cwd=palio.folder, env=palio.env, capture_output=True)
    assert done.stderr == b""


def test_verify_finds_a_sum_that_is_wrong(palio: Palio, tournament):
    with closing(sqlite3.connect(palio.folder / "palio.db")) as database:
        database.execute("UPDATE pair_scores SET draws = draws + 1")
        database.commit()
    printed = palio("verify", code=1).stdout
    assert "pair_scores of dominoes greedy random: draws is 1, the records say 0" in printed
    assert "2 matches replayed, 0 do not reproduce, 1 sums are wrong" in printed


@pytest.mark.slow
@pytest.mark.mosquitto
def test_a_tournament_can_be_followed_on_a_broker(palio: Palio, mosquitto: Any):
    done = palio.json("run", "dominoes:rows=4,cols=4", "random", "greedy", "--mqtt", mosquitto.url)
    assert done["games"]["finished"] == 2


@pytest.mark.slow
def test_a_fresh_machine_compiles_before_the_first_game_and_no_bot_does_in_it(palio, tmp_path):
    palio.env["NUMBA_CACHE_DIR"] = str(tmp_path / "fresh")
    command = ("run", "dominoes", "champion", "random", "--st", "0.2")
    first, second = (palio(*command) for _ in range(2))
    [line] = [line for line in first.stderr.splitlines() if "compiling" in line]
    assert line.startswith("palio: compiling the searches of dominoes (once, kept in ")
    assert "compiling" not in second.stderr
