"""A reader of the lines that engines say. It is tolerant, because engines print all kinds of things.

    id name NAME option name NAME type TYPE default VALUE [min N max N | var V …]
    ugiok   uciok   readyok                             bestmove MOVE [ponder MOVE]
    info depth N seldepth N score cp N|mate N wdl W D L nodes N nps N hashfull N tbhits N pv MOVE MOVE …
    info string TEXT

All else is left out, and is no fault of the engine; `palio check-bot` says what it was.
"""

from dataclasses import dataclass, replace

from palio_clients.engines.language import Offered

LARGEST = 2**53  # of a number that is believed
READYOK = "readyok"
WDL = 3  # numbers of `wdl`: won, drawn, lost, of a thousand games


@dataclass(frozen=True, slots=True)
class Named:
    """`id name`: what the engine calls itself."""

    name: str


@dataclass(frozen=True, slots=True)
class Word:
    """`ugiok`, `uciok` or `readyok`."""

    text: str


@dataclass(frozen=True, slots=True)
class BestMove:
    """The end of a search; `move` is empty where the engine names none, `ponder` where it expects no answer."""

    move: str
    ponder: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer of an engine that speaks GTP, see `gtp_lines`; a failed one has the engine's reason as its text.

    `ended` tells whether the empty line has come that ends an answer.
    """

    number: int
    text: str
    good: bool = True
    ended: bool = True


@dataclass(frozen=True, slots=True)
class Told:
    """One `info` line; None where it does not say. `score` in hundredths, `mate` in the language's unit.

    Both are from the engine's own side.
    """

    depth: int | None = None
    nodes: int | None = None
    score: int | None = None
    mate: int | None = None
    pv: tuple[str, ...] = ()
    best_line: bool = True  # not a second or third one of `multipv`
    seldepth: int | None = None
    nps: int | None = None
    hashfull: int | None = None
    tbhits: int | None = None
    wdl: tuple[int, int, int] | None = None
    string: str = ""

    def and_then(self, said: "Told") -> "Told":
        """Return the newest of each; a line that tells only a number of nodes leaves the rest unchanged."""
        if not said.best_line:
            return self
        newer = {name: value for name in _KEPT if (value := getattr(said, name))}
        newer |= {name: value for name in _COUNTS if (value := getattr(said, name)) is not None}
        if said.score is not None or said.mate is not None:
            newer |= {"score": said.score, "mate": said.mate, "wdl": said.wdl}
        return replace(self, **newer)


NOTHING = Told()

Said = Named | Offered | Word | BestMove | Told | Answer


class Infos:
    """The `info` lines of one search. They are read when they are asked for: nearly all are outdated until then.

    A line with a score and a line of moves replaces those before it; an `info string` stays.
    """

    MOST = 64  # lines that are kept unread

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self._string = b""
        self._told = NOTHING  # of lines that are not kept

    def add(self, line: bytes) -> None:
        if line.startswith(b"info string "):
            self._string = line
        elif b" multipv " in line and line.partition(b" multipv ")[2].split(None, 1)[:1] != [b"1"]:
            return
        elif b"bound" in line and not _BOUNDS.isdisjoint(line.decode(errors="replace").split()):
            return  # no score: the last exact one adjudicates, and stands in records
        elif b" pv " in line and b" score " in line:
            self._lines, self._told = [line], NOTHING
        elif b" currmove " not in line:
            if len(self._lines) >= self.MOST:
                self._told, self._lines = self.told(), []
            self._lines.append(line)

    def told(self) -> Told:
        """Return the newest of each, but not the string of `info string`."""
        told = self._told
        for line in self._lines:
            if (said := _info(line.decode(errors="replace").split()[1:])) is not None:
                told = said if told is NOTHING and said.best_line else told.and_then(said)
        return told

    @property
    def string(self) -> str:
        """Return the text of the newest `info string`; "": there was none."""
        return " ".join(self._string.decode(errors="replace").split()[2:])


_COUNTS = ("depth", "seldepth", "nodes", "nps", "hashfull", "tbhits")
_KEPT = ("pv", "string")
_AFTER_A_LINE = frozenset((*_COUNTS, "multipv", "time", "score", "wdl", "string", "currmove", "currmovenumber"))
_BOUNDS = frozenset(("lowerbound", "upperbound"))  # beside a score that is none
_OPTION_WORDS = ("name", "type", "default", "min", "max", "var")
_WORDS = frozenset(("ugiok", "uciok", READYOK))


def read_line(line: str) -> Said | None:
    """Read a line; return None if nothing in it matters here. Never fails."""
    words = line.split()
    match words:
        case [word] if word in _WORDS:
            return Word(word)
        case ["id", "name", *name] if name:
            return Named(" ".join(name))
        case ["option", *rest]:
            return _option(rest)
        case ["bestmove", *rest]:
            return BestMove(rest[0] if rest else "", rest[2] if rest[1:2] == ["ponder"] and len(rest) > 2 else "")
        case ["info", *rest]:
            return _info(rest)
    return None


def is_of_the_language(line: str) -> bool:
    """Return True for a line that an engine may say, even if nothing in it matters here."""
    first = line.split(maxsplit=1)[:1]
    known = ("id", "option", "bestmove", "info", "copyprotection", "registration", "response", *_WORDS)
    return not first or first[0] in known


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
    """An `info` of a search; None for one that says nothing of interest."""
    numbers: dict[str, int] = {}
    best = True
    score = mate = None
    wdl: tuple[int, int, int] | None = None
    pv: tuple[str, ...] = ()
    string = ""
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word in _COUNTS:
            if (number := _number(words[at]) if at < len(words) else None) is not None and number >= 0:
                numbers[word] = number
            at += 1
        elif word == "multipv":
            best = at == len(words) or _number(words[at]) in (None, 1)
            at += 1
        elif word == "string":
            string = " ".join(words[at:])  # the rest is text
            break
        elif word == "pv":
            end = next((i for i in range(at, len(words)) if words[i] in _AFTER_A_LINE), len(words))
            pv, at = tuple(words[at:end]), end
        elif word == "score" and at + 1 < len(words) and words[at] in ("cp", "mate"):
            value = _number(words[at + 1])
            score, mate = (value, None) if words[at] == "cp" else (None, value)
            at += 2
        elif word == "wdl":
            wdl = _wdl(words[at : at + WDL])
            at += WDL
    told = Told(score=score, mate=mate, pv=pv, best_line=best, wdl=wdl, string=string, **numbers)
    told = told if _BOUNDS.isdisjoint(words) else replace(told, score=None, mate=None, wdl=None)
    return None if told == NOTHING else told


def _wdl(words: list[str]) -> tuple[int, int, int] | None:
    match [_count(_number(word)) for word in words]:
        case [int(won), int(drawn), int(lost)]:
            return won, drawn, lost
    return None


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
