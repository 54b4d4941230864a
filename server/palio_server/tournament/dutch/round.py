"""A whole round: from the highest bracket to the lowest (C.04.3, articles 1.9 and 3)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from palio_server.tournament.dutch.blossom import best_matching
from palio_server.tournament.dutch.bracket import BYE, Conditions, PairingBracket
from palio_server.tournament.dutch.colours import Allocation, allocate
from palio_server.tournament.dutch.criteria import Criterion, combined, edge_of
from palio_server.tournament.dutch.player import Colour, DutchPlayer
from palio_server.tournament.dutch.process import Paired, pair_bracket
from palio_server.tournament.dutch.search import NoPairing

WIN = 10  # tenths of a point


@dataclass(frozen=True, slots=True)
class BracketReport:
    """A bracket as it was paired, for explanations."""

    moved: tuple[DutchPlayer, ...]
    residents: tuple[DutchPlayer, ...]
    paired: Paired


@dataclass(frozen=True, slots=True)
class RoundPairing:
    """The boards in order, the top one first; and the number of the player with the bye, if there is one."""

    boards: tuple[Allocation, ...]
    bye: DutchPlayer | None
    brackets: tuple[BracketReport, ...]
    conditions: Conditions
    relaxed: str = ""  # the criterion that had to be given up, in a sentence


def pair_round(
    players: Sequence[DutchPlayer], round_: int, rounds: int, initial: Colour = "white", win: int = WIN
) -> RoundPairing:
    """Return the boards of those present in `round_` of `rounds`.

    `win` is the value of a win, in tenths. Raises NoPairing if the absolute criteria allow no pairing.
    """
    ranked = sorted(players, key=lambda player: player.rank)
    conditions = Conditions(last=round_ >= rounds, top=(round_ - 1) * win / 2)
    groups = [list(group) for _, group in groupby(ranked, key=lambda player: player.score)]
    bye_here = False
    if len(ranked) % 2:
        conditions, bye_here = _with_bye(groups, conditions)
    reports = _pair_brackets(groups, conditions, bye_here=bye_here)
    boards = [allocate(*pair, initial) for report in reports for pair in report.paired.pairs]
    bye = reports[-1].paired.down[0] if len(ranked) % 2 else None
    return RoundPairing(tuple(sorted(boards, key=_board_order)), bye, tuple(reports), conditions)


def _pair_brackets(groups: list[list[DutchPlayer]], conditions: Conditions, *, bye_here: bool) -> list[BracketReport]:
    reports: list[BracketReport] = []
    moved: Sequence[DutchPlayer] = ()
    for index, residents in enumerate(groups):
        following = groups[index + 1] if index + 1 < len(groups) else []
        rest = [player for group in groups[index + 2 :] for player in group]
        paired = pair_bracket(PairingBracket(moved, residents, following, rest, conditions, bye_here))
        reports.append(BracketReport(tuple(moved), tuple(residents), paired))
        moved, bye_here = paired.down, paired.bye_next
    return reports


def _with_bye(groups: list[list[DutchPlayer]], conditions: Conditions) -> tuple[Conditions, bool]:
    """Return conditions with the lowest possible score of the player who gets the bye (C5), and True if that player is
    the only one of the first bracket that is not paired in it.
    """
    all_players = [player for group in groups for player in group]
    field = PairingBracket(
        (), all_players, (), (), Conditions(conditions.last, conditions.top, bye_score=all_players[0].score)
    )
    level = {group[0].score: index for index, group in enumerate(reversed(groups))}
    top = {player.number for player in groups[0]}
    lowest = Criterion("C5", {edge: -level[field.players[edge[0]].score] for edge in field.byes})
    inside = Criterion("C6", {edge_of(pair): 1 for pair in field.inner if top.issuperset(edge_of(pair))})
    weights = combined([lowest, inside])
    edges = [*map(edge_of, field.inner), *field.byes]
    found = best_matching(field.vertices, {edge: weights.get(edge, 0) for edge in edges})
    if found is None:
        raise NoPairing("no pairing fulfils the absolute criteria C1 to C4")
    score = field.players[found[BYE]].score
    alone = all(found[number] in {BYE, *top} for number in top)
    return Conditions(conditions.last, conditions.top, score), alone and score == groups[0][0].score


def _board_order(board: Allocation) -> tuple[int, int, int]:
    """Return the sort key: the score of the higher ranked, the other's, the number of the higher ranked (C.04.2)."""
    higher, lower = sorted(board[:2], key=lambda player: (-player.points, player.number))
    return -higher.points, -lower.points, higher.number


# A round that the absolute criteria forbid, paired as well as possible: an event of bots must go on.
#
# FIDE leaves that to the referee. First colours give way (C3), then a second bye (C2), and at last a second meeting,
# the oldest meetings first (C1).


def pair_relaxed(
    players: Sequence[DutchPlayer], round_: int, rounds: int, initial: Colour = "white", win: int = WIN
) -> RoundPairing:
    """Return `pair_round`'s boards; where it raises NoPairing, with as little given up as possible, which `relaxed`
    says.
    """
    for given_up, these in _attempts(players):
        try:
            found = pair_round(these, round_, rounds, initial, win)
        except NoPairing:
            continue
        return replace(found, relaxed=given_up)
    raise AssertionError("two without restrictions can be paired")


def _attempts(players: Sequence[DutchPlayer]) -> Iterator[tuple[str, Sequence[DutchPlayer]]]:
    yield "", players
    without = [replace(player, colours=()) for player in players]
    yield "No pairing gives every bot an allowed colour, so colours are ignored in this round.", without
    free = [replace(player, bye_barred=False) for player in without]
    yield "Every bot that could have the bye has had one, so one has it again.", free
    longest = max((len(player.history) for player in players), default=0)
    for rounds in range(longest - 1, -1, -1):  # so many of the last opponents still count
        again = [replace(player, met=frozenset(player.history[len(player.history) - rounds :])) for player in free]
        yield "Every bot has met too many of the others, so some meet again.", again
