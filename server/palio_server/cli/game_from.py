"""Where games came from that are not installed: kept with each tournament, so that its records are read again."""

from typing import TYPE_CHECKING

from palio_rules.registry import games

if TYPE_CHECKING:
    from palio_db.store import Store

GAME_FROM = "game_from"  # in what is kept with a tournament: what to type for its game
NEWEST = 1000  # tournaments that are looked at


async def sources(store: "Store") -> dict[str, str]:
    """What to type for each game that is not known here and was played here, as far as it was kept."""
    known = games()
    rows = reversed(await store.tournaments(NEWEST))
    return {row.game: row.settings[GAME_FROM] for row in rows if GAME_FROM in row.settings and row.game not in known}
