"""Groups feed a bracket: the best go on, groups are kept apart, bots that leave are replaced, and it always ends."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_db.event_values import Plan
from palio_rules.errors import BadOption
from palio_server.tournament.cards import cards_of
from palio_server.tournament.format import Format, format_of
from palio_server.tournament.group_stage import EventPart
from palio_server.tournament.round_robin import berger, table_rounds
from palio_server.tournament.standing import Standing

EVENTS = 30  # whole ones that a law is tried on; they are long


def meetings(bots, seats):
    """Return every pairing once: round and group."""
    size = len(bots)
    rounds = table_rounds(size, seats)
    if seats == 2:
        rounds = [[pair for pair in berger(size, number) if max(pair) < size] for number in range(size - 1 + size % 2)]
    return [
        (number, tuple(bots[place] for place in group)) for number, groups in enumerate(rounds, 1) for group in groups
    ]


class EverybodyMeets(Format):
    """A small round robin, with boards left out where a bot has left, as large ones have them."""

    name, title = "everybody_meets", "Everybody meets"

    def check(self, event):
        if len(event.entries) < event.seats:
            raise BadOption("too few")

    def next(self, event, most):
        here = {(each.plan.round, each.plan.board) for each in event.encounters}
        bots, games = [entry.bot for entry in event.entries], 1 if event.race else 2
        seats, board, last = 2 if event.race else event.seats, 0, 0
        plans = []
        for round_, group in meetings(bots, seats):
            board, last = (board + 1 if round_ == last else 1), round_
            if (round_, board) not in here and all(event.entry(bot).plays_in(round_) for bot in group):
                plans.append(Plan(round_, board, group, games if seats == 2 else 6))
        soon = min((plan.round for plan in plans), default=0)
        return [plan for plan in plans if plan.round == soon] if event.all_over else []

    def over(self, event):
        return event.all_over and not self.next(event, 1)

    def standings(self, event):
        cards = sorted(cards_of(event, "encounters"), key=lambda card: -card.points)
        return [Standing(rank, card.bot, card.points, len(card.cells)) for rank, card in enumerate(cards, 1)]

    def tie_breaks(self, event):
        return ()

    def total(self, event):
        return 2 * len(meetings([entry.bot for entry in event.entries], event.seats))


def groups(**settings):
    format_ = format_of("groups", settings)
    format_.within = EverybodyMeets(None)
    return format_


def check_end(format_, event):
    lines = format_.standings(event)
    assert sorted(line.bot for line in lines) == sorted(entry.bot for entry in event.entries)
    assert [line.rank for line in lines] == sorted(line.rank for line in lines)
    for encounter in event.encounters:
        assert all(format_.why(event, encounter))


def bracket_of(event):
    return [each for each in event.encounters if not each.plan.part.startswith("group ")]


@pytest.mark.slow
@settings(max_examples=EVENTS)
@given(st.integers(4, 20), st.integers(0, 2**32))
def test_it_ends_with_one_winner_whatever_happens(director, count, seed):
    format_ = groups()
    events = director(format_, count, seed=seed, faults=True)
    format_.check(events.event())
    event = events.play_out()
    check_end(format_, event)
    assert [line.rank for line in format_.standings(event)].count(1) == 1 or not bracket_of(event)


@pytest.mark.slow
@settings(max_examples=EVENTS)
@given(st.integers(9, 20), st.integers(0, 2**32))
def test_tables_of_three_end_with_one_winner_whatever_happens(director, count, seed):
    format_ = groups(groups=3, advance=1)
    events = director(format_, count, "chexers", seed=seed, faults=True)
    format_.check(events.event())
    check_end(format_, events.play_out())


@pytest.mark.slow
@settings(max_examples=EVENTS)
@given(st.integers(4, 20), st.integers(0, 2**32))
def test_the_bracket_begins_when_all_groups_are_over_and_its_rounds_follow(director, count, seed):
    format_ = groups(extra=0)
    events = director(format_, count, seed=seed)
    before = format_.total(events.event())
    event = events.play_out()
    first = bracket_of(event)[0]
    in_groups = [each for each in event.encounters if each.plan.part.startswith("group ")]
    assert all(each.number < first.number for each in in_groups)
    assert max(each.plan.round for each in in_groups) + 1 == min(each.plan.round for each in bracket_of(event))
    played = {each.plan.opening for each in bracket_of(event) if each.plan.kind == "played"}
    assert min(played) > max(each.plan.opening for each in in_groups)
    assert len(events.matches) == format_.total(event) == before


@pytest.mark.slow
@settings(max_examples=EVENTS)
@given(st.integers(8, 24), st.integers(0, 2**32))
def test_nobody_meets_its_own_group_in_the_first_round_of_the_bracket(director, count, seed):
    format_ = groups()
    event = director(format_, count, seed=seed).play_out()
    homes = {bot: group.name for group in format_.details(event).groups for bot in group.bots}
    first = min(each.plan.round for each in bracket_of(event))
    meetings = [each.bots for each in bracket_of(event) if each.plan.round == first]
    assert meetings
    assert all(len({homes[bot] for bot in bots}) == len(bots) for bots in meetings)


def test_where_the_stronger_always_wins_the_seeds_advance(director):
    format_ = groups()
    event = director(format_, 16, stronger=True).play_out()
    details = format_.details(event)
    assert details.groups[0].bots == ["b1", "b8", "b9", "b16"]
    assert [group.name for group in details.groups] == ["A", "B", "C", "D"]
    assert [round_.number for round_ in details.bracket.rounds] == [4, 5, 6]
    final = details.bracket.rounds[-1].matches[0]
    assert (final.bots, final.winner) == (["b1", "b2"], "b1")
    assert [event.encounter(number).plan.part for number in final.encounters] == ["final"]
    lines = format_.standings(event)
    assert [line.bot for line in lines[:4]] == ["b1", "b2", "b3", "b4"]
    assert [line.rank for line in lines] == [1, 2, 3, 4, 5, 5, 5, 5, 9, 9, 9, 9, 13, 13, 13, 13]
    assert lines[0].note == "won the final; first in group A"
    assert lines[-1].note == "4th in group D"
    assert format_.why(event, bracket_of(event)[0])[0] == f"{bracket_of(event)[0].bots[0]} came first in group A."


def test_who_leaves_after_the_groups_is_replaced_by_the_next_of_its_group(director):
    format_ = groups(groups=2)
    events = director(format_, 8, stronger=True)
    while len([*events.event().settled]) < 11:  # of two groups of four, with six encounters each
        events.plan()
        events.step()
    gone = next(bot for bot in ("b1", "b2") if bot not in events.event().open[0].bots)
    events.withdraw(gone)
    while not bracket_of(events.event()):
        events.step()
        events.plan()
    drawn = {bot for each in bracket_of(events.event()) for bot in each.bots}
    assert gone not in drawn
    assert len(drawn) == 4
    event = events.play_out()
    assert next(line.rank for line in format_.standings(event) if line.bot == gone) > 4


def test_before_the_groups_are_over_places_in_them_are_ranks(director):
    format_ = groups(groups=2)
    events = director(format_, 6)
    events.plan()
    lines = format_.standings(events.event())
    assert [line.rank for line in lines] == [1, 1, 3, 3, 5, 5]
    assert format_.details(events.event()).bracket is None
    assert not format_.over(events.event())


@pytest.mark.parametrize(
    ("count", "game", "settings", "sentence"),
    [
        (5, "breakthrough", {"groups": 3}, "5 bots in 3 groups, of which 2 each go on, do not work"),
        (8, "breakthrough", {"advance": 0}, "one must go on"),
        (8, "breakthrough", {"groups": 0}, "groups=0 is out of range; give 1 to 26"),
        (12, "chexers", {"groups": 2}, "2 groups with advance=2 make 4: .* take 3 or 5"),
        (8, "breakthrough", {"best_of": 0}, "best_of=0 is out of range; give 1 to 99"),
    ],
)
def test_what_cannot_be_is_refused_with_the_remedy(director, count, game, settings, sentence):
    format_ = groups(**settings)
    with pytest.raises(BadOption, match=sentence):
        format_.check(director(format_, count, game).event())


def test_late_entries_are_taken_until_the_groups_are_drawn(director):
    format_ = groups()
    events = director(format_, 8)
    assert format_.admits_late(events.event()) == ""
    events.plan()
    assert "the groups are drawn" in format_.admits_late(events.event())
    with pytest.raises(BadOption, match="leave --rounds out"):
        format_.extended(events.event(), 3)


def test_an_encounter_is_found_in_its_part(director):
    format_ = groups()
    event = director(format_, 8, stronger=True).play_out()
    encounter = bracket_of(event)[-1]
    stage = format_._stage(event)
    assert isinstance(stage.bracket, EventPart)
    assert stage.bracket.here(encounter).bots == encounter.bots


@pytest.mark.slow
@settings(max_examples=EVENTS)
@given(st.integers(4, 14), st.integers(1, 2), st.sampled_from(["breakthrough", "tsp"]), st.integers(0, 2**32))
def test_groups_play_the_round_robin_that_ships(director, count, rounds, game, seed):
    format_ = format_of("groups", {"rounds": rounds})
    assert format_.within.name == "round_robin"
    events = director(format_, count, game, seed=seed, faults=True)
    format_.check(events.event())
    check_end(format_, events.play_out())


@pytest.mark.slow
@pytest.mark.parametrize("count", range(4, 41, 3))
def test_events_of_each_size_end_well(director, count):
    for seed in range(4):
        format_ = groups(advance=1 + seed % 2)
        check_end(format_, director(format_, count, seed=seed, faults=True).play_out())
