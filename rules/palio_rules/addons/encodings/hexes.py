"""The hexagon of Chexers in numbers: it is turned by thirds, so that the seat that looks plays as Red does.

A third of a turn takes Green's way to Red's, and then Blue's to Green's: who comes next always does so from above.
"""

from palio_rules.addons.encodings.encoding import BadAction
from palio_rules.boards.chexers import DIRECTIONS, HEXES, INDEX, RADIUS, Action, Hex, touched

KINDS = 2 * len(DIRECTIONS) + 1  # of what a piece can do: steps, jumps, its exit
EXIT = KINDS - 1
PIECES = len(HEXES) * KINDS  # actions of pieces; a pass comes after these
CELLS = tuple((r + RADIUS, q + RADIUS) for q, r in HEXES)  # (row, col) of each hex in a plane


def seen(hex_: Hex, colour: int) -> Hex:
    """A hex, or a direction, as `colour` sees it."""
    q, r = hex_
    for _ in range(colour):
        q, r = r, -q - r
    return q, r


def shown(hex_: Hex, colour: int) -> Hex:
    """The hex, or direction, that `colour` sees as `hex_`."""
    return seen(hex_, -colour % 3)


def index_of(action: Action, colour: int) -> int:
    """The number of what a piece of `colour` does: `hex * 13 + kind`, as that colour sees it."""
    src = seen(touched(action)[0], colour)
    if action.kind == "EXIT":
        return INDEX[src] * KINDS + EXIT
    dst, far = seen(action.where[1], colour), 2 if action.kind == "JUMP" else 1
    way = ((dst[0] - src[0]) // far, (dst[1] - src[1]) // far)
    return INDEX[src] * KINDS + DIRECTIONS.index(way) + (len(DIRECTIONS) if far == 2 else 0)


def action_of(index: int, colour: int) -> Action:
    """Return the action that `index_of` has numbered. Raises BadAction where it leads off the board."""
    at, kind = divmod(index, KINDS)
    q, r = HEXES[at]
    src = shown((q, r), colour)
    if kind == EXIT:
        return Action("EXIT", src)
    far, way = divmod(kind, len(DIRECTIONS))
    dst = (q + (far + 1) * DIRECTIONS[way][0], r + (far + 1) * DIRECTIONS[way][1])
    if dst not in INDEX:
        raise BadAction(f"a {('step', 'jump')[far]} from {src} in this direction would leave the board")
    return Action("JUMP" if far else "MOVE", (src, shown(dst, colour)))


# Where each of `HEXES` lies in a plane, as each colour sees it.
SEEN_CELLS = tuple(tuple(CELLS[INDEX[seen(hex_, colour)]] for hex_ in HEXES) for colour in range(3))
