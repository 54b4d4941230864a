"""The tables. Each model says what it stores; the modules named after the nouns have the queries.

    bots ── tokens              permissions
    audit                       acts and actors; lines are added, and never changed or deleted
    changes                     counters of changes that running servers check
    bans                        addresses, owners and bots that may not play
    former_names                names of bots that were renamed
    profiles                    what is known of each bot beyond its results
    tournaments ── entries      events and their bots
        ├── encounters          planned encounters; byes are planned, too
        └── matches ── seats    every match from its scheduling on; a finished one has its whole record
                ├── journal     the plies of matches in progress; empty when no match runs
                └── analyses    the analysis of a finished match, if there is one
    pair_scores, ratings, outcomes  sums over the finished matches, updated by each result

    students ── submissions     courses: see `course_models.py`

Bots are named by text in seats and scores: a server without tokens plays bots that are not registered.
"""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from palio_db import course_models, meetings, table_base
from palio_db.columns import KEPT, Key
from palio_db.notices import TRIGGERS
from palio_db.values import START_RATING, UNRATED_ERROR

Base = table_base.Base
_ = course_models  # whose tables have the same metadata


class Bot(Base):
    """A registered bot. `key` is its name in lower case, so that no two names differ by case only."""

    __tablename__ = "bots"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(Key)
    key: Mapped[str] = mapped_column(Key, unique=True)
    owner: Mapped[str]
    created_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]


class ProfileRow(Base):
    """What is known of a bot, registered or not: its author's line, the programs that played under its name, and when.

    `builds` is a JSON list of the programs' identities (`hello.build`), each with its first time, the newest last.
    """

    __tablename__ = "profiles"

    bot: Mapped[str] = mapped_column(Key, primary_key=True)
    about: Mapped[str] = mapped_column(server_default="")
    builds: Mapped[str] = mapped_column(server_default="[]")
    first_seen: Mapped[datetime | None]
    last_seen: Mapped[datetime | None]


class SecretRow(Base):
    """A random value with which the server signs, made on first use."""

    __tablename__ = "secrets"

    name: Mapped[str] = mapped_column(Key, primary_key=True)
    value: Mapped[bytes]


class Token(Base):
    """A secret's SHA-256, and its permissions. `scopes` are joined by spaces."""

    __tablename__ = "tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    hash: Mapped[bytes] = mapped_column(unique=True)
    prefix: Mapped[str]  # enough to recognise the token in a list, too little to use it
    scopes: Mapped[str]
    bot: Mapped[int | None] = mapped_column(sa.ForeignKey("bots.id", ondelete="CASCADE"), index=True)
    note: Mapped[str]
    created_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    expires_at: Mapped[datetime | None]  # None: never


class AuditRow(Base):
    """An administrative act, or a refused one. The database refuses to delete lines, and to write other texts."""

    __tablename__ = "audit"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    who: Mapped[str]  # the actor, for people
    token: Mapped[int | None]  # its number; not a foreign key, so that a line outlives the token
    address: Mapped[str]  # the client's address
    act: Mapped[str] = mapped_column(Key)
    what: Mapped[str]  # the object of the act
    outcome: Mapped[str] = mapped_column(Key)
    detail: Mapped[str]


class BanRow(Base):
    """An address, an owner or a bot that may not play. `value` is a network, or a name in lower case."""

    __tablename__ = "bans"

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(Key)
    value: Mapped[str] = mapped_column(Key)
    reason: Mapped[str]
    who: Mapped[str]  # has banned it
    created_at: Mapped[datetime]
    until: Mapped[datetime | None]  # None: for good

    __table_args__ = (sa.UniqueConstraint("kind", "value"),)


class FormerName(Base):
    """A name that no bot may take, because one had it: `successor` is its name now, "" for a pseudonym.

    `erased_at` is set while the name of a forgotten bot is being taken out of all tables; then the row goes as well.
    """

    __tablename__ = "former_names"

    key: Mapped[str] = mapped_column(Key, primary_key=True)  # in lower case
    name: Mapped[str] = mapped_column(Key)
    successor: Mapped[str] = mapped_column(Key)
    erased_at: Mapped[datetime | None]


