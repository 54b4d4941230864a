"""Quotas: matches that are not over and work, for each asker; who reaches one hears when to try again."""

import asyncio

import pytest

from palio_server.api.quotas import HERE, SCHEDULED, SCHEDULED_A_SECOND, WORK, MatchQuota, WorkQuota
from palio_server.edge.budgets import TooMuch
from palio_server.settings import Settings


class World:
    """Matches that are over when they are taken out of `open`."""

    def __init__(self, of_one=5, in_all=8):
        self.now, self.open, self.looks, self.made = 0.0, set(), 0, 0
        self.quota = MatchQuota(self.still_open, of_one, in_all, lambda: self.now)

    async def still_open(self, matches):
        self.looks += 1
        return self.open & set(matches)

    async def schedule(self, asker, count=1):
        try:
            async with self.quota.room(asker, count) as ids:
                await asyncio.sleep(0)
                ids += [f"m{self.made + number}" for number in range(count)]
                self.made += count
                self.open |= set(ids)
        except TooMuch as error:
            return error.code
        return "scheduled"


async def test_one_asker_and_all_together_may_have_so_many_that_are_not_over():
    world = World()
    assert [await world.schedule("ann") for _ in range(6)] == ["scheduled"] * 5 + ["too-many-matches"]
    assert [await world.schedule("bob") for _ in range(4)] == ["scheduled"] * 3 + ["too-many-matches"]
    world.open -= {"m0", "m1"}
    world.now += 2
    assert [await world.schedule("ann") for _ in range(3)] == ["scheduled"] * 2 + ["too-many-matches"]


async def test_requests_at_once_do_not_get_more_than_one_after_the_other():
    world = World()
    assert (await asyncio.gather(*(world.schedule("ann") for _ in range(20)))).count("scheduled") == 5


async def test_a_full_quota_costs_the_store_one_look_a_second():
    world = World()
    await world.schedule("ann", 5)
    for _ in range(100):
        assert await world.schedule("ann") == "too-many-matches"
    assert world.looks == 1


async def test_what_is_over_gives_no_right_to_schedule_faster_than_matches_can_be_played():
    world = World(10_000, 10_000)
    scheduled = 0
    for _ in range(4800):
        world.now += 15 / 4800
        scheduled += await world.schedule("ann") == "scheduled"
    assert scheduled == pytest.approx(SCHEDULED + 15 * SCHEDULED_A_SECOND, abs=2)


async def test_over_http_the_limit_is_a_429_that_says_when_to_try_again(server, client_of, breakthrough):
    server.settings = Settings(open_matches=3)
    server.join("ann", patient=True)
    server.join("bob", patient=True)
    body = breakthrough | {"bots": ["ann", "bob"]}
    async with client_of(server) as client:
        assert (await client.post("/api/matches", json=body | {"rounds": 3})).status_code == 201
        answer = await client.post("/api/matches", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "too-many-matches")
    assert int(answer.headers["retry-after"]) >= 1
    assert len(await server.store.matches()) == 3


async def test_each_token_has_a_quota_of_its_own(guarded_server, client_of, breakthrough):
    guarded_server.settings = Settings(auth="required", open_matches=1)
    guarded_server.join("ann", patient=True)
    guarded_server.join("bob", patient=True)
    tokens = [await guarded_server.store.issue_token({"matches"}) for _ in range(2)]
    async with client_of(guarded_server) as client:
        for status in (201, 429):
            for token in tokens:
                answer = await client.post(
                    "/api/matches",
                    json=breakthrough | {"bots": ["ann", "bob"]},
                    headers={"Authorization": f"Bearer {token}"},
                )
                assert answer.status_code == status, answer.text


async def test_wrong_tokens_end_in_a_429(guarded_server, client_of, breakthrough):
    async with client_of(guarded_server) as client:
        codes = []
        for number in range(40):
            headers = {"Authorization": f"Bearer {number} is wrong"}
            answer = await client.post("/api/matches", json=breakthrough, headers=headers)
            codes.append(answer.status_code)
    assert codes == [401] * 20 + [429] * 20
    assert answer.json()["error"]["code"] == "too-many-tokens"
    assert int(answer.headers["retry-after"]) >= 1


async def test_work_is_limited_by_address(server, client_of):
    server.settings = Settings(forwarded_from="127.0.0.1")
    codes = {}
    async with client_of(server) as client:
        for address, kind, all_of_it in (("192.0.2.1", "far", WORK), ("", "here", HERE * WORK)):
            work = client._transport.app.state.work = WorkQuota(lambda: 0.0)
            getattr(work, kind).take(address, all_of_it)
            for asker in ("192.0.2.1", "192.0.2.2", None):
                headers = {"X-Forwarded-For": asker} if asker else {}
                answer = await client.post("/api/games/breakthrough/position", json={}, headers=headers)
                codes[address, asker] = answer.status_code
    assert codes == {
        ("192.0.2.1", "192.0.2.1"): 429,
        ("192.0.2.1", "192.0.2.2"): 200,
        ("192.0.2.1", None): 200,
        ("", "192.0.2.1"): 200,
        ("", "192.0.2.2"): 200,
        ("", None): 429,
    }
