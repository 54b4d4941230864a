"""The lobby against a simple model: with bots that come, leave, resume, are expelled, reserved or released in any
order, a seat has one connection at most, and its match's messages go to that one alone.
"""

from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, precondition, rule
from listening import Heard, Listening
from msgspec import UNSET

from palio_rules.contract import topics
from palio_rules.contract.messages import Hello
from palio_server.bus import Envelope
from palio_server.bus.local import LocalBus
from palio_server.lobby.lobby import Lobby, LobbyError, NotAvailable
from palio_server.lobby.register import LobbyLimits
from palio_server.lobby.session import Expulsion, Session

GUEST = "guest-owl"
NAMES = ["ann", "bob", "cid", GUEST]
GAMES = ["chess", "go"]
LIMITS = LobbyLimits(sessions=6, instances=3, resume_s=100.0)
REVOKED = Expulsion("revoked", "token-revoked", "its token has been revoked")


class Link:
    def __init__(self) -> None:
        self.posts: Counter[bytes] = Counter()
        self.closed = 0

    def post(self, topic: str, envelope: Envelope) -> None:
        self.posts[envelope.data] += 1

    def close(self, code: int, reason: str) -> None:
        self.closed += 1


@dataclass(eq=False)
class Stay:
    """The model's state of one session; `holds` are its matches, or those it had when it was lost."""

    session: Session
    link: Link
    name: str
    games: frozenset[str]
    slots: int
    over: str
    holds: list[str] = field(default_factory=list)
    left_at: float = 0.0


