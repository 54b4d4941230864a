"""The waiting matches in memory: the same ones begin as if the database were asked for each, with fewer questions."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_db.errors import Unavailable
from palio_db.values import WaitingMatch
from palio_server.arena import next_matches
from palio_server.arena.event_turns import EventTurns
from palio_server.arena.next_matches import PAGE, WaitingList

pytestmark = pytest.mark.virtual_clock


class FakeStore:
    """A list of waiting matches that counts how often it is read."""

    def __init__(self, *pairs):
        self.matches = [WaitingMatch(f"m{number:03}", "nim", tuple(pair)) for number, pair in enumerate(pairs)]
        self.looks, self.down, self.asked = 0, False, []

    async def waiting(self, limit, *, tournament=None):
        self.looks += 1
        self.asked.append(tournament)
        await asyncio.sleep(0)
        if self.down:
            raise Unavailable("no database")
        return self.matches[:limit]


def free(*names):
    """The two arguments of `playable` that say which bots are free."""
    idle = {*names}
    return lambda bot, game: game == "nim" and bot in idle, lambda game: idle if game == "nim" else set()


async def test_while_nothing_is_scheduled_changes_in_the_lobby_ask_the_database_nothing():
    store = FakeStore("ab", "cd")
    waiting = WaitingList(store, lambda: 1.0)
    assert await waiting.playable(*free("a", "c"), 9) == []
    assert await waiting.playable(*free("c", "d"), 9) == ["m001"]
    waiting.remove(["m001"])
    for _ in range(100):
        assert await waiting.playable(*free("c", "d"), 9) == []
    assert store.looks == 1
    assert waiting.whole


async def test_what_others_schedule_is_seen_after_a_while_and_what_we_schedule_at_once():
    store = FakeStore("ab")
    waiting = WaitingList(store, lambda: 1.0)
    assert await waiting.playable(*free(*"abcd"), 9) == ["m000"]
    store.matches.append(WaitingMatch("m009", "nim", ("c", "d")))
    assert await waiting.playable(*free(*"abcd"), 9) == ["m000"]
    waiting.invalidate()
    assert await waiting.playable(*free(*"abcd"), 9) == ["m000", "m009"]
    store.matches.append(WaitingMatch("n", "nim", ("e", "f")))
    await asyncio.sleep(1.0)
    assert await waiting.playable(*free(*"abcdef"), 9) == ["m000", "m009", "n"]
    await waiting.playable(*free(), 9, tournament=7)
    assert store.asked == [None, None, None, 7], "another tournament is another list"


async def test_what_is_scheduled_while_the_list_is_read_makes_it_be_read_again():
    store = FakeStore("ab")
    waiting = WaitingList(store, lambda: 1.0)
    asking = asyncio.ensure_future(waiting.playable(*free(*"abcd"), 9))
    await asyncio.sleep(0)
    waiting.invalidate()
    await asking
    await waiting.playable(*free(*"abcd"), 9)
    assert store.looks == 2


async def test_a_list_that_could_not_be_read_is_read_again():
    store = FakeStore("ab")
    store.down = True
    waiting = WaitingList(store, lambda: 1.0)
    with pytest.raises(Unavailable):
        await waiting.playable(*free("a", "b"), 9)
    store.down = False
    assert await waiting.playable(*free("a", "b"), 9) == ["m000"]


async def test_when_the_first_ones_are_taken_others_move_up(monkeypatch):
    monkeypatch.setattr(next_matches, "PAGE", 2)
    store = FakeStore("ab", "cd", "ef")
    waiting = WaitingList(store, lambda: 1.0)
    assert await waiting.playable(*free(*"abef"), 9) == ["m000"]
    assert not waiting.whole
    waiting.remove(["m000"])
    del store.matches[0]
    assert await waiting.playable(*free(*"abef"), 9) == ["m002"]
    assert store.looks == 2
    await waiting.playable(*free(), 9)
    assert store.looks == 2, "what has not changed is not read again"


async def test_many_free_bots_read_as_many_matches_as_it_takes_and_few_leave_the_search_to_the_database():
    first_games = [(f"a{number}", f"b{number}") for number in range(2000)]
    store = FakeStore(*first_games, ("x0", "y0"))
    waiting = WaitingList(store, lambda: 1.0)
    assert await waiting.playable(*free("x0", "y0"), 9) == []
    assert store.looks == 1
    many = free("x0", "y0", *(f"a{number}" for number in range(50)))
    assert await waiting.playable(*many, 9) == ["m2000"]
    assert store.looks == 3
    assert await waiting.playable(*many, 9) == ["m2000"]
    assert store.looks == 3, "nothing has changed"
    assert waiting.whole
    del store.matches[40:]
    for _ in range(4):  # a short list is read in short pages again
        waiting.invalidate()
        await waiting.playable(*many, 9)
        assert waiting.whole
    store.matches += [WaitingMatch(f"n{number:03}", "nim", ("x1", "y1")) for number in range(PAGE)]
    waiting.invalidate()
    await waiting.playable(*free("x1", "y1"), 9)
    assert not waiting.whole


def first_playable(matches, is_free, most):
    return EventTurns().choose(matches, matches, is_free, is_free, most).matches


names = st.sampled_from("abcdefgh")
lists = st.lists(st.lists(names, min_size=2, max_size=3, unique=True), max_size=12)


@given(lists, st.sets(names), st.integers(1, 5))
def test_those_taken_together_are_those_that_would_be_taken_one_by_one(pairs, idle, most):
    matches = [WaitingMatch(f"m{number}", "nim", tuple(bots)) for number, bots in enumerate(pairs)]
    one_by_one, left = [], set(idle)
    for match in matches:
        if len(one_by_one) < most and left.issuperset(match.bots):
            one_by_one.append(match.match)
            left -= {*match.bots}
    together = first_playable(matches, free(*idle)[0], most)
    assert together == one_by_one[: len(together)]
    assert bool(together) == bool(one_by_one)


@given(lists, st.sets(names), st.integers(1, 5))
async def test_a_long_list_is_searched_by_the_free_bots_and_gives_the_same_matches(pairs, idle, most):
    others = [("y", "z")] * PAGE
    store = FakeStore(*pairs[:6], *others, *pairs[6:])
    waiting = WaitingList(store, lambda: 1.0)
    is_free, names_of = free(*idle, *(f"w{number}" for number in range(9)))
    found, expected = await waiting.playable(is_free, names_of, most), first_playable(store.matches, is_free, most)
    assert found == expected[: len(found)]
    assert bool(found) == bool(expected)
    if waiting.whole:
        assert found == expected
