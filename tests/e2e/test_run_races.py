"""`palio run` of games that are no duels: three at a table, races on instances that are drawn or come from a file."""

import re
import signal
from typing import Any

import msgspec
import pytest
from command import Palio

WANDERS = """
import random
import time

from palio_clients import Bot


class Wanders(Bot):
    '''Submits a random tour twenty times a second, until time is up.'''

    games = ("tsp",)

    def choose(self, state, clock):
        time.sleep(0.05)
        tour = list(range(state.instance.size))
        random.shuffle(tour)
        return tuple(tour)
"""

EASY = "......\n......\naa...b\n.....b\n......\n......\n"  # one move of b down, and one of a out
SQUARE = "NAME: square\nTYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n"
SQUARE += "1 0 0\n2 0 100\n3 100 100\n4 100 0\nEOF\n"


def records(palio: Palio, tournament: int = 1) -> list[dict[str, Any]]:
    """Those of a tournament, in the order of play."""
    lines = palio("match", "export", "--tournament", str(tournament), "--format", "json").stdout.splitlines()
    return [msgspec.json.decode(line) for line in lines]


def paid(record: dict[str, Any]) -> dict[str, float | None]:
    """Return the cost of each entrant."""
    costs = [finish["cost"] for finish in record["result"]["finishes"]]
    return dict(zip(record["setup"]["bots"], costs, strict=True))


@pytest.mark.slow
def test_three_at_a_table_play_every_opening_in_all_six_orders(palio: Palio):
    shown = palio(
        "run", "chexers:max_turns=60", "random", "greedy", "random:seed=7", "--openings", "3", "--concurrency", "2"
    ).stdout
    assert len(re.findall(r"^Started game \d of 6 \(\S+ vs \S+ vs \S+\)$", shown, re.MULTILINE)) == 6
    assert len(re.findall(r"^Finished game \d \(\S+ vs \S+ vs \S+\): [01/23-]+ \{[a-z-]+\}$", shown, re.MULTILINE)) == 6
    listed = palio.json("match", "list")
    assert len({tuple(match["bots"]) for match in listed}) == 6
    assert all(sum(match["scores"]) == pytest.approx(1) for match in listed)
    assert "6 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout


@pytest.mark.slow
def test_a_race_is_run_by_all_on_one_instance_a_round(palio: Palio):
    words = ("run", "chexers_solo:max_actions=60", "random", "again=random:seed=2", "--rounds", "3", "--by-time")
    done = palio.json(*words)
    assert done["games"] == {"scheduled": 0, "finished": 3, "aborted": 0}
    assert done["settings"]["by_time"] is True
    races = records(palio)
    assert len({race["setup"]["options"]["board"] for race in races}) == 3
    for line in done["crosstable"]:
        solved = [cost for race in races if (cost := paid(race)[line["bot"]]) is not None]
        assert line["games"] == line["costs"]["races"] == 3
        assert line["costs"]["solved"] == len(solved)
        assert line["costs"]["mean"] == (sum(solved) / len(solved) if solved else None)
    assert sum(line["points"] for line in done["crosstable"]) == pytest.approx(3)
    assert "3 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout


@pytest.mark.slow
def test_the_lines_of_a_race_name_the_entrants_and_what_they_paid(palio: Palio):
    run = palio("run", "tsp:size=9", "random", "random:seed=2", "random:seed=3")
    assert "Started game 1 of 1 (random, random-seed2, random-seed3)" in run.stdout
    costs = re.search(r"^Finished game 1 \(.*\): \S+ (\d+), \S+ (\d+), \S+ (\d+) \{ranked\}$", run.stdout, re.MULTILINE)
    assert costs is not None, run.stdout
    assert sorted(costs.groups(), key=int) == list(costs.groups())
    assert re.search(r"^bot +races +solved +wins +shared +mean cost +over best$", run.stdout, re.MULTILINE)
    assert "tsp goes on until time is up: 5 s; --st gives it another time" in run.stderr


@pytest.mark.slow
def test_one_bot_may_race_alone(palio: Palio):
    shown = palio("run", "chexers_solo", "random", "--rounds", "2").stdout
    assert "Finished game 2 (random): random " in shown
    assert "Costs" in shown
    assert "Cross-table" not in shown


