"""A round that the absolute criteria forbid, paired as well as can be: an event of bots never stands still.

FIDE leaves that to whoever runs the event. First colours give way (C3), then whether somebody has had a bye (C2), and
at last whether two have met, the oldest meetings first (C1).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from palio_server.tournament.dutch.player import Colour, Player
from palio_server.tournament.dutch.round import WIN, RoundPairing, pair_round
from palio_server.tournament.dutch.search import NoPairing


def pair_as_can_be(
    players: Sequence[Player], round_: int, rounds: int, initial: Colour = "white", win: int = WIN
) -> RoundPairing:
    """As `pair_round` does; where it raises NoPairing, with as little given up as can be, which `relaxed` tells."""
    for given_up, these in _attempts(players):
        try:
            found = pair_round(these, round_, rounds, initial, win)
        except NoPairing:
            continue
        return replace(found, relaxed=given_up)
    raise AssertionError("two that may meet anybody can be paired")


def _attempts(players: Sequence[Player]) -> Iterator[tuple[str, Sequence[Player]]]:
    yield "", players
    without = [replace(player, colours=()) for player in players]
    yield "No pairing gives everybody an allowed colour, so colours are left aside in this round.", without
    free = [replace(player, bye_barred=False) for player in without]
    yield "Everybody who could have the bye has had one, so one has it again.", free
    longest = max((len(player.history) for player in players), default=0)
    for rounds in range(longest - 1, -1, -1):  # so many of the last opponents still count
        again = [replace(player, met=frozenset(player.history[len(player.history) - rounds :])) for player in free]
        yield "Everybody has met too many of the others, so some meet again.", again
