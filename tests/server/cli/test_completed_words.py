"""Every option with known values offers them all, the same as its refusal; no heavy import is needed."""

import os
import subprocess
import sys

import click
import pytest

from palio_server.cli.palio import call, palio
from palio_server.cli.shells import PalioFish

# Options and arguments of which nothing is known beforehand, by the last word of their command or "" for all.
FREE = {
    *(
        "--about",
        "--again",
        "--anchor",
        "--back-in",
        "--before",
        "--bot",
        "--by",
        "--forwarded-from",
        "--history",
        "--host",
    ),
    *(
        "--keep",
        "--match",
        "--memory",
        "--mqtt",
        "--name",
        "--note",
        "--odds",
        "--origin",
        "--overlap",
        "--owner",
        "--penta",
    ),
    *(
        "--public-url",
        "--reason",
        "--show",
        "--since",
        "--st",
        "--starts-at",
        "--tc",
        "--to",
        "--token",
        "--until",
        "--url",
    ),
    *("--wdl", "--worker", "--event"),
    *("--as", "--at", "--from", "--points", "--server", "--start", "--student", "--title", "--zone"),
    *("check-all assignments", "choose student", "choose submission", "forget student", "grades assignments"),
    *(
        "import assignment",
        "override assignment",
        "override student",
        "extend assignment",
        "extend student",
        "publish assignment",
    ),
    *("submissions assignment", "submit assignment", "submit course", "grade assignment", "github assignment"),
    *("gradescope assignment", "tournament assignment", "final assignment", "leaderboard assignment"),
    *("regrade assignment", "similar assignment"),
    *("about name", "about text", "add bot", "add name", "analyse match", "create bots", "export match_ids"),
    *("join url", "mcp url", "replay match_id", "revoke name", "rotate name", "show match_id", "start bots"),
    *("void match_id", "watch match", "withdraw bot"),
    *("--address", "forget name", "rename new", "rename old", "void name"),
    *("grade assignment", "gradescope assignment", "github assignment"),
}
HEAVY = {
    *("dask", "distributed", "matplotlib", "numba", "numpy", "pandas", "pyarrow", "rich", "sqlalchemy", "starlette"),
    *("textual", "torch", "uvicorn", "websockets"),
}
SCHEMES = {"exec", "gtp", "handout", "llm", "openspiel", "policy", "uci", "ugi"}


def offers(line: str) -> list[str]:
    """Return the completions behind the line's last blank; a shell's own files as `<file>`."""
    *words, last = line.split(" ")
    items = PalioFish(palio, {}, "palio", "X").get_completions(words[1:], last)
    return [item.value if item.type == "plain" else f"<{item.type}>" for item in items]


def parameters():
    """All parameters that take a value, with the words of their commands before them."""

    def walked(command, words):
        for parameter in command.params:
            if isinstance(parameter, click.Argument) or not (parameter.is_flag or parameter.count):
                yield words, command, parameter
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                yield from walked(command.get_command(context, name), [*words, name])

    return list(walked(palio, ["palio"]))


def key(words, parameter):
    """As it stands in FREE."""
    return f"{words[-1]} {parameter.name}" if isinstance(parameter, click.Argument) else max(parameter.opts, key=len)


def is_number(parameter):
    return isinstance(parameter.type, click.types.IntParamType | click.types.FloatParamType)


def offered(words, command, parameter):
    context = click.Context(command, obj=("run", "dominoes"))
    return parameter.shell_complete(context, "")


def test_whatever_is_no_number_and_no_free_text_offers_something():
    silent = {
        f"{' '.join(words)}: {key(words, parameter)}"
        for words, command, parameter in parameters()
        if not is_number(parameter) and key(words, parameter) not in FREE and not offered(words, command, parameter)
    }
    assert silent == set(), "give it shell_complete=, or list it as FREE here"


def test_what_is_called_free_text_is_there_and_offers_nothing():
    used = {
        key(words, parameter)
        for words, command, parameter in parameters()
        if not is_number(parameter) and not offered(words, command, parameter)
    }
    assert used == FREE


