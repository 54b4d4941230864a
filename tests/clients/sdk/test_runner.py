"""A bot on a real WebSocket: plays, thinks without blocking, survives lost connections, and takes no for an answer."""

import asyncio
import threading
import time
from contextlib import asynccontextmanager

import pytest

from palio_clients import Bot, Resign
from palio_clients.sdk.events import Connected, Crashed, Disconnected, Fault, MatchOver, Welcomed
from palio_clients.sdk.failures import LinkLost, RefusedByServer
from palio_clients.sdk.loader import Entrant, entrant_of
from palio_clients.sdk.runner import Runner
from palio_clients.sdk.session import Session
from palio_rules.contract import messages
from palio_rules.contract.codec import Encoding
from palio_rules.contract.messages import Info


class NimBot(Bot):
    games = ("nim",)

    def choose(self, state, clock):
        return next(state.legal_moves())


def one_of(bot):
    """An entrant whose only instance is `bot`, so that a test can look into it."""
    return Entrant("one", bot.games, entrant_of(type(bot), lambda: bot).make)


@pytest.mark.parametrize("encoding", list(Encoding))
@pytest.mark.parametrize("seat", [0, 1])
async def test_a_whole_match_in_either_encoding_and_seat(script, joined, kit, encoding, seat):
    bot = kit.FirstMove()
    done = joined(one_of(bot), matches=1, encoding=encoding)
    peer = await script.peer()
    hello = await peer.welcome()
    assert (hello.name, hello.games, peer.encoding) == ("one", ["nim"], encoding)
    moves = await kit.play(peer, seat=seat)
    await done
    assert bot.heard[0] == ("prepare", "nim", 2, seat)
    assert [move for kind, *rest in bot.heard if kind == "opponent" for move in rest[1:]] == moves[1 - seat :: 2]
    assert bot.heard[-1] == ("over", "no-stones")


@pytest.fixture
async def thinking(script, joined, kit):
    """A peer whose bot thinks about its first turn, and the event that lets it answer."""
    go = threading.Event()

    class Slow(NimBot):
        def choose(self, state, clock):
            go.wait(20)
            return next(state.legal_moves())

    joined(Slow)
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game(), kit.turn())
    await peer.hear(messages.Ready)
    return peer, go


async def test_a_plain_choose_that_takes_long_leaves_the_connection_alive(thinking):
    peer, go = thinking
    pong = await peer.socket.ping()
    await pong  # answered while the bot thinks
    go.set()
    assert (await peer.hear(messages.Move)).move == [0, 1]


async def test_several_matches_at_once_have_their_own_bots_and_threads(script, joined, kit):
    threads = {}

    class Watched(NimBot):
        def choose(self, state, clock):
            threads.setdefault(id(self), set()).add(threading.get_ident())
            return next(state.legal_moves())

    done = joined(Watched, slots=2, matches=2)
    peer = await script.peer()
    assert (await peer.welcome()).slots == 2
    await peer.say(kit.game("m1"), kit.game("m2"), kit.turn("m1"), kit.turn("m2"))
    heard = [await peer.hear() for _ in range(4)]
    assert {m.match for m in heard if isinstance(m, messages.Move)} == {"m1", "m2"}
    await peer.say(kit.turn("m1", 2), messages.Over("m2", kit.WON))
    await peer.hear(messages.Move)
    await peer.say(messages.Over("m1", kit.WON))
    await done
    assert len(threads) == 2
    assert all(len(idents) == 1 for idents in threads.values())
    assert len(set.union(*threads.values())) == 2


async def test_async_methods_run_in_the_event_loop(script, joined, kit):
    class Async(NimBot):
        async def prepare(self, game, options, seat):
            await asyncio.sleep(0)
            self.thread = threading.get_ident()

        async def choose(self, state, clock):
            await asyncio.sleep(0)
            assert threading.get_ident() == self.thread == threading.main_thread().ident
            return next(state.legal_moves())

    done = joined(Async, matches=1)
    peer = await script.peer()
    await peer.welcome()
    await kit.play(peer)
    await done


async def test_what_the_bot_tells_travels_with_its_move(script, joined, kit):
    class Telling(NimBot):
        def choose(self, state, clock):
            move = next(state.legal_moves())
            self.tell(depth=3, nodes=99, score=0.5, pv=[move, next(state.play(move).legal_moves())], text="hm")
            return move

    joined(Telling)
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game(), kit.turn())
    await peer.hear(messages.Ready)
    assert (await peer.hear(messages.Move)).info == Info(3, 99, 0.5, ["0-1", "1-1"], "hm")


