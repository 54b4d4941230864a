"""The maker of the books of openings that ship: random lines of play that leave the sides level.

See `docs/reference/openings.md`.

    python -m tools.books.make            all of them
    python -m tools.books.make chexers    those whose names begin so

The same seeds give the same files, on every machine: searches end at a depth. The book of chess needs Stockfish, whose
searches end after a number of nodes, that of Go GNU Go; another version of them gives another book.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.books import gnugo
from tools.books.balance import imbalance
from tools.books.gnugo import GnuGo, GoRecipe
from tools.books.stockfish import Stockfish

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


@dataclass(frozen=True)
class ChessRecipe:
    """`most`: pawns that a side may be ahead by, as Stockfish finds with `nodes`.

    Lines in which a side is further ahead than `on_the_way` after two, four or six plies are left out, so that no
    blunder makes up for another one. A `glance` of fewer nodes comes first, as it costs next to nothing.
    """

    plies: int
    size: int
    nodes: int
    most: float
    glance: int
    on_the_way: float


RECIPES: dict[str, Recipe | ChessRecipe | GoRecipe] = {
    "breakthrough-6x6.txt": Recipe(plies=4, size=200, depth=11, most=0.15, glance=7),
    "breakthrough-8x8.txt": Recipe(plies=6, size=100, depth=10, most=0.15, glance=6),
    "chess.txt": ChessRecipe(plies=8, size=500, nodes=200_000, most=0.4, glance=2_000, on_the_way=0.7),
    "chexers.txt": Recipe(plies=6, size=100, depth=6, most=1.0, glance=3),
    "dominoes-8x8.txt": Recipe(plies=4, size=100, depth=6, most=0.5, glance=4),
    "end_of_the_track.txt": Recipe(plies=4, size=100, depth=7, most=0.3, glance=3),
    "go-9x9.txt": GoRecipe(plies=4, size=100, nodes=20_000, most=0.03, glance=2_000, points=3.0),
}
UNITS = {
    "breakthrough": "pawns",
    "chess": "pawns",
    "chexers": "thirds of a piece",
    "dominoes": "places for a domino",
    "end_of_the_track": "rows of the ball",
}
SLACK = 3.0  # times `most`: how far a glance may be out


def lines(book: Shipped, recipe: Recipe | ChessRecipe | GoRecipe) -> Iterator[str]:
    """The openings in notation, in the order in which they were drawn."""
    if isinstance(recipe, ChessRecipe):
        yield from _chess_lines(recipe)
        return
    if isinstance(recipe, GoRecipe):
        yield from gnugo.lines(recipe, SEED)
        return
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


def _chess_lines(recipe: ChessRecipe) -> Iterator[str]:
    rules = game("chess")
    start = rules.start(rules.parse_options({}))
    source = RandomOpenings(rules, start, recipe.plies, SEED)
    stockfish = Stockfish()
    found = 0
    try:
        for opening in source:
            if not _is_sound(stockfish, recipe, rules, start, opening.moves):
                continue
            words, state = _play(rules, start, opening.moves)
            if abs(stockfish.lead(_fen(rules, state), recipe.nodes)) <= recipe.most:
                found += 1
                yield " ".join(words)
            if found == recipe.size:
                break
    finally:
        stockfish.close()


def _is_sound(stockfish: Stockfish, recipe: ChessRecipe, rules: Any, state: Any, moves: tuple[Any, ...]) -> bool:
    """Return whether neither side is far ahead after each two plies, as far as a glance shows."""
    for number, value in enumerate(moves, 1):
        state = state.play(rules.read_move(state, value))
        bound = recipe.most + recipe.on_the_way / 2 if number == recipe.plies else recipe.on_the_way
        if number % 2 == 0 and abs(stockfish.lead(_fen(rules, state), recipe.glance)) > bound:
            return False
    return True


def _fen(rules: Any, state: Any) -> str:
    """The six fields that engines read."""
    return " ".join(rules.format_state(state).split(" ")[:6])


def _play(rules: Any, state: Any, moves: tuple[Any, ...]) -> tuple[list[str], Any]:
    words = []
    for value in moves:
        move = rules.read_move(state, value)
        words.append(rules.notation(state, move))
        state = state.play(move)
    return words, state


def _head(book: Shipped, recipe: Recipe | ChessRecipe | GoRecipe) -> str:
    settings = ",".join(f"{name}={value}" for name, value in book.options.items())
    title = f"{book.game}:{settings}" if settings else book.game
    if isinstance(recipe, GoRecipe):
        judge = GnuGo()
        name = judge.name
        judge.close()
        return (
            f"# {title}: {recipe.size} openings of {recipe.plies} random plies, seed {SEED}, that leave no side with\n"
            f"# more than {0.5 + recipe.most:g} of the games of our own search of {recipe.nodes} nodes, nor more than\n"
            f"# {recipe.points:g} points ahead before the komi by the estimate of {name}.\n"
            "# Made by tools/books/make.py, see docs/reference/openings.md.\n"
        )
    if isinstance(recipe, ChessRecipe):
        stockfish = Stockfish()
        how = f"as {stockfish.name} finds with {recipe.nodes} nodes"
        stockfish.close()
    else:
        how = f"at depth {recipe.depth}"
    return (
        f"# {title}: {recipe.size} openings of {recipe.plies} random plies, seed {SEED}, that leave nobody more than\n"
        f"# {recipe.most:g} {UNITS[book.game]} ahead {how}.\n"
        "# Made by tools/books/make.py, see docs/reference/openings.md.\n"
    )


def write(book: Shipped, recipe: Recipe | ChessRecipe | GoRecipe) -> None:
    """Make one book, and put it in its place."""
    text = _head(book, recipe) + "".join(f"{line}\n" for line in lines(book, recipe))
    (BOOKS / book.file).write_text(text, "utf-8")
    print(book.file, recipe.size, flush=True)


if __name__ == "__main__":
    wanted = sys.argv[1:]
    for each in SHIPPED:
        if not wanted or any(each.file.startswith(name) for name in wanted):
            write(each, RECIPES[each.file])
