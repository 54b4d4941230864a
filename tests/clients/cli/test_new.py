"""`palio new` writes a file and its test, never over others, and says what comes next."""

import pytest
from click.testing import CliRunner

from palio_clients.cli.new import new


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        done = CliRunner().invoke(new, arguments)
        return done.exit_code, done.output

    return run


def test_a_bot_and_what_comes_next(write, tmp_path):
    code, said = write("bot", "mine.py", "--game", "chexers")
    assert code == 0
    assert said.splitlines() == [
        "wrote mine.py, which plays Chexers at random, and test_mine.py",
        "next:",
        "  pytest test_mine.py",
        "  palio check-bot ./mine.py",
        "  palio run chexers ./mine.py greedy random --rounds 5",
    ]
    assert "class Mine(Bot):" in (tmp_path / "mine.py").read_text()


def test_a_program_is_built_first_and_the_suffix_is_known(write, tmp_path):
    code, said = write("bot", "my_bot", "--language", "rust", "--game", "breakthrough:rows=8,cols=8")
    assert code == 0
    assert said.splitlines()[2:] == [
        "  pytest test_my_bot.py",
        "  rustc -O my_bot.rs -o my_bot-rs",
        "  palio check-bot exec:./my_bot-rs --game breakthrough",
        "  palio run breakthrough:rows=8,cols=8 exec:./my_bot-rs greedy --rounds 5",
    ]
    assert "BBBBBBBB/BBBBBBBB/" in (tmp_path / "my_bot.rs").read_text()


def test_a_file_elsewhere_is_gone_to_first(write, tmp_path):
    (tmp_path / "a b").mkdir()
    assert "  cd 'a b'\n" in write("bot", "a b/mine.py", "--game", "tsp")[1]


def test_nothing_is_written_over_unless_forced(write, tmp_path):
    (tmp_path / "test_mine.py").write_text("mine")
    assert write("bot", "mine.py", "--game", "chexers") == (
        2,
        "Error: test_mine.py is there already; --force writes over it\n",
    )
    assert not (tmp_path / "mine.py").exists()
    assert (tmp_path / "test_mine.py").read_text() == "mine"
    assert write("bot", "mine.py", "--game", "chexers", "--force")[0] == 0
    assert "test_mine.py are there" in write("game", "mine.py")[1]


def test_a_second_bot_of_the_same_name_gets_a_test_of_its_own(write, tmp_path):
    assert write("bot", "mine.py", "--game", "chexers")[0] == 0
    first = (tmp_path / "test_mine.py").read_text()
    code, said = write("bot", "mine.rs", "--game", "chexers")
    assert code == 0, said
    assert said.splitlines()[0] == "wrote mine.rs, which plays Chexers at random, and test_mine_rs.py"
    assert "  pytest test_mine_rs.py" in said.splitlines()
    assert "`pytest test_mine_rs.py`" in (tmp_path / "test_mine_rs.py").read_text()
    assert (tmp_path / "test_mine.py").read_text() == first
    assert write("bot", "mine.rs", "--game", "chexers")[1].startswith("Error: mine.rs and test_mine_rs.py are there")
    assert write("bot", "mine.py", "--game", "dominoes", "--force")[1].splitlines()[0].endswith("and test_mine.py")
    assert "Dominoes" in (tmp_path / "test_mine.py").read_text()


def test_bots_of_one_name_in_all_languages_are_built_to_different_programs(write, tmp_path):
    built = set()
    for suffix in ("rs", "go", "cpp", "java"):
        code, said = write("bot", f"mine.{suffix}", "--game", "chexers")
        assert code == 0, said
        [line] = [line for line in said.splitlines() if line.startswith(("  rustc", "  go build", "  g++", "  javac"))]
        built |= {word for word in line.split() if word.startswith("mine-")}
    assert built == {"mine-rs", "mine-go", "mine-cpp", "mine-java-classes"}
    assert "'exec:./mine-rs'" in (tmp_path / "mine.rs").read_text()


def test_a_game_is_called_as_its_file(write, tmp_path):
    code, said = write("game", "my_game.py")
    assert code == 0
    assert "palio check-game ./my_game.py" in said
    text = (tmp_path / "my_game.py").read_text()
    assert 'name = "my_game"' in text
    assert "class MyGame(Game[Position, Move]):" in text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["bot", "mine.py"], "Missing option '--game'"),
        (["bot", "mine.py", "--game", "chexrs"], "did you mean 'chexers'?"),
        (["bot", "mine.py", "--game", "breakthrough:rows=99"], "rows='99'"),
        (["bot", "mine.rb", "--game", "chexers"], "mine.rb: no language is known by .rb; known: .py, .mjs"),
        (["bot", "mine.py", "--language", "rust", "--game", "chexers"], "mine.py is a file of python, not of rust"),
        (["bot", "mine", "--language", "ruts", "--game", "chexers"], "did you mean 'rust'?"),
        (["bot", "mine.txt", "--language", "go", "--game", "chexers"], "call it mine.go"),
        (["bot", "my-bot.py", "--game", "chexers"], "my-bot.py is no name for a module; call it my_bot.py"),
        (["bot", "class.py", "--game", "chexers"], "call it my_class.py"),
        (["bot", "2nd.rs", "--game", "chexers"], "call it my_2nd.rs"),
        (["game", "chexers.py"], "a game called 'chexers' is installed already; call the file my_chexers.py"),
        (["game", "mine.rs"], "a game is written in Python; call it mine.py"),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_written(write, tmp_path, arguments, sentence):
    code, said = write(*arguments)
    assert code == 2
    assert sentence in said
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(write):
    code, said = write("bot", "nowhere/mine.py", "--game", "chexers")
    assert (code, said) == (
        1,
        "Error: nowhere/mine.py cannot be written: No such file or directory; create the folder nowhere first\n",
    )
