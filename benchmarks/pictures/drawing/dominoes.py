"""A small board of dominoes."""

from typing import Any

from pictures.drawing.svg import Sheet

SEATS = ("lapis", "brick")  # Vertical, Horizontal


def board(sheet: Sheet, state: Any, x: float, top: float, cell: float = 11, *, pale: bool = False) -> None:
    """Draw the position, its middle at `x`; `pale` if it was not visited."""
    rows, cols = state.board.rows, state.board.cols
    left, opacity = x - cols * cell / 2, 0.3 if pale else 1
    sheet.rect(left, top, cols * cell, rows * cell, fill="square", stroke="edge", round_=2, opacity=opacity)
    own = state.dominoes[0] | state.dominoes[1]
    for row, cells in enumerate(state.rows()):
        for col, content in enumerate(cells):
            if content == "#":
                sheet.rect(left + col * cell, top + row * cell, cell, cell, fill="block", opacity=opacity)
    if not own:
        return
    for seat, (high, wide) in enumerate(((2, 1), (1, 2))):
        for row, col in state.placed(seat):
            sheet.rect(
                left + col * cell + 1.5,
                top + row * cell + 1.5,
                wide * cell - 3,
                high * cell - 3,
                fill=SEATS[seat],
                round_=2.5,
                opacity=opacity,
            )


def signed(value: float) -> str:
    """Return +3, 0, −2; a decided game is won or lost."""
    if abs(value) > 500_000:
        return "won" if value > 0 else "lost"
    return f"{value:+.0f}".replace("+0", "0").replace("-0", "0").replace("-", "−")


def bound(value: float) -> str:
    return "∞" if value == float("inf") else "−∞" if value == -float("inf") else signed(value)
