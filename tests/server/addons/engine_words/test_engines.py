"""`-engine` and `-each` become bots that `palio run` takes, quoted so that the program gets what was typed."""

import shlex
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.contract.engine_specs import parts_of
from palio_rules.errors import BadOption
from palio_server.addons.engine_words.engines import Engine, plain_time, read_settings, time_of

words = st.text(
    st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=9
)


def engine(*settings):
    return Engine(read_settings("-engine", settings))


def bot(*settings, files=()):
    return engine(*settings).bot(lambda path: path in files)


@pytest.mark.parametrize(
    ("settings", "spec"),
    [
        (["cmd=./a"], "exec:./a"),
        (["cmd=./a", "name=A"], "A=exec:./a"),
        (["cmd=python3", "arg=b.py", "arg=-x"], "exec:python3 b.py -x"),
        (["cmd=python3 b.py"], "exec:python3 b.py"),
        (["cmd=./a", "args=--depth 4 'two words'"], "exec:./a --depth 4 'two words'"),
        (["cmd=./a", "arg=two words"], "exec:./a 'two words'"),
        (["cmd=./a", "proto=palio", "restart=auto"], "exec:./a"),
        (["cmd=./a", "proto=ugi", "option.Move Overhead=5", "arg=-x"], "ugi:./a -x 'option.Move Overhead=5'"),
        (["cmd=./a", "proto=uci", "option.Hash=8", "nodes=100"], "uci:./a option.Hash=8 go.nodes=100"),
        (["cmd=./a", "proto=uci", "depth=9", "ponder"], "uci:./a go.depth=9 option.Ponder=true"),
        (["cmd=./a", "proto=uci", "book=a b.bin", "bookdepth=8"], "uci:./a 'own.book=a b.bin' own.bookdepth=8"),
        (["cmd=./a", "proto=uci", "restart=on"], "uci:./a restart=on"),
        (["cmd=./a", "proto=uci", "restart=off"], "uci:./a"),
        (["cmd=gnugo", "args=--mode gtp", "proto=gtp", "restart=on"], "gtp:gnugo --mode gtp restart=on"),
        (["conf=greedy"], "greedy"),
        (["conf=alpha_beta", "option.depth=3", "option.seed=1", "name=AB"], "AB=alpha_beta:depth=3,seed=1"),
        (["conf=alpha_beta:depth=3", "option.seed=1"], "alpha_beta:depth=3,seed=1"),
        (["cmd=./a", "cmd=./b"], "exec:./b"),
    ],
)
def test_settings_become_a_bot(settings, spec):
    assert bot(*settings) == spec


