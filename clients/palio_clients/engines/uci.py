"""UCI, the Universal Chess Interface of Stefan Meyer-Kahlen and Rudolf Huber (2006), the language of chess engines.

White is the first player. An engine is told `UCI_Chess960` for chess960, and for another game than chess
`UCI_Variant`, as engines for many variants have it; one without that option plays chess only.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from palio_clients.engines import spec
from palio_clients.engines.language import Language, Offered
from palio_clients.engines.texts import first_player
from palio_clients.sdk.failures import PlayerFailed
from palio_clients.sdk.loader import Entrant
from palio_rules.completing import completed_by
from palio_rules.game import Game

CHESS, CHESS960 = "chess", "chess960"
CHESS960_OPTION, VARIANT_OPTION = "UCI_Chess960", "UCI_Variant"
WHITE = "white"


def white(rules: Game[Any, Any], start: Any) -> int:
    """Return White's seat, or that of the first player in a game without White."""
    return rules.seats.index(WHITE) if WHITE in rules.seats else first_player(rules, start)


def is_chess960(options: Any) -> bool:
    """Return whether a game of chess has the rules of chess960."""
    return getattr(options, "variant", None) == CHESS960


def needs(rules: Game[Any, Any], options: Any, called: str, offered: Sequence[Offered]) -> dict[str, str]:
    """Return the options that tell an engine which game it plays. Raises PlayerFailed if it does not play that one."""
    known = {option.name.casefold(): option for option in offered}
    if rules.name == CHESS:
        if CHESS960_OPTION.casefold() in known:
            return {CHESS960_OPTION: str(is_chess960(options)).lower()}
        if is_chess960(options):
            raise PlayerFailed(f"{called} plays no chess960: it has no option {CHESS960_OPTION}")
        return {}
    variants = known.get(VARIANT_OPTION.casefold())
    if variants is None or rules.name not in variants.choices:
        has = "it has no option" if variants is None else "that is not among the choices of its option"
        raise PlayerFailed(f"{called} does not play {rules.name}: {has} {VARIANT_OPTION}; a UCI engine plays chess")
    return {VARIANT_OPTION: rules.name}


def offers(rules: Game[Any, Any]) -> tuple[str, ...]:
    """Return the options by which GUIs tell an engine which game it plays."""
    if rules.name == CHESS:
        return (f"option name {CHESS960_OPTION} type check default false",)
    return (f"option name {VARIANT_OPTION} type combo default {rules.name} var {rules.name}",)


UCI = Language(
    title="UCI",
    hello="uci",
    new_game="ucinewgame",
    players=("w", "b"),
    mate_in="moves",
    first=white,
    ponders=True,
    usual_game=CHESS,
    game_option=VARIANT_OPTION,
    needs=needs,
    offers=offers,
)


@completed_by(partial(spec.completions, UCI.scheme))
def engine(text: str) -> Entrant:
    """Return the bot that `uci:` and `text` name. Raises BadBot: one sentence with the remedy."""
    return spec.entrant(UCI, text)
