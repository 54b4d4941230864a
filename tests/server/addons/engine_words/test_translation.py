"""A command line of cutechess-cli or fastchess as `palio run` reads it; our own is left as it is."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_server.addons.engine_words import translated
from palio_server.processes.entrants import entrants

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


def test_programs_for_chess_without_a_language_are_noted():
    plain = translated(["chess", "-engine", "cmd=./a", "-engine", "cmd=./b", "proto=uci"], lambda _: False)
    assert "cmd=./a is expected to speak JSON lines; if it speaks UCI, add proto=uci" in plain.notes
    each = ["chess", "-engine", "cmd=./a", "-engine", "cmd=./b", "-each", "proto=uci"]
    assert not any("proto" in note for note in translated(each, lambda _: False).notes)


def test_a_whole_command_line_of_cutechess():
    typed = (
        "breakthrough -engine cmd=./a name=A -engine cmd=./b name=B -each proto=palio tc=10+0.1 -rounds 100 -games 2 "
        "-repeat -concurrency 4 -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 -pgnout f.pgn -event 'My Cup' -recover"
    )
    assert read(typed) == (
        "breakthrough A=exec:./a B=exec:./b --rounds 100 --concurrency 4 --sprt 'elo0=0 elo1=5 alpha=0.05 beta=0.05' "
        "--records f.pgn --name 'My Cup' --games-per-encounter 2 --tc 10+0.1 --max-crashes 0"
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
        (
            "--resume 3 -rounds 5 -games 4",
            "goes on with the games that each round began with; leave -games and -repeat",
        ),
        ("dominoes a b -openings order=random", "--openings needs file=BOOK, or a number of random plies"),
        ("dominoes -engine cmd=./a tc=1 -engine cmd=./b tc=2", "an engine with a time of its own needs a name"),
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
    assert [bot.name for bot in entrants(bots)] == ["old-a.out", "new-a.out"]


def test_the_shortcut_of_fastchess(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    assert read("dominoes -quick cmd=./a cmd=./b book=book.txt") == (
        "dominoes exec:./a exec:./b --tc 10+0.1 --concurrency 6 --openings file=book.txt,order=random "
        "--draw 'movenumber=30 movecount=8 score=8' --rounds 25000 --games-per-encounter 2"
    )


@pytest.mark.parametrize(
    ("typed", "read_as"),
    [
        ("-draw movenumber=40 movecount=8 score=10", "movenumber=40 movecount=8 score=0.1"),
        ("-draw score=8.5 movecount=8 movenumber=40", "score=0.085 movecount=8 movenumber=40"),
        ("-resign movecount=3 score=400 twosided=true", "movecount=3 score=4 twosided=true"),
        ("-resign movecount=3 score=0", "movecount=3 score=0"),
        ("-resign movecount=3 score=1000", "movecount=3 score=10"),
        ("-resign movecount=3 score=much", "movecount=3 score=much"),  # `palio run` refuses it
        ('--resign "movecount=3 score=400"', "movecount=3 score=400"),  # ours
    ],
)
@pytest.mark.parametrize(
    "line",
    [
        "chess uci:stockfish greedy {}",
        "{} chess A=uci:./a greedy",
        "chess -engine cmd=./a {} -engine cmd=./b -each proto=uci -games 2",
        "breakthrough {} -engine cmd=./a proto=ugi -engine cmd=./b -games 2",
        "chess -engine conf=greedy -engine conf=uci:./b {}",
        "-engine cmd=./a -engine cmd=./b {}",
    ],
)
def test_scores_of_adjudication_are_hundredths_as_engines_tell_them(line, typed, read_as):
    words = translated(shlex.split(line.format(typed)), lambda _: False).words
    assert words[words.index(f"--{typed.split()[0].strip('-')}") + 1] == read_as


def test_scores_of_other_bots_keep_their_unit():
    for bots in ("dominoes random greedy", "go gtp:./a gtp:./b", "chess exec:./a uci=exec:./b"):
        assert read(f"{bots} -resign movecount=3 score=400").endswith("--resign 'movecount=3 score=400'")


def test_the_shortcut_of_fastchess_adjudicates_by_hundredths():
    assert "--draw 'movenumber=30 movecount=8 score=0.08'" in read("-quick cmd=./a cmd=./b book=book.epd")


def test_a_score_that_is_written_in_units_is_noted():
    notes = translated(shlex.split("chess uci:./a uci:./b -resign score=400 movecount=3")).notes
    assert notes == [
        '-resign score=400 is in hundredths, as UCI and UGI engines tell scores: --resign "score=4 movecount=3"'
    ]


def test_how_many_games_a_round_has_is_said_where_both_programs_differ():
    """Without -games, cutechess-cli plays one game a round and fastchess two."""
    (note,) = translated(["dominoes", "-engine", "cmd=./a", "-engine", "cmd=./b"]).notes
    assert note == "a round is 2 games, one in each order of the seats; -games 1 plays one"
    assert translated(["dominoes", "random", "greedy"]).notes == []


def test_rounds_that_become_more_are_told_with_the_number_that_was_typed():
    (note,) = translated(shlex.split("dominoes a b -rounds 3 -games 6")).notes
    assert note.startswith("-rounds 3 with -games 6 is --rounds 9: a round has one opening")
    assert translated(shlex.split("dominoes a b -rounds 3 -games 2")).notes == []


def test_log_of_theirs_is_a_file_and_ours_is_left_alone():
    assert translated(["breakthrough", "a", "b", "--log", "json"]).words == ["breakthrough", "a", "b", "--log", "json"]
    theirs = translated(["breakthrough", "a", "b", "-log", "file=x", "level=info"]).words
    assert theirs == ["breakthrough", "a", "b", "--log-file", "x,level=info"]


def test_engines_with_times_of_their_own_get_odds_and_one_margin():
    line = "breakthrough -engine cmd=./a name=A -engine cmd=./b name=B tc=40/5+0.05 -each tc=10 timemargin=50"
    words = translated(line.replace("-each tc=10", "-each").replace("name=A", "name=A tc=10").split()).words
    assert words[words.index("--tc") :] == ["--tc", "10", "--odds", "B=40/5+0.05", "--margin", "50"]


@pytest.mark.parametrize(
    ("engines", "sentence"),
    [
        ("cmd=./a name=A tc=5 -engine cmd=./b name=B", "an engine has no time where others have"),
        ("cmd=./a tc=5 -engine cmd=./b tc=6", "an engine with a time of its own needs a name"),
        ("cmd=./a timemargin=5 -engine cmd=./b timemargin=6", "the margin is that of all bots"),
    ],
)
def test_times_that_do_not_fit_together_are_refused(engines, sentence):
    with pytest.raises(BadOption, match=sentence):
        translated(f"breakthrough -engine {engines}".split())


def test_where_no_game_is_named_engines_play_chess_and_speak_uci():
    found = translated(
        ["-engine", "cmd=./a", "name=A", "-engine", "cmd=./b", "name=B", "proto=ugi", "-rounds", "3", "-games", "1"]
    )
    assert found.words[:3] == ["chess", "A=uci:./a", "B=ugi:./b"]
    assert found.words[found.words.index("--rounds") + 1] == "3"
    assert any("no game is named" in note for note in found.notes)


def test_a_variant_of_chess_is_a_game_that_was_named():
    found = translated(["-variant", "standard", "-engine", "cmd=./a", "-engine", "cmd=./b"])
    assert found.words[:3] == ["chess", "uci:./a", "uci:./b"]
    assert not any("no game is named" in note for note in found.notes)


def test_of_a_chess_program_without_a_protocol_it_is_said_which_one_is_expected():
    note = "cmd=./a is expected to speak JSON lines; if it speaks UCI, add proto=uci"
    assert note in translated(["chess", "-engine", "cmd=./a", "-engine", "conf=random"]).notes
    assert note not in translated(["chess", "-engine", "cmd=./a", "proto=palio", "-engine", "conf=random"]).notes
    assert note not in translated(["breakthrough", "-engine", "cmd=./a", "-engine", "conf=random"]).notes


def test_what_is_configured_here_speaks_no_language():
    assert translated(["-engine", "conf=random", "-engine", "cmd=./b"]).words[:3] == ["chess", "random", "uci:./b"]


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("chess a b -variant standard", ["chess", "a", "b"]),
        ("-variant fischerandom -engine cmd=x", ["chess", "uci:x", "--option", "variant=chess960"]),
        ("chess a b -noswap", ["chess", "a", "b", "--seats", "fixed"]),
        ("chess a b -reverse", ["chess", "a", "b", "--seats", "reversed"]),
    ],
)
def test_variants_and_seats_are_ours(typed, words):
    assert translated(typed.split()).words[: len(words)] == words