class ChangeRow(Base):
    """The number of changes of one kind, for servers that check whether another process has changed something."""

    __tablename__ = "changes"

    name: Mapped[str] = mapped_column(Key, primary_key=True)  # "tokens", or "results/" and a game
    count: Mapped[int] = mapped_column(sa.BigInteger)


class Tournament(Base):
    """An event; its settings, and the rules of its format, are JSON. `worker` directs it."""

    __tablename__ = "tournaments"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    game: Mapped[str] = mapped_column(Key)
    settings: Mapped[bytes]
    created_at: Mapped[datetime]
    format: Mapped[str] = mapped_column(Key, server_default="round_robin")
    rules: Mapped[bytes] = mapped_column(server_default="{}")
    stage: Mapped[str] = mapped_column(Key, server_default="running")
    admits: Mapped[str] = mapped_column(Key, server_default="listed")
    worker: Mapped[str] = mapped_column(Key, server_default="")
    starts_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    announced: Mapped[str | None]  # games whose result was announced: "1-40,43"; None: not tracked


class EntryRow(Base):
    """A bot that takes part in a tournament; `number` is its place in the list of entrants, from 0."""

    __tablename__ = "entries"

    tournament: Mapped[int] = mapped_column(sa.ForeignKey("tournaments.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    bot: Mapped[str] = mapped_column(Key)
    rating: Mapped[float | None]
    joined: Mapped[int] = mapped_column(server_default="1")  # the first round in which it may be paired
    gone: Mapped[int | None]  # the first round in which it is no longer paired
    byes: Mapped[str] = mapped_column(server_default="[]")  # rounds, as JSON
    spec: Mapped[str] = mapped_column(server_default="")

    __table_args__ = (sa.UniqueConstraint("tournament", "bot"),)


class PlannedEncounter(Base):
    """An encounter, or a bye, as its format planned it. `bots` and `forfeits` are JSON lists of names."""

    __tablename__ = "encounters"

    tournament: Mapped[int] = mapped_column(sa.ForeignKey("tournaments.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)  # from 1
    round: Mapped[int]
    board: Mapped[int]
    bots: Mapped[str]
    games: Mapped[int]
    opening: Mapped[int]
    kind: Mapped[str] = mapped_column(Key)
    part: Mapped[str]
    forfeits: Mapped[str] = mapped_column(server_default="[]")


def _of_scheduled(name: str, *columns: str) -> sa.Index:
    """Return an index of scheduled matches only: it stays small, however many have been played."""
    condition = sa.text("status = 'scheduled'")
    return sa.Index(name, *columns, sqlite_where=condition, postgresql_where=condition)


def _of_faults() -> sa.Index:
    """Return an index of matches that did not end by the game's rules: few, and searched by their termination."""
    condition = sa.text("termination <> 'rule'")
    return sa.Index("ix_matches_faults", "termination", "id", sqlite_where=condition, postgresql_where=condition)


class Match(Base):
    """A match: scheduled, running under a lease, finished or aborted. The blobs come last: lists never read them.

    `epoch` counts the claims; every write of a worker names the epoch of its own claim.
    """

    __tablename__ = "matches"

    id: Mapped[str] = mapped_column(Key, primary_key=True)
    game: Mapped[str] = mapped_column(Key)
    status: Mapped[str] = mapped_column(Key)
    seat0: Mapped[str] = mapped_column(Key)  # the bot in the first seat, for the search of a playable match
    tournament: Mapped[int | None] = mapped_column(sa.ForeignKey("tournaments.id"))
    round: Mapped[int]
    event: Mapped[str]
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    worker: Mapped[str | None]
    lease_until: Mapped[float | None]  # seconds since 1970, by the database's clock
    epoch: Mapped[int] = mapped_column(default=0)
    termination: Mapped[str | None]
    reason: Mapped[str | None]
    plies: Mapped[int | None]
    setup: Mapped[bytes]
    record: Mapped[bytes | None]
    others: Mapped[str] = mapped_column(Key, server_default="")  # all but seat0, as `playable.others_of` writes them
    encounter: Mapped[int | None]  # its number in the tournament
    number: Mapped[int | None] = mapped_column(sa.SmallInteger)  # which of the encounter's games, from 0
    rated: Mapped[bool] = mapped_column(
        default=True, server_default=sa.true()
    )  # from its setup, and once it is over, from its record
    voided_at: Mapped[datetime | None]  # these three are set for a void match
    voided_by: Mapped[str | None]
    void_reason: Mapped[str | None]
    archived_at: Mapped[datetime | None]  # if set, the record is an outline: see `archives.py`
    archive: Mapped[str | None]  # the name of the file that has its moves
    detail: Mapped[str | None]  # `Result.rule_detail` in one line; None also if older tables were used

    __table_args__ = (
        sa.CheckConstraint("status IN ('scheduled', 'running', 'finished', 'aborted')", name="status"),
        sa.CheckConstraint("(status = 'finished') = (record IS NOT NULL)", name="record"),
        sa.Index(None, "status", "id"),
        sa.Index(None, "game", "id"),
        sa.Index(None, "tournament", "status", "id"),
        sa.Index(None, "tournament", "encounter", "number", unique=True),  # no game of an encounter is played twice
        _of_faults(),
        _of_scheduled("ix_matches_scheduled", "game", "seat0", "others", "id"),
        _of_scheduled("ix_matches_scheduled_tournament", "tournament", "game", "seat0", "others", "id"),
    )


class Seat(Base):
    """A bot in a match, and its result."""

    __tablename__ = "seats"

    match: Mapped[str] = mapped_column(Key, sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True)
    seat: Mapped[int] = mapped_column(sa.SmallInteger, primary_key=True, autoincrement=False)
    bot: Mapped[str] = mapped_column(Key)
    score: Mapped[float | None]
    ms: Mapped[int | None] = mapped_column(sa.BigInteger)  # thinking time
    cost: Mapped[float | None]  # of its solution in a race
    game: Mapped[str] = mapped_column(Key, server_default="")  # these two of a finished, rated match only
    outcome: Mapped[str | None] = mapped_column(Key)  # the outcome for this bot, as in `counters.py`
    address: Mapped[str | None] = mapped_column(Key)  # that the bot played from, as limits count; cleared after a time

    __table_args__ = (
        sa.UniqueConstraint("bot", "match"),
        sa.Index(
            "ix_seats_address",
            "address",
            sqlite_where=sa.text("address IS NOT NULL"),
            postgresql_where=sa.text("address IS NOT NULL"),
        ),
        sa.Index(
            "ix_seats_outcomes",
            *("bot", "game", "match", "outcome"),
            sqlite_where=sa.text("outcome IS NOT NULL"),
            postgresql_where=sa.text("outcome IS NOT NULL"),
        ),
    )


class Meeting(Base):
    """A match of two bots; `first` sorts before `second`. Only triggers write it: see `meetings.py`."""

    __tablename__ = "meetings"

    first: Mapped[str] = mapped_column(Key, primary_key=True)
    second: Mapped[str] = mapped_column(Key, primary_key=True)
    game: Mapped[str] = mapped_column(Key, primary_key=True)
    match: Mapped[str] = mapped_column(Key, primary_key=True)

    __table_args__ = (sa.CheckConstraint("first < second", name="order"), {"sqlite_with_rowid": False})


class JournalRow(Base):
    """Plies or rejected moves of a match in progress, from the `number`-th on, as JSON: see `work.py`."""

    __tablename__ = "journal"

    match: Mapped[str] = mapped_column(Key, sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True)
    kind: Mapped[str] = mapped_column(Key, primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    epoch: Mapped[int]
    body: Mapped[bytes]

    __table_args__ = (sa.CheckConstraint("kind IN ('ply', 'refusal')", name="kind"),)


class AnalysisRow(Base):
    """The analysis of a finished match, as JSON."""

    __tablename__ = "analyses"

    match: Mapped[str] = mapped_column(Key, sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True)
    created_at: Mapped[datetime]
    body: Mapped[bytes]


class PairRow(Base):
    """The score of `first` against `second`, over all finished matches of a game; `first` sorts before `second`."""

    __tablename__ = "pair_scores"

    game: Mapped[str] = mapped_column(Key, primary_key=True)
    first: Mapped[str] = mapped_column(Key, primary_key=True)
    second: Mapped[str] = mapped_column(Key, primary_key=True)
    wins: Mapped[int]
    draws: Mapped[int]
    losses: Mapped[int]

    __table_args__ = (
        sa.CheckConstraint("first < second", name="order"),
        sa.Index(None, "game", "second"),  # the primary key serves the other order
    )


class OutcomeRow(Base):
    """The number of rated matches of a game that had one outcome (`counters.OUTCOMES`) for a bot."""

    __tablename__ = "outcomes"

    bot: Mapped[str] = mapped_column(Key, primary_key=True)
    game: Mapped[str] = mapped_column(Key, primary_key=True)
    outcome: Mapped[str] = mapped_column(Key, primary_key=True)
    count: Mapped[int]


class RatingRow(Base):
    """A line of a leaderboard: each result updates the counters, and the rating is written after each computation."""

    __tablename__ = "ratings"

    game: Mapped[str] = mapped_column(Key, primary_key=True)
    bot: Mapped[str] = mapped_column(Key, primary_key=True)
    rating: Mapped[float] = mapped_column(default=START_RATING)
    error: Mapped[float] = mapped_column(default=UNRATED_ERROR)
    provisional: Mapped[bool] = mapped_column(default=True)
    games: Mapped[int] = mapped_column(default=0)
    wins: Mapped[int] = mapped_column(default=0)
    draws: Mapped[int] = mapped_column(default=0)
    losses: Mapped[int] = mapped_column(default=0)
    points: Mapped[float] = mapped_column(default=0.0)
    illegal_moves: Mapped[int] = mapped_column(default=0)
    time_losses: Mapped[int] = mapped_column(default=0)
    think_ms: Mapped[int] = mapped_column(sa.BigInteger, default=0)
    plies: Mapped[int] = mapped_column(sa.BigInteger, default=0)
    form: Mapped[str] = mapped_column(default="")
    # Of plies for which a language model was asked; with defaults, because an older Palio does not write them.
    asked_plies: Mapped[int] = mapped_column(sa.BigInteger, default=0, server_default="0")
    tokens_in: Mapped[int] = mapped_column(sa.BigInteger, default=0, server_default="0")
    tokens_out: Mapped[int] = mapped_column(sa.BigInteger, default=0, server_default="0")
    cost_nano: Mapped[int] = mapped_column(sa.BigInteger, default=0, server_default="0")  # billionths of a dollar
    latency_ms: Mapped[int] = mapped_column(sa.BigInteger, default=0, server_default="0")


for _each in KEPT:
    _trigger = sa.DDL(_each.statement)  # type: ignore[no-untyped-call]
    sa.event.listen(AuditRow.__table__, "after_create", _trigger.execute_if(dialect=_each.dialect))
for _dialect, _statements in (("postgresql", TRIGGERS), *meetings.TRIGGERS.items()):
    for _statement in _statements:
        _trigger = sa.DDL(_statement)  # type: ignore[no-untyped-call]
        sa.event.listen(Base.metadata, "after_create", _trigger.execute_if(dialect=_dialect))
sa.Index("ix_ratings_bot", RatingRow.bot)
sa.Index("ix_ratings_leaders", RatingRow.game, RatingRow.rating.desc(), RatingRow.bot)
