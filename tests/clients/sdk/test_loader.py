"""A SPEC names a bot, and every way to get it wrong is one sentence with the remedy."""

import subprocess
import sys
import types
from importlib.metadata import EntryPoint, EntryPoints, entry_points

import pytest

from palio_clients.sdk import loader
from palio_clients.sdk.bot import Bot
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.loader import entrant_of, load

HEAD = "from palio_clients import Bot\n"
MINE = "class Mine(Bot):\n    def choose(self, state, clock): return next(state.legal_moves())\n"


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes an author's file; what its loading leaves behind is undone."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    monkeypatch.chdir(tmp_path)

    def write(text, name="mine.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    yield write
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def made(spec):
    return load(spec).make(print)._make()


@pytest.mark.parametrize("name", ["random", "greedy", "planner", "alpha_beta:depth=2"])
def test_shipped_bots_are_found_by_name(name):
    assert isinstance(made(name), Bot)


def test_the_usual_name_tells_the_settings():
    assert load("alpha_beta:depth=4").name == "alpha_beta-depth4"
    assert load("random").name == "random"


def test_the_usual_name_leaves_out_every_equals_sign(write):
    write(HEAD + MINE, "m=1.py")
    write("#!/bin/sh\n", "e=2.sh").chmod(0o755)
    assert load("./m=1.py:Mine").name == "m1-Mine"
    assert load("exec:./e=2.sh --level=3").name == "e2-level3"


def test_the_one_bot_of_a_file_needs_no_name(write):
    write(HEAD + MINE)
    entrant = load("./mine.py")
    assert type(made("./mine.py")).__name__ == "Mine"
    assert entrant.name == "mine"
    assert "breakthrough" in entrant.games


def test_one_of_several_is_chosen_with_settings(write):
    other = MINE.replace("Mine", "Deep") + "    def __init__(self, depth: int = 1): self.depth = depth\n"
    write(HEAD + MINE + other)
    assert made("./mine.py:Deep:depth=3").depth == 3
    with pytest.raises(
        BadBot, match=r"has 2 bots, Deep in line \d and Mine in line \d; choose one: \./mine\.py:Deep or "
    ):
        load("./mine.py")


def test_a_base_class_of_ones_own_does_not_count(write):
    write(HEAD + "class Base(Bot):\n    pass\n" + MINE.replace("(Bot)", "(Base)"))
    assert type(made("./mine.py")).__name__ == "Mine"


def test_settings_may_follow_the_file_at_once(write):
    write(HEAD + MINE + "    def __init__(self, *, depth: int): self.depth = depth\n")
    assert made("./mine.py:depth=5").depth == 5
    with pytest.raises(BadBot, match="Mine needs the setting 'depth'; add depth=VALUE"):
        load("./mine.py")


def test_a_class_of_a_module_is_loaded():
    assert type(made("palio_clients.agents.random:RandomBot:seed=3")).__name__ == "RandomBot"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r"mine\.py has no Bot; write a class with `from palio import Bot`"),
        ("import nothing_like_it\n", r"line 1: ModuleNotFoundError: No module named 'nothing_like_it'"),
        ("x = 1\n1 / 0\n", r"mine\.py cannot be loaded: line 2: ZeroDivisionError"),
        ("def choose(:\n", r"mine\.py cannot be loaded: SyntaxError: .*line 1"),
        ("raise SystemExit(1)\n", r"line 1: SystemExit: 1"),
        (HEAD + "class Mine(Bot): pass\n", r"\./mine\.py, line 2: Mine cannot move; give it a method choose"),
        (
            HEAD + "class Mine(Bot):\n    def choose(self, state): ...\n",
            r"line 2: Mine has choose\(self, state\), which is called otherwise: choose\(self, state, clock\)",
        ),
        (
            HEAD + "class Mine(Bot):\n    def choose(state, clock): ...\n",
            r"line 2: Mine has choose\(state, clock\), which is called otherwise: choose\(self, state, clock\)",
        ),
        (
            HEAD + MINE + "    games = ('brakethrough',)\n",
            r"\./mine\.py, line \d: Mine: .*unknown game 'brakethrough'; did you mean 'breakthrough'\?",
        ),
        (HEAD + MINE + "    def __init__(self, x: 'Nope'): ...\n", r"annotations of Mine.__init__ cannot be read"),
    ],
)
def test_a_file_that_is_no_bot_is_reported_with_line_and_remedy(write, text, sentence):
    write(text)
    with pytest.raises(BadBot, match=sentence):
        load("./mine.py")


def test_a_class_that_cannot_choose_is_refused_before_it_joins():
    class Misspelt(Bot):
        def chose(self, state, clock):
            return state.legal_moves()[0]

    class Older(Bot):
        def choose(self, state):
            return state.legal_moves()[0]

    with pytest.raises(BadBot, match=r"^Misspelt cannot move; give it a method choose\(self, state, clock\)"):
        entrant_of(Misspelt)
    with pytest.raises(BadBot, match=r"^Older has choose\(self, state\), which is called otherwise"):
        entrant_of(Older)


def test_a_class_is_called_by_its_letters_without_accents():
    class Mine(Bot):
        def choose(self, state, clock):
            return state.legal_moves()[0]

    Mine.__name__ = "Müller"
    assert entrant_of(Mine).name == "muller"
    assert loader.usual_name("./müller.py") == "muller"


