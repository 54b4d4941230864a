"""Bots that cannot play: found before the first game, listed together, and what `--broken` makes of them."""

import asyncio
from types import SimpleNamespace

import pytest

from palio_rules.errors import BadOption
from palio_server.cli.run_options import RunOptions
from palio_server.cli.run_plan import ON_BROKEN, BrokenBots, new_plan, reason
from palio_server.processes import BotFailed
from palio_server.tournament.event import BROKEN

WHY = (
    "the bot a (./a.py) ended with exit code 2 before it joined; its last lines on stderr:\n  Traceback\n  line 3: bad"
)


def plan_of(*bots, **chosen):
    return new_plan(RunOptions(**chosen), "dominoes", {}, bots)


def broken(plan, *names, choice=None):
    said = []
    found = BrokenBots(plan, choice, said.append)
    for name in names:
        spec = next(bot.spec for bot in plan.entrants if bot.name == name)
        assert found.note(name, WHY.replace("bot a (./a.py)", f"bot {name} ({spec})"))
    return found, said


@pytest.mark.parametrize(
    ("bots", "chosen", "choice"),
    [
        (("random", "greedy"), {}, "refuse"),
        (("random", "greedy"), {"sprt": "elo0=0 elo1=5"}, "refuse"),
        (("random", "greedy", "planner"), {}, "forfeit"),
        (("random", "greedy"), {"broken": "forfeit"}, "forfeit"),
        (("random", "greedy", "planner"), {"broken": "leave-out"}, "leave-out"),
    ],
)
def test_two_bots_and_a_test_are_refused_and_more_go_on_unless_it_is_said(bots, chosen, choice):
    assert BrokenBots(plan_of(*bots, **chosen), None, print).choice == choice


def test_a_resumed_tournament_does_what_was_said_when_it_began_unless_it_is_said_anew():
    plan = plan_of("random", "greedy", "planner", broken="leave-out")
    assert plan.settings[ON_BROKEN] == "leave-out"
    assert BrokenBots(plan, None, print).choice == "leave-out"
    assert BrokenBots(plan, "refuse", print).choice == "refuse"


def test_a_test_of_two_cannot_do_without_one():
    with pytest.raises(BadOption, match="an SPRT needs both of its bots"):
        plan_of("random", "greedy", sprt="elo0=0 elo1=5", broken="forfeit")


def test_without_broken_bots_nothing_is_said_and_the_plan_stays():
    plan = plan_of("random", "greedy", "planner")
    found, said = broken(plan)
    assert found.plan() is plan
    assert said == []


def test_they_stay_entrants_with_the_reason_and_are_told_of_together():
    plan = plan_of("a=./a.py", "random", "b=./b.py", "greedy")
    found, said = broken(plan, "b", "a")
    changed = found.plan()
    assert changed.entrants == plan.entrants
    assert changed.broken == {"a", "b"}
    assert changed.settings[BROKEN] == dict.fromkeys("ab", "ended with exit code 2 before it joined: line 3: bad")
    [text] = said
    assert text.startswith("2 of 4 bots cannot play:\n  the bot a (./a.py) ended with exit code 2 before it joined")
    assert text.index("the bot a") < text.index("the bot b")
    assert "    line 3: bad" in text
    assert text.endswith("the tournament goes on: their games are lost by forfeit")


def test_the_tournament_begins_without_them_and_without_their_anchors():
    plan = plan_of("a=./a.py", "random", "greedy", broken="leave-out", anchors=("a=1000", "greedy=1200"))
    changed = broken(plan, "a")[0].plan()
    assert [entry.bot for entry in changed.entries] == ["random", "greedy"]
    assert [entry.number for entry in changed.entries] == [1, 2]
    assert changed.settings["bots"] == [["random", "random"], ["greedy", "greedy"]]
    assert changed.settings["anchors"] == {"greedy": 1200.0}
    assert changed.name == "dominoes random greedy"


def test_too_few_that_are_left_are_a_sentence_after_the_list():
    plan = plan_of("a=./a.py", "b=./b.py", "greedy", broken="leave-out")
    with pytest.raises(BotFailed, match=r"(?s)2 of 3 bots .*without them the tournament cannot begin: .* two bots"):
        broken(plan, "a", "b")[0].plan()


def test_a_refusal_lists_all_of_them_and_names_the_other_choices():
    plan = plan_of("a=./a.py", "b=./b.py", "greedy", "random", broken="refuse")
    with pytest.raises(BotFailed, match=r"(?s)bot a .*bot b .*--broken forfeit .*--broken leave-out"):
        broken(plan, "a", "b")[0].plan()
    with pytest.raises(BotFailed) as refused:
        broken(plan_of("a=./a.py", "greedy"), "a")[0].plan()
    assert str(refused.value) == WHY


def test_nothing_goes_on_if_all_are_broken():
    plan = plan_of("a=./a.py", "b=./b.py", "c=./c.py")
    with pytest.raises(BotFailed, match="3 of 3 bots cannot play"):
        broken(plan, "a", "b", "c")[0].plan()


def test_a_bot_that_fails_when_it_is_decided_fails_as_any_other():
    found, _ = broken(plan_of("a=./a.py", "random", "greedy"))
    found.plan()
    assert not found.note("a", WHY)
    assert not broken(plan_of("random", "greedy"))[0].note("stranger", WHY)


def test_the_reason_is_one_line_with_the_bots_own_path():
    plan = plan_of("a=./a.py", "random")
    there = WHY.replace("./a.py", "/scratch/worker-1/0/a.py")
    assert reason(plan, "a", there) == "ended with exit code 2 before it joined: line 3: bad"
    assert reason(plan, "a", "the bot a (./a.py) does not play dominoes, but chexers") == (
        "does not play dominoes, but chexers"
    )
    assert reason(plan, "a", "something else") == "something else"


async def test_all_are_known_when_each_has_joined_or_is_broken_and_one_of_another_game_is_broken():
    plan = plan_of("a=./a.py", "random", "greedy")
    found, said = broken(plan)
    here, changed = set(), asyncio.Event()

    async def change(since):
        await changed.wait()
        changed.clear()

    def connected():
        return [SimpleNamespace(name=name, games=("chexers",) if name == "greedy" else ("dominoes",)) for name in here]

    lobby = SimpleNamespace(version=0, is_here=here.__contains__, changed=change, connected=connected)
    known = asyncio.create_task(found.all_known(lobby))
    await asyncio.sleep(0)
    here.update(("random", "greedy"))
    changed.set()
    await asyncio.sleep(0)
    assert not known.done()
    found.note("a", WHY)
    await known
    assert found.plan().broken == {"a", "greedy"}
    assert "the bot greedy (greedy) does not play dominoes, but chexers" in said[0]
