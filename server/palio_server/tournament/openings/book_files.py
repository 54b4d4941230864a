"""Files of openings as other programs have them, read as the lines of a `Book`: text, EPD and PGN, each also packed.

EPD has a position a line, with operations behind its four fields, of which `hmvc`, `fmvn`, `eco` and, as a name,
`id` or `c0` count. A game in PGN is an opening: its moves, from the position of its tag FEN. What a packed file can
grow to is bounded.
"""

import bz2
import gzip
import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import lru_cache, partial
from io import BufferedReader
from itertools import count
from pathlib import Path, PurePath
from stat import S_ISREG
from tempfile import TemporaryFile
from typing import IO, Any, Literal, cast, get_args

from palio_rules.errors import BadOption, quoted
from palio_rules.game import Game
from palio_rules.plain_text import given_path
from palio_rules.records.pgn import LONGEST_GAME, NULL_MOVES, PgnFault, decoded, read_pgn
from palio_rules.records.pgn_records import eco_of, opening_name
from palio_rules.registry import game as rules_of
from palio_server.tournament.openings.kept_index import KeptIndex
from palio_server.tournament.openings.places import BLOCK, GAME, LINE, Places

BookFormat = Literal["text", "epd", "pgn"]
FORMATS = get_args(BookFormat)
PACKED = (".gz", ".bz2", ".xz", ".zip")
MOST_WHOLE = 1000  # lines or games of a book that is read and checked whole; of a larger one those that are played
MOST_BYTES = 16 * 2**20  # of the lines of a book that is read whole
MOST_OPENINGS = 100_000  # of such a book
MOST_UNPACKED = 2**32  # bytes of a packed file
COPIED = 2**20  # bytes at once
LONGEST_LINE = 2**22
VERSION = 1  # of how openings are counted: indexes of another one are not used
MOVES = " moves "  # between a position and the moves from there

_COMMENT = re.compile(r"\s#")
_OPERATION = re.compile(r'(?P<name>[A-Za-z]\w*)\s+(?P<value>"[^"]*"|[^;"]*?)\s*;')


def format_of(name: str) -> BookFormat:
    """Return a file's format by its ending, without that of a packed file."""
    path = PurePath(name)
    inside = path.with_suffix("") if path.suffix.lower() in PACKED else path
    ending = inside.suffix.lower().removeprefix(".")
    return "epd" if ending == "epd" else "pgn" if ending == "pgn" else "text"


class BookFile:
    """A book's file, open: unpacked if it is packed, and of a large one only the places of its openings.

    What is packed, or no plain file, is read once, into a file without a name that goes with the process.
    """

    def __init__(self, path: Path, form: BookFormat | None, game: str) -> None:
        """Raises BadOption with the file and the reason."""
        self._where = where = f"--openings file={given_path(path, 'the file')}"
        try:
            with ExitStack() as stack:
                file, name = _opened(path, stack, where)
                self.form = form or format_of(name)
                mark, longest = (GAME, LONGEST_GAME) if self.form == "pgn" else (LINE, LONGEST_LINE)
                counts = partial(_has_opening, rules_of(game))
                self.places = Places(
                    _on_disk(file, where), mark, counts, longest, where, _kept_index(file, path, self.form, game)
                )
        except (EOFError, gzip.BadGzipFile, zlib.error, zipfile.BadZipFile, lzma.LZMAError) as error:
            raise BadOption(f"{where} is packed, and cut off or damaged ({error}); pack it again") from None
        except OSError as error:
            raise BadOption(f"{where} cannot be read: {error.strerror or error}") from None

    @property
    def is_large(self) -> bool:
        """True if its openings stay in the file, and are read when they are played."""
        return self.places.entries > MOST_WHOLE

    @property
    def unit(self) -> str:
        """The word for what an opening is in the file."""
        return "game" if self.form == "pgn" else "line"

    def line(self, index: int, plies: int | None) -> tuple[int, str]:
        """Return an opening as a line of a `Book`, with its number in the file. Raises BadOption."""
        number, data = self.places.entry(index)
        if self.form != "pgn":
            return number, self._of_line(data, number)
        found = list(_of_games([data], plies, self._where, number))
        if len(found) != 1:
            raise BadOption(f"{self._where} game {number}: here are {len(found)} games; begin each with its tag Event")
        return number, found[0]

    def lines(self, plies: int | None) -> tuple[str, ...]:
        """Return all openings as lines of a `Book`, in PGN at most `plies` of each game. Raises BadOption."""
        found: list[str] = []
        size = 0
        read = self.places.lines(LONGEST_LINE)
        texts = _of_games(read, plies, self._where) if self.form == "pgn" else map(self._of_line, read, count(1))
        for line in texts:
            size += len(line) + 1
            if size > MOST_BYTES:
                raise BadOption(f"{self._where} has more than {MOST_BYTES:,} bytes of openings; give a smaller book")
            if len(found) == MOST_OPENINGS:
                raise BadOption(f"{self._where} has more than {MOST_OPENINGS:,} lines or games; give a smaller book")
            found.append(line)
        return tuple(found)

    def _of_line(self, line: bytes, number: int) -> str:
        try:
            text = line.decode().rstrip("\r\n")
        except UnicodeDecodeError:
            raise BadOption(f"{self._where} line {number}: is no text in UTF-8") from None
        return _of_epd(text) if self.form == "epd" else text


def _kept_index(file: IO[bytes], path: Path, form: BookFormat, game: str) -> KeptIndex | None:
    """Return the place for the index of a plain file; None for a game whose rules may be another version next time."""
    if not _is_plain(file) or not type(rules_of(game)).__module__.startswith("palio_rules.games."):
        return None
    return KeptIndex(path, f"{VERSION} {BLOCK} {form} {game}")


