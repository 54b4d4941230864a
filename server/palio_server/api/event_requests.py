"""Requests that make or change a tournament, read and checked against the formats."""

import re
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from palio_db.event_values import Entry, TournamentDraft
from palio_rules.contract.messages import MAX_INT
from palio_rules.contract.names import LONGEST_NAME, is_name, is_reserved, no_name
from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.registry import games
from palio_rules.time_control import TimeControl
from palio_server.api.answers import ApiError
from palio_server.api.bodies import Body
from palio_server.api.games import known_game
from palio_server.arena.directing import GRACE_S
from palio_server.tournament.format import Format, format_of, format_type, formats
from palio_server.tournament.openings.choice import OpeningsChoice, parse_openings
from palio_server.tournament.round_robin import DEFAULT_TIME, never_ends
from palio_server.tournament.terms import STRIKES, Terms
from palio_server.tournament.trf.cells import TrfPlayer
from palio_server.tournament.trf.events import imported
from palio_server.tournament.trf.reading import read_trf

# A TRF file as the beginning of a tournament: entries with their ratings and byes, the number of rounds, the first
# colour.
#
# Files with played rounds are refused: those were played elsewhere, and could not be shown, rated or played again here.
# `palio pairing next` pairs such a file.


@dataclass(frozen=True, slots=True)
class TrfStart:
    """The contents of a file for a tournament that has not begun. `rules` are of its format."""

    name: str
    entries: tuple[Entry, ...]
    rules: dict[str, Any]


def trf_start(text: str, format_: str) -> TrfStart:
    """Read a file. Raises BadOption if it is unreadable, has played rounds, or needs an unknown feature."""
    file = read_trf(text)
    if file.played:
        rounds = "a round" if file.played == 1 else f"{file.played} rounds"
        remedy = "pair its next one with `palio pairing next`, or leave the results out to begin again"
        raise BadOption(f"the TRF file has {rounds} already, and a tournament here plays all of its own; {remedy}")
    if file.forbidden or file.virtual:
        raise BadOption("the TRF file keeps players apart (XXP, 260) or accelerates (XXA, 250); leave these lines out")
    found = imported(file)
    entries = tuple(_absent(entry, player) for entry, player in zip(found.entries, file.players, strict=True))
    known = format_type(format_).rules_type.__struct_fields__
    rules: dict[str, Any] = {}
    if file.rounds is not None and format_ == "swiss":  # elsewhere `rounds` are cycles, or cannot be chosen
        rules["rounds"] = file.rounds
    if file.initial and "initial_colour" in known:
        rules["initial_colour"] = file.initial
    return TrfStart(file.name, entries, rules)


def _absent(entry: Entry, player: TrfPlayer) -> Entry:
    """Return the entry; a player absent in the first round comes in the second."""
    how = cell.how if (cell := player.cell(1)) else ""
    if how == "full-bye":
        raise BadOption(f"{entry.bot} has a full-point bye (F) in round 1; byes here are half a point: write H")
    return replace(entry, joined=2) if how == "absent" else entry


# The start of a tournament: a moment, or a time from now.

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
FARTHEST = timedelta(days=366)
LATE = timedelta(minutes=1)  # a request may have been on its way, and clocks differ

_FROM_NOW = re.compile(r"\+(\d{1,6})([smhd])", re.ASCII)


def start_time(text: str, now: datetime) -> datetime:
    """Return the moment of `2026-12-24T18:00:00Z` or, from `now`, `+10m` (s, m, h, d), in UTC. Raises BadOption.

    A moment without a time zone is refused, because it is ambiguous.
    """
    if found := _FROM_NOW.fullmatch(text):
        moment = now + timedelta(seconds=int(found[1]) * SECONDS[found[2]])
    else:
        moment = _moment(text)
    if moment < now - LATE:
        raise BadOption(f"{text!r} is past; give a moment to come, or leave it out and start the event by hand")
    if moment > now + FARTHEST:
        raise BadOption(f"{text!r} is more than a year away; start it within a year")
    return moment.astimezone(UTC)


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadOption(f"{text!r} is no time to start; write 2026-12-24T18:00:00Z, or +10m for ten minutes") from None
    if moment.tzinfo is None:
        raise BadOption(f"{text!r} has no time zone; write {text}Z for UTC, or {text}+01:00")
    return moment


# Examples of the keys that a match and a tournament have in common, for refusals.

