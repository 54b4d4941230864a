"""The table `meetings`: the matches of each two bots.

A search in `seats` alone would read all matches of one bot to find those against another one, so it would grow with the
database. Triggers of the database fill the table, in the transaction that schedules a match: it is right for every
program, also for an older Palio. Two bots have a row for each of their matches, with `first` before `second`.
"""

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

_FILL = """
    INSERT INTO meetings (first, second, game, match)
    SELECT {least}(NEW.bot, o.bot), {greatest}(NEW.bot, o.bot), m.game, m.id
    FROM seats o JOIN matches m ON m.id = o.match WHERE o.match = NEW.match AND o.bot <> NEW.bot
    ON CONFLICT DO NOTHING
"""
# Before a seat goes, because its match's other seats say which rows go with it.
_CLEAR = """
    DELETE FROM meetings WHERE match = OLD.match AND (first, second, game) IN (
        SELECT {least}(OLD.bot, o.bot), {greatest}(OLD.bot, o.bot), m.game
        FROM seats o JOIN matches m ON m.id = o.match WHERE o.match = OLD.match AND o.bot <> OLD.bot
    )
"""
_FUNCTION = (
    "CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body}; RETURN {result}; END $$"
)
_SQLITE, _POSTGRESQL = {"least": "min", "greatest": "max"}, {"least": "least", "greatest": "greatest"}

TRIGGERS = {
    "sqlite": (
        f"CREATE TRIGGER seats_met AFTER INSERT ON seats BEGIN {_FILL.format(**_SQLITE)}; END",
        f"CREATE TRIGGER seats_left BEFORE DELETE ON seats BEGIN {_CLEAR.format(**_SQLITE)}; END",
    ),
    "postgresql": (
        _FUNCTION.format(name="palio_met", body=_FILL.format(**_POSTGRESQL), result="NULL"),
        "CREATE TRIGGER seats_met AFTER INSERT ON seats FOR EACH ROW EXECUTE FUNCTION palio_met()",
        _FUNCTION.format(name="palio_left", body=_CLEAR.format(**_POSTGRESQL), result="OLD"),
        "CREATE TRIGGER seats_left BEFORE DELETE ON seats FOR EACH ROW EXECUTE FUNCTION palio_left()",
    ),
}

# Sorted as the primary key, which takes a third of the time of any other order.
FILL_ALL = """
    INSERT INTO meetings (first, second, game, match) SELECT a.bot, b.bot, m.game, m.id
    FROM seats a JOIN seats b ON b.match = a.match AND a.bot < b.bot JOIN matches m ON m.id = a.match
    ORDER BY 1, 2, 3, 4
"""

# One step of the index for each game: DISTINCT would read all rows of the two.
_GAMES = text("""
    WITH RECURSIVE found (game) AS (
        SELECT min(game) FROM meetings WHERE first = :first AND second = :second
        UNION ALL
        SELECT (SELECT min(game) FROM meetings WHERE first = :first AND second = :second AND game > found.game)
        FROM found WHERE found.game IS NOT NULL
    )
    SELECT game FROM found WHERE game IS NOT NULL
""")


async def games_of(connection: AsyncConnection, bot: str, other: str) -> Sequence[str]:
    """Return the games in which two bots met, sorted."""
    first, second = sorted((bot, other))
    return (await connection.execute(_GAMES, {"first": first, "second": second})).scalars().all()
