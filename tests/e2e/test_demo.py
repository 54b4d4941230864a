"""`palio demo`: the whole thing, from the first handshake to the leaderboard, and what can be watched afterwards."""

import re
import signal
import socket
import time

import pytest
from command import Palio

from palio_rules.registry import game

LEADERS = {  # how many bots each game has, and how many games each of them plays
    "breakthrough": (4, 6),
    "chexers": (3, 6),
    "chexers_solo": (3, 3),
    "dominoes": (4, None),  # a knockout: who wins plays on
    "end_of_the_track": (4, 6),
    "rush_hour": (3, 3),
    "tsp": (4, 3),
}


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def test_the_demo_begins_with_a_tournament_and_ctrl_c_ends_it(palio: Palio):
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        demo = palio.start("demo", "--port", str(port))
        taken = int(re.search(r"this demo takes (\d+)", demo.line_with(f"port {port} is busy"))[1])
    assert port < taken < port + 100  # the next one, unless another program has that
    assert demo.line_with("Palio serves on") == f"Palio serves on http://127.0.0.1:{taken}: open it to watch"
    demo.line_with("Finished game")
    assert demo.end(signal.SIGINT) == 130
    assert "Tournament 1: breakthrough, round robin, random, greedy, planner, alpha_beta-depth2" in "".join(demo.lines)


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_every_game_has_a_tournament_and_the_leaderboard_remembers(palio: Palio):
    done = palio("demo", "--once", "--port", free_port())
    assert done.stdout.count("Cross-table") == 7
    assert done.stdout.count("Costs") == 3
    games = [each.count("Finished game") for each in done.stdout.split("\nTournament ")[1:]]
    assert games[:1] + games[2:] == [12, 12, 6, 3, 3, 3]
    assert games[1] >= 8  # a knockout of four: where one is level, more games decide
    boards = {board["game"]: board["leaders"] for board in palio.json("leaderboard")}
    assert boards.keys() == LEADERS.keys()
    for name, (bots, played) in LEADERS.items():
        assert len(boards[name]) == bots
        assert played is None or {leader["games"] for leader in boards[name]} == {played}
    assert boards["rush_hour"][0]["bot"] == boards["chexers_solo"][0]["bot"] == "planner"
    assert f"{sum(games)} matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_demo_stays_up_with_matches_to_watch_until_ctrl_c(palio: Palio):
    demo = palio.start("demo", "--port", free_port())
    demo.wait_for(lambda lines: any("Ctrl-C ends the demo" in line for line in lines), seconds=200)
    url = re.search(r"http://[\d.]+:\d+", demo.line_with("Palio serves on"))[0]
    watched = palio("watch", "--url", url).stdout
    assert ", ladder" in watched.splitlines()[0]
    assert {"race", "table", "duel"} <= kinds_on_the_ladder(palio, url)
    assert demo.end(signal.SIGINT) == 0
    assert "no server answers" in palio("watch", "--url", url, code=1).stderr


def kinds_on_the_ladder(palio: Palio, url: str) -> set[str]:
    """The kinds of games that are played there within a minute."""
    kinds: set[str] = set()
    deadline = time.monotonic() + 60
    while len(kinds) < 3 and time.monotonic() < deadline:
        listed = palio.json("match", "list", "--limit", "200", "--url", url)
        kinds = {game(match["game"]).kind for match in listed if match["event"] == "ladder"}
    return kinds
