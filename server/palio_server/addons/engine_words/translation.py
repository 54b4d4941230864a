"""The words after `palio run`, read from left to right."""

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from palio_rules.errors import BadOption, nearest
from palio_rules.registry import adopt, games
from palio_server.addons.engine_words import options
from palio_server.addons.engine_words.engines import Words, option_of, pair_of, read_settings
from palio_server.addons.engine_words.options import Line, openings_value

# Their options whose translation is more than a word: each reads what follows it.

QUICK_ROUNDS = 25_000  # fastchess's -quick: two games each, at 10+0.1, on all cores but two
_CPUS = re.compile(r"\d[\d,-]*", re.ASCII)
_LOG_LEVELS = {"all": "trace", "trace": "trace", "info": "info", "warn": "warn", "err": "warn", "fatal": "warn"}
QUICK_DRAW = "movenumber=30 movecount=8 score=8"


def _engine(line: Line, rest: Words) -> None:
    line.engines.append(read_settings("-engine", rest.until_option()))


def _each(line: Line, rest: Words) -> None:
    line.each += read_settings("-each", rest.until_option())


def _games(line: Line, rest: Words) -> None:
    line.games = rest.number("-games", 1)


def _repeat(line: Line, rest: Words) -> None:
    given = rest.optional_number()
    line.repeat = 0 if given is None else max(given, 1)


def _recover(line: Line, _rest: Words) -> None:
    line.recovers = True


def _rounds(line: Line, rest: Words) -> None:
    line.set_rounds(rest.value("--rounds"))


def _tournament(line: Line, rest: Words) -> None:
    name = rest.value("-tournament")
    if name == "pyramid":
        raise BadOption("there is no -tournament pyramid here: --format round_robin has the same pairings")
    line.format = "round_robin" if name in ("roundrobin", "round-robin") else name


def _seeds(line: Line, rest: Words) -> None:
    line.seeds = rest.number("-seeds")


def _maxmoves(line: Line, rest: Words) -> None:
    line.moves = rest.number("-maxmoves")


def _interval(word: str, option: str) -> Callable[[Line, Words], None]:
    """Return the reader of a number of games between two outputs; 0 means never, there and here."""

    def read(line: Line, rest: Words) -> None:
        if every := rest.number(word):
            line.option(option, str(every))

    return read


def _pgnout(line: Line, rest: Words) -> None:
    found = rest.pairs("-pgnout", options.PGNOUT)
    if found.get("append") == "false":
        raise BadOption("-pgnout append=false: --records FILE adds to the file; name a new one")
    if "match_line" in found:
        raise BadOption("-pgnout match_line=...: --records FILE has all that bots say of their thinking")
    if found and "file" not in found:
        raise BadOption("-pgnout needs a file: --records FILE")
    line.option("records", found["file"] if found else rest.value("-pgnout"))
    if found.get("min") == "true" or (not found and "min" in rest.among(("min", "fi"))):
        line.words.append("--records-min")


def _openings(line: Line, rest: Words) -> None:
    found = rest.pairs("--openings", options.OPENINGS)
    if not found:
        line.option("openings", rest.value("--openings"))
    elif len(found) == 1 and "," in found.get("file", ""):  # ours
        line.option("openings", f"file={found['file']}")
    else:
        line.option("openings", openings_value(found))


def _pgnin(line: Line, rest: Words) -> None:
    line.pgn_book = rest.value("-pgnin")


def _pgndepth(line: Line, rest: Words) -> None:
    line.pgn_plies = rest.number("-pgndepth")


CHESS_VARIANTS = {"standard": "", "fischerandom": "variant=chess960", "chess960": "variant=chess960"}


def _seating(seats: str) -> Callable[[Line, Words], None]:
    def read(line: Line, _rest: Words) -> None:
        line.option("seats", seats)

    return read


def _variant(line: Line, rest: Words) -> None:
    name = rest.value("-variant")
    if name in CHESS_VARIANTS:
        if CHESS_VARIANTS[name]:
            line.option("option", CHESS_VARIANTS[name])
        line.variant = True
        if not line.bots:  # the end of the line has the game, and its engines' language
            return
        name = options.CHESS
    if name not in games():
        raise BadOption(f"there is no -variant {name} here: the game is the first word, palio run GAME")
    if not line.bots:
        line.bot(name)
    elif adopt(line.bots[0]).name != name:
        raise BadOption(f"-variant {name} and the game {line.bots[0]!r} are two games; name one")


def _report(line: Line, rest: Words) -> None:
    match rest.pairs("-report", ("penta",)).get("penta"):
        case "true":
            line.notes.append("-report is not needed: an SPRT counts pairs")
        case "false":
            line.pairs = False
        case _:
            raise BadOption("-report needs penta=true, or penta=false: an SPRT counts every game by itself")


def _output(line: Line, rest: Words) -> None:
    form = rest.pairs("-output", ("format",)).get("format")
    if form not in ("cutechess", "fastchess"):
        raise BadOption("-output needs format=cutechess, which is how the lines look here anyhow")
    if form == "fastchess":
        line.notes.append("-output format=fastchess has no effect: the lines are those of cutechess-cli")