def opened_book(path: Path, form: BookFormat | None, game: str) -> BookFile:
    """Return the open file; the same one again as long as it has not changed. Raises BadOption."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return BookFile(path, form, game)  # which says why
    return _kept(path.absolute(), form, game, (found.st_ino, found.st_size, found.st_mtime_ns))


@lru_cache(maxsize=2)
def _kept(path: Path, form: BookFormat | None, game: str, _: tuple[int, ...]) -> BookFile:
    return BookFile(path, form, game)


def opening_text(text: str, rules: Game[Any, Any]) -> tuple[str, str]:
    """Return what a line says and its comment; "" for what it has not."""
    said, *comments = _COMMENT.split(text.strip(), maxsplit=1)
    said = said.rstrip()
    if said.startswith("#") and not is_position(said, rules):  # a filled corner of Dominoes is a `#`
        return "", said
    return said, comments[0] if comments else ""


def is_position(text: str, rules: Game[Any, Any]) -> bool:
    """Return True if the text is a position: some games write a `#` in theirs."""
    try:
        rules.read_state(text)
    except ValueError:
        return False
    return True


def _has_opening(rules: Game[Any, Any], line: bytes) -> bool:
    plain = b"$" < line.lstrip()[:1] < b"\x7f"
    return plain or bool(opening_text(line.decode(errors="replace"), rules)[0])


def _opened(path: Path, stack: ExitStack, where: str) -> tuple[IO[bytes], str]:
    """Return the file, unpacked, and its name. Raises BadOption or OSError."""
    match path.suffix.lower():
        case ".gz":
            return stack.enter_context(cast("IO[bytes]", gzip.open(path))), path.name
        case ".bz2":
            return stack.enter_context(bz2.open(path)), path.name
        case ".xz":
            return stack.enter_context(lzma.open(path)), path.name
        case ".zip":
            return _member(stack.enter_context(zipfile.ZipFile(path)), stack, where)
    return stack.enter_context(path.open("rb")), path.name


def _member(archive: zipfile.ZipFile, stack: ExitStack, where: str) -> tuple[IO[bytes], str]:
    """Return the only file of an archive."""
    names = [each.filename for each in archive.infolist() if not each.is_dir()]
    if len(names) != 1:
        shown = ", ".join(map(quoted, names[:3])) + (", ..." if len(names) > 3 else "")
        raise BadOption(f"{where} has {len(names)} files ({shown or 'none'}); unpack it, and name one of them")
    try:
        return stack.enter_context(archive.open(names[0])), names[0]
    except (RuntimeError, NotImplementedError) as error:  # it is encrypted, or packed in another way
        raise BadOption(f"{where} cannot be unpacked here: {error}; unpack it first") from None


def _is_plain(file: IO[bytes]) -> bool:
    return isinstance(file, BufferedReader) and S_ISREG(os.fstat(file.fileno()).st_mode)


def _on_disk(file: IO[bytes], where: str) -> int:
    """Return a descriptor of a plain file with the same bytes. Raises BadOption, OSError and those of unpacking."""
    if _is_plain(file):
        return os.dup(file.fileno())
    with TemporaryFile() as copy:
        size = 0
        while part := file.read(COPIED):
            size += len(part)
            if size > MOST_UNPACKED:
                raise BadOption(f"{where} has more than {MOST_UNPACKED:,} bytes unpacked; unpack it first")
            copy.write(part)
        copy.flush()
        return os.dup(copy.fileno())


def _of_epd(text: str) -> str:
    """Return the position of a line of EPD as a FEN; a line without one unchanged, for a reader who says why."""
    fields = text.split(None, 4)
    if len(fields) < 4 or fields[1] not in ("w", "b"):
        return text
    said = fields[4] if len(fields) > 4 else ""
    values = {found["name"]: found["value"].strip('"') for found in _OPERATION.finditer(said)}
    if counts := re.match(r"(\d{1,4})\s+(\d{1,4})(?:\s|;|$)", said):  # a whole FEN, as many books have it
        half, full = counts.groups()
    else:
        half, full = (values.get(name, usual) for name, usual in (("hmvc", "0"), ("fmvn", "1")))
    name = opening_name({"Opening": values.get("id") or values.get("c0", "")})
    return f"{' '.join(fields[:4])} {half} {full}{_called(values.get('eco', ''), name)}"


def _called(code: str, name: str) -> str:
    """Return the remark on an opening that a `Book` reads."""
    said = (f" ECO {eco}" if (eco := eco_of(code)) else "") + (f' "{name}"' if name else "")
    return f" #{said}" if said else ""


def _of_games(lines: Iterable[bytes], plies: int | None, where: str, first: int = 1) -> Iterator[str]:
    """Yield the games as lines of a `Book`; `first` is the number of the first one."""
    for number, game in enumerate(read_pgn(map(decoded, lines)), first):
        if isinstance(game, PgnFault):
            raise BadOption(f"{where} line {game.line}: {game.sentence}")
        moves = [move.text for move in game.moves[:plies]]
        if passed := NULL_MOVES.intersection(moves):
            raise BadOption(f"{where} game {number}: a move is passed ({min(passed)}), which the rules forbid")
        position = " ".join(game.tags.get("FEN", "").split())
        if not moves and not position:
            raise BadOption(f"{where} game {number} from line {game.line} on has no moves; remove it")
        words = " ".join(moves)
        opening = f"{position}{MOVES}{words}" if position and moves else position or words
        yield f"{opening}{_called(game.tags.get('ECO', ''), opening_name(game.tags))}"
