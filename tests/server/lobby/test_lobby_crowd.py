"""The lobby's cached values equal those of a plain model that reads every session."""

from hypothesis import given
from hypothesis import strategies as st
from listening import deaf
from msgspec import UNSET

from palio_rules.contract.messages import Hello
from palio_server.bus import Envelope
from palio_server.bus.local import LocalBus
from palio_server.lobby.lobby import Lobby, NotAvailable
from palio_server.lobby.register import Presence
from palio_server.lobby.session import Session

GAMES = ("chess", "go", "nim")


class Wire:
    def post(self, topic: str, envelope: Envelope) -> None: ...

    def close(self, code: int, reason: str) -> None: ...


def plain_free(lobby: Lobby, game: str) -> list[str]:
    """Sort all who have a free slot by how long the one that is idle longest has been idle."""
    found = {}
    for name, sessions in lobby._register.here.items():
        free = [each.idle_since for each in sessions.values() if each.free_slots > 0 and game in each.games]
        if free:
            found[name] = min(free)
    return sorted(found, key=found.__getitem__)


def plain_connected(lobby: Lobby, game: str | None) -> list[Presence]:
    found = []
    for name, sessions in sorted(lobby._register.here.items()):
        playing = {each for session in sessions.values() for each in session.games}
        if game is None or game in playing:
            found.append(
                Presence(
                    name=name,
                    games=tuple(sorted(playing)),
                    instances=len(sessions),
                    slots=sum(session.slots for session in sessions.values()),
                    playing=sum(len(session.matches) for session in sessions.values()),
                    transport="+".join(sorted({session.transport for session in sessions.values()})),
                )
            )
    return found


names = st.sampled_from("abcd")
joins = st.tuples(
    st.just("join"),
    names,
    st.sets(st.sampled_from(GAMES), min_size=1),
    st.integers(1, 3),
    st.sampled_from(["websocket", "mqtt"]),
    st.booleans(),
)
leaves = st.tuples(st.just("leave"), st.integers(0, 20))
reserves = st.tuples(st.just("reserve"), st.sampled_from(GAMES), names, names, st.booleans())
releases = st.tuples(st.just("release"), st.integers(0, 20))


@given(st.lists(joins | leaves | reserves | releases, max_size=40), st.booleans())
def test_whatever_happens_the_answers_are_those_of_looking_at_everybody(steps: list[tuple], ask_always: bool) -> None:
    lobby = Lobby(LocalBus(), games=GAMES, now=lambda: 0.0)
    sessions: list[Session] = []
    matches = 0
    for step in steps:
        match step:
            case ("join", name, games, slots, transport, resume):
                own = [session.id for session in sessions if session.name == name]
                hello = Hello(name, sorted(games), slots=slots, resume=own[-1] if resume and own else UNSET)
                sessions.append(lobby.join(hello, Wire(), transport))
            case ("leave", number) if sessions:
                lobby.leave(sessions[number % len(sessions)])
            case ("reserve", game, one, other, absent_ok):
                try:
                    lobby.reserve(f"m{matches}", game, (one, other), deaf(), absent_ok=absent_ok)
                    matches += 1
                except NotAvailable:
                    pass
            case ("release", number) if matches:
                lobby.release(f"m{number % matches}")
        if ask_always:
            check(lobby)
    check(lobby)


def check(lobby: Lobby) -> None:
    assert lobby.connected() == plain_connected(lobby, None)
    assert lobby.games() == sorted({game for bot in lobby.connected() for game in bot.games})
    for game in GAMES:
        assert lobby.free(game) == plain_free(lobby, game)
        assert lobby.connected(game) == plain_connected(lobby, game)
        assert set(lobby.players(game)) == {bot.name for bot in lobby.connected(game)}
        assert all(lobby.is_free(name, game) == (name in lobby.free(game)) for name in "abcd")
    assert all(lobby.is_here(name) == (name in lobby._register.here) for name in "abcd")


def test_who_is_not_known_plays_nothing() -> None:
    lobby = Lobby(LocalBus(), games=GAMES)
    assert not lobby.is_here("a")
    assert not lobby.is_free("a", "chess")
    assert not lobby.is_free("a", "poker")
    assert lobby.free("poker") == []
    assert list(lobby.players("poker")) == []
