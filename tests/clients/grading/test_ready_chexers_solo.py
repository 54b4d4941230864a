"""The ready assignment on Chexers for one: right files get all points, wrong ones lose those of what they break."""

import pytest
from ready_grading import changed, graded, promised

from palio_clients.handouts.courses import COURSES

RIGHT = """
    import heapq
    import json
    import sys

    HEXES = {(q, r) for q in range(-3, 4) for r in range(-3, 4) if abs(q + r) <= 3}
    WAYS = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
    EXITS = {"red": lambda q, r: q == 3, "green": lambda q, r: r == 3, "blue": lambda q, r: q + r == -3}

    def expand(pieces, blocks, exits):
        for q, r in pieces:
            rest = pieces - {(q, r)}
            if exits(q, r):
                yield f"EXIT from {(q, r)}.", rest
            for dq, dr in WAYS:
                near, far = (q + dq, r + dr), (q + 2 * dq, r + 2 * dr)
                if near not in HEXES:
                    continue
                if near not in pieces and near not in blocks:
                    yield f"MOVE from {(q, r)} to {near}.", rest | {near}
                elif far in HEXES and far not in pieces and far not in blocks:
                    yield f"JUMP from {(q, r)} to {far}.", rest | {far}

    def distances(blocks, exits):
        level = {where for where in HEXES if exits(*where) and where not in blocks}
        found = dict.fromkeys(level, 1)
        while level:
            level = {(q + n * dq, r + n * dr) for q, r in level for dq, dr in WAYS for n in (1, 2)}
            level = {where for where in level if where in HEXES and where not in blocks and where not in found}
            found.update(dict.fromkeys(level, max(found.values()) + 1))
        return found

    def search(pieces, blocks, exits):
        table = distances(blocks, exits)
        h = lambda state: sum(table.get(where, 99) for where in state)
        frontier, cost, came = [(h(pieces), 0, sorted(pieces))], {pieces: 0}, {}
        while frontier:
            _, g, state = heapq.heappop(frontier)
            state = frozenset(state)
            if not state:
                way = []
                while state in came:
                    state, action = came[state]
                    way.append(action)
                return way[::-1]
            if -g > cost[state]:
                continue
            for action, after in expand(state, blocks, exits):
                if cost[state] + 1 < cost.get(after, 999):
                    cost[after] = cost[state] + 1
                    came[after] = state, action
                    heapq.heappush(frontier, (cost[after] + h(after), -cost[after], sorted(after)))
        return []

    def main():
        with open(sys.argv[1]) as file:
            board = json.load(file)
        pieces = frozenset(map(tuple, board["pieces"]))
        way = search(pieces, set(map(tuple, board["blocks"])), EXITS[board["colour"]])
        print("# the board:", board["colour"])
        for action in way:
            print(action)
        print(f"# {len(way)} actions")

    if __name__ == "__main__":
        main()
"""
VARIANTS = {
    "as it is": [],
    "uniform cost": [("h = lambda state: sum(table.get(where, 99) for where in state)", "h = lambda state: 0")],
    "comments and empty lines": [("print(action)", 'print(action); print("#"); print()')],
}
FEWEST = {"test_examples::test_fewest_actions", "test_hidden::test_fewest_actions"}
ALL = FEWEST | {"test_examples::test_solution", "test_hidden::test_solution"}
WRONG = {
    "an estimate too high": (
        [("sum(table.get(where, 99) for where in state)", "9 * sum(len(HEXES) - q * q for q, r in state)")],
        FEWEST,
    ),
    "never jumps": ([("elif far in HEXES and", "elif False and")], FEWEST),
    "jumps over nothing": ([("elif far in", "if far in")], ALL),
    "onto blocks": ([("if near not in pieces and near not in blocks:", "if near not in pieces:")], FEWEST),
    "red's exit for all": ([('EXITS[board["colour"]]', 'EXITS["red"]')], ALL),
    "no blocks": ([('set(map(tuple, board["blocks"]))', "set()")], ALL),
    "no exits": ([('yield f"EXIT from {(q, r)}.", rest', 'yield f"EXIT from {(q, r)}", rest')], ALL),
    "other words": ([("print(action)", "print(action.lower())")], ALL),
    "one action short": ([("for action in way:", "for action in way[:-1]:")], ALL),
    "its own comments": ([('print("# the board:"', 'print("the board:"')], ALL),
    "an error": ([("way = search(", "way = sears(")], ALL),
    "stops at two pieces": ([("way = search(", "way = len(pieces) > 1 and exit() or search(")], ALL),
}


@pytest.mark.parametrize("name", ["ours", *VARIANTS])
@pytest.mark.slow
def test_right_files_get_all_points(right, name):
    assert (right[name].points, right[name].extra) == promised("chexers_solo") == (100, 0), right[name].said


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_wrong_files_lose_what_they_break(wrong, name):
    assert wrong[name].lost == WRONG[name][1], wrong[name].said


@pytest.fixture(scope="module")
def right():
    files = {name: {"search.py": changed(RIGHT, *changes)} for name, changes in VARIANTS.items()}
    return graded("chexers_solo", {"ours": COURSES["chexers_solo"].path, **files})


@pytest.fixture(scope="module")
def wrong():
    return graded(
        "chexers_solo", {name: {"search.py": changed(RIGHT, *changes)} for name, (changes, _) in WRONG.items()}
    )
