"""Every option of cutechess-cli and of fastchess is understood, or refused with the name of ours and the reason.

The lists are those of cutechess-cli 1.4's parser (projects/cli/src/main.cpp), and of fastchess's manual and parser
(late 2025).
"""

import re
from pathlib import Path

import click
import pytest

from palio_rules.errors import BadOption
from palio_server.addons.engine_words import translated
from palio_server.addons.engine_words.engines import KEYS

DOCS = Path(__file__).parents[4] / "docs" / "how-to" / "from-cutechess.md"
START = ["breakthrough", "-engine", "cmd=./a", "-engine", "cmd=./b", "-games", "2"]
READ = ["breakthrough", "exec:./a", "exec:./b"]
GAMES = ["--games-per-encounter", "2"]

UNDERSTOOD = {  # what is typed, and what becomes of it
    "-noswap": "--seats fixed",
    "-reverse": "--seats reversed",
    "-each tc=10+0.1": "--tc 10+0.1",
    "-concurrency 4": "--concurrency 4",
    "-draw movenumber=40 movecount=8 score=10": "--draw movenumber=40_movecount=8_score=10",
    "-resign movecount=3 score=400": "--resign movecount=3_score=400",
    "-resign movecount=3 score=400 twosided=true": "--resign movecount=3_score=400_twosided=true",
    "-maxmoves 200": "--max-plies 400",
    "-maxmoves 0": "",
    "-tournament round-robin": "--format round_robin",
    "-tournament roundrobin": "--format round_robin",
    "-tournament gauntlet": "--format gauntlet",
    "-tournament gauntlet -seeds 2": "--format gauntlet:challengers=2",
    "-tournament knockout": "--format knockout",
    "-event Cup": "--name Cup",
    "-rounds 100": "--rounds 100",
    "-sprt elo0=0 elo1=5 alpha=0.05 beta=0.05": "--sprt elo0=0_elo1=5_alpha=0.05_beta=0.05",
    "-sprt elo0=-1.75 elo1=.25 alpha=0.05 beta=0.05 model=bayesian": (
        "--sprt elo0=-1.75_elo1=.25_alpha=0.05_beta=0.05_model=bayesian"
    ),
    "-ratinginterval 10": "--table-every 10",
    "-ratinginterval 0": "",
    "-scoreinterval 5": "--score-every 5",
    "-scoreinterval 0": "",
    "-openings file=book.txt format=epd order=random plies=4": (
        "--openings file=book.txt,format=epd,order=random,plies=4"
    ),
    "-log file=l": "--log-file l,level=warn",
    "-log file=l level=info append=false": "--log-file l,level=info,append=false",
    "-log file=l level=trace": "--log-file l,level=trace",
    "-log file=l engine=true realtime=false": "--log-file l,level=trace",
    "--log json": "--log json",
    "-use-affinity": "--affinity all",
    "-use-affinity 0,2-5": "--affinity 0,2-5",
    "-openings file=book.txt start=5 policy=encounter": "--openings file=book.txt,start=5",
    "-openings file=b.pgn format=pgn policy=round": "--openings file=b.pgn,format=pgn",
    "-pgnin b.pgn": "--openings file=b.pgn,format=pgn",
    "-pgndepth 4 -pgnin b.pgn": "--openings file=b.pgn,format=pgn,plies=4",
    "-pgnout games.txt": "--records games.txt",
    "-pgnout games.txt fi": "--records games.txt",
    "-pgnout games.txt min fi": "--records games.txt --records-min",
    "-pgnout file=games.pgn min=true": "--records games.pgn --records-min",
    "-pgnout file=games.txt notation=san nodes=true append=true timeleft=true": "--records games.txt",
    "-repeat": "",
    "-repeat 2": "",
    "-srand 7": "--seed 7",
    "-variant breakthrough": "",
    "-recover": "--max-crashes 0",
    "-recover --max-crashes 5": "--max-crashes 5",
    "-strict": "",
    "-force-concurrency": "",
    "-autosaveinterval 20": "",
    "-site Here": "",
    "-wait 100": "",
    "-report penta=true": "",
    "-report penta=false": "",
    "-report penta=false -sprt elo0=0 elo1=5": "--sprt elo0=0_elo1=5_pentanomial=false",
    "-output format=cutechess": "",
    "-output format=fastchess": "",
}
NOTED = ["-force-concurrency", "-strict", "-autosaveinterval 20", "-site X", "-wait 5", "-report penta=true"]
REFUSED = {  # what is typed, and what the sentence names instead
    "-engines": "exec:PROGRAM",
    "-variants": "palio run GAME",
    "-protocols": "docs/reference/protocol.md",
    "-tb paths": "--draw and --resign",
    "-tbpieces 5": "--draw and --resign",
    "-tbignore50": "--draw and --resign",
    "-tbadjudicate BOTH": "--draw and --resign",
    "-tournament pyramid": "--format round_robin",
    "-outcomeinterval 5": "--score-every N",
    "-resultformat help": "--export FILE.csv",
    "-debug": "palio --debug run",
    "-openings file=b.bin format=bin": "known: epd, pgn",
    "-openings file=b.txt policy=game": "leave it out",
    "-bookmode ram": "--openings file=BOOK",
    "-pgndepth 4": "-pgnin FILE",
    "-pgnout file=a append=false": "--records FILE",
    "-pgnout file=a match_line=x": "--records FILE",
    "-epdout f": "--records FILE",
    "-seeds 2": "-tournament gauntlet",
    "-repeat 4": "-games 2",
    "-version": "palio --version",
    "-fcp cmd=./a": "-engine cmd=PROGRAM",
    "-scp cmd=./a": "-engine cmd=PROGRAM",
    "-both tc=1": "--tc 10+0.1",
    "-config file=c.json": "palio run --resume NUMBER",
    "-compliance ./a": "palio check-bot",
    "-crc32 pgn=true": "palio verify",
    "-randomseed": "--seed N",
    "-show-latency": "--records FILE",
    "-testEnv": "--json",
    "-log level=trace": "-log needs file=FILE",
    "-log file=l level=trase": "did you mean 'trace'",
    "-report penta=maybe": "penta=false",
    "-startup-ms 5": "30 s",
    "-ucinewgame-ms 5": "30 s",
    "-ping-ms 5": "30 s",
    "-check-mate-pvs": "rules check",
}
CUTECHESS = re.findall(
    r"\S+",
    """help version engines engine each variant concurrency draw resign maxmoves tb tbpieces tbignore50
    tournament event games rounds sprt ratinginterval outcomeinterval resultformat debug openings bookmode pgnout
    epdout recover repeat noswap reverse seeds site srand wait""",
)
FASTCHESS = re.findall(
    r"\S+",
    """help version quick event site config concurrency compliance crc32 force-concurrency rounds games
    variant tournament seeds repeat recover show-latency testEnv draw resign maxmoves tb tbpieces tbignore50
    tbadjudicate openings output pgnout epdout wait noswap reverse ratinginterval scoreinterval autosaveinterval sprt
    srand log use-affinity report each engine startup-ms ucinewgame-ms ping-ms strict check-mate-pvs""",
)
ELSEWHERE = {"help", "games", "engine", "quick"}  # understood by click, or in other tests
ENGINE_KEYS = re.findall(
    r"\S+",
    """conf name cmd dir arg initstr stderr restart trust proto tscale tc st timemargin book bookdepth
    whitepov depth nodes ponder args plies""",
)