WRITE = {
    "game": '"game": "breakthrough"; /api/games lists them',
    "bots": '"bots": ["ann", "bob"]; /api/bots lists them',
    "options": '"options": {"rows": 8}; /api/games has those of each game',
    "tc": '"tc": "10+0.1", seconds+increment',
    "st": '"st": 0.5, seconds a move',
    "time": '"tc": "10+0.1" (seconds+increment), "st": 0.5 (seconds a move), '
    'or "time": {"base_ms": 10000, "increment_ms": 100}',
    "times": '"times": {"bob": "5+0.05"}, of bots with another time than the others',
    "seed": '"seed": 1',
    "strikes": '"strikes": 3',
    "max_plies": '"max_plies": 500',
    "by_time": '"by_time": true',
    "rated": '"rated": false',
}
MEANT = {
    **dict.fromkeys(("timecontrol", "time_control", "clock", "clocks", "seconds"), "time"),
    **dict.fromkeys(("odds", "time_odds", "tcs"), "times"),
    **dict.fromkeys(("players", "entrants", "names"), "bots"),
    **dict.fromkeys(("option", "setup", "instance"), "options"),
}


MOST = 1024  # entrants
RATED = "whether it counts for leaderboards; null: unless a handicap or time odds favour a seat"
TIMES = 'time odds: bots with another time than the others, as {"bob": "5+0.05"}'

Rating = Annotated[float, Meta(ge=-10_000, le=10_000)]
Round = Annotated[int, Meta(ge=1, le=10_000)]
BotName = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]


class EventRequest(Body, frozen=True, kw_only=True):
    """A tournament. Settings of a format besides `rounds` are in `rules`; /api/formats lists them.

    `tc` is base+increment ("10+0.1", "5:00"), `st` seconds a move, both may hold; or `time` has it in milliseconds.
    """

    WRITE: ClassVar = {
        **WRITE,
        "format": '"format": "swiss"; /api/formats lists them',
        "rules": '"rules": {"tie_breaks": ["buchholz"]}; /api/formats has those of each format',
        "rounds": '"rounds": 7',
        "ratings": '"ratings": {"ann": 1650}',
        "openings": '"openings": "2" (random plies), "book" (ours), or "file=NAME" beside "book"',
        "book": '"openings": "file=mine", "book": ["b5-b4 c2-c3"], an opening a line',
        "name": '"name": "Spring cup"',
        "grace_s": '"grace_s": 60, seconds for which a bot may stay away before it forfeits',
        "trf": '"trf": "012 Spring cup\\n001 ...", the text of a TRF file; its players are the bots',
        "admits": '"admits": "token" (bots enter by their tokens), "open" (every connected bot) or "listed"',
        "starts_at": '"starts_at": "2026-12-24T18:00:00Z", or "+10m"',
        "start": '"start": true',
    }
    MEANT: ClassVar = {
        **MEANT,
        **dict.fromkeys(("entries", "participants"), "bots"),
        **dict.fromkeys(("event", "title", "tournament"), "name"),
        **dict.fromkeys(("opening", "opening_plies"), "openings"),
        **dict.fromkeys(("system", "type", "mode", "kind"), "format"),
        **dict.fromkeys(("begin", "begins_at", "start_time", "starts"), "starts_at"),
        **dict.fromkeys(("entry", "registration", "join"), "admits"),
        **dict.fromkeys(("grace", "wait", "patience"), "grace_s"),
        **dict.fromkeys(("seeds", "elo", "rating"), "ratings"),
    }

    game: str
    format: str = "round_robin"
    # msgspec copies it
    rules: Annotated[dict[str, Any], Meta(description="of the format; see /api/formats")] = {}  # noqa: RUF012
    rounds: Round | None = None
    bots: Annotated[list[BotName], Meta(max_length=MOST, description="in the order of their starting numbers")] = []  # noqa: RUF012
    ratings: Annotated[dict[str, Rating], Meta(description="by bot; they seed it")] = {}  # noqa: RUF012
    options: Annotated[dict[str, Any], Meta(description="of the game; see /api/games")] = {}  # noqa: RUF012
    tc: str | None = None
    st: Annotated[str | int | float | None, Meta(description="seconds a move")] = None
    time: TimeControl | None = None
    times: Annotated[dict[str, str], Meta(description=TIMES)] = {}  # noqa: RUF012
    openings: Annotated[str, Meta(max_length=500, description="where games begin")] = ""
    book: (
        Annotated[list[str], Meta(max_length=20_000, description="lines of the book that `openings` names")] | None
    ) = None
    seed: Annotated[int, Meta(ge=0, le=MAX_INT, description="of openings and instances")] | None = None
    strikes: Annotated[
        Annotated[int, Meta(ge=1, le=100)] | None,
        Meta(description="rejected moves that lose a match, for all bots; null: 3, and 1 for engines by UCI, UGI, GTP"),
    ] = None
    max_plies: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    by_time: Annotated[bool, Meta(description="in a race, equal costs are ranked by thinking time")] = False
    rated: Annotated[bool | None, Meta(description=RATED)] = None
    grace_s: Annotated[
        float, Meta(ge=0, le=86_400, description="seconds for which a bot may stay away before it forfeits")
    ] = GRACE_S
    trf: Annotated[str | None, Meta(description="a TRF file: players, ratings, byes of round 1, rounds")] = None
    name: Annotated[str, Meta(max_length=200, description="shown to viewers")] = ""
    admits: Annotated[
        Literal["listed", "token", "open"],
        Meta(description="who may take part besides `bots`: no bot, bots with a token, all connected bots"),
    ] = "listed"
    starts_at: Annotated[str | None, Meta(description='ISO 8601 with a time zone, or from now: "+10m"')] = None
    start: Annotated[bool, Meta(description="at once")] = False

    @classmethod
    def unknown(cls, name: str, body: Mapping[str, Any]) -> str:
        """Return the remedy for an unknown key, which may be an option of the game or a rule of the format that it
        names.
        """
        value, game, format_ = quoted(body[name]), body.get("game"), body.get("format", "round_robin")
        if isinstance(game, str) and game in games() and name in known_game(game).options_type.__struct_fields__:
            return f'it is an option of {game}; write "options": {{"{name}": {value}}}'
        key = name.replace("-", "_")
        if (
            isinstance(format_, str)
            and format_ in formats()
            and key in format_type(format_).rules_type.__struct_fields__
        ):
            return f'it is a rule of {format_}; write "rules": {{"{key}": {value}}}'
        return super().unknown(name, body)


