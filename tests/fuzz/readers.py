"""Every reader of texts, with some that it understands, and the errors that are its own."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec import to_builtins

from palio_clients.engines import texts as ugi
from palio_clients.engines.gtp import read_spec as read_gtp_spec
from palio_clients.engines.gtp_lines import GtpReader
from palio_clients.engines.lines import read_line
from palio_clients.engines.speaker import read_command
from palio_clients.engines.spec import read_spec
from palio_clients.engines.uci import UCI
from palio_clients.engines.ugi import UGI
from palio_clients.handouts.chexers.node import Node
from palio_clients.handouts.courses import course_named
from palio_clients.handouts.rush_hour.board import Board
from palio_clients.sdk import loader
from palio_clients.sdk.failures import BadBot
from palio_db.address import Address
from palio_db.columns import unpack
from palio_db.errors import StoreError, Unreadable
from palio_rules.contract.messages import Result
from palio_rules.errors import BadInstance, BadOption, BadPosition, BadRecord, MalformedMove
from palio_rules.instances.files import read_file
from palio_rules.records.record import Ply, Record, Setup
from palio_rules.records.sgf import SgfGame, read_sgf
from palio_rules.records.sgf_records import record_of_sgf
from palio_rules.records.text import record_from_text, record_to_text
from palio_rules.registry import game, game_from_spec, games
from palio_rules.spec import Spec
from palio_rules.time_control import TimeControl
from palio_server.addons.engine_words import translated
from palio_server.cli.sprt import PENTA, WDL
from palio_server.courses.course_file import read_course
from palio_server.processes.entrants import entrants
from palio_server.ratings.result_files import read_results
from palio_server.sandbox.bubblewrap import parse_size
from palio_server.sandbox.spec_files import files_of
from palio_server.settings import load, parse_anchors
from palio_server.tournament.openings.book import Book
from palio_server.tournament.openings.choice import parse_openings
from palio_server.tournament.trf import TrfError, read_trf
from palio_server.tournament.trf.reading import decoded


@dataclass(frozen=True)
class Reader:
    name: str
    read: Callable[[str], Any]
    errors: type[ValueError] | tuple[type[ValueError], ...]
    corpus: Sequence[str]
    big: bool = True  # whether giants may come: not where a word of a command line is read, which is never so long
    elsewhere: Sequence[str] = ()  # of the corpus: what this machine has not got


def readers() -> Iterator[Reader]:
    yield from _of_games()
    yield from _of_records()
    yield from _of_files()
    yield from _of_words()
    yield from _of_ugi()
    yield from _of_go()


QUICK = {"rush_hour": {"moves": 3}}  # every worker collects these: no time for a hard board


def _of_games() -> Iterator[Reader]:
    for name in games():
        rules = game(name)
        states = [rules.start(rules.parse_options(QUICK.get(name, {})), 1)]
        for _ in range(6):
            if states[-1].to_move is None:
                break
            states.append(states[-1].play(next(iter(states[-1].legal_moves()))))
        yield Reader(f"position-{name}", rules.parse_state, BadPosition, [rules.format_state(one) for one in states])
        first = states[0]
        moves = [move for _, move in zip(range(20), first.legal_moves(), strict=False)]
        words = [rules.notation(first, move) for move in moves]
        yield Reader(f"move-{name}", partial(rules.parse_notation, first), MalformedMove, words)
        yield Reader(f"options-{name}", partial(_options, name), BadOption, list(_settings(rules)))


def _settings(rules: Any) -> Iterator[str]:
    usual = to_builtins(rules.parse_options({}))
    yield rules.name
    plain = {key: value for key, value in usual.items() if isinstance(value, int | str) and value != ""}
    for key, value in plain.items():
        yield f"{rules.name}:{key}={value}"
    yield str(Spec(rules.name, {key: str(value) for key, value in plain.items()}))


def _options(name: str, text: str) -> Any:
    """As text, and as a program would give it."""
    return game_from_spec(text if text.startswith(name) else f"{name}:{text}")


def a_record() -> Record:
    from datetime import UTC, datetime

    rules = game("breakthrough")
    setup = Setup("breakthrough", ("ann", "bob"), {"rows": 5, "cols": 3}, time=TimeControl.parse("10+0.1"))
    state, plies = setup.first(), []
    while (seat := state.to_move) is not None:
        move = next(iter(state.legal_moves()))
        plies.append(Ply(seat, rules.move_to_wire(move), 12))
        state = state.play(move)
    moment = datetime(2026, 5, 1, 12, tzinfo=UTC)
    result = Result("rule", state.outcome().reason, list(state.outcome().scores))
    return Record("m1", setup, tuple(plies), result, moment, moment)


def _of_records() -> Iterator[Reader]:
    text = record_to_text(a_record())
    yield Reader("record-text", record_from_text, BadRecord, [text])
    as_json = msgspec.json.encode(a_record()).decode()
    yield Reader("record-json", lambda text: unpack("x", _bytes(text), Record), Unreadable, [as_json])
    pgn = '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 e5 {[%eval 0.3]} 2. Nf3 1-0\n\n'
    csv = 'first,second,score\na,b,1\nb,a,0.5\n"c, d",a,0\n'
    for suffix, corpus in {
        ".pgn": [pgn, text],
        ".csv": [csv],
        ".json": [as_json, f"[{as_json}]"],
        "": [pgn, csv],
    }.items():
        yield Reader(
            f"results{suffix}", lambda text, name=f"games{suffix}": read_results(name, _bytes(text)), BadRecord, corpus
        )


CHEXERS = '{"colour": "red", "pieces": [[0,0],[0,-1],[-2,1]], "blocks": [[-1,0],[-1,1],[1,1],[3,-1]]}'
RUSH_HOUR = "...b..\n...bee\naa.b.d\n.....d\n...c..\n...c..\n"
TSP = """NAME : square4
COMMENT : four
TYPE : TSP
DIMENSION: 4
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0.0 0.0
2 0.0 10.0
3 10.0 10.0
4 1e1 0.0
EOF
"""
DISTANCES = "0 1 2\n0 2 3  # a, b, distance\n(1, 2, 4.5)\n"
BOOKS = ["b5-b4 c2-c3\n# a comment\nBBBBBB/BBBBBB/....../....../WWWWWW/WWWWWW black\n\nb5-b4 # and one\n"]
TRF = "012 Open of Siena\nXXR 4\nXXC black1\n" + "\n".join(
    f"001 {number:4}      {f'Player {number}':<33} {2000 - number:4}{'':28}{points:4.1f} {number:4}  {cells}"
    for number, points, cells in ((1, 1.0, "   2 w 1"), (2, 0.0, "   1 b 0"), (3, 1.0, "0000 - U"))
)


def _of_files() -> Iterator[Reader]:
    boards = {".in": [RUSH_HOUR], ".json": [CHEXERS], ".tsp": [TSP], ".txt": [DISTANCES]}
    for suffix, corpus in boards.items():
        yield Reader(f"instance{suffix}", partial(_in_a_file, read_file, suffix), BadInstance, corpus)
    yield Reader("handout-chexers", partial(_in_a_file, Node.read, ".json"), BadInstance, [CHEXERS])
    yield Reader(
        "handout-rush-hour", partial(_in_a_file, lambda path: Board(Path(path)), ".in"), BadInstance, [RUSH_HOUR]
    )
    yield Reader("handout-rush-hour-text", lambda text: Board(text + "\n"), BadInstance, [RUSH_HOUR])
    yield Reader("book", lambda text: Book.read(text.splitlines(), "breakthrough", {}), BadOption, BOOKS)
    yield Reader("trf", lambda text: read_trf(_bytes(text)), TrfError, [TRF])
    yield Reader("trf-text", read_trf, TrfError, [TRF])
    yield Reader("trf-decoded", lambda text: decoded(_bytes(text)), TrfError, [TRF])


def _in_a_file(read: Callable[[str], Any], suffix: str, text: str) -> Any:
    with tempfile.NamedTemporaryFile(suffix=suffix) as file:
        file.write(_bytes(text))
        file.flush()
        return read(file.name)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


ENGINES = [
    "breakthrough -engine cmd=./a name=A -engine cmd=./b -each tc=10+0.1 -rounds 10 -games 2 -repeat",
    "breakthrough random greedy -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 -openings file=b.epd order=random",
    "breakthrough random greedy -tournament gauntlet -seeds 2 -concurrency 4 -draw movenumber=3 movecount=2 score=5",
    "breakthrough random greedy -resign movecount=3 score=500 -wait 10 -event Cup=3 -maxmoves 40 -ratinginterval 5",
]


def _of_words() -> Iterator[Reader]:
    plain = partial(Reader, big=False)
    games_ = ["breakthrough:rows=8,cols=8", "dominoes", "chexers_solo:pieces=2"]
    yield plain("game-spec", game_from_spec, BadOption, games_)
    yield plain("spec", Spec.parse, BadOption, ["alpha_beta:depth=4,seed=7", "random"])
    away = ["no.module:Mine", "./no_file.py:Mine:depth=3"]
    bots = ["random", "alpha_beta:depth=4", "mcts:nodes=10", *away]
    yield plain("bot-spec", loader.load, BadBot, bots, elsewhere=away)
    yield plain("course", course_named, BadBot, ["dominoes", "chexers"])
    folders = ["ai101", "./courses/ai101"]
    yield plain("course-folder", lambda text: read_course(Path(text)), BadOption, folders, elsewhere=folders)
    bots = ["random best=./mine.py:depth=3 x=exec:./a@network"]
    yield plain("bots", lambda text: entrants(text.split(" ")), BadOption, bots)
    specs = ["random", "./mine.py:depth=3", "exec:./engine --a 'b c'", "handout:dominoes:./a.py"]
    yield plain("spec-files", files_of, BadOption, specs)
    times = ["10+0.1", "5:00+3", "inf", "0.5", "60"]
    yield plain("time", lambda text: TimeControl.parse(tc=text), BadOption, times)
    yield plain("time-a-move", lambda text: TimeControl.parse(st=text), BadOption, times[3:])
    yield plain("time-as-written", TimeControl.from_text, BadOption, ["10+0.1", "0.5/move", "10+0.1 0.5/move", "inf"])
    yield plain("size", parse_size, BadOption, ["1G", "512M", "64k", "1000"])
    yield plain("openings", parse_openings, BadOption, ["2", "book,order=random", "file=my.book,order=random,plies=4"])
    yield plain("anchors", parse_anchors, BadOption, ["random=1000,greedy=1200.5"])
    variables = [
        "PORT=8000",
        "AUTH=open",
        "CONCURRENCY=8",
        "LADDER=true",
        "LEASE_S=3.5",
        "ANCHOR=a=1",
        "LADDER_TC=10+1",
    ]
    yield plain("environment", _environment, BadOption, variables)
    yield plain("engine-words", lambda text: translated(text.split(" "), lambda _: False), BadOption, ENGINES)
    yield plain("sprt-wdl", lambda text: WDL.read("--wdl", text), BadOption, ["10,20,30"])
    yield plain("sprt-penta", lambda text: PENTA.read("--penta", text), BadOption, ["1,2,3,4,5"])
    urls = ["sqlite:///palio.db", "sqlite://", "postgresql://u:p@host:5432/db", "postgres://u@h/d?sslmode=require"]
    yield plain("database", Address.parse, StoreError, urls)


UGI_ENGINE = [
    "option name Move Overhead type spin default 10 min 0 max 5000",
    "option name Style type combo default solid var solid var wild",
    "info depth 4 seldepth 4 score cp -107 time 0 nodes 16 tthits 0 hashfull 0 pv f1 b1",
    "info depth 9 score mate -3 upperbound multipv 2 string hello",
    "info depth 30 seldepth 41 score cp 31 wdl 90 880 30 nodes 5 nps 7 hashfull 17 tbhits 3 pv e2e4 e7e5",
    "bestmove a2a3 ponder b2b3",
]
UGI_GUI = [
    "position fen BBBB/..../..../WWWW black moves a4a3 b1b2",
    "go p1time 1000 p2time 1000 p1inc 10 p2inc 10",
    "setoption name Move Overhead value 30",
    "query p1turn",
    "go ponder wtime 1000 btime 1000 winc 10 binc 10 movestogo 40",
]


def _of_ugi() -> Iterator[Reader]:
    """Lines of engines and GUIs have no error of their own: what is none of UGI is left out."""
    yield Reader("ugi-engine", read_line, BadBot, UGI_ENGINE)
    for language in (UGI, UCI):
        yield Reader(f"{language.scheme}-gui", partial(read_command, language), BadBot, UGI_GUI)
    words = ["./engine --x option.Hash=64 go.depth=3 position=fen", "python3 'my engine.py' 'option.Move Overhead=3'"]
    words.append("./engine --x,option.Move Overhead=3,nodes=100")
    yield Reader("ugi-spec", partial(read_spec, "ugi"), BadBot, words, big=False)
    for name, move in {"breakthrough": "a5a4", "dominoes": "c5v", "end_of_the_track": "@d1b1"}.items():
        rules = game(name)
        state = rules.start(rules.options_type())
        yield Reader(f"ugi-move-{name}", partial(ugi.read_move, rules, state), MalformedMove, [move])
    fens = ["pppppp/pppppp/6/6/PPPPPP/PPPPPP w 0 1", "BBBBBB/BBBBBB/....../....../WWWWWW/WWWWWW black"]
    yield Reader("ugi-position", partial(ugi.read_position, game("breakthrough")), BadPosition, fens)


GTP_ENGINE = ["=1 D4\n", "?2 illegal move\n\n", "= \n\n=2 pass\r\n", "=1 play\ngenmove\n\n=2 C3\n\n"]
SGF = [
    "(;GM[1]FF[4]SZ[9]KM[6.5]HA[2]AB[cc][gg]PB[a \\] b]PW[c]RE[W+R]TM[60]OT[25/60 Canadian];W[ee]WL[50.5];B[]C[x])",
    "(;SZ[5]KM[0]RE[B+25]DT[2016-03-13];B[cc](;W[aa];B[];W[tt])(;W[bb]))",
    "(;SZ[9]AB[aa:cc]AW[ii]PL[B]RE[0];B[ee];W[ff];B[];W[])",
]


def _of_go() -> Iterator[Reader]:
    """Lines of programs of Go have no error of their own; games of others have."""
    yield Reader("gtp-engine", _gtp_answers, BadBot, GTP_ENGINE)
    yield Reader("gtp-spec", read_gtp_spec, BadBot, ["gnugo --mode gtp", "./x -r 'a b',show=stderr"], big=False)
    yield Reader("sgf", _sgf_records, BadRecord, SGF)


def _gtp_answers(text: str) -> Any:
    reader = GtpReader()
    for command in ("list_commands", "genmove b"):
        reader.numbered(command)
    return [reader(line) for line in text.split("\n")]


def _sgf_records(text: str) -> Any:
    return [record_of_sgf(each) for each in read_sgf(text) if isinstance(each, SgfGame)]


def _environment(text: str) -> Any:
    name, _, value = text.partition("=")
    return load({f"PALIO_{name}": value})
