"""Wrong tokens: exact limits by address and by beginning; a client that was good before is let in."""

import asyncio

import pytest

from palio_db.tokens import MARK, SHOWN
from palio_server.edge.budgets import TooMuch
from palio_server.lobby.access import GUESTS_MARK, WRONG, WRONG_A_SECOND, AccessDenied, Attempts

HERE, THERE, GOOD = "203.0.113.1", "203.0.113.2", "the good token"


class World:
    def __init__(self) -> None:
        self.now, self.looked_at = 0.0, 0
        self.attempts = Attempts(lambda: self.now)

    async def tries(self, token: str | None, address: str = HERE, *, code: str = "bad-token") -> str:
        try:
            async with self.attempts.of(address, token):
                self.looked_at += 1
                await asyncio.sleep(0)  # the store is asked
                if token != GOOD:
                    raise AccessDenied(code, "no")  # noqa: TRY301  # as access does
        except (AccessDenied, TooMuch) as error:
            return error.code
        return "welcome"


@pytest.fixture
def world() -> World:
    return World()


async def test_a_storm_of_wrong_tokens_is_looked_at_exactly_so_often(world: World) -> None:
    codes = await asyncio.gather(*(world.tries(f"{number} wrong") for number in range(930)))
    assert codes.count("bad-token") == world.looked_at == WRONG
    world.now += 4 / WRONG_A_SECOND
    codes = await asyncio.gather(*(world.tries(f"{number} wrong") for number in range(930)))
    assert codes.count("bad-token") == 4


async def test_other_addresses_are_not_meant_unless_their_tokens_begin_alike(world: World) -> None:
    for number in range(int(WRONG)):
        await world.tries(f"beginning {number}")
    assert await world.tries("another", HERE) == "too-many-tokens"
    assert await world.tries("another", THERE) == "bad-token"
    assert await world.tries("beginning", THERE) == "too-many-tokens"


@pytest.mark.parametrize("mark", [MARK, GUESTS_MARK])
async def test_the_mark_that_all_tokens_have_is_no_beginning(world: World, mark: str) -> None:
    for number in range(int(WRONG)):
        await world.tries(f"{mark}ab-{number:04}-{'x' * 20}", f"203.0.113.{number}")
        await world.tries(f"{mark}cdefghij{number}", f"203.0.114.{number}")
    assert await world.tries(f"{mark}ab-9999-{'x' * 20}", THERE) == "bad-token", "two characters alike are none"
    assert await world.tries(f"{mark}cdefghij-another", THERE) == "too-many-tokens"


async def test_what_lists_show_of_a_token_is_not_enough_to_use_up_its_tries(world: World) -> None:
    token = f"{MARK}AbCdEfGhIjKlMnOpQrStUvWxYz012345"
    for number in range(10 * int(WRONG)):
        await world.tries(f"{token[:SHOWN]}{number:04}", f"203.0.{number}.1")
    assert await world.tries(token, THERE) == "bad-token", "it is looked at"


async def test_no_token_is_kept_in_memory(world: World) -> None:
    token = f"{MARK}AbCdEfGhIjKlMnOpQrStUvWxYz012345"
    await world.tries(token)
    await world.tries(GOOD)
    kept = repr([vars(part) if hasattr(part, "__dict__") else part for part in vars(world.attempts).values()])
    assert "AbCdEfGh" not in kept
    assert GOOD not in kept


async def test_who_was_good_there_before_is_let_in_whatever_the_neighbours_try(world: World) -> None:
    assert await world.tries(GOOD) == "welcome"
    for number in range(100):
        await world.tries(f"{number} wrong")
    assert await world.tries(GOOD) == "welcome"
    assert await world.tries("new") == "too-many-tokens"


async def test_a_thousand_good_ones_at_once_are_no_storm(world: World) -> None:
    codes = await asyncio.gather(*(world.tries(GOOD) for _ in range(1000)))
    assert set(codes) == {"welcome"}


@pytest.mark.parametrize("code", ["wrong-scope", "name-not-yours"])
async def test_a_genuine_token_that_may_not_do_this_is_not_counted(world: World, code: str) -> None:
    assert {await world.tries(f"{number}", code=code) for number in range(100)} == {code}


async def test_without_a_token_nothing_is_counted(world: World) -> None:
    assert {await world.tries(None, code="token-missing") for _ in range(100)} == {"token-missing"}
