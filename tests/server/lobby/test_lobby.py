"""The lobby, without a socket: links are lists of what was sent."""

import asyncio
import json

import pytest
from listening import Heard, Listening
from msgspec import UNSET

from palio_rules.contract import topics
from palio_rules.contract.endpoints import REPLACED
from palio_rules.contract.messages import Hello
from palio_server.bus import Envelope
from palio_server.bus.local import LocalBus
from palio_server.lobby.lobby import Lobby, LobbyError, NotAvailable
from palio_server.lobby.register import LobbyLimits
from palio_server.lobby.session import Expulsion, Session


class Wire:
    def __init__(self) -> None:
        self.posts: list[tuple[str, bytes]] = []
        self.closed: list[int] = []

    def post(self, topic: str, envelope: Envelope) -> None:
        self.posts.append((topic, envelope.data))

    def close(self, code: int, reason: str) -> None:
        self.closed.append(code)


class World:
    def __init__(self, **limits: float) -> None:
        self.time = 0.0
        self.bus = LocalBus()
        self.lobby = Lobby(self.bus, games=["chess", "go"], limits=LobbyLimits(**limits), now=lambda: self.time)
        self.heard: Heard = []
        self.expelled: list[tuple[str, str, Expulsion]] = []

    def join(
        self, name: str, *games: str, slots: int = 1, resume: str | None = None, over: str = "websocket"
    ) -> Session:
        hello = Hello(name=name, games=[*games] or ["chess"], slots=slots, resume=resume or UNSET)
        return self.lobby.join(hello, Wire(), over)

    def reserve(self, match: str, *names: str, game: str = "chess", absent_ok: bool = False) -> None:
        listener = Listening(match, self.heard, self.expelled)
        self.lobby.reserve(match, game, names, listener, absent_ok=absent_ok)


@pytest.fixture
def world() -> World:
    return World()


def posts(session: Session) -> list[tuple[str, bytes]]:
    assert isinstance(session.link, Wire)
    return session.link.posts


def closed(session: Session) -> list[int]:
    assert isinstance(session.link, Wire)
    return session.link.closed


# --- who is here ------------------------------------------------------------------------------------------------------


def test_bots_are_listed_by_name_with_their_instances_together(world: World) -> None:
    world.join("b")
    world.join("a", "go", slots=2)
    world.join("a", "chess", over="mqtt")
    world.reserve("m", "a", "b")
    a, b = world.lobby.connected()
    assert (a.name, a.games, a.instances, a.slots, a.playing, a.transport) == (
        "a",
        ("chess", "go"),
        2,
        3,
        1,
        "mqtt+websocket",
    )
    assert (b.name, b.instances, b.playing) == ("b", 1, 1)
    assert [each.name for each in world.lobby.connected("go")] == ["a"]


def test_an_unknown_game_is_refused_with_the_nearest_one(world: World) -> None:
    with pytest.raises(LobbyError, match="did you mean 'chess'") as refused:
        world.join("a", "ches")
    assert refused.value.code == "unknown-game"
    assert world.lobby.connected() == []


def test_there_is_room_for_so_many_instances_and_sessions() -> None:
    world = World(sessions=3, instances=2)
    world.join("a")
    last = world.join("a")
    with pytest.raises(LobbyError, match="2 connections already") as refused:
        world.join("a")
    assert refused.value.code == "too-many-instances"
    world.join("b")
    with pytest.raises(LobbyError, match="3 bots already") as refused:
        world.join("c")
    assert refused.value.code == "too-many-sessions"
    world.join("a", resume=last.id)  # takes the place of its own lost connection, even if we have not seen it go
    world.lobby.leave(last)
    assert world.lobby.connected()[0].instances == 2


def test_session_ids_cannot_be_guessed(world: World) -> None:
    ids = {world.join("a").id for _ in range(100)}
    assert len(ids) == 100
    assert min(map(len, ids)) >= 20


def test_presence_is_published_and_kept(world: World) -> None:
    first = world.join("a", "go")
    second = world.join("a", "chess")
    world.lobby.leave(first)
    values = []
    world.bus.subscribe(topics.presence("a"), lambda _, envelope: values.append(json.loads(envelope.data)))
    world.lobby.leave(second)
    assert values == [
        {"online": True, "instances": 1, "games": ["chess"], "transport": "websocket"},
        {"online": False, "instances": 0, "games": [], "transport": "websocket"},
    ]


def test_a_bot_on_the_broker_publishes_its_presence_itself(world: World) -> None:
    heard = []
    world.bus.subscribe("#", lambda *message: heard.append(message))
    world.lobby.leave(world.join("a", over="mqtt"))
    assert heard == []


