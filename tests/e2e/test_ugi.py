"""UGI in both directions, in real tournaments: other people's engines are bots, and our bots are engines."""

import re
import shlex
import signal
import subprocess
from pathlib import Path

import pytest
from command import Palio

from palio_rules.records.text import record_from_text

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "how-to" / "engines.md").read_text("utf-8")
LIMITED = {"breakthrough": "rows=5,cols=5", "dominoes": "rows=5,cols=5", "end_of_the_track": "max_plies=30"}


def games(palio):
    """The moves of all matches, in the order in which they were scheduled."""
    texts = re.split(r"\n\n(?=\[Event)", palio("match", "export").stdout)
    return [[ply.move for ply in record_from_text(each).plies] for each in texts]


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.slow
def test_the_engine_of_the_page_plays_as_the_page_says(palio: Palio):
    [engine] = blocks("python")
    (palio.folder / "engine.py").write_text(engine)
    first, second = (block for block in blocks("sh") if "ugi" in block)
    for command in (first, second):
        _, *words = shlex.split(command)
        done = palio.json(*words)
        assert done["games"]["finished"] == {"dominoes": 4, "breakthrough": 2}[words[1]]
    assert not {"crashed", "illegal"} & set(re.findall(r"\w+", palio("match", "list").stdout))


@pytest.mark.slow
def test_an_engine_in_cpp_plays_on_every_board(palio: Palio, cxx: str):
    engine = palio.folder / "engine"
    subprocess.run([cxx, "-O1", "-std=c++17", "-o", engine, HERE / "ugi_engine.cpp"], check=True)
    spec = "a=ugi:./engine option.capturing=false"
    for game in ("breakthrough", "breakthrough:rows=8,cols=8", "breakthrough:rows=4,cols=3,first=white"):
        done = palio.json("run", game, spec, "b=ugi:./engine", "random:seed=1", "--rounds", "2", "--openings", "2")
        assert done["games"] == {"scheduled": 0, "finished": 12, "aborted": 0}
    assert "illegal" not in palio("match", "list").stdout


@pytest.mark.slow
@pytest.mark.parametrize("game", LIMITED)
def test_a_bot_plays_the_same_game_by_way_of_ugi(palio: Palio, game):
    spec = f"{game}:{LIMITED[game]}"
    bot = "alpha_beta:depth=2,seed=1"
    palio("run", spec, f"a={bot}", f"b={bot}", "--rounds", "1", "--games", "2")
    palio("run", spec, f"a=ugi:palio ugi {bot} --game {spec}", f"b={bot}", "--rounds", "1", "--games", "2")
    found = games(palio)
    plain, by_ugi = found[:2], found[2:]
    assert len(plain) == len(by_ugi) == 2
    assert sorted(map(str, plain)) == sorted(map(str, by_ugi))


@pytest.mark.slow
def test_a_game_that_is_not_for_two_is_refused(palio: Palio):
    bots = ("ugi:palio ugi random --game breakthrough", "random", "greedy")
    done = palio("run", "chexers", *bots, "--broken", "refuse", code=2)
    assert "does not play chexers" in done.stderr
    assert "Traceback" not in done.stderr


CRASHING = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "go":
        sys.exit(3)
    print({"ugi": "ugiok", "isready": "readyok"}.get(word, ""), flush=True)
"""


@pytest.mark.slow
def test_a_test_goes_on_with_an_engine_that_crashes_until_the_limit_that_was_set(palio: Palio):
    """By itself `palio run` gives up a bot after three such games; cutechess's -recover plays them all."""
    (palio.folder / "crash.py").write_text(CRASHING)
    bots = ("a=ugi:python3 crash.py", "random")
    test = ("--sprt", "elo0=0 elo1=5 max_pairs=4", "--concurrency", "1", "--sandbox", "off")
    done = palio.json("run", "dominoes", *bots, *test, "-recover")
    assert done["games"] == {"scheduled": 0, "finished": 8, "aborted": 0}
    done = palio("run", "dominoes", *bots, *test, "--max-crashes", "5", code=1)
    assert "the bot a (ugi:python3 crash.py) crashed in 5 games, the limit of --max-crashes; " in done.stderr


@pytest.mark.slow
def test_the_limit_counts_games_from_before_an_interruption(palio: Palio):
    (palio.folder / "crash.py").write_text(CRASHING)
    bots = ("a=ugi:python3 crash.py", "random")
    running = palio.start("run", "dominoes", *bots, "--rounds", "40", "--concurrency", "1", "--max-crashes", "5")
    running.line_with("Finished game 3 ")
    assert running.end(signal.SIGKILL) == -signal.SIGKILL
    done = palio("run", "--resume", "1", code=1)
    assert "the bot a (ugi:python3 crash.py) crashed in 5 games, the limit of --max-crashes" in done.stderr
    assert 5 <= len(palio.json("match", "list", "--status", "finished")) < 8  # those in play may be over as well


@pytest.mark.slow
def test_a_cluster_keeps_the_limit_too(palio: Palio):
    (palio.folder / "crash.py").write_text(CRASHING)
    bots = ("a=ugi:python3 crash.py", "random", "greedy")
    on = ("--cluster", "local:1", "--sandbox", "off", "--broken", "leave-out")
    done = palio("run", "dominoes", *bots, "--rounds", "10", "--max-crashes", "5", *on)
    assert "the bot a (ugi:python3 crash.py) crashed in 5 games, the limit of --max-crashes\na stays" in done.stderr
    played = palio.json("match", "list", "--status", "finished", "--limit", "100")
    assert sum({"random", "greedy"} == set(match["bots"]) for match in played) == 20
