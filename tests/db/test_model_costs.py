"""What language models have cost, from the plies of a record to the means that are shown."""

import pytest
from msgspec import UNSET

from palio_db.counters import ModelCosts, costs_of
from palio_rules.contract.messages import MAX_MONEY, Info
from palio_rules.records.record import Ply

TOLD = Info(tokens_in=900, tokens_out=30, cost=0.25, latency_ms=1500)


def test_only_plies_that_were_told_of_a_model_count():
    plies = [Ply(0, 1, 5, TOLD), Ply(0, 1, 5), Ply(0, 1, 5, Info(depth=4)), Ply(0, None, 5, Info(latency_ms=100))]
    assert costs_of(plies) == ModelCosts(2, 900, 30, 250_000_000, 1600)
    assert costs_of([]) == ModelCosts()


def test_the_dearest_matches_fit_into_a_sum():
    dearest = Info(tokens_in=10**9, tokens_out=10**9, cost=MAX_MONEY, latency_ms=10**9)
    assert max(costs_of([Ply(0, 1, 5, dearest)])) * 100_000 < 2**63


async def test_a_leaderboard_and_a_bots_standing_have_the_means(store, make):
    plies = [Ply(0, 1, 5, TOLD), Ply(1, 1, 5), Ply(0, 1, 5, Info(tokens_in=100, tokens_out=10, latency_ms=500))]
    await make.play(store, plies=plies)
    await make.play(store, plies=[])
    by_name = {line.bot: line for line in (await store.leaderboard("nim")).leaders}
    anna, ben = by_name["anna"], by_name["ben"]
    assert (anna.tokens_in, anna.tokens_out, anna.latency_ms) == (500.0, 20.0, 1000.0)
    assert anna.cost == pytest.approx(0.125)  # a game
    assert (ben.tokens_in, ben.tokens_out, ben.cost, ben.latency_ms) == (None,) * 4
    [standing] = await store.standings("anna")
    assert (standing.tokens_in, standing.cost_total) == (500.0, pytest.approx(0.25))


async def test_without_tokens_or_a_price_only_the_latency_is_known(store, make):
    await make.play(store, plies=[Ply(0, 1, 5, Info(latency_ms=500))])
    anna = next(line for line in (await store.leaderboard("nim")).leaders if line.bot == "anna")
    assert (anna.tokens_in, anna.tokens_out, anna.cost, anna.latency_ms) == (None, None, None, 500.0)


def test_a_ply_says_nothing_of_a_model_unless_it_was_told():
    assert Info(depth=1).cost is UNSET
