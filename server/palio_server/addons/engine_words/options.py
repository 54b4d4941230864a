"""The options of both programs and our own, with the translation of those for which a word or a sentence is enough."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import factorial

from palio_rules.errors import BadOption, nearest
from palio_rules.registry import adopt
from palio_rules.registry import game as rules_of
from palio_server.addons.engine_words.engines import Engine, Pairs, encounters, time_of

OURS = {  # options of `palio run` with a value; it is left alone, also where it looks like an option
    *("rounds", "games-per-encounter", "tie-breaks", "anchor", "max-plies", "table-every", "score-every", "records"),
    *("export", "name", "seed", "tc", "st", "concurrency", "format", "db", "port", "mqtt", "resume", "option", "o"),
    *("sandbox", "memory", "processes", "cluster", "cluster-tls", "broken", "max-crashes", "show", "odds", "margin"),
    *("seats", "affinity", "log-file", "strikes", "clock"),
}

RENAMED = {"event": "name", "srand": "seed"}  # the value is unchanged

CHESS = "chess"
_RULES = "the rules check every move"

# how many words follow, and why there is nothing to do
NEEDLESS: dict[str, tuple[int, str]] = {
    "force-concurrency": (0, "--concurrency is never cut to the number of cores"),
    "autosaveinterval": (1, "every result is in the database before it is printed"),
    "site": (1, "records have no site; --name names the event"),
    "strict": (0, f"{_RULES}, and bots that break them lose"),
    "wait": (1, "games follow each other without a pause"),
}

_NO_BOOK = "bots bring their own books; --openings file=BOOK begins the games"
_TABLEBASE = "no tablebases; --draw and --resign end games early"
_READY = "a bot has 30 s to be ready for a match, and 30 s to come back"

REFUSED = {
    "both": "write the time once, as in --tc 10+0.1",
    "bookmode": _NO_BOOK,
    "check-mate-pvs": f"{_RULES}; of lines that engines tell, illegal moves are reported",
    "compliance": "palio check-bot uci:ENGINE goes through UCI step by step",
    "config": "all is kept in the database: palio run --resume NUMBER goes on",
    "crc32": "--records FILE has the games; palio verify checks what the database has",
    "debug": "--records FILE has all that was played and said; palio --debug run shows tracebacks",
    "engines": "name a bot: one that ships, a file, or exec:PROGRAM",
    "epdout": "--records FILE has every move; palio match show ID shows a position",
    "fcp": "write -engine cmd=PROGRAM, once for each",
    "outcomeinterval": "--score-every N prints the score after every N games",
    "ping-ms": _READY,
    "protocols": "bots speak one protocol, docs/reference/protocol.md",
    "randomseed": "--seed N, and another number each time",
    "resultformat": "--export FILE.csv, .json or .md writes the table",
    "scp": "write -engine cmd=PROGRAM, once for each",
    "show-latency": "--records FILE has the time of every move as the server measured it",
    "startup-ms": _READY,
    "tb": _TABLEBASE,
    "tbadjudicate": _TABLEBASE,
    "tbignore50": _TABLEBASE,
    "tbpieces": _TABLEBASE,
    "testEnv": "--json prints the result for programs",
    "ucinewgame-ms": _READY,
    "variants": "the game is the first word: palio run GAME",
}

SPRT = ("elo0", "elo1", "alpha", "beta", "model", "pentanomial", "max_pairs")  # the last two are ours
DRAW = ("movenumber", "movecount", "score")
RESIGN = ("movecount", "score", "twosided")
JOINED = {"sprt": SPRT, "draw": DRAW, "resign": RESIGN}  # several words there, one value here

_SCORE = re.compile(r"\bscore=(\d{1,9}(?:\.\d{0,9})?)(?= |$)", re.ASCII)
_TELLS_HUNDREDTHS = re.compile(r"(?:[\w.-]+=)?(?:uci|ugi):", re.ASCII)  # the spec of such a bot

OPENINGS = ("file", "format", "order", "plies", "start", "policy")
LOG = ("file", "level", "append", "engine", "realtime")
PGNOUT = (  # but for the file and its form, what a record has anyhow, if the bot tells it
    *("file", "append", "notation", "min", "match_line"),
    *("nodes", "seldepth", "nps", "hashfull", "tbhits", "timeleft", "latency", "pv"),
)


# What has been read of a command line, and our words for all of it.

# What -each may say where no program is given by -engine.
HARMLESS_ALONE = ("tc", "st", "timemargin", "proto", "restart")


@dataclass(slots=True)
class Line:
    """Options are in our words already; what depends on other words waits for the end of the line."""

    words: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # sentences about what had no effect
    bots: list[str] = field(default_factory=list)  # the game, and bots that stand by themselves
    after: int = 0  # of `words`: where bots of -engine belong, behind the game
    engines: list[Pairs] = field(default_factory=list)
    each: list[tuple[str, str]] = field(default_factory=list)
    rounds: int | None = None  # of `words`: where their number is
    games: int | None = None
    repeat: int | None = None  # 0: one game for each order of the seats
    format: str | None = None
    seeds: int | None = None
    moves: int | None = None  # of all seats
    sprt: int | None = None  # of `words`: where the bounds of the test are
    scored: list[int] = field(default_factory=list)  # of `words`: where -draw and -resign say a score as typed there
    recovers: bool = False  # a bot plays on after any number of crashes
    variant: bool = False  # -variant says that the game is chess
    pairs: bool = True  # whether the test counts pairs, or every game by itself
    pgn_book: str | None = None  # of -pgnin
    pgn_plies: int | None = None  # of -pgndepth

    def option(self, name: str, value: str) -> None:
        self.words += [f"--{name}", value]

    def set_rounds(self, value: str) -> None:
        self.option("rounds", value)
        self.rounds = len(self.words) - 1

    def bot(self, word: str) -> None:
        """The game, or a bot."""
        self.words.append(word)
        self.bots.append(word)
        if len(self.bots) == 1:
            self.after = len(self.words)

    def finished(self, is_file: Callable[[str], bool]) -> list[str]:
        """All words, with the bots of -engine behind the game. Raises BadOption for what does not fit together."""
        if self.engines and not self.bots:
            self._play_chess()
        elif self.bots and self.bots[0].partition(":")[0] == CHESS:
            self._warn_of_engines_without_a_protocol()
        engines = [Engine((*settings, *self.each)) for settings in self.engines]
        self._set_games(engines)
        self._set_format(engines)
        self._set_time(engines)
        self._set_book()
        if self.sprt is not None and not self.pairs:
            self.words[self.sprt] += " pentanomial=false"
        if self.recovers and "--max-crashes" not in self.words:
            self.option("max-crashes", "0")
        if self.moves:
            self.option("max-plies", str(self.moves * self._game()[0]))
        bots = [engine.bot(is_file) for engine in engines]
        self._set_scores([*self.bots[1:], *bots])
        return [*self.words[: self.after], *bots, *self.words[self.after :]]

    def _play_chess(self) -> None:
        """Play what their users mean who name no game: chess, by engines that speak UCI unless they say otherwise."""
        self.words.insert(0, CHESS)
        self.bots.append(CHESS)
        self.after = 1
        self.rounds, self.sprt = (None if at is None else at + 1 for at in (self.rounds, self.sprt))
        self.scored = [at + 1 for at in self.scored]
        said = {key for key, _ in self.each}
        self.engines = [
            settings if "proto" in said | {key for key, _ in settings} else [("proto", "uci"), *settings]
            for settings in self.engines
        ]
        if not self.variant:
            said_so = f"no game is named: {CHESS}, by engines that speak UCI; for another one write palio run GAME"
            self.notes.append(said_so)

    def _warn_of_engines_without_a_protocol(self) -> None:
        """Say which programs are taken for bots that speak JSON lines: most programs that play chess speak UCI."""
        for settings in self.engines:
            said = dict((*settings, *self.each))
            if "cmd" in said and "proto" not in said:
                self.notes.append(f"cmd={said['cmd']} is expected to speak JSON lines; if it speaks UCI, add proto=uci")

    def _set_games(self, engines: list[Engine]) -> None:
        """Set the number of rounds, and of games in each."""
        if "--resume" in self.words and (self.games is not None or self.repeat is not None):
            raise BadOption("--resume goes on with the games that each round began with; leave -games and -repeat out")
        seats, race = self._game()
        orders = 1 if race else factorial(seats)
        repeat = orders if self.repeat == 0 else self.repeat
        if self.format == "knockout" and max(self.games or 1, repeat or 1) > orders:
            raise BadOption(
                f"an encounter has at most {orders} games here; --format knockout:best_of=N has more of them"
            )
        times, games = encounters(self.games, repeat, orders)
        if games is not None:
            self.option("games-per-encounter", str(games))
        elif engines and orders > 1:
            self.notes.append(f"a round is {orders} games, one in each order of the seats; -games 1 plays one")
        if times > 1:
            self._multiply_rounds(times)

    def _multiply_rounds(self, times: int) -> None:
        if self.rounds is None:
            self.set_rounds(str(times))
        elif (given := self.words[self.rounds]).isascii() and given.isdigit() and len(given) <= 9:
            self.words[self.rounds] = str(int(given) * times)
            self.notes.append(
                f"-rounds {given} with -games {self.games or self.repeat} is --rounds {self.words[self.rounds]}: "
                "a round has one opening; write that number to go on with more rounds"
            )

    def _set_format(self, engines: list[Engine]) -> None:
        if self.seeds is not None and self.format != "gauntlet":
            raise BadOption("-seeds is for -tournament gauntlet: how many challenge; elsewhere ratings seed the bots")
        if self.format is not None and (self.sprt is None or len(engines) != 2):  # a test of two has one form
            chosen = f":challengers={self.seeds}" if self.seeds and self.seeds > 1 else ""
            self.option("format", self.format + chosen)

    def _set_time(self, engines: list[Engine]) -> None:
        alone = [key for key, _ in self.each if key not in HARMLESS_ALONE]
        if not engines and alone:
            raise BadOption(f"-each {alone[0]}= needs bots that are given as -engine cmd=PROGRAM")
        all_ = engines or [Engine(self.each)]
        times = [time_of(engine) for engine in all_]
        if times[0] is not None:
            clock, _, move = times[0].rpartition(" ") if times[0].endswith("/move") else (times[0], "", "")
            for name, text in (("tc", clock), ("st", move.removesuffix("/move"))):
                if text:
                    self.option(name, text)
        if any(time != times[0] for time in times):
            self._set_odds(engines, times)
        margins = {engine.last("timemargin") for engine in all_}
        if len(margins) > 1:
            raise BadOption("-engine timemargin: the margin is that of all bots here; write -each timemargin=MS")
        if (margin := margins.pop()) is not None:
            self.option("margin", margin)

    def _set_odds(self, engines: list[Engine], times: list[str | None]) -> None:
        """Give each engine whose time is not the first one's its own. Raises BadOption if it has none, or no name."""
        for engine, time in zip(engines, times, strict=True):
            name = engine.last("name")
            if time is None:
                raise BadOption("an engine has no time where others have; give each -engine a tc=, or -each tc=TIME")
            if time != times[0]:
                if name is None:
                    raise BadOption(f"an engine with a time of its own needs a name: -engine name=NAME ... tc={time}")
                self.option("odds", f"{name}={time}")

    def _set_scores(self, bots: Sequence[str]) -> None:
        """Write the scores of -draw and -resign in the unit in which engines' scores reach the referee."""
        if not any(_TELLS_HUNDREDTHS.match(bot) for bot in bots):
            return
        for at in self.scored:
            found = _SCORE.search(self.words[at])
            if found is not None:
                said = f"{self.words[at - 1][1:]} {found[0]}"
                score = f"score={Decimal(found[1]).scaleb(-2).normalize():f}"
                self.words[at] = f"{self.words[at][: found.start()]}{score}{self.words[at][found.end() :]}"
                self.notes.append(
                    f"{said} is in hundredths, as UCI and UGI engines tell scores: {self.words[at - 1]} "
                    f'"{self.words[at]}"'
                )

    def _set_book(self) -> None:
        """Set the openings of -pgnin and -pgndepth."""
        if self.pgn_plies is not None and self.pgn_book is None:
            raise BadOption("-pgndepth needs -pgnin FILE; of other books, --openings file=BOOK,plies=N")
        if self.pgn_book is not None:
            plies = f",plies={self.pgn_plies}" if self.pgn_plies else ""
            self.option("openings", f"file={self.pgn_book},format=pgn{plies}")

    def _game(self) -> tuple[int, bool]:
        """Return how many seats the game has, and whether it is a race; a duel if that is unknown."""
        try:
            rules = rules_of(adopt(self.bots[0]).name)
        except (IndexError, BadOption):
            return 2, False
        return len(rules.seats), rules.kind == "race"


# `-openings file=BOOK format=epd order=random plies=4` as one value: `file=BOOK,format=epd,order=random,plies=4`.

_FORMATS = ("epd", "pgn")
_POLICIES = ("default", "encounter", "round")


def openings_value(found: Mapping[str, str]) -> str:
    """The value of `--openings`. Raises BadOption for what our books have not."""
    if "file" not in found:
        raise BadOption("--openings needs file=BOOK, or a number of random plies")
    if (form := found.get("format", "epd")) not in _FORMATS:
        raise BadOption(f"--openings format={form} is unknown; {nearest(form, _FORMATS)}")
    if (policy := found.get("policy", "default")) not in _POLICIES:
        raise BadOption(f"--openings policy={policy}: every encounter of a round has the same opening; leave it out")
    return ",".join(f"{key}={found[key]}" for key in ("file", "format", "order", "plies", "start") if key in found)
