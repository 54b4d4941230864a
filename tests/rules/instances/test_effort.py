"""The effort of a search: counted in positions, shared by all searches within it, called off from outside."""

import asyncio

import pytest

from palio_rules.errors import BadOption
from palio_rules.instances import chexers_solo, effort, rush_hour
from palio_rules.instances.effort import Effort, SearchCancelled, TooMuchWork, check_progress, spend, within


def test_without_an_effort_there_is_no_limit_and_a_later_one_starts_at_zero():
    spend(10**9)
    with within(found := Effort(10)):
        spend(10)
    assert found.spent == 10


def test_all_searches_within_an_effort_share_it():
    with within(found := Effort(10)):
        spend(6)
        spend(4)
        with pytest.raises(TooMuchWork, match=r"^the search is given up after 10 positions; ask for fewer or easier"):
            spend(1)
    spend(1)
    assert found.spent == 11


def test_a_search_that_was_called_off_ends_at_its_next_look_in_whatever_thread():
    async def stopped():
        with within(found := Effort()):
            found.stop()
            await asyncio.to_thread(spend, 1)

    with pytest.raises(SearchCancelled):
        asyncio.run(stopped())


def test_a_series_that_would_surely_take_too_much_ends_early():
    effort = Effort(1000)
    with within(effort):
        spend(199)
        check_progress(1, 100)  # too early to tell
        spend(201)
        check_progress(20, 100)  # it may just do
        with pytest.raises(TooMuchWork, match=r"^the first 19 took 400 positions to find, all 100 would take"):
            check_progress(19, 100)
    check_progress(1, 10**9)


def test_who_wants_a_board_pays_for_the_positions_that_are_looked_at():
    with within(found := Effort()):
        rows = rush_hour.generate.__wrapped__(3, 5, 3)
    assert found.spent > 0
    with within(Effort(found.spent)):
        assert rush_hour.generate.__wrapped__(3, 5, 3) == rows
    with within(Effort(found.spent - 1)), pytest.raises(TooMuchWork):
        rush_hour.generate.__wrapped__(3, 5, 3)
    with within(Effort(20)), pytest.raises(TooMuchWork):
        chexers_solo.generate.__wrapped__(3, 0, 4, 6, 20)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_seed_without_a_board_leads_on_to_the_same_next_one_everywhere(seed, monkeypatch):
    climb, seen = rush_hour._climb, []

    def first_fails(choose, side, moves):
        found = climb(choose, side, moves)
        seen.append(found[0])
        return found if len(seen) > 1 else (None, 3)

    alone = rush_hour.generate.__wrapped__(seed, 5, 2)
    monkeypatch.setattr(rush_hour, "_climb", first_fails)
    rows = rush_hour.generate.__wrapped__(seed, 5, 2)
    assert len(seen) == 2
    assert rows != alone
    seen.clear()
    assert rush_hour.generate.__wrapped__(seed, 5, 2) == rows


def test_after_a_few_seeds_without_a_board_it_is_refused(monkeypatch):
    tried = []
    monkeypatch.setattr(rush_hour, "_climb", lambda *_: (None, len(tried) or tried.append(1) or 0))
    monkeypatch.setattr(rush_hour, "SEEDS", 3)
    with pytest.raises(BadOption, match="no 6x6 board was found that needs 9 moves, the hardest one needs 1; try"):
        rush_hour.generate.__wrapped__(1, 6, 9)
    assert effort._current.get().most is None
