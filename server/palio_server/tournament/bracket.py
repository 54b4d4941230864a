"""The shape of a bracket: the pairings of a knockout, the seeds that begin in each, and whose winners meet.

Seeds count from 1, the best first. The first round is seeded so that the better half of those who play in it meet the
others in reversed order, and the same holds for the places in every later round: 1 meets 16, 8 meets 9, and so on.
Seeds 1 and 2 can then meet in the final only, 1 to 4 not before the semi-finals. Where a round is not full, the best
seeds have byes in the first round, and only there.

At tables of k seats one of k goes on. A table of the next round gets one of the best k-th of the places, and the others
are dealt to them in a snake. Every table is full: each eliminates k - 1 bots, so that k - 1 must divide n - 1.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeVar

from palio_rules.errors import BadOption
from palio_server.tournament.event import Encounter

THIRD_PLACE = "third place"
DUEL_ROUNDS = {1: ("final", "final"), 2: ("semi-final {}", "semi-finals"), 4: ("quarter-final {}", "quarter-finals")}


@dataclass(frozen=True, slots=True)
class Pairing:
    """Some bots of which one goes on. A pairing of one is a bye."""

    id: str  # "semi-final 2", "round of 16, match 3", "round 1, table 4"
    title: str  # of its round: "semi-finals"
    round: int  # from 1
    board: int  # from 1, so that neighbours meet in the next round
    sources: tuple[int | str, ...]  # a seed, or the id of a pairing before it
    losers: bool = False  # the losers of `sources` meet


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
    """Return all pairings of a bracket, by round and board; the third place comes last.

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
    """Return the tables of the first round, by seeds; seeds with a bye, each alone.

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
    """Return for each round its tables; a table's place in the next round is its place in the list."""
    rounds = []
    while bots > 1:
        rounds.append(first_tables(bots, seats))
        bots = len(rounds[-1])
    return rounds


def _in_order(rounds: Sequence[Sequence[Sequence[int]]]) -> list[list[int]]:
    """Return for each round the order in which its tables are drawn: those that feed one table side by side."""
    orders = [[1]]
    for tables in reversed(rounds[1:]):
        orders.append([place for lead in orders[-1] for place in tables[lead - 1]])
    return orders[::-1] if rounds else []


def _names(number: int, board: int, count: int, seats: int, *, final: bool) -> tuple[str, str]:
    """Return the title of a round, and a pairing's name in it."""
    if final or count == seats or (seats == 2 and count == 4):
        name, title = DUEL_ROUNDS[1 if final else 2 if count == seats else 4]
        return title, name.format(board)
    if seats == 2:
        return f"round of {2 * count}", f"round of {2 * count}, match {board}"
    return f"round {number}", f"round {number}, table {board}"


# The decision of one pairing of a knockout: who goes on, and by which rule.
#
# Best of N encounters, each scored as a whole, which end once the leader cannot be reached. If some are level after
# them: extra encounters between all of the pairing, after each of which only the best of those who were level stay;
# then the faster clocks (thinking time of all games of the pairing); then the better seed. So every pairing comes to a
# decision.
#
# A bot that has given up an encounter is out of a pairing that points have not decided. A bot that has left the event
# is out, too, if another encounter would be needed. No further encounter is played without them: if several of a table
# are left, points, clocks and seeds decide between those. A bot that leaves later changes nothing that has been
# decided.


@dataclass(frozen=True, slots=True)
class PairingTerms:
    best_of: int = 1  # encounters
    extra: int = 2  # more of them, at most, where some are level


@dataclass(frozen=True, slots=True)
class Decision:
    """The state of a pairing. Without a winner: `again` is True if another encounter is to be played now."""

    winner: str | None = None
    how: str = ""  # "bye", "walkover", "forfeit", "extra encounter 1", "faster clocks", "better seed"; "": by points
    again: bool = False
    scores: dict[str, float] = field(default_factory=dict)  # encounters won, level ones count half
    clocks: dict[str, int] = field(default_factory=dict)  # milliseconds of thinking


def decide(
    bots: Sequence[str], encounters: Sequence[Encounter], terms: PairingTerms, gone: Collection[str] = ()
) -> Decision:
    """Return the state between `bots`, the better seed first, after these encounters. `gone`: bots that have left the
    event.

    A bye that was planned between several is a walkover, and stands if bots leave afterwards.
    """
    played = [encounter for encounter in encounters if encounter.plan.kind == "played"]
    scores, clocks = points_of(bots, played), clocks_of(bots, played)
    given = next((encounter.bots[0] for encounter in encounters if encounter.plan.kind != "played"), None)
    winner: str | None
    if len(bots) == 1 or given is not None:
        winner, how, again = given or bots[0], "bye" if len(bots) == 1 else "walkover", False
    elif not all(encounter.over for encounter in played):
        winner, how, again = None, "", False
    else:
        winner, how, again = _decided(bots, played, terms, gone)
    if winner is not None and not how and _unopposed(winner, bots, played):
        how = "forfeit"
    return Decision(winner, how, again, scores, clocks)


def _decided(
    bots: Sequence[str], played: Sequence[Encounter], terms: PairingTerms, gone: Collection[str]
) -> tuple[str | None, str, bool]:
    """Return winner, how, again: of a pairing of several whose encounters are over."""
    regular, extras = played[: terms.best_of], played[terms.best_of :]
    scores = points_of(bots, regular)
    level = _best(bots, scores)
    behind = max((scores[bot] for bot in bots if bot not in level), default=0.0)
    missing = terms.best_of - len(regular)
    if len(level) == 1 and scores[level[0]] > behind + missing + 1e-9:
        return level[0], "", False
    for number, extra in enumerate(extras, 1):
        level = _best(level, extra.shares())
        if len(level) == 1:
            return level[0], f"extra encounter {number}", False
    gave_up = {bot for encounter in played for bot in encounter.forfeits}
    if gave_up:
        return _best_of([bot for bot in bots if bot not in gave_up], bots, played, "forfeit")
    if len(played) < terms.best_of + terms.extra:
        if any(bot in gone for bot in bots):
            return _best_of([bot for bot in bots if bot not in gone], bots, played, "walkover")
        return None, "", True
    return *_by_clocks(level, clocks_of(bots, played)), False


def _best_of(
    stayed: Sequence[str], bots: Sequence[str], played: Sequence[Encounter], how: str
) -> tuple[str, str, bool]:
    """Return the best of those who have stayed; of all, if none has."""
    level = _best(stayed or bots, points_of(bots, played))
    winner, by = _by_clocks(level, clocks_of(bots, played))
    return winner, how if stayed or how == "walkover" else by, False


def _unopposed(winner: str, bots: Sequence[str], played: Sequence[Encounter]) -> bool:
    """Return True if all others have given up, or have not played against the winner."""
    gave_up = {bot for encounter in played for bot in encounter.forfeits}
    return gave_up == set(bots) - {winner} or not any(encounter.fought for encounter in played)


def _by_clocks(level: Sequence[str], clocks: dict[str, int]) -> tuple[str, str]:
    fastest = min(clocks[bot] for bot in level)
    first = [bot for bot in level if clocks[bot] == fastest]
    return first[0], "faster clocks" if len(first) == 1 else "better seed"


def _best(bots: Sequence[str], points: dict[str, float]) -> list[str]:
    most = max(points[bot] for bot in bots)
    return [bot for bot in bots if points[bot] > most - 1e-9]


def points_of(bots: Sequence[str], played: Sequence[Encounter]) -> dict[str, float]:
    """Return the points of each in the encounters that are over: 1, 1/2 or 0 of each in a duel."""
    points = dict.fromkeys(bots, 0.0)
    for encounter in played:
        if encounter.over:
            for bot, share in encounter.shares().items():
                points[bot] += share
    return points


def clocks_of(bots: Sequence[str], played: Sequence[Encounter]) -> dict[str, int]:
    """Return the thinking time in all finished games of these encounters, in milliseconds."""
    clocks = dict.fromkeys(bots, 0)
    for encounter in played:
        for match in encounter.finished:
            for bot, ms in zip(match.bots, match.ms, strict=False):  # ms is () if it was not measured
                clocks[bot] += ms
    return clocks


# Groups, and the seeding of their best into a bracket.

T = TypeVar("T")


def snake(seeds: Sequence[T], groups: int) -> list[list[T]]:
    """Deal seeds to groups, to and fro, so that these are about equally strong.

    >>> snake([1, 2, 3, 4, 5, 6, 7], 3)
    [[1, 6, 7], [2, 5], [3, 4]]
    """
    dealt: list[list[T]] = [[] for _ in range(groups)]
    for place, seed in enumerate(seeds):
        row, column = divmod(place, groups)
        dealt[groups - 1 - column if row % 2 else column].append(seed)
    return dealt


def separated_groups(seeds: Sequence[str], groups: Mapping[str, str], seats: int) -> list[str]:
    """Return the seeds, reordered so that as few as possible meet a bot of their own group in the first round.

    Only the weaker ones of each pairing change places, with the nearest seed that helps.
    """
    order, tables = list(seeds), [table for table in first_tables(len(seeds), seats) if len(table) > 1]
    moving = [(seed, table) for table in tables for seed in table[1:]]
    swaps = sorted(combinations(moving, 2), key=lambda swap: abs(swap[0][0] - swap[1][0]))
    while any(_helps(order, swap, groups) for swap in swaps):
        pass  # each swap that helps leaves fewer who meet their own group
    return order


def _helps(
    order: list[str], swap: tuple[tuple[int, list[int]], tuple[int, list[int]]], groups: Mapping[str, str]
) -> bool:
    """Make the swap and return True if it leaves fewer of a group together."""
    (first, ours), (second, theirs) = swap
    before = _met(order, ours, groups) + _met(order, theirs, groups)
    if ours is theirs or not before:
        return False
    _exchange(order, first, second)
    if _met(order, ours, groups) + _met(order, theirs, groups) < before:
        return True
    _exchange(order, first, second)
    return False


def _exchange(order: list[str], first: int, second: int) -> None:
    order[first - 1], order[second - 1] = order[second - 1], order[first - 1]


def _met(order: Sequence[str], table: Sequence[int], groups: Mapping[str, str]) -> int:
    """Return how many pairs at a table are of one group."""
    return sum(groups[order[a - 1]] == groups[order[b - 1]] for a, b in combinations(table, 2))
