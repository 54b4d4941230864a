"""COMP30024, `utils.py`: shared functions, for actions as the program prints them and for mirrored boards."""

import re

from palio_rules.boards.chexers import BLUE, GREEN, HEXES, INDEX, RED, Action, touched
from palio_rules.errors import MalformedMove, quoted

_HEX = r"\((-?[0-9]), (-?[0-9])\)"
_LINE = re.compile(rf"(?:(MOVE|JUMP) from {_HEX} to {_HEX}|EXIT from {_HEX})\.")
_MIRRORED = {
    RED: tuple(INDEX[q, -q - r] for q, r in HEXES),
    GREEN: tuple(INDEX[-q - r, r] for q, r in HEXES),
    BLUE: tuple(INDEX[r, q] for q, r in HEXES),
}  # by colour: each cell's image in the mirror that keeps the colour's exits


def written(action: Action) -> str:
    """Return `MOVE from (q, r) to (q, r).`, `JUMP from (q, r) to (q, r).` or `EXIT from (q, r).`."""
    if action.kind == "EXIT":
        return f"EXIT from {action.where}."
    src, dst = action.where
    return f"{action.kind} from {src} to {dst}."


def read_action(line: str) -> Action:
    """Read what `written` wrote. Raises MalformedMove."""
    found = _LINE.fullmatch(line)
    if found is None:
        raise MalformedMove(
            "not-an-action",
            f"an action is written MOVE from (q, r) to (q, r)., JUMP from (q, r) to (q, r). or EXIT from (q, r)., "
            f"and every other line begins with #, got {quoted(line)}",
        )
    kind, q1, r1, q2, r2, q, r = found.groups()
    if kind is None:
        return Action("EXIT", (int(q), int(r)))
    return Action("MOVE" if kind == "MOVE" else "JUMP", ((int(q1), int(r1)), (int(q2), int(r2))))


def mirrored(cells: str, colour: int) -> str:
    """Return the cells upside down, from the view of `colour`; distances to its exits stay the same."""
    return "".join([cells[at] for at in _MIRRORED[colour]])


def mirrored_action(action: Action, colour: int) -> Action:
    """Return the same action on the mirrored cells."""
    hexes = [HEXES[_MIRRORED[colour][INDEX[hex_]]] for hex_ in touched(action)]
    return action._replace(where=hexes[0] if action.kind == "EXIT" else tuple(hexes))
