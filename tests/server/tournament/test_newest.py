"""A value computed from an event is kept until any change of the event."""

from dataclasses import replace
from random import Random

import pytest

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan
from palio_server.tournament.event import Event
from palio_server.tournament.format import format_of
from palio_server.tournament.played_bracket import Newest

PLAN = Plan(1, 1, ("ann", "bob"), 2, 0, "played", "")
FIRST = EventMatch("m1", 1, 0, ("ann", "bob"), "scheduled")

CHANGES = {
    "an entry": lambda event: event.enter(Entry("cid", 3)),
    "an entry that leaves": lambda event: event.enter(replace(event.entry("ann"), left=2)),
    "an encounter": lambda event: event.add(EncounterRow(2, replace(PLAN, round=2))),
    "a whole encounter": lambda event: event.add_whole(event.encounter(1).numbered(2)),
    "a result": lambda event: event.note(replace(FIRST, status="finished", scores=(1.0, 0.0))),
    "a match that is off": lambda event: event.drop(1, ["m1"]),
    "a forfeit": lambda event: event.forfeit(1, "ann"),
    "another plan": lambda event: event.replan(1, replace(PLAN, bots=("ann",))),
}


def begun():
    event = Event("breakthrough", [Entry("ann", 1), Entry("bob", 2)])
    event.add(EncounterRow(1, PLAN))
    event.note(FIRST)
    return event


def test_it_is_made_once_for_an_event_that_stays_as_it_is():
    made = []
    newest = Newest(lambda event: made.append(event) or len(made))
    event = begun()
    assert [newest.of(event), newest.of(event)] == [1, 1]
    assert newest.of(begun()) == 2, "an equal event is another one"
    assert newest.of(event) == 3


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_after_any_change_it_is_made_anew(change):
    made = []
    newest = Newest(lambda event: made.append(event) or len(made))
    event = begun()
    newest.of(event)
    change(event)
    assert newest.of(event) == 2


def test_what_changes_while_it_is_made_makes_it_old():
    event = begun()

    def make(event):
        event.enter(Entry("cid", 3))
        return len(event.entries)

    newest = Newest(make)
    newest.of(event)
    event.enter(Entry("dan", 4))
    assert newest.of(event) == 4


@pytest.mark.parametrize("name", ["knockout", "groups"])
def test_a_format_that_was_asked_before_a_result_knows_it_after(name):
    rules = {"groups": 2, "advance": 1} if name == "groups" else {}
    format_ = format_of(name, rules)
    event = Event("breakthrough", [Entry(bot, number) for number, bot in enumerate(("ann", "bob", "cid", "dan"), 1)])
    while plans := format_.next(event, 100):
        for plan in plans:
            number = len(event.encounters) + 1
            event.add(EncounterRow(number, plan))
            assert plan.kind == "played"
            for game, bots in enumerate((plan.bots, plan.bots[::-1])):
                scores = tuple(float(bot == min(bots)) for bot in bots)
                assert not format_.over(event)
                event.note(EventMatch(f"m{number}.{game}", number, game, bots, "finished", scores))
    assert format_.over(event)
    assert format_.standings(event)[0].bot == "ann"


@pytest.mark.parametrize(
    ("name", "rules"), [("knockout", {}), ("groups", {"groups": 3}), ("groups", {"within": "swiss"})]
)
def test_a_format_that_has_followed_an_event_answers_as_one_that_sees_it_first(name, rules):
    random, follows = Random(name), format_of(name, rules)
    entries = [Entry(f"b{number}", number, 3000.0 - number) for number in range(1, 13)]
    event = Event("breakthrough", entries)
    matches: list[EventMatch] = []

    def seen_first():
        anew = Event("breakthrough", event.entries)
        for encounter in event.encounters:
            anew.add(EncounterRow(encounter.number, encounter.plan, encounter.forfeits))
            for match in encounter.matches:
                anew.note(match)
        return anew

    while not follows.over(event):
        anew, first = seen_first(), format_of(name, rules)
        plans = follows.next(event, 8)
        assert plans == first.next(anew, 8)
        assert follows.total(event) == first.total(anew)
        assert follows.standings(event) == first.standings(anew)
        assert follows.details(event) == first.details(anew)
        for plan in plans:
            number = len(event.encounters) + 1
            event.add(EncounterRow(number, plan))
            for game, bots in enumerate((plan.bots, plan.bots[::-1])[: plan.games]):
                matches.append(EventMatch(f"m{number}.{game}", number, game, bots, "scheduled"))
                event.note(matches[-1])
        if random.random() < 0.05:
            bot = random.choice(event.entries).bot
            event.enter(replace(event.entry(bot), left=event.last_round + 1))
        match = matches.pop(random.randrange(len(matches)))
        scores = random.choice([(1.0, 0.0), (0.0, 1.0), (0.5, 0.5)])
        event.note(replace(match, status="finished", scores=scores, ms=(10, 20)))
    assert follows.standings(event) == format_of(name, rules).standings(seen_first())
