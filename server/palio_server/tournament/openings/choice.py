"""The value of `--openings`: random plies, a file, or the book that ships."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePath
from typing import Any, get_args

import msgspec

from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.records.record import Setup
from palio_rules.registry import game as rules_of
from palio_server.tournament.openings.book import Book, BookOrder, Openings, RandomOpenings
from palio_server.tournament.openings.book_files import FORMATS, BookFormat, format_of, opened_book

# The books that ship: balanced openings, made again by `tools/books/make.py`. See `docs/reference/openings.md`.


@dataclass(frozen=True)
class Shipped:
    """A book, and the game and settings for which it is."""

    game: str
    file: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name for people."""
        return f"the book {self.file}"

    def lines(self) -> list[str]:
        return _text(self.file).splitlines()

    def fits(self, game: str, options: Mapping[str, Any]) -> bool:
        """Return True if it is for this game under these options. Raises BadOption if they are invalid."""
        rules = rules_of(game)
        return game == self.game and rules.parse_options(self.options) == rules.parse_options(options)


SHIPPED = (
    Shipped("breakthrough", "breakthrough-6x6.txt"),
    Shipped("breakthrough", "breakthrough-8x8.txt", {"rows": 8, "cols": 8}),
    Shipped("chess", "chess.txt"),
    Shipped("chexers", "chexers.txt"),
    Shipped("dominoes", "dominoes-8x8.txt"),
    Shipped("end_of_the_track", "end_of_the_track.txt"),
    Shipped("go", "go-9x9.txt"),
)


def shipped_for(game: str, options: Mapping[str, Any]) -> Shipped:
    """Return the book of a game under these options. Raises BadOption, with the remedy, if none ships."""
    found = next((book for book in SHIPPED if book.fits(game, options)), None)
    if found is None:
        known = ", ".join(book.file.removesuffix(".txt") for book in SHIPPED)
        raise BadOption(
            f"no book ships for {game} under these options, there are {known}; "
            "give --openings a number of random plies, or file=BOOK"
        )
    return found


@cache
def _text(file: str) -> str:
    return (files("palio_server.tournament") / "books" / file).read_text("utf-8")


MOST_PLIES = 100
MOST_START = 10**6
BOOK = "book"
KEYS = ("file", "order", "plies", "start", "format", "policy")
ORDERS = get_args(BookOrder)
POLICIES = ("default", "round")  # all pairs of a round play the same opening
_FORMS = (
    "give a number of random plies, book, or file=BOOK[,format=text|epd|pgn][,order=random|sequential][,plies=N]"
    "[,start=N]"
)


class OpeningsChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The openings of an event; plain values, so that they can be kept with the event.

    One of `random`, `shipped` and `file` is the source; `lines` are those of a small file, once it has been `read`, and
    `digest` is that of a large one.
    """

    random: int = 0  # plies
    shipped: bool = False  # the book of the game under its options
    file: str = ""
    lines: tuple[str, ...] | None = None
    order: BookOrder = "sequential"
    plies: int | None = None  # of a book's lines of moves
    start: int = 1  # the number of the first opening
    format: BookFormat | None = None  # of the file; None: as its name ends
    digest: str = ""  # of the file, unpacked, which must not change until the event is over

    @property
    def any(self) -> bool:
        """True if games begin other than in the first position."""
        return bool(self.random or self.shipped or self.file)

    def read(self, game: str) -> "OpeningsChoice":
        """Return the choice with all lines of its file, so that they can be sent. Raises BadOption."""
        if not self.file or self.lines is not None:
            return self
        lines = opened_book(Path(self.file), self.format, game).lines(self.plies)
        return msgspec.structs.replace(self, lines=lines)

    def kept(self, game: str) -> "OpeningsChoice":
        """Return the choice as an event keeps it: with the lines of a small file, so that going on does not need the
        file, and of a large one with the digest of what it must be then. Raises BadOption.
        """
        if not self.file or self.lines is not None:
            return self
        file = opened_book(Path(self.file), self.format, game)
        if not file.is_large:
            return self.read(game)
        return msgspec.structs.replace(self, file=str(Path(self.file).absolute()), digest=file.places.digest)


def parse_openings(text: str) -> OpeningsChoice:
    """Return the choice of `2`, `book`, `book,order=random` or `file=my.pgn,order=random,plies=4,start=10`. Reads no
    file. Raises BadOption.
    """
    if re.fullmatch(r"[+-]?\d{1,9}", text.strip()):
        return OpeningsChoice(random=_number("", text.strip()))
    first, *more = re.split(r",(?=[A-Za-z_-]+(?:=|$))", text.strip())
    given = dict[str, str]()
    shipped = first == BOOK
    for part in more if shipped else [first, *more]:
        key, equals, value = part.partition("=")
        if not equals or not value:
            raise BadOption(f"--openings {quoted(text)} cannot be read; {_remedy(part)}")
        if key not in KEYS:
            raise BadOption(f"--openings has no setting {quoted(key)}; {nearest(key, KEYS)}")
        if key in given:
            raise BadOption(f"--openings gives {key} twice; {_FORMS}")
        given[key] = value
    if ("file" in given) == shipped:
        raise BadOption(f"--openings {quoted(text)} names no book, or two; {_FORMS}")
    if shipped and "format" in given:
        raise BadOption("--openings format= is for file=BOOK; the book that ships has its own")
    if given.get("policy", "round") not in POLICIES:
        raise BadOption(
            f"--openings policy={quoted(given['policy'])}: all pairs of a round play one opening; leave it out"
        )
    return OpeningsChoice(
        shipped=shipped,
        file=given.get("file", ""),
        order=_order(given.get("order")),
        plies=_number("plies=", given["plies"], least=1) if "plies" in given else None,
        start=_start(given.get("start", "1")),
        format=_format(given.get("format")),
    )


def _remedy(part: str) -> str:
    """Return what to write instead of `part`, which has no key or no value."""
    if "=" not in part and (PurePath(part).suffix or "/" in part):
        return f"write file={part}"
    return f"did you mean {BOOK!r}?" if get_close_matches(part, [BOOK]) else _FORMS


def openings_of(choice: OpeningsChoice, game: str, options: Mapping[str, Any], seed: int) -> Openings:
    """Return the openings of an event in `game`, for the numbers of its encounters.

    Raises BadOption: for a race, an unreadable file, a line that is not an opening, a game without a book.
    """
    rules = rules_of(game)
    if rules.kind == "race" and choice.any:
        raise BadOption(f"{game} is a race and has no openings; leave --openings out, --seed draws the instances")
    settings = dict(options)
    if not choice.shipped and not choice.file:
        return RandomOpenings(rules, Setup(game, (), settings).start(), choice.random, seed)
    drawn: dict[str, Any] = {"order": choice.order, "seed": seed, "plies": choice.plies, "start": choice.start}
    if choice.shipped:
        found = shipped_for(game, settings)
        return Book.read(found.lines(), game, settings, name=found.name, **drawn)
    if choice.lines is None:
        file = opened_book(Path(choice.file), choice.format, game)
        if choice.digest and choice.digest != file.places.digest:
            changed = "has changed since the tournament began; put the file back as it was, or begin a new tournament"
            raise BadOption(f"--openings file={choice.file} {changed}")
        if file.is_large:
            return Book.of_file(file, game, settings, name=choice.file, **drawn)
    unit = "game" if (choice.format or format_of(choice.file)) == "pgn" else "line"
    lines = choice.read(game).lines or ()
    return Book.read(lines, game, settings, name=choice.file, unit=unit, **drawn)


def _number(key: str, text: str, least: int = 0) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9 or not least <= int(text) <= MOST_PLIES:
        raise BadOption(f"--openings {key}{quoted(text)} is out of range; give {least} to {MOST_PLIES} plies")
    return int(text)


def _order(text: str | None) -> BookOrder:
    """Return the order; by default that of the lines."""
    if text in {None, "sequential"}:
        return "sequential"
    if text == "random":
        return "random"
    raise BadOption(f"--openings order={quoted(text)} is none; {nearest(text or '', ORDERS)}")


def _start(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9 or not 1 <= int(text) <= MOST_START:
        raise BadOption(f"--openings start={quoted(text)} is no number of an opening; give 1 to {MOST_START:,}")
    return int(text)


def _format(text: str | None) -> BookFormat | None:
    """Return the format; by default None, as the file's name ends."""
    found = next((each for each in FORMATS if each == text), None)
    if text is not None and found is None:
        raise BadOption(f"--openings format={quoted(text)} is none; {nearest(text, FORMATS)}")
    return found
