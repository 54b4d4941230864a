"""PGN of other programs as records: setup, names of bots, clocks, evaluations, and how a game ended.

Comments are read as cutechess-cli, fastchess, lichess and `pgn_text` write them.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from palio_rules.adjudication import REASONS
from palio_rules.boards.chess import SQUARES
from palio_rules.contract.messages import Info, Result, Termination
from palio_rules.contract.names import LONGEST_NAME, is_name, is_reserved, like_name, with_digest
from palio_rules.errors import BadOption, BadRecord, MalformedMove, Rejection, nearest, quoted
from palio_rules.game import Game
from palio_rules.records.pgn import NULL_MOVES, PgnGame
from palio_rules.records.pgn import RESULTS as SCORES
from palio_rules.records.pgn_text import CHESS960, DECIDED, ENDS, ENGINE_WORDS, LONGEST, UNDATED, Clocks, fen
from palio_rules.records.record import Ply, Record, Setup
from palio_rules.registry import game as rules_of
from palio_rules.time_control import DAY_MS, TimeControl

STANDARD = ("", "standard", "chess", "normal", "classical", "from position")  # the tag Variant, in lower case
FISCHER = ("chess960", "chess 960", "fischerandom", "fischerrandom", "fischer random")
_LONG_MOVE = re.compile(r"([KQRBNP])?([a-h]?[1-8]?)(?:-|(x))?([a-h][1-8])(?:[=/]?([QRBNqrbn]))?[+#]*")
SQUARE = 2  # characters that name one
MOST_CHARACTERS = 256  # of the text of a comment


class PgnRecord(NamedTuple):
    """A record made of a game in PGN. `names` has each player's name and the bot that it became, by seat."""

    record: Record
    names: tuple[tuple[str, str], ...]


def record_of_pgn(game: PgnGame) -> PgnRecord:
    """Return a finished game as a record. Raises BadRecord, which begins with the line.

    Moves with the comment `book` before the first other one are the opening. What the tags do not say is as in `Setup`.
    """
    try:
        return _record_of(game)
    except BadRecord:
        raise
    except ValueError as error:
        raise BadRecord(f"line {game.line}: {error}") from None


def bot_name(name: str) -> str:
    """Return a player's name as a bot's: letters without accents, a dash for all that no bot's name may have.

    A name in another script ends in a digest of it, so that no two players are one bot.

    >>> bot_name("Müller, Karl"), bot_name("Stockfish 17"), bot_name("?")
    ('Muller-Karl', 'Stockfish-17', 'unknown')
    >>> bot_name("柯洁"), bot_name("柯洁 9p")
    ('player-179fa2', '9p-862bc9')
    """
    name = whole = name.strip()
    if not is_name(name):
        name = like_name(name).rstrip("-")
        if any(letter.isalpha() and "LATIN" not in unicodedata.name(letter, "") for letter in whole):
            name = with_digest(name or "player", whole)
        name = name or "unknown"
    return f"pgn-{name}"[:LONGEST_NAME] if is_reserved(name) else name


def eco_of(text: str) -> str:
    """Return the code of an opening, as in the tag ECO; "" if it is none.

    >>> eco_of("B20"), eco_of("B20a"), eco_of("?")
    ('B20', 'B20', '')
    """
    found = re.match(r"[A-E][0-9]{2}(?![0-9])", text, re.ASCII)
    return "" if found is None else found[0]


def opening_name(tags: Mapping[str, str]) -> str:
    """Return the name of an opening by the tags Opening and Variation, "" if they have none.

    >>> opening_name({"Opening": "Sicilian Defense", "Variation": "Najdorf"}), opening_name({"Opening": "?"})
    ('Sicilian Defense: Najdorf', '')
    """
    said = [tags.get(each, "").strip().strip("?").strip() for each in ("Opening", "Variation")]
    text = ": ".join(filter(None, said)) if said[0] else ""
    plain = "".join(each if each.isprintable() else " " for each in text).replace('"', "'")
    return " ".join(plain.split())[:100].strip()


