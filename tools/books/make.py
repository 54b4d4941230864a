"""The maker of the books of openings that ship: random lines of play that leave the sides level.

See `docs/reference/openings.md`.

    python -m tools.books.make            all of them
    python -m tools.books.make chexers    those whose names begin so

The same seeds give the same files, on every machine: searches end at a depth.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.books.balance import imbalance

from palio_rules.registry import game
from palio_server.tournament.openings import SHIPPED, RandomOpenings, Shipped

BOOKS = Path(__file__).parents[2] / "server/palio_server/tournament/books"
SEED = 2026


@dataclass(frozen=True)
class Recipe:
    """`most`: what a side may be ahead by, in the unit of the game's engine, where it looks `depth` plies ahead.

    Lines that are further apart at `glance`, which costs next to nothing, are not looked at any longer.
    """

    plies: int
    size: int
    depth: int
    most: float
    glance: int


RECIPES = {
    "breakthrough-6x6.txt": Recipe(plies=4, size=200, depth=11, most=0.15, glance=7),
    "breakthrough-8x8.txt": Recipe(plies=6, size=100, depth=10, most=0.15, glance=6),
    "chexers.txt": Recipe(plies=6, size=100, depth=6, most=1.0, glance=3),
    "dominoes-8x8.txt": Recipe(plies=4, size=100, depth=6, most=0.5, glance=4),
    "end_of_the_track.txt": Recipe(plies=4, size=100, depth=7, most=0.3, glance=3),
}
UNITS = {
    "breakthrough": "pawns",
    "chexers": "thirds of a piece",
    "dominoes": "places for a domino",
    "end_of_the_track": "rows of the ball",
}
SLACK = 3.0  # times `most`: how far a glance may be out


def lines(book: Shipped, recipe: Recipe) -> Iterator[str]:
    """The openings in notation, in the order in which they were drawn."""
    rules = game(book.game)
    options = rules.parse_options(book.options)
    start = rules.start(options)
    source = RandomOpenings(rules, start, recipe.plies, SEED)
    found = index = 0
    while found < recipe.size:
        words, state = _play(rules, start, source.opening(index).moves)
        index += 1
        if imbalance(rules, options, state, recipe.glance) > SLACK * recipe.most:
            continue
        if imbalance(rules, options, state, recipe.depth) <= recipe.most:
            found += 1
            yield " ".join(words)


def _play(rules: Any, state: Any, moves: tuple[Any, ...]) -> tuple[list[str], Any]:
    words = []
    for value in moves:
        move = rules.read_move(state, value)
        words.append(rules.notation(state, move))
        state = state.play(move)
    return words, state


def write(book: Shipped, recipe: Recipe) -> None:
    """Make one book, and put it in its place."""
    settings = ",".join(f"{name}={value}" for name, value in book.options.items())
    title = f"{book.game}:{settings}" if settings else book.game
    head = (
        f"# {title}: {recipe.size} openings of {recipe.plies} random plies, seed {SEED}, that leave nobody more than\n"
        f"# {recipe.most:g} {UNITS[book.game]} ahead at depth {recipe.depth}.\n"
        "# Made by tools/books/make.py, see docs/reference/openings.md.\n"
    )
    text = head + "".join(f"{line}\n" for line in lines(book, recipe))
    (BOOKS / book.file).write_text(text, "utf-8")
    print(book.file, recipe.size, flush=True)


if __name__ == "__main__":
    wanted = sys.argv[1:]
    for each in SHIPPED:
        if not wanted or any(each.file.startswith(name) for name in wanted):
            write(each, RECIPES[each.file])
