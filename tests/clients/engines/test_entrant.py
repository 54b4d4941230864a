"""From a spec to a bot: whose words are whose, and a sentence for what is wrong."""

import pytest

from palio_clients.engines.own_book import OwnBook
from palio_clients.engines.player import Settings
from palio_clients.engines.spec import duels, read_spec
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.loader import load


@pytest.mark.parametrize(
    ("spec", "argv", "settings"),
    [
        ("./engine", ["./engine"], Settings()),
        ("./engine --a 'b c'", ["./engine", "--a", "b c"], Settings()),
        ("./engine option.Hash=64 --x", ["./engine", "--x"], Settings({"Hash": "64"})),
        ("'option.Move Overhead=a=b' ./engine", ["./engine"], Settings({"Move Overhead": "a=b"})),
        ("./engine option.Clear=", ["./engine"], Settings({"Clear": ""})),
        ("./engine go.depth=4", ["./engine"], Settings(go=("depth", 4))),
        ("./engine position=fen depth=4", ["./engine", "depth=4"], Settings(writing="fen")),
        ("./engine --x,option.Hash=64,nodes=100", ["./engine", "--x"], Settings({"Hash": "64"}, ("nodes", 100))),
        ("./engine,option.Move Overhead=5,depth=4", ["./engine"], Settings({"Move Overhead": "5"}, ("depth", 4))),
        ("./engine a,b=c,option.Book=x, y,option.Z=1", ["./engine", "a,b=c"], Settings({"Book": "x, y", "Z": "1"})),
        (
            "./engine 'a,nodes=1' b\\,depth=2,nodes=3",
            ["./engine", "a,nodes=1", "b,depth=2"],
            Settings({}, ("nodes", 3)),
        ),
        ("./engine,restart=on", ["./engine"], Settings(stays=False)),
        ("./engine book=a,book=b.bin,bookdepth=8", ["./engine", "book=a"], Settings(book=OwnBook("b.bin", 8))),
        ("./engine own.book=b.bin own.bookseed=3", ["./engine"], Settings(book=OwnBook("b.bin", seed=3))),
        ("./engine,go.movetime=50,position=startpos", ["./engine"], Settings({}, ("movetime", 50), "startpos")),
    ],
)
def test_words_for_us_are_told_from_the_command(spec, argv, settings):
    assert read_spec("ugi", spec) == (argv, settings)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("ugi:", "names no program; write ugi:./engine --flags"),
        ("ugi:option.Hash=1", "names no program"),
        ("ugi:./no 'quote", "quote it as for a shell"),
        ("ugi:./nonesuch", "there is no program './nonesuch'; check the path"),
        ("ugi:sh option.Hash", "sets no option; write option.NAME=VALUE"),
        ("ugi:sh option.=3", "sets no option"),
        ("ugi:sh go.dept=3", "did you mean 'depth'"),
        ("ugi:sh go.depth=0", "write a whole number from 1 on, as in go.depth=6"),
        ("ugi:sh go.depth=3 go.nodes=4", "a search has one limit, and go.depth is given already"),
        ("ugi:sh position=fem", "did you mean 'fen'"),
        ("ugi:sh 'option.A=1\n2'", "line break"),
        ("uci:", "names no program; write uci:./engine --flags"),
        ("uci:sh,option.Hash", "sets no option; write option.NAME=VALUE"),
        ("uci:sh,restart=maybe", "write restart=on or restart=off"),
        ("uci:sh,depth=0", "write a whole number from 1 on, as in go.depth=6"),
        ("uci:sh,book=", "names no file; write book=FILE.bin"),
        ("uci:sh,bookdepth=3", "bookdepth= is about a book; name it: book=FILE.bin"),
        ("uci:sh,book=b,bookdepth=x", "write a whole number from 1 on, as in bookdepth=8"),
        ("uci:sh own.bok=b", "did you mean 'book'"),
        ("uci:sh,book=nonesuch.bin", "the book 'nonesuch.bin' cannot be read: No such file or directory"),
        ("uci:sh,depth=3,nodes=4", "a search has one limit, and go.depth is given already"),
    ],
)
def test_what_makes_no_sense_is_refused(spec, sentence):
    with pytest.raises(BadBot, match=sentence):
        load(spec)


def test_it_plays_the_games_for_two_and_in_a_process_of_its_own():
    entrant = load("uci:sh -c true,option.Hash=1")
    assert entrant.name == "sh-c-true-Hash1"
    assert entrant.staying is not None
    assert load("uci:sh,restart=on").staying is None
    entrant = load("ugi:sh -c true")
    assert entrant.name == "sh-c-true"
    assert entrant.games == duels() == ("breakthrough", "chess", "dominoes", "end_of_the_track", "go")
    assert entrant.own_process
    with pytest.raises(BadBot, match="sh-c-true does not play 'chexers'"):
        entrant.only(["chexers"])