class ExtendRequest(Body, frozen=True):
    """The number of rounds that a tournament is to have in all."""

    WRITE: ClassVar = {"rounds": '"rounds": 9, in all'}

    rounds: Round


class EntryRequest(Body, frozen=True, kw_only=True):
    """A bot that is to take part. Only the organiser may set its rating and byes."""

    WRITE: ClassVar = {
        "bot": '"bot": "ann"; /api/bots lists them',
        "rating": '"rating": 1650',
        "byes": '"byes": [3], rounds for which it has half a point',
    }
    MEANT: ClassVar = {
        **dict.fromkeys(("name", "player", "entrant", "bots"), "bot"),
        **dict.fromkeys(("elo", "seed"), "rating"),
        **dict.fromkeys(("bye", "half_byes", "rounds"), "byes"),
    }

    bot: BotName
    rating: Rating | None = None
    byes: Annotated[list[Round], Meta(max_length=100, description="rounds")] = []  # noqa: RUF012  # msgspec copies it


def printable(name: str) -> str:
    """Return a file's title, without characters that a terminal would not print."""
    return "".join(filter(str.isprintable, name))[:200]


def check_name(bot: str) -> None:
    """Raise ApiError unless a bot may have this name."""
    if not is_name(bot):
        raise ApiError(422, "bad-bots", no_name(bot))
    if is_reserved(bot):
        raise ApiError(422, "bad-bots", f"{bot[:40]!r} plays at tables only; guests and house bots enter no events")


def format_for(request: EventRequest, start: TrfStart | None = None) -> Format:
    """Return the format under the requested rules; a file's unless given. Raises BadOption, ApiError."""
    rules = dict(request.rules)
    if request.rounds is not None:
        if rules.get("rounds") is not None:
            raise ApiError(422, "bad-value", "give the rounds as `rounds` or among `rules`, not both ways")
        rules["rounds"] = request.rounds
    return format_of(request.format, {**(start.rules if start else {}), **rules})


