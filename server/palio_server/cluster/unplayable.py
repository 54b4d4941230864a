"""Bots that no worker can play with: the event goes on without one, or not at all."""

import asyncio
from collections.abc import Awaitable, Callable

from palio_server.processes import BotFailed

GoesOn = Callable[[str, str], Awaitable[bool]]  # of a bot, and why no worker can play with it


class Unplayables:
    """Asks once for each bot, as `processes.Bots` does at home. `failed` has a result when nothing goes on."""

    def __init__(self, goes_on: GoesOn, say: Callable[[str], None]) -> None:
        self._goes_on, self._say = goes_on, say
        self._asked: dict[str, asyncio.Future[bool]] = {}
        self.failed: asyncio.Future[BotFailed] = asyncio.get_running_loop().create_future()

    async def goes_on(self, bot: str, why: str) -> bool:
        """Whether the others play on; then the bot stays away."""
        if bot not in self._asked:
            self._asked[bot] = asyncio.ensure_future(self._ask(bot, why))
        return await self._asked[bot]

    async def _ask(self, bot: str, why: str) -> bool:
        if await self._goes_on(bot, why):
            self._say(f"{why}\n{bot} stays away")
            return True
        self.fail(why)
        return False

    def fail(self, why: str) -> None:
        """Nothing goes on."""
        if not self.failed.done():
            self.failed.set_result(BotFailed(why))
