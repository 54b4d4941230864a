"""A command line of cutechess-cli or fastchess as `palio run` reads it; our own is left as it is."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_server.addons.engine_words import translated

ANY = st.text(max_size=12)
OPTIONS = st.sampled_from(
    [
        ["--rounds", "3"],
        ["--rounds=3"],
        ["--games-per-encounter", "1"],
        ["--format", "knockout:best_of=3"],
        ["--sprt", "elo0=0 elo1=5 model=logistic"],
        ["--draw", "movenumber=30 score=0.1"],
        ["--openings", "4"],
        ["--openings", "file=book.txt,order=random,plies=4"],
        ["--by-time"],
        ["--json"],
        ["-o", "rows=5"],
    ]
)
NAMED = st.builds(lambda name, value: [f"--{name}", value], st.sampled_from(["name", "records", "db", "anchor"]), ANY)
BOTS = st.sampled_from(["random", "alpha_beta:depth=2", "A=exec:./a -x tc=3", "./b.py"])


def read(text):
    return shlex.join(translated(shlex.split(text), lambda _: False).words)


@given(st.lists(BOTS, max_size=3), st.lists(st.one_of(OPTIONS, NAMED), max_size=4))
def test_our_own_spelling_stays_and_is_read_alike_again(bots, options):
    words = ["breakthrough", *bots, *(word for option in options for word in option)]
    once = translated(words).words
    assert [part for word in once for part in word.split("=", 1)] == [
        part for word in words for part in word.split("=", 1)
    ]
    assert translated(once).words == once


@given(st.lists(ANY), st.lists(BOTS, max_size=3))
def test_what_follows_two_dashes_is_left_alone(words, bots):
    found = translated(["breakthrough", *bots, "-engine", "cmd=./x", "-games", "2", "--", *words]).words
    assert found == ["breakthrough", "exec:./x", *bots, "--games-per-encounter", "2", "--", *words]


def test_a_whole_command_line_of_cutechess():
    typed = (
        "breakthrough -engine cmd=./a name=A -engine cmd=./b name=B -each proto=palio tc=10+0.1 -rounds 100 -games 2 "
        "-repeat -concurrency 4 -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 -pgnout f.pgn -event 'My Cup' -recover"
    )
    assert read(typed) == (
        "breakthrough A=exec:./a B=exec:./b --rounds 100 --concurrency 4 --sprt 'elo0=0 elo1=5 alpha=0.05 beta=0.05' "
        "--records f.pgn --name 'My Cup' --games-per-encounter 2 --tc 10+0.1"
    )
    assert read(read(typed)) == read(typed)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("dominoes a b --elo0 -1.75", "dominoes a b --elo0 -1.75"),
        ("dominoes a b -rounds=3 -event=Cup", "dominoes a b --rounds 3 --name Cup"),
        ("dominoes a b -name -5 -by-time", "dominoes a b --name -5 --by-time"),
        ("dominoes --name -recover a b", "dominoes --name -recover a b"),
        ("dominoes a b --sprt elo0=-1.75 elo1=0.25 c=./c.py", "dominoes a b --sprt 'elo0=-1.75 elo1=0.25' c=./c.py"),
        ("dominoes a b -sprt 'elo0=0 elo1=5' -st 0.5", "dominoes a b --sprt 'elo0=0 elo1=5' --st 0.5"),
        ("dominoes a b -openings 4 st=1", "dominoes a b --openings 4 --st 1"),
        ("dominoes a b -each tc=5+0.1", "dominoes a b --tc 5+0.1"),
        ("dominoes a -engine cmd=./b -games 2", "dominoes exec:./b a --games-per-encounter 2"),
        ("-engine cmd=./a -engine cmd=./b -variant tsp", "tsp exec:./a exec:./b"),
        ("tsp a b -games 4 -rounds 3", "tsp a b --rounds 12 --games-per-encounter 1"),
        ("chexers a b c -games 6 -maxmoves 10", "chexers a b c --games-per-encounter 6 --max-plies 30"),
        ("chexers a b c -repeat", "chexers a b c --games-per-encounter 6"),
        ("dominoes a b -games 100 -repeat", "dominoes a b --games-per-encounter 2 --rounds 50"),
        ("dominoes a b -games 4 -rounds 10 -repeat", "dominoes a b --rounds 20 --games-per-encounter 2"),
        ("dominoes a b -tournament swiss", "dominoes a b --format swiss"),
        ("dominoes a b -h", "dominoes a b -h"),
        ("dominoes a b -help", "dominoes a b --help"),
    ],
)
def test_words_are_read_as_palio_spells_them(typed, words):
    assert read(typed) == words


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("dominoes a b -sprt elo0=0 elo3=5", "--sprt has no 'elo3'; did you mean 'elo1'?"),
        (
            "dominoes a b -sprt elo0=0 games=5",
            "--sprt has no 'games'; known: alpha, beta, elo0, elo1, max_pairs, model",
        ),
        ("dominoes a b --sprt 'elo0=0 aplha=5'", "--sprt has no 'aplha'; did you mean 'alpha'?"),
        ("dominoes a b -draw movenum=3", "--draw has no 'movenum'; did you mean 'movenumber'?"),
        ("dominoes a b -resign score=3 score=4", "--resign has 'score' twice; keep one of them"),
        ("dominoes a b -sprt", "--sprt needs a value"),
        ("dominoes a b -sprt -recover", "--sprt needs a value, got -recover"),
        ("dominoes a b -event -- a", "-event needs a value, got --"),
        ("dominoes a b -games many", "-games 'many' is no number; write a whole number from 1 on"),
        ("dominoes a b -openings order=random", "--openings needs file=BOOK, or a number of random plies"),
        ("-engine cmd=./a -engine cmd=./b", "name the game first, as in `palio run breakthrough -engine"),
        ("dominoes -engine cmd=./a tc=1 -engine cmd=./b tc=2", "got tc=1 and tc=2; write -each tc=TIME"),
        ("dominoes a b -each option.Hash=4", "-each option.Hash= needs bots that are given as -engine cmd=PROGRAM"),
        ("dominoes a b -variant tsp", "-variant tsp and the game 'dominoes' are two games; name one"),
        ("dominoes a b -tournament knockout -games 4", "--format knockout:best_of=N"),
        ("dominoes -quick cmd=./a book=b", "-quick takes cmd=PROGRAM cmd=PROGRAM book=BOOK"),
        ("dominoes a b -pgnout notation=san", "-pgnout needs a file"),
        ("dominoes a b -output format=x", "-output needs format=cutechess"),
    ],
)
def test_what_cannot_be_meant_is_refused(typed, sentence):
    with pytest.raises(BadOption) as refused:
        read(typed)
    assert sentence in str(refused.value)


def test_one_program_in_two_folders_is_two_bots():
    typed = "dominoes -engine cmd=./a.out dir=old -engine cmd=./a.out dir=new"
    bots = translated(shlex.split(typed)).words[1:]
    assert [bot.partition("=")[0] for bot in bots] == ["a", "a-2"]


def test_the_shortcut_of_fastchess(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    assert read("dominoes -quick cmd=./a cmd=./b book=book.txt") == (
        "dominoes exec:./a exec:./b --tc 10+0.1 --concurrency 6 --openings file=book.txt,order=random "
        "--draw 'movenumber=30 movecount=8 score=8' --rounds 25000 --games-per-encounter 2"
    )


def test_how_many_games_a_round_has_is_said_where_both_programs_differ():
    """Without -games, cutechess-cli plays one game a round and fastchess two."""
    (note,) = translated(["dominoes", "-engine", "cmd=./a", "-engine", "cmd=./b"]).notes
    assert note == "a round is 2 games, one in each order of the seats; -games 1 plays one"
    assert translated(["dominoes", "random", "greedy"]).notes == []


def test_log_of_theirs_is_refused_and_ours_is_left_alone():
    assert translated(["breakthrough", "a", "b", "--log", "json"]).words == ["breakthrough", "a", "b", "--log", "json"]
    with pytest.raises(BadOption, match="--records FILE"):
        translated(["breakthrough", "a", "b", "-log", "file=x", "level=info"])
