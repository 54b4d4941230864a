"""Where an author's methods run: quick ones at once, others in a thread, those that nobody has written not at all."""

import asyncio
import threading

import pytest

from palio_clients import Bot, Resign
from palio_clients.sdk import player as player_module
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.events import Crashed, Fault, MatchOver, MovePlayed, MoveRejected
from palio_clients.sdk.failures import PlayerFailed
from palio_clients.sdk.loader import entrant_of
from palio_clients.sdk.player import BotPlayer, Thought, settled
from palio_rules.contract import messages
from palio_rules.registry import game
from palio_rules.time_control import TimeControl


class Plain(Bot):
    games = ("nim",)

    def choose(self, state, clock):
        self.thread = threading.get_ident()
        return next(state.legal_moves())


class Quick(Plain):
    quick = True


@pytest.fixture
def threads(monkeypatch):
    """The names of the threads that are started."""
    started = []
    start = threading.Thread.start

    def note(self):
        started.append(self.name)
        start(self)

    monkeypatch.setattr(threading.Thread, "start", note)
    return started


def news(kit):
    played = messages.Played("m1", 1, 1, [0, 1], [None, None])
    rejected = messages.Rejected("m1", 1, "no", "not today", 2, [None, None])
    return MovePlayed("m1", played), MoveRejected("m1", rejected), MatchOver("m1", kit.WON)


async def test_a_quick_bot_has_answered_when_the_call_returns_and_has_no_thread(kit, threads):
    player = BotPlayer(Quick, print, Quick)
    assert player.prepare(kit.game()) is None
    assert player.think(kit.turn(), Clock()) == Thought([0, 1])
    assert [player.hear(each) for each in news(kit)] == [None, None, None]
    await player.close()
    assert threads == []


async def test_hooks_that_are_not_written_are_not_called_in_a_thread_either(kit, threads):
    bot = Plain()
    player = BotPlayer(lambda: bot, print)
    await settled(player.prepare(kit.game()))
    assert await settled(player.think(kit.turn(), Clock())) == Thought([0, 1])
    assert bot.thread != threading.get_ident()
    assert [player.hear(each) for each in news(kit)] == [None, None, None]
    await player.close()
    assert threads == ["palio-bot"]


async def test_the_hooks_of_a_quick_bot_are_called_at_once_but_prepare_in_a_thread(kit):
    here = threading.get_ident()

    class Hooked(Quick):
        def __init__(self):
            self.heard = [("init", threading.get_ident() == here)]

        def prepare(self, game, options, seat):
            self.heard.append(("prepare", threading.get_ident() == here))

        def opponent_moved(self, seat, move):
            self.heard.append(("opponent", threading.get_ident() == here))

        def move_rejected(self, move, code, reason):
            self.heard.append(("rejected", move))

        def game_over(self, result):
            self.heard.append(("over", threading.get_ident() == here))

    bot = Hooked()
    player = BotPlayer(lambda: bot, print, Hooked)
    await settled(player.prepare(kit.game()))
    player.think(kit.turn(), Clock())
    assert [player.hear(each) for each in news(kit)] == [None, None, None]
    assert bot.heard == [
        ("init", True),
        ("prepare", False),
        ("opponent", True),
        ("rejected", kit.Take(0, 1)),
        ("over", True),
    ]
    await player.close()


async def test_a_quick_bot_that_is_slow_once_is_reported_once_and_thinks_in_a_thread_from_then_on(kit, monkeypatch):
    monkeypatch.setattr(player_module, "SLOW_S", -1.0)  # whatever it takes is too long
    said = []
    bot = Quick()
    player = BotPlayer(lambda: bot, said.append, Quick)
    await settled(player.prepare(kit.game()))
    threads = []
    for id_ in (1, 2):
        assert await settled(player.think(kit.turn(id_=id_), Clock())) == Thought([0, 1])
        threads.append(bot.thread == threading.get_ident())
    assert threads == [False, False]  # its constructor was too slow already
    [sentence] = said
    assert "ms though the bot says `quick = True`" in sentence
    assert "take that line away, or answer sooner" in sentence
    await player.close()


