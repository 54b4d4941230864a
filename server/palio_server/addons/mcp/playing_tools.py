"""Tools for players: wait for the turn, look at what is legal, move, resign, see where it stands."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from palio_rules.contract.codec import decode_from_bot, encode
from palio_rules.contract.messages import Move as MoveMessage
from palio_rules.contract.messages import Result
from palio_rules.errors import Rejection, WireError, nearest, quoted
from palio_server.addons.mcp.joining_tools import PlayerHandle
from palio_server.addons.mcp.player import Player, Seat, news, until
from palio_server.addons.mcp.players import Kept
from palio_server.addons.mcp.reading_tools import LONGEST_S, GameName, MatchId
from palio_server.addons.mcp.tools import Answer, Arguments, Caller, Refusal, Toolbox, ToolFailed
from palio_server.addons.mcp.turn_view import LISTED, Listed, TurnView, in_words, listed_moves, turn_view
from palio_server.network.gateway import SERVER

toolbox = Toolbox()

ANSWER_S = 20.0  # for the referee to say something to a move; its clock counts anyway

OwnMatch = Annotated[MatchId, Meta(description="which of your matches, if you play several")]
Seconds = Annotated[float, Meta(ge=0, le=LONGEST_S)]


class Wait(Arguments, frozen=True, kw_only=True):
    match: OwnMatch | None = None
    timeout_s: Annotated[Seconds, Meta(description="how long to wait at most")] = 25.0
    limit: Annotated[int, Meta(ge=0, le=500, description="legal moves to list")] = LISTED
    player: PlayerHandle | None = None


@toolbox.add(Wait, TurnView, "Wait for your turn")
async def wait_for_turn(caller: Caller, arguments: Wait) -> Answer:
    """Wait until it is your turn, a match of yours is over, or the time is up (`nothing_yet`: call it again).

    The answer has the board, the position, the moves so far, the legal moves and the clock. Call it after `join`, and
    after each move; while you do, a match that is given to you begins.
    """
    kept = await _kept(caller, arguments.player)
    with caller.players.busy(kept):
        _check_match(kept.player, arguments.match)
        view = await _next(caller, kept, arguments.match, arguments.timeout_s, arguments.limit)
    return Answer(view, in_words(view))


class LegalMoves(Arguments, frozen=True, kw_only=True):
    match: OwnMatch | None = None
    begins: Annotated[str, Meta(max_length=64, description="only moves whose notation begins so")] = ""
    offset: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    limit: Annotated[int, Meta(ge=1, le=1000)] = 200
    player: PlayerHandle | None = None


class Legal(msgspec.Struct, frozen=True):
    """Legal moves of the open turn. `count`: how many there are in all; null where a game has too many to list."""

    match: str
    turn: int
    count: int | None
    moves: list[Listed]


@toolbox.add(LegalMoves, Legal, "Legal moves", reads=True)
async def legal_moves(caller: Caller, arguments: LegalMoves) -> Answer:
    """List the legal moves of your open turn, in notation and in the wire's form; `move` takes either."""
    kept = await _kept(caller, arguments.player)
    with caller.players.busy(kept):
        seat = _to_move(kept.player, arguments.match)
        assert seat.turn is not None
        moves = listed_moves(seat, arguments.limit, arguments.begins, arguments.offset)
    count = None if seat.turn.moves is None else len(seat.turn.moves)
    words = "too many to list; an example" if count is None else f"{count} in all"
    return Answer(
        Legal(seat.match, seat.turn.id, count, moves), f"{words}: {' '.join(each.notation for each in moves)}"
    )


class MakeMove(Arguments, frozen=True, kw_only=True):
    move: Annotated[str | list[Any], Meta(description="in notation, as legal_moves has it, or in the wire's form")]
    match: OwnMatch | None = None
    turn: Annotated[int, Meta(ge=0, description="the turn that it answers; then it is never played twice")] | None = (
        None
    )
    wait_s: Annotated[Seconds, Meta(description="then wait so long for your next turn, as wait_for_turn does")] = 0.0
    player: PlayerHandle | None = None


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """The move was played. `next`: your next turn, or the end, if you have waited for it and it has come."""

    match: str
    turn: int
    move: str
    result: Result | None = None
    next: TurnView | None = None


