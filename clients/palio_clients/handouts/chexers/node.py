"""COMP30024, `node.py`: the positions of a puzzle, with their actions."""

from collections.abc import Iterator
from typing import NamedTuple, Self

from palio_rules.boards.chexers import BLOCK, COLOURS, EMPTY, LETTERS, Action, actions, moved, read_rows
from palio_rules.instances.chexers_solo import read_json
from palio_rules.instances.source import Source


class Node(NamedTuple):
    """A state: the pieces and the blocks. Equal states are equal nodes, by any path to them."""

    cells: str  # a letter of the colour, "#" or "." for each of `palio_rules.boards.chexers.HEXES`
    colour: int  # red 0, green 1, blue 2

    @classmethod
    def read(cls, file: str) -> Self:
        """Read the state in a JSON file in the course's form. Raises BadInstance with file, line and reason."""
        cells = read_rows(read_json(Source.read(file))["board"], EMPTY + BLOCK + LETTERS)
        return cls(cells, next(colour for colour in range(len(COLOURS)) if LETTERS[colour] in cells))

    @property
    def pieces(self) -> list[int]:
        """Return the cells with a piece on them."""
        letter = LETTERS[self.colour]
        return [at for at, cell in enumerate(self.cells) if cell == letter]

    def is_final(self) -> bool:
        """Return whether the goal is reached: no piece is on the board."""
        return LETTERS[self.colour] not in self.cells

    def expand(self) -> Iterator[tuple[Action, "Node"]]:
        """Yield every action, each of which costs 1, and the node after it; none in a final state."""
        for action in actions(self.cells, self.colour):
            yield action, self.after(action)

    def after(self, action: Action) -> "Node":
        """Return the node after an action, which is not checked."""
        return Node(moved(self.cells, action, convert=False), self.colour)
