"""Which task has which game, until the game is over."""

from palio_db.values import Claim
from palio_rules.records.record import Setup
from palio_server.addons.cluster.tasks_out import Task, TasksOut


def task(*matches, worker="", **deadlines):
    claims = {match: Claim(match, 1, Setup("dominoes", ("a", "b"))) for match in matches}
    return Task(claims, None, 0.0, worker=worker, deadline=deadlines)


def test_a_game_is_out_from_its_task_to_its_commit():
    tasks, portion = TasksOut(), task("one", "two")
    tasks.add("k", portion)
    assert (tasks.of("one"), tasks.of("two"), len(tasks)) == (portion, portion, 2)
    assert tasks.claims() == [*portion.claims.values()]
    assert tasks.take("k") is portion
    assert tasks.take("k") is None
    assert tasks.of("one") is None
    assert tasks.games() == ["one", "two"]
    tasks.settling("one")
    tasks.over("two")
    tasks.over("two")
    assert tasks.games() == ["one"]


def test_a_worker_hangs_with_a_game_that_is_not_over_in_time():
    tasks = TasksOut()
    tasks.add("k", task("one", "two", worker="w", one=10.0, two=20.0, gone=5.0))
    tasks.add("l", task("three", three=1.0))  # nobody knows who plays it
    assert list(tasks.late(10.0)) == []
    assert list(tasks.late(10.1)) == [("w", ["one"])]
    assert list(tasks.late(20.1)) == [("w", ["one", "two"])]
    assert tasks.of_worker("w") == ["k"]
