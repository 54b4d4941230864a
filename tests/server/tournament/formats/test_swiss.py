"""Swiss events are played to their end: duels, races and tables, with those who leave, come late or do not show up."""

from dataclasses import replace
from itertools import combinations

import pytest

from palio_db.event_values import Entry
from palio_rules.errors import BadOption
from palio_server.tournament.event import Event
from palio_server.tournament.format import format_of
from palio_server.tournament.trf import read_trf, trf_of
from palio_server.tournament.trf.rounds import check_rounds

DUEL, TABLE, RACE = "breakthrough", "chexers", "tsp"


def event_of(size: int, game: str = DUEL) -> Event:
    return Event(game, [Entry(f"bot{number}", number, 2000.0 - 10 * number) for number in range(1, size + 1)])


def meetings(event: Event) -> list[frozenset[str]]:
    played = [each.bots for each in event.encounters if each.plan.kind == "played"]
    return [frozenset(pair) for bots in played for pair in combinations(bots, 2)]


@pytest.mark.parametrize(
    ("game", "settings"), [(DUEL, {}), (DUEL, {"games_per_encounter": 1}), (RACE, {}), (DUEL, {"scoring": "games"})]
)
@pytest.mark.parametrize("size", [3, 5, 8, 13])
def test_every_round_pairs_everybody_with_somebody_new_until_it_is_over(size, game, settings, play_out):
    format_ = format_of("swiss", {"rounds": min(6, size // 2 + 1), **settings})
    event = play_out(format_, event_of(size, game), seed=size).event
    assert len(set(meetings(event))) == len(meetings(event))
    for round_ in range(1, event.last_round + 1):
        bots = [bot for encounter in event.round(round_) for bot in encounter.bots]
        assert sorted(bots) == sorted(entry.bot for entry in event.entries)
        assert {encounter.plan.opening for encounter in event.round(round_)} == {round_ - 1}
    assert format_.total(event) == len([match for each in event.encounters for match in each.matches])
    byes = [each.bots for each in event.encounters if each.plan.kind == "pairing-bye"]
    assert len(byes) == (event.last_round if size % 2 else 0)
    assert len(set(byes)) == len(byes)


def test_without_a_number_there_are_two_rounds_more_than_leave_one_without_a_loss(play_out):
    assert play_out(format_of("swiss"), event_of(16)).event.last_round == 6
    assert play_out(format_of("swiss"), event_of(4)).event.last_round == 3


def test_tables_of_three_seat_everybody_and_those_left_over_have_a_bye(play_out):
    event = play_out(format_of("swiss", {"rounds": 3}), event_of(10, TABLE)).event
    kinds = [encounter.plan.kind for encounter in event.round(2)]
    assert kinds.count("played") == 3
    assert kinds.count("pairing-bye") == 1
    assert "sit together" in format_of("swiss").why(event, event.round(2)[0])[0]


def test_who_leaves_is_absent_who_comes_late_is_paired_from_then_on(play_out):
    def meddle(played, step):
        if step == 6:
            played.enter(replace(played.event.entry("bot2"), left=played.event.last_round + 1))
            played.enter(Entry("late", 9, 1995.0, joined=played.event.last_round + 1))

    event = play_out(format_of("swiss", {"rounds": 5}), event_of(8), meddle=meddle).event
    late, gone = event.entry("late").joined, event.entry("bot2").left
    assert late == gone
    for round_ in range(1, 6):
        by_bot = {bot: each.plan.kind for each in event.round(round_) for bot in each.bots}
        assert by_bot["bot2"] == ("played" if round_ < gone else "absent")
        assert ("late" in by_bot) == (round_ >= late)


def test_an_announced_late_entrant_has_no_line_before_its_first_round_and_adds_no_round(play_out):
    announced = [Entry(f"late{number}", 4 + number, 1900.0 - number, joined=3) for number in range(1, 6)]
    format_ = format_of("swiss")
    alone = play_out(format_, event_of(4)).event
    event = Event(DUEL, [*event_of(4).entries, *announced])
    assert format_.rounds_in_all(event) == format_.rounds_in_all(event_of(4)) == alone.last_round
    event = play_out(format_, event).event
    for round_ in (1, 2):
        assert sorted(bot for each in event.round(round_) for bot in each.bots) == ["bot1", "bot2", "bot3", "bot4"]
    assert {bot for each in event.round(3) for bot in each.bots} == {entry.bot for entry in event.entries}


def test_a_granted_bye_is_half_a_point_and_no_pairing(play_out):
    event = event_of(7)
    event.enter(replace(event.entry("bot3"), byes=frozenset({2})))
    format_ = format_of("swiss", {"rounds": 4})
    event = play_out(format_, event).event
    kinds = {bot: each.plan.kind for each in event.round(2) for bot in each.bots}
    assert kinds["bot3"] == "half-bye"
    assert "pairing-bye" not in kinds.values()


@pytest.mark.parametrize("seed", range(6))
def test_nobody_waits_for_who_does_not_show_up(seed, play_out):
    format_ = format_of("swiss", {"rounds": 5, "games_per_encounter": 1})
    event = play_out(format_, event_of(9), seed=seed, absences=0.3).event
    fought = [frozenset(each.bots) for each in event.encounters if each.plan.kind == "played" and each.fought]
    assert len(set(fought)) == len(fought)


def test_when_all_have_met_the_event_goes_on_with_new_meetings(play_out):
    def meddle(played, step):
        if step == 3:
            for bot in ("bot5", "bot6"):
                played.enter(replace(played.event.entry(bot), left=2))

    event = play_out(format_of("swiss", {"rounds": 5}), event_of(6), meddle=meddle).event
    assert event.last_round == 5
    said = [" ".join(format_of("swiss", {"rounds": 5}).why(event, each)) for each in event.round(5)]
    assert any("meet again" in sentence for sentence in said)


def test_why_tells_of_every_board_of_the_real_decision(play_out):
    for settings in ({"games_per_encounter": 1}, {}):
        format_ = format_of("swiss", settings)
        event = play_out(format_, event_of(11), seed=3).event
        for encounter in event.encounters:
            words = " ".join(format_.why(event, encounter))
            assert "C.04.3" in words
            assert "paired when results" not in words


def test_an_exported_event_is_paired_the_same_by_the_tool_that_stands_alone(play_out):
    format_ = format_of("swiss", {"games_per_encounter": 1, "initial_colour": "black", "rounds": 6})
    event = play_out(format_, event_of(14), seed=4, absences=0.1).event
    file = read_trf(trf_of(event, "ours", rounds=6, initial="black"))
    assert file.played == 6
    assert all(check.same for check in check_rounds(file))


def test_in_two_games_the_first_seat_goes_round(play_out):
    event = play_out(format_of("swiss", {"rounds": 6}), event_of(12), seed=5).event
    for entry in event.entries:
        first = [each.bots[0] == entry.bot for each in event.encounters if entry.bot in each.bots]
        assert 2 <= sum(first) <= 4


def test_of_two_bots_that_were_first_equally_often_the_second_of_the_last_round_is_first(play_out):
    decided = 0
    for seed in range(8):
        event = play_out(format_of("swiss", {"rounds": 6}), event_of(12), seed=seed).event
        named_first: dict[str, list[bool]] = {entry.bot: [] for entry in event.entries}
        for round_ in range(1, event.last_round + 1):
            for encounter in event.round(round_):
                one, other = (named_first[bot] for bot in encounter.bots)
                if round_ > 1 and sum(one) == sum(other) and one[-1] != other[-1]:
                    decided += one[0] == other[0] or one[0] != one[-1]  # the first round alone would say otherwise
                    assert (one[-1], other[-1]) == (False, True), (seed, round_, encounter.bots)
            for encounter in event.round(round_):
                for bot in encounter.bots:
                    named_first[bot].append(bot == encounter.bots[0])
    assert decided > 10


@pytest.mark.parametrize(
    ("settings", "size", "message"),
    [
        ({"rounds": 8}, 8, "no two bots meet twice, so 8 bots have 7 rounds at most; give 1 to 7"),
        ({"rounds": 0}, 8, "give 1 to 7"),
        ({"rounds": 3}, 2, "so 2 bots have one round at most; give 1$"),
        ({"games_per_encounter": 3}, 8, "give 1 to 2"),
        ({}, 1, "needs 2 bots at least"),
    ],
)
def test_rules_that_cannot_be_are_refused_with_the_remedy(settings, size, message):
    with pytest.raises(BadOption, match=message):
        format_of("swiss", settings).check(event_of(size))


def test_rounds_can_be_added_never_taken_away(play_out):
    format_ = format_of("swiss", {"rounds": 3})
    event = play_out(format_, event_of(8)).event
    longer = format_.extended(event, 5)
    assert not longer.over(event)
    assert {plan.round for plan in longer.next(event, 1)} == {4}
    assert format_.admits_late(event)
    assert not longer.admits_late(event)
    with pytest.raises(BadOption, match="--rounds 2 cannot be: 3 rounds are paired already; give 3 or more"):
        format_.extended(event, 2)
    with pytest.raises(BadOption, match=r"--rounds 9 cannot be: .* 7 rounds at most; give 3 to 7"):
        format_.extended(event, 9)
