"""Accounts of what is read of one program: reading stops when it costs too much, and its own turn is its own time."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.edge.accounts import BURST_S, MOST_S, RATE, RATE_IN_TURN, READ_S, TURN_S, Account

Virtually = Callable[[Coroutine[Any, Any, None]], Any]
COST_S = 0.002  # of a read


class Flood:
    """Something that can always be read, at a cost each time."""

    def __init__(self, account: Account, now: list[float], *, in_turn: bool) -> None:
        self.account, self.now, self.in_turn = account, now, in_turn
        self.read_s, self.held = 0.0, False
        account.open(self)

    def hold(self) -> None:
        self.held = True

    def release(self) -> None:
        self.held = False

    def read(self, *, answers: bool = False) -> None:
        self.account.begin(self)
        self.now[0] += COST_S
        if answers:
            self.account.answered()
        self.account.end()
        self.read_s += COST_S


@pytest.mark.parametrize("in_turn", [True, False])
def test_others_lose_no_more_than_a_little_at_once_and_a_hundredth_of_the_time(virtually: Virtually, in_turn: bool):
    async def story() -> None:
        now, loop = [0.0], asyncio.get_running_loop()
        account = Account(lambda: loop.time() + now[0])
        flood = Flood(account, now, in_turn=in_turn)
        for _ in range(20_000):
            if not flood.held:
                flood.read()
            await asyncio.sleep(0.001)
        assert flood.read_s <= BURST_S + COST_S + RATE * (20 + now[0])
        assert flood.read_s >= RATE * 20 / 2  # it is read again and again

    virtually(story())


def test_in_its_own_turn_its_answers_are_read_whatever_it_has_cost_and_its_output_a_little(virtually: Virtually):
    async def story() -> None:
        now, loop = [0.0], asyncio.get_running_loop()
        account = Account(lambda: loop.time() + now[0])
        link, output = Flood(account, now, in_turn=True), Flood(account, now, in_turn=False)
        account.pay(MOST_S)
        assert link.held
        assert output.held
        account.turn(True)
        assert not link.held
        assert output.held
        for _ in range(1000):
            link.read()
            assert not link.held
        await asyncio.sleep((MOST_S - TURN_S) / RATE_IN_TURN)
        assert not output.held
        account.pay(MOST_S)
        assert not link.held
        account.turn(False)
        assert link.held

    virtually(story())


@given(st.lists(st.booleans(), max_size=40))
def test_awaited_answers_cost_nothing(virtually: Virtually, kinds: list[bool]):
    async def story() -> None:
        now = [0.0]
        account = Account(lambda: now[0])
        link = Flood(account, now, in_turn=True)
        for in_turn in kinds:
            account.turn(in_turn)
            link.read(answers=True)
        assert account._spent <= READ_S * len(kinds)

    virtually(story())


def test_what_comes_behind_an_answer_in_one_piece_is_counted(virtually: Virtually):
    async def story() -> None:
        now = [0.0]
        account = Account(lambda: now[0])
        link = Flood(account, now, in_turn=True)
        account.turn(True)
        account.begin(link)
        now[0] += 1.0  # its move
        account.turn(False)
        now[0] += 1.0  # what that move means for the match
        account.answered()
        assert not account.is_spent()
        now[0] += BURST_S * 1.01
        assert account.is_spent()
        account.end()
        assert link.held

    virtually(story())


def test_a_program_that_is_started_again_begins_anew(virtually: Virtually):
    async def story() -> None:
        account = Account()
        flood = Flood(account, [0.0], in_turn=False)
        account.pay(MOST_S)
        account.forgive()
        assert not flood.held
        assert not account.is_full()

    virtually(story())