async def test_only_the_slow_call_itself_ran_in_the_loop(kit, monkeypatch):
    said = []

    class Slowing(Quick):
        def choose(self, state, clock):
            monkeypatch.setattr(player_module, "SLOW_S", -1.0)
            return super().choose(state, clock)

    bot = Slowing()
    player = BotPlayer(lambda: bot, said.append, Slowing)
    player.prepare(kit.game())
    where = []
    for id_ in (1, 2, 3):
        await settled(player.think(kit.turn(id_=id_), Clock()))
        where.append(bot.thread == threading.get_ident())
    assert where == [True, False, False]
    assert [sentence.split()[0] for sentence in said] == ["choose()"]
    await player.close()


@pytest.mark.parametrize(("worked_s", "took_s", "slow"), [(0.04, 0.06, True), (0.0, 0.06, False), (0.0, 0.6, True)])
async def test_a_busy_machine_makes_no_bot_slow(kit, monkeypatch, worked_s, took_s, slow):
    """It counts what the bot has worked; only what takes very long counts by the clock on the wall."""
    said = []
    player = BotPlayer(Quick, said.append, Quick)
    player.prepare(kit.game())
    monkeypatch.setattr(player_module, "thread_time", iter([0.0, worked_s]).__next__)
    monkeypatch.setattr(player_module, "perf_counter", iter([0.0, took_s]).__next__)
    player.think(kit.turn(), Clock())
    assert bool(said) is slow
    await player.close()


async def test_in_an_anytime_race_nobody_is_quick(kit, threads, monkeypatch):
    monkeypatch.setattr(kit.NimGame, "anytime", True)
    player = BotPlayer(Quick, print, Quick)
    await settled(player.prepare(kit.game()))
    await settled(player.think(kit.turn(), Clock()))
    await player.close()
    assert threads == ["palio-bot"]


def divide(state):
    return 1 / 0


def stop(state):
    return next(iter(()))


def leave(state):
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("choose", "sentence"),
    [
        (divide, "ZeroDivisionError"),
        (stop, "StopIteration"),
        (leave, "SystemExit: 3"),
        (lambda state: None, "choose() returned None, which is no move of nim"),
    ],
)
async def test_what_a_quick_bot_raises_gives_the_match_up_and_the_next_one_is_played(
    script, joined, kit, choose, sentence
):
    class Failing(Quick):
        def choose(self, state, clock):
            return choose(state)

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
        assert "sdk/player.py" not in error.reason.split("choose() returned")[0]  # the author's frames only
        await peer.say(messages.Over(match, kit.WON))
    assert [notice.match for notice in notices if isinstance(notice, Crashed)] == ["m1", "m2"]


async def test_a_quick_bot_may_resign_and_plays_whole_matches_otherwise(script, joined, kit):
    class Proud(Quick):
        def choose(self, state, clock):
            if state.heaps == (1, 1):
                raise Resign
            return next(state.legal_moves())

    joined(Proud)
    peer = await script.peer()
    await peer.welcome()
    await kit.play(peer, heaps=3)
    await peer.say(kit.game("m2"), kit.turn("m2", state="1,1 0"))
    await peer.hear(messages.Ready)
    assert await peer.hear() == messages.Resign("m2")


async def test_an_async_choose_of_a_bot_that_says_it_is_quick_is_interrupted_by_a_newer_turn(script, joined, kit):
    class Patient(Quick):
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


async def test_a_plain_choose_may_return_an_awaitable(script, joined, kit):
    class Later(Plain):
        def choose(self, state, clock):
            async def later():
                await asyncio.sleep(0)
                return next(state.legal_moves())

            return later()

    joined(Later)
    peer = await script.peer()
    await peer.welcome()
    await kit.play(peer)


