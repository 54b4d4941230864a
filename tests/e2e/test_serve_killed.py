"""kill -9 of the server in mid-event: every announced result is there once, and everything gets finished."""

import asyncio
import json
import signal
import socket
import time

import pytest
from command import Palio, Started
from made_event import made_round_robin

from palio_db.store import Store
from palio_rules.time_control import TimeControl
from palio_server.tournament.openings.choice import OpeningsChoice

BOTS = ["random", "greedy", "planner"]
KILLS = 3


def schedule(url: str) -> int:
    """Put a tournament into the database; how many matches it has."""

    async def put() -> int:
        terms = {"game": "breakthrough", "openings": OpeningsChoice(random=2), "time": TimeControl.parse(tc="60+1")}
        async with await Store.open(url) as store:
            number = await made_round_robin(store, "the event", BOTS, 6, **terms)
            return (await store.tournament(number)).total

    return asyncio.run(put())


def announced(bots: list[Started]) -> dict[str, list[float]]:
    """The results of matches as the bots have heard them; fails if two have heard different ones."""
    results: dict[str, list[float]] = {}
    for bot in bots:
        for line in list(bot.lines):
            event = json.loads(line)
            if event["event"] == "over":
                assert results.setdefault(event["match"], event["scores"]) == event["scores"]
    return results


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_no_announced_result_is_missing_or_doubled_and_everything_gets_finished(palio: Palio):
    total = schedule(f"sqlite:///{palio.folder}/palio.db")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    bots: list[Started] = []
    for kill in range(KILLS):
        server = palio.start("serve", "--port", port, "--concurrency", "2")
        server.line_with("serves on")
        bots = bots or [
            palio.start("join", f"ws://127.0.0.1:{port}", name, "--name", name, "--slots", "2", "--json")
            for name in BOTS
        ]
        wanted = (kill + 1) * total // (KILLS + 2)
        while len(announced(bots)) < wanted:
            assert server.process.poll() is None, server.errors
            time.sleep(0.02)
        assert server.end(signal.SIGKILL) == -signal.SIGKILL
        kept = {match["id"]: match for match in palio.json("match", "list", "--limit", "500")}
        for match, scores in announced(bots).items():
            assert (kept[match]["status"], kept[match]["scores"]) == ("finished", scores)

    server = palio.start("serve", "--port", port, "--concurrency", "2")
    server.line_with("serves on")
    matches = palio.json("match", "list", "--limit", "500")
    while {match["status"] for match in matches} != {"finished"}:
        assert server.process.poll() is None, server.errors
        time.sleep(0.5)
        matches = palio.json("match", "list", "--limit", "500")
    assert len(matches) == total
    for match in matches:
        assert announced(bots).get(match["id"], match["scores"]) == match["scores"]
    assert server.end(signal.SIGTERM) == 0

    assert f"{total} matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify").stdout
    board = palio.json("leaderboard", "--game", "breakthrough")
    assert sum(leader["games"] for leader in board["leaders"]) == 2 * total
    assert sum(leader["points"] for leader in board["leaders"]) == total
