"""Parts that a bot does not need are not made for it; the program that takes over its seat may need them."""

import asyncio

import pytest

from palio_rules.contract.messages import Played, Turn
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl
from palio_server.match import events, turns
from palio_server.match.channel import Joined, Left
from palio_server.match.referee import Referee

pytestmark = [pytest.mark.virtual_clock, pytest.mark.usefixtures("small_games")]

HEAP = Setup("heap2", ("ann", "bob"), options={"stones": 4}, time=TimeControl.parse("60"))
PARK = Setup("rush_hour", ("ann", "bob"), options={"board": "b.../b.../aa.c/.d.."}, time=TimeControl.parse("10"))


def one(turn: Turn) -> int:
    return 1


async def test_turns_list_no_moves_and_no_ply_is_told_to_a_seat_that_needs_neither(script, monkeypatch) -> None:
    listed: list[int] = []
    kept = turns.LegalMoves.listed
    monkeypatch.setattr(turns.LegalMoves, "listed", lambda moves, state: listed.append(1) or kept(moves, state))
    channel = script.channel([script.player(one), script.player(one)])
    channel.omitted = {0: frozenset({"moves", "played"})}
    happened = await script.events(Referee().play("m", HEAP, channel))
    assert [turn.moves for turn in channel.to(0, Turn)] == [None, None]
    assert channel.to(0, Played) == []
    assert [turn.moves for turn in channel.to(1, Turn)] == [[1, 2, 3], [1]]
    assert len(listed) == 2, "what is not sent is not computed"
    assert len(channel.to(1, Played)) == sum(isinstance(event, events.Played) for event in happened) == 4


@pytest.mark.parametrize("omitted", ["moves", "played"])
async def test_each_can_be_left_out_alone(script, omitted) -> None:
    channel = script.channel([script.player(one), script.player(one)])
    channel.omitted = {0: frozenset({omitted}), 1: frozenset({omitted})}
    await script.events(Referee().play("m", HEAP, channel))
    assert (channel.to(0, Turn)[0].moves is None) == (omitted == "moves")
    assert (channel.to(0, Played) == []) == (omitted == "played")


async def test_a_turn_that_is_sent_again_to_another_program_lists_its_moves(script) -> None:
    channel = script.channel([script.player(one, think=20), script.player(one)])
    channel.omitted = {0: frozenset({"moves"})}

    def change() -> None:
        channel.omitted = {}
        channel.hear(Left(0, channel.now))
        channel.hear(Joined(0, channel.now))

    asyncio.get_running_loop().call_later(2.0, change)
    await script.events(Referee().play("m", HEAP, channel), lambda event: isinstance(event, events.Back))
    first, again = channel.to(0, Turn)[:2]
    assert first.id == again.id
    assert (first.moves, again.moves) == (None, [1, 2, 3])


async def test_a_race_asks_for_each_entrant(script) -> None:
    channel = script.channel([script.player(one, think=1), script.player(one, think=1)])
    channel.omitted = {1: frozenset({"moves"})}
    await script.events(Referee().play("m", PARK, channel), lambda event: isinstance(event, events.Started))
    assert channel.to(0, Turn)[0].moves
    assert channel.to(1, Turn)[0].moves is None
