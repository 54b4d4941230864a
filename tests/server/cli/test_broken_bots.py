"""Bots that cannot play: found before the first game, listed together, and what `--broken` makes of them."""

import asyncio
from pathlib import Path
from types import SimpleNamespace

import pytest

from palio_rules.errors import BadOption
from palio_server.cli.broken_bots import BrokenBots, line_about, reason, wrong_game
from palio_server.cli.run_options import RunOptions
from palio_server.cli.run_plan import ON_BROKEN, new_plan
from palio_server.processes import BotFailed, Entrant
from palio_server.tournament.event import BROKEN

WHY = (
    "the bot a (./a.py) ended with exit code 2 before it joined; its last lines on stderr:\n  Traceback\n  line 3: bad"
)

GOES_ON = "the tournament goes on: their games are lost by forfeit"


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
    assert text.splitlines() == [
        "2 of 4 bots cannot play:",
        "  a (./a.py) ended with exit code 2 before it joined: line 3: bad",
        "  b (./b.py) ended with exit code 2 before it joined: line 3: bad",
        f"{GOES_ON}, 2 of 4 bots play; --broken leave-out plays without them",
    ]


@pytest.mark.parametrize(
    ("spec", "said", "line"),
    [
        ("subs/a.py", "a.py cannot be loaded: line 3: Bad", "a: subs/a.py cannot be loaded: line 3: Bad"),
        ("subs/a.py", "/home/t/subs/a.py has no Bot; write one", "a: subs/a.py has no Bot; write one"),
        ("subs/a.py", "b.py, line 2: NameError", "a (subs/a.py): b.py, line 2: NameError"),
        ("subs/a.py:Mine", "SyntaxError: bad (a.py, line 4)", "a: SyntaxError: bad (subs/a.py, line 4)"),
        ("handout:dominoes:subs/a.py", "a.py, line 1: G has no get_best_move(self)",
         "a: subs/a.py, line 1: G has no get_best_move(self)"),
        ("handout:chexers:subs/team:player=P", "team/__init__.py has no P", "a: subs/team/__init__.py has no P"),
        ("./a.py", "there is no file 'a.py'; check the path (here is /scratch)",
         f"a: there is no file './a.py'; check the path (here is {Path.cwd()})"),
        ("nonesuch", "no bot called 'nonesuch' is installed", "a (nonesuch): no bot called 'nonesuch' is installed"),
        ("subs/a.py", "a.py cannot be loaded: line 3: no file\n  palio: the sandbox hides b\n  palio: name it",
         "a: subs/a.py cannot be loaded: line 3: no file; the sandbox hides b; name it"),
    ],
)  # fmt: skip
def test_a_bot_that_cannot_be_loaded_is_one_line_with_its_file_as_it_was_typed(spec, said, line):
    ended = "ended with exit code 2 before it joined; its last lines on stderr:\n  Error: its own line\n  Error: "
    assert line_about(Entrant("a", spec), f"the bot a ({spec}) {ended}{said}") == line


def test_a_bot_of_another_game_is_told_with_the_line_that_says_so(tmp_path):
    file = tmp_path / "a.py"
    file.write_text("class A:\n    x = 1\n    games = ('dominoes',)\n")
    bot = Entrant("a", str(file))
    why = wrong_game(bot, "chexers", "dominoes")
    assert line_about(bot, why) == f"a ({file}, line 3) does not play chexers, but dominoes"
    assert reason(plan_of(f"a={file}", "random"), "a", why) == "does not play chexers, but dominoes"


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
    with pytest.raises(BotFailed, match=r"(?s)  a .*\n  b .*--broken forfeit .*--broken leave-out"):
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
    silent = "the bot a (./a.py) made no move in 3 games in a row; it said nothing on stderr"
    assert reason(plan, "a", silent) == "made no move in 3 games in a row"


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
    assert "  greedy (greedy) does not play dominoes, but chexers" in said[0]


async def of_another_game(plan, name):
    """Return the decision about a plan in which this bot has joined and plays chexers only."""
    found, _ = broken(plan)
    bots = [SimpleNamespace(name=bot.name, games=(plan.game,)) for bot in plan.entrants if bot.name != name]
    bots.append(SimpleNamespace(name=name, games=("chexers",)))
    await found.all_known(SimpleNamespace(version=0, is_here=lambda _: True, connected=lambda: bots))
    return found


@pytest.mark.parametrize(
    ("bots", "chosen"),
    [
        (("random", "greedy"), {}),
        (("random", "greedy", "planner"), {"broken": "refuse"}),
        (("random", "greedy"), {"broken": "leave-out"}),
    ],
)
async def test_a_bot_of_another_game_is_wrong_use_of_the_command_line(bots, chosen):
    found = await of_another_game(plan_of(*bots, **chosen), "greedy")
    with pytest.raises(BotFailed, match="does not play dominoes, but chexers") as refused:
        found.plan()
    assert refused.value.usage


async def test_broken_files_are_a_failure_also_beside_a_bot_of_another_game():
    found = await of_another_game(plan_of("random", "a=./a.py", "greedy", broken="refuse"), "greedy")
    found.note(
        "a", "the bot a (./a.py) ended with exit code 2 before it joined; its last lines on stderr:\n  Error: line 4"
    )
    with pytest.raises(BotFailed, match="does not play dominoes, but chexers") as refused:
        found.plan()
    assert not refused.value.usage
