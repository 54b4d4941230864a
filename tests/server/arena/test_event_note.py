"""A note is kept with the event, beside its settings, until another one replaces it."""

import pytest

from palio_db.errors import NotFound
from palio_db.event_values import TournamentDraft
from palio_db.store import Store
from palio_server.arena.directing import keep_note, note_of


async def test_a_note_is_kept_replaced_and_taken_away_and_other_settings_stay():
    async with await Store.open("sqlite://") as store:
        number = await store.create_event(TournamentDraft("cup", "breakthrough", "swiss", {}, {"seed": 7}))
        for note in ("", "it waits for bots", "it was paused", ""):
            await keep_note(store, number, note)
            row = await store.tournament(number)
            assert (note_of(row), row.settings["seed"]) == (note, 7)
        assert row.settings == {"seed": 7}
        assert note_of(None) == ""
        with pytest.raises(NotFound, match="no tournament 99"):
            await keep_note(store, 99, "whose?")
