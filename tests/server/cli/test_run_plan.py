"""What `palio run` is to play, by its options or by the database."""

import pytest

from palio_rules.errors import BadOption
from palio_server.cli.run_plan import RunOptions, new_plan, resumed_plan
from palio_server.cli.source import open_store
from palio_server.processes import Entrant


def test_a_plan_says_all_that_is_kept_with_the_tournament():
    chosen = RunOptions(rounds=3, openings=2, seed=7, tc="10+0.1", concurrency=4)
    plan = new_plan(chosen, "dominoes", {}, ["random", "best=greedy"])
    assert plan.name == "dominoes random best"
    assert plan.entrants == [Entrant("random", "random"), Entrant("best", "greedy")]
    assert dict(plan.settings) == {
        "bots": [["random", "random"], ["best", "greedy"]],
        "concurrency": 4,
        "worker": plan.worker,
        "rounds": 3,
        "openings": 2,
        "seed": 7,
        "time": "10+0.1",
    }
    assert (plan.slots, plan.hints) == (4, [])


def test_many_rounds_without_openings_are_hinted_at():
    [hint] = new_plan(RunOptions(rounds=2), "dominoes", {}, ["random", "greedy"]).hints
    assert "--openings 2 varies them" in hint


def test_a_race_runs_alone_and_one_without_a_clock_gets_a_time():
    plan = new_plan(RunOptions(by_time=True), "tsp", {"size": "20"}, ["random", "greedy", "or_opt"], "berlin52")
    assert plan.name == "tsp berlin52 random greedy or_opt"
    assert (plan.concurrency, plan.slots, plan.settings["by_time"]) == (1, 1, True)
    assert plan.hints == ["tsp goes on until time is up: 5 s; --st gives it another time"]


def test_bots_play_enough_matches_at_once_to_keep_all_going():
    plan = new_plan(RunOptions(concurrency=3), "chexers", {}, ["random", "greedy", "max_n", "paranoid"])
    assert plan.slots == 3  # 9 seats for 4 bots


async def test_an_interrupted_tournament_needs_only_the_bots_that_have_something_to_play(tmp_path):
    db = str(tmp_path / "palio.db")
    plan = new_plan(RunOptions(concurrency=1), "dominoes", {}, ["random", "greedy", "planner"])
    async with open_store(db, must_exist=False) as store:
        number = await store.create_tournament(plan.name, plan.game, plan.settings, plan.schedule.setups())
        for match in await store.matches(tournament=number):
            if "planner" in match.bots:
                await store.abort(match.id, "stopped", epoch=match.epoch)
    again = await resumed_plan(RunOptions(db=db, concurrency=2), number)
    assert (again.number, again.schedule, again.worker, again.concurrency) == (number, None, plan.worker, 2)
    assert again.entrants == plan.entrants
    assert [bot.name for bot in again.playing] == ["random", "greedy"]


async def test_only_what_palio_run_has_made_can_be_resumed(tmp_path):
    db = str(tmp_path / "palio.db")
    async with open_store(db, must_exist=False) as store:
        number = await store.create_tournament("cup", "dominoes", {}, [])
    with pytest.raises(BadOption, match=f"tournament {number} was not made by palio run"):
        await resumed_plan(RunOptions(db=db), number)
    with pytest.raises(BadOption, match=rf"there is no tournament 99 in .*; the newest are: {number}$"):
        await resumed_plan(RunOptions(db=db), 99)