def test_a_path_with_spaces_is_a_path_if_there_is_such_a_file():
    assert bot("cmd=./my engine", files=["./my engine"]) == "exec:'./my engine'"
    assert bot("cmd=./my engine") == "exec:./my engine"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (["name=A"], "needs one of cmd=PROGRAM and conf=BOT"),
        (["cmd=./a", "conf=greedy"], "needs one of cmd=PROGRAM and conf=BOT"),
        (["cmd="], "names no program"),
        (["cmd=./a 'b"], "cannot be read: No closing quotation; quote it as for a shell"),
        (["cmd=./a", "name=Big Fish 16"], "write name=Big-Fish-16"),
        (["cmd=./a", "nmae=A"], "has no setting 'nmae'; did you mean 'name'?"),
        (["cmd=./a", "dominoes"], "got 'dominoes'; the game stands first: run GAME"),
        (["cmd=./a", "proto=uci", "depth=deep"], "write a whole number from 1 on"),
        (["conf=greedy", "depth=3"], "takes no depth=, which is for programs"),
        (["cmd=./a", "proto=xboard"], "JSON lines"),
        (["cmd=./a", "proto=gtp", "nodes=4"], "-engine nodes has no word in GTP; give the engine a flag in cmd= or"),
        (["cmd=./a", "proto=gtp", "option.Hash=4"], "-engine option.Hash has no word in GTP"),
        (["cmd=./a", "option.Hash=64"], "args='--Hash 64'"),
        (["cmd=./a", "depth=4"], "tell the bot by its arguments"),
        (["cmd=./a", "nodes=4"], "tell the bot by its arguments"),
        (["cmd=./a", "plies=4"], "tell the bot by its arguments"),
        (["cmd=./a", "timemargin=much"], "no number of milliseconds"),
        (["cmd=./a", "ponder"], "whenever it likes"),
        (["cmd=./a", "trust"], "the rules decide"),
        (["cmd=./a", "whitepov"], "from its own side"),
        (
            ["cmd=./a", "book=b"],
            "is for proto=uci; tell others by arguments, or begin the games of all by --openings file=b",
        ),
        (["cmd=./a", "proto=uci", "book="], "book needs a value"),
        (["cmd=./a", "proto=uci", "bookdepth=x"], "write a whole number from 1 on"),
        (["cmd=./a", "initstr=x"], "JSON lines"),
        (["cmd=./a", "tscale=2"], "30 s"),
        (["cmd=./a", "restart=off"], "if it says so"),
        (["cmd=./a", "restart=of"], "did you mean 'off'?"),
        (["cmd=./a", "name"], "needs a value: name=..."),
        (["cmd=./a", "tc="], "-engine tc needs a value: tc=..."),
        (["cmd=./a", "dir="], "-engine dir needs a value: dir=..."),
        (["conf=greedy", "arg=x"], "takes no arg=, which is for programs"),
    ],
)
def test_what_has_no_meaning_is_refused_with_what_to_do(settings, sentence):
    with pytest.raises(BadOption) as refused:
        bot(*settings)
    assert sentence in str(refused.value)


@given(st.lists(words, max_size=3))
def test_a_program_gets_the_arguments_that_were_typed(arguments):
    spec = bot("cmd=./a", *(f"arg={argument}" for argument in arguments))
    assert shlex.split(spec.removeprefix("exec:")) == ["./a", *arguments]


@given(st.lists(words, max_size=3))
def test_an_engine_gets_the_arguments_that_were_typed(arguments):
    spec = bot("cmd=./a", "proto=uci", *(f"arg=-{argument},nodes=1" for argument in arguments))
    assert parts_of("uci", spec.removeprefix("uci:")) == (["./a", *(f"-{each},nodes=1" for each in arguments)], [])


def test_a_program_is_started_in_its_folder_with_its_stderr_in_a_file(tmp_path):
    there = tmp_path / "it's there"
    there.mkdir()
    code = "import os, sys; print(os.getcwd(), sys.argv[1:]); print('oh', file=sys.stderr)"
    settings = [f"cmd={sys.executable}", "arg=-c", f"arg={code}", "arg=a b", f"dir={there}", "stderr=errors of it"]
    spec = bot(*settings)
    command = spec.removeprefix("exec:")
    done = subprocess.run(shlex.split(command), cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (f"{there} ['a b']\n", "")
    assert (tmp_path / "errors of it").read_text() == "oh\n"


def test_the_time_of_an_engine_is_one_text():
    assert time_of(engine("cmd=a", "tc=10+0.1")) == "10+0.1"
    assert time_of(engine("cmd=a", "tc=10+0.1", "st=2")) == "10+0.1 2/move"
    assert time_of(engine("cmd=a", "st=0.5")) == "0.5/move"
    assert time_of(engine("cmd=a")) is None


@pytest.mark.parametrize(
    ("there", "here"),
    [
        ("10+0.1", "10+0.1"),
        ("inf", "inf"),
        ("infinite", "inf"),
        ("0/10+0.1", "10+0.1"),
        ("inf/5:00", "5:00"),
        ("40/60+1", "40/60+1"),
    ],
)
def test_a_time_control_is_read_as_ours(there, here):
    assert plain_time("tc", there) == here


def test_an_hourglass_is_refused():
    with pytest.raises(BadOption, match="no hourglasses"):
        plain_time("tc", "60hg")
