"""The plan of `palio run`, by its options or by the database."""

import pytest
from made_event import made_event, made_round_robin

from palio_rules.errors import BadOption
from palio_server.cli.palio import call
from palio_server.cli.run_options import RunOptions
from palio_server.cli.run_plan import new_plan, resumed_plan
from palio_server.cli.source import open_store
from palio_server.processes import Entrant
from palio_server.tournament.event import FILES
from palio_server.tournament.terms import Terms


def test_a_plan_says_all_that_is_kept_with_the_tournament():
    chosen = RunOptions(rounds=3, openings="2", seed=7, tc="10+0.1", concurrency=4, anchors=("best=1200",))
    plan = new_plan(chosen, "dominoes", {}, ["random", "best=greedy"])
    assert plan.name == "dominoes random best"
    assert plan.entrants == [Entrant("random", "random"), Entrant("best", "greedy")]
    kept = {
        name: plan.settings[name] for name in ("bots", "concurrency", "worker", "anchors", "openings", "seed", "time")
    }
    assert kept == {
        "bots": [["random", "random"], ["best", "greedy"]],
        "concurrency": 4,
        "worker": plan.worker,
        "anchors": {"best": 1200.0},
        "openings": {"random": 2},
        "seed": 7,
        "time": "10+0.1",
    }
    assert plan.settings == {**plan.terms.settings, **kept}
    assert (plan.format.name, plan.format.rules.rounds) == ("round_robin", 3)
    assert [(entry.bot, entry.number, entry.spec) for entry in plan.entries] == [
        ("random", 1, "random"), ("best", 2, "greedy")
    ]  # fmt: skip
    assert (plan.slots, list(plan.hints)) == (4, [])
    assert Terms.of("dominoes", plan.settings) == plan.terms


