"""`palio demo --once`: the whole thing, from the first handshake to the leaderboard."""

import signal
import socket

import pytest
from command_process import Palio

pytest_plugins = ("command_fixtures",)

BOTS = ("random", "greedy", "planner", "alpha_beta-depth2")


@pytest.mark.timeout(240)
def test_four_bots_play_three_games_and_the_leaderboard_remembers(palio: Palio):
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        done = palio("demo", "--once", "--port", str(port))
    assert f"port {port} is busy; this demo takes {port + 1}" in done.stderr
    assert f"Palio serves on http://127.0.0.1:{port + 1}" in done.stdout
    assert done.stdout.count("Cross-table") == 3
    assert done.stdout.count("Finished game") == 3 * 24
    for title in ("Breakthrough", "Dominoes", "End of the Track"):
        board = done.stdout[done.stdout.rindex(title) :]
        assert all(bot in board for bot in BOTS)
    boards = palio.json("leaderboard")
    assert [(board["game"], len(board["leaders"])) for board in boards] == [
        ("breakthrough", 4),
        ("dominoes", 4),
        ("end_of_the_track", 4),
    ]
    assert all(leader["games"] == 12 for board in boards for leader in board["leaders"])
    assert "72 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout


@pytest.mark.timeout(240)
def test_the_demo_stays_up_with_matches_to_watch_until_ctrl_c(palio: Palio):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    demo = palio.start("demo", "--port", str(port))
    demo.wait_for(lambda lines: any("Ctrl-C ends the demo" in line for line in lines), seconds=200)
    url = f"http://127.0.0.1:{port}"
    watched = palio("watch", "--url", url).stdout
    assert ", ladder" in watched.splitlines()[0]
    assert demo.end(signal.SIGINT) == 0
    assert "no server answers" in palio("watch", "--url", url, code=1).stderr