@toolbox.add(MakeMove, Moved, "Move")
async def move(caller: Caller, arguments: MakeMove) -> Answer:
    """Make your move, in notation such as "a2-a3" or in the wire's form such as [[1, 0], [2, 0]].

    A move that the referee rejects is an error with its reason and how many such moves you have left; choose another
    one. With `wait_s` the answer has your next turn.
    """
    kept = await _kept(caller, arguments.player)
    player = kept.player
    with caller.players.busy(kept):
        seat = _to_move(player, arguments.match)
        turn = seat.turn
        assert turn is not None
        if arguments.turn not in (None, turn.id):
            raise ToolFailed(f"turn {arguments.turn} is over; the open one is {turn.id}", turn=turn.id)
        wire, notation = _read(seat, arguments.move)
        heard = len(seat.played)
        player.answer(seat, wire)
        fate = await until(player, lambda: _fate(seat, turn.id, heard), ANSWER_S)
        if fate is None:
            raise ToolFailed("the referee has not answered yet; call wait_for_turn to see how it stands")
        if fate == "rejected":
            _raise_rejected(seat)
        found = Moved(match=seat.match, turn=turn.id, move=notation, result=seat.outcome)
        text = f"Played {notation}."
        if arguments.wait_s or seat.outcome is not None:
            view = await _next(caller, kept, seat.match, arguments.wait_s, LISTED)
            found, text = msgspec.structs.replace(found, next=view), f"{text}\n{in_words(view)}"
    return Answer(found, text)


class Resigning(Arguments, frozen=True, kw_only=True):
    match: OwnMatch | None = None
    player: PlayerHandle | None = None


class Resigned(msgspec.Struct, frozen=True):
    """You have given the match up. `result` is null where the others play on."""

    match: str
    result: Result | None


@toolbox.add(Resigning, Resigned, "Resign", destroys=True)
async def resign(caller: Caller, arguments: Resigning) -> Answer:
    """Give a match up. In a race whose solutions may be improved it means that you are done."""
    kept = await _kept(caller, arguments.player)
    player = kept.player
    with caller.players.busy(kept):
        _check_match(player, arguments.match)
        seats = [seat for seat in player.going_on if arguments.match in (None, seat.match)]
        if len(seats) != 1:
            raise ToolFailed(_which(seats, "there is no match of yours to resign"))
        player.attend()  # a referee hears who is ready
        player.look_away()
        player.resign(seats[0])
        result = await until(player, lambda: seats[0].outcome, ANSWER_S / 4)
        seats[0].told = result is not None
    return Answer(Resigned(seats[0].match, result), f"You have resigned match {seats[0].match}.")


class AskStatus(Arguments, frozen=True, kw_only=True):
    player: PlayerHandle | None = None


class OwnMatchItem(msgspec.Struct, frozen=True):
    match: str
    game: str
    seat: str
    state: str  # "your_turn", "playing", "over"
    strikes_left: int
    result: Result | None


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """Where you stand: whether you have joined, as whom, and your matches, the newest last."""

    joined: bool
    server: str
    name: str | None = None
    player: str | None = None
    matches: list[OwnMatchItem] = []


@toolbox.add(AskStatus, Status, "Status", reads=True)
async def status(caller: Caller, arguments: AskStatus) -> Answer:
    """See whether you have joined, under which name, and how your matches stand."""
    if arguments.player is None and caller.players.of_owner(caller.owner) is None:
        return Answer(Status(joined=False, server=SERVER), "You have not joined. Read as you like; call join to play.")
    kept = await _kept(caller, arguments.player)
    items = [
        OwnMatchItem(
            seat.match,
            seat.game.game,
            seat.game.seats[seat.game.seat].name if seat.game.seat < len(seat.game.seats) else "entrant",
            "over" if seat.outcome else "your_turn" if seat.to_move else "playing",
            seat.strikes_left,
            seat.outcome,
        )
        for seat in kept.player.seats
    ]
    name = kept.handle.name
    text = "\n".join([f"You are {name}.", *(f"{each.match}: {each.game}, {each.seat}, {each.state}" for each in items)])
    found = Status(joined=True, server=SERVER, name=name, player=str(kept.handle), matches=items)
    return Answer(found, text)


class StartMatch(Arguments, frozen=True, kw_only=True):
    game: GameName
    bots: Annotated[list[Annotated[str, Meta(max_length=64)]], Meta(max_length=64, description="by seat, in order")]
    options: dict[str, Any] = {}  # noqa: RUF012  # msgspec copies it
    tc: Annotated[str, Meta(max_length=40, description="base+increment in seconds, as 600+30")] | None = None
    st: Annotated[float, Meta(gt=0, le=86400, description="seconds a move")] | None = None
    rounds: Annotated[int, Meta(ge=1, le=100)] = 1


class Started(msgspec.Struct, frozen=True):
    """The matches that were scheduled."""

    matches: list[str]


@toolbox.add(StartMatch, Started, "Start a match")
async def start_match(caller: Caller, arguments: StartMatch) -> Answer:
    """Start a match between connected bots, of whom you may be one. It counts for the leaderboard.

    Give yourself time to think, as st=300 does. Needs a token of scope `matches`, unless the server is open.
    """
    body = {name: value for name, value in msgspec.structs.asdict(arguments).items() if value is not None}
    found = await caller.api.post("matches", body=body)
    return Answer(Started(found["matches"]), f"Scheduled: {', '.join(found['matches'])}.")


