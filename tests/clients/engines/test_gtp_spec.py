"""From `gtp:` and a command to a bot, and a sentence for what makes no sense."""

import sys
from pathlib import Path

import pytest

from palio_clients.engines.gtp import completions, read_spec
from palio_clients.engines.gtp_player import GtpSettings
from palio_clients.sdk.failures import BadBot, ClientError
from palio_clients.sdk.loader import load

ENGINE = Path(__file__).parent / "gtp_engine.py"


@pytest.mark.parametrize(
    ("spec", "argv", "settings"),
    [
        ("gnugo --mode gtp", ["gnugo", "--mode", "gtp"], GtpSettings()),
        ("./x -t =500 -r chinese,restart=on", ["./x", "-t", "=500", "-r", "chinese"], GtpSettings(stays=False)),
        ("./x a,b,show=stderr", ["./x", "a,b"], GtpSettings(shows=True)),
        ("./x show=stderr restart=off", ["./x"], GtpSettings(shows=True)),
    ],
)
def test_words_for_us_are_told_from_the_command(spec, argv, settings):
    assert read_spec(spec) == (argv, settings)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("gtp:", "gtp: names no program; write gtp:./engine --flags"),
        ("gtp:./nonesuch", "there is no program './nonesuch'; check the path"),
        ("gtp:sh 'quote", "quote it as for a shell"),
        ("gtp:sh,restart=maybe", "write restart=on or restart=off"),
        ("gtp:sh,show=stdout", "write show=stderr"),
        ("gtp:sh,nodes=100", "GTP has no such setting; give the engine a flag in its command"),
        ("gtp:sh,option.Hash=1", "GTP has no such setting"),
    ],
)
def test_what_makes_no_sense_is_refused(spec, sentence):
    with pytest.raises(BadBot, match=sentence):
        load(spec)


def test_it_plays_go_only_and_in_a_process_of_its_own():
    entrant = load("gtp:sh -c true")
    assert (entrant.name, entrant.games, entrant.own_process) == ("sh-c-true", ("go",), True)
    assert load("gtp:sh,restart=on").staying is None
    with pytest.raises(BadBot, match="sh-c-true does not play 'chess'"):
        entrant.only(["chess"])


@pytest.mark.parametrize(
    ("how", "game", "error", "sentence"),
    [
        ("well", "go:size=19", BadBot, "does not play on 19x19: it answers `boardsize 19` with `. unacceptable size`"),
        ("nomove", "go", ClientError, "does not list 'genmove' among its commands"),
        ("broken", "go", ClientError, "exited with status 7 before it answered `1 protocol_version`"),
    ],
)
async def test_before_the_first_game_it_is_asked_whether_it_plays_there(tmp_path, how, game, error, sentence):
    entrant = load(f"gtp:{sys.executable} {ENGINE} {how} {tmp_path / 'log'}").checked_for(game)
    with pytest.raises(error, match=sentence):
        async with entrant.stay():
            pass


def test_settings_are_completed():
    assert completions("sh,s") == ["sh,show="]
    assert completions("sh -x re") == ["sh -x restart="]
