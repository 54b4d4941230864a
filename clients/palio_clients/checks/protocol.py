"""The checks, in order. Each is a function: it returns a detail about a good bot, and raises CheckFailed."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from statistics import median
from time import monotonic
from typing import Any, Self

from palio_clients.checks.scripted_server import SERVER, Connection, JsonLinesConnection, ScriptedServer
from palio_clients.checks.subject import CheckFailed, CheckTimes, NoAnswer, Subject
from palio_rules import registry
from palio_rules.contract import messages
from palio_rules.contract.codec import SUBPROTOCOLS, Encoding
from palio_rules.contract.messages import GameMessage, Move, Result, SeatOf, Turn
from palio_rules.errors import Rejection
from palio_rules.time_control import TimeControl

# The bot and its connection, kept from one check to the next.


class BotGone(Exception):
    """The error that the bot is not connected, and cannot be started again by the check."""


class Rig:
    """One bot under check. `connection` returns a connection on which the bot has been welcomed."""

    def __init__(self, server: ScriptedServer, subject: Subject, patience: CheckTimes) -> None:
        self.server = server
        self.subject = subject
        self.patience = patience
        self.games: tuple[str, ...] = ()
        self.name = ""
        self.past: list[str] = []  # the matches so far
        self._open: Connection | None = None
        self._sessions = count(1)

    def new_match(self) -> str:
        self.past.append(f"check-{len(self.past) + 1}")
        return self.past[-1]

    async def new_connection(self, url: str = "") -> Connection:
        """Return a connection on which the bot has sent nothing yet, by the server's usual `url`, or by another one.

        Raises CheckFailed or, if the bot was connected before, BotGone.
        """
        url = url or self.server.url
        await self.subject.start(url)
        connecting = asyncio.ensure_future(self.server.connection(url))
        dying = asyncio.ensure_future(self.subject.died())
        try:
            await asyncio.wait((connecting, dying), timeout=self.patience.connect, return_when=asyncio.FIRST_COMPLETED)
            if connecting.done():
                return connecting.result()
            what = "ends by itself" if dying.done() else f"does not connect within {self.patience.connect:g} s"
        finally:
            for task in (connecting, dying):
                task.cancel()
        if self.name and not self.subject.restartable:
            raise BotGone(what)
        raise CheckFailed(what, "see what it prints; it must connect, and connect again after a cut")

    async def welcome(self, connection: Connection) -> messages.Hello:
        """Receive the bot's hello and welcome it, with the session that it wants to resume."""
        received = await connection.receive(self.patience.connect, "hello")
        if not isinstance(received, messages.Hello):
            kind = type(received).__name__.lower()
            raise CheckFailed(f"says {kind} before hello", "say hello first on every connection")
        resume = received.resume
        session = resume if isinstance(resume, str) else f"session-{next(self._sessions)}"
        await connection.send(messages.Welcome(session, SERVER))
        self._open = connection
        return received

    async def connection(self) -> Connection:
        """Return the open connection, or a new one, on which the bot has been welcomed."""
        if self._open is None or not self._open.alive:
            await self.welcome(await self.new_connection())
        assert self._open is not None
        return self._open

    async def start_afresh(self) -> None:
        """Start again after a failure: the bot's state is unknown, so the next check gets a new process."""
        if self._open is not None:
            await self._open.close()
            self._open = None
        if self.subject.restartable:
            await self.subject.stop()


# One match of a check: the bot plays one seat, the others play random moves, and the rules are enforced.

STRIKES = 3
SEED = 2026  # the same games at every check: a failure is reproducible


class NothingMore(Exception):
    """The bot resigned an anytime race after a solution, which is allowed if it has no better one."""