@pytest.mark.parametrize(
    ("refused", "line"),
    [
        (["export", "--format", "?"], "palio export --format "),
        (["export", "--what", "?"], "palio export --what "),
        (["export", "--what", "plies,?"], "palio export --what "),
        (["new", "bot", "x", "--game", "dominoes", "--language", "?"], "palio new bot x --language "),
        (["new", "bot", "x", "--game", "?"], "palio new bot x --game "),
        (["run", "?", "random", "greedy"], "palio run "),
        (["run", "dominoes", "random", "greedy", "--format", "?"], "palio run dominoes --format "),
        (["run", "dominoes", "random", "greedy", "--format", "swiss:?=1"], "palio run dominoes --format swiss:"),
        (["run", "dominoes", "random", "greedy", "--format", "swiss", "--tie-breaks", "?"], "palio run --tie-breaks "),
        (["run", "dominoes", "random", "greedy", "--sprt", "?=1"], "palio run dominoes --sprt "),
        (["run", "dominoes", "random", "greedy", "--draw", "?=1"], "palio run dominoes --draw "),
        (["run", "dominoes", "random", "greedy", "--resign", "?=1"], "palio run dominoes --resign "),
        (["run", "dominoes", "random", "greedy", "--cluster", "?"], "palio run dominoes --cluster "),
        (["run", "dominoes", "random", "greedy", "--cluster", "slurm:?=1"], "palio run dominoes --cluster slurm:"),
        (["run", "dominoes:?=1", "random", "greedy"], "palio run dominoes:"),
        (["run", "dominoes", "random", "greedy", "-o", "?=1"], "palio run dominoes -o "),
        (["check-game", "dominoes", "-o", "?=1"], "palio check-game dominoes -o "),
        (["verify", "--game", "?"], "palio verify --game "),
        (["sprt", "--elo0", "0", "--elo1", "5", "--model", "?", "--wdl", "1,2,3"], "palio sprt --model "),
        (["play", "tsp"], "palio play "),
        (["play", "dominoes", "random", "--seat", "?"], "palio play dominoes --seat "),
        (["join", "localhost:1", "?"], "palio join localhost:1 "),
        (["join", "localhost:1", "alpha_beta:?=1"], "palio join localhost:1 alpha_beta:"),
        (["join", "localhost:1", "handout:?:x.py"], "palio join localhost:1 handout:"),
        (["join", "localhost:1", "openspiel:?"], "palio join localhost:1 openspiel:"),
        (["join", "localhost:1", "llm:http://127.0.0.1:1/v1,?=1"], "palio join localhost:1 llm:http://127.0.0.1:1/v1,"),
        (["check-game", "openspiel:?"], "palio check-game openspiel:"),
    ],
)
def test_the_words_are_those_that_the_refusal_names(refused, line, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert call(refused) != 0
    _, told, known = capsys.readouterr().err.strip().rpartition("known: ")
    assert told
    before = line.rpartition(" ")[2]
    words = {word.removeprefix(before).rstrip(":=/") for word in offers(line)} - (SCHEMES if not before else set())
    assert words == {word.rstrip(":/") for word in known.split(", ")}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("palio run dominoes --openings ", ["book", "file="]),
        ("palio run dominoes --openings book,", ["book,order=", "book,plies=", "book,start=", "book,policy="]),
        (
            "palio run dominoes --openings book,plies=2,start=1,policy=round,",
            ["book,plies=2,start=1,policy=round,order="],
        ),
        ("palio run chess --openings file=a,format=", ["file=a,format=text", "file=a,format=epd", "file=a,format=pgn"]),
        ("palio run dominoes --openings book,order=", ["book,order=random", "book,order=sequential"]),
        ("palio run dominoes --openings file=./o", ["file=./openings.txt"]),
        ("palio export --what seats,pl", ["seats,plies"]),
        ("palio export --what=seats,pl", ["--what=seats,plies"]),
        ("palio verify --db sqlite:///o", ["sqlite:///openings.txt"]),
        ("palio verify --db sql", ["sqlite:///"]),
        ("palio verify --db o", ["<file>"]),
        ("palio run x --cluster-tls a,op", ["a,openings.txt"]),
        ("palio run x --cluster-tls op", ["<file>"]),
        ("palio solve dominoes st", ["start"]),
        ("palio compile chexers_", ["chexers_solo"]),
        ("palio tournament create dominoes --format kno", ["knockout"]),
        ("palio match list --game tsp", ["tsp"]),
        ("palio serve --bot mine=rand", ["mine=random"]),
        ("palio new bot x --game openspiel:tic", ["openspiel:tic_tac_toe"]),
    ],
)
def test_words_within_words(line, words, monkeypatch, tmp_path):
    (tmp_path / "openings.txt").touch()
    monkeypatch.chdir(tmp_path)
    assert offers(line) == words


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("palio run dominoes ugi:./b", ["ugi:./bot"]),
        ("palio run dominoes policy:./", ["policy:./mine.py"]),
        ("palio run rush_hour handout:rush_hour:", ["handout:rush_hour:bot", "handout:rush_hour:mine.py"]),
        ("palio run dominoes handout:dominoes:", ["handout:dominoes:mine.py"]),
        ("palio run dominoes exec:", ["exec:./bot"]),
        ("palio run dominoes exec:b", []),  # which would be looked for in PATH
        ("palio run dominoes ./mine.py:", ["./mine.py:Mine"]),
    ],
)
def test_a_scheme_offers_the_files_that_it_can_play(line, words, monkeypatch, tmp_path):
    (tmp_path / "mine.py").write_text("class Mine(Bot): ...\n")
    (tmp_path / "bot").touch(0o755)
    (tmp_path / "notes.txt").touch()
    monkeypatch.chdir(tmp_path)
    assert offers(line) == words


