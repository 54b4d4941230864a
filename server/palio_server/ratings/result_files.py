"""Results of games, read from text: CSV, PGN, and records as `palio match export` writes them (text or JSON).

Of PGN and of text records only the tags are read, so that moves, comments and variations may have any form. Palio's
matches that are not rated are left out: those of guests, and those to which a bot did not come.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import PurePath

import msgspec

from palio_rules.errors import BadRecord, quoted
from palio_rules.records.tags import scores_from_text

COLUMNS = ("first", "second", "score")
_POINTS = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}
_TAG_OR_COMMENT = re.compile(
    r"""\[\s*(?P<name>[^\s"\[\]]+)\s+"(?P<value>(?:[^"\\\n]|\\.)*)"\s*\]  # a tag
    |\{[^}]*(?:\}|\Z)|;[^\n]*|^%[^\n]*  # comments: in braces, to the end of the line, a line of another program""",
    re.VERBOSE | re.MULTILINE,
)
_ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class GameResult:
    """The score of `first` against `second`, from 0 to 1."""

    first: str
    second: str
    score: float


@dataclass(slots=True)
class FileResults:
    """The results of a file, and the number of games without one."""

    games: list[GameResult] = field(default_factory=list)
    unfinished: int = 0


def read_results(name: str, data: bytes) -> FileResults:
    """Return the results in a file called `name`. Raises BadRecord, which begins with the file and the line."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")  # by PGN's definition
    suffix, start = PurePath(name).suffix.lower(), text.lstrip()[:1]
    if suffix == ".pgn" or (suffix != ".csv" and start == "[" and _TAG_OR_COMMENT.match(text.lstrip())):
        return _from_tags(name, text.replace("\r\n", "\n").replace("\r", "\n"))
    if suffix in (".json", ".jsonl") or (suffix != ".csv" and start in ("{", "[")):
        return _from_json(name, text)
    return _from_csv(name, text)


def compared(bots: Sequence[str], scores: Sequence[float]) -> Iterator[GameResult]:
    """Yield every two seats of a game: a duel's points; at a table or in a race which of the two is ahead."""
    if len(bots) == 2 and abs(sum(scores) - 1) < 1e-9:
        yield GameResult(bots[0], bots[1], scores[0])
        return
    for (first, ours), (second, theirs) in combinations(zip(bots, scores, strict=True), 2):
        yield GameResult(first, second, 0.5 if ours == theirs else float(ours > theirs))


# --- CSV --------------------------------------------------------------------------------------------------------------


def _from_csv(name: str, text: str) -> FileResults:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    places: list[int] | None = None
    found = FileResults()
    try:
        for row in reader:
            where = f"{name}:{reader.line_num}"
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            if places is None:
                places = _columns(where, cells)
            elif len(cells) <= max(places):
                raise BadRecord(f"{where}: a row has first, second and score, got {quoted(','.join(row))}")
            else:
                first, second, score = (cells[place] for place in places)
                found.games.append(_checked(where, first, second, _points(where, score)))
    except csv.Error as error:
        raise BadRecord(f"{name}:{reader.line_num}: {error}; quote names with commas in double quotes") from None
    if places is None:
        raise BadRecord(f"{name}: there is nothing in it; its first line must be first,second,score")
    return found


def _columns(where: str, cells: list[str]) -> list[int]:
    head = [cell.lower() for cell in cells]
    missing = [column for column in COLUMNS if column not in head]
    if missing:
        raise BadRecord(f"{where}: the header must be first,second,score; {', '.join(missing)} is missing")
    return [head.index(column) for column in COLUMNS]


def _points(where: str, text: str) -> float:
    try:
        above, slash, below = text.replace("½", "1/2").partition("/")
        score = float(above) / float(below) if slash else float(above)
    except (ValueError, ZeroDivisionError):
        score = -1.0
    if not 0 <= score <= 1:
        raise BadRecord(f"{where}: a score is the first one's points from 0 to 1, got {quoted(text)}")
    return score


def _checked(where: str, first: str, second: str, score: float) -> GameResult:
    if not first or not second:
        raise BadRecord(f"{where}: a player has no name")
    if first == second:
        raise BadRecord(f"{where}: {quoted(first)} plays against itself")
    return GameResult(first, second, score)


# --- PGN and text records ---------------------------------------------------------------------------------------------


def _from_tags(name: str, text: str) -> FileResults:
    found = FileResults()
    for line, tags in _games(text):
        if tags.keys() & {"Unrated", "Absent", "Void"}:
            continue
        bots, scores = _seated(f"{name}:{line}", tags)
        if scores is None:
            found.unfinished += 1
            continue
        for result in compared(bots, scores):
            found.games.append(_checked(f"{name}:{line}", result.first, result.second, result.score))
    if not found.games and not found.unfinished:
        raise BadRecord(f'{name}: there is no game in it; a game begins with tags such as [White "name"]')
    return found


def _games(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the tags of each game, and the line on which they begin. Moves, or a repeated tag, end a game's tags."""
    tags: dict[str, str] = {}
    begun, counted, end = 1, 0, 0  # the line of the game, and the position up to which lines have been counted
    line = 1
    for token in _TAG_OR_COMMENT.finditer(text):
        moves = bool(text[end : token.start()].strip())
        end = token.end()
        if tags and (moves or (token["name"] or "") in tags):
            yield begun, tags
            tags = {}
        if token["name"]:
            if not tags:
                line += text.count("\n", counted, token.start())
                begun, counted = line, token.start()
            tags[token["name"]] = _ESCAPED.sub(r"\1", token["value"])
    if tags:
        yield begun, tags


def _seated(where: str, tags: dict[str, str]) -> tuple[list[str], list[float] | None]:
    """Return the players of a game and the score of each; None where it has no result."""
    if "White" in tags or "Black" in tags:
        bots = [tags.get("White", "").strip(), tags.get("Black", "").strip()]
    else:
        bots = [value for name, value in tags.items() if name.startswith(("Seat.", "Entrant."))]
    if len(bots) < 2:
        raise BadRecord(f"{where}: the game has no tags White and Black, nor Palio's seats; got {quoted(sorted(tags))}")
    result = tags.get("Result", "*").strip()
    if result == "*":
        return bots, None
    try:
        scores = list(_POINTS[result]) if result in _POINTS else scores_from_text(result)
    except ValueError:
        scores = []
    if len(scores) != len(bots):
        raise BadRecord(f"{where}: the result is 1-0, 0-1, 1/2-1/2 or *, got {quoted(result)}")
    return bots, scores


# --- JSON -------------------------------------------------------------------------------------------------------------


class _Setup(msgspec.Struct):
    bots: list[str]
    rated: bool = True


class _Result(msgspec.Struct):
    scores: list[float]


class _Record(msgspec.Struct):
    setup: _Setup
    result: _Result
    void: object = None
    absent: object = None


def _from_json(name: str, text: str) -> FileResults:
    """Return the results of one record a line, or of a list of records."""
    found = FileResults()
    for where, value in _values(name, text):
        try:
            record = msgspec.convert(value, _Record)
        except msgspec.ValidationError as error:
            raise BadRecord(f"{where}: not a record as `palio match export --format json` writes it: {error}") from None
        if len(record.setup.bots) != len(record.result.scores):
            raise BadRecord(f"{where}: {len(record.setup.bots)} bots have {len(record.result.scores)} scores")
        if not record.setup.rated or record.absent or record.void is not None:
            continue
        for result in compared(record.setup.bots, record.result.scores):
            found.games.append(_checked(where, result.first, result.second, result.score))
    return found


def _values(name: str, text: str) -> Iterator[tuple[str, object]]:
    try:
        whole = json.loads(text)
    except RecursionError:
        raise BadRecord(f"{name}: not JSON of records: it is nested too deeply") from None
    except ValueError:
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                try:
                    yield f"{name}:{number}", json.loads(line)
                except RecursionError:
                    raise BadRecord(f"{name}:{number}: not JSON of a record: it is nested too deeply") from None
                except ValueError as error:
                    raise BadRecord(f"{name}:{number}: not JSON: {error}") from None
        return
    for number, value in enumerate(whole if isinstance(whole, list) else [whole], 1):
        yield f"{name}: record {number}", value
