"""An event that is read from the store, also while another director plans and plays it."""

from event_world import new_event, play

from palio_db.store import Store
from palio_server.arena.kept_event import stored_event


async def test_an_event_that_is_planned_while_it_is_read_has_what_was_there_before(tmp_path, monkeypatch):
    async with await Store.open(f"sqlite:///{tmp_path}/palio.db") as store:
        number = await new_event(store, "dominoes", 3, "round_robin")
        read = Store.event_matches

        async def meanwhile(self, number, **more):
            monkeypatch.setattr(Store, "event_matches", read)
            await play(store, number)
            return await read(self, number, **more)

        monkeypatch.setattr(Store, "event_matches", meanwhile)
        assert (await stored_event(store, number)).event.encounters == []
        assert (
            len((await stored_event(store, number)).event.encounters) == 6
        )  # three are played; in three rounds one bot rests