async def test_what_a_language_model_has_cost_travels_too(script, joined, kit):
    class Telling(NimBot):
        def choose(self, state, clock):
            self.tell(tokens_in=900, tokens_out=30, cost=0.002, latency_ms=1500)
            return next(state.legal_moves())

    joined(Telling)
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game(), kit.turn())
    await peer.hear(messages.Ready)
    told = Info(tokens_in=900, tokens_out=30, cost=0.002, latency_ms=1500)
    assert (await peer.hear(messages.Move)).info == told


async def test_a_reason_to_resign_travels(script, joined, kit):
    class Tired(NimBot):
        def choose(self, state, clock):
            raise Resign("it is late")

    joined(Tired)
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game(), kit.turn())
    await peer.hear(messages.Ready)
    assert (await peer.hear(messages.Resign)).reason == "it is late"


async def test_a_bot_knows_the_first_position_and_its_strikes(script, joined, kit):
    class Careful(NimBot):
        def choose(self, state, clock):
            self.tell(text=f"{self.setup}, {self.strikes_left}")
            return next(state.legal_moves())

    joined(Careful)
    peer = await script.peer()
    await peer.welcome()
    game, turn = kit.game(), kit.turn()
    await peer.say(game, turn)
    await peer.hear(messages.Ready)
    assert (await peer.hear(messages.Move)).info.text == f"{game.setup}, {game.strikes}"
    await peer.say(messages.Rejected(turn.match, turn.id, "no", "no", game.strikes - 1, turn.clocks_ms))
    assert (await peer.hear(messages.Move)).info.text == f"{game.setup}, {game.strikes - 1}"


async def test_nonsense_told_is_reported_and_does_not_cost_the_match(script, joined, kit):
    class Babbler(NimBot):
        def choose(self, state, clock):
            self.tell(score=float("nan"))
            return next(state.legal_moves())

    notices = []
    joined(Babbler, notify=notices.append)
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game(), kit.turn())
    await peer.hear(messages.Ready)
    assert (await peer.hear(messages.Move)).info == messages.UNSET
    [fault] = [notice for notice in notices if isinstance(notice, Fault)]
    assert "tell()" in fault.text


def stop_iteration(state, clock):
    return next(iter(()))


def leave(state, clock):
    raise SystemExit(3)


def divide(state, clock):
    return 1 / 0


@pytest.mark.parametrize(
    ("choose", "sentence"),
    [
        (divide, "ZeroDivisionError: division by zero"),
        (stop_iteration, "StopIteration"),
        (leave, "SystemExit: 3"),
        (lambda state, clock: None, "choose() returned None, which is no move of nim"),
        (lambda state, clock: (0, 1), "which is no move of nim"),
    ],
)
async def test_a_failing_choose_gives_the_match_up_with_its_traceback_and_the_next_match_is_played(
    script, joined, kit, choose, sentence
):
    class Failing(NimBot):
        def choose(self, state, clock):
            return choose(state, clock)

    notices = []
    joined(Failing, notify=notices.append)
    peer = await script.peer()
    await peer.welcome()
    for match in ("m1", "m2"):
        await peer.say(kit.game(match), kit.turn(match))
        await peer.hear(messages.Ready)
        error = await peer.hear(messages.Error)
        assert (error.code, error.match) == ("crashed", match)
        assert sentence in error.reason
        assert "palio_clients/worker.py" not in error.reason  # the author's frames only
        await peer.say(messages.Over(match, kit.WON))
    assert [notice.match for notice in notices if isinstance(notice, Crashed)] == ["m1", "m2"]


async def test_a_constructor_or_prepare_that_fails_gives_the_match_up(script, joined, kit):
    class Unprepared(NimBot):
        def prepare(self, game, options, seat):
            raise FileNotFoundError("weights.bin")

    joined(Unprepared)
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game())
    assert "FileNotFoundError: weights.bin" in (await peer.hear(messages.Error)).reason


async def test_resign_gives_the_match_up_in_peace(script, joined, kit):
    class Resigning(NimBot):
        def choose(self, state, clock):
            raise Resign

    joined(Resigning)
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game(), kit.turn())
    await peer.hear(messages.Ready)
    assert await peer.hear() == messages.Resign("m1")


