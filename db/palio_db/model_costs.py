"""What language models cost, out of the sums: means, for a leaderboard and a bot's page. None where nothing was told.

Dollars are summed in billionths, as integers: so a void match takes away exactly what it had added.
"""

from typing import NamedTuple

from msgspec import UNSET

from palio_rules.records.record import Ply

NANO = 10**9  # of a dollar

# Tokens read and written a move, dollars a game, milliseconds a move; and dollars in all.
_A_MOVE = "CASE WHEN asked_plies > 0 THEN CAST({} AS DOUBLE PRECISION) / asked_plies END"
_COST = "CASE WHEN cost_nano > 0 THEN CAST(cost_nano AS DOUBLE PRECISION) / 1000000000"
MEANS = ", ".join(
    (
        *(_A_MOVE.format(f"NULLIF({name}, 0)") for name in ("tokens_in", "tokens_out")),
        f"{_COST} / games END",
        _A_MOVE.format("latency_ms"),
    )
)
TOTAL = f"{_COST} END"


class ModelCosts(NamedTuple):
    """What the plies of one bot in one match have cost; `asked` counts those that were told of it."""

    asked: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    nano: int = 0
    ms: int = 0


def costs_of(plies: list[Ply]) -> ModelCosts:
    """The sums over `plies`, of one bot."""
    asked = tokens_in = tokens_out = nano = ms = 0
    for ply in plies:
        if (info := ply.info) is None:
            continue
        told = [
            0 if value is UNSET else value for value in (info.tokens_in, info.tokens_out, info.cost, info.latency_ms)
        ]
        asked += any(each is not UNSET for each in (info.tokens_in, info.tokens_out, info.cost, info.latency_ms))
        tokens_in, tokens_out, ms = tokens_in + int(told[0]), tokens_out + int(told[1]), ms + int(told[3])
        nano += round(told[2] * NANO)
    return ModelCosts(asked, tokens_in, tokens_out, nano, ms)
