"""Which options there are, here and there, and what becomes of those whose translation is a word or a sentence."""

OURS = {  # options of `palio run` with a value; it is left alone, whatever it looks like
    *("rounds", "games-per-encounter", "tie-breaks", "anchor", "max-plies", "table-every", "records", "export", "name"),
    *("seed", "tc", "st", "concurrency", "format", "db", "port", "mqtt", "resume", "option", "o"),
    *("sandbox", "memory", "processes", "cluster", "cluster-tls", "broken"),
}

RENAMED = {"event": "name", "srand": "seed"}  # the value stays as it is

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
    "protocols": "bots speak one protocol, docs/protocol.md",
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