async def test_a_rejected_move_is_reported_and_thought_about_again(script, joined, kit):
    class Learner(NimBot):
        def __init__(self):
            self.tried = set()

        def choose(self, state, clock):
            return next(move for move in state.legal_moves() if move not in self.tried)

        def move_rejected(self, move, code, reason):
            self.tried.add(move)

    joined(Learner)
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game(), kit.turn())
    await peer.hear(messages.Ready)
    assert (await peer.hear(messages.Move)).move == [0, 1]
    await peer.say(messages.Rejected("m1", 1, "no", "not today", 2, [None, None]))
    assert (await peer.hear(messages.Move)).move == [1, 1]


async def test_a_cut_connection_is_mended_and_the_session_resumed(script, joined, kit):
    notices = []
    bot = kit.FirstMove()
    joined(one_of(bot), notify=notices.append)
    peer = await script.peer()
    await peer.welcome("s1")
    await peer.say(kit.game())
    await peer.hear(messages.Ready)
    peer.socket.transport.abort()
    peer = await script.peer()
    assert (await peer.welcome("s1")).resume == "s1"
    await peer.say(kit.game(), kit.turn())
    assert await peer.hear() == messages.Ready("m1")
    assert (await peer.hear(messages.Move)).id == 1
    assert [kind for kind, *_ in bot.heard] == ["prepare"]  # the same instance plays on
    assert [type(notice) for notice in notices if isinstance(notice, Disconnected | Connected)] == [
        Connected,
        Disconnected,
        Connected,
    ]
    assert [notice.resumed for notice in notices if isinstance(notice, Welcomed)] == [False, True]


async def test_a_thought_begun_before_the_cut_is_answered_after_it(thinking, script, kit):
    peer, go = thinking
    peer.socket.transport.abort()
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game(), kit.turn())
    go.set()
    heard = [await peer.hear(), await peer.hear()]
    assert sorted(type(message).__name__ for message in heard) == ["Move", "Ready"]


async def test_without_reconnect_a_cut_is_the_end(script, joined):
    task = joined(NimBot, reconnect=False)
    peer = await script.peer()
    await peer.welcome()
    await peer.socket.close(1012, "restart")
    with pytest.raises(LinkLost, match=r"the server closed the connection \(1012: restart\)"):
        await task


async def test_a_refusal_is_final_and_says_why(script, joined):
    task = joined(NimBot)
    peer = await script.peer()
    await peer.hear(messages.Hello)
    await peer.say(messages.Refused("bad-token", "this token was revoked"))
    await peer.socket.close(1008)
    with pytest.raises(RefusedByServer, match=r"refused: this token was revoked \(bad-token\)"):
        await task


async def test_whoever_is_told_when_to_come_back_comes_back_then_and_not_before(script, joined):
    notices = []
    joined(NimBot, notify=notices.append)
    peer = await script.peer()
    await peer.hear(messages.Hello)
    await peer.say(messages.Refused("too-many-hellos", "you came too often", 300))
    await peer.socket.close(1013)
    told = asyncio.get_running_loop().time()
    await (await script.peer()).welcome()
    assert asyncio.get_running_loop().time() - told >= 0.3
    (lost,) = [notice for notice in notices if isinstance(notice, Disconnected)]
    assert (lost.reason, lost.retry_s > 0.3) == ("you came too often", True)


async def test_a_server_that_is_not_there_is_tried_again(joined, script):
    notices = asyncio.Queue()
    script.url = "ws://127.0.0.1:1"
    joined(NimBot, notify=notices.put_nowait)
    async with asyncio.timeout(20):
        for _ in range(2):
            assert "cannot connect to ws://127.0.0.1:1/ws/bot" in (await notices.get()).reason


async def test_garbage_from_the_server_is_answered_and_survived(script, joined, kit):
    joined(NimBot)
    peer = await script.peer()
    await peer.welcome()
    for garbage in (b"\xc1", b"\x81\xa4type\xa5dance", b"", b"\x91" * 2000):
        await peer.socket.send(garbage)
        assert isinstance(await peer.hear(), messages.Error)
    await kit.play(peer)


async def test_the_end_of_a_match_does_not_wait_for_a_thought_that_polls(script, joined, kit):
    class Endless(NimBot):
        def choose(self, state, clock):
            while not clock.expired():
                time.sleep(0.001)
            return next(state.legal_moves())

    notices = []
    done = joined(Endless, matches=1, notify=notices.append)
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game(), kit.turn())
    await peer.hear(messages.Ready)
    await peer.say(messages.Over("m1", kit.WON))
    async with asyncio.timeout(10):
        await done
    assert not any(isinstance(notice, Fault) for notice in notices)


