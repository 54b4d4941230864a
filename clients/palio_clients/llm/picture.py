"""A position in words, for the placeholders of a template. Each part has a bound, so that no game asks for a book.

What other people have written, such as names of bots, is not in it: nobody shall talk to a model but its owner.
"""

from itertools import islice
from typing import Any

from palio_clients.sdk.clock import Clock
from palio_rules.game import Game

MAX_RULES = 8_000  # characters
MAX_BOARD = 6_000
MAX_POSITION = 24_000  # a tour of 2,000 cities
MAX_MOVES = 300  # that are listed
MAX_MOVES_TEXT = 8_000
MAX_HISTORY = 120  # plies, the newest


def values(game: Game[Any, Any], state: Any, seat: int, history: list[tuple[int, str]], clock: Clock) -> dict[str, str]:
    """A text for each of `template.PLACEHOLDERS`. `history` has the seat and the notation of each move."""
    return {
        "title": game.title,
        "rules": cut(game.about().strip(), MAX_RULES),
        "seat": game.seats[seat],
        "seats": ", ".join(game.seats),
        "board": cut(game.render(state), MAX_BOARD),
        "position": cut(game.format_state(state), MAX_POSITION),
        "history": _history(game, history),
        "moves": moves(game, state),
        "clock": _clock(clock),
        "answer": answer(game, state),
    }


def moves(game: Game[Any, Any], state: Any) -> str:
    """The legal moves in notation; of a game with too many, what they look like."""
    listed = [game.notation(state, move) for move in islice(state.legal_moves(), MAX_MOVES + 1)]
    if game.anytime:
        return f"too many to list; this is one of them: {cut(' '.join(listed[:1]), MAX_MOVES_TEXT)}"
    text, more = " ".join(listed[:MAX_MOVES]), len(listed) > MAX_MOVES
    if len(text) > MAX_MOVES_TEXT:
        text, more = text[:MAX_MOVES_TEXT].rsplit(" ", 1)[0], True
    return f"{text} (and more, which the rules allow)" if more else text


def answer(game: Game[Any, Any], state: Any) -> str:
    """How to answer, with an example that is legal."""
    example = next((game.notation(state, move) for move in state.legal_moves()), "...")
    if game.anytime:
        return (
            "A move is a whole solution, written like the one above. End your answer with one line that begins with "
            "MOVE: and has the solution behind it."
        )
    return (
        "Choose one of the legal moves. End your answer with one line that has the move exactly as it is listed, for "
        f"example:\nMOVE: {cut(example, 200)}"
    )


def _history(game: Game[Any, Any], history: list[tuple[int, str]]) -> str:
    if not history:
        return "none"
    newest = history[-MAX_HISTORY:]
    earlier = f"({len(history) - len(newest)} earlier ones) " if len(newest) < len(history) else ""
    if len(game.seats) == 1:
        return earlier + " ".join(cut(move, 80) for _, move in newest)
    return earlier + " ".join(f"{game.seats[seat]}:{move}" for seat, move in newest)


def _clock(clock: Clock) -> str:
    if clock.remaining_ms is None and clock.limit_ms is None:
        return "no limit"
    move = "" if clock.limit_ms is None else f"{clock.limit_ms / 1000:.0f} s for this move"
    rest = "" if clock.remaining_ms is None else f"{clock.remaining_ms / 1000:.0f} s for the rest of the game"
    return ", ".join(filter(None, (move, rest)))


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} (cut)"