class ScriptedMatch:
    """A match that sends the messages of a referee, and reads the bot's answers."""

    def __init__(self, rig: Rig, connection: Connection, game: str, seat: int, time: TimeControl | None = None) -> None:
        self.rig = rig
        self.connection = connection
        self.rules = registry.game(game)
        self.seat = seat
        self.id = rig.new_match()
        self.time = time or TimeControl()
        self.options = self.rules.parse_options({})
        self.state: Any = self.rules.start(self.options, SEED)
        self.plies = 0
        self.turn_id = 0
        self._rng = random.Random(SEED)  # noqa: S311  # games, not secrets
        bots = [rig.name if i == seat else f"checker-{i}" for i in range(len(self.rules.seats))]
        seats = [SeatOf(name, bot) for name, bot in zip(self.rules.seats, bots, strict=True)]
        setup = self.rules.format_state(self.state)
        options = self.rules.instance(self.options, SEED)
        self.game = GameMessage(self.id, game, options, setup, seat, seats, self.time, STRIKES)

    @classmethod
    async def begin(cls, rig: Rig, game: str, seat: int = 0, time: TimeControl | None = None) -> Self:
        """Introduce a match and wait until the bot is ready."""
        match = cls(rig, await rig.connection(), game, seat, time)
        await match.connection.send(match.game)
        await match.expect(messages.Ready, rig.patience.ready)
        return match

    @property
    def clocks(self) -> list[int | None]:
        return [self.time.base_ms] * len(self.rules.seats)

    async def expect(self, kind: type[messages.Ready | messages.Move], seconds: float) -> Any:
        """Return the next message about this match, which must be of `kind`; one extra `ready` is ignored."""
        name = kind.__name__.lower()
        while True:
            received = await self.connection.receive(seconds, name)
            about = getattr(received, "match", None)
            if (about != self.id and about in self.rig.past) or getattr(received, "code", "") == messages.ILLEGAL_MOVE:
                continue  # a late message of an earlier match; an engine whose move was rejected here
            match received:
                case messages.Error(code, reason) if code == "crashed":
                    raise CheckFailed(f"gives the match up: {reason}", "repair what the bot's own message says")
                case messages.Error(code, reason):
                    raise CheckFailed(
                        f"complains where {name} is due: {reason} ({code})", "see docs/reference/protocol.md"
                    )
                case messages.Resign() if self.rules.cost(self.state) is not None:
                    raise NothingMore
                case messages.Resign():
                    raise CheckFailed(f"resigns where {name} is due", "play on; resign only what is lost")
                case messages.Ready() if kind is not messages.Ready:
                    continue
            if not isinstance(received, kind):
                said = type(received).__name__.lower()
                raise CheckFailed(f"says {said} where {name} is due", f"answer with {name}")
            if received.match != self.id:
                raise CheckFailed(f"says {name} for the match {received.match!r}", f"copy the match: {self.id!r}")
            return received

    def play(self, move: Any) -> messages.Played:
        seat = self.state.to_move
        self.state = self.state.play(move)
        self.plies += 1
        return messages.Played(self.id, self.plies, seat, self.rules.move_to_wire(move), self.clocks)

    async def next_turn(self, limit_ms: int | None = None) -> Turn | None:
        """Let the others play and send the bot its turn; return None if the game is over."""
        while self.state.to_move not in (None, self.seat):
            await self.connection.send(self.play(self._rng.choice(list(self.state.legal_moves()))))
        if self.state.to_move is None:
            return None
        self.turn_id += 1
        moves = [self.rules.move_to_wire(move) for move in self.state.legal_moves()]
        state = self.rules.format_state(self.state)
        turn = Turn(self.id, self.turn_id, self.plies, state, moves, self.clocks, limit_ms)
        await self.connection.send(turn)
        return turn

    async def answer(self, turn: Turn, seconds: float | None = None) -> messages.Move:
        move: messages.Move = await self.expect(messages.Move, seconds or self.rig.patience.move)
        if move.id != turn.id:
            raise CheckFailed(f"answers turn {move.id} when asked turn {turn.id}", "copy the id of the turn")
        return move

    def read(self, move: messages.Move) -> Any:
        """Return the move as a value. Raises CheckFailed if the rules forbid it."""
        try:
            return self.rules.read_move(self.state, move.move)
        except Rejection as error:
            where = self.rules.format_state(self.state)
            raise CheckFailed(
                f"ply {self.plies + 1}: plays {move.move!r} in {where!r}: {error} ({error.code})",
                "send one of the moves that the turn lists",
            ) from None

    async def accept(self, move: messages.Move) -> None:
        await self.connection.send(self.play(self.read(move)))

    async def finish(self) -> None:
        """End the match, by the rules if the game is over."""
        outcome = self.state.outcome()
        if outcome:
            result = Result("rule", outcome.reason, list(outcome.scores))
        else:
            result = Result("adjudicated", "check-over", [0.5] * len(self.rules.seats))
        await self.connection.send(messages.Over(self.id, result))


