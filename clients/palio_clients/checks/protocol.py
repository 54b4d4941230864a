"""The checks, in order. Each is a story that the checker's server tells; it returns what to say of a good bot."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from statistics import median
from time import monotonic

from palio_clients.checks.board import STRIKES, Board, NoMore
from palio_clients.checks.finding import CheckFailed, Silence
from palio_clients.checks.rig import Gone, Rig
from palio_rules import messages, registry
from palio_rules.messages import Move
from palio_rules.time_control import TimeControl
from palio_rules.wire import SUBPROTOCOLS, Encoding

GAME_TIME = TimeControl(base_ms=5_000, increment_ms=100)  # what the clocks show in whole games
RACE_TIME = TimeControl(base_ms=2_000)  # of an anytime race, until the bell
TIMED_TURNS = 4  # how many answers are timed
GARBAGE = {
    Encoding.MSGPACK: (b"\xc1", b"\x81\xa4type\xa5dance", b"\x80"),
    Encoding.JSON: (b"{", b'{"type":"dance"}', b"{}"),
}  # no message at all; one that does not exist; one without a type


@dataclass(frozen=True, slots=True)
class Check:
    """A story and its name. After a `vital` one that fails the others make no sense."""

    name: str
    story: Callable[[Rig], Awaitable[str]]
    vital: bool = False


async def handshake(rig: Rig) -> str:
    call = await rig.connection()
    if call.encoding is None:
        offered = " or ".join(SUBPROTOCOLS)
        raise CheckFailed("asks for no subprotocol of ours", f"connect with the WebSocket subprotocol {offered}")
    hello = await rig.welcome(call)
    for game in hello.games:
        if game not in registry.games():
            raise CheckFailed(f"offers the game {game!r}", f"offer games of this list: {', '.join(registry.games())}")
    rig.name = hello.name
    rig.games = tuple(hello.games)
    return f"{hello.name} plays {', '.join(hello.games)}, in {call.encoding.value}"


async def ready(rig: Rig) -> str:
    begun = monotonic()
    board = await Board.begin(rig, rig.games[0])
    seconds = monotonic() - begun
    await board.finish()
    return f"after {seconds:.1f} s"


async def first_turn(rig: Rig) -> str:
    board = await Board.begin(rig, rig.games[0])
    turn = await board.next_turn()
    assert turn is not None
    move = await board.answer(turn)
    await board.finish()
    return f"answers {move.move!r}"


def whole_game(game: str, seat: int) -> Callable[[Rig], Awaitable[str]]:
    async def story(rig: Rig) -> str:
        board = await Board.begin(rig, game, seat, GAME_TIME)
        while (turn := await board.next_turn(GAME_TIME.base_ms)) is not None:
            await board.accept(await board.answer(turn))
        await board.finish()
        return f"{board.plies} plies, {board.state.outcome().reason}"

    return story


def anytime_race(game: str) -> Callable[[Rig], Awaitable[str]]:
    async def story(rig: Rig) -> str:
        board = await Board.begin(rig, game, 0, RACE_TIME)
        bell, how = monotonic() + (RACE_TIME.base_ms or 0) / 1000, "until the bell"
        try:
            while (left := bell - monotonic()) > 0:
                turn = await board.next_turn(round(left * 1000))
                assert turn is not None  # such a race never ends by itself
                await board.accept(await board.answer(turn, left))
        except NoMore:
            how = "then has no more to give"
        except Silence:
            if board.plies == 0:
                raise CheckFailed(
                    f"hands in nothing in {RACE_TIME} s", "hand in a first solution at once, better ones until the bell"
                ) from None
        await board.finish()
        return f"cost {board.rules.cost(board.state):g} at the best, answers: {board.plies}, {how}"

    return story


async def repeated_turn(rig: Rig) -> str:
    board = await Board.begin(rig, rig.games[0])
    turn = await board.next_turn()
    assert turn is not None
    await board.call.say(board.game, turn)
    first = await board.answer(turn)
    later = [said for said in await board.call.overhear(rig.patience.quiet) if isinstance(said, Move)]
    await board.call.say(turn)
    try:
        later.append(await board.answer(turn))
    except CheckFailed as failure:
        raise CheckFailed(
            f"asked the same turn again after its answer: {failure.what}",
            "keep the last answer of each match, and send it again when a turn with the same id comes again",
        ) from None
    if other := next((said for said in later if (said.id, said.move) != (first.id, first.move)), None):
        raise CheckFailed(
            f"answers turn {turn.id} with {first.move!r}, and asked again with {other.move!r}",
            "one id has one answer: send the first move again",
        )
    await board.finish()
    return ""


async def refused_move(rig: Rig) -> str:
    board = await Board.begin(rig, rig.games[0])
    turn = await board.next_turn()
    assert turn is not None
    first = await board.answer(turn)
    reason = "the checker refuses this move to see what happens"
    await board.call.say(messages.Rejected(board.match, turn.id, "check-bot", reason, STRIKES - 1, board.clocks))
    try:
        try:
            second, late = await board.answer(turn, rig.patience.resend), ""
        except Silence:
            await board.call.say(turn)  # as a referee does with any turn that stays unanswered
            second, late = await board.answer(turn), ", but only when asked again: answer `rejected` at once"
    except CheckFailed as failure:
        raise CheckFailed(
            f"after a refused move: {failure.what}", "answer `rejected` with another move for the same id"
        ) from None
    await board.finish()
    return f"tries {'the same' if second.move == first.move else 'another'} move{late}"


def short_clock(game: str) -> Callable[[Rig], Awaitable[str]]:
    async def story(rig: Rig) -> str:
        limit, margin = rig.patience.limit_ms, rig.patience.margin_ms
        board = await Board.begin(rig, game, 0, TimeControl(move_ms=limit, margin_ms=margin))
        taken: list[float] = []
        turns = 1 if board.rules.anytime else TIMED_TURNS  # after its first solution a bot may well say nothing more
        while len(taken) < turns and (turn := await board.next_turn(limit)) is not None:
            begun = monotonic()
            move = await board.answer(turn)
            taken.append((monotonic() - begun) * 1000)
            await board.accept(move)
        await board.finish()
        if median(taken) > limit + margin:
            raise CheckFailed(
                f"takes {median(taken):.0f} ms where {limit} ms and {margin} ms for the network are allowed",
                "stop thinking when clock.expired(), or by the turn's limit_ms",
            )
        return f"{median(taken):.0f} ms where {limit} ms are allowed"

    return story


async def stop(rig: Rig) -> str:
    board = await Board.begin(rig, rig.games[0])
    turn = await board.next_turn()
    assert turn is not None
    await board.answer(turn)
    await board.finish()
    said = [said for said in await board.call.overhear(rig.patience.quiet) if not isinstance(said, messages.Error)]
    if said:
        kind = type(said[0]).__name__.lower()
        raise CheckFailed(f"says {kind} after `over`", "a match is finished with `over`: say nothing more about it")
    board = await Board.begin(rig, rig.games[0])
    await board.finish()
    return "and is ready for the next match"


async def garbage(rig: Rig) -> str:
    board = await Board.begin(rig, rig.games[0])
    call = board.call
    for data in GARBAGE[call.encoding or Encoding.MSGPACK]:
        await call.say_raw(data)
    try:
        await call.overhear(rig.patience.quiet)  # it may complain: that is right, but not asked for
        turn = await board.next_turn()
        assert turn is not None
        await board.answer(turn)
    except CheckFailed as failure:
        raise CheckFailed(
            f"after messages that it cannot read: {failure.what}", "ignore what cannot be read, and go on"
        ) from None
    await board.finish()
    return ""


async def resume(rig: Rig) -> str:
    board = await Board.begin(rig, rig.games[0])
    session = board.call.hello
    turn = await board.next_turn()
    assert turn is not None
    board.call.cut()
    begun = monotonic()
    try:
        call = await rig.connection()
    except (CheckFailed, Gone) as failure:
        raise CheckFailed(
            f"after a cut in mid-turn: {failure}", "connect again, with growing pauses, until the server is back"
        ) from None
    seconds = monotonic() - begun
    hello = await rig.welcome(call)
    if not isinstance(hello.resume, str):
        raise CheckFailed("comes back without `resume`", "send the session of `welcome` as `resume` in the next hello")
    assert session is not None
    board.call = call
    await call.say(board.game, turn)
    try:
        board.read(await board.answer(turn))
    except CheckFailed as failure:
        raise CheckFailed(
            f"back after a cut in mid-turn: {failure.what}", "answer the turn that the server sends again"
        ) from None
    await board.finish()
    return f"back after {seconds:.1f} s"


async def leave(rig: Rig) -> str:
    await rig.call()
    code = await rig.subject.leave(rig.patience.leave)
    if code is None:
        raise CheckFailed(
            f"still runs {rig.patience.leave:g} s after SIGTERM", "end threads and programs that the bot has started"
        )
    if code != 0:
        raise CheckFailed(f"ends with exit code {code} after SIGTERM", "clean up without raising")
    return ""


def checks(games: tuple[str, ...], *, ours: bool) -> list[Check]:
    """What to check of a bot that plays `games`; `ours` if it runs in a process that we may end."""
    found = [Check("answers a turn", first_turn, vital=True)]
    for game in games:
        for seat, name in enumerate(registry.game(game).seats):
            story = anytime_race(game) if registry.game(game).anytime else whole_game(game, seat)
            found.append(Check(f"plays {game} as {name}", story))
        found.append(Check(f"keeps a short clock in {game}", short_clock(game)))
    found += [
        Check("gives the same answer to the same turn", repeated_turn),
        Check("answers again when a move is refused", refused_move),
        Check("is quiet when a match is over", stop),
        Check("survives unreadable messages", garbage),
        Check("resumes after a cut", resume),
    ]
    return [*found, Check("ends when told to", leave)] if ours else found
