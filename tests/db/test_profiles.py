"""Profiles: what bots say of themselves, and whose word counts."""

from datetime import UTC, datetime, timedelta

import pytest

from palio_db.errors import NotFound
from palio_db.values import Seen

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def seen(bot, minutes=0, **said):
    return Seen(bot, NOON + timedelta(minutes=minutes), NOON + timedelta(minutes=minutes), **said)


async def test_the_first_and_the_last_time_are_kept(store):
    await store.note_seen([seen("ann"), seen("bob")])
    await store.note_seen([seen("ann", 7, about="slow but sure")])
    ann = (await store.profiles(["ann", "zoe"]))["ann"]
    assert (ann.first_seen, ann.last_seen, ann.about) == (NOON, NOON + timedelta(minutes=7), "slow but sure")
    assert set(await store.profiles(["ann", "zoe"])) == {"ann"}


async def test_a_player_of_games_that_came_in_is_called_as_written_unless_a_line_says_other_things(store):
    await store.note_seen([seen("ann", about="slow but sure")])
    await store.add_bot("zoe")
    await store.call({"ann": "안", "player-179fa2": "柯洁", "zoe": "조이"})
    await store.call({"player-179fa2": "another"})
    lines = {bot: profile.about for bot, profile in (await store.profiles(["ann", "player-179fa2", "zoe"])).items()}
    assert lines == {"ann": "slow but sure", "player-179fa2": "柯洁"}


async def test_programs_are_remembered_once_each_with_the_moment_they_came(store):
    for minute, build in enumerate(["one", "one", "two", "one"]):
        await store.note_seen([seen("ann", minute, builds=(build,))])
    builds = (await store.profiles(["ann"]))["ann"].builds
    assert [(each.build, each.since) for each in builds] == [
        ("two", NOON + timedelta(minutes=2)),
        ("one", NOON + timedelta(minutes=3)),
    ]


async def test_many_programs_are_not_all_remembered(store):
    await store.note_seen([seen("ann", builds=tuple(map(str, range(50))))])
    assert [each.build for each in (await store.profiles(["ann"]))["ann"].builds] == [*map(str, range(30, 50))]


async def test_the_line_of_a_registered_bot_is_changed_by_its_token_only(store):
    await store.add_bot("Ann")
    await store.set_about("ann", "by its owner")  # whatever the case
    await store.note_seen([seen("Ann", about="by a stranger"), seen("bob", about="by anybody")])
    assert (await store.profiles(["Ann"]))["Ann"].about == "by its owner"
    assert (await store.profiles(["bob"]))["bob"].about == "by anybody"
    await store.note_seen([seen("Ann", 1, about="by its program", proven=True)])
    assert (await store.profiles(["Ann"]))["Ann"].about == "by its program"
    await store.revoke_bot("Ann")
    await store.note_seen([seen("Ann", 2, about="free again")])
    assert (await store.profiles(["Ann"]))["Ann"].about == "free again"


async def test_a_line_for_a_name_that_nobody_has_registered_is_refused_with_the_nearest_name(store):
    await store.add_bot("anna")
    with pytest.raises(NotFound, match=r"'ana' is registered; did you mean 'anna'"):
        await store.set_about("ana", "hello")


async def test_names_are_those_of_all_who_were_here_or_played_or_may_come(store, make):
    await store.add_bot("may-come")
    await store.add_bot("gone")
    await store.revoke_bot("gone")
    await make.play(store, "played", "has_played")
    await store.note_seen([seen("early"), seen("late", 9)])
    assert await store.bot_names() == ["late", "early", "has_played", "may-come", "played"]
    assert await store.bot_names("PLAY") == ["has_played", "played"]
    assert await store.bot_names("_") == ["has_played"]  # a sign as any other
    assert await store.bot_names("%") == []
    assert await store.is_registered("MAY-come")
    assert not await store.is_registered("gone")
