"""A match that is taken up from its journal ends as if nothing had happened."""

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.byoyomi import Byoyomi
from palio_rules.contract.messages import GameMessage, Move, Ready, Rejected, Turn
from palio_rules.records.record import Ply, RejectedMove, Setup
from palio_rules.time_control import TimeControl
from palio_server.match import events
from palio_server.match.referee import Referee

pytestmark = pytest.mark.usefixtures("small_games")


@dataclass(frozen=True)
class Plan:
    """The behaviour of both bots at each ply: think so long, first try so many illegal moves, then take
    so many stones.
    """

    think_ms: tuple[int, ...]
    wrong: tuple[int, ...]
    take: tuple[int, ...]

    def bot(self, channel, seat, message):
        match message:
            case GameMessage():
                channel.say(seat, Ready("m"))
            case Turn(ply=ply):
                stones = int(message.state.split()[0])
                self.left = [0] * self.wrong[ply % len(self.wrong)] + [min(stones, self.take[ply % len(self.take)])]
                self.think = self.think_ms[ply % len(self.think_ms)] / 1000
                self.answer(channel, seat, message.id)
            case Rejected():
                self.answer(channel, seat, message.id)

    def answer(self, channel, seat, turn):
        channel.say(seat, Move("m", turn, self.left.pop(0)), self.think)


class Bots(Plan):
    """A plan that remembers where in a turn it is."""

    __slots__ = ("left", "think")

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


plans = st.builds(
    Bots,
    think_ms=st.lists(st.integers(0, 1500), min_size=1, max_size=7).map(tuple),
    wrong=st.lists(st.sampled_from([0, 0, 0, 1]), min_size=1, max_size=7).map(tuple),
    take=st.lists(st.integers(1, 3), min_size=1, max_size=5).map(tuple),
)
setups = st.builds(
    lambda stones, base, increment, strikes, cap, byoyomi: Setup(
        game="heap2",
        bots=("ann", "bob"),
        options={"stones": stones},
        time=TimeControl(base, byoyomi=byoyomi) if byoyomi else TimeControl(base_ms=base, increment_ms=increment),
        strikes=strikes,
        max_plies=cap,
    ),
    st.integers(1, 20),
    st.integers(1, 6000),
    st.integers(0, 1000),
    st.integers(1, 6),
    st.integers(1, 20),
    st.none()
    | st.builds(Byoyomi, st.integers(1, 1500), st.integers(1, 3))
    | st.builds(Byoyomi, st.integers(1, 3000), stones=st.integers(1, 3)),
)


def outcome(virtually, script, setup, plan, plies=(), rejected=(), epoch=1):
    """Plies, rejected moves and result of a match that goes on after `plies` and `rejected`."""

    async def match():
        channel = script.channel([plan.bot, plan.bot])
        happened = await script.events(
            Referee().play("m", setup, channel, epoch=epoch, journal=plies, rejected=rejected)
        )
        return (
            [*plies, *(event.ply for event in happened if isinstance(event, events.Played))],
            [*rejected, *(event.rejected for event in happened if isinstance(event, events.Rejected))],
            happened[-1].result,
            [turn.id for seat in (0, 1) for turn in channel.to(seat, Turn)],
        )

    return virtually(match())


@settings(max_examples=2 * settings().max_examples // 3)
@given(setups, plans, st.data())
def test_resumed_at_any_ply_a_match_ends_with_the_same_record(virtually, script, setup, plan, data):
    plies, rejected, result, ids = outcome(virtually, script, setup, plan)
    cut = data.draw(st.integers(0, len(plies)))
    early = [move for move in rejected if move.ply < cut]
    again = outcome(virtually, script, setup, plan, plies[:cut], early, epoch=2)
    assert again[:3] == (plies, rejected, result)
    assert not set(again[3]) & set(ids)  # an answer from before the restart is never taken for a new one


def test_who_had_used_up_its_strikes_before_the_restart_is_not_given_another(virtually, script):
    setup = Setup(game="heap2", bots=("ann", "bob"))
    rejected = [RejectedMove(1, 1, "9", "wrong-count", "cannot take 9")] * 3
    plan = Bots((100,), (0,), (1,))
    plies, _, result, _ = outcome(virtually, script, setup, plan, [Ply(0, 1, 100)], rejected)
    assert len(plies) == 1
    assert (result.termination, result.seat) == ("illegal", 1)


def test_a_match_whose_last_ply_was_journaled_needs_no_bots(virtually, script):
    setup = Setup(game="heap2", bots=("ann", "bob"), options={"stones": 2})

    async def match():
        channel = script.channel([script.silent, script.silent])
        return await script.events(Referee().play("m", setup, channel, epoch=2, journal=[Ply(0, 2, 100)]))

    happened = virtually(match())
    assert [type(event).__name__ for event in happened] == ["Finished"]
    assert happened[0].result.scores == [1.0, 0.0]


def test_a_journal_against_the_rules_is_refused(virtually, script):
    setup = Setup(game="heap2", bots=("ann", "bob"), options={"stones": 2})

    async def match():
        await script.events(Referee().play("m", setup, script.channel(), journal=[Ply(0, 3, 100)]))

    with pytest.raises(ValueError, match="cannot take 3 of 2"):
        virtually(match())