# --- within -----------------------------------------------------------------------------------------------------------


async def _kept(caller: Caller, handle: str | None) -> Kept:
    return await caller.players.find(caller.owner, handle, caller.token, caller.address)


async def _next(caller: Caller, kept: Kept, match: str | None, seconds: float, listed: int) -> TurnView:
    seat = await news(kept.player, match, seconds)
    name = kept.handle.name
    if seat is None:
        return TurnView(state="nothing_yet", player=name, note=await _why_nothing(caller, kept))
    view = turn_view(seat, name, caller.parts.feed, listed)
    seat.told = seat.outcome is not None
    return view


async def _why_nothing(caller: Caller, kept: Kept) -> str:
    going = kept.player.going_on
    if going:
        others = ", ".join(seat.match for seat in going)
        return f"It is not your turn in {others} yet. Call wait_for_turn again."
    if kept.handle.table:
        try:
            table = await caller.api.get("play", kept.handle.table)
        except Refusal as error:
            return f"{error}; call join for another match."
        if table["closed"]:
            return f"Your table is closed: {table['closed']}. Call join for another match."
        if table["waiting"]:
            return f"The match has not begun: {', '.join(table['waiting'])}. Call wait_for_turn again."
        if any(seat.match == table["match"] for seat in kept.player.seats):
            return "Your match is over. Call join for another one."
    return "No match of yours goes on yet. Call wait_for_turn again."


def _check_match(player: Player, match: str | None) -> None:
    if match is not None and player.seat(match) is None:
        yours = [seat.match for seat in player.seats]
        raise ToolFailed(
            f"you play no match {quoted(match)}; {nearest(match, yours) if yours else 'you have none yet'}"
        )


def _to_move(player: Player, match: str | None) -> Seat:
    """The match of the open turn that is meant. Raises ToolFailed."""
    _check_match(player, match)
    seats = [seat for seat in player.seats if seat.to_move is not None and match in (None, seat.match)]
    if len(seats) != 1:
        over = "" if match is None or player.seat(match).outcome is None else f"match {match} is over; "  # type: ignore[union-attr]  # it was checked
        raise ToolFailed(_which(seats, f"{over}it is not your turn; call wait_for_turn"))
    return seats[0]


def _which(seats: list[Seat], none: str) -> str:
    return f"say which `match`: {', '.join(seat.match for seat in seats)}" if seats else none


def _read(seat: Seat, value: str | list[Any]) -> tuple[Any, str]:
    """A move for the wire, and in notation as far as it is one. Raises ToolFailed where nothing can be sent."""
    assert seat.turn is not None
    rules, position = seat.rules, seat.rules.parse_state(seat.turn.state)
    wire = _decoded(value) if isinstance(value, str) else value
    if isinstance(wire, str):
        try:
            parsed = rules.parse_notation(position, wire.strip())
        except ValueError as error:
            reason = f"{error}; nothing was played, {seat.strikes_left} rejected moves are left"
            raise ToolFailed(reason, code=getattr(error, "code", "malformed"), strikes_left=seat.strikes_left) from None
        return rules.move_to_wire(parsed), rules.notation(position, parsed)
    try:
        sent = encode(MoveMessage(seat.match, seat.turn.id, wire))
        decode_from_bot(sent)
    except (WireError, RecursionError, OverflowError, UnicodeError) as error:
        raise ToolFailed(f"{error}; nothing was played", code="malformed", strikes_left=seat.strikes_left) from None
    try:
        return wire, rules.notation(position, rules.read_move(position, wire))
    except Rejection:
        return wire, msgspec.json.encode(wire).decode()[:200]  # the referee has the word for it


def _decoded(text: str) -> Any:
    """A move of the wire's form that came as text, as many models write it."""
    if not text.lstrip().startswith("["):
        return text
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return text


def _fate(seat: Seat, turn: int, heard: int) -> str | None:
    if seat.refused is not None:
        return "rejected"
    own = any(played.seat == seat.game.seat for played in seat.played[heard:])
    newer = seat.turn is not None and seat.turn.id != turn
    return "played" if own or newer or seat.outcome is not None else None


def _raise_rejected(seat: Seat) -> None:
    refused = seat.refused
    assert refused is not None
    left = seat.strikes_left
    last = f"{left} rejected moves are left" if left else "that was one too many: the match is lost"
    raise ToolFailed(f"{refused.reason}; {last}", code=refused.code, strikes_left=left, match=seat.match)