GAME_TIME = TimeControl(base_ms=5_000, increment_ms=100)  # on the clocks of whole games
BESIDE_TURNS = 4  # answers of a program that gets messages in pieces
TIMED_TURNS = 4  # answers whose time is measured
GARBAGE = {
    Encoding.MSGPACK: (b"\xc1", b"\x81\xa4type\xa5dance", b"\x80"),
    Encoding.JSON: (b"{", b'{"type":"dance"}', b"{}"),
}  # no valid message; one that does not exist; one without a type


@dataclass(frozen=True, slots=True)
class Check:
    """A check and its name. If a `vital` check fails, the others are skipped."""

    name: str
    run: Callable[[Rig], Awaitable[str]]
    vital: bool = False


async def _asked(rig: Rig) -> tuple[ScriptedMatch, messages.Turn]:
    """Begin a match of the bot's first game, in which it has the first turn."""
    match = await ScriptedMatch.begin(rig, rig.games[0])
    turn = await match.next_turn()
    assert turn is not None
    return match, turn


@contextmanager
def _when(what: str, remedy: str) -> Iterator[None]:
    """Add to a failure inside the block when it happened, and the remedy."""
    try:
        yield
    except (CheckFailed, BotGone) as failure:
        raise CheckFailed(f"{what}: {failure}", remedy) from None


async def handshake(rig: Rig) -> str:
    connection = await rig.new_connection()
    if connection.encoding is None:
        offered = " or ".join(SUBPROTOCOLS)
        raise CheckFailed("asks for none of Palio's subprotocols", f"connect with the WebSocket subprotocol {offered}")
    hello = await rig.welcome(connection)
    for game in hello.games:
        if game not in registry.games():
            raise CheckFailed(f"offers the game {game!r}", f"offer games of this list: {', '.join(registry.games())}")
    rig.name = hello.name
    rig.games = tuple(hello.games)
    return f"{hello.name} plays {', '.join(hello.games)}, in {connection.encoding.value}"


async def ready(rig: Rig) -> str:
    begun = monotonic()
    match = await ScriptedMatch.begin(rig, rig.games[0])
    seconds = monotonic() - begun
    await match.finish()
    return f"after {seconds:.1f} s"


async def first_turn(rig: Rig) -> str:
    match, turn = await _asked(rig)
    move = await match.answer(turn)
    await match.finish()
    return f"answers {move.move!r}"


async def whole_game(rig: Rig, game: str, seat: int) -> str:
    match = await ScriptedMatch.begin(rig, game, seat, GAME_TIME)
    while (turn := await match.next_turn(GAME_TIME.base_ms)) is not None:
        await match.accept(await match.answer(turn))
    await match.finish()
    return f"{match.plies} plies, {match.state.outcome().reason}"


async def anytime_race(rig: Rig, game: str, seat: int) -> str:
    time = TimeControl(base_ms=rig.patience.race_ms)
    match = await ScriptedMatch.begin(rig, game, seat, time)
    deadline, how = monotonic() + rig.patience.race_ms / 1000, "until time is up"
    try:
        while (left := deadline - monotonic()) > 0:
            turn = await match.next_turn(round(left * 1000))
            assert turn is not None  # such a race never ends by itself
            await match.accept(await match.answer(turn, left))
    except NothingMore:
        how = "then has nothing more to submit"
    except NoAnswer:
        if match.plies == 0:
            raise CheckFailed(
                f"submits nothing in {time} s", "submit a first solution at once, and better ones until time is up"
            ) from None
    await match.finish()
    return f"cost {match.rules.cost(match.state):g} at the best, answers: {match.plies}, {how}"