@pytest.mark.slow
def test_files_with_instances_are_games(palio: Palio):
    (palio.folder / "easy.in").write_text(EASY)
    (palio.folder / "square.tsp").write_text(SQUARE)
    done = palio.json("run", "./easy.in", "random", "again=random:seed=2")
    assert (done["name"], done["game"]) == ("rush_hour easy random again", "rush_hour")
    done = palio.json("run", "square.tsp", "random", "again=random:seed=2", "--rounds", "2", "--st", "1")
    assert done["name"] == "tsp square random again"
    assert done["games"]["finished"] == 2
    assert {cost for race in records(palio, 2) for cost in paid(race).values()} <= {400, 482}


@pytest.mark.parametrize(
    ("file", "text", "sentence"),
    [
        ("bad.in", EASY.replace("a", "."), "bad.in:"),
        ("bad.tsp", SQUARE.replace("3 100 100", "3 100"), "bad.tsp:8: "),
        ("bad.json", "{", "bad.json:1: is no JSON"),
    ],
)
def test_a_malformed_file_is_refused_with_its_line_and_leaves_no_tournament(palio: Palio, file, text, sentence):
    (palio.folder / file).write_text(text)
    for words in (("run", file, "random"), ("match", "start", f"./{file}", "random")):
        assert sentence in palio(*words, code=1).stderr
    assert not (palio.folder / "palio.db").exists()


@pytest.mark.slow
def test_a_file_that_is_not_there_and_an_option_that_the_file_has_are_refused(palio: Palio):
    assert "nothere.tsp: cannot be read" in palio("run", "./nothere.tsp", "random", code=1).stderr
    (palio.folder / "easy.in").write_text(EASY)
    twice = palio("run", "easy.in", "random", "--option", "board=x", code=2).stderr
    assert "the option 'board' is given twice: easy.in has it" in twice


@pytest.mark.slow
def test_a_bot_that_does_not_play_the_game_is_named_before_anything_begins(palio: Palio):
    refused = palio("run", "tsp", "random", "alpha_beta", code=2).stderr
    assert "alpha_beta (alpha_beta) does not play tsp, but breakthrough" in refused
    assert "there is no tournament 1" in palio("run", "--resume", "1", code=2).stderr


@pytest.mark.slow
def test_a_race_goes_on_without_a_bot_that_can_start_no_more(palio: Palio):
    (palio.folder / "dies.py").write_text(
        WANDERS.replace("time.sleep(0.05)", "import os; os.unlink(__file__); os._exit(7)")
    )
    words = ("--rounds", "3", "--st", "2", "--sandbox", "off")  # it removes its own file
    run = palio("run", "tsp:size=9", "random", "./dies.py", "greedy", *words)
    assert "dies is given up: 2 games are run without it" in run.stdout
    assert "Finished game 3 (random, greedy): " in run.stdout
    assert [match["status"] for match in palio.json("match", "list")] == ["finished"] * 3
    assert "3 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_race_goes_on_where_it_was_and_counts_once(palio: Palio, how):
    (palio.folder / "wanders.py").write_text(WANDERS)
    running = palio.start(
        "run", "tsp:size=12", "./wanders.py", "twin=./wanders.py", "random", "--rounds", "3", "--st", "1"
    )
    running.line_with("Started game 2 of 3")
    running.end(how)
    last = next(line for line in running.lines if line.startswith("Finished game 1"))
    done = palio.json("run", "--resume", "1")
    assert done["games"] == {"scheduled": 0, "finished": 3, "aborted": 0}
    races = records(palio)
    for line in done["crosstable"]:
        costs = [paid(race)[line["bot"]] for race in races]
        assert (line["costs"]["races"], line["costs"]["solved"]) == (3, 3)
        assert line["costs"]["mean"] == pytest.approx(sum(costs) / 3)
    assert [f"{cost:g}" for cost in sorted(paid(races[0]).values())] == re.findall(r" (\d+)[, ]", last.split("): ")[1])
    assert "3 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout
