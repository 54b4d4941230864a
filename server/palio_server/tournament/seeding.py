"""Who goes into which group, and how those who come out of the groups are seeded into a bracket."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TypeVar

from palio_server.tournament.bracket import first_tables

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


def kept_apart(seeds: Sequence[str], groups: Mapping[str, str], seats: int) -> list[str]:
    """The seeds, so changed that as few as possible meet somebody of their own group in the first round.

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
    """Whether the swap leaves fewer of a group together; then it is made."""
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
    """How many pairs at a table are of one group."""
    return sum(groups[order[a - 1]] == groups[order[b - 1]] for a, b in combinations(table, 2))
