"""`palio` started cold: a verb imports by itself all that it needs. `serve` and `join` are in `test_compose_run`."""

import signal
import socket
import subprocess
import sys

import pytest
from command import COLD, Palio
from fork_server import Forked


def cold(palio: Palio, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COLD, *words], check=False, cwd=palio.folder, env=palio.env, capture_output=True, text=True)


def test_a_tournament_is_run(palio: Palio):
    done = cold(palio, "run", "dominoes:rows=2,cols=2", "random", "greedy")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Finished game 2" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("match list", "random vs greedy"),
        ("match export", "[Game "),
        ("verify", "2 matches replayed"),
        ("leaderboard", "greedy"),
        ("bot list", ""),
    ],
)
def test_what_was_played_is_looked_up(palio: Palio, tournament, words: str, message: str):
    done = cold(palio, *words.split())
    assert (done.returncode, done.stderr) == (0, "")
    assert message in done.stdout


def test_a_signal_for_a_command_that_has_ended_unheard_is_none():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        theirs.send(str(ended.pid).encode())
        command = Forked(ours)
        command.send_signal(signal.SIGTERM)
        assert command.poll() is None
        theirs.send(b"0")
        assert command.wait(10) == 0