def spelled(text):
    return [word.replace("_", " ") if "=" in word else word for word in text.split()]


@pytest.mark.parametrize(("typed", "read"), UNDERSTOOD.items())
def test_it_works_as_there(typed, read):
    words = translated([*START, *typed.split()]).words
    assert words[:3] == READ
    rest = words[3:]
    at = rest.index("--games-per-encounter")
    assert rest[at : at + 2] == GAMES
    assert rest[:at] + rest[at + 2 :] == spelled(read)


@pytest.mark.parametrize(("typed", "name"), REFUSED.items())
def test_it_is_refused_with_what_there_is_instead(typed, name):
    with pytest.raises(BadOption, match=re.escape(name)) as refused:
        translated([*START, *typed.split()])
    assert typed.split()[0].lstrip("-") in str(refused.value)


@pytest.mark.parametrize("typed", NOTED)
def test_what_has_no_effect_is_said(typed):
    (note,) = translated([*START, *typed.split()]).notes
    assert note.startswith(f"{typed.split()[0]} is not needed: ")


@pytest.mark.parametrize("name", sorted({*CUTECHESS, *FASTCHESS} - ELSEWHERE))
def test_no_option_of_theirs_is_forgotten(name):
    tried = {typed.split()[0] for typed in (*UNDERSTOOD, *REFUSED)}
    assert f"-{name}" in tried


@pytest.mark.parametrize("key", ENGINE_KEYS)
def test_no_setting_of_an_engine_is_forgotten(key):
    assert key in KEYS


@pytest.mark.parametrize("name", sorted({*CUTECHESS, *FASTCHESS}))
def test_the_page_for_their_users_has_every_option(name):
    assert re.search(rf"`-{re.escape(name)}\b", DOCS.read_text())


@pytest.mark.parametrize("key", [*ENGINE_KEYS, "option.NAME"])
def test_the_page_for_their_users_has_every_setting_of_an_engine(key):
    assert re.search(rf"`{re.escape(key)}\b", DOCS.read_text())


def test_options_of_palio_run_with_a_value_are_known():
    """What is not known here would have its value read as an option of theirs."""
    from palio_server.addons.engine_words.options import JOINED, OURS
    from palio_server.addons.engine_words.translation import READERS
    from palio_server.cli.run import run

    for parameter in run.params:
        if isinstance(parameter, click.Option) and not parameter.is_flag:
            for name in parameter.opts:
                assert name.lstrip("-") in {*OURS, *JOINED, *READERS}, name
