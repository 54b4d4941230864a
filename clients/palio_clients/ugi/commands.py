"""What a GUI asks of an engine, line by line; read forgivingly."""

from dataclasses import dataclass, field

from palio_clients.ugi.texts import FEN, MOVES, STARTPOS

MOST = 2**53
_CLOCKS = {  # UCI's names too, because GUIs for chess know no others
    "p1time": "p1time", "p2time": "p2time", "p1inc": "p1inc", "p2inc": "p2inc",
    "wtime": "p1time", "btime": "p2time", "winc": "p1inc", "binc": "p2inc",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Position:
    """Where to think: `fen` None is the game's first position."""

    fen: str | None
    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Go:
    """How long to think. `clocks` are p1's and p2's, in milliseconds, as `movetime` is; None: not given."""

    clocks: tuple[int | None, int | None] = (None, None)
    increments: tuple[int, int] = (0, 0)
    movetime: int | None = None
    depth: int | None = None
    nodes: int | None = None
    infinite: bool = False


@dataclass(frozen=True, slots=True)
class SetOption:
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Query:
    question: str


@dataclass(frozen=True, slots=True)
class Word:
    """A command without arguments: ugi, isready, uginewgame, stop, quit."""

    text: str


Command = Position | Go | SetOption | Query | Word
_WORDS = frozenset(("ugi", "isready", "uginewgame", "stop", "quit"))


def read_command(line: str) -> Command | None:
    """The command in a line; None for one that is unknown, which an engine ignores. Never fails."""
    words = line.split()
    at = next((i for i, word in enumerate(words) if word in _COMMANDS), len(words))
    words = words[at:]  # UCI: an unknown word is skipped, and the rest is read
    match words:
        case []:
            return None
        case ["position", *rest]:
            return _position(rest)
        case ["go", *rest]:
            return _go(rest)
        case ["setoption", *rest]:
            return _set_option(rest)
        case ["query", *rest]:
            return Query(" ".join(rest))
    return Word(words[0])


_COMMANDS = _WORDS | {"position", "go", "setoption", "query"}


def _position(words: list[str]) -> Position | None:
    at = words.index(MOVES) if MOVES in words else len(words)
    place, moves = words[:at], tuple(words[at + 1 :])
    match place:
        case [first] if first == STARTPOS:
            return Position(None, moves)
        case [first, *rest] if first == FEN and rest:
            return Position(" ".join(rest), moves)
    return None


@dataclass(slots=True)
class _Found:
    numbers: dict[str, int] = field(default_factory=dict)
    infinite: bool = False


def _go(words: list[str]) -> Go:
    found = _Found()
    for word, after in zip(words, [*words, ""][1:], strict=True):
        key = _CLOCKS.get(word, word)
        if word == "infinite":
            found.infinite = True
        elif key in _CLOCKS or key in ("movetime", "depth", "nodes"):
            number = _number(after)
            if number is not None:
                found.numbers[key] = number
    get = found.numbers.get
    return Go(
        (get("p1time"), get("p2time")),
        (get("p1inc", 0), get("p2inc", 0)),
        get("movetime"),
        get("depth"),
        get("nodes"),
        found.infinite,
    )


def _number(text: str) -> int | None:
    """A whole number, never below 0: a clock that has run out is at 0."""
    sign = text.removeprefix("-")
    if not sign.isascii() or not sign.isdecimal() or len(sign) > 16:
        return None
    return 0 if sign != text else min(int(sign), MOST)


def _set_option(words: list[str]) -> SetOption | None:
    if words[:1] != ["name"]:
        return None
    at = words.index("value") if "value" in words else len(words)
    name = " ".join(words[1:at])
    return SetOption(name, " ".join(words[at + 1 :])) if name else None