@pytest.mark.parametrize(
    ("given", "name", "rules"),
    [
        ({"format": "swiss", "rounds": 3}, "swiss", {"rounds": 3}),
        ({"format": "knockout:best_of=3"}, "knockout", {"best_of": 3}),
        ({"tie_breaks": "wins,koya"}, "round_robin", {"tie_breaks": ("wins", "koya")}),
        ({"sprt": "elo0=0 elo1=5 model=logistic"}, "sprt", {"elo1": 5.0, "model": "logistic"}),
        ({"format": "round-robin", "games_per_encounter": 1}, "round_robin", {"games_per_encounter": 1}),
    ],
)
def test_a_format_is_named_with_its_rules(given, name, rules):
    bots = ["random", "greedy", "planner", "mcts"][: 2 if name == "sprt" else 4]
    found = new_plan(RunOptions(**given), "dominoes", {}, bots).format
    assert found.name == name
    assert {key: getattr(found.rules, key) for key in rules} == rules


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"format": "swis"}, "unknown format 'swis'; did you mean 'swiss'?"),
        ({"format": "swiss:rouns=3"}, "swiss has no setting 'rouns'; did you mean 'rounds'?"),
        ({"format": "swiss:rounds=3", "rounds": 4}, "--format swiss:rounds=3 and --rounds both say it"),
        ({"format": "swiss", "sprt": "elo0=0 elo1=5"}, "--sprt is a format of its own; leave --format swiss out"),
        ({"sprt": "elo3=0"}, "sprt has no setting 'elo3'; did you mean 'elo"),
        ({"anchors": ("grady=1",)}, "--anchor names 'grady', who does not play; did you mean 'greedy'?"),
        ({"openings": "file=/nowhere"}, "--openings file=/nowhere cannot be read"),
        ({"by_time": True}, "dominoes is no race: --by-time ranks equal costs; leave it out"),
        ({"tie_breaks": "bucholz"}, "buchholz"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_played(given, says):
    with pytest.raises(BadOption) as refused:
        new_plan(RunOptions(**given), "dominoes", {}, ["random", "greedy"])
    assert says in str(refused.value)


def test_many_rounds_without_openings_are_hinted_at():
    [hint] = new_plan(RunOptions(rounds=2), "dominoes", {}, ["random", "greedy"]).hints
    assert "--openings 2 varies the start" in hint


def test_a_race_runs_alone_and_one_without_a_clock_gets_a_time():
    plan = new_plan(RunOptions(by_time=True), "tsp", {"size": "20"}, ["random", "greedy", "or_opt"], "berlin52")
    assert plan.name == "tsp berlin52 random greedy or_opt"
    assert (plan.concurrency, plan.slots, plan.settings["by_time"]) == (1, 1, True)
    assert plan.hints == ["tsp goes on until time is up: 5 s; --st gives it another time"]


def test_bots_play_enough_matches_at_once_to_keep_all_going():
    plan = new_plan(RunOptions(concurrency=3), "chexers", {}, ["random", "greedy", "max_n", "paranoid"])
    assert plan.slots == 3  # 9 seats for 4 bots


def test_one_bot_of_each_match_thinks_at_once_and_all_of_a_race():
    assert new_plan(RunOptions(concurrency=4), "dominoes", {}, ["random", "greedy"]).thinking == 4
    race = new_plan(RunOptions(concurrency=2), "tsp", {"size": "20"}, ["random", "greedy", "or_opt"])
    assert race.thinking == 6


async def test_an_interrupted_tournament_needs_only_the_bots_that_have_something_to_play(tmp_path):
    db = str(tmp_path / "palio.db")
    plan = new_plan(RunOptions(concurrency=1), "dominoes", {}, ["random", "greedy", "planner"])
    async with open_store(db, must_exist=False) as store:
        names = [bot.name for bot in plan.entrants]
        number = await made_round_robin(store, plan.name, names, 1, plan.settings, game="dominoes")
        for match in await store.matches(tournament=number):
            if "planner" in match.bots:
                await store.abort(match.id, "stopped", epoch=match.epoch)
    again = await resumed_plan(RunOptions(db=db, concurrency=2), number)
    assert (again.number, again.rounds, again.worker, again.concurrency) == (number, None, plan.worker, 2)
    assert again.entrants == plan.entrants
    assert [bot.name for bot in again.playing] == ["random", "greedy"]


async def test_a_tournament_may_go_on_with_more_rounds_than_it_had(tmp_path):
    db = str(tmp_path / "palio.db")
    plan = new_plan(RunOptions(), "dominoes", {}, ["random", "greedy"])
    async with open_store(db, must_exist=False) as store:
        number = await made_round_robin(store, "cup", ["random", "greedy"], 2, plan.settings, game="dominoes")
    again = await resumed_plan(RunOptions(db=db, rounds=5), number)
    assert (again.rounds, again.format.rules.rounds) == (5, 5)
    with pytest.raises(BadOption, match="2"):
        await resumed_plan(RunOptions(db=db, rounds=1), number)
    with pytest.raises(BadOption, match=f"tournament {number} goes on as it began, --tc cannot be changed"):
        await resumed_plan(RunOptions(db=db, tc="1+0"), number)


async def test_a_tournament_goes_on_with_its_files_unless_others_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    db = str(tmp_path / "palio.db")
    chosen = RunOptions(records="a.pgn", records_min=True, log_file="a.log,level=trace,append=false", exports=("a.md",))
    plan = new_plan(chosen, "dominoes", {}, ["random", "greedy"])
    async with open_store(db, must_exist=False) as store:
        number = await made_round_robin(store, "cup", ["random", "greedy"], 2, plan.settings, game="dominoes")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    again = RunOptions(db=db).with_files((await resumed_plan(RunOptions(db=db), number)).settings[FILES])
    assert (again.records, again.records_min) == (str(tmp_path / "a.pgn"), True)
    assert again.log_file == f"{tmp_path}/a.log,level=trace", "what was written before the interruption stays"
    assert again.exports == (str(tmp_path / "a.md"),)
    other = RunOptions(db=db, records="b.pgn")
    assert (await resumed_plan(other, number)).settings[FILES]["records"] == str(tmp_path / "elsewhere" / "b.pgn")
    assert other.with_files(plan.settings[FILES]).records_min is False


async def test_a_tournament_goes_on_with_a_large_book_only_if_it_has_not_changed(tmp_path):
    db, book = str(tmp_path / "palio.db"), tmp_path / "a.txt"
    book.write_text("a5-a4\nb5-b4\n" * 600)
    plan = new_plan(RunOptions(openings=f"file={book}"), "breakthrough", {}, ["random", "greedy"])
    assert len(str(plan.settings["openings"])) < 500
    async with open_store(db, must_exist=False) as store:
        number = await made_round_robin(store, "cup", ["random", "greedy"], 2, plan.settings, game="breakthrough")
    assert (await resumed_plan(RunOptions(db=db), number)).number == number
    book.write_text("b5-b4\na5-a4\n" * 600)
    with pytest.raises(BadOption, match=r"a.txt has changed since the tournament began; put the file back as it was"):
        await resumed_plan(RunOptions(db=db), number)


async def test_only_what_palio_run_has_made_can_be_resumed(tmp_path):
    db = str(tmp_path / "palio.db")
    async with open_store(db, must_exist=False) as store:
        number = await made_event(store, "cup", "dominoes", {}, [])
    with pytest.raises(BadOption, match=f"tournament {number} was not made by palio run"):
        await resumed_plan(RunOptions(db=db), number)
    with pytest.raises(BadOption, match=rf"there is no tournament 99 in .*; the newest are: {number}$"):
        await resumed_plan(RunOptions(db=db), 99)


@pytest.fixture
def author(tmp_path, monkeypatch):
    """The folder of an author, with a bot's file and a program."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").touch()
    (tmp_path / "bot.py").write_text('import palio\n\nclass Mine(palio.Bot):\n    games = ("chexers", "dominoes")\n')
    (tmp_path / "engine1").touch(mode=0o755)
    (tmp_path / "notes").touch(mode=0o644)


def before(bot, words):
    return f"'{bot}' is a bot; name the game before the bots, as in `palio run {words}`"


@pytest.mark.usefixtures("author")
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("run breakthrough mine random", "no bot called 'mine' is installed; for a file write ./mine.py"),
        ("run breakthrough random best=mine:depth=2", "no bot called 'mine' is installed; for a file write ./mine.py"),
        (
            "run breakthrough cmd=engine1 random",
            "no bot called 'engine1' is installed; for a program write exec:./engine1",
        ),
        ("run random greedy", before("random", "breakthrough random greedy")),
        ("run exec:./engine1 random", before("exec:./engine1", "breakthrough exec:./engine1 random")),
        ("run uci:fish best=uci:shark", before("uci:fish", "chess uci:fish best=uci:shark")),
        ("run best=gtp:gnugo random", before("gtp:gnugo", "go best=gtp:gnugo random")),
        ("run random", before("random", "breakthrough random greedy")),
        ("run ./bot.py random", before("./bot.py", "chexers ./bot.py random")),
        (
            "run best=bot.py:depth=2 greedy random",
            before("bot.py:depth=2", "chexers best=bot.py:depth=2 greedy random"),
        ),
        ("run bot random", before("bot", "chexers ./bot.py random")),
        ("run ./engine1 random", before("./engine1", "breakthrough exec:./engine1 random")),
        ("run ./ breakthrough", "'./' is a folder of bots; name the game before it, as in `palio run breakthrough ./`"),
        (
            "run ./mine.py random",
            "mine.py has no Game; write a class as in docs/tutorials/first-game.md, `class Nim(Game[Heaps, Take])`",
        ),
        (
            "run breakthrough random greedy --tc 10 0.1",
            "'0.1' is no game and no bot; write time and increment as one word: --tc 10+0.1",
        ),
        (
            "run --tc 10 2 breakthrough random greedy",
            "'2' is no game and no bot; write time and increment as one word: --tc 10+2",
        ),
    ],
)
def test_a_usual_slip_on_the_command_line_is_answered_with_what_was_meant(words, sentence, capsys):
    assert call(words.split()) == 2
    assert capsys.readouterr() == ("", f"palio: {sentence}\n")


@pytest.mark.usefixtures("author")
def test_an_installed_bot_a_path_and_a_file_that_is_no_program_are_left_alone(tmp_path):
    (tmp_path / "random.py").touch()
    bots = new_plan(RunOptions(), "dominoes", {}, ["random", "./mine.py", "exec:./engine1", "notes"]).entrants
    assert [bot.spec for bot in bots] == ["random", "./mine.py", "exec:./engine1", "notes"]


@pytest.mark.parametrize(
    ("game", "bots", "sentence"),
    [
        (
            "chess",
            ["fish", "crab"],
            "'fish' and 'crab' is installed, but a program is; if it speaks UCI, write uci:fish ",
        ),
        ("chess", ["old=fish", "random"], "'fish' is installed, but a program is; if it speaks UCI, write uci:fish"),
        ("chexers", ["fish", "random", "greedy"], "but a program is; if it speaks JSON lines, write exec:fish"),
    ],
)
def test_a_program_that_is_named_like_a_bot_is_told_with_its_scheme(tmp_path, monkeypatch, game, bots, sentence):
    for name in ("fish", "crab", "random"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadOption) as refused:
        new_plan(RunOptions(), game, {}, bots)
    assert sentence in str(refused.value)
