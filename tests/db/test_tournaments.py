"""Tournaments: all matches from the start, in the order of play."""

import pytest

from palio_db.errors import NotFound, StoreError


async def test_a_tournament_has_its_entrants_and_matches_from_the_start(store, make):
    setups = [(1, make.setup("zoe", "anna")), (1, make.setup("ben", "zoe")), (2, make.setup("anna", "ben"))]
    number = await store.create_tournament("spring", "nim", {"rounds": 2, "swap": True}, setups)
    row = await store.tournament(number)
    assert (row.name, row.game, row.settings, row.bots) == (
        "spring", "nim", {"rounds": 2, "swap": True}, ("zoe", "anna", "ben")
    )  # fmt: skip
    assert (row.scheduled, row.running, row.finished, row.aborted) == (3, 0, 0, 0)
    matches = (await store.matches(tournament=number))[::-1]
    assert [(match.round, match.bots, match.event) for match in matches] == [
        (1, ("zoe", "anna"), "spring"),
        (1, ("ben", "zoe"), "spring"),
        (2, ("anna", "ben"), "spring"),
    ]


async def test_a_tournament_tells_how_far_it_is(store, make):
    number = await store.create_tournament("spring", "nim", {}, [(0, make.setup())] * 4)
    claims = [await store.claim("worker", 30) for _ in range(3)]
    await store.finish(claims[0], make.record(claims[0]))
    await store.abort(claims[1].match, "weather")
    row = await store.tournament(number)
    assert (row.scheduled, row.running, row.finished, row.aborted) == (1, 1, 1, 1)


async def test_tournaments_are_listed_newest_first(store, make):
    numbers = [await store.create_tournament(f"cup {n}", "nim", {}, [(0, make.setup())] * n) for n in range(4)]
    rows = await store.tournaments(limit=3)
    assert [(row.id, row.scheduled) for row in rows] == [(numbers[3], 3), (numbers[2], 2), (numbers[1], 1)]


async def test_a_large_tournament_is_made_at_once(store, make):
    setups = [(n // 50, make.setup(f"bot{n % 40}", f"bot{40 + n % 30}")) for n in range(3000)]
    number = await store.create_tournament("league", "nim", {}, setups)
    row = await store.tournament(number)
    assert (row.scheduled, len(row.bots)) == (3000, 70)


async def test_a_match_may_join_a_tournament_later_if_there_is_one(store, make):
    number = await store.create_tournament("spring", "nim", {}, [])
    match = await store.schedule(make.setup(), tournament=number, round_=7)
    assert (await store.match(match)).round == 7
    assert (await store.tournament(number)).scheduled == 1
    with pytest.raises(NotFound, match="no tournament 99"):
        await store.schedule(make.setup(), tournament=99)


async def test_a_tournament_is_of_one_game(store, make):
    with pytest.raises(StoreError, match="a tournament of nim has a match of go"):
        await store.create_tournament("mixed", "nim", {}, [(0, make.setup()), (0, make.setup(game="go"))])
    with pytest.raises(StoreError, match="cannot be written as JSON"):
        await store.create_tournament("odd", "nim", {"what": object()}, [])
    with pytest.raises(StoreError, match="is empty"):
        await store.create_tournament("", "nim", {}, [])
    assert await store.tournaments() == []
