"""Turns that cost processor time: a program pays for what it computes, and other work on the machine costs nothing."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.contract.messages import GameMessage, Move, Ready, Turn
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl
from palio_server.match import events
from palio_server.match.referee import Referee
from palio_server.match.turn_time import STARVED_TIMES, WALL_S, WALL_TIMES, Again, verdict

limits, times = st.floats(0.01, 100), st.floats(0, 10_000)


@given(limits, times, times, times)
def test_a_turn_is_over_by_own_time_only_and_more_waiting_never_ends_it(limit, wall, ran, waited):
    found, patient = verdict(limit, wall, ran, waited), verdict(limit, wall, ran, waited + 10)
    most = WALL_TIMES * limit + WALL_S
    if ran > limit:
        assert found == patient == "over"
    elif wall < most:
        assert isinstance(found, Again)
    elif waited == 0:  # it slept
        assert found == "over"
    if found != "over":
        assert patient == found
    if wall >= STARVED_TIMES * most:  # no turn goes on without end
        assert found in ("over", "starved")


@given(limits, times, st.floats(1, 8), times)
def test_threads_that_wait_for_each_other_gain_no_time(limit, wall, cores, waited):
    assert verdict(limit, wall, cores * wall, waited) == verdict(limit, wall, cores * wall, 0)


def thinker(ran: float, wall: float):
    """A bot that answers after `wall` seconds, for `ran` of which it computes; it notes what it has used."""

    def bot(channel, seat, message):
        if isinstance(message, GameMessage):
            channel.say(seat, Ready(message.match))
        elif isinstance(message, Turn) and message.id not in channel.seen:
            channel.seen.add(message.id)
            channel.thought[seat] = (channel.now, ran, wall)
            channel.say(seat, Move(message.match, message.id, message.moves[0]), wall)

    return bot


async def played(script, bots, waits: float, st_s: str = "1"):
    """Play with seconds a move; programs wait for a processor in the share `waits` of what they do not compute."""

    class Measured(script.channel):
        seen, thought = set(), {}

        def measured(self, seat):
            if seat not in self.thought:
                return 0.0, 0.0
            began, ran, wall = self.thought[seat]
            share = min(1.0, (asyncio.get_running_loop().time() - began) / wall)
            return share * ran, share * (wall - ran) * waits

    options = {"stones": 2}
    setup = Setup("heap2", ("ann", "bob"), options, time=TimeControl.parse(st=st_s), clock="processor", grace_ms=10**6)
    happened = await script.events(Referee(resend_s=10**6).play("m", setup, Measured(bots)))
    return happened[-1].result, [event.ply.ms for event in happened if isinstance(event, events.Played)]


@pytest.mark.virtual_clock
@pytest.mark.usefixtures("small_games")
@pytest.mark.parametrize(
    ("ran", "wall", "waits", "how"),
    [
        (0.9, 0.9, 0.0, "rule"),
        (0.9, 11.0, 0.0, "rule"),  # it sleeps: up to ten times the limit, and two seconds
        (0.9, 30.0, 1.0, "rule"),  # others have the processor
        (1.3, 1.3, 0.0, "move-limit"),
        (4.0, 1.1, 0.0, "move-limit"),  # threads, each of which answers in time by the wall
        (1.3, 9.0, 1.0, "move-limit"),
        (0.0, 15.0, 0.0, "move-limit"),  # it sleeps too long
        (0.0, 90.0, 1.0, "machine-busy"),
    ],
)
async def test_a_move_costs_the_processor_time_of_its_program(script, ran, wall, waits, how):
    result, taken = await played(script, [thinker(ran, wall), thinker(0.1, 0.1)], waits)
    if how == "rule":
        assert result.termination == "rule"
        assert taken[0] == round(ran * 1000)
    else:
        assert result.reason == how
        assert (result.termination == "adjudicated") == (how == "machine-busy")