async def test_a_newer_turn_is_answered_instead_of_the_old_one(script, joined, kit):
    class Patient(NimBot):
        async def choose(self, state, clock):
            if state.heaps == (1, 2):
                await asyncio.Event().wait()
            return next(state.legal_moves())

    joined(Patient)
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game(), kit.turn(id_=1, state="1,2 0"))
    await peer.hear(messages.Ready)
    await peer.say(kit.turn(id_=7, state="0,2 0"))
    assert (await peer.hear(messages.Move)).id == 7


async def test_a_position_that_our_rules_do_not_know_gives_the_match_up(script, joined, kit):
    joined(NimBot)
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game(), kit.turn(state="nonsense"))
    await peer.hear(messages.Ready)
    error = await peer.hear(messages.Error)
    assert "these rules do not understand the server's position: 'nonsense' is no position of nim" in error.reason


async def test_leaving_closes_the_connection_politely(script, joined, kit):
    task = joined(NimBot)
    peer = await script.peer()
    await peer.welcome()
    task.cancel()
    await peer.socket.wait_closed()
    assert peer.socket.close_code == 1000


async def test_leaving_in_the_moment_in_which_the_connection_breaks_ends_all_the_same(script, joined, kit):
    for delay in range(12):  # whichever step of leaving it meets
        task = joined(NimBot)
        peer = await script.peer()
        await peer.welcome()
        await peer.say(kit.game())
        await peer.hear(messages.Ready)
        peer.socket.transport.abort()
        for _ in range(delay):
            await asyncio.sleep(0)
        task.cancel()
        async with asyncio.timeout(10):
            await asyncio.wait([task])
        assert task.cancelled()


async def test_results_are_reported(script, joined, kit):
    notices = []
    done = joined(NimBot, matches=1, notify=notices.append)
    peer = await script.peer()
    await peer.welcome()
    await kit.play(peer)
    await done
    assert [notice.result.reason for notice in notices if isinstance(notice, MatchOver)] == ["no-stones"]


class Burst:
    """A connection on which all of `said` comes at once; more by calling `hear`."""

    url = "burst"
    hello_again_s = None

    def __init__(self, *said):
        self.said, self.heard_all = said, asyncio.Event()
        self.hear = None

    @asynccontextmanager
    async def connect(self):
        yield self

    def send(self, message):
        """Nobody hears it."""

    async def listen(self, hear):
        self.hear = hear
        for message in self.said:
            hear(message)
        self.heard_all.set()
        await asyncio.Event().wait()


def running(transport, **options):
    entrant = entrant_of(NimBot)
    session = Session("nimbot", ["nim"], slots=4)
    return asyncio.create_task(Runner(session, entrant.make, transport, **options).run())


async def test_after_the_last_match_that_was_wanted_no_other_one_begins(kit):
    welcome, over = messages.Welcome("s1", "palio test"), messages.Over("m1", kit.WON)
    task = running(Burst(welcome, kit.game("m1"), over, kit.game("m2"), kit.turn("m2")), matches=1)
    async with asyncio.timeout(10):
        await task


async def test_a_match_that_begins_while_we_leave_is_none(kit):
    burst = Burst(messages.Welcome("s1", "palio test"))
    task = running(burst)
    await burst.heard_all.wait()
    task.cancel()
    while not task.done():
        burst.hear(kit.game(f"m{id(object())}"))
        await asyncio.sleep(0)
    assert task.cancelled()


@pytest.mark.parametrize("refused", [True, False])
async def test_a_server_that_stops_is_asked_again_when_it_said_it_would_be_back(kit, refused):
    said = messages.ServerStopping("it stops", 7000)
    if refused:
        burst = Burst(said, messages.Refused(messages.SERVER_STOPPING, "it stops"))
    else:
        burst = Burst(messages.Welcome("s1", "palio test"), said)  # no match goes on: it leaves at once
    seen: asyncio.Queue = asyncio.Queue()
    task = running(burst, notify=seen.put_nowait)
    async with asyncio.timeout(10):
        while not isinstance(lost := await seen.get(), Disconnected):
            pass
    task.cancel()
    assert 7 <= lost.retry_s <= 8
    assert lost.reason == "it stops"