async def test_hooks_that_were_due_are_called_though_the_match_is_over_already(script, joined, kit):
    bot = kit.FirstMove()
    done = joined(type("One", (kit.FirstMove,), {"__new__": lambda cls: bot}), matches=1)
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game())
    await peer.hear(messages.Ready)
    moves = [messages.Played("m1", ply, 1, [0, 1], [None, None]) for ply in (1, 2, 3)]
    await peer.say(*moves, messages.Over("m1", kit.WON))
    await done
    assert [kind for kind, *_ in bot.heard] == ["prepare", "opponent", "opponent", "opponent", "over"]


async def test_a_bot_that_thinks_on_after_the_end_is_reported_though_it_has_no_hooks(script, joined, kit, monkeypatch):
    monkeypatch.setattr("palio_clients.sdk.runner.LAST_NEWS_S", 0.05)
    begun, go, loop = asyncio.Event(), threading.Event(), asyncio.get_running_loop()

    class Deaf(Plain):
        def choose(self, state, clock):
            loop.call_soon_threadsafe(begun.set)
            go.wait(20)

    notices = []
    done = joined(Deaf, matches=1, notify=notices.append)
    peer = await script.peer()
    await peer.welcome()
    await peer.say(kit.game(), kit.turn())
    await peer.hear(messages.Ready)
    await begun.wait()
    await peer.say(messages.Over("m1", kit.WON))
    await done
    go.set()
    [fault] = [notice.text for notice in notices if isinstance(notice, Fault)]
    assert "still busy 0.05 s after the end of the match; poll clock.expired()" in fault


async def test_a_thought_that_nobody_waits_for_is_not_begun(kit):
    begun = []
    began, free, loop = asyncio.Event(), threading.Event(), asyncio.get_running_loop()

    class Slow(Plain):
        def choose(self, state, clock):
            begun.append(state.heaps)
            loop.call_soon_threadsafe(began.set)
            free.wait(20)
            return next(state.legal_moves())

    player = BotPlayer(Slow, print)
    await settled(player.prepare(kit.game()))
    thoughts = [asyncio.ensure_future(player.think(kit.turn(id_=at, state=f"1,{at} 0"), Clock())) for at in (1, 2, 3)]
    await began.wait()
    thoughts[0].cancel()
    thoughts[1].cancel()
    free.set()
    assert (await thoughts[2]) == Thought([0, 1])
    assert begun == [(1, 1), (1, 3)]
    await player.close()


async def test_a_position_that_is_none_fails_a_quick_bot_at_once(kit):
    player = BotPlayer(Quick, print, Quick)
    player.prepare(kit.game())
    with pytest.raises(PlayerFailed, match="do not understand the server's position"):
        player.think(kit.turn(state="nonsense"), Clock())
    await player.close()


async def thought_of(name, answer):
    """The message of a bot that answers the first turn of a game with `answer`."""

    class Author(Bot):
        games = name  # one name without a comma, as `("breakthrough")` is

        def choose(self, state, clock):
            return answer

    assert entrant_of(Author).games == (name,)
    player = BotPlayer(Author, print)
    rules = game(name)
    options = rules.parse_options({})
    start = rules.format_state(rules.start(options))
    seats = [messages.SeatOf(seat, "x") for seat in rules.seats]
    await settled(player.prepare(messages.GameMessage("m1", name, {}, start, 0, seats, TimeControl(), strikes=3)))
    try:
        return await settled(player.think(messages.Turn("m1", 1, 0, start, None, [None, None], None), Clock()))
    finally:
        await player.close()


@pytest.mark.parametrize(("answer", "move"), [("a6-a5", [[0, 0], [1, 0]]), (((1, 0), (2, 1)), [[1, 0], [2, 1]])])
async def test_a_bot_may_answer_in_notation_or_with_a_plain_tuple(answer, move):
    assert await thought_of("breakthrough", answer) == Thought(move)


async def test_a_text_that_is_no_move_fails_with_the_text_and_the_form_of_a_move():
    with pytest.raises(PlayerFailed, match=r"choose\(\) returned 'b5b4', .*: a move is written b5-b4"):
        await thought_of("breakthrough", "b5b4")


async def test_where_moves_are_texts_the_referee_says_why_one_is_rejected():
    assert await thought_of("chess", "e2e5") == Thought("e2e5")
