"""The settings of a server: from flags, and from PALIO_* in the environment, where other programs have names, too."""

import os
import re
import socket
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from palio_rules.errors import BadOption, quoted
from palio_rules.plain_text import given, given_path
from palio_rules.registry import adopt, game_from_spec, leaderboard_of
from palio_rules.spec import Spec
from palio_rules.time_control import TimeControl
from palio_server.edge.addresses import Proxies
from palio_server.edge.sites import Sites

PREFIX = "PALIO_"
SHOWN = 4  # variables in a sentence
HOUSE_TABLES = 4  # the default: each takes up to a core while its bot thinks
DAY_S = 86_400
SQLITE_FILES = ("", "-wal", "-shm", "-journal")  # of one database: no bot's program reads them
LOOPBACK = ("127.0.0.1", "localhost", "::1")

# Names that other parts of Palio read from the environment; a server must not take them for typing errors.
FOREIGN = (*("PALIO_TOKEN", "PALIO_DEBUG", "PALIO_URL", "PALIO_LIMITS", "PALIO_LOG"), *("PALIO_GAMES", "PALIO_LLM_KEY"))
FOREIGN_PREFIX = "PALIO_TEST_"


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A server's settings; `palio serve --help` explains each."""

    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8000  # 0: any free one
    socket: str | None = None  # the path of a Unix socket for programs of the same user, beside the port
    db: str = "sqlite:///palio.db"
    mqtt: str | None = None  # mqtt://user:password@host:port
    auth: Literal["auto", "required", "open"] = "auto"  # auto: open on loopback, required elsewhere
    private: bool = False  # reading needs a token, too
    concurrency: Annotated[int, Meta(ge=1, le=10_000)] = 8  # matches at once
    ladder: bool = False
    ladder_tc: str = "10+0.1"  # the time control of ladder matches
    role: Literal["all", "gateway", "referee"] = "all"  # its part of the work, where several servers share it
    worker: str = "palio"  # names this server among those on one database; it takes its own matches up again
    ladder_games: str = ""  # go:size=19;go:size=9; "": all games that bots play, with their own settings
    anchor: str = ""  # bots with fixed ratings: NAME=1500,NAME=1800; or on one leaderboard, go:size=19/NAME=1500
    house_bots: Annotated[int, Meta(ge=0, le=256)] | None = (
        None  # tables against them; None: 4 where it is open, or none
    )
    guests: bool | None = None  # people may play without an account; None: where there are house bots
    sandbox: Literal["auto", "require", "off"] = "auto"  # for bots that it starts; with a course auto is require
    memory: str = "1G"  # for each of them,
    processes: Annotated[int, Meta(ge=4, le=10_000)] = 32  # threads included
    origin: str = ""  # pages of other sites that may act here: https://a.example,https://b.example
    public_url: str | None = None  # its address for people, behind a proxy
    forwarded_from: str = ""  # proxies whose X-Forwarded-For is believed: 127.0.0.1,10.0.0.0/8
    open_matches: Annotated[int, Meta(ge=1, le=1_000_000)] = 1000  # requested by one token or address, not over yet
    open_matches_in_all: Annotated[int, Meta(ge=1, le=1_000_000)] = 5000
    back_in: str = "5s"  # after a stop: told to bots and viewers; "": unknown
    docs: str | None = None  # the documentation as a site: a folder, which is served at /guide/, or an address
    course: str = ""  # folders of courses, with the system's separator of paths between them
    check_slots: Annotated[int, Meta(ge=1, le=64)] | None = None  # checks of submissions at once; None: by the cores
    telemetry: bool = False  # traces for OpenTelemetry, as OTEL_* say
    lease_s: Annotated[float, Meta(ge=1, le=3600)] = 30.0
    keep: str = ""  # the age up to which `palio retain` leaves matches their moves: 90d; "": it must be given there
    archives: str = ""  # the folder that it moves them to
    # after which the audit, and matches, lose the addresses that something came from
    audit_addresses_days: Annotated[int, Meta(ge=1, le=36_500)] = 90

    @property
    def open(self) -> bool:
        """True if no token is needed."""
        return self.auth == "open" or (self.auth == "auto" and self.on_loopback and not self.private)

    @property
    def on_loopback(self) -> bool:
        """True if no other machine can reach the server."""
        return self.host in LOOPBACK

    @property
    def must_confine(self) -> bool:
        """True if bots' programs need a sandbox: files of students are beside them."""
        return self.sandbox == "require" or (self.sandbox == "auto" and bool(self.course))

    @property
    def shares(self) -> bool:
        """True if it shares the work with others: they have one database and one broker in common."""
        return self.mqtt is not None and self.db.startswith("postgres")

    @property
    def plays(self) -> bool:
        """True if matches are played here."""
        return self.role != "gateway"

    @property
    def lets_in(self) -> bool:
        """True if bots, viewers and visitors connect here."""
        return self.role != "referee"

    @property
    def house_tables(self) -> int:
        """The number of tables at once at which people may play against bots that the server starts."""
        if self.house_bots is None:
            return HOUSE_TABLES if self.open else 0
        return self.house_bots

    @property
    def with_guests(self) -> bool:
        """True if people may play without an account."""
        return self.house_tables > 0 if self.guests is None else self.guests

    @property
    def anchors(self) -> dict[str, float]:
        """The fixed ratings, by bot, or leaderboard and bot: `go:size=19/gnugo`. Raises BadOption."""
        return parse_anchors(self.anchor)

    @property
    def ladder_boards(self) -> list[Spec]:
        """The ladder's games with settings; a game that is not among them has its own. Raises BadOption."""
        return [_ladder_board(text) for text in filter(None, map(str.strip, self.ladder_games.split(";")))]

    @property
    def back_s(self) -> float | None:
        """Seconds after which a stopped server is usually back; None if unknown. Raises BadOption."""
        return parse_duration(self.back_in) if self.back_in else None

    @property
    def course_folders(self) -> list[Path]:
        return [Path(each) for each in self.course.split(os.pathsep) if each]

    @property
    def ladder_time(self) -> TimeControl:
        return TimeControl.parse(self.ladder_tc)


