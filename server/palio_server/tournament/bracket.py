"""The shape of a bracket: which pairings a knockout has, who begins where, and whose winners meet.

Seeds count from 1, the best first. The first round is so seeded that the better half of those who play in it meet the
others in reversed order, and the same holds for the places in every later round: 1 meets 16, 8 meets 9, and so on.
Seeds 1 and 2 can then meet in the final only, 1 to 4 not before the semi-finals. Where a round is not full, the best
seeds have byes in the first round, and only there.

At tables of k seats one of k goes on. A table of the next round gets one of the best k-th of the places, and the others
are dealt to them in a snake. Every table is full: each sends k - 1 bots home, so that k - 1 must divide n - 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from palio_rules.errors import BadOption

THIRD_PLACE = "third place"
DUEL_ROUNDS = {1: ("final", "final"), 2: ("semi-final {}", "semi-finals"), 4: ("quarter-final {}", "quarter-finals")}


@dataclass(frozen=True, slots=True)
class Pairing:
    """Some bots of whom one goes on. A pairing of one is a bye."""

    id: str  # "semi-final 2", "round of 16, match 3", "round 1, table 4"
    title: str  # of its round: "semi-finals"
    round: int  # from 1
    board: int  # from 1, so that neighbours meet in the next round
    sources: tuple[int | str, ...]  # a seed, or the id of a pairing before it
    losers: bool = False  # it is the losers of `sources` who meet


def check_size(bots: int, seats: int) -> None:
    """Raise BadOption, with numbers that work, if a bracket of so many bots has tables that are not full."""
    if bots < seats:
        raise BadOption(f"a knockout at {seats} seats needs {seats} bots at least, {bots} can play; enter more")
    if (bots - 1) % (seats - 1):
        less = bots - (bots - 1) % (seats - 1)
        raise BadOption(
            f"a knockout at tables of {seats} cannot have {bots} bots: every table sends {seats - 1} home until one "
            f"is left; take {less} or {less + seats - 1}"
        )


def pairings(bots: int, seats: int = 2, *, third_place: bool = False) -> list[Pairing]:
    """All pairings of a bracket, by round and board; the third place comes last.

    >>> [(each.id, each.sources) for each in pairings(5) if len(each.sources) == 2]
    [('quarter-final 2', (4, 5)), ('semi-final 1', ('quarter-final 1', 'quarter-final 2')), \
('semi-final 2', ('quarter-final 3', 'quarter-final 4')), ('final', ('semi-final 1', 'semi-final 2'))]
    """
    drawn = _rounds(bots, seats)
    found: list[Pairing] = []
    ids: dict[int, str] = {}  # of the round before, by place
    for number, (leads, tables) in enumerate(zip(_in_order(drawn), drawn, strict=True), 1):
        before, ids = ids, {}
        for board, lead in enumerate(leads, 1):
            title, ids[lead] = _names(number, board, len(leads), seats, final=number == len(drawn))
            sources: tuple[int | str, ...] = tuple(before[place] if before else place for place in tables[lead - 1])
            found.append(Pairing(ids[lead], title, number, board, sources))
    if third_place and seats == 2 and bots >= 4:
        found.append(Pairing(THIRD_PLACE, THIRD_PLACE, len(drawn), 2, ("semi-final 1", "semi-final 2"), losers=True))
    return found


def first_tables(bots: int, seats: int) -> list[list[int]]:
    """Who meets in the first round, by seeds; of those with a bye, each by itself.

    >>> first_tables(6, 2), first_tables(9, 3)
    ([[1], [2], [3, 6], [4, 5]], [[1, 6, 7], [2, 5, 8], [3, 4, 9]])
    """
    count = 1
    while count * seats < bots:
        count *= seats
    byes = (count * seats - bots) // (seats - 1)
    tables = [[lead] for lead in range(1, count + 1)]
    playing, others = tables[byes:], list(range(count + 1, bots + 1))
    for row in range(seats - 1):
        dealt = others[row * len(playing) : (row + 1) * len(playing)]
        for table, seed in zip(playing, dealt if row % 2 else reversed(dealt), strict=True):
            table.append(seed)
    return tables


def _rounds(bots: int, seats: int) -> list[list[list[int]]]:
    """For each round its tables; a table's place in the next round is its place in the list."""
    rounds = []
    while bots > 1:
        rounds.append(first_tables(bots, seats))
        bots = len(rounds[-1])
    return rounds


def _in_order(rounds: Sequence[Sequence[Sequence[int]]]) -> list[list[int]]:
    """For each round the order in which its tables are drawn: those that feed one table side by side."""
    orders = [[1]]
    for tables in reversed(rounds[1:]):
        orders.append([place for lead in orders[-1] for place in tables[lead - 1]])
    return orders[::-1] if rounds else []


def _names(number: int, board: int, count: int, seats: int, *, final: bool) -> tuple[str, str]:
    """The title of a round, and a pairing's name in it."""
    if final or count == seats or (seats == 2 and count == 4):
        name, title = DUEL_ROUNDS[1 if final else 2 if count == seats else 4]
        return title, name.format(board)
    if seats == 2:
        return f"round of {2 * count}", f"round of {2 * count}, match {board}"
    return f"round {number}", f"round {number}, table {board}"
