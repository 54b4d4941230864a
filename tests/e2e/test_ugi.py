"""UGI in both directions, in real tournaments: other people's engines are bots, and our bots are engines."""

import re
import shlex
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
    first, second = blocks("sh")
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
    bots = ("ugi:python3 -m palio_clients ugi random", "random", "greedy")
    done = palio("run", "chexers", *bots, "--broken", "refuse", code=1)
    assert "python3" in done.stderr
    assert "chexers" in done.stderr
    assert "Traceback" not in done.stderr
