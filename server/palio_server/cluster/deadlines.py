"""How long a game can last: no longer than its clocks and graces allow. A worker that takes longer hangs."""

from palio_rules.records.record import Setup

START_S = 120.0  # until the bots are there: their first start loads what they need, perhaps from a network's disk
SLACK = 1.25  # a machine that is busy is late in everything


def longest_s(setup: Setup, factor: float = 1.0) -> float:
    """Seconds from the moment that a game was handed to a worker whose clocks are scaled by `factor`.

    It is a bound, not a guess: with an increment, or without a clock, it supposes as many plies as there may be.
    """
    race = setup.rules().kind == "race"
    seats = len(setup.bots)
    plies = setup.max_plies if race else -(-setup.max_plies // seats)  # of one seat
    time = setup.clock()
    limits = []
    if time.base_ms is not None:
        limits.append(time.base_ms + time.increment_ms * plies)
    if time.move_ms is not None:
        limits.append(time.move_ms * plies)
    thinks = min(limits) * factor if limits else setup.stall_ms * plies
    away = setup.grace_ms + time.margin_ms * plies
    one_seat = thinks + away
    return START_S + SLACK * (setup.ready_ms + (one_seat if race else one_seat * seats)) / 1000
