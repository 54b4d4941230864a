"""Matchings of the greatest weight in integers of any size: Edmonds' primal-dual method in O(n^3).

Galil, "Efficient algorithms for finding maximum matching in graphs", ACM Computing Surveys 18 (1986). A vertex has a
dual value ("label"); an edge is tight where the labels of its ends equal twice its weight. Trees of alternating tight
edges grow from the free vertices; odd cycles shrink to blossoms, which are vertices of their own.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import rustworkx

FREE, EVEN, ODD = -1, 0, 1  # the state of a vertex in a tree


class _Link(NamedTuple):
    """The best edge between two vertices or blossoms, with the plain vertices at its ends."""

    start: int
    end: int


def heaviest(count: int, edges: Iterable[tuple[int, int, int]]) -> set[tuple[int, int]]:
    """Return a matching of the greatest weight among those with most edges, of vertices 0 to count - 1."""
    given = list(edges)
    if not given:
        return set()
    weights = [weight for _, _, weight in given]
    lift = (count + 1) * (max(weights) - min(weights) + 1) - min(weights)  # one edge more outweighs everything
    search = _MatchingSearch(count, {(one + 1, other + 1): weight + lift for one, other, weight in given})
    while search.stage():
        pass
    mates = search.mate
    return {(one - 1, mates[one] - 1) for one in range(1, count + 1) if one < mates[one] <= count}


class _MatchingSearch:
    """The state of a search. Vertices are 1 to n, blossoms have numbers from n + 1; 0 is none."""

    def __init__(self, n: int, weights: dict[tuple[int, int], int]) -> None:
        self.n = n
        size = 2 * n + 2
        self.weight = [[0] * (n + 1) for _ in range(n + 1)]
        for (one, other), weight in weights.items():
            self.weight[one][other] = self.weight[other][one] = weight
        self.link: list[dict[int, _Link]] = [{} for _ in range(size)]
        for one, other in weights:
            self.link[one][other], self.link[other][one] = _Link(one, other), _Link(other, one)
        self.label = [max(weights.values())] * (n + 1) + [0] * (size - n - 1)
        self.mate = [0] * size
        self.near = [0] * size  # an even vertex with the least slack to it
        self.top = [*range(n + 1), *[0] * (size - n - 1)]  # the outermost blossom of each; 0: it does not exist
        self.parent = [0] * size
        self.state = [FREE] * size
        self.seen = [0] * size
        self.walk = 0
        self.cycle: list[list[int]] = [[] for _ in range(size)]
        self.inside: list[dict[int, int]] = [{each: each} for each in range(size)]  # vertex: part of the blossom
        self.last = n
        self.queue: deque[int] = deque()

    def slack(self, link: _Link) -> int:
        return self.label[link.start] + self.label[link.end] - 2 * self.weight[link.start][link.end]

    def outer(self) -> list[int]:
        return [each for each in range(1, self.last + 1) if self.top[each] == each]

    # --- one stage: one more edge -------------------------------------------------------------------------------------

    def stage(self) -> bool:
        """Grow trees until the matching grows; return False if it cannot."""
        self._plant()
        if not self.queue:
            return False
        while True:
            if self._scan():
                return True
            if not self._relabel():
                return False
            if self._follow():
                return True
            self._open()

    def _plant(self) -> None:
        """Make every free vertex the root of a tree."""
        for each in range(1, self.last + 1):
            self.state[each], self.near[each] = FREE, 0
        self.queue.clear()
        for each in self.outer():
            if not self.mate[each]:
                self.parent[each], self.state[each] = 0, EVEN
                self._push(each)

    def _scan(self) -> bool:
        while self.queue:
            vertex = self.queue.popleft()
            if self.state[self.top[vertex]] == ODD:
                continue
            for other in range(1, self.n + 1):
                if self.weight[vertex][other] and self.top[vertex] != self.top[other]:
                    link = _Link(vertex, other)
                    if self.slack(link) == 0:
                        if self._use(link):
                            return True
                    else:
                        self._nearer(vertex, self.top[other])
        return False

    def _relabel(self) -> bool:
        """Change labels until another edge is tight; return False if a free vertex has no value left."""
        steps = [self.label[each] // 2 for each in self.outer() if each > self.n and self.state[each] == ODD]
        for each in self.outer():
            if self.near[each] and self.state[each] != ODD:
                gap = self.slack(self.link[self.near[each]][each])
                steps.append(gap if self.state[each] == FREE else gap // 2)
        even = [self.label[each] for each in range(1, self.n + 1) if self.state[self.top[each]] == EVEN]
        step = min([*steps, *even])
        if step == min(even):
            return False
        for each in range(1, self.n + 1):
            self.label[each] += {EVEN: -step, ODD: step, FREE: 0}[self.state[self.top[each]]]
        for each in self.outer():
            if each > self.n:
                self.label[each] += {EVEN: 2 * step, ODD: -2 * step, FREE: 0}[self.state[each]]
        return True

    def _follow(self) -> bool:
        self.queue.clear()
        for each in self.outer():
            near = self.near[each]
            if self.top[each] == each and near and self.top[near] != each:
                link = self.link[near][each]
                if self.slack(link) == 0 and self._use(link):
                    return True
        return False

    def _use(self, link: _Link) -> bool:
        """Use a tight edge: it lets a tree grow, makes a blossom, or ends in a longer matching (True)."""
        one, other = self.top[link.start], self.top[link.end]
        if self.state[other] == FREE:
            self.parent[other], self.state[other] = link.start, ODD
            mate = self.top[self.mate[other]]
            self.near[other] = self.near[mate] = 0
            self.state[mate] = EVEN
            self._push(mate)
        elif self.state[other] == EVEN:
            root = self._meeting(one, other)
            if not root:
                self._augment(one, other)
                self._augment(other, one)
                return True
            self._shrink(one, root, other)
        return False

    # --- trees --------------------------------------------------------------------------------------------------------

    def _push(self, each: int) -> None:
        if each <= self.n:
            self.queue.append(each)
        else:
            for part in self.cycle[each]:
                self._push(part)

    def _nearer(self, vertex: int, each: int) -> None:
        near = self.near[each]
        if not near or self.slack(self.link[vertex][each]) < self.slack(self.link[near][each]):
            self.near[each] = vertex

    def _find_near(self, each: int) -> None:
        self.near[each] = 0
        for vertex in range(1, self.n + 1):
            if each in self.link[vertex] and self.top[vertex] != each and self.state[self.top[vertex]] == EVEN:
                self._nearer(vertex, each)

    def _meeting(self, one: int, other: int) -> int:
        """Return the vertex where the paths to the roots meet; 0 if they do not."""
        self.walk += 1
        while one or other:
            if one:
                if self.seen[one] == self.walk:
                    return one
                self.seen[one] = self.walk
                one = self.top[self.mate[one]]
                if one:
                    one = self.top[self.parent[one]]
            one, other = other, one
        return 0

    def _augment(self, one: int, other: int) -> None:
        while True:
            former = self.top[self.mate[one]]
            self._match(one, other)
            if not former:
                return
            above = self.top[self.parent[former]]
            self._match(former, above)
            one, other = above, former

    def _match(self, each: int, other: int) -> None:
        link = self.link[each][other]
        self.mate[each] = link.end
        if each > self.n:
            part = self.inside[each][link.start]
            place = self._turn(each, part)
            cycle = self.cycle[each]
            for index in range(place):
                self._match(cycle[index], cycle[index ^ 1])
            self._match(part, other)
            self.cycle[each] = cycle[place:] + cycle[:place]

    def _turn(self, blossom: int, part: int) -> int:
        """Return the place of a part in its cycle, which is reversed if that is odd."""
        cycle = self.cycle[blossom]
        place = cycle.index(part)
        if place % 2 == 0:
            return place
        cycle[1:] = cycle[:0:-1]
        return len(cycle) - place

    # --- blossoms -----------------------------------------------------------------------------------------------------

    def _set_top(self, each: int, top: int) -> None:
        self.top[each] = top
        if each > self.n:
            for part in self.cycle[each]:
                self._set_top(part, top)

    def _shrink(self, one: int, root: int, other: int) -> None:
        blossom = self.n + 1
        while blossom <= self.last and self.top[blossom]:
            blossom += 1
        self.last = max(self.last, blossom)
        self.label[blossom], self.state[blossom], self.mate[blossom] = 0, EVEN, self.mate[root]
        self.cycle[blossom] = [root, *reversed(self._way(one, root)), *self._way(other, root)]
        self._set_top(blossom, blossom)
        for each in range(1, self.last + 1):
            self.link[each].pop(blossom, None)
        self.link[blossom], self.inside[blossom] = {}, {}
        for part in self.cycle[blossom]:
            for each, link in self.link[part].items():
                best = self.link[blossom].get(each)
                if each != blossom and (best is None or self.slack(link) < self.slack(best)):
                    self.link[blossom][each] = link
                    self.link[each][blossom] = _Link(link.end, link.start)
            self.inside[blossom].update(dict.fromkeys(self.inside[part], part))
        self._find_near(blossom)

    def _way(self, each: int, root: int) -> list[int]:
        """Return the path from a vertex up to, and without, the root; its odd vertices become even."""
        way = []
        while each != root:
            mate = self.top[self.mate[each]]
            way += [each, mate]
            self._push(mate)
            each = self.top[self.parent[mate]]
        return way

    def _open(self) -> None:
        """Expand odd blossoms whose label has come to zero."""
        for each in range(self.n + 1, self.last + 1):
            if self.top[each] == each and self.state[each] == ODD and self.label[each] == 0:
                self._expand(each)

    def _expand(self, blossom: int) -> None:
        for part in self.cycle[blossom]:
            self._set_top(part, part)
        entry = self.inside[blossom][self.link[blossom][self.parent[blossom]].start]
        place = self._turn(blossom, entry)
        cycle = self.cycle[blossom]
        for odd, even in zip(cycle[0:place:2], cycle[1:place:2], strict=True):
            self.parent[odd] = self.link[even][odd].start
            self.state[odd], self.state[even] = ODD, EVEN
            self.near[odd] = 0
            self._find_near(even)
            self._push(even)
        self.state[entry], self.parent[entry] = ODD, self.parent[blossom]
        for part in cycle[place + 1 :]:
            self.state[part] = FREE
            self._find_near(part)
        self.top[blossom] = 0


# Perfect matchings of the greatest weight, with as many bits as the criteria need.
#
# Edmonds, "Maximum matching and a polyhedron with 0,1-vertices" (1965). rustworkx computes them in 128 bits; wider
# weights go to our own implementation above, which is slower and has no limit.

Edge = tuple[int, int]
Matching = dict[int, int]  # both ways

BITS = 108  # of a weight: rustworkx doubles it, and adds up as many as there are vertices, in 127


def best_matching(vertices: Iterable[int], weights: Mapping[Edge, int]) -> Matching | None:
    """Return a perfect matching of these vertices of the greatest weight; None: there is none. Each
    edge is given once.
    """
    names = sorted(vertices)
    if len(names) % 2:
        return None
    place = {vertex: index for index, vertex in enumerate(names)}
    edges = [(place[one], place[other], weight) for (one, other), weight in weights.items()]
    found = _narrow(len(names), edges) if width(weights) <= BITS else heaviest(len(names), edges)
    if 2 * len(found) < len(names):
        return None
    matching = {}
    for one, other in found:
        matching[names[one]], matching[names[other]] = names[other], names[one]
    return matching


def width(weights: Mapping[Edge, int]) -> int:
    """Return the bits of the widest weight."""
    values = weights.values()
    return max(*values, -min(values), 0).bit_length() if weights else 0


def _narrow(count: int, edges: list[tuple[int, int, int]]) -> set[Edge]:
    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from([None] * count)
    graph.add_edges_from(edges)
    return rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