def _ladder_board(text: str) -> Spec:
    rules, _ = game_from_spec(text)
    return Spec(rules.name, adopt(text).settings)


def parse_anchors(text: str) -> dict[str, float]:
    """Read `NAME=1500,NAME=1800` or `go:size=19/NAME=1500`, each bot of a leaderboard once. Raises BadOption."""
    found: dict[str, float] = {}
    for part in _anchors_in(text):
        name, _, value = part.rpartition("=")
        try:
            rating = float(value)
        except ValueError:
            rating = float("nan")
        if not name or not -100_000 < rating < 100_000:
            raise BadOption(f"anchor {quoted(part)} is none; write NAME=RATING, as in random=1000")
        board, _, bot = name.rpartition("/")
        name = f"{leaderboard_of(board)}/{bot}" if board else name
        if name in found:
            raise BadOption(f"anchor {quoted(name)} is given twice; keep one of them")
        found[name] = rating
    return found


def _anchors_in(text: str) -> Iterator[str]:
    """Split at commas, but for those within a leaderboard's settings, which end at a slash."""
    begun = ""
    for part in text.split(","):
        begun = f"{begun},{part}" if begun else part
        if ":" not in begun or "/" in begun:
            yield from filter(None, [begun])
            begun = ""
    yield from filter(None, [begun])


def parse_duration(text: str) -> float:
    """Return the seconds of `30`, `30s`, `2m`, `1h`, at most a day. Raises BadOption.

    >>> parse_duration("1.5m")
    90.0
    """
    found = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)(s|m|h|)", text.strip())
    seconds = float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[found[2]] if found else -1.0
    if not 0 <= seconds <= DAY_S:
        raise BadOption(f"{text!r} is no time until the server is back; write 30s, 2m or 1h, a day at most")
    return seconds


