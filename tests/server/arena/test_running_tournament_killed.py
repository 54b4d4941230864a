"""Killed at any write, an event goes on where it stood: each pairing planned once, each game played once."""

import pytest
from event_world import new_event, play

from palio_db.store import Store
from palio_server.arena.kept_event import stored_event

EVENTS = {
    "round robin": ("dominoes", 4, "round_robin", {"rounds": 2}),
    "round robin of tables": ("chexers", 4, "round_robin", {}),
    "race league": ("chexers_solo", 3, "round_robin", {"rounds": 3}),
    "gauntlet": ("dominoes", 4, "gauntlet", {"rounds": 2}),
    "swiss": ("dominoes", 7, "swiss", {"rounds": 3}),
    "swiss with one game": ("dominoes", 6, "swiss", {"rounds": 3, "games_per_encounter": 1}),
    "swiss of tables": ("chexers", 7, "swiss", {"rounds": 2}),
    "knockout": ("dominoes", 6, "knockout", {"best_of": 2}),
    "knockout of tables": ("chexers", 5, "knockout", {}),
    "groups": ("dominoes", 7, "groups", {"groups": 2}),
    "sprt": ("dominoes", 2, "sprt", {"elo0": 0, "elo1": 400}),
}


async def outcome(store, number):
    """All that was planned and what came of it, without what differs from one life to the next."""
    stored = await stored_event(store, number)
    games = [
        (
            each.number,
            each.plan,
            sorted((match.game, match.bots, match.scores) for match in each.matches if match.scores),
        )
        for each in stored.event.encounters
    ]
    return games, stored.format.standings(stored.event), stored.row.stage


async def once(tmp_path, event, lives):
    """The outcome of an event that is killed by every `lives`-th write; how often it was."""
    game, bots, format_, rules = EVENTS[event]
    async with await Store.open(f"sqlite:///{tmp_path}/{event.replace(' ', '-')}-{lives}.db") as store:
        number = await new_event(store, game, bots, format_, rules)
        deaths = 0
        finished: list[str] = []
        while True:
            tournament, said = await play(store, number, lives=lives)
            finished += [line for line in said if line.startswith("Finished game")]
            if tournament is not None and tournament.over:
                break
            deaths += 1
            assert deaths < 2_000
        assert await store.recount() == []
        matches = await store.event_matches(number)
        assert len({(match.encounter, match.game) for match in matches}) == len(matches)
        assert not [match for match in matches if match.status in ("scheduled", "running")]
        assert len(finished) == len(set(finished))  # nothing was announced twice
        return await outcome(store, number), deaths


@pytest.mark.slow
@pytest.mark.parametrize("event", EVENTS)
async def test_an_event_that_is_killed_ends_as_one_that_is_not(tmp_path, event):
    whole, deaths = await once(tmp_path, event, None)
    assert deaths == 0
    assert whole[2] == "finished"
    for lives in (1, 2, 3, 7):
        if lives == 1 and event == "sprt":
            continue  # every write is the last one: minutes
        killed, deaths = await once(tmp_path, event, lives)
        assert deaths > 0
        assert killed == whole
