"""SGF, the text that programs of Go exchange, read into games: the properties of each node. Moves are not checked.

Hollosi, "SGF FF[4]" (1999), https://www.red-bean.com/sgf/. Of each game the main line is read: of several variations
the first. Files may be hostile: their size and the number of nodes are bounded, and nesting needs no recursion.
"""

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from palio_rules.errors import quoted
from palio_rules.records.charsets import charset_of

HEAD = 2048  # bytes in which a charset may be named
MOST_NODES = 100_000  # of one game, as many plies as a match may have
MOST_DEPTH = 100_000  # of variations in variations
MOST_AGAIN = 8  # times the text that are read again after faults
_BEGINNING = re.compile(r"\(\s*;")  # of a game; what stands before it is another program's
_AT_A_LINE = re.compile(r"^\(\s*;", re.MULTILINE)
_BEGINNING_AFTER_TEXT = re.compile(r"\(\s*;\s*[A-Z][A-Za-z0-9]{0,63}\s*\[")  # so that other texts are not taken for it
_OTHER_FORMS = ("{", "[", "%")  # the first characters of JSON, PGN, and records as text
_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{0,63}")  # before FF[4] with digits
_VALUE = re.compile(r"\s*\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)
_CHARSET = re.compile(rb"[^A-Z]CA\[(?P<name>[A-Za-z0-9_-]{2,20})\]")
_CHARSETS = re.compile(
    r"(?:gb|big5|shift|sjis|euc|iso|windows|cp|koi8)[0-9a-z_-]*", re.IGNORECASE
)  # of one or two bytes
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ESCAPED = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)

Node = dict[str, list[str]]  # the values of each property, as they are written, without the backslashes


@dataclass(slots=True)
class SgfGame:
    """A game: its nodes in order; the first has what is said of the whole game. `line`: where it begins."""

    line: int
    nodes: list[Node] = field(default_factory=list)

    def said(self, name: str) -> str:
        """Return the first value of a property of the whole game, in one line; "" if it is not there."""
        values = self.nodes[0].get(name) if self.nodes else None
        return " ".join(values[0].split()) if values else ""


class SgfFault(NamedTuple):
    """A fault of a file; the game that has it is left out."""

    line: int
    sentence: str


def is_sgf(start: bytes) -> bool:
    """Return whether a file that begins so is SGF. Before the first game there may be text of other programs."""
    if start.startswith(_UTF_16):
        text = start[: len(start) // 2 * 2].decode("utf-16", "replace")
    else:
        text = start.removeprefix(codecs.BOM_UTF8).decode("ascii", "replace")
    text = text.lstrip("\ufffd \t\r\n")
    if _BEGINNING.match(text) is not None:
        return True
    return not text.startswith(_OTHER_FORMS) and _BEGINNING_AFTER_TEXT.search(text) is not None


def text_of(data: bytes) -> str:
    """Return a file as text: UTF-16 by its mark, UTF-8, else in the charset that its first game names (CA), else in
    the one that `charset_of` tells by its bytes.
    """
    if data.startswith(_UTF_16):
        return data.decode("utf-16", "replace")
    with suppress(UnicodeDecodeError):
        return data.decode("utf-8-sig")
    charset = charset_of(data)
    if (found := _CHARSET.search(data[:HEAD])) is not None and _CHARSETS.fullmatch(name := found["name"].decode()):
        with suppress(LookupError):
            charset = codecs.lookup(name).name
    return data.decode(charset, "replace")


def read_sgf(text: str) -> Iterator[SgfGame | SgfFault]:
    """Yield the games of a file, or their faults. After a game that cannot be read the next one begins at a line.

    So a text is read again that has been read as variations of a game that is not closed: only so often.
    """
    place = counted = again_read = 0
    line = 1  # at `counted`
    while (begin := _BEGINNING.search(text, place)) is not None:
        line += text.count("\n", counted, begin.start())
        counted = begin.start()
        try:
            game, place = _read(text, begin.start(), line)
        except _Bad as error:
            yield SgfFault(line + text.count("\n", counted, error.place), str(error))
            again = _AT_A_LINE.search(text, begin.end())
            place = len(text) if again is None else again.start()
            again_read += max(0, error.place - place)
            if error.ends_all or again_read > MOST_AGAIN * len(text):
                return
            continue
        yield game


class _Bad(ValueError):
    """A text that is no SGF, and where."""

    def __init__(self, place: int, sentence: str, *, ends_all: bool = False) -> None:
        """`ends_all`: no game behind that place can be read."""
        super().__init__(sentence)
        self.place, self.ends_all = place, ends_all


def _read(text: str, place: int, line: int) -> tuple[SgfGame, int]:
    """Read the game that begins at `place`; return it and the place after it. Raises _Bad."""
    tree = _Tree(SgfGame(line))
    while True:
        place = _SPACE.match(text, place).end()  # type: ignore[union-attr]  # it matches everywhere
        sign = text[place : place + 1]
        if sign == "(":
            tree.open(place)
        elif sign == ")":
            if tree.close():
                return tree.game, place + 1
        elif sign == ";":
            tree.add_node(place)
        elif tree.node is not None and (name := _NAME.match(text, place)) is not None:
            place = _property(text, name, tree.node)
            continue
        elif not sign:
            raise _Bad(place, "the game is not closed; the file ends before its last `)`")
        else:
            raise _Bad(place, f"{quoted(text[place : place + 20])} is no part of a game in SGF")
        place += 1


class _Tree:
    """The variations of a game while it is read. Only nodes of the main line are kept."""

    def __init__(self, game: SgfGame) -> None:
        self.game = game
        self.node: Node | None = None  # that is read, kept or not
        self._entered: list[bool] = []  # of each open variation: whether there was one in it
        self._skipped = 0  # the depth of an open variation that is no part of the main line; 0: none

    def open(self, place: int) -> None:
        if self._entered:
            if self._entered[-1] and not self._skipped:
                self._skipped = len(self._entered) + 1
            self._entered[-1] = True
        self._entered.append(False)
        if len(self._entered) > MOST_DEPTH:
            raise _Bad(place, f"variations are nested more than {MOST_DEPTH:,} times")

    def close(self) -> bool:
        """Close a variation; return whether the game ends with it."""
        if self._skipped == len(self._entered):
            self._skipped = 0
        self._entered.pop()
        return not self._entered

    def add_node(self, place: int) -> None:
        self.node = {}
        if not self._skipped:
            self.game.nodes.append(self.node)
        if len(self.game.nodes) > MOST_NODES:
            raise _Bad(place, f"a game has at most {MOST_NODES:,} nodes")


def _property(text: str, name: re.Match[str], node: Node) -> int:
    """Read the values of a property into its node; return the place after it. Raises _Bad."""
    letters = "".join(each for each in name[0] if not each.islower())  # older files write `Black` for B
    values = node.setdefault(letters, [])
    place = name.end()
    if (value := _VALUE.match(text, place)) is None:
        if text.startswith("[", _SPACE.match(text, place).end()):  # type: ignore[union-attr]  # it matches everywhere
            sentence = f"the value of {name[0]} has no `]` at its end; the file may be cut off"
            raise _Bad(place, sentence, ends_all=True)
        raise _Bad(place, f"the property {name[0]} has no value; write {name[0]}[...]")
    while value is not None:
        values.append(_ESCAPED.sub(lambda found: "" if found[1] in ("\n", "\r\n", "\n\r") else found[1], value[1]))
        place = value.end()
        value = _VALUE.match(text, place)
    return place