def load(environ: Mapping[str, str] | None = None, **flags: Any) -> Settings:
    """Return settings from the environment, overridden by `flags` that are not None. Raises BadOption."""
    known = {field.name: field for field in msgspec.structs.fields(Settings)}
    values: dict[str, Any] = {}
    for variable, text in (os.environ if environ is None else environ).items():
        if (name := _setting(variable, text)) is None:
            continue
        try:
            values[name] = msgspec.convert(text, known[name].type, strict=False)
        except (msgspec.ValidationError, UnicodeError) as error:
            raise BadOption(f"{variable}={quoted(text)} in the environment: {error}") from None
    values |= {name: flag for name, flag in flags.items() if flag is not None}
    if values.get("role", "all") != "all":  # the role's own defaults
        values = {"worker": f"{values['role']}-{socket.gethostname()}-{os.getpid()}", "guests": False, **values}
        values = {"house_bots": 0, **({"port": 0} if values["role"] == "referee" else {}), **values}
    try:
        settings = msgspec.convert(values, Settings)
    except msgspec.ValidationError as error:
        raise BadOption(f"bad setting: {error}") from None
    _check_names(settings)
    if settings.private and settings.auth == "open":
        raise BadOption("a private server asks for tokens; leave out --no-auth (PALIO_AUTH=open), or --private")
    if settings.role != "all":
        _check_role(settings)
    _ = settings.ladder_time, settings.ladder_boards, settings.anchors, settings.back_s  # refuses bad ones now
    Sites.parse(settings.host, settings.public_url, settings.origin)
    Proxies.parse(settings.forwarded_from)
    return settings


def _check_names(settings: Settings) -> None:
    """Check texts that name files or anything else outside, and the folder of the documentation. Raises BadOption."""
    for name, value in msgspec.structs.asdict(settings).items():
        if isinstance(value, str):
            given(value, name)
    if settings.docs is None or is_address(settings.docs):
        return
    if not (given_path(settings.docs, "docs") / "index.html").is_file():
        remedy = "build the site with `make docs`, or give its https:// address"
        raise BadOption(f"docs {quoted(settings.docs)}: there is no index.html in this folder; {remedy}")


def _setting(variable: str, text: str) -> str | None:
    """Return the setting that a variable gives; None if it gives none."""
    name = variable.removeprefix(PREFIX).lower()
    if not variable.startswith(PREFIX) or name not in Settings.__struct_fields__:
        return None
    return None if name == "port" and "://" in text else name  # Kubernetes' PALIO_PORT of a service called `palio`


def strangers(environ: Mapping[str, str] | None = None) -> str:
    """Return the sentence about variables that begin like settings and are none; "" if there is none."""
    found = [
        variable
        for variable, text in (os.environ if environ is None else environ).items()
        if variable.startswith(PREFIX) and variable not in FOREIGN and not variable.startswith(FOREIGN_PREFIX)
        if _setting(variable, text) is None
    ]
    if not found:
        return ""
    known = [PREFIX + field.upper() for field in Settings.__struct_fields__]
    close = [near for each in found if each not in known for near in get_close_matches(each, known, 1, cutoff=0.8)]
    meant = f"; did you mean {' and '.join(map(repr, close))}?" if close else ""
    shown = ", ".join(quoted(each)[1:-1] for each in found[:SHOWN])
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    are = "is no setting of Palio and is" if len(found) == 1 else "are no settings of Palio and are"
    return f"{shown}{more} in the environment {are} left aside{meant}"


def is_address(docs: str) -> bool:
    """Return True if the documentation is at another server, False if it is a folder."""
    return docs.startswith(("https://", "http://"))


def _check_role(settings: Settings) -> None:
    """Check that a part of the work is done only beside others. Raises BadOption."""
    if settings.mqtt is None:
        remedy = "give --mqtt mqtt://HOST:1883, or leave out --role"
        raise BadOption(f"a {settings.role} meets the other servers at a broker; {remedy}")
    if not settings.shares:
        remedy = "give --db postgresql://..., or leave out --role"
        raise BadOption(f"a {settings.role} shares one PostgreSQL with the other servers, not a SQLite file; {remedy}")
    if settings.house_tables or settings.with_guests:
        remedy = "leave out --house-bots and --guests, or --role"
        raise BadOption(f"people play on servers that do all of the work, not on a {settings.role}; {remedy}")
    if settings.role == "referee" and settings.socket is not None:
        raise BadOption("no bot comes to a referee; leave out --socket, or give it to a gateway")


def sqlite_file(url: str) -> str:
    """Return the file that a database's URL names; "" for another kind of database."""
    return url.removeprefix("sqlite:///") if url.startswith("sqlite:///") else ""


def database_files(url: str) -> list[Path]:
    """Return the files of a database, existing or not; none if it is not a file of this machine."""
    if not sqlite_file(url):
        return []
    file = Path(sqlite_file(url)).absolute()
    places = dict.fromkeys((file, file.parent.resolve() / file.name, file.resolve()))
    return [Path(f"{place}{end}") for place in places for end in SQLITE_FILES]
