"""Files of openings as other programs have them, read as the lines of a `Book`: text, EPD and PGN, each also packed.

EPD has a position a line, with operations behind its four fields, of which `hmvc`, `fmvn` and `eco` count. A game in
PGN is an opening: its moves, from the position of its tag FEN. What a small file can grow to is bounded.
"""

import bz2
import gzip
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path, PurePath
from typing import IO, Literal, cast, get_args

from palio_rules.errors import BadOption, quoted
from palio_rules.plain_text import given_path
from palio_rules.records.pgn import NULL_MOVES, PgnFault, decoded, read_pgn
from palio_rules.records.pgn_records import eco_of

BookFormat = Literal["text", "epd", "pgn"]
FORMATS = get_args(BookFormat)
PACKED = (".gz", ".bz2", ".zip")
MOST_BYTES = 16 * 2**20  # of the lines of a book
MOST_UNPACKED = 256 * 2**20  # of a file in PGN, whose comments and other moves are left out
LONGEST_LINE = 2**22
MOST_OPENINGS = 100_000
MOVES = " moves "  # between a position and the moves from there

_OPERATION = re.compile(r'(?P<name>[A-Za-z]\w*)\s+(?P<value>"[^"]*"|[^;"]*?)\s*;')


def format_of(name: str) -> BookFormat:
    """Return a file's format by its ending, without that of a packed file."""
    path = PurePath(name)
    inside = path.with_suffix("") if path.suffix.lower() in PACKED else path
    ending = inside.suffix.lower().removeprefix(".")
    return "epd" if ending == "epd" else "pgn" if ending == "pgn" else "text"


def book_lines(path: Path, form: BookFormat | None, plies: int | None) -> tuple[str, ...]:
    """Return the openings of a file, in PGN at most `plies` of each game. Raises BadOption with file and line."""
    where = f"--openings file={given_path(path, 'the file')}"
    found: list[str] = []
    size = 0
    with ExitStack() as stack:
        try:
            file, name = _opened(path, stack, where)
            for line in _openings(file, form or format_of(name), plies, where):
                size += len(line) + 1
                if size > MOST_BYTES:
                    raise BadOption(f"{where} has more than {MOST_BYTES:,} bytes of openings; give a smaller book")
                if len(found) == MOST_OPENINGS:
                    raise BadOption(f"{where} has more than {MOST_OPENINGS:,} lines or games; give a smaller book")
                found.append(line)
        except (EOFError, gzip.BadGzipFile, zlib.error, zipfile.BadZipFile) as error:
            raise BadOption(f"{where} is packed, and cut off or damaged ({error}); pack it again") from None
        except OSError as error:
            raise BadOption(f"{where} cannot be read: {error.strerror or error}") from None
    return tuple(found)


def _opened(path: Path, stack: ExitStack, where: str) -> tuple[IO[bytes], str]:
    """Return the file, unpacked, and its name. Raises BadOption or OSError."""
    match path.suffix.lower():
        case ".gz":
            return stack.enter_context(cast("IO[bytes]", gzip.open(path))), path.name
        case ".bz2":
            return stack.enter_context(bz2.open(path)), path.name
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


def _openings(file: IO[bytes], form: BookFormat, plies: int | None, where: str) -> Iterator[str]:
    if form == "pgn":
        yield from _of_games(_lines(file, MOST_UNPACKED, where), plies, where)
        return
    for number, line in enumerate(_lines(file, MOST_BYTES, where), 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise BadOption(f"{where} line {number}: is no text in UTF-8") from None
        yield _of_epd(text) if form == "epd" else text


def _lines(file: IO[bytes], most: int, where: str) -> Iterator[bytes]:
    """Yield the lines, together at most so many bytes."""
    size = 0
    while line := file.readline(LONGEST_LINE + 1):
        size += len(line)
        if len(line) > LONGEST_LINE:
            raise BadOption(f"{where} has a line of more than {LONGEST_LINE:,} bytes; break it")
        if size > most:
            raise BadOption(f"{where} has more than {most:,} bytes unpacked; give a smaller book")
        yield line


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
    return f"{' '.join(fields[:4])} {half} {full}{_eco(values.get('eco', ''))}"


def _eco(text: str) -> str:
    """Return the remark on an opening that a `Book` reads."""
    return f" # ECO {eco}" if (eco := eco_of(text)) else ""


def _of_games(lines: Iterable[bytes], plies: int | None, where: str) -> Iterator[str]:
    for number, game in enumerate(read_pgn(map(decoded, lines)), 1):
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
        yield f"{opening}{_eco(game.tags.get('ECO', ''))}"
