"""Events of every format: their rules and stage, entries with more than a name, planned encounters."""

from typing import Any

import msgspec
import sqlalchemy as sa
from alembic import op

from palio_db.columns import Key, UtcDateTime

revision = "0004"
down_revision = "0003"
expands = False
rewrites = ("tournaments", "matches")

MATCHES = sa.text(
    "SELECT matches.id, matches.tournament, matches.round, matches.setup FROM matches "
    "WHERE matches.tournament IS NOT NULL ORDER BY matches.tournament, matches.id"
)
PLACE = sa.text("UPDATE matches SET encounter = :encounter, number = :number WHERE id = :match")
PLAN = sa.text(
    "INSERT INTO encounters (tournament, number, round, board, bots, games, opening, kind, part) "
    "VALUES (:tournament, :number, :round, :board, :bots, :games, :opening, 'played', '')"
)
UNPLAYED = sa.text("SELECT DISTINCT tournament FROM matches WHERE status IN ('scheduled', 'running')")


def upgrade() -> None:
    for column in _of_tournaments():
        op.add_column("tournaments", column)
    for column in _of_entries():
        op.add_column("entries", column)
    op.add_column("matches", sa.Column("encounter", sa.Integer))
    op.add_column("matches", sa.Column("number", sa.SmallInteger))
    op.add_column("seats", sa.Column("ms", sa.BigInteger))
    op.add_column("seats", sa.Column("cost", sa.Double))
    op.create_table(
        "encounters",
        sa.Column(
            "tournament",
            sa.Integer,
            sa.ForeignKey("tournaments.id", name="fk_encounters_tournament_tournaments", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("board", sa.Integer, nullable=False),
        sa.Column("bots", sa.Text, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("opening", sa.Integer, nullable=False),
        sa.Column("kind", Key, nullable=False),
        sa.Column("part", sa.Text, nullable=False),
        sa.Column("forfeits", sa.Text, server_default="[]", nullable=False),
    )
    _fill()
    op.create_index(
        "ix_matches_tournament_encounter_number", "matches", ["tournament", "encounter", "number"], unique=True
    )


def _of_tournaments() -> tuple[sa.Column[Any], ...]:
    return (
        sa.Column("format", Key, server_default="round_robin", nullable=False),
        sa.Column("rules", sa.LargeBinary, server_default="{}", nullable=False),
        sa.Column("stage", Key, server_default="running", nullable=False),
        sa.Column("admits", Key, server_default="listed", nullable=False),
        sa.Column("worker", Key, server_default="", nullable=False),
        sa.Column("starts_at", UtcDateTime),
        sa.Column("finished_at", UtcDateTime),
        sa.Column("announced", sa.Text),
    )


def _of_entries() -> tuple[sa.Column[Any], ...]:
    return (
        sa.Column("rating", sa.Double),
        sa.Column("joined", sa.Integer, server_default="1", nullable=False),
        sa.Column("gone", sa.Integer),
        sa.Column("byes", sa.Text, server_default="[]", nullable=False),
        sa.Column("spec", sa.Text, server_default="", nullable=False),
    )


def _fill() -> None:
    """Give the matches of former events their encounters: the same bots in one round, on one opening or instance."""
    connection = op.get_bind()
    encounters: dict[tuple[int, int, str], dict[str, object]] = {}
    numbers: dict[int, int] = {}
    boards: dict[tuple[int, int], int] = {}
    places = []
    for match, tournament, round_, data in connection.execute(MATCHES):
        setup = msgspec.json.decode(data)
        agreed = msgspec.json.encode([sorted(setup["bots"]), setup.get("opening"), setup.get("seed")]).decode()
        plan = encounters.get((tournament, round_, agreed))
        if plan is None:
            numbers[tournament] = numbers.get(tournament, 0) + 1
            boards[tournament, round_] = boards.get((tournament, round_), 0) + 1
            plan = encounters[tournament, round_, agreed] = {
                "tournament": tournament,
                "number": numbers[tournament],
                "round": round_,
                "board": boards[tournament, round_],
                "bots": msgspec.json.encode(setup["bots"]).decode(),
                "games": 0,
                "opening": 0,
            }
        places.append({"match": match, "encounter": plan["number"], "number": plan["games"]})
        plan["games"] = int(str(plan["games"])) + 1
    if encounters:
        connection.execute(PLAN, list(encounters.values()))
        connection.execute(PLACE, places)
    unplayed = {number for (number,) in connection.execute(UNPLAYED)}
    for number, data in connection.execute(sa.text("SELECT id, settings FROM tournaments")).all():
        settings = msgspec.json.decode(data)
        stage = "running" if number in unplayed else "finished"
        values = {"number": number, "stage": stage, "worker": str(settings.get("worker", ""))}
        connection.execute(
            sa.text("UPDATE tournaments SET stage = :stage, worker = :worker WHERE id = :number"), values
        )
        for bot, spec in settings.get("bots", ()):
            connection.execute(
                sa.text("UPDATE entries SET spec = :spec WHERE tournament = :number AND bot = :bot"),
                {"spec": spec, "number": number, "bot": bot},
            )
