"""A bot that is absent for longer than the grace is overdue; one that comes back in time is not."""

from palio_server.arena.running_tournament import Absences


def test_a_bot_is_overdue_when_its_grace_is_over():
    absences = Absences(60.0)
    here = {"ann"}
    assert absences.overdue(["ann", "bob"], here.__contains__, 100.0) == set()
    assert absences.overdue(["ann", "bob"], here.__contains__, 159.9) == set()
    assert absences.overdue(["ann", "bob"], here.__contains__, 160.0) == {"bob"}


def test_to_come_back_begins_a_new_grace():
    absences = Absences(60.0)
    here = {"bob"}
    assert absences.overdue(["bob"], lambda _: False, 0.0) == set()
    assert absences.overdue(["bob"], here.__contains__, 59.0) == set()
    assert absences.overdue(["bob"], lambda _: False, 61.0) == set()
    assert absences.overdue(["bob"], lambda _: False, 121.0) == {"bob"}


def test_who_has_nothing_to_play_is_not_waited_for():
    absences = Absences(60.0)
    absences.overdue(["bob"], lambda _: False, 0.0)
    assert absences.overdue([], lambda _: False, 70.0) == set()
    assert absences.overdue(["bob"], lambda _: False, 71.0) == set()


def test_without_a_grace_nobody_is_overdue():
    absences = Absences(None)
    absences.overdue(["bob"], lambda _: False, 0.0)
    assert absences.overdue(["bob"], lambda _: False, 1e9) == set()
