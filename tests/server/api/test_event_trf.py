"""A tournament begins as a TRF file says; what was played elsewhere is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan
from palio_rules.errors import BadOption
from palio_server.api.event_requests import EventRequest, draft_for, trf_start
from palio_server.tournament.event import Event
from palio_server.tournament.trf.events import trf_of

names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}", fullmatch=True)
ratings = st.none() | st.integers(1, 3000).map(float)
byes = st.frozensets(st.integers(1, 9), max_size=4)


@given(st.lists(st.tuples(names, ratings, byes), min_size=2, max_size=12, unique_by=lambda bot: bot[0]), st.data())
def test_what_is_exported_is_entered_again_in_the_order_of_the_seeds(bots, data):
    entries = [Entry(bot, number, rating, byes=free) for number, (bot, rating, free) in enumerate(bots, 1)]
    event, rounds = Event("breakthrough", entries), data.draw(st.integers(1, 9))
    start = trf_start(trf_of(event, "Spring cup", rounds=rounds, initial="black"), "swiss")
    assert start.rules == {"rounds": rounds, "initial_colour": "black"}
    assert start.name == "Spring cup"
    assert [(entry.bot, entry.rating, entry.byes) for entry in start.entries] == [
        (entry.bot, entry.rating, entry.byes) for entry in event.seeds()
    ]
    assert [entry.number for entry in start.entries] == list(range(1, len(bots) + 1))
    assert all((entry.joined, entry.left) == (1, None) for entry in start.entries)


def with_cell(cell: str) -> str:
    event = Event("breakthrough", [Entry("ann", 1, 1700.0), Entry("bob", 2, 1600.0), Entry("cid", 3, 1500.0)])
    lines = trf_of(event, "cup", rounds=3).splitlines()
    return "\n".join(f"{line}  {cell}" if " cid " in line else line for line in lines)


def test_who_is_absent_in_the_first_round_comes_in_the_second_and_a_bye_is_half_a_point():
    assert [entry.joined for entry in trf_start(with_cell("0000 - Z"), "swiss").entries] == [1, 1, 2]
    assert [entry.byes for entry in trf_start(with_cell("0000 - H"), "swiss").entries] == [set(), set(), {1}]
    with pytest.raises(BadOption, match="cid has a full-point bye"):
        trf_start(with_cell("0000 - F"), "swiss")


def test_rounds_of_another_format_are_its_own():
    text = with_cell("0000 - H")
    assert trf_start(text, "knockout").rules == trf_start(text, "round_robin").rules == {}


def test_rounds_that_were_played_elsewhere_are_refused_with_the_remedy():
    event = Event("breakthrough", [Entry("ann", 1, 1700.0), Entry("bob", 2, 1600.0)])
    event.add(EncounterRow(1, Plan(1, 1, ("ann", "bob"), 1)))
    event.note(EventMatch("m1", 1, 0, ("ann", "bob"), "finished", (1.0, 0.0)))
    with pytest.raises(BadOption, match=r"has a round already.*palio pairing next"):
        trf_start(trf_of(event, "cup"), "swiss")
    with pytest.raises(BadOption, match="keeps players apart"):
        trf_start(with_cell("0000 - H") + "\nXXP 1 2", "swiss")


def test_what_is_asked_for_counts_before_the_file():
    request = EventRequest(game="breakthrough", format="swiss", trf=with_cell("0000 - H"), rounds=2, grace_s=5)
    draft = draft_for(request)
    assert (draft.name, draft.rules["rounds"], draft.settings["grace_s"]) == ("cup", 2, 5)
    assert [entry.bot for entry in draft.entries] == ["ann", "bob", "cid"]
    with pytest.raises(Exception, match="leave `bots` and `ratings` out"):
        draft_for(EventRequest(game="breakthrough", trf=with_cell("0000 - H"), bots=["eve"]))
