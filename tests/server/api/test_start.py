"""The matches of a request: tables in all orders of their seats, races on one instance for all."""

import pytest

from palio_rules.registry import game
from palio_server.api import matches
from palio_server.tournament.round_robin import DEFAULT_TIME, MAX_SOLUTIONS


async def asked(client, **body):
    return await client.post("/api/matches", json=body)


async def setups(server, client, **body):
    answer = await asked(client, **body)
    assert answer.status_code == 201, answer.text
    return [(await server.store.match(match)).setup for match in answer.json()["matches"]]


def here(server, name, *bots):
    for bot in bots:
        server.join(bot, games=[name])


async def test_rounds_at_a_table_give_everybody_every_seat(server, client):
    here(server, "chexers", "ann", "bob", "eve")
    found = await setups(server, client, game="chexers", bots=["ann", "bob", "eve"], rounds=7, opening_plies=3)
    assert len({setup.bots for setup in found[:6]}) == 6
    assert [setup.bots[0] for setup in found[:3]] == ["ann", "bob", "eve"]
    assert found[6].bots == found[0].bots
    assert len({repr(setup.opening) for setup in found[:6]}) == 1
    assert found[6].opening != found[0].opening


async def test_a_race_is_one_match_of_all_bots_on_the_instance_that_its_seed_draws(server, client):
    here(server, "chexers_solo", "ann", "bob", "eve")
    first, second = await setups(
        server, client, game="chexers_solo", bots=["ann", "bob", "eve"], rounds=2, seed=5, options={"pieces": 2}
    )
    assert first.bots == second.bots == ("ann", "bob", "eve")
    rules = game("chexers_solo")
    for setup, seed in ((first, 5), (second, 6)):
        assert setup.options["board"] == rules.instance(rules.parse_options({"pieces": 2}), seed)["board"]
    assert first.options["board"] != second.options["board"]


async def test_one_bot_may_race_alone_and_is_told_what_it_paid(server, client):
    here(server, "chexers_solo", "ann")
    answer = await asked(client, game="chexers_solo", bots=["ann"], options={"max_actions": 5}, by_time=True)
    record = await server.finished(answer.json()["match"])
    assert record.setup.by_time
    assert len(record.result.finishes) == 1


async def test_an_anytime_race_without_a_clock_gets_one(server, client):
    here(server, "tsp", "ann", "bob")
    [setup] = await setups(server, client, game="tsp", bots=["ann", "bob"])
    assert (setup.time, setup.max_plies, len(setup.options["cities"])) == (DEFAULT_TIME, MAX_SOLUTIONS, 30)
    [own] = await setups(server, client, game="tsp", bots=["ann", "bob"], st=2, max_plies=7)
    assert (own.time.move_ms, own.max_plies) == (2000, 7)


@pytest.mark.parametrize(
    ("change", "status", "code", "says"),
    [
        ({"bots": []}, 422, "bad-bots", "name 1 to 64 bots"),
        ({"bots": ["ann"] * 65}, 422, "bad-value", "64"),
        ({"bots": ["ann", "ann"]}, 422, "bad-bots", "named twice"),
        ({"bots": ["ann", "zoe"]}, 409, "bots-missing", "zoe is not connected"),
        ({"opening_plies": 2}, 422, "bad-setup", "has no openings"),
        ({"options": {"board": "xx"}}, 422, "bad-option", "board='xx'"),
        ({"max_plies": 0}, 422, "bad-value", "max_plies"),
    ],
)
async def test_a_race_that_does_not_fit_is_refused_with_the_remedy(server, client, change, status, code, says):
    here(server, "chexers_solo", "ann", "bob")
    answer = await asked(client, **{"game": "chexers_solo", "bots": ["ann", "bob"]} | change)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code)
    assert says in error["reason"]
    assert await server.store.matches() == []


async def test_time_ranks_nothing_where_nothing_has_a_cost(server, client, breakthrough):
    here(server, "breakthrough", "ann", "bob")
    answer = await asked(client, **breakthrough, bots=["ann", "bob"], by_time=True)
    assert answer.status_code == 422
    assert "breakthrough is no race" in answer.json()["error"]["reason"]


async def test_instances_that_take_too_much_work_to_find_are_refused_with_the_round(server, client, monkeypatch):
    here(server, "chexers_solo", "ann", "bob")
    monkeypatch.setattr(matches, "MOST_WORK", 1000)
    answer = await asked(client, game="chexers_solo", bots=["ann", "bob"], rounds=100, seed=10**9)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (422, "too-much-work")
    assert error["reason"].startswith("chexers_solo: ")
    assert "of 100 instances were found; the first " in error["reason"]
    assert "would take many more than the 1,000 that there are for them; ask for fewer or easier" in error["reason"]
    assert await server.store.matches() == []