# --- reservations -----------------------------------------------------------------------------------------------------


def test_the_longest_idle_bot_is_first(world: World) -> None:
    for name in ("a", "b", "c"):
        world.join(name)
    world.join("d", "go")
    assert world.lobby.free("chess") == ["a", "b", "c"]
    world.reserve("m1", "a", "b")
    assert world.lobby.free("chess") == ["c"]
    world.lobby.release("m1")
    assert world.lobby.free("chess") == ["c", "a", "b"]


def test_matches_spread_over_instances_and_fill_their_slots(world: World) -> None:
    one, two = world.join("a", slots=2), world.join("a")
    for number in range(3):
        world.join(f"b{number}")
        world.reserve(f"m{number}", "a", f"b{number}")
    assert (len(one.matches), len(two.matches)) == (2, 1)
    assert world.lobby.free("chess") == []


def test_a_reservation_is_for_all_or_for_none(world: World) -> None:
    world.join("a")
    world.join("b", "go")
    with pytest.raises(NotAvailable, match="b does not play chess; c is not connected"):
        world.reserve("m", "a", "b", "c")
    assert world.lobby.free("chess") == ["a"]
    world.reserve("m", "a")
    with pytest.raises(NotAvailable, match="a has no free slot for chess"):
        world.reserve("m2", "a")


def test_a_bot_does_not_play_itself(world: World) -> None:
    world.join("a", slots=2)
    with pytest.raises(NotAvailable, match="cannot play itself"):
        world.reserve("m", "a", "a")


def test_a_match_reserves_once_and_releases_as_often_as_it_likes(world: World) -> None:
    world.join("a", slots=2)
    world.reserve("m", "a")
    with pytest.raises(ValueError, match="'m' has its slots already"):
        world.reserve("m", "a")
    world.lobby.release("m")
    world.lobby.release("m")
    assert world.lobby.free("chess") == ["a"]


def test_the_instance_that_holds_a_match_hears_of_it_and_nobody_else(world: World) -> None:
    one, two = world.join("a"), world.join("a")
    world.reserve("m", "a")
    world.bus.publish(topics.bot_in("a", "m"), b"turn")
    world.bus.publish(topics.bot_in("a", "other"), b"turn")
    assert (posts(one), posts(two)) == ([(topics.bot_in("a", "m"), b"turn")], [])
    world.lobby.release("m")
    world.bus.publish(topics.bot_in("a", "m"), b"late")
    assert posts(one) == [(topics.bot_in("a", "m"), b"turn")]


def test_messages_to_bots_on_the_broker_are_left_to_the_broker(world: World) -> None:
    session = world.join("a", over="mqtt")
    world.reserve("m", "a")
    world.bus.publish(topics.bot_in("a", "m"), b"turn")
    assert posts(session) == []
    assert world.lobby.present("m", "a")


# --- loss and return --------------------------------------------------------------------------------------------------


def test_a_lost_bot_resumes_its_matches(world: World) -> None:
    session = world.join("a", slots=2)
    world.join("b", slots=2)
    world.reserve("m1", "a", "b")
    world.reserve("m2", "a", "b")
    world.lobby.leave(session)
    assert not world.lobby.present("m1", "a")
    assert world.lobby.present("m1", "b")
    back = world.join("a", slots=2, resume=session.id)
    assert back.id == session.id
    assert list(back.matches) == ["m1", "m2"]
    assert world.heard == [("m1", "a", False), ("m2", "a", False), ("m1", "a", True), ("m2", "a", True)]
    world.bus.publish(topics.bot_in("a", "m1"), b"turn")
    assert (posts(session), posts(back)) == ([], [(topics.bot_in("a", "m1"), b"turn")])


def test_a_new_process_of_that_name_takes_over_what_the_lost_one_played(world: World) -> None:
    lost = world.join("a")
    world.reserve("m", "a")
    world.lobby.leave(lost)
    world.join("a", "go")
    assert not world.lobby.present("m", "a"), "it does not play this game"
    new = world.join("a")
    assert new.id != lost.id
    assert world.lobby.present("m", "a")
    assert world.lobby.free("chess") == []


def test_no_more_matches_are_taken_over_than_there_are_slots(world: World) -> None:
    lost = world.join("a", slots=3)
    for match in ("m1", "m2", "m3"):
        world.reserve(match, "a")
    world.lobby.leave(lost)
    world.join("a", slots=2)
    assert [world.lobby.present(match, "a") for match in ("m1", "m2", "m3")] == [True, True, False]
    world.lobby.release("m1")
    assert world.lobby.present("m3", "a"), "a slot that gets free goes to a match that waits"


