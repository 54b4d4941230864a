"""A referee and two bots' own sessions over a network that loses, doubles and reorders messages and cuts connections.

In every run: each turn is answered by one move, which is applied once, and to that turn; a strike is for a bad answer;
clocks never gain; and as soon as the network works, the match comes to its end.
"""

from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from palio_clients.sdk import events as heard
from palio_clients.sdk.session import Session
from palio_rules.contract.codec import decode_from_bot, decode_from_server, encode
from palio_rules.contract.messages import Hello, Move, ServerMessage, Welcome
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl
from palio_server.match import events
from palio_server.match.channel import Incoming, Joined, Left, Said
from palio_server.match.referee import Referee

STONES = 9
SETUP = Setup("heap2", ("ann", "bob"), {"stones": STONES}, time=TimeControl.parse("60+1"))
BAD = 99  # stones
seats = st.integers(0, 1)
whichever = st.randoms(use_true_random=False)


@dataclass
class Side:
    """One bot: its session, and what is on its way to it and from it."""

    session: Session
    connected: bool = True
    to_bot: list[bytes] = field(default_factory=list)
    from_bot: list[bytes] = field(default_factory=list)
    thoughts: list[heard.Think] = field(default_factory=list)
    answers: dict[int, list[object]] = field(default_factory=dict)  # what it has answered to each turn, in order
    brought: list[bytes] = field(default_factory=list)
    carried: list[bytes] = field(default_factory=list)
    over: int = 0


class RefereeMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.now = 1000.0
        self.sides = [Side(Session(name, ["heap2"])) for name in SETUP.bots]
        self.happened: list[events.RefereeEvent] = []
        self.match = Referee().take_up("m", SETUP, self)
        self._note(self.match.begin())
        for seat in (0, 1):
            self._say_hello(seat)

    # --- the channel, as the referee has it ---------------------------------------------------------------------------

    def time(self) -> float:
        return self.now

    def post(self, seat: int, message: ServerMessage) -> None:
        if self.sides[seat].connected:
            self.sides[seat].to_bot.append(encode(message))

    def without(self, seat: int) -> tuple[()]:
        return ()

    @initialize(rounds=st.integers(0, 3))
    def begin(self, rounds: int) -> None:
        for _ in range(rounds):
            self.play_on_in_peace()

    # --- the network --------------------------------------------------------------------------------------------------

    @rule(seat=seats, which=whichever)
    def bring(self, seat: int, which: Random) -> None:
        """Some message to the bot, perhaps before another that was sent earlier."""
        waiting = self.sides[seat].to_bot
        if waiting:
            self._hear_server(seat, waiting.pop(which.randrange(len(waiting))))

    @rule(seat=seats, which=whichever)
    def carry(self, seat: int, which: Random) -> None:
        waiting = self.sides[seat].from_bot
        if waiting:
            self._hear_bot(seat, waiting.pop(which.randrange(len(waiting))))

    @rule(seat=seats, which=whichever, down=st.booleans())
    def double(self, seat: int, which: Random, down: bool) -> None:
        """A message of long ago comes once more."""
        side = self.sides[seat]
        past = side.brought if down else side.carried
        if past and side.connected:
            (self._hear_server if down else self._hear_bot)(seat, which.choice(past))

    @rule(seat=seats, which=whichever, down=st.booleans())
    def lose(self, seat: int, which: Random, down: bool) -> None:
        waiting = self.sides[seat].to_bot if down else self.sides[seat].from_bot
        if waiting:
            waiting.pop(which.randrange(len(waiting)))

    @rule(seat=seats)
    def cut(self, seat: int) -> None:
        side = self.sides[seat]
        if side.connected:
            side.connected = False
            side.to_bot.clear()
            side.from_bot.clear()
            side.session.disconnect()
            self._tell(Left(seat, self.now))

    @rule(seat=seats)
    def connect(self, seat: int) -> None:
        if not self.sides[seat].connected:
            self._say_hello(seat)

    # --- bots and time ------------------------------------------------------------------------------------------------

    @rule(seat=seats, stones=st.sampled_from([1, 1, 2, BAD]))
    def think(self, seat: int, stones: int) -> None:
        """About the newest turn, or about one that is over."""
        side = self.sides[seat]
        if side.thoughts:
            thought = side.thoughts.pop()
            if side.session.answer("m", thought.turn.id, stones):
                side.answers.setdefault(thought.turn.id, []).append(stones)
            self._send(seat)

    @rule(seconds=st.sampled_from([0.001, 1.0, 4.0]))
    def wait(self, seconds: float) -> None:
        """The referee is woken whenever it wants to be."""
        until = self.now + seconds
        while not self.match.over and self.match.wake <= until:
            self.now = max(self.now, self.match.wake)
            self._tell(None)
        self.now = until

    @precondition(lambda self: not self.match.over)
    @rule()
    def play_on_in_peace(self) -> None:
        """For a moment the network works: everything arrives, in order, and who is asked answers."""
        for seat in (0, 1):
            if not self.sides[seat].session.welcomed:  # its hello was lost: a bot without an answer connects again
                self.cut(seat)
            self.connect(seat)
            self._deliver(seat)
            self.think(seat, 1)
            self._deliver(seat)

    # --- what must hold -----------------------------------------------------------------------------------------------

    @invariant()
    def plies_are_the_answers_to_their_turns(self) -> None:
        played = [event for event in self.happened if isinstance(event, events.Played)]
        for number, event in enumerate(played, 1):
            seat = (number - 1) % 2
            turn = 1_000_000 + number  # turns are numbered as plies are, from the epoch's first one on
            assert (event.number, event.ply.seat) == (number, seat)
            assert event.ply.move in self.sides[seat].answers[turn]
        left = STONES - sum(event.move for event in played)
        assert left >= 0
        if played:
            assert played[-1].state.stones == left

    @invariant()
    def strikes_are_for_answers_that_were_bad(self) -> None:
        struck = [event.rejected.seat for event in self.happened if isinstance(event, events.Rejected)]
        for seat, side in enumerate(self.sides):
            assert struck.count(seat) <= sum(moves.count(BAD) for moves in side.answers.values())
            for moves in side.answers.values():
                assert moves[:-1] == [BAD] * (len(moves) - 1)  # only after a bad one does it think again

    @invariant()
    def clocks_hold_no_more_than_was_given(self) -> None:
        spent = [0, 0]
        for event in self.happened:
            if isinstance(event, events.Played):
                spent[event.ply.seat] += event.ply.ms
                assert 0 <= event.ply.ms <= (self.now - 1000.0) * 1000 + 1
                moves = (event.number + 1 - event.ply.seat) // 2
                assert event.clocks_ms[event.ply.seat] == 60_000 + moves * 1_000 - spent[event.ply.seat]

    @invariant()
    def a_match_ends_once_and_for_a_reason(self) -> None:
        assert sum(isinstance(event, events.Finished) for event in self.happened) == self.match.over
        assert all(side.over <= 1 for side in self.sides)
        if self.match.over:
            assert isinstance(finished := self.happened[-1], events.Finished)
            assert finished.result.termination in ("rule", "time", "illegal", "disconnected", "stalled", "adjudicated")

    def teardown(self) -> None:
        """Everything works again: the match must end, and a bot that is told so has nothing left to do."""
        for _ in range(10 * STONES):
            if self.match.over:
                break
            self.play_on_in_peace()
            self.wait(5.1)  # a turn that was lost is sent again
        assert self.match.over

    # --- within -------------------------------------------------------------------------------------------------------

    def _say_hello(self, seat: int) -> None:
        side = self.sides[seat]
        side.connected = True
        side.session.connect()
        self._send(seat)

    def _send(self, seat: int) -> None:
        side = self.sides[seat]
        side.from_bot += [encode(message) for message in side.session.outgoing()]

    def _deliver(self, seat: int) -> None:
        side = self.sides[seat]
        while side.connected and (side.to_bot or side.from_bot):
            if side.from_bot:
                self._hear_bot(seat, side.from_bot.pop(0))
            else:
                self._hear_server(seat, side.to_bot.pop(0))

    def _hear_server(self, seat: int, data: bytes) -> None:
        side = self.sides[seat]
        side.brought.append(data)
        for event in side.session.receive(decode_from_server(data), self.now):
            match event:
                case heard.GameBegins():
                    side.session.ready("m")
                case heard.Think():
                    side.thoughts.append(event)
                case heard.MatchOver():
                    side.over += 1
                case heard.HelloWanted():
                    side.session.connect()
        self._send(seat)

    def _hear_bot(self, seat: int, data: bytes) -> None:
        self.sides[seat].carried.append(data)
        message = decode_from_bot(data)
        if isinstance(message, Hello):  # the lobby's part: it welcomes, and the match hears who has come
            self.post(seat, Welcome(f"s{seat}", "palio"))
            self._tell(Joined(seat, self.now))
            return
        if isinstance(message, Move):
            assert message.move in self.sides[seat].answers[message.id]
        self._tell(Said(seat, message, self.now))

    def _tell(self, incoming: Incoming | None) -> None:
        if not self.match.over:
            self._note(self.match.hear(incoming))

    def _note(self, found: object) -> None:
        assert isinstance(found, list | tuple)
        self.happened += found
        if self.match.over:
            self.match.announce()


@pytest.mark.usefixtures("small_games")
def test_whatever_the_network_does_a_match_is_played_once_and_to_its_end() -> None:
    length = settings(max_examples=4 * settings().max_examples, stateful_step_count=50)
    run_state_machine_as_test(RefereeMachine, settings=length)


@pytest.mark.usefixtures("small_games")
def test_a_bad_answer_that_a_copy_of_its_turn_repeats_is_one_strike() -> None:
    machine = RefereeMachine()
    machine.begin(1)
    machine.wait(5.0)  # the turn is sent twice before the bot hears of it
    machine.bring(0, Random(0))
    machine.think(0, BAD)
    machine.play_on_in_peace()
    machine.strikes_are_for_answers_that_were_bad()
    assert sum(isinstance(event, events.Rejected) for event in machine.happened) == 1
