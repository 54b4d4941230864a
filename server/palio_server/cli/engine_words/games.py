"""`-rounds`, `-games` and `-repeat`: how often a pair meets, as rounds of encounters."""

from palio_rules.errors import BadOption


def encounters(games: int | None, repeat: int | None, orders: int) -> tuple[int, int | None]:
    """By what to multiply the rounds, and how many games an encounter has; None: one for each order of the seats.

    There, a pair plays rounds x games, and `repeat` of them with the same opening; here, an encounter is one opening in
    some or all of the `orders` of the seats (2 in a duel). Raises BadOption if there is no such number of rounds.
    """
    if repeat is not None and games is not None and repeat != games and (repeat != orders or games % orders):
        raise BadOption(
            f"-games {games} with -repeat {repeat}: an opening is played once from each side here; "
            f"write -games {orders}, and as many -rounds as openings"
        )
    wanted = repeat if games is None else games
    if wanted is None or wanted == orders:
        return 1, wanted
    if wanted < orders:
        return 1, wanted
    if repeat is not None and repeat > orders:
        raise BadOption(f"-repeat {repeat}: an opening is played once from each side here; write -repeat {orders}")
    return (wanted // orders, orders) if wanted % orders == 0 else (wanted, 1)
