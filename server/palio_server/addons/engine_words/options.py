"""The options of both programs and our own, with the translation of those for which a word or a sentence is enough."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import factorial

from palio_rules.errors import BadOption, nearest
from palio_rules.registry import adopt
from palio_rules.registry import game as rules_of
from palio_server.addons.engine_words.engines import Engine, Pairs, encounters, time_of

OURS = {  # options of `palio run` with a value; it is left alone, also where it looks like an option
    *("rounds", "games-per-encounter", "tie-breaks", "anchor", "max-plies", "table-every", "records", "export", "name"),
    *("seed", "tc", "st", "concurrency", "format", "db", "port", "mqtt", "resume", "option", "o"),
    *("sandbox", "memory", "processes", "cluster", "cluster-tls", "broken", "show"),
}

RENAMED = {"event": "name", "srand": "seed"}  # the value is unchanged

# how many words follow, and why there is nothing to do
NEEDLESS: dict[str, tuple[int, str]] = {
    "recover": (
        0,
        "a bot that crashes is always started again; --broken says what becomes of one that cannot be started",
    ),
    "force-concurrency": (0, "--concurrency is never cut to the number of cores"),
    "autosaveinterval": (1, "every result is in the database before it is printed"),
    "site": (1, "records have no site; --name names the event"),
    "wait": (1, "games follow each other without a pause"),
}

_NO_BOOK = "bots bring their own books; --openings file=BOOK begins the games"
_TABLEBASE = "no tablebases; --draw and --resign end games early"
_READY = "a bot has 30 s to be ready for a match, and 30 s to come back"
_RULES = "the rules check every move"

REFUSED = {
    "both": "write the time once, as in --tc 10+0.1",
    "bookmode": _NO_BOOK,
    "check-mate-pvs": f"{_RULES}, and nothing else that a bot says",
    "compliance": "palio check-bot SPEC says what a bot does wrong",
    "config": "all is kept in the database: palio run --resume NUMBER goes on",
    "crc32": "--records FILE has the games; palio verify checks what the database has",
    "debug": "--records FILE has all that was played and said; palio --debug run shows tracebacks",
    "engines": "name a bot: one that ships, a file, or exec:PROGRAM",
    "epdout": "--records FILE has every move; palio match show ID shows a position",
    "fcp": "write -engine cmd=PROGRAM, once for each",
    "noswap": "sides are swapped so that nobody has an advantage; --games-per-encounter 1 plays one game",
    "outcomeinterval": "--table-every N prints the table after every N games",
    "pgndepth": "--openings file=BOOK,plies=N",
    "pgnin": "--openings file=BOOK",
    "ping-ms": _READY,
    "protocols": "bots speak one protocol, docs/reference/protocol.md",
    "randomseed": "--seed N, and another number each time",
    "resultformat": "--export FILE.csv, .json or .md writes the table",
    "reverse": "name the bots in the other order",
    "scoreinterval": "--table-every N prints the table after every N games",
    "scp": "write -engine cmd=PROGRAM, once for each",
    "show-latency": "--records FILE has the time of every move as the server measured it",
    "startup-ms": _READY,
    "strict": _RULES,
    "tb": _TABLEBASE,
    "tbadjudicate": _TABLEBASE,
    "tbignore50": _TABLEBASE,
    "tbpieces": _TABLEBASE,
    "testEnv": "--json prints the result for programs",
    "ucinewgame-ms": _READY,
    "use-affinity": "taskset -c CPUS palio run … keeps all processes on these cores",
    "variants": "the game is the first word: palio run GAME",
}

SPRT = ("elo0", "elo1", "alpha", "beta", "model", "pentanomial", "max_pairs")  # the last two are ours
DRAW = ("movenumber", "movecount", "score")
RESIGN = ("movecount", "score", "twosided")
JOINED = {"sprt": SPRT, "draw": DRAW, "resign": RESIGN}  # several words there, one value here

OPENINGS = ("file", "format", "order", "plies", "start", "policy")
PGNOUT = (  # but for the file and its form, what a record has anyhow, if the bot tells it
    *("file", "append", "notation", "min", "match_line"),
    *("nodes", "seldepth", "nps", "hashfull", "tbhits", "timeleft", "latency", "pv"),
)


# What has been read of a command line, and our words for all of it.

HARMLESS_ALONE = ("tc", "st", "proto", "restart")  # what -each may say where no program is given by -engine


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
    pairs: bool = True  # whether the test counts pairs, or every game by itself

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
            raise BadOption("name the game first, as in `palio run breakthrough -engine cmd=./a -engine cmd=./b`")
        engines = [Engine((*settings, *self.each)) for settings in self.engines]
        self._set_games(engines)
        self._set_format(engines)
        self._set_time(engines)
        if self.sprt is not None and not self.pairs:
            self.words[self.sprt] += " pentanomial=false"
        if self.moves:
            self.option("max-plies", str(self.moves * self._game()[0]))
        bots: list[str] = []
        for engine in engines:
            bots.append(engine.bot(is_file, bots))
        return [*self.words[: self.after], *bots, *self.words[self.after :]]

    def _set_games(self, engines: list[Engine]) -> None:
        """Set the number of rounds, and of games in each."""
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
        for key in ("tc", "st"):
            time = time_of(engines or [Engine(self.each)], key)
            if time is not None:
                self.option(key, time)

    def _game(self) -> tuple[int, bool]:
        """Return how many seats the game has, and whether it is a race; a duel if that is unknown."""
        try:
            rules = rules_of(adopt(self.bots[0]).name)
        except (IndexError, BadOption):
            return 2, False
        return len(rules.seats), rules.kind == "race"


# `-openings file=BOOK format=epd order=random plies=4` as one value: `file=BOOK,order=random,plies=4`.

_POLICIES = ("default", "encounter")


def openings_value(found: Mapping[str, str]) -> str:
    """The value of `--openings`. Raises BadOption for what our books have not."""
    if "file" not in found:
        raise BadOption("--openings needs file=BOOK, or a number of random plies")
    match found.get("format", "epd"):
        case "pgn":
            raise BadOption("--openings format=pgn: a book has one opening a line here, as moves or as a position")
        case "epd":
            pass
        case other:
            raise BadOption(f"--openings format={other} is unknown; {nearest(other, ('epd',))}")
    if found.get("start", "1") != "1":
        raise BadOption(f"--openings start={found['start']}: a book is played from its first line; cut those before")
    if found.get("policy", "default") not in _POLICIES:
        raise BadOption(f"--openings policy={found['policy']}: every encounter has an opening of its own; leave it out")
    return ",".join(f"{key}={found[key]}" for key in ("file", "order", "plies") if key in found)
