"""A match as a model is told of it: the position in words and as a board, what may be played, how it has ended."""

import asyncio
from typing import Any, Literal

import msgspec

from palio_rules.contract.messages import Result
from palio_server.addons.mcp.player import Seat
from palio_server.live.feed import Feed

LISTED = 60  # legal moves that are listed, unless more are asked for
HISTORY = 200  # moves played that are told, the newest


class Listed(msgspec.Struct, frozen=True):
    """A legal move: in notation, and as the wire has it. `move` takes either."""

    notation: str
    wire: Any


class TurnView(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a match at a turn. `nothing_yet`: the time was up before it was your turn; call again.

    `your_turn`: answer by `move`, with one of `legal_moves`, of which there are `legal_count`; where more than are
    listed, `legal_moves` the tool has the others. `over`: `result` says how it ended, `your_score` is yours.
    """

    state: Literal["your_turn", "nothing_yet", "over"]
    player: str
    note: str = ""  # what you should know besides
    match: str | None = None
    game: str | None = None
    seat: int | None = None
    seat_name: str | None = None
    seats: list[str] = []  # "black: ada", by seat
    turn: int | None = None  # its number; a move may name it, so that it is never played twice
    ply: int | None = None  # plies played before
    board: str | None = None
    position: str | None = None
    history: list[str] = []  # the newest moves, in notation, by ply
    legal_moves: list[str] = []
    legal_count: int | None = None  # null: the game has too many to list
    clocks_ms: list[int | None] = []  # by seat, when the turn began
    limit_ms: int | None = None  # for this move, from its beginning; null: none
    thought_ms: int | None = None  # of it so far
    strikes_left: int | None = None  # rejected moves that you may still make
    result: Result | None = None
    your_score: float | None = None


def turn_view(seat: Seat, player: str, feed: Feed, listed: int = LISTED) -> TurnView:
    """The open turn of `seat`, or how its match has ended."""
    about: dict[str, Any] = {
        "player": player,
        "match": seat.match,
        "game": seat.game.game,
        "seat": seat.game.seat,
        "seat_name": _seat_name(seat),
        "seats": [f"{each.name}: {each.bot}" for each in seat.game.seats],
        "strikes_left": seat.strikes_left,
        "history": _history(seat, feed),
    }
    if seat.outcome is not None:
        own = seat.game.seat if seat.rules.kind != "race" else 0
        scores = seat.outcome.scores
        score = scores[own] if own < len(scores) else None
        return TurnView(state="over", result=seat.outcome, your_score=score, **about)
    turn = seat.turn
    assert turn is not None
    position = seat.rules.parse_state(turn.state)
    moves = listed_moves(seat, listed)
    return TurnView(
        state="your_turn",
        turn=turn.id,
        ply=turn.ply,
        board=seat.rules.render(position),
        position=turn.state,
        legal_moves=[each.notation for each in moves],
        legal_count=None if turn.moves is None else len(turn.moves),
        clocks_ms=turn.clocks_ms,
        limit_ms=turn.limit_ms,
        thought_ms=round((asyncio.get_running_loop().time() - seat.since) * 1000),
        note=_absent(seat),
        **about,
    )


def listed_moves(seat: Seat, most: int, begins: str = "", skip: int = 0) -> list[Listed]:
    """At most so many legal moves of the open turn, those whose notation begins so; a few where none are listed."""
    turn, rules = seat.turn, seat.rules
    assert turn is not None
    position = rules.parse_state(turn.state)
    if turn.moves is None:  # of a race whose moves are whole solutions: an example or two
        few = [move for move, _ in zip(position.legal_moves(), range(2), strict=False)]
        return [Listed(rules.notation(position, move), rules.move_to_wire(move)) for move in few][skip : skip + most]
    found: list[Listed] = []
    for wire in turn.moves:
        notation = rules.notation(position, rules.move_from_wire(wire))
        if notation.startswith(begins):
            if skip:
                skip -= 1
                continue
            found.append(Listed(notation, wire))
            if len(found) == most:
                break
    return found


def in_words(view: TurnView) -> str:
    """Return the same as a text."""
    if view.state == "nothing_yet":
        return view.note
    lines = [f"Match {view.match}: {view.game}, you are {view.seat_name} ({', '.join(view.seats)})."]
    if view.history:
        lines.append(f"Moves so far: {' '.join(view.history)}")
    if view.result is not None:
        detail = f" {view.result.detail}" if view.result.detail else ""
        lines.append(
            f"It is over: {view.result.reason} ({view.result.termination}); scores by seat "
            f"{', '.join(f'{score:g}' for score in view.result.scores)}; yours is "
            f"{'unknown' if view.your_score is None else format(view.your_score, 'g')}.{detail}"
        )
        return "\n".join(lines)
    lines.append(f"It is your turn {view.turn}, after {view.ply} plies.")
    lines += [str(view.board), f"Position: {view.position}"]
    if view.legal_count is None:
        lines.append("This game has too many moves to list; an example: " + " ".join(view.legal_moves))
    else:
        more = view.legal_count - len(view.legal_moves)
        rest = f" and {more} more (legal_moves lists them)" if more else ""
        lines.append(f"Legal moves ({view.legal_count}): {' '.join(view.legal_moves)}{rest}")
    lines.append(_time(view))
    if view.note:
        lines.append(view.note)
    return "\n".join(lines)


def _time(view: TurnView) -> str:
    thought = (view.thought_ms or 0) / 1000
    if view.limit_ms is None:
        return f"No clock runs. Rejected moves left: {view.strikes_left}."
    return (
        f"You have {view.limit_ms / 1000:g} s for this move, {thought:.1f} s are gone. "
        f"Rejected moves left: {view.strikes_left}."
    )


def _seat_name(seat: Seat) -> str:
    index = seat.game.seat
    return seat.game.seats[index].name if index < len(seat.game.seats) else seat.rules.seats[0]


def _absent(seat: Seat) -> str:
    names = [seat.game.seats[index].bot for index in seat.absent if index < len(seat.game.seats)]
    return f"{', '.join(names)} has lost its connection." if names else ""


def _history(seat: Seat, feed: Feed) -> list[str]:
    live = feed.find(seat.match)
    if live is not None and seat.rules.kind != "race":
        return [line.move for line in live.lines()[-HISTORY:]]
    return [_wire(played.move) for played in seat.played[-HISTORY:]] if seat.rules.kind != "race" else []


def _wire(move: Any) -> str:
    return msgspec.json.encode(move).decode()[:200]
