"""UGI, the Universal Game Interface: UCI's grammar for any game of two players.

Source: kz04px, github.com/kz04px/ugi and github.com/kz04px/cutegames, `ugi.md`.

Player 1 (`p1`) is the seat that moves first in the game's own first position. docs/how-to/engines.md has how moves and
positions are written.
"""

from functools import partial

from palio_clients.engines import spec
from palio_clients.engines.language import Language
from palio_clients.engines.texts import first_player
from palio_clients.sdk.loader import Entrant
from palio_rules.completing import completed_by

UGI = Language(
    title="UGI",
    hello="ugi",
    new_game="uginewgame",
    players=("p1", "p2"),
    mate_in="plies",
    first=first_player,
    # UCI's names too, because GUIs for chess know no others
    clock_names={"wtime": "p1time", "btime": "p2time", "winc": "p1inc", "binc": "p2inc"},
)


@completed_by(partial(spec.completions, UGI.scheme))
def engine(text: str) -> Entrant:
    """Return the bot that `ugi:` and `text` name. Raises BadBot: one sentence with the remedy."""
    return spec.entrant(UGI, text)