def _record_of(game: PgnGame) -> PgnRecord:
    tags = game.tags
    name, options = _variant(tags)
    setup = Setup(name, (), options, position=_position(name, options, tags))
    times = _times(tags)
    opening, plies, state = _played(game, setup, times)
    names = [tags.get(each, "?") for each in ("White", "Black")]
    bots = [bot_name(each) for each in names]
    if bots[0] == bots[1]:
        bots[1] = f"{bots[1][: LONGEST_NAME - 2]}-2"
    setup = msgspec.structs.replace(
        setup,
        bots=tuple(bots),
        opening=tuple(opening),
        time=times[0],
        times=UNSET if times[0] == times[1] else times,
        eco=eco_of(tags.get("ECO", "")) or UNSET,
        opening_name=opening_name(tags) or UNSET,
        max_plies=max(setup.max_plies, len(plies)),
    )
    begun = _begun(tags)
    record = Record(
        match=_identity(game),
        setup=setup,
        plies=tuple(plies),
        result=_result(game, state),
        started_at=begun,
        finished_at=begun + timedelta(milliseconds=sum(ply.ms for ply in plies)),
        event=_event(tags),
    )
    return PgnRecord(record, tuple(zip(names, bots, strict=True)))


def _event(tags: dict[str, str]) -> str:
    event = tags.get("Event", "").strip()
    return "" if event.strip("?-") == "" else "".join(each if each.isprintable() else " " for each in event)[:LONGEST]


def _identity(game: PgnGame) -> str:
    """Return the match's identity: its own, or one made of all that the game says, so that it is found again."""
    if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", own := game.tags.get("Match", "")):
        return own
    said = [sorted(game.tags.items()), [(move.text, move.comment) for move in game.moves], game.result]
    return f"pgn-{blake2b(msgspec.json.encode(said), digest_size=12).hexdigest()}"


def _variant(tags: dict[str, str]) -> tuple[str, dict[str, Any]]:
    """Return the game and its options."""
    variant = tags.get("Variant", "").strip()
    if variant.casefold() in STANDARD:
        return "chess", {}
    if variant.casefold() in FISCHER:
        return "chess", dict(CHESS960)
    known = ("Standard", "Chess960")
    raise BadOption(f"the variant {quoted(variant)} is not played here; {nearest(variant, known)}")


def _position(name: str, options: dict[str, Any], tags: dict[str, str]) -> str:
    """Return the first position in our own text; "" for the game's own."""
    rules = rules_of(name)
    if not (fen := tags.get("FEN", "").strip()):
        if options:
            raise ValueError("a game of chess960 needs the tag FEN with its first position")
        return ""
    settings = rules.parse_options(options)
    try:
        position = rules.format_state(rules.read_state(fen, settings))
    except ValueError as error:
        raise ValueError(f"the tag FEN is no position: {error}") from None
    return "" if not options and position == rules.format_state(rules.start(settings)) else position


def _times(tags: dict[str, str]) -> tuple[TimeControl, TimeControl]:
    """Return the time controls of both; without a limit where the tags have none that is known here."""
    both = _time(tags.get("TimeControl", ""))
    white, black = (tags.get(name) for name in ("WhiteTimeControl", "BlackTimeControl"))
    return both if white is None else _time(white), both if black is None else _time(black)


def _time(text: str) -> TimeControl:
    if re.fullmatch(r"1/[0-9.]+", text):
        text = f"{text[2:]}/move"
    if ":" in text:  # several periods: a clock that gains another time later is not known here
        return TimeControl()
    try:
        return TimeControl.from_text(text)
    except BadOption:
        return TimeControl()


