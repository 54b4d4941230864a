"""Draw offers: how long one stands, who may make another, and what the seats are told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from palio_rules.contract.messages import Draw, DrawOffered, Error, GameMessage, Move, Ready, Turn
from palio_rules.records.record import Setup
from palio_server.match.channel import Joined, Left
from palio_server.match.referee import Referee
from palio_server.match.seats import SURPLUS_LIMIT, DrawOffers

# --- the offers alone ------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.sampled_from(["offer", "move"]), st.integers(0, 1))))
def test_an_offer_stands_until_the_opponent_moves_and_is_followed_by_a_move_before_the_next(story):
    offers, made = DrawOffers(), {0: 0, 1: 0}  # by seat: offers since its last move
    standing = None
    for what, seat in story:
        if what == "move":
            offers, made[seat] = offers.moved(seat), 0
            standing = None if standing == 1 - seat else standing
        elif offers.accepts(seat):
            assert standing == 1 - seat
            return
        else:
            assert bool(offers.refusal(seat)) == (made[seat] > 0 or standing == seat)
            if not offers.refusal(seat):
                offers, standing, made[seat] = offers.offered(seat), seat, made[seat] + 1
        assert offers.standing == standing


# --- in a match ------------------------------------------------------------------------------------------------------


def setup(stones=9, offers=True):
    return Setup("heap2", ("ann", "bob"), options={"stones": stones}, draw_offers=offers)


def player(script, *draws, take=1):
    """A player that sends `draw` before its own move of each number in `draws`, and takes one stone a turn."""
    turns = []

    def bot(channel, seat, message):
        if isinstance(message, GameMessage):
            channel.say(seat, Ready(message.match))
        elif isinstance(message, Turn):
            turns.append(message)
            for _ in range(draws.count(len(turns))):
                channel.say(seat, Draw(message.match), 0.05)
            channel.say(seat, Move(message.match, message.id, take), 0.1)

    return bot


def accepts(channel, seat, message):
    """Get ready, never move, and accept every offer of the other seat."""
    if isinstance(message, GameMessage):
        channel.say(seat, Ready(message.match))
    elif isinstance(message, DrawOffered) and message.seat != seat:
        channel.say(seat, Draw(message.match), 1.0)


async def play(script, agreed, bots, *coming):
    channel = script.channel(list(bots))
    for heard in coming:
        channel.hear(heard, heard.at)
    happened = await script.events(Referee().play("m", agreed, channel))
    return channel, happened[-1].result


def refusals(channel, seat):
    return [message.code for message in channel.to(seat, Error)]


pytestmark = pytest.mark.usefixtures("small_games")


@pytest.mark.virtual_clock
async def test_a_draw_that_is_accepted_is_told_to_both_and_ends_the_match(script):
    channel, result = await play(script, setup(), [player(script, 1), accepts])
    assert (result.termination, result.reason, result.scores, result.seat) == (
        "adjudicated",
        "agreement",
        [0.5, 0.5],
        None,
    )
    assert channel.to(0, DrawOffered) == channel.to(1, DrawOffered) == [DrawOffered("m", 0)]
    assert [message.draw_offers for message in channel.to(1, GameMessage)] == [True]


@pytest.mark.virtual_clock
async def test_a_move_declines_an_offer_and_the_game_goes_on(script):
    channel, result = await play(script, setup(), [player(script, 1, 2), player(script)])
    assert (result.termination, result.reason) == ("rule", "last-stone")
    assert channel.to(1, DrawOffered) == [DrawOffered("m", 0)] * 2
    assert refusals(channel, 0) == []


@pytest.mark.virtual_clock
async def test_a_second_offer_before_a_move_is_refused_and_reaches_nobody(script):
    channel, _ = await play(script, setup(), [player(script, 1, 1), player(script)])
    assert channel.to(1, DrawOffered) == [DrawOffered("m", 0)]
    assert refusals(channel, 0) == ["draw-offered"]
    assert "stands until your opponent moves" in channel.to(0, Error)[0].reason


@pytest.mark.virtual_clock
@pytest.mark.parametrize("offers", [UNSET, False])
async def test_without_the_agreement_to_offers_a_draw_is_refused_and_the_opponent_hears_nothing(script, offers):
    channel, result = await play(script, setup(offers=offers), [player(script, 1, 2), player(script)])
    assert result.termination == "rule"
    assert refusals(channel, 0) == ["no-draw-offers"] * 2
    assert channel.to(1, DrawOffered) == channel.to(0, DrawOffered) == []


@pytest.mark.virtual_clock
async def test_a_flood_of_offers_loses_the_match(script):
    bots = [player(script, *[1] * (SURPLUS_LIMIT + 2)), player(script)]
    _, result = await play(script, setup(), bots)
    assert (result.termination, result.reason, result.seat) == ("illegal", "flood", 0)


@pytest.mark.virtual_clock
async def test_whoever_comes_back_hears_of_the_offer_that_stands(script):
    away = [Left(1, 1000.06), Joined(1, 1000.09)]
    channel, _ = await play(script, setup(), [player(script, 1), player(script)], *away)
    assert channel.to(1, DrawOffered) == [DrawOffered("m", 0)] * 2
    assert len(channel.to(1, GameMessage)) == 2


@pytest.mark.virtual_clock
async def test_an_offer_of_another_match_is_refused(script):
    def stray(channel, seat, message):
        if isinstance(message, GameMessage):
            channel.say(seat, Ready(message.match))
        elif isinstance(message, Turn):
            channel.say(seat, Draw("other"))
            channel.say(seat, Move(message.match, message.id, 1), 0.1)

    channel, _ = await play(script, setup(1), [stray, player(script)])
    assert refusals(channel, 0) == ["unknown-match"]
