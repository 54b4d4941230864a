"""Games that no worker has: a file's rules travel to it, OpenSpiel's must be installed there."""

import json
import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command import Palio, Started, program

pytestmark = [pytest.mark.timeout(180), pytest.mark.slow]

NIM = (Path(__file__).parents[1] / "plugin" / "palio_nim.py").read_text()
BOT = """\
import mygame
from mygame import Heaps
from palio_clients import Bot

class Mine(Bot):
    games = ("nim",)
    def choose(self, state, clock):
        assert type(state) is Heaps, "another class of the same name"
        assert "palio-bots" in mygame.__file__, "the file at home"
        return next(state.legal_moves())
"""
WITHOUT_OPENSPIEL = """\
import importlib.metadata
known = importlib.metadata.version
def version(name):
    if name == "open_spiel":
        raise importlib.metadata.PackageNotFoundError(name)
    return known(name)
importlib.metadata.version = version
"""


def mygame_in(folder: Path, reason: str) -> None:
    """A game that imports a file beside it, which says why games end."""
    folder.mkdir(exist_ok=True)
    (folder / "words.py").write_text(f"REASON = {reason!r}\n")
    (folder / "mygame.py").write_text(NIM.replace('"last-stone"', "REASON") + "\nfrom words import REASON\n")


def reasons(palio: Palio, tournament: int) -> set[str]:
    """Return the reasons why the games of a tournament ended."""
    exported = palio("match", "export", "--tournament", str(tournament), "--format", "json").stdout
    return {json.loads(line)["result"]["reason"] for line in exported.splitlines()}


@pytest.fixture
def bot(palio: Palio) -> str:
    """A bot in a folder of its own, which imports the game's file."""
    (palio.folder / "bot").mkdir()
    (palio.folder / "bot" / "mine.py").write_text(BOT)
    return "./bot/mine.py"


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Yield a function that starts a scheduler and a worker in their own folder, without our environment; its
    address.
    """
    started: list[Started] = []

    def start(**more: str) -> str:
        folder = tmp_path_factory.mktemp("lab")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        env = {name: text for name, text in os.environ.items() if not name.startswith("PALIO_")} | more
        for words in (
            ["distributed.cli.dask_scheduler", "--port", str(port)],
            [
                "distributed.cli.dask_worker",
                f"tcp://127.0.0.1:{port}",
                "--nthreads",
                "1",
                "--local-directory",
                "scratch",
            ],
        ):
            command = [sys.executable, "-m", *words, "--host", "127.0.0.1", "--no-dashboard"]
            started.append(Started(program(command, folder), env))
            started[-1].line_with("at: ")
        return f"tcp://127.0.0.1:{port}"

    yield start
    for each in reversed(started):
        each.close()


def test_workers_of_this_machine_play_a_game_of_a_file_as_it_is_played_at_home(palio: Palio, bot: str):
    mygame_in(palio.folder / "game", "took-the-last")
    run = ("run", "./game/mygame.py:Nim:heaps=4", bot, "random", "mcts", "--st", "0.1", "--cluster", "local:2")
    assert palio.json(*run)["games"] == {"scheduled": 0, "finished": 6, "aborted": 0}
    assert reasons(palio, 1) == {"took-the-last"}
    verified = palio("verify", "--game", "./game/mygame.py:Nim")
    assert "6 matches replayed, 0 do not reproduce, 0 sums are wrong" in verified.stdout


def test_a_lab_s_worker_plays_the_game_as_it_is_now_when_it_was_mended_between_two_runs(palio, bot, cluster):
    where = cluster()
    for number, reason in enumerate(("took-the-last", "nothing-left"), 1):
        mygame_in(palio.folder / "game", reason)
        done = palio.json("run", "./game/mygame.py:Nim", bot, "random", "--cluster", where)
        assert done["games"] == {"scheduled": 0, "finished": 2, "aborted": 0}
        assert reasons(palio, number) == {reason}


def test_a_game_of_openspiel_is_played_where_it_is_installed_and_else_refused_in_a_sentence(palio, cluster, tmp_path):
    run = ("run", "openspiel:tic_tac_toe", "openspiel:random", "random")
    done = palio.json(*run, "--cluster", "local:1")
    assert done["games"] == {"scheduled": 0, "finished": 2, "aborted": 0}
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "sitecustomize.py").write_text(WITHOUT_OPENSPIEL)
    refused = palio(*run, "--cluster", cluster(PYTHONPATH=str(tmp_path / "without")), code=1)
    assert "the package open_spiel is missing, here it is" in refused.stderr
    assert "Traceback" not in refused.stderr
