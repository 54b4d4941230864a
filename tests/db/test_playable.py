"""The next match: the same that a plain look through the whole queue finds, in as few steps as the queue has groups."""

from itertools import count

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_event import made_event

from palio_db import playable
from palio_db.store import Store
from palio_rules.records.record import Setup

GAMES = ["go", "nim"]
BOTS = [
    "a",
    "b",
    "ab",
    "a b",
    'a"',
    "a!",
    "ä",
    "a\n",
    "😀",
]  # one begins another one; some have a form of their own in JSON
GAME_NUMBER = count()

matches = st.lists(
    st.tuples(
        st.sampled_from(GAMES),
        st.lists(st.sampled_from(BOTS), min_size=1, max_size=4, unique=True),
        st.booleans(),  # in the tournament?
    ),
    max_size=14,
)
free_bots = st.dictionaries(st.sampled_from(GAMES), st.sets(st.sampled_from(BOTS)))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(queue=matches, free=free_bots, only=st.booleans(), few=st.sampled_from([0, playable.FEW]))
async def test_the_next_match_is_the_one_that_a_plain_search_finds(store, monkeypatch, queue, free, only, few):
    number = next(GAME_NUMBER)  # the games of this example: all examples share one database
    ours = {game: f"{game}-{number}" for game in GAMES}
    tournaments = {game: await made_event(store, "x", ours[game], {}, []) for game in GAMES}
    waiting = []
    for game, bots, inside in queue:
        place = tournaments[game] if inside else None
        waiting.append((await store.schedule(Setup(ours[game], tuple(bots)), tournament=place), game, bots, inside))
    tournament = tournaments["nim"] if only else None
    named = {ours[game]: bots for game, bots in free.items()}
    with monkeypatch.context() as patch:
        patch.setattr(playable, "FEW", few)
        patch.setattr(playable, "WALK", (1, 3))  # so that the walk ends, and groups are looked at
        while True:
            fitting = [
                match
                for match, game, bots, inside in waiting
                if set(bots) <= free.get(game, set()) and (not only or (inside and game == "nim"))
            ]
            claim = await store.claim("w", 30, free=named, tournament=tournament)
            assert (claim and claim.match) == (fitting[0] if fitting else None)
            if claim is None:
                break
            waiting = [line for line in waiting if line[0] != claim.match]
    while await store.claim("w", 30):
        pass  # the next example begins with an empty queue


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(queue=matches, free=free_bots, most=st.integers(2, 5))
async def test_some_matches_at_once_are_the_oldest_that_have_no_bot_in_common(store, queue, free, most):
    number = next(GAME_NUMBER)
    waiting = [
        (await store.schedule(Setup(f"{game}-{number}", tuple(bots))), game, set(bots)) for game, bots, _ in queue
    ]
    named = {f"{game}-{number}": bots for game, bots in free.items()}
    while True:
        fitting = [line for line in waiting if line[2] <= free.get(line[1], set())]
        claims = await store.claim_some("w", 30, most, free=named, tournament=None)
        taken = [line for line in waiting if line[0] in {claim.match for claim in claims}]
        assert [claim.match for claim in claims] == [match for match, _, _ in taken]  # the oldest first
        assert len(taken) <= most
        assert taken[:1] == fitting[:1]
        assert sum(len(bots) for _, _, bots in taken) == len(set().union(*(bots for _, _, bots in taken)))
        assert all(line in fitting for line in taken)
        if not claims:
            break
        waiting = [line for line in waiting if line not in taken]
    while await store.claim("w", 30):
        pass


async def test_to_look_for_many_is_one_look(tmp_path, monkeypatch):
    bots = [f"b{number:03}" for number in range(200)]
    pairs = [*zip(bots[::2], bots[1::2], strict=True)]
    async with await Store.open(f"sqlite:///{tmp_path}/palio.db") as store:
        await made_event(store, "x", "nim", {}, [(0, Setup("nim", pair)) for pair in pairs])
        looks = []
        groups = playable._Search._groups
        monkeypatch.setattr(playable._Search, "_groups", lambda *args: looks.append(args) or groups(*args))
        claims = await store.claim_some("w", 30, 100, free={"nim": bots}, tournament=None)
        assert [claim.setup.bots for claim in claims] == pairs
        assert len(looks) == 1


async def test_steps_are_counted_by_groups_and_free_bots_whatever_the_queue_s_length(tmp_path, monkeypatch):
    bots = [f"b{number:02}" for number in range(40)]
    pairs = [(first, second) for first in bots for second in bots if first != second]
    free = ["b03", "b11", "b30"]
    hopeless = [pair for pair in pairs if not set(pair) <= set(free)]
    async with await Store.open(f"sqlite:///{tmp_path}/palio.db") as store:
        await made_event(store, "x", "nim", {}, [(0, Setup("nim", pair)) for pair in hopeless * 3])
        asked = []
        rows = "palio_db.connections.SqliteConnection.rows"
        original = store._database._connect().rows.__func__

        def counted(self, sql, parameters=()):
            asked.append(sql)
            return original(self, sql, parameters)

        monkeypatch.setattr(rows, counted)
        assert await store.claim("w", 30, free={"nim": free}) is None
        assert len(asked) <= len(free) * (len(free) + 2)


async def test_sqlite_looks_for_groups_in_the_index_of_what_waits(tmp_path):
    async with await Store.open(f"sqlite:///{tmp_path}/palio.db") as store:
        for sql, values in [(playable._ALL.seat, ("", "")), (playable._ALL.other, ("", "", ""))]:
            [line] = await plan(store, sql, values)
            assert "INDEX ix_matches_scheduled (" in line
        for sql, values in [
            (playable._OF_TOURNAMENT.seat, (1, "", "")),
            (playable._OF_TOURNAMENT.other, (1, "", "", "")),
        ]:
            [line] = await plan(store, sql, values)
            assert "INDEX ix_matches_scheduled_tournament (" in line


async def plan(store, sql, values):
    explained = type(sql)(f"EXPLAIN QUERY PLAN {sql.sqlite}", "")
    return [row[-1] for row in await store._database.query(lambda connection: connection.rows(explained, values))]


@pytest.mark.parametrize("url", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True)
@pytest.mark.parametrize("few", [0, playable.FEW])
async def test_a_match_that_another_process_is_taking_is_passed_over(url, make, monkeypatch, few):
    monkeypatch.setattr(playable, "FEW", few)
    async with await Store.open(url) as store:
        taken, same_bots, others = [
            await store.schedule(make.setup(*bots)) for bots in (("a", "b"), ("a", "b"), ("c", "d"))
        ]
        with psycopg.connect(url) as other:
            other.execute("SELECT id FROM matches WHERE id = %s FOR UPDATE", (taken,))
            free = {"nim": ["a", "b", "c", "d"]}
            claims = [await store.claim("w", 30, free=free) for _ in range(3)]
        assert [claim and claim.match for claim in claims] == [same_bots, others, None]
        assert (await store.claim("w", 30, free=free)).match == taken