def _begun(tags: dict[str, str]) -> datetime:
    """Return when the game began, as far as the tags say; a month or day that is unknown is the first."""
    date = tags.get("UTCDate") or tags.get("Date", "")
    time = tags.get("UTCTime") or tags.get("Time", "")
    if found := re.match(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\S* \+0000", tags.get("GameStartTime", "")):
        date, time = found.groups()  # of cutechess-cli and fastchess
    found = re.fullmatch(r"(\d{4})(?:[./-](\d\d|\?\?)[./-](\d\d|\?\?))?", date.strip())
    clock = re.fullmatch(r"(\d\d):(\d\d):(\d\d)(?:\.\d+)?", time.strip())
    if found is None:
        return UNDATED
    year, month, day = (int(each) if each and each.isdigit() else 1 for each in found.groups())
    try:
        hour, minute, second = map(int, clock.groups()) if clock else (0, 0, 0)
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return UNDATED


def _move(rules: Game[Any, Any], state: Any, text: str) -> Any:
    """Return the move that a text names, in SAN or in long notation. Raises Rejection."""
    try:
        return rules.parse_notation(state, text)
    except MalformedMove:
        if (found := _LONG_MOVE.fullmatch(text)) is None:
            raise
        piece, src, takes, dst, promotion = found.groups(default="")
        if len(src) < SQUARE:
            queen = f"={promotion.upper()}" if promotion else ""
            return rules.parse_notation(state, f"{piece.replace('P', '')}{src}{takes}{dst}{queen}")
        if piece and state.board[SQUARES.index(src)].upper() != piece:
            raise
        return rules.read_move(state, f"{src}{dst}{promotion.lower()}")


def _played(game: PgnGame, setup: Setup, times: Iterable[TimeControl]) -> tuple[list[Any], list[Ply], Any]:
    """Return the opening, the plies, and the last position."""
    rules, state = setup.rules(), setup.first()
    clocks = Clocks(times)
    opening: list[Any] = []
    plies: list[Ply] = []
    for line, text, comment in game.moves:
        if text in NULL_MOVES:
            forbidden = "a move was passed, which the rules forbid; a record needs all moves"
            raise BadRecord(f"{_place(rules, state, line, text)} {forbidden}")
        seat = state.to_move
        if seat is None:
            over = f"the game is over by then ({state.outcome().reason}); cut off what follows"
            raise BadRecord(f"{_place(rules, state, line, text)} {over}")
        try:
            move = _move(rules, state, text)
            state.check(move)
        except Rejection as error:
            raise BadRecord(f"{_place(rules, state, line, text)} {error}") from None
        if comment == "book" and not plies:
            opening.append(rules.move_to_wire(move))
        else:
            ms, info = _read_comment(comment, seat, clocks)
            plies.append(Ply(seat, rules.move_to_wire(move), ms, info))
        state = state.play(move)
    return opening, plies, state


def _place(rules: Game[Any, Any], state: Any, line: int, text: str) -> str:
    """Return where a move stands, with its number as PGN writes it: `line 7: 12... Ke3:`."""
    _, turn, *_, number = fen(rules, state).split(" ")
    return f"line {line}: {number}{'.' if turn == 'w' else '...'} {text[:40]}:"


_COMMAND = re.compile(r"\[%([a-z]+) ?([^\]]*)(?:\]|\Z)")  # one that is not closed has the rest: it is read once
_SEARCH = re.compile(
    r"(?:(?P<score>[+-]?(?:\d{1,6}(?:\.\d{1,3})?|M\d{1,5}|∞))/(?P<depth>\d{1,6}) ?,? ?)?"
    r"(?P<seconds>\d{1,7}(?:\.\d{1,3})?)s\b",
    re.ASCII,
)
_FIELD = re.compile(r'\b(?P<name>[a-z][a-z0-9]*)=(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s,]*)),?')
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,4}):(\d{1,2}(?:\.\d{1,3})?)", re.ASCII)
_EVAL = re.compile(r"(?P<score>#?[+-]?\d{1,6}(?:\.\d{1,3})?)(?:,(?P<depth>\d{1,6}))?", re.ASCII)


