"""A three-handed game on the whole server: three bots, three clocks, one winner or a shared draw, ranked."""

import pytest
from serving import bots, connected, played, server_in

from palio_rules.records import Setup, fault
from palio_rules.time_control import TimeControl


@pytest.mark.slow
async def test_three_bots_play_chexers_and_are_ranked(palio, tmp_path):
    async with (
        server_in(tmp_path) as server,
        bots(palio, server.url, "one=greedy", "two=random:seed=2", "three=random:seed=3"),
    ):
        await connected(server, "one", "two", "three")
        record = await played(server, Setup("chexers", ("one", "two", "three"), time=TimeControl(base_ms=60_000)), 100)
        assert record.result.termination == "rule"
        assert sum(record.result.scores) == pytest.approx(1)
        assert fault(record) is None
        board = await server.store.leaderboard("chexers")
        assert {leader.games for leader in board.leaders} == {1}
        assert await server.store.recount() == []