class LobbyMachine(RuleBasedStateMachine):
    """`here` and `gone` are lists, the seats one dictionary: nothing is kept up to date, all is looked for."""

    sessions = Bundle("sessions")
    matches = Bundle("matches")

    def __init__(self) -> None:
        super().__init__()
        self.time = 0.0
        self.bus = LocalBus()
        self.lobby = Lobby(self.bus, games=GAMES, limits=LIMITS, now=lambda: self.time)
        self.here: list[Stay] = []
        self.gone: list[Stay] = []
        self.seats: dict[str, dict[str, Stay | None]] = {}  # of each match, in order of their reservation
        self.game: dict[str, str] = {}
        self.heard: Heard = []
        self.told: Heard = []  # what the model says should have been heard
        self.expelled: list[tuple[str, str, Expulsion]] = []
        self.count = 0

    # --- what may happen ----------------------------------------------------------------------------------------------

    @rule(
        target=sessions,
        name=st.sampled_from(NAMES),
        games=st.sets(st.sampled_from(GAMES), min_size=1),
        slots=st.integers(1, 3),
        over=st.sampled_from(["websocket", "websocket", "mqtt"]),
    )
    def join(self, name, games, slots, over):
        return self._join(name, games, slots, over, None)

    @rule(target=sessions, known=consumes(sessions), slots=st.integers(1, 3), as_=st.none() | st.sampled_from(NAMES))
    def resume(self, known, slots, as_):
        """Of a lost session or a connected one, under its own name or, as a thief would, under another."""
        return self._join(as_ or known.name, known.games, slots, known.over, known)

    @rule(known=sessions)
    def leave(self, known):
        self.lobby.leave(known.session)
        self._lose(known)

    @rule(known=sessions)
    def expel(self, known):
        if known not in self.here + self.gone:
            return
        forfeited = [m for m in known.holds if m in self.seats and self.seats[m].get(known.name) in (known, None)]
        before = len(self.expelled)
        assert self.lobby.expel(known.session, REVOKED) == forfeited
        assert self.expelled[before:] == [(match, known.name, REVOKED) for match in forfeited]
        self._lose(known)
        if known in self.gone:
            self.gone.remove(known)

    @rule(
        target=matches,
        game=st.sampled_from(GAMES),
        names=st.sets(st.sampled_from(NAMES), min_size=1),
        wait=st.booleans(),
    )
    def reserve(self, game, names, wait):
        names, match = sorted(names), f"m{self.count}"
        self.count += 1
        could = {name: [stay for stay in self._of(name) if self._has_room(stay, game)] for name in names}
        if not wait and not all(could.values()):
            with pytest.raises(NotAvailable):
                self.lobby.reserve(match, game, names, Listening(match, self.heard, self.expelled))
            return multiple()
        self.lobby.reserve(match, game, names, Listening(match, self.heard, self.expelled), absent_ok=wait)
        self.seats[match], self.game[match] = dict.fromkeys(names), game
        for name in names:
            takers = [stay for stay in could[name] if match in stay.session.matches]
            assert len(takers) == bool(could[name])  # which of them is the lobby's choice
            for stay in takers:
                self._seat(match, stay)
        return match

    @rule(match=consumes(matches))
    def release(self, match):
        freed = [stay for stay in self.seats.pop(match).values() if stay is not None]
        for stay in freed:
            stay.holds.remove(match)
            self._take_over(stay, [])
        self.lobby.release(match)
        self.lobby.release(match)  # once more is harmless

    @rule(seconds=st.sampled_from([1.0, 60.0, 101.0]))
    def wait(self, seconds):
        self.time += seconds

    @precondition(lambda self: self.seats)
    @rule()
    def every_match_speaks(self):
        """To the connection that holds the seat, and to no other."""
        self.count += 1
        said = f"{self.count}".encode()
        for match, seats in self.seats.items():
            for name in seats:
                self.bus.publish(topics.bot_in(name, match), said + match.encode() + name.encode())
        for stay in self.here + self.gone:
            heard = {data for data in stay.link.posts if data.startswith(said)}
            own = {said + match.encode() + stay.name.encode() for match in stay.holds} if stay in self.here else set()
            assert heard == (own if stay.over != "mqtt" else set())
            assert all(stay.link.posts[data] == 1 for data in heard)

    # --- what must hold -----------------------------------------------------------------------------------------------

    @invariant()
    def seats_are_held_as_the_model_says(self):
        for match, seats in self.seats.items():
            for name, stay in seats.items():
                assert self.lobby.present(match, name) == (stay is not None)
                holders = [each for each in self.here if match in each.session.matches and each.name == name]
                assert holders == ([] if stay is None else [stay])
        for stay in self.here:
            assert [*stay.session.matches] == stay.holds
            assert len(stay.holds) <= stay.slots

    @invariant()
    def matches_hear_who_comes_and_goes(self):
        assert sorted(self.heard) == sorted(self.told)

    @invariant()
    def whatever_is_asked_is_what_a_recount_says(self):
        listed = sorted({stay.name for stay in self.here} - {GUEST})
        assert [(one.name, one.instances, one.slots, one.playing) for one in self.lobby.connected()] == [
            (name, len(own), sum(stay.slots for stay in own), sum(len(stay.holds) for stay in own))
            for name in listed
            if (own := self._of(name))
        ]
        for game in GAMES:
            free = {stay.name for stay in self.here if self._has_room(stay, game)}
            assert {name for name in NAMES if self.lobby.is_free(name, game)} == free
            assert sorted(self.lobby.free(game)) == sorted(free - {GUEST})
            players = {stay.name for stay in self.here if game in stay.games}
            assert set(self.lobby.players(game)) == players - {GUEST}
        assert {id(each) for each in self.lobby.sessions()} == {id(stay.session) for stay in self.here + self.gone}

    # --- the model ----------------------------------------------------------------------------------------------------

    def _join(self, name, games, slots, over, known):
        if name == GUEST:
            slots = 1
        hello = Hello(name, sorted(games), slots=slots, resume=UNSET if known is None else known.session.id)
        link = Link()
        self._forget()
        resumed = known is not None and known.name == name and known in self.here + self.gone
        old = [known] if resumed else []
        others = [stay for stay in self._of(name) if stay not in old]
        old += [stay for stay in others if name == GUEST or (over == stay.over == "mqtt")]
        ended = [stay for stay in old if stay in self.here]
        back = multiple() if known is None else known
        full = len(self._of(name)) - len(ended) >= LIMITS.instances or len(self.here) - len(ended) >= LIMITS.sessions
        if full:
            with pytest.raises(LobbyError, match="already"):
                self.lobby.join(hello, link, over)
            return back
        inherited = [match for stay in old for match in stay.holds]
        for stay in old:
            self._withdraw(stay)
        session = self.lobby.join(hello, link, over)
        assert (session.id == known.session.id) if resumed else all(session.id != each.session.id for each in self.here)
        assert all(stay.link.closed for stay in ended)
        new = Stay(session, link, name, frozenset(games), slots, over)
        self.here.append(new)
        self._take_over(new, inherited)
        return new

    def _lose(self, stay):
        if stay not in self.here:
            return
        held = [*stay.holds]
        self._withdraw(stay)
        stay.holds, stay.left_at = held, self.time
        self.gone.append(stay)
        self._forget()

    def _withdraw(self, stay):
        """Out of the lists; the seats that it holds are empty, and their matches hear of it."""
        if stay in self.gone:
            self.gone.remove(stay)
        if stay in self.here:
            self.here.remove(stay)
            for match in stay.holds:
                self.seats[match][stay.name] = None
                self.told.append((match, stay.name, False))
            stay.holds = []

    def _take_over(self, stay, first):
        for match in dict.fromkeys([*first, *self.seats]):
            waits = match in self.seats and self.seats[match].get(stay.name, stay) is None
            if waits and self._has_room(stay, self.game[match]):
                self._seat(match, stay)
                self.told.append((match, stay.name, True))

    def _seat(self, match, stay):
        self.seats[match][stay.name] = stay
        stay.holds.append(match)

    def _forget(self):
        while self.gone and (self.gone[0].left_at <= self.time - LIMITS.resume_s or len(self.gone) > LIMITS.sessions):
            self.gone.pop(0)

    def _of(self, name):
        return [stay for stay in self.here if stay.name == name]

    def _has_room(self, stay, game):
        return game in stay.games and len(stay.holds) < stay.slots


TestLobbyMachine = LobbyMachine.TestCase
TestLobbyMachine.settings = settings(max_examples=3 * settings().max_examples, stateful_step_count=40)