def _read_comment(comment: str, seat: int, clocks: Clocks) -> tuple[int, Info | None]:
    """Return the time that a move took, and what was thought, as far as its comment says."""
    said = {name: value.strip() for name, value in _COMMAND.findall(comment)}
    text = ENDS.sub("", _COMMAND.sub("", comment).strip())
    found: dict[str, Any] = {}
    ms: int | None = None
    if (search := _SEARCH.match(text)) is not None:
        ms = round(float(search["seconds"]) * 1000)
        found |= _evaluation(search["score"], search["depth"], 1)
        text = text[search.end() :]
    if (evaluated := _EVAL.fullmatch(said.get("eval", ""))) is not None and "score" not in found:
        found |= _evaluation(evaluated["score"], evaluated["depth"], -1 if seat else 1)
    fields = {each["name"]: each["quoted"] or each["bare"] or "" for each in _FIELD.finditer(text)}
    for word, name in ENGINE_WORDS.items():
        if re.fullmatch(r"[0-9]{1,15}", fields.get(word, "")) and (name != "hashfull" or int(fields[word]) <= 1000):
            found[name] = int(fields[word])
    if re.fullmatch(r"(?:(?:1000|[0-9]{1,3})(?:/|$)){3}", wdl := fields.get("wdl", "")):
        found["wdl"] = [int(each) for each in wdl.split("/")]
    if words := fields.get("pv", "").split():
        found["pv"] = [word[:32] for word in words[:64]]
    note = _FIELD.sub("", text).strip(" ,;")
    if note:
        note = f"{found['text']}; {note}" if "text" in found else note
        found["text"] = note[:MOST_CHARACTERS]
    if ms is None and (spent := _CLOCK.fullmatch(said.get("emt", ""))) is not None:
        ms = _milliseconds(spent)
    if (left := _CLOCK.fullmatch(said.get("clk", ""))) is not None:
        spent_ms = clocks.spent(seat, _milliseconds(left))
        ms = spent_ms if ms is None else ms
    return min(ms or 0, DAY_MS), Info(**found) if found else None


def _evaluation(score: str | None, depth: str | None, sign: int) -> dict[str, Any]:
    """Return fields of `Info`; `sign` is -1 if the score is from the opponent's view."""
    if score is None:
        return {}
    found: dict[str, Any] = {"depth": int(depth)} if depth and int(depth) else {}
    if score[0] == "#":  # lichess: moves to mate
        moves = int(float(score[1:])) * sign
        return found | _mate(max(0, 2 * abs(moves) - (moves > 0)), wins=moves > 0)
    if "M" in score:
        return found | _mate(int(score.split("M")[1]), wins=not score.startswith("-"))
    if "∞" in score:
        return found
    return found | {"score": float(score) * sign + 0.0}


def _mate(plies: int, *, wins: bool) -> dict[str, Any]:
    text = f"{'wins' if wins else 'loses'} in {plies} {'ply' if plies == 1 else 'plies'}"
    return {"score": DECIDED if wins else -DECIDED, "text": text}


def _milliseconds(found: re.Match[str]) -> int:
    hours, minutes, seconds = found.groups()
    return min(DAY_MS, int(hours or 0) * 3_600_000 + int(minutes) * 60_000 + round(float(seconds) * 1000))


_FAULTS: tuple[tuple[str, Termination, str], ...] = (  # words of tags and comments, and the ends that they tell of
    ("time forfeit", "time", "flag-fell"),
    ("on time", "time", "flag-fell"),
    ("flag-fell", "time", "flag-fell"),
    ("move-limit", "time", "move-limit"),
    ("rules infraction", "illegal", "illegal-move"),
    ("illegal", "illegal", "illegal-move"),
    ("stall", "stalled", "stalled"),
    ("crash", "crashed", "crashed"),
    ("disconnect", "disconnected", "disconnected"),
    ("abandon", "disconnected", "abandoned"),
)


def _result(game: PgnGame, state: Any) -> Result:
    """Return the end of a game whose last position is `state`: by the rules, or as the tags or the last comment say."""
    ruled, scores = state.outcome(), SCORES.get(game.result)
    if ruled is not None:
        if scores not in (None, ruled.scores):
            raise ValueError(f"it is recorded as {game.result}, the rules say {ruled.reason}; correct the result")
        return Result("rule", ruled.reason, list(ruled.scores))
    if scores is None:
        raise ValueError("the game has no result; only finished games are records")
    tagged = game.tags.get("Termination", "").strip().lower()
    comment = game.moves[-1].comment if game.moves else game.comment
    said = tagged or comment.lower()
    own = game.tags.get("TerminationDetails", "")
    own = own if re.fullmatch(r"[a-z][a-z0-9-]{0,63}", own) and own not in REASONS else ""
    seat = None if scores[0] == scores[1] else scores.index(0.0)
    if seat is None or "adjudicat" in said:
        usual = "adjudication" if "adjudicat" in said else "time-forfeit" if "time" in said else "agreement"
        return Result("adjudicated", own or usual, list(scores))
    for words, termination, reason in _FAULTS:
        if words in said:
            return Result(termination, own or reason, list(scores), seat)
    return Result("resigned", own or "resigned", list(scores), seat)
