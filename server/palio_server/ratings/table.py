"""Scores of bots against each other, as arrays: the input of all fits of ratings."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from palio_db.values import PairScore
from palio_server.ratings.arrays import Index, Vector, np


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Each pair once: bots by their index in `bots`, which is sorted by name; points of the first, games of both."""

    bots: tuple[str, ...]
    first: Index
    second: Index
    scored: Vector
    met: Vector

    @classmethod
    def of(cls, pairs: Sequence[PairScore]) -> "ScoreTable":
        """Return the table of pairs in any order; several of the same two bots add up."""
        bots = sorted({p.first for p in pairs} | {p.second for p in pairs})
        place = {name: index for index, name in enumerate(bots)}
        first = np.array([place[p.first] for p in pairs], dtype=np.intp)
        second = np.array([place[p.second] for p in pairs], dtype=np.intp)
        wins, draws, losses = (  # column by column: half the time of an array of rows
            np.array(column, dtype=np.float64)
            for column in ([p.wins for p in pairs], [p.draws for p in pairs], [p.losses for p in pairs])
        )
        return cls.summed(bots, first, second, wins + draws / 2, wins + draws + losses)

    @classmethod
    def summed(cls, bots: Sequence[str], first: Index, second: Index, scored: Vector, met: Vector) -> "ScoreTable":
        """Return the table of arrays in which a pair may come several times, and in both orders."""
        turned = first > second
        scored = np.where(turned, met - scored, scored)
        first, second = np.where(turned, second, first), np.where(turned, first, second)
        once, which = np.unique(first * len(bots) + second, return_inverse=True)
        if len(once) < len(first):
            scored = np.bincount(which, scored, len(once)).astype(np.float64)
            met = np.bincount(which, met, len(once)).astype(np.float64)
            first, second = once // len(bots), once % len(bots)
        return cls(tuple(bots), first, second, scored, met)

    def __len__(self) -> int:
        return len(self.bots)

    @property
    def played(self) -> Vector:
        """The games of each bot."""
        return self.sums(self.met, self.met)

    @property
    def points(self) -> Vector:
        """The points of each bot."""
        return self.sums(self.scored, self.met - self.scored)

    def sums(self, to_first: Vector, to_second: Vector) -> Vector:
        """Return the sum for each bot over all its pairs."""
        bots = len(self.bots)
        sums = np.bincount(self.first, to_first, bots) + np.bincount(self.second, to_second, bots)
        return sums.astype(np.float64)

    def of_group(self, group: Index) -> "ScoreTable":
        """Return the pairs within a group of bots, which are renumbered in its order."""
        number = np.full(len(self.bots), -1, dtype=np.intp)
        number[group] = np.arange(len(group))
        first, second = number[self.first], number[self.second]
        inside = (first >= 0) & (second >= 0)
        bots = tuple(self.bots[place] for place in group.tolist())
        return ScoreTable(bots, first[inside], second[inside], self.scored[inside], self.met[inside])

    def groups(self) -> Index:
        """Return for each bot the first member of its group: of those connected by games, directly or
        through others.
        """
        games = self.met > 0
        first, second = self.first[games], self.second[games]
        label = np.arange(len(self.bots))
        while True:
            least = np.minimum(label[first], label[second])
            lower = label.copy()
            np.minimum.at(lower, first, least)
            np.minimum.at(lower, second, least)
            lower = lower[lower]
            if np.array_equal(lower, label):
                return label
            label = lower

    def components(self) -> list[Index]:
        """Return the strongly connected components, the strongest first where that is known.

        A player that has taken points from another is at most as far below as these say. Where a set of bots has taken
        no point from the others, likelihood grows without end with the distance between them (Ford, "Solution of a
        ranking problem from binary comparisons", 1957), so ratings are determined within components only.
        """
        took: defaultdict[int, list[int]] = defaultdict(list)
        for a, b, scored, met in zip(*map(np.ndarray.tolist, self._columns()), strict=True):
            if met - scored > 0:
                # from the loser to the winner: the first component found has lost to no bot outside it
                took[a].append(b)
            if scored > 0:
                took[b].append(a)
        return [np.array(sorted(found), dtype=np.intp) for found in _strongly_connected(len(self.bots), took)]

    def _columns(self) -> tuple[Index | Vector, ...]:
        return self.first, self.second, self.scored, self.met


def members(label: Index) -> list[Index]:
    """Return the groups that `ScoreTable.groups` has labelled."""
    return np.split(np.argsort(label, kind="stable"), np.flatnonzero(np.diff(np.sort(label))) + 1)


def _strongly_connected(size: int, arrows: defaultdict[int, list[int]]) -> list[list[int]]:
    """Return the components by Tarjan, "Depth-first search and linear graph algorithms" (1972), without recursion; ends
    of arrows first.
    """
    number: dict[int, int] = {}
    lowest: dict[int, int] = {}
    stack: list[int] = []
    inside: set[int] = set()
    found: list[list[int]] = []
    for root in range(size):
        path: list[tuple[int, Iterator[int]]] = []

        def visit(node: int, path: list[tuple[int, Iterator[int]]] = path) -> None:
            number[node] = lowest[node] = len(number)
            stack.append(node)
            inside.add(node)
            path.append((node, iter(arrows[node])))

        if root not in number:
            visit(root)
        while path:
            node, rest = path[-1]
            for other in rest:
                if other not in number:
                    visit(other)
                    break
                if other in inside:
                    lowest[node] = min(lowest[node], number[other])
            else:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[node])
                if lowest[node] == number[node]:
                    found.append(list(_popped(stack, node)))
                    inside.difference_update(found[-1])
    return found


def _popped(stack: list[int], last: int) -> Iterable[int]:
    while True:
        node = stack.pop()
        yield node
        if node == last:
            return