@pytest.mark.parametrize("value", ["Mine", None, int])
def test_what_is_no_class_of_bots_is_refused_with_what_to_give(value):
    with pytest.raises(BadBot, match=r"is no class of bots; give the class itself: run\(Mine, URL\)"):
        entrant_of(value)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("", "names no bot"),
        ("randon", r"no bot called 'randon' is installed; did you mean 'random'\?"),
        ("./", r"'\.' is a folder; name a file in it: mine\.py"),
        ("./nothing.py", r"there is no file 'nothing.py'; check the path"),
        ("random:Mine", "'Mine' in 'random:Mine' is no setting; write key=value"),
        ("ucii:stockfish", r"'ucii' in 'ucii:stockfish' is no installed bot and no scheme; did you mean 'uci'\?"),
        ("nowhere:Mine", r"'nowhere' .* is no installed bot and no scheme; known: alpha_beta, .*uci"),
        ("random:sed=3", r"RandomBot has no setting 'sed'; did you mean 'seed'\?"),
        ("random:seed=x", r"RandomBot setting seed='x': expected `int`"),
        ("random:seed=1,seed=2", "sets 'seed' twice"),
        ("alpha_beta:depth=-1", "AlphaBetaBot refuses its settings: depth, nodes and seconds cannot be negative"),
        ("champion:seconds=nan", r"ChampionBot refuses its settings: seconds must be finite.*; 0 is no limit"),
        ("hill_climbing:seconds=inf", "HillClimbingBot refuses its settings: seconds .* must be finite"),
        ("mcts:exploration=nan", "MctsBot refuses its settings: depth and exploration are 0 or more, and finite"),
        ("planner:weight=0.5", "PlannerBot refuses its settings: weight must be at least 1"),
        ("palio_clients.agents.random", "names a module but no class"),
        ("palio_clients.agents.random:RandomBat", r"did you mean 'RandomBot'\?"),
        ("palio_clients.nowhere:X", "palio_clients.nowhere cannot be imported: ModuleNotFoundError"),
        ("exec:", "names no program"),
        ("exec:./no-such-engine --x", r"there is no program './no-such-engine'; check the path"),
        ("exec:'unclosed", "cannot be read: No closing quotation"),
    ],
)
def test_a_spec_that_names_nothing_is_reported_with_the_remedy(spec, sentence):
    with pytest.raises(BadBot, match=sentence):
        load(spec)


def test_a_name_like_a_file_here_is_told_how_to_write_it(write):
    write(HEAD + MINE)
    with pytest.raises(BadBot, match=r"for a file write \./mine\.py"):
        load("mine")


def test_a_name_like_a_program_here_is_told_how_to_write_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "engine1").touch(mode=0o755)
    with pytest.raises(BadBot, match=r"for a program write exec:\./engine1"):
        load("engine1")


def test_an_authors_modules_and_ours_do_not_shadow_each_other(tmp_path):
    """In a process of its own: the author's folder has a rules.py, a server.py, a random.py, and a bot.py."""
    bot = "import rules, server\nfrom palio_clients import Bot\nclass Mine(Bot):\n"
    bot += "    depth = rules.DEPTH\n    def choose(self, state, clock): return None\n"
    (tmp_path / "bot.py").write_text(bot)
    (tmp_path / "rules.py").write_text("DEPTH = 42\n")
    (tmp_path / "server.py").write_text("")
    (tmp_path / "random.py").write_text("raise RuntimeError('the wrong random')\n")
    program = (
        f"from palio_clients.sdk.loader import load\nbot = load({str(tmp_path / 'bot.py')!r}).make(print)._make()\n"
        "import palio_clients.agents.random, palio_rules.contract.codec, importlib, random\n"
        "assert bot.depth == 42 and random.Random\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd="/", timeout=60)


# --- schemes: what else a spec may begin with -------------------------------------------------------------------------


@pytest.fixture
def scheme(monkeypatch):
    """Registers `value` for specs that begin with `name:`, as an installed package would."""

    def register(name, value):
        entry = EntryPoint(name, value, loader.SCHEMES)

        def points(**select):
            return EntryPoints([*entry_points(**select), *EntryPoints([entry]).select(**select)])

        monkeypatch.setattr(loader, "entry_points", points)

    return register


def of_two(spec):
    """A scheme: `NAME*SEED` is the random bot with this seed, under this name."""
    name, _, seed = spec.partition("*")
    return load(f"random:seed={seed}").named(name)


def test_a_package_may_register_a_scheme_of_its_own(scheme):
    module = types.ModuleType("two")
    module.of_two = of_two
    sys.modules["two"] = module
    scheme("two", "two:of_two")
    try:
        assert load("two:anna*3").name == "anna"
        assert load("random:seed=3").name == "random-seed3"
    finally:
        del sys.modules["two"]


def test_a_scheme_that_cannot_be_imported_is_named(scheme):
    scheme("two", "no_such_module:of_two")
    with pytest.raises(BadBot, match="what reads two: specs cannot be imported: ModuleNotFoundError"):
        load("two:anna*3")


@pytest.mark.parametrize("spec", ["exec:sh -c true", "handout:dominoes:./hw4.py"])
def test_programs_and_coursework_run_in_processes_of_their_own(write, spec):
    write(
        "class DominoesGame:\n    def __init__(self, board): ...\n    def get_best_move(self, vertical, limit): ...\n",
        "hw4.py",
    )
    assert load(spec).own_process
    assert not load("random").own_process
