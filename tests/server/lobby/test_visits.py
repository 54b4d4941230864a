"""Visits are noted at once and written together; a name has one page."""

from msgspec import UNSET

from palio_db.errors import Unavailable
from palio_db.store import Store
from palio_rules.contract.messages import Hello
from palio_server.lobby.visits import Visits


def hello(name="ann", **said):
    return Hello(name, ["nim"], **said)


async def test_a_storm_of_hellos_is_one_line():
    async with await Store.open("sqlite://") as store:
        visits = Visits(store)
        for number in range(1000):
            visits.came(hello(about=f"line {number}", build="mine.py 1"))
            visits.left("ann")
        assert set(visits.unwritten(["ann", "bob"])) == {"ann"}
        assert await store.profiles(["ann"]) == {}
        await visits.write()
        ann = (await store.profiles(["ann"]))["ann"]
        assert (ann.about, [each.build for each in ann.builds]) == ("line 999", ["mine.py 1"])
        assert visits.unwritten(["ann"]) == {}


async def test_what_strangers_say_is_one_line_of_printable_signs():
    async with await Store.open("sqlite://") as store:
        visits = Visits(store)
        visits.came(hello(about=" two\nlines \x1b[2J\u202e "))
        visits.came(hello("bob", build="\x00"))
        noted = visits.unwritten(["ann", "bob"])
        assert noted["ann"].about == "two lines [2J"
        assert noted["bob"].builds == ()


async def test_who_has_a_token_is_not_overruled_by_who_has_none():
    async with await Store.open("sqlite://") as store:
        visits = Visits(store)
        visits.came(hello(about="mine", token="palio_x"))
        visits.came(hello(about="not mine", token=UNSET))
        assert visits.unwritten(["ann"])["ann"].about == "mine"


async def test_guests_are_not_remembered():
    async with await Store.open("sqlite://") as store:
        visits = Visits(store)
        visits.came(hello("guest-4fx09a", about="hello"))
        visits.left("guest-4fx09a")
        assert visits.unwritten(["guest-4fx09a"]) == {}


class Away:
    async def note_seen(self, bots):
        raise Unavailable("the database is away")


async def test_what_cannot_be_written_is_kept_for_the_next_time():
    visits = Visits(Away())
    visits.came(hello(about="still here"))
    await visits.write()
    assert visits.unwritten(["ann"])["ann"].about == "still here"