async def repeated_turn(rig: Rig) -> str:
    match, turn = await _asked(rig)
    await match.connection.send(match.game, turn)
    first = await match.answer(turn)
    later = [sent for sent in await match.connection.receive_all(rig.patience.quiet) if isinstance(sent, Move)]
    await match.connection.send(turn)
    remedy = "keep the last answer of each match, and send it again when a turn with the same id comes again"
    with _when("asked the same turn again after its answer", remedy):
        later.append(await match.answer(turn))
    if other := next((sent for sent in later if (sent.id, sent.move) != (first.id, first.move)), None):
        raise CheckFailed(
            f"answers turn {turn.id} with {first.move!r}, and asked again with {other.move!r}",
            "one id has one answer: send the first move again",
        )
    await match.finish()
    return ""


async def rejected_move(rig: Rig) -> str:
    match, turn = await _asked(rig)
    first = await match.answer(turn)
    reason = "the checker rejects this move to see what happens"
    await match.connection.send(messages.Rejected(match.id, turn.id, "check-bot", reason, STRIKES - 1, match.clocks))
    with _when("after a rejected move", "answer `rejected` with another move for the same id"):
        try:
            second, late = await match.answer(turn, rig.patience.resend), ""
        except NoAnswer:
            if (
                rig.subject.is_program
            ):  # it gets each turn once, and may ignore all else, see docs/reference/protocol.md
                await match.finish()
                return "ignores it; that will do as long as every move is one of `turn.moves`"
            await match.connection.send(turn)  # as a referee does with an unanswered turn
            second, late = await match.answer(turn), ", but only when asked again: answer `rejected` at once"
    await match.finish()
    return f"tries {'the same' if second.move == first.move else 'another'} move{late}"


async def short_clock(rig: Rig, game: str) -> str:
    limit, margin = rig.patience.limit_ms, rig.patience.margin_ms
    match = await ScriptedMatch.begin(rig, game, 0, TimeControl(move_ms=limit, margin_ms=margin))
    taken: list[float] = []
    turns = 1 if match.rules.anytime else TIMED_TURNS  # after its first solution a bot may submit nothing more
    while len(taken) < turns and (turn := await match.next_turn(limit)) is not None:
        begun = monotonic()
        move = await match.answer(turn)
        taken.append((monotonic() - begun) * 1000)
        await match.accept(move)
    await match.finish()
    if median(taken) > limit + margin:
        raise CheckFailed(
            f"takes {median(taken):.0f} ms where {limit} ms and {margin} ms for the network are allowed",
            "stop thinking when clock.expired(), or by the turn's limit_ms",
        )
    return f"{median(taken):.0f} ms where {limit} ms are allowed"


async def stop(rig: Rig) -> str:
    match, turn = await _asked(rig)
    await match.answer(turn)
    await match.finish()
    late = await match.connection.receive_all(rig.patience.quiet)
    if sent := [message for message in late if not isinstance(message, messages.Error)]:
        kind = type(sent[0]).__name__.lower()
        raise CheckFailed(f"says {kind} after `over`", "a match is finished with `over`: say nothing more about it")
    match = await ScriptedMatch.begin(rig, rig.games[0])
    await match.finish()
    return "and is ready for the next match"


async def garbage(rig: Rig) -> str:
    match = await ScriptedMatch.begin(rig, rig.games[0])
    connection = match.connection
    for data in GARBAGE[connection.encoding or Encoding.MSGPACK]:
        await connection.send_raw(data)
    with _when("after messages that it cannot read", "ignore what cannot be read, and go on"):
        await connection.receive_all(rig.patience.quiet)  # an error message is allowed, but not required
        turn = await match.next_turn()
        assert turn is not None
        await match.answer(turn)
    await match.finish()
    return ""


