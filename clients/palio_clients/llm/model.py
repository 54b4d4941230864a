"""A language model behind an endpoint: asked again while that may help, and what it has cost so far."""

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from palio_clients.llm import chat, http
from palio_clients.llm.chat import Messages, Reply
from palio_clients.llm.failures import EndpointFailed, Passing, Unsupported
from palio_clients.llm.hiding import Hiding
from palio_clients.llm.proxy import Proxy
from palio_clients.llm.settings import Endpoint, Settings
from palio_clients.sdk.failures import LIMITS
from palio_rules.backoff import Backoff
from palio_rules.contract.remarks import PREFIX

Sleep = Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class Usage:
    """What answers have cost: tokens as the endpoint has counted them, and milliseconds from question to answer."""

    tokens_in: int = 0
    tokens_out: int = 0
    ms: int = 0
    counted: bool = False  # whether the endpoint says tokens at all


@dataclass(slots=True)
class Model:
    """Asks; `usage` grows with every answer, one that could not be used, too."""

    endpoint: Endpoint
    settings: Settings
    key: str = field(default="", repr=False)
    proxy: Proxy | None = None
    sleep: Sleep = asyncio.sleep
    usage: Usage = field(default_factory=Usage)
    _without: set[str] = field(default_factory=set)  # parameters that this endpoint refuses
    _hiding: Hiding = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._hiding = Hiding(self.key, self.proxy)

    async def ask(self, messages: Messages) -> Reply:
        """An answer to `messages`. Raises EndpointFailed, whose sentence never says the key."""
        wait, failed = Backoff(first=0.5), 0
        while True:
            try:
                return await self._once(messages)
            except Unsupported as error:
                self._do_without(error.parameter, str(error))
            except Passing as error:
                failed += 1
                if failed > self.settings.retries:
                    raise Passing(self._hidden(f"{error}{_tries(failed)}{_advice()}")) from None
                await self.sleep(wait.next() if error.after_s is None else error.after_s)
            except EndpointFailed as error:
                raise EndpointFailed(self._hidden(str(error))) from None

    async def _once(self, messages: Messages) -> Reply:
        body = chat.request(self.settings, messages, self._without)
        sent = [name for name in (*chat.OPTIONAL, "max_completion_tokens") if f'"{name}": '.encode() in body]
        began = time.monotonic()
        try:
            async with asyncio.timeout(self.settings.timeout_s):
                answer = await http.post(self.endpoint, body, self.key, self.proxy)
        except TimeoutError:
            raise Passing(f"no answer within {self.settings.timeout_s:g} s (timeout_s)") from None
        finally:
            self.usage.ms += round((time.monotonic() - began) * 1000)
        reply = chat.reply(answer, sent, self._hiding)
        if reply.tokens_in is not None or reply.tokens_out is not None:
            self.usage.counted = True
            self.usage.tokens_in += reply.tokens_in or 0
            self.usage.tokens_out += reply.tokens_out or 0
        return reply

    def _do_without(self, parameter: str, why: str) -> None:
        if parameter in self._without or parameter not in (*chat.OPTIONAL, "max_completion_tokens"):
            raise EndpointFailed(self._hidden(why))
        self._without.add(parameter)
        if parameter != "max_tokens":  # which has another name
            remark(f"{self.settings.model} is asked without {parameter}, which its endpoint refuses")

    def _hidden(self, sentence: str) -> str:
        return self._hiding.sentence(sentence)


def remark(text: str) -> None:
    """Tell the person who has started the bot, on stderr."""
    print(f"{PREFIX}llm: {text}", file=sys.stderr, flush=True)  # noqa: T201 - stderr is where it is looked for


def _tries(failed: int) -> str:
    return f", asked {failed} times" if failed > 1 else ""


def _advice() -> str:
    """In a sandbox the usual reason is that it has no network."""
    return "; in a sandbox only a bot whose spec ends in @network has the network" if LIMITS in os.environ else ""
