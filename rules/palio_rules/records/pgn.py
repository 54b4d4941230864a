"""PGN, the text that chess programs exchange, read line by line into tags, moves and comments. Moves are not checked.

Edwards, "Portable Game Notation: specification and implementation guide" (1994), section 7 for tokens. The reader
repairs what other programs write and the standard forbids: missing results and tags, several tags in a line, quotes
without a backslash, `½-½`, long notation as in `Ng1-f3`. A strict reader refuses such games. Variations and glyphs are
passed over.

Files may be hostile. One game at a time is in memory, its size is bounded, and variations need no recursion. A fault
names its line; the next game is read again.
"""

import re
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from palio_rules.errors import quoted

ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
RESULTS = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}
NULL_MOVES = frozenset({"--", "Z0", "null", "0000", "@@@@"})  # a turn that was passed; chess has no such move
LONGEST_GAME = 4 * 2**20  # characters
MOST_MOVES = 100_000  # as many plies as a match may have
MOST_TAGS = 200

_TAG = re.compile(r'\s*\[\s*([A-Za-z0-9_]+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_LOOSE_TAG = re.compile(r'\s*\[\s*([A-Za-z0-9_]+)\s+"(.*)"\s*\]\s*')  # with quotes inside that have no backslash
_BEGINS_TAG = re.compile(r'\s*\[\s*[A-Za-z0-9_]+\s+"')
_EVENT = re.compile(r'\[Event "')
_ESCAPED = re.compile(r"\\(.)")
_NO_SAN = re.compile(  # `Pe4`, `Ng1-f3`, `g1f3`, `a8q`, `a8/Q`
    r"P.*|[KQRBN]?[a-h][1-8]-.*|[a-h][1-8]x?[a-h][1-8].*|.*[a-h][18][=/]?[qrbn][+\#]*|.*[a-h][18]/.*"
)
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<brace>\{)
    |(?P<rest>;.*)
    |(?P<result>1-0|0-1|1/2-1/2|½-½|1/2|\*)(?=[\s{(;)]|$)
    |(?P<open>\()
    |(?P<close>\))
    |(?P<null>--|@@@@)
    |(?P<number>[0-9]+(?:\.+|(?=[\s{]|$))|\.+)
    |(?P<glyph>\$[0-9]+|[!?]+|[+\-=/~∞±∓⩲⩱□]+(?=[\s{();]|$)|e\.p\.)
    |(?P<move>[A-Za-z0-9](?:(?!e\.p\.)[A-Za-z0-9_+\#=:/\-@])*)(?:e\.p\.)?
    |(?P<reserved><[^<>]*>)
    )""",
    re.VERBOSE,
)


class PgnMove(NamedTuple):
    """A move as it is written, without glyphs. `comment` has the text of all comments after it, in one line."""

    line: int
    text: str
    comment: str = ""


@dataclass(slots=True)
class PgnGame:
    """A game of a PGN file. `result` is as in `RESULTS`, "*" where the game goes on or no result is written."""

    line: int
    tags: dict[str, str] = field(default_factory=dict)
    moves: list[PgnMove] = field(default_factory=list)
    result: str = "*"
    comment: str = ""  # before the first move


class PgnFault(NamedTuple):
    """A fault of a file; the game that has it is left out."""

    line: int
    sentence: str


def read_pgn(lines: Iterable[str], *, strict: bool = False) -> Iterator[PgnGame | PgnFault]:
    """Yield the games of a file, or their faults."""
    reader = PgnReader(strict=strict)
    for number, line in enumerate(lines, 1):
        yield from reader.take(line, number)
    yield from reader.end()


def decoded(line: bytes) -> str:
    """Return a line of a file as text: UTF-8, else Latin-1, which is the standard's."""
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError:
        return line.decode("latin-1")


class PgnReader:
    """A reader that is given a file line by line."""

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self._game: PgnGame | None = None
        self._in_tags = False
        self._comment: list[str] | None = None  # the comment that is open
        self._comments: list[str] = []  # after the last move, or before the first
        self._variations: list[int] = []  # the lines in which open variations begin
        self._begin = 0  # the line in which the comment begins
        self._size = 0
        self._skipping = False  # after a fault, up to the next game
        self._blank = True  # whether the line before was empty
        self._number = 0

    @property
    def is_open(self) -> bool:
        """True within a game, or behind a fault where no next game has begun."""
        return self._game is not None or self._skipping or self.in_comment

    @property
    def is_skipping(self) -> bool:
        """True behind a fault, where no next game has begun."""
        return self._skipping

    @property
    def in_comment(self) -> bool:
        """True if the next line is part of a comment."""
        return self._comment is not None

    def take(self, line: str, number: int) -> Iterator[PgnGame | PgnFault]:
        """Read the next line, and yield the games that end in it."""
        self._number = number
        if number == 1:
            line = line.removeprefix("\ufeff")  # which Windows' editors write first
        if len(line) > LONGEST_GAME:
            yield self._fault(f"the line is longer than {LONGEST_GAME // 2**20} MiB, no game is; break it")
            return
        for part in re.split(r"\r\n?|\n", line.rstrip("\r\n")):
            yield from self._part(part)
            self._blank = not part.strip()

    def end(self) -> Iterator[PgnGame | PgnFault]:
        """Yield the last game, if it has no result."""
        yield from self._finish_unended()
        self._skipping = False

    def _part(self, line: str) -> Iterator[PgnGame | PgnFault]:
        self._size += len(line) + 1
        if self._skipping:
            if not (_EVENT.match(line) or (self._blank and _BEGINS_TAG.match(line))):
                return
            self._skipping = False
        if self._size > LONGEST_GAME and (self._game is not None or self._comment is not None):
            yield self._fault(f"the game is longer than {LONGEST_GAME // 2**20} MiB; remove it or its comments")
        elif self._comment is not None:
            yield from self._in_comment(line)
        elif line.startswith("%"):
            return
        elif _BEGINS_TAG.match(line) and (not self._variations or _EVENT.match(line)):
            if self._game is None or not self._in_tags:
                yield from self._finish_unended()
                self._open(in_tags=True)
            yield from self._tags(line)
        elif self._in_tags and line.lstrip().startswith("["):
            yield self._fault(f'a tag is written [Name "value"], got {quoted(line)}')
        else:
            yield from self._moves(line, 0)

    def _open(self, *, in_tags: bool) -> PgnGame:
        self._game, self._comments = PgnGame(self._number), []
        self._in_tags, self._variations, self._size = in_tags, [], 0
        return self._game

    def _fault(self, sentence: str, line: int | None = None) -> PgnFault:
        self._game, self._comment, self._variations, self._in_tags = None, None, [], False
        self._skipping = True
        return PgnFault(self._number if line is None else line, sentence)

    def _tags(self, line: str) -> Iterator[PgnFault]:
        """Read the tags of a line."""
        game, at = self._game, 0
        assert game is not None
        while line[at:].strip():
            found = _TAG.match(line, at)
            if found is None and not self.strict:
                found = _LOOSE_TAG.fullmatch(line, at)
            if found is None:
                if not line[at:].lstrip().startswith(";"):
                    yield self._fault(f'a tag is written [Name "value"], got {quoted(line[at:])}')
                return
            if self.strict and found[1] in game.tags:
                yield self._fault(f"the tag {found[1]} is given twice")
                return
            if len(game.tags) == MOST_TAGS:
                yield self._fault(f"the game has more than {MOST_TAGS} tags; remove those that are not needed")
                return
            game.tags[found[1]] = _ESCAPED.sub(r"\1", found[2])
            at = found.end()

    def _in_comment(self, line: str) -> Iterator[PgnGame | PgnFault]:
        assert self._comment is not None
        if _EVENT.match(line):  # the next game: the brace is missing
            yield self._fault("the comment that begins here is not closed; add a }", self._begin)
            yield from self._part(line)
            return
        text, brace, _ = line.partition("}")
        self._comment.append(text)
        if brace:
            self._keep(" ".join(self._comment))
            self._comment = None
            yield from self._moves(line, len(text) + 1)

    def _keep(self, comment: str) -> None:
        """Keep a comment for the move before it."""
        text = " ".join(comment.split())
        if self._game is not None and not self._variations and text:
            self._comments.append(text)

    def _add_comments(self, game: PgnGame) -> None:
        """Give the last move its comments, all at once: there may be a million of them."""
        comment, self._comments = " ".join(self._comments), []
        if comment and game.moves:
            game.moves[-1] = game.moves[-1]._replace(comment=comment)
        elif comment:
            game.comment = comment

    def _moves(self, line: str, at: int) -> Iterator[PgnGame | PgnFault]:
        """Read a line of moves, from a place on."""
        end = len(line.rstrip())
        while at < end:
            found = _TOKEN.match(line, at)
            if found is None:
                yield self._fault(f"here comes a move, a comment or a result, got {quoted(line[at:].strip()[:40])}")
                return
            kind, at = found.lastgroup, found.end()
            if kind == "brace":
                at = self._braces(line, at)
            elif kind == "rest":
                self._keep(found["rest"][1:])
            elif kind in ("open", "close"):
                if (fault := self._parenthesis(kind)) is not None:
                    yield fault
                    return
            elif not self._variations and kind in ("move", "null", "number", "result"):
                wrong = yield from self._token(kind, found[kind])
                if wrong:
                    return
            if self._game is not None:
                self._in_tags = False

    def _braces(self, line: str, at: int) -> int:
        """Read a comment that begins at a place of a line; return where it ends."""
        if (end := line.find("}", at)) >= 0:
            self._keep(line[at:end])
            return end + 1
        self._size = self._size if self._game is not None else len(line)
        self._comment, self._begin = [line[at:]], self._number
        return len(line)

    def _parenthesis(self, kind: str) -> PgnFault | None:
        """Begin or end a variation."""
        if kind == "close" and not self._variations:
            return self._fault("a variation is closed that was not opened; remove the )")
        if kind == "close":
            self._variations.pop()
        elif self._game is not None:
            self._variations.append(self._number)
        return None

    def _token(self, kind: str, text: str) -> Generator[PgnGame | PgnFault, None, bool]:
        """Take a token of the game's own moves; return whether the rest of the line is not read."""
        if self._game is None and kind == "result":
            return False  # a result by itself, behind one that was read already
        game = self._game or self._open(in_tags=False)
        if kind == "result":
            fault = self._end_of(game, {"½-½": "1/2-1/2", "1/2": "1/2-1/2"}.get(text, text), written=text)
            yield fault or game
            return fault is not None
        if kind == "number":
            if self.strict and text.strip(".") and int(text.strip(".")[:9]) != len(game.moves) // 2 + 1:
                first = "FEN" in game.tags  # whose first number may be any
                if not first:
                    yield self._fault(f"the number of the next move is {len(game.moves) // 2 + 1}, got {text}")
                    return True
        elif self.strict and kind == "move" and _NO_SAN.fullmatch(text):
            yield self._fault(f"a move is written in short notation, as in Nf3, e4 or a8=Q, got {quoted(text)}")
            return True
        elif len(game.moves) == MOST_MOVES:
            yield self._fault(f"the game has more than {MOST_MOVES:,} moves; no match has")
            return True
        else:
            self._add_comments(game)
            game.moves.append(PgnMove(self._number, text))
        return False

    def _end_of(self, game: PgnGame, result: str, *, written: str) -> PgnFault | None:
        """End a game with the result behind its moves; return its fault."""
        tagged = game.tags.get("Result", "*" if not self.strict else "")
        if self.strict:
            missing = [name for name in ROSTER if name not in game.tags]
            if missing:
                return self._fault(f"the tag [{missing[0]} ...] is missing", game.line)
            if written != result:
                return self._fault(f"a draw is written 1/2-1/2, got {quoted(written)}")
        if tagged != result and (self.strict or (tagged in RESULTS and result in RESULTS)):
            return self._fault(f"the game ends in {result}, its tag Result says {quoted(tagged)}; correct one")
        game.result = tagged if result == "*" and tagged in RESULTS else result
        self._add_comments(game)
        self._game, self._in_tags = None, False
        return None

    def _finish_unended(self) -> Iterator[PgnGame | PgnFault]:
        """End the game that is open, which has no result behind its moves."""
        game = self._game
        if game is None:
            return
        if self._comment is not None:
            yield self._fault("the comment that begins here is not closed; add a }", self._begin)
        elif self._variations:
            yield self._fault("the variation that begins here is not closed; add a )", self._variations[-1])
        elif self.strict:
            yield self._fault("the game has no result behind its moves; add 1-0, 0-1, 1/2-1/2 or *", game.line)
        elif game.tags or game.moves:
            if (tagged := game.tags.get("Result")) in RESULTS:
                game.result = str(tagged)
            self._add_comments(game)
            yield game
        self._game, self._comment, self._variations, self._in_tags = None, None, [], False
        self._skipping = False