def test_behind_a_program_there_are_files_and_the_words_of_ugi(monkeypatch, tmp_path):
    typed = ("exec:./bot ", "ugi:./engine n", "ugi:./engine go.", "ugi:./engine position=f", "ugi:./engine op")
    (tmp_path / "net.bin").touch()
    monkeypatch.chdir(tmp_path)
    complete = PalioFish(palio, {}, "palio", "X")
    found = {
        text: [item.value for item in complete.get_completions(["run", "dominoes"], text)]
        for text in (*typed, "uci:./engine,n", "uci:./engine,option.Hash=1,po")
    }
    assert found == {
        "exec:./bot ": ["exec:./bot net.bin"],
        "ugi:./engine n": ["ugi:./engine net.bin"],
        "ugi:./engine go.": ["ugi:./engine go.depth=", "ugi:./engine go.nodes=", "ugi:./engine go.movetime="],
        "ugi:./engine position=f": ["ugi:./engine position=fen"],
        "ugi:./engine op": ["ugi:./engine option."],
        "uci:./engine,n": ["uci:./engine,nodes="],
        "uci:./engine,option.Hash=1,po": [
            f"uci:./engine,option.Hash=1,position={each}" for each in ("text", "startpos", "fen")
        ],
    }


@pytest.mark.parametrize(
    "line",
    [
        "palio leaderboard --game ./mygame.py --he",
        "palio serve --game ./mygame.py --he",
        "palio join localhost:1 random --game ./mygame.py --na",
        "palio run ./mygame.py:",
        "palio run ./mygame.py --he",
        "palio run dominoes ./mygame.py:",
    ],
)
def test_no_file_of_an_author_is_run(line, monkeypatch, tmp_path):
    source = "from pathlib import Path\nPath('has-run').touch()\nclass Nim(Game): ...\nclass Mine(Bot): ...\n"
    (tmp_path / "mygame.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    assert offers(line)
    assert not (tmp_path / "has-run").exists()


@pytest.mark.parametrize(
    "line",
    [
        "palio ",
        "palio run ",
        "palio run dominoes ",
        "palio run dominoes exec:./",
        "palio run dominoes handout:",
        "palio run dominoes alpha_beta:",
        "palio run dominoes openspiel:",
        "palio run openspiel:",
        "palio run dominoes --cluster ",
        "palio run dominoes --tie-breaks ",
        "palio run dominoes --format swiss:",
        "palio export --what ",
    ],
)
@pytest.mark.first(3)
def test_an_answer_loads_nothing_heavy(line):
    report = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
    environment = os.environ | {"COMP_WORDS": line, "_PALIO_COMPLETE": "fish_complete"}
    code = f"{report} from palio_server.cli import main; main([])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip()
    assert HEAVY & {name.partition(".")[0] for name in done.stderr.split()} == set()
