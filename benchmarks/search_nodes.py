"""The node counts of our searches on our games, as tables of search-counts.md: `python benchmarks/search_nodes.py`.

No time is measured: the same nodes are visited on every machine.
"""

from collections.abc import Callable
from typing import Any

from palio_clients.games import companion_of
from palio_clients.search.game_tree import Best, History, Table, deepening
from palio_clients.search.minimax import alpha_beta, max_n, minimax, paranoid
from palio_clients.search.proof_number import proof_number
from palio_rules.registry import game_from_spec

DUELS = {"breakthrough": (3, 4, 5), "dominoes:rows=6,cols=6": (3, 4, 5), "end_of_the_track": (3, 4, 5)}
FULL = 4  # plies at most, without cutoffs: more would take minutes
LARGEST = 200_000  # nodes of a proof: it keeps them all in memory
TABLE = {"chexers": (2, 3, 4)}
SOLVED = (
    "dominoes:rows=4,cols=4",
    "dominoes:rows=4,cols=5",
    "dominoes:rows=5,cols=5",
    "breakthrough:rows=4,cols=3",
    "end_of_the_track 49,37,46,41,55,41,50,51,52,53,54,52 white 0/300",
    "end_of_the_track 44,37,46,34,40,34,1,2,52,4,5,52 white 0/300",
)


def position(text: str) -> tuple[str, Any]:
    """Return a game's name, and its first position or the one that follows the name."""
    spec, _, written = text.partition(" ")
    rules, options = game_from_spec(spec)
    return rules.name, rules.parse_state(written) if written else rules.start(options)


def deepened(state: Any, depth: int, evaluate: Any, table: Table) -> Best:
    """Search all depths up to this one, with all refinements."""
    order = History()
    *_, best = deepening(
        lambda d, stop: alpha_beta(state, d, evaluate, order=order, table=table, stop=stop), max_depth=depth
    )
    return best


def duel(spec: str, depth: int) -> list[str]:
    name, state = position(spec)
    evaluate, lookback = companion_of(name).evaluate, companion_of(name).lookback
    counts = {
        "minimax": (lambda: minimax(state, depth, evaluate)) if depth <= FULL else None,
        "alpha-beta": lambda: alpha_beta(state, depth, evaluate),
        "table": lambda: alpha_beta(state, depth, evaluate, table=Table(lookback=lookback)),
        "history": lambda: alpha_beta(state, depth, evaluate, order=History()),
        "both": lambda: alpha_beta(state, depth, evaluate, order=History(), table=Table(lookback=lookback)),
        "deepening": lambda: deepened(state, depth, evaluate, Table(lookback=lookback)),
    }
    return same_score(counts.values())


def table(spec: str, depth: int) -> list[str]:
    name, state = position(spec)
    evaluate = companion_of(name).evaluate
    whole = max_n(state, depth, evaluate, seats=3)
    worst = same_score(
        [lambda: paranoid(state, depth, evaluate), lambda: paranoid(state, depth, evaluate, order=History())]
    )
    return [f"{whole.nodes:,}", *worst]


def same_score(searches: Any) -> list[str]:
    """Return the nodes of each search; all that search the same tree must find the same score."""
    found = [search() if search else None for search in searches]
    scores = {best.score for best in found if best}
    if len(scores) != 1:
        raise AssertionError(f"the searches disagree: {scores}")
    return [f"{best.nodes:,}" if best else "" for best in found]


def solved(text: str) -> list[str]:
    name, state = position(text)
    nothing, lookback = companion_of("nobody knows").evaluate, companion_of(name).lookback
    plies = 64 if name != "end_of_the_track" else 3
    proof = proof_number(state, max_nodes=LARGEST)
    best = deepened(state, plies, nothing, Table(lookback=lookback))
    if proof.wins not in (None, best.score > 0):
        raise AssertionError(f"{text}: proof-number search says {proof.wins}, alpha-beta {best.score}")
    proven = f"more than {LARGEST:,}" if proof.wins is None else f"{proof.nodes:,}"
    return ["wins" if best.score > 0 else "loses", proven, f"{best.nodes:,}"]


def show(titles: list[str], rows: list[list[str]], left: int) -> None:
    print("| " + " | ".join(titles) + " |")
    print("|" + "|".join("---" if at < left else "--:" for at in range(len(titles))) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def rows_of(specs: dict[str, tuple[int, ...]], count: Callable[[str, int], list[str]]) -> list[list[str]]:
    return [[f"`{spec}`", str(depth), *count(spec, depth)] for spec, depths in specs.items() for depth in depths]


def main() -> None:
    helped = ["table", "history", "both", "deepening, both"]
    show(["duel", "plies", "minimax, negamax", "alpha-beta", *helped], rows_of(DUELS, duel), 1)
    print()
    show(["table", "plies", "max^n", "paranoid", "with history"], rows_of(TABLE, table), 1)
    print()
    titles = ["position", "who moves first", "proof-number", "deepening, both"]
    show(titles, [[f"`{text}`", *solved(text)] for text in SOLVED], 2)


if __name__ == "__main__":
    main()
