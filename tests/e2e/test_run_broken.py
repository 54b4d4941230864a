"""`palio run` with bots that cannot be started: all of them are listed before the first game, and play goes on."""

import csv
import json
import re

import pytest
from command import Palio

pytestmark = pytest.mark.slow

GOOD = """
from palio_clients import Bot


class First(Bot):
    games = ("dominoes", "chexers", "rush_hour")

    def choose(self, state, clock):
        return next(iter(state.legal_moves()))
"""
SYNTAX = "from palio_clients import Bot\n\n\nclass Bad(Bot:\n    pass\n"
DIES = "import os, sys\n\nprint('no licence found', file=sys.stderr, flush=True)\nos._exit(9)\n"
ONCE = (
    "import os\nfrom pathlib import Path\n\nmark = Path(os.environ['PALIO_TEST_MARK'])\n"
    "if not mark.exists():\n    mark.touch()\n    os._exit(3)\n" + GOOD
)
QUICK = ("--st", "5", "--openings", "2", "--sandbox", "off")


@pytest.fixture
def folder(palio: Palio):
    for name, text in {"good": GOOD, "syntax": SYNTAX, "dies": DIES}.items():
        (palio.folder / f"{name}.py").write_text(text)
    return palio.folder


def lines_of(folder, name="t.csv"):
    with (folder / name).open() as file:
        return {line["bot"]: line for line in csv.DictReader(file)}


def test_two_broken_files_among_forty_lose_by_forfeit_and_all_others_play(palio: Palio, folder):
    bots = [f"b{number}=random" for number in range(38)]
    ended = palio(
        "run", "dominoes", *bots, "./syntax.py", "nowhere.py", *QUICK, "--format", "swiss",
        "--rounds", "2", "--export", "t.csv"
    )  # fmt: skip
    head, _, _ = ended.stderr.partition("the tournament goes on")
    title, *lines = head.splitlines()
    assert title == "2 of 40 bots cannot play:"
    assert re.fullmatch(r"  syntax: \./syntax\.py cannot be loaded: SyntaxError: .*line 4\)", lines[0])
    assert len(lines) == 2
    assert "there is no file 'nowhere.py'" in head
    assert "Started game" not in head
    lines = lines_of(folder)
    assert len(lines) == 40
    assert [(lines[bot]["points"], lines[bot]["wins"]) for bot in ("syntax", "nowhere")] == [("0", "0")] * 2
    assert "did not start: ./syntax.py cannot be loaded: SyntaxError: " in lines["syntax"]["note"]
    assert "line 4" in lines["syntax"]["note"]
    assert all(line["note"] == "" for bot, line in lines.items() if bot.startswith("b"))
    assert palio("verify").stdout


@pytest.mark.parametrize(
    ("game", "format_"),
    [("dominoes", "gauntlet"), ("dominoes", "knockout"), ("chexers", "round_robin"), ("rush_hour", "round_robin")],
)
def test_every_format_and_kind_of_game_goes_on_without_it(palio: Palio, folder, game, format_):
    plies = ("--max-plies", "30") if game == "chexers" else ()
    openings = () if game == "rush_hour" else ("--openings", "3")
    palio(
        "run", game, "./good.py", "random", "greedy", "./dies.py", "--format", format_, "--st", "1", *openings, *plies,
        "--sandbox", "off", "--export", "t.csv", "--export", "t.json"
    )  # fmt: skip
    lines = lines_of(folder)
    assert (lines["dies"]["points"], lines["dies"]["left"]) == ("0", "")
    assert "ended with exit code 9 before it joined: no licence found" in lines["dies"]["note"]
    assert sum(float(line["points"]) for line in lines.values()) > 0
    assert json.loads((folder / "t.json").read_text())["over"]


def test_a_bot_that_dies_at_its_first_start_only_plays_all_its_games(palio: Palio, folder):
    (folder / "once.py").write_text(ONCE)
    palio.env["PALIO_TEST_MARK"] = str(folder / "mark")
    ended = palio("run", "dominoes", "./once.py", "random", *QUICK)
    said = ended.stdout + ended.stderr
    assert "ended with exit code 3 before it joined; it has joined at the second try" in said
    assert "Finished game 2" in said


def test_leave_out_begins_without_it_and_refuse_begins_nothing(palio: Palio, folder):
    bots = ("dominoes", "./good.py", "random", "./dies.py", *QUICK)
    refused = palio("run", *bots, "--broken", "refuse", code=1).stderr
    assert "1 of 3 bots cannot play" in refused
    assert "no licence found" in refused
    assert "--broken leave-out" in refused
    assert "there is no tournament 1" in palio("run", "--resume", "1", code=2).stderr
    palio("run", *bots, "--broken", "leave-out", "--export", "t.csv")
    assert set(lines_of(folder)) == {"good", "random"}
    few = palio("run", "dominoes", "random", "./syntax.py", "./dies.py", "--broken", "leave-out", code=1).stderr
    assert "without them the tournament cannot begin: a tournament needs two bots" in few
    sprt = palio("run", "dominoes", "random", "./dies.py", "--sprt", "elo0=0 elo1=5", "--broken", "forfeit", code=2)
    assert "an SPRT needs both of its bots" in sprt.stderr


def test_a_students_file_that_lacks_its_method_is_refused_before_the_first_game(palio: Palio, folder):
    (folder / "hw4.py").write_text("class DominoesGame:\n    def __init__(self, board): pass\n")
    bots = ("dominoes", "hw=handout:dominoes:hw4.py", "random", *QUICK)
    refused = " ".join(palio("run", *bots, "--broken", "refuse", code=2).stderr.split())
    assert "hw4.py, line 1: DominoesGame has no get_best_move(self, vertical, limit)" in refused
    assert "there is no tournament 1" in palio("run", "--resume", "1", code=2).stderr


@pytest.mark.timeout(300)
def test_a_cluster_finds_them_before_the_first_game_too(palio: Palio, folder):
    ended = palio(
        "run", "dominoes", "./good.py", "random", "./dies.py", "./syntax.py", *QUICK, "--cluster", "local:2",
        "--export", "t.csv"
    )  # fmt: skip
    head, _, rest = ended.stderr.partition("the tournament goes on: their games are lost by forfeit")
    assert "2 of 4 bots cannot play" in head
    assert "  dies (./dies.py) ended with exit code 9 before it joined: no licence found" in head
    assert "stays away" not in rest
    lines = lines_of(folder)
    assert {bot: (line["points"], line["played"]) for bot, line in lines.items() if bot in ("dies", "syntax")} == {
        "dies": ("0", "6"), "syntax": ("0", "6")
    }  # fmt: skip


def test_a_run_without_any_result_ends_with_1(palio: Palio):
    (palio.folder / "dead.sh").write_text("#!/bin/sh\nread line\nexit 3\n")
    (palio.folder / "dead.sh").chmod(0o755)
    words = ("a=exec:./dead.sh", "b=exec:./dead.sh", "--games-per-encounter", "1", "--broken", "forfeit")
    done = palio("run", "breakthrough", *words, code=1)
    assert "no game has a result" in done.stderr