async def beside(rig: Rig) -> str:
    """Check a program as `palio run` starts it: with a socket in place of stdin and stdout, and no process between.

    Messages come as from a network: several in one piece, and one in several pieces.
    """
    if not rig.server.unix_url:
        return "not on this system"
    await rig.start_afresh()
    connection = await rig.new_connection(rig.server.unix_url)
    try:
        hello = await rig.welcome(connection)
        assert isinstance(connection, JsonLinesConnection), "that socket takes nothing else"
        assert hello.program is True, "what is started there is a program"
        connection.of_program = True
        match = ScriptedMatch(rig, connection, rig.games[0], 0, GAME_TIME)
        remedy = "read stdin by lines, whatever pieces it brings; it is a socket there, so do not open /dev/stdin"
        with _when("started by `palio run`, with a socket for stdin and stdout", remedy):
            connection.hold()
            await connection.send(match.game)
            await connection.release(pieces=3)
            await match.expect(messages.Ready, rig.patience.ready)
            with suppress(NothingMore):  # a race may be over for the bot after its first answer
                for number in range(BESIDE_TURNS):
                    connection.hold()
                    turn = await match.next_turn(GAME_TIME.base_ms)
                    await connection.release(pieces=1 if number % 2 else 4)
                    if turn is None:
                        break
                    move = await match.answer(turn)
                    connection.hold()
                    await match.accept(move)  # the move is part of the next turn
        await connection.release()
        await match.finish()
    finally:
        await rig.start_afresh()
    return f"{match.plies} plies, in one piece and in several"


async def resume(rig: Rig) -> str:
    match, turn = await _asked(rig)
    match.connection.cut()
    begun = monotonic()
    with _when("after a cut in mid-turn", "connect again, with growing pauses, until the server is back"):
        connection = await rig.new_connection()
    seconds = monotonic() - begun
    hello = await rig.welcome(connection)
    if not isinstance(hello.resume, str):
        raise CheckFailed("comes back without `resume`", "send the session of `welcome` as `resume` in the next hello")
    match.connection = connection
    await connection.send(match.game, turn)
    with _when("back after a cut in mid-turn", "answer the turn that the server sends again"):
        match.read(await match.answer(turn))
    await match.finish()
    return f"back after {seconds:.1f} s"


async def clean_stdout(rig: Rig) -> str:
    if stray_lines := rig.subject.stray_lines():
        more = f" (and {len(stray_lines) - 1} more such lines)" if len(stray_lines) > 1 else ""
        raise CheckFailed(
            f"{stray_lines[0].partition('; log to')[0]}{more}",
            "write what is for people to stderr: stdout is for messages, one a line",
        )
    return ""


async def leave(rig: Rig) -> str:
    await rig.connection()
    code = await rig.subject.leave(rig.patience.leave)
    if code is None:
        raise CheckFailed(
            f"still runs {rig.patience.leave:g} s after SIGTERM", "end threads and programs that the bot has started"
        )
    if code != 0:
        raise CheckFailed(f"ends with exit code {code} after SIGTERM", "clean up without raising")
    return ""


def checks(games: tuple[str, ...], *, ours: bool, program: bool = False) -> list[Check]:
    """Return the checks of a bot that plays `games`.

    `ours`: it runs in a process that the check may end; `program`: it uses stdin and stdout.
    """
    found = [Check("answers a turn", first_turn, vital=True)]
    for game in games:
        for seat, name in enumerate(registry.game(game).seats):
            plays = anytime_race if registry.game(game).anytime else whole_game
            found.append(Check(f"plays {game} as {name}", partial(plays, game=game, seat=seat)))
        found.append(Check(f"keeps a short clock in {game}", partial(short_clock, game=game)))
    found += [
        Check("gives the same answer to the same turn", repeated_turn),
        Check("answers again when a move is rejected", rejected_move),
        Check("is quiet when a match is over", stop),
        Check("survives unreadable messages", garbage),
        Check("resumes after a cut", resume),
    ]
    if program:
        found.append(Check("plays beside the server", beside))
        found.append(Check("writes nothing but messages to stdout", clean_stdout))
    return [*found, Check("ends when told to", leave)] if ours else found