def _quick(line: Line, rest: Words) -> None:
    """The shortcut of fastchess: two programs and a book; the rest is fixed."""
    words = rest.until_option()
    programs = [word for word in words if word.startswith("cmd=")]
    books = [word.removeprefix("book=") for word in words if word.startswith("book=")]
    if len(programs) != 2 or len(books) != 1 or len(words) != 3:
        raise BadOption("-quick takes cmd=PROGRAM cmd=PROGRAM book=BOOK; or use -engine and --openings")
    line.engines += [read_settings("-quick", [word]) for word in programs]
    line.games = 2
    line.option("tc", "10+0.1")
    line.option("concurrency", str(max(1, (os.cpu_count() or 1) - 2)))
    line.option("openings", f"file={books[0]},order=random")
    line.option("draw", QUICK_DRAW)
    line.scored.append(len(line.words) - 1)
    line.set_rounds(str(QUICK_ROUNDS))


def _affinity(line: Line, rest: Words) -> None:
    """`-use-affinity`, or with CPUs: `-use-affinity 0,2-5`."""
    line.option("affinity", rest.matching(_CPUS) or "all")


def _version(line: Line, rest: Words) -> None:
    del line, rest
    raise BadOption("there is no -version here: palio --version")


def _log(line: Line, rest: Words) -> None:
    """Ours says how to log; theirs, with `file=`, is our --log-file."""
    found = rest.pairs("-log", options.LOG)
    if not found:
        line.option("log", rest.value("--log"))
        return
    if not found.get("file"):
        raise BadOption("-log needs file=FILE")
    level = found.get("level", "warn")
    if level not in _LOG_LEVELS:
        raise BadOption(f"-log level={level} is unknown; {nearest(level, _LOG_LEVELS)}")
    chosen = "trace" if found.get("engine") == "true" else _LOG_LEVELS[level]
    append = ",append=false" if found.get("append") == "false" else ""
    line.option("log-file", f"{found['file']},level={chosen}{append}")


READERS: dict[str, Callable[[Line, Words], None]] = {
    "engine": _engine,
    "each": _each,
    "games": _games,
    "recover": _recover,
    "repeat": _repeat,
    "rounds": _rounds,
    "tournament": _tournament,
    "seeds": _seeds,
    "maxmoves": _maxmoves,
    "ratinginterval": _interval("-ratinginterval", "table-every"),
    "scoreinterval": _interval("-scoreinterval", "score-every"),
    "pgnout": _pgnout,
    "pgnin": _pgnin,
    "pgndepth": _pgndepth,
    "openings": _openings,
    "variant": _variant,
    "noswap": _seating("fixed"),
    "reverse": _seating("reversed"),
    "report": _report,
    "log": _log,
    "output": _output,
    "quick": _quick,
    "use-affinity": _affinity,
    "version": _version,
}


@dataclass(frozen=True, slots=True)
class Translation:
    """A command line in our words, and sentences about what had no effect."""

    words: list[str]
    notes: list[str]


def translated(words: Iterable[str], is_file: Callable[[str], bool] = lambda path: Path(path).is_file()) -> Translation:
    """The words after `palio run`, as `palio run` reads them; what follows `--` is left alone.

    `is_file` says whether there is a file. Raises BadOption for what has no meaning here, with the name of our option.

    >>> translated("breakthrough -engine cmd=./a -engine cmd=./b name=B -each tc=10+0.1 -games 2".split()).words
    ['breakthrough', 'exec:./a', 'B=exec:./b', '--games-per-encounter', '2', '--tc', '10+0.1']
    """
    line, rest, tail = Line(), Words(words), list[str]()
    for word in rest:
        if word == "--":
            tail = [word, *rest]
        elif (found := option_of(word)) is None:
            _plain(line, word)
        else:
            _option(line, word, *found, rest)
    return Translation([*line.finished(is_file), *tail], line.notes)


def _plain(line: Line, word: str) -> None:
    """`tc=10+0.1`, the game, or a bot."""
    pair = pair_of(word)
    if pair and pair[0] in ("tc", "st") and pair[1]:
        line.option(*pair)
    else:
        line.bot(word)


def _option(line: Line, word: str, name: str, value: str | None, rest: Words) -> None:
    given = rest if value is None else Words([value])  # -event=Cup
    if name in options.REFUSED:
        raise BadOption(f"there is no -{name} here: {options.REFUSED[name]}")
    if name in options.NEEDLESS:
        count, why = options.NEEDLESS[name]
        _ = [given.value(word) for _ in range(count)]
        line.notes.append(f"-{name} is not needed: {why}")
    elif name in options.RENAMED:
        line.option(options.RENAMED[name], given.value(word))
    elif name in options.JOINED:
        _joined(line, name, given)
    elif name in READERS:
        READERS[name](line, given)
    else:
        _ours(line, word, name, rest if value is None else None)


def _joined(line: Line, name: str, rest: Words) -> None:
    """`elo0=0 elo1=5`, in one word or in several; or a word without a key, which is refused later."""
    ours = (first := rest.first()) is not None and " " in first
    found = rest.pairs(f"--{name}", options.JOINED[name], spaced=True)
    line.option(name, " ".join(f"{key}={value}" for key, value in found.items()) or rest.value(f"--{name}"))
    if name == "sprt":
        line.sprt = len(line.words) - 1
    elif found and not ours:
        line.scored.append(len(line.words) - 1)


def _ours(line: Line, word: str, name: str, rest: Words | None) -> None:
    """An option of `palio run`, with one dash or two; its value is left alone."""
    single = not word.startswith("--") and len(name) > 1 and name.islower()
    line.words.append(f"-{word}" if single else word)
    if rest is not None and name in options.OURS:
        line.words.append(rest.any_value(word))
