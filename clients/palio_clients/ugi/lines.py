"""What an engine says, line by line: read forgivingly, because engines print all kinds of things.

    id name NAME                                        option name NAME type TYPE default VALUE [min N max N | var V …]
    ugiok   readyok   response ANSWER                   bestmove MOVE [ponder MOVE]
    info depth N score cp N nodes N pv MOVE MOVE …

Whatever is none of these is no fault: it is left out.
"""

from dataclasses import dataclass

LARGEST = 2**53  # of a number that is believed
UGIOK, READYOK = "ugiok", "readyok"


@dataclass(frozen=True, slots=True)
class Named:
    """`id name`: what the engine calls itself."""

    name: str


@dataclass(frozen=True, slots=True)
class Offered:
    """An option that the engine has. `least` and `most` are a spin's, `choices` a combo's."""

    name: str
    kind: str
    default: str = ""
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Word:
    """`ugiok` or `readyok`."""

    text: str


@dataclass(frozen=True, slots=True)
class BestMove:
    """The end of a search; `move` is empty where the engine names none."""

    move: str


@dataclass(frozen=True, slots=True)
class Told:
    """One `info` line; None where it does not say. `score` in hundredths and `mate` in plies, as the engine sees it."""

    depth: int | None = None
    nodes: int | None = None
    score: int | None = None
    mate: int | None = None
    pv: tuple[str, ...] = ()
    best_line: bool = True  # not a second or third one of `multipv`


Said = Named | Offered | Word | BestMove | Told

_INFO_NUMBERS = ("depth", "nodes", "multipv")
_AFTER_A_LINE = frozenset(("depth", "seldepth", "time", "nodes", "multipv", "score", "hashfull", "nps", "string"))
_OPTION_WORDS = ("name", "type", "default", "min", "max", "var")


def read_line(line: str) -> Said | None:
    """What the line says; None if it is nothing that matters here. Never fails."""
    words = line.split()
    match words:
        case ["ugiok"]:
            return Word(UGIOK)
        case ["readyok"]:
            return Word(READYOK)
        case ["id", "name", *name] if name:
            return Named(" ".join(name))
        case ["option", *rest]:
            return _option(rest)
        case ["bestmove", *rest]:
            return BestMove(rest[0] if rest else "")
        case ["info", *rest]:
            return _info(rest)
    return None


def _option(words: list[str]) -> Offered | None:
    """Names and values may have several words: each ends where the next keyword stands."""
    found: dict[str, list[list[str]]] = {}
    into: list[str] | None = None
    for word in words:
        once = word in found and word != "var"
        if word in _OPTION_WORDS and not once:
            into = []
            found.setdefault(word, []).append(into)
        elif into is not None:
            into.append(word)
    name, kind = (" ".join(found.get(key, [[]])[0]) for key in ("name", "type"))
    if not name or not kind:
        return None
    default, least, most = (" ".join(found.get(key, [[]])[0]) for key in ("default", "min", "max"))
    choices = tuple(" ".join(value) for value in found.get("var", []))
    return Offered(name, kind.casefold(), default, _number(least), _number(most), choices)


def _info(words: list[str]) -> Told | None:
    """An `info` of a search; None for one that says nothing of interest, as `info string` does."""
    numbers: dict[str, int | None] = {}
    score = mate = None
    pv: tuple[str, ...] = ()
    at = 0
    while at < len(words):
        word, after = words[at], words[at + 1 : at + 3]
        at += 1
        if word == "string":
            break  # the rest is text
        if word == "pv":
            end = next((i for i in range(at, len(words)) if words[i] in _AFTER_A_LINE), len(words))
            pv, at = tuple(words[at:end]), end
        elif word == "score" and len(after) > 1 and after[0] in ("cp", "mate"):
            value = _number(after[1])
            score, mate = (value, None) if after[0] == "cp" else (None, value)
            at += 2
        elif word in _INFO_NUMBERS and after:
            numbers[word] = _number(after[0])
            at += 1
    told = Told(
        _count(numbers.get("depth")), _count(numbers.get("nodes")), score, mate, pv, numbers.get("multipv") in (None, 1)
    )
    return None if told == Told() else told


def _count(number: int | None) -> int | None:
    return number if number is not None and number >= 0 else None


def _number(text: str) -> int | None:
    """A whole number, or None. Engines write floats at times."""
    if len(text) > 20:
        return None
    try:
        number = int(float(text)) if "." in text else int(text)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) <= LARGEST else None
