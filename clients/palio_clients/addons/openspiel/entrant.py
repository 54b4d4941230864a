"""From `openspiel:mcts:simulations=1000,uct_c=2` to a bot."""

from palio_clients.sdk.bot import maker
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.loader import Entrant, entrant_of, usual_name
from palio_rules.addons.openspiel.library import pyspiel
from palio_rules.completing import completed_by, starting
from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.spec import Spec

BOTS = {"alpha_beta": "AlphaBeta", "mcts": "Mcts", "minimax": "Minimax", "random": "UniformRandom"}  # classes in `bots`


def completions(typed: str) -> list[str]:
    """Complete a spec; settings are left out, because loading the bots takes long."""
    return starting(BOTS, typed)


@completed_by(completions)
def spiel_bot(spec: str) -> Entrant:
    """The bot of OpenSpiel that `openspiel:` and `spec` name. Raises BadBot: one sentence with the remedy."""
    try:
        pyspiel()
        parsed = Spec.parse(spec)
    except BadOption as error:
        raise BadBot(str(error)) from None
    if parsed.name not in BOTS:
        raise BadBot(f"there is no {quoted(parsed.name)} among the bots of OpenSpiel; {nearest(parsed.name, BOTS)}")
    from palio_clients.addons.openspiel import bots  # noqa: PLC0415  # an extra

    kind: type[bots.SpielBot] = getattr(bots, BOTS[parsed.name])
    return entrant_of(kind, maker(kind, parsed.settings), usual_name(f"openspiel:{spec}"))