def entries_for(request: EventRequest, start: TrfStart | None = None) -> tuple[Entry, ...]:
    """Return the entries. Raises ApiError for a bot that is named twice, or a rating of one that is not named."""
    if start is not None:
        return _entries_of(request, start)
    for bot in request.bots:
        check_name(bot)
    if twice := next((bot for place, bot in enumerate(request.bots) if bot in request.bots[:place]), None):
        raise ApiError(422, "bad-bots", f"{twice[:40]!r} is named twice; each bot takes part once")
    if stray := next((bot for bot in request.ratings if bot not in request.bots), None):
        raise ApiError(422, "bad-bots", f"ratings: {stray[:40]!r} is not among the bots; name it there, too")
    return tuple(Entry(bot, number, request.ratings.get(bot)) for number, bot in enumerate(request.bots, 1))


def _entries_of(request: EventRequest, start: TrfStart) -> tuple[Entry, ...]:
    if request.bots or request.ratings:
        raise ApiError(422, "bad-value", "a TRF file names the bots and their ratings; leave `bots` and `ratings` out")
    if len(start.entries) > MOST:
        raise ApiError(422, "bad-bots", f"{len(start.entries)} players are too many; {MOST} bots at most can play")
    for entry in start.entries:
        check_name(entry.bot)
    return start.entries


def times_for(times: Mapping[str, str], bots: Collection[str], margin_ms: int) -> dict[str, TimeControl]:
    """Return the time odds by bot, which must be one of `bots` unless that is empty. Raises BadOption."""
    for name in times:
        check_name(name)
        if bots and name not in bots:
            raise BadOption(f"times: {quoted(name)} is none of the bots; {nearest(name, bots)}")
    return {name: TimeControl.from_text(text, margin_ms) for name, text in times.items()}


def time_for(request: EventRequest) -> TimeControl:
    """Return the time control. Raises BadOption or ApiError."""
    if request.time is None:
        return TimeControl.parse(request.tc, None if request.st is None else str(request.st))
    if request.tc is not None or request.st is not None:
        raise ApiError(422, "bad-value", "give the time as `tc` and `st`, or as `time`, not both ways")
    return request.time


def draft_for(request: EventRequest, now: datetime | None = None) -> TournamentDraft:
    """Return the requested tournament. Raises BadOption or ApiError."""
    rules = known_game(request.game)
    start = None if request.trf is None else trf_start(request.trf, request.format)
    format_ = format_for(request, start)
    if not request.name.isprintable():  # it is shown on terminals, too
        raise ApiError(422, "bad-value", f"name {request.name[:40]!r} has characters that cannot be printed")
    if request.start and request.starts_at is not None:
        raise ApiError(422, "bad-value", "give `start` or `starts_at`, not both")
    moment = now or datetime.now(UTC)
    return TournamentDraft(
        name=request.name or (start and printable(start.name)) or f"{rules.title}, {format_.title.lower()}",
        game=request.game,
        format=format_.name,
        rules=msgspec.to_builtins(format_.rules),
        settings={**terms_for(request).settings, "grace_s": request.grace_s},
        entries=entries_for(request, start),
        admits=request.admits,
        starts_at=None if request.starts_at is None else start_time(request.starts_at, moment),
    )


def terms_for(request: EventRequest) -> Terms:
    """Return the setup of its matches. Raises BadOption or ApiError; reading a book may take a while."""
    rules, time = known_game(request.game), time_for(request)
    terms = Terms(
        game=request.game,
        options=msgspec.to_builtins(rules.parse_options(request.options)),
        time=DEFAULT_TIME if never_ends(rules, time) else time,
        seed=secrets.randbelow(2**31) if request.seed is None else request.seed,
        openings=openings_for(request),
        by_time=request.by_time,
        strikes=request.strikes or STRIKES,
        lenient=request.strikes is not None,
        max_plies=request.max_plies,
        rated=request.rated,
        times=times_for(request.times, request.bots if request.admits == "listed" else (), time.margin_ms),
    )
    terms.check()
    return terms


def openings_for(request: EventRequest) -> OpeningsChoice:
    """Return the openings. No file of the server is read: a client sends the lines of its own book.
    Raises BadOption.
    """
    choice = parse_openings(request.openings) if request.openings else OpeningsChoice()
    if choice.file and request.book is None:
        raise BadOption(f"the server reads no files; send the lines of {choice.file!r} as `book`, too")
    if request.book is None:
        return choice
    if not choice.file:
        raise BadOption('a book has a name; write "openings": "file=NAME" beside "book"')
    return msgspec.structs.replace(choice, lines=tuple(request.book))
