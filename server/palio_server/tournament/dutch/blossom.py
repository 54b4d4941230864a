"""Perfect matchings of the greatest weight, in integers of any size.

Edmonds, "Maximum matching and a polyhedron with 0,1-vertices" (1965). rustworkx computes them in 128 bits; wider
weights go to networkx, which takes as long as Python takes and has no limit.
"""

from collections.abc import Iterable, Mapping

import rustworkx

Edge = tuple[int, int]
Matching = dict[int, int]  # both ways

BITS = 108  # of a weight: rustworkx doubles it, and adds up as many as there are vertices, in 127


def best_matching(vertices: Iterable[int], weights: Mapping[Edge, int]) -> Matching | None:
    """Return a perfect matching of the greatest weight, or None if there is none. Each edge is given once."""
    names = sorted(vertices)
    if len(names) % 2:
        return None
    place = {vertex: index for index, vertex in enumerate(names)}
    edges = [(place[one], place[other], weight) for (one, other), weight in weights.items()]
    found = _narrow(len(names), edges) if width(weights) <= BITS else _wide(edges)
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


def _wide(edges: list[tuple[int, int, int]]) -> set[Edge]:
    from networkx import Graph, max_weight_matching  # noqa: PLC0415  # 0.1 s, and most rounds never need it

    graph = Graph()
    graph.add_weighted_edges_from(edges)
    matching: set[Edge] = max_weight_matching(graph, maxcardinality=True)
    return matching
