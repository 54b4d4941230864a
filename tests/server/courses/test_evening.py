"""Tournaments of a term: who plays, what a repeated final plays again, and what comes of it."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_db.course_values import StudentRow, SubmissionRow
from palio_db.errors import Unreadable
from palio_db.event_values import Entry, EventMatch
from palio_server.courses.evening import (
    LeftOut,
    Repeat,
    TermBody,
    TermEntry,
    TermLine,
    decode_term,
    entrants,
    final_results,
    merged,
    planned_of,
    repeat_of,
    rounds_of,
    standings_of,
    terms_of,
)
from palio_server.courses.grading import FinalResult
from palio_server.courses.values import Checked, PlannedTournament
from palio_server.tournament.event import Encounter, Event
from palio_server.tournament.format import format_of

NOON = datetime(2026, 1, 20, 12, tzinfo=UTC)
TERMS = {"game": "dominoes", "format": "round_robin", "rounds": "1", "openings": "", "clock": "1", "seed": "1"}


def student(number, team="", gone=None):
    id_ = str(number)
    return StudentRow(number, "ai", id_, f"Name {id_}", "", team, f"bot-{id_}", None, False, False, gone)


def submission(number, team="", digest=None):
    at = (NOON, "server", NOON, digest or f"d{number}", 10, "", "")
    return SubmissionRow(f"s{number}", "ai", "dominoes", str(number), team, *at, current=True)


def entries(**digests):
    return tuple(TermEntry(bot, (bot,), f"s-{bot}", digest) for bot, digest in digests.items())


def test_broken_submissions_are_left_out_with_the_reason_and_teams_play_once():
    students = [student(1), student(2), student(3, "owls"), student(4, "owls"), student(5), student(6, gone=NOON)]
    rows = [submission(1), submission(2), submission(3, "owls"), submission(5), submission(6)]
    checks = {
        "s1": Checked(()),
        "s2": Checked((), broken="bot.py, line 1"),
        "s5": Checked((), unplayable="ends at once"),
    }
    found = entrants(students, rows, checks, {"s1", "s2", "s3", "s5", "s6"})
    assert found.entries == (
        TermEntry("bot-1", ("bot-1",), "s1", "d1"),
        TermEntry("bot-3", ("bot-3", "bot-4"), "s3", "d3"),  # not checked yet: it may play
    )
    assert found.left_out == (
        LeftOut("bot-2", ("bot-2",), "s2", "bot.py, line 1"),
        LeftOut("bot-5", ("bot-5",), "s5", "ends at once"),
    )
    assert entrants(students, rows, checks, {"s1"}).left_out == ()


def body(entries_, **more):
    lines = tuple(TermLine(1, each.bot, 0, 0, 0, 0, 0) for each in entries_)
    return TermBody(entries_, terms=TERMS, standings=lines, **more)


def test_a_repeated_final_plays_what_has_changed_and_only_that():
    former = body(entries(a="1", b="1", c="1"), sources=(3,))
    assert repeat_of(former, 7, entries(a="1", b="1", c="1"), TERMS) == Repeat("nothing", (), (7, 3))
    assert repeat_of(former, 7, entries(a="1", b="2", c="1"), TERMS) == Repeat("some", ("b",), (7, 3))
    assert repeat_of(former, 7, entries(a="1", b="1", c="1", d="1"), TERMS) == Repeat("some", ("d",), (7, 3))
    assert repeat_of(former, 7, entries(a="1", b="1"), TERMS) == Repeat("nothing", (), (7, 3))  # one has left
    assert repeat_of(former, 7, entries(a="2", b="2", c="2"), TERMS).plays == "all"
    assert repeat_of(former, 7, entries(a="1", b="2", c="1"), TERMS | {"clock": "2"}).plays == "all"
    assert (
        repeat_of(replace_terms(former, format="swiss"), 7, entries(a="1", b="2"), TERMS | {"format": "swiss"}).plays
        == "all"
    )
    assert repeat_of(TermBody(), None, entries(a="1"), TERMS).plays == "all"  # nothing came of it


def replace_terms(former, **more):
    return TermBody(former.entries, terms=TERMS | more, standings=former.standings)


def played(bots, only=(), win=None, number=1):
    """A round robin of one game a pair, in which the bot that is first in `win` wins."""
    event = Event("dominoes", [Entry(bot, place) for place, bot in enumerate(bots, 1)])
    for pair in combinations(bots, 2):
        if only and not {*only} & {*pair}:
            continue
        place = len(event.encounters) + 1
        plan = format_of("round_robin").next(Event("dominoes", [Entry(pair[0], 1), Entry(pair[1], 2)]), 9)[0]
        first = min(pair, key=win.index)
        scores = (1.0, 0.0) if pair[0] == first else (0.0, 1.0)
        match = EventMatch(f"m{number}-{place}", place, 0, pair, "finished", scores)
        event.add_whole(Encounter(place, replace(plan, bots=pair, games=1), (match,)))
    return event


BOTS = "abcde"


@given(st.sets(st.sampled_from(BOTS), min_size=1), st.permutations(BOTS), st.permutations(BOTS))
def test_kept_and_new_results_together_are_those_of_the_whole_final(changed, before, after):
    """However the changed bots play now: each pair counts once, from the newest event with its submissions."""
    old, new = entries(**dict.fromkeys(BOTS, "1")), entries(**{bot: "2" if bot in changed else "1" for bot in BOTS})
    first = played(BOTS, win=before)
    second = played(BOTS, only=changed, win=after, number=2)
    event = merged("dominoes", new, [(second, new), (first, old)])
    pairs = [frozenset(each.bots) for each in event.encounters]
    assert sorted(map(sorted, pairs)) == sorted(map(sorted, combinations(BOTS, 2)))
    lines = standings_of(event, format_of("round_robin"), ())
    assert sum(line.points for line in lines) == len(pairs)
    for encounter in event.encounters:
        order = after if changed & {*encounter.bots} else before
        [match] = encounter.matches
        assert match.bots[match.scores.index(1.0)] == min(encounter.bots, key=order.index)


def test_a_bot_that_has_left_takes_its_results_with_it():
    now = entries(a="1", b="1")
    event = merged("dominoes", now, [(played("abc", win="cab"), entries(a="1", b="1", c="1"))])
    [encounter] = event.encounters
    assert set(encounter.bots) == {"a", "b"}


def test_places_and_ratings_go_to_all_members_and_a_bot_that_did_not_start_has_none():
    those = (TermEntry("bot-1", ("bot-1", "bot-2"), "s1", "d"), TermEntry("bot-3", ("bot-3",), "s3", "d"))
    lines = (TermLine(1, "bot-1", 2, 2, 2, 0, 0, rating=1700.0), TermLine(2, "bot-3", 0, 0, 0, 0, 0, started=False))
    found = final_results(TermBody(those, standings=lines), [student(1), student(2), student(3)])
    assert found == {"1": FinalResult(1, 1700.0), "2": FinalResult(1, 1700.0)}


def test_a_rehearsal_has_the_terms_of_the_final(assignment_with):
    night, final = PlannedTournament("daily 03:00"), PlannedTournament("2027-02-16T12:00", clock="2", final=True)
    assignment = assignment_with(tournaments=(night, final))
    assert planned_of(assignment, "nightly") is night
    assert planned_of(assignment, "rehearsal") is planned_of(assignment, "final") is final
    assert planned_of(assignment_with(), "final") is None
    assert terms_of(assignment, final)["clock"] == "2"
    assert terms_of(assignment, night)["clock"] == assignment.clock


@pytest.mark.parametrize(
    ("format_", "bots", "rounds"), [("swiss", 2, 1), ("swiss", 4, 3), ("swiss", 9, 5), ("round_robin", 2, 5)]
)
def test_few_bots_play_as_many_of_the_planned_rounds_as_they_can(format_: str, bots: int, rounds: int):
    assert rounds_of(PlannedTournament("daily 03:00", format_, rounds=5), "dominoes", bots) == rounds
    assert rounds_of(PlannedTournament("daily 03:00", format_), "dominoes", bots) is None


def test_a_damaged_body_is_said():
    with pytest.raises(Unreadable, match="a course's tournament"):
        decode_term(b'{"entries": 3}')