def test_resuming_replaces_a_connection_whose_loss_nobody_has_noticed(world: World) -> None:
    half_open = world.join("a")
    world.reserve("m", "a")
    back = world.join("a", resume=half_open.id)
    assert closed(half_open) == [REPLACED]
    assert world.heard == [("m", "a", False), ("m", "a", True)]
    world.lobby.leave(half_open)  # its gateway notices at last
    assert world.lobby.present("m", "a")
    assert world.lobby.connected()[0].instances == 1
    assert list(back.matches) == ["m"]


def test_the_session_of_another_name_cannot_be_resumed(world: World) -> None:
    session = world.join("a")
    world.reserve("m", "a")
    thief = world.join("b", resume=session.id)
    assert thief.id != session.id
    assert world.lobby.present("m", "a")
    assert not thief.matches


def test_a_session_is_forgotten_after_a_while_but_its_match_still_waits_for_the_name(world: World) -> None:
    session = world.join("a")
    world.reserve("m", "a")
    world.lobby.leave(session)
    world.time = 121.0
    back = world.join("a", resume=session.id)
    assert back.id != session.id
    assert world.lobby.present("m", "a")


def test_over_the_broker_a_name_has_one_session(world: World) -> None:
    first = world.join("a", over="mqtt")
    world.join("a", over="websocket")
    world.reserve("m", "a")
    second = world.join("a", over="mqtt")
    assert not first.connected
    assert second.matches == {"m": None}
    assert world.lobby.connected()[0].instances == 2


def test_a_match_may_be_set_up_before_its_bots_have_come(world: World) -> None:
    world.join("b")
    world.reserve("m", "a", "b", absent_ok=True)
    assert (world.lobby.present("m", "a"), world.lobby.present("m", "b")) == (False, True)
    world.join("a")
    assert world.heard == [("m", "a", True)]


def test_leaving_twice_is_harmless(world: World) -> None:
    session = world.join("a")
    world.lobby.leave(session)
    version = world.lobby.version
    world.lobby.leave(session)
    assert world.lobby.version == version


async def test_changes_wake_whoever_waits_for_them(world: World) -> None:
    async def woken(*, by: str) -> None:
        waiter = asyncio.ensure_future(world.lobby.changed())
        await asyncio.sleep(0)
        assert not waiter.done(), by
        match by:
            case "join":
                world.join("a")
            case "release":
                world.reserve("m", "a")
                world.lobby.release("m")
            case "leave":
                world.lobby.leave(next(iter(world.lobby.connections("a"))))
        await asyncio.wait_for(waiter, 5)

    for reason in ("join", "release", "leave"):
        await woken(by=reason)


async def test_no_change_is_missed_between_two_waits(world: World) -> None:
    seen = world.lobby.version
    world.join("a")
    await asyncio.wait_for(world.lobby.changed(since=seen), 5)


def test_an_expelled_bot_forfeits_what_it_holds_and_cannot_resume(world):
    first = world.join("a", slots=2)
    world.join("b", slots=2)
    world.reserve("m1", "a", "b")
    why = Expulsion("revoked", "token-revoked", "the token of a has been revoked")
    assert world.lobby.expel(first, why) == ["m1"]
    assert world.expelled == [("m1", "a", why)]
    assert first.link.closed == [1008]
    assert not world.lobby.is_here("a")
    assert world.join("a", resume=first.id).id != first.id


def test_a_bot_that_was_just_lost_is_expelled_from_the_matches_that_wait_for_it(world):
    gone = world.join("a", slots=2)
    world.reserve("m1", "a")
    world.reserve("m2", "a")
    world.lobby.leave(gone)
    world.join("a")  # takes the first one over
    why = Expulsion("crashed", "memory-used-up", "memory 1G used up")
    assert gone in world.lobby.sessions()
    assert world.lobby.expel(gone, why) == ["m2"]
    assert world.expelled == [("m2", "a", why)]
    assert gone not in world.lobby.sessions()


async def test_a_bot_that_is_rested_is_free_for_others_than_the_ladder_until_it_is_woken_or_gone():
    world = World()
    lobby, session = world.lobby, world.join("ann")
    lobby.rest("nobody")
    lobby.rest("ann")
    version = lobby.version
    assert (lobby.is_rested("ann"), lobby.is_rested("nobody")) == (True, False)
    assert lobby.connected()[0].rested
    assert lobby.is_free("ann", "chess")
    lobby.wake("ann")
    lobby.wake("ann")
    assert not lobby.connected()[0].rested
    assert lobby.version == version + 1
    lobby.rest("ann")
    lobby.leave(session)
    world.join("ann")
    assert not lobby.is_rested("ann")
