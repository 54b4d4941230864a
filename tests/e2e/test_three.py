"""A three-handed game on the whole server: three bots, three clocks, one winner or a shared draw, ranked."""

import pytest
from houses import connected, house_in, joining, played, program

from palio_rules.record import Setup, fault
from palio_rules.time_control import TimeControl


async def test_three_bots_play_chexers_and_are_ranked(tmp_path):
    async with (
        house_in(tmp_path) as house,
        program(*joining(house.url, "greedy", "one")),
        program(*joining(house.url, "random:seed=2", "two")),
        program(*joining(house.url, "random:seed=3", "three")),
    ):
        await connected(house, "one", "two", "three")
        record = await played(house, Setup("chexers", ("one", "two", "three"), time=TimeControl(base_ms=60_000)), 100)
        assert record.result.termination == "rule"
        assert sum(record.result.scores) == pytest.approx(1)
        assert fault(record) is None
        board = await house.store.leaderboard("chexers")
        assert {leader.games for leader in board.leaders} == {1}
        assert await house.store.audit() == []
