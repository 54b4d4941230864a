"""From a match to those beside it: of its event in the order of plans, else of the same bots by age."""

from palio_db.event_values import EncounterRow, Entry, Plan, TournamentDraft
from palio_db.profiles import MatchPlace
from palio_rules.records.record import Setup


def setup(*bots, game="breakthrough"):
    return Setup(game, bots)


async def test_a_match_of_no_event_stands_between_others_of_the_same_bots(store):
    first = await store.schedule(setup("ann", "bob"))
    await store.schedule(setup("ann", "cas"))
    await store.schedule(setup("ann", "bob", game="dominoes"))
    second = await store.schedule(setup("bob", "ann"))
    third = await store.schedule(setup("ann", "bob"))
    assert await store.place(second) == MatchPlace(None, None, first, third)
    assert await store.place(first) == MatchPlace(None, None, None, second)
    assert await store.place("nothing") == MatchPlace()


async def test_games_of_an_event_stand_as_they_were_planned(store):
    entries = tuple(Entry(bot, number) for number, bot in enumerate(("ann", "bob", "cas", "dan")))
    draft = TournamentDraft("cup", "breakthrough", "swiss", {"rounds": 1}, {}, entries, stage="running")
    number = await store.create_event(draft)
    rows = [EncounterRow(1, Plan(1, 1, ("ann", "bob"), 2)), EncounterRow(2, Plan(1, 2, ("cas", "dan"), 1))]
    games = [(2, 0, setup("cas", "dan")), (1, 1, setup("bob", "ann")), (1, 0, setup("ann", "bob"))]
    other, second, first = await store.plan(number, rows, games, "cup")
    assert await store.place(first) == MatchPlace(1, 0, None, second)
    assert await store.place(second) == MatchPlace(1, 1, first, other)
    assert await store.place(other) == MatchPlace(2, 0, second, None)
