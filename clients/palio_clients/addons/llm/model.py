"""A language model behind an endpoint: asked again while that may help, and what it has cost so far."""

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, NamedTuple

from palio_clients.addons.llm import http
from palio_clients.addons.llm.http import EndpointFailed, Hiding, Passing, Proxy, Response, Unsupported
from palio_clients.addons.llm.settings import Endpoint, Settings
from palio_clients.sdk.failures import LIMITS
from palio_rules.backoff import Backoff
from palio_rules.contract.names import PREFIX
from palio_rules.errors import nearest

# OpenAI's chat completions as bytes: what is asked, and what is read of the answer. Pure.
#
# Servers that call themselves compatible differ in what they leave out, so nothing is taken for granted of an answer.

Messages = list[dict[str, str]]

OPTIONAL = ("max_tokens", "temperature", "seed")  # parameters that some models refuse
MAX_QUOTED = 300  # characters of an endpoint's own words that a sentence has
MAX_TOKENS = 10**9
MAX_WAIT_S = 3600.0
GONE = (401, 403, 404, 405, 410, 413, 414, 415, 501)  # asking again will not help
BUSY = (408, 409, 425, 429)
NOTHING_TO_HIDE = Hiding()


class Reply(NamedTuple):
    """An answer. Tokens are None where the endpoint does not say them."""

    text: str
    tokens_in: int | None
    tokens_out: int | None
    cut: bool = False  # it was as long as it may be


def request(settings: Settings, messages: Messages, without: Collection[str] = ()) -> bytes:
    """The body of a request; `without` are parameters that this endpoint has refused."""
    body: dict[str, Any] = {"model": settings.model, "messages": messages}
    for name in OPTIONAL:
        value = getattr(settings, name)
        if value is None:
            continue
        if name not in without:
            body[name] = value
        elif name == "max_tokens" and "max_completion_tokens" not in without:
            body["max_completion_tokens"] = value
    return json.dumps(body).encode()


def read_reply(response: Response, sent: Collection[str] = (), hiding: Hiding = NOTHING_TO_HIDE) -> Reply:
    """Return the endpoint's answer; `sent` are the optional parameters that it was sent. Raises EndpointFailed.

    Neither the answer nor the sentence has a secret that `hiding` knows, whole or in part.
    """
    status, body = response.status, _json(response.body)
    if 300 <= status < 400:
        to = _line(hiding.sentence(str(response.headers.get("Location", "somewhere else"))))
        raise EndpointFailed(f"the endpoint has moved ({status}) to {to}; write that URL")
    said = _said(body, response.body, hiding)
    if status in (400, 422) and (parameter := _parameter(body, said, sent)):
        raise Unsupported(f"the endpoint refuses {parameter} ({status}): {said}", parameter)
    if status in BUSY or (status >= 500 and status not in GONE):
        if "insufficient_quota" in said:
            raise EndpointFailed(f"the account behind the key has no credit left ({status}): {said}")
        raise Passing(f"the endpoint answers {status}: {said}", _after(response.headers.get("Retry-After")))
    if status in (401, 403):
        raise EndpointFailed(f"the endpoint refuses the key ({status}): {said}; set PALIO_LLM_KEY or key_env=VARIABLE")
    if status == 404:
        raise EndpointFailed(f"the endpoint knows no such address or model (404): {said}; look at the URL and model=")
    if not 200 <= status < 300:
        raise EndpointFailed(f"the endpoint answers {status}: {said}")
    if not isinstance(body, dict):
        raise Passing(f"the endpoint's answer is no JSON object: {said}")
    if body.get("error") and not body.get("choices"):
        raise Passing(f"the endpoint says it has failed: {said}")
    answer = _read(body)
    return answer._replace(text=hiding.answer(answer.text))


def _read(body: Mapping[str, Any]) -> Reply:
    usage = body.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    tokens = _count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens"))
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return Reply("", *tokens)
    message = choice.get("message")
    found = _text(message) if isinstance(message, dict) else ""
    return Reply(found or _plain(choice.get("text")), *tokens, cut=choice.get("finish_reason") == "length")


def _text(message: Mapping[str, Any]) -> str:
    """The words of an answer; of one that calls tools, their arguments; of one that refuses, why."""
    words = _plain(message.get("content"))
    if words.strip():
        return words
    calls = message.get("tool_calls")
    functions = [call.get("function") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    functions.append(message.get("function_call"))
    arguments = [
        _plain(each.get("arguments")) or json.dumps(each.get("arguments"))
        for each in functions
        if isinstance(each, dict)
    ]
    return "\n".join(arguments) or _plain(message.get("refusal"))


def _plain(content: Any) -> str:
    """A string, or the texts in a list of parts; without half characters, which cannot be sent on."""
    if isinstance(content, str):
        return content.encode("utf-8", "replace").decode()
    if not isinstance(content, list):
        return ""
    texts = [each.get("text") if isinstance(each, dict) else each for each in content]
    return "".join(_plain(text) for text in texts if isinstance(text, str))


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _said(body: Any, data: bytes, hiding: Hiding) -> str:
    """An endpoint's own words about what is wrong, in one short line."""
    error = body.get("error", body.get("detail", body.get("message"))) if isinstance(body, dict) else None
    if isinstance(error, dict):
        error = " ".join(str(error[name]) for name in ("message", "code") if error.get(name))
    return _line(hiding.sentence(str(error) if error else data.decode(errors="replace"))) or "(nothing)"


def _line(text: str) -> str:
    """Return the beginning of a text in one line, without control characters."""
    shown = text[: 4 * MAX_QUOTED]
    return " ".join("".join(each if each.isprintable() else " " for each in shown).split())[:MAX_QUOTED]


def _parameter(body: Any, said: str, sent: Collection[str]) -> str:
    """The parameter because of which a request was refused; "": another reason."""
    error = body.get("error") if isinstance(body, dict) else None
    named = error.get("param") if isinstance(error, dict) else None
    names = sorted(sent, key=len, reverse=True)  # "max_completion_tokens" before "max_tokens"
    return named if named in names else next((name for name in names if name in said), "")


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_TOKENS else None


def _after(value: str | None) -> float | None:
    """Seconds until the endpoint wants to be asked again, as `Retry-After` says them or by a date."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
        except (TypeError, ValueError):
            return None
    return min(max(0.0, seconds), MAX_WAIT_S) if seconds == seconds else None  # noqa: PLR0124  # NaN is not itself


def _models(response: Response) -> list[str]:
    """Return the names of an endpoint's models, from its answer; none if it is no list."""
    body = _json(response.body) if response.status == HTTPStatus.OK else None
    rows = body.get("data") if isinstance(body, dict) else None
    named = [row.get("id") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return [name for name in named if isinstance(name, str)]


# A bot that asks a model checks its endpoint before it joins. `palio run` waits a minute for a bot: both fit in.
LIST_S = 10.0
QUESTION_S = 20.0

Sleep = Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class Usage:
    """The costs of answers: tokens as the endpoint has counted them, and milliseconds from question to answer."""

    tokens_in: int = 0
    tokens_out: int = 0
    ms: int = 0
    counted: bool = False  # whether the endpoint counts tokens


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

    async def check(self) -> None:
        """Raise EndpointFailed unless the endpoint can be asked: it is there, takes the key and has the model.

        Its list of models is read, which costs nothing. Many endpoints list only some of their models, or none: then
        one short question decides. An endpoint that is busy passes.
        """
        listed = _models(await self._list())
        if self.settings.model in listed:
            return
        try:
            async with asyncio.timeout(QUESTION_S):
                await self._once([{"role": "user", "content": "Answer with one word: yes."}])
        except (TimeoutError, Passing, Unsupported):
            return  # it is there, and may need time to load its model
        except EndpointFailed as error:
            known = f"; {nearest(self.settings.model, listed)}" if listed else ""
            raise EndpointFailed(
                self._hidden(f"{self.endpoint}, model {self.settings.model}: {error}{known}")
            ) from None
        finally:
            self.usage = Usage()

    async def _list(self) -> Response:
        """Return the endpoint's answer to the question for its models. Raises EndpointFailed."""
        wait, failed = Backoff(first=0.5), 0
        while True:
            try:
                async with asyncio.timeout(LIST_S):
                    found = await http.get(self.endpoint, self.endpoint.models_path, self.key, self.proxy)
                break
            except TimeoutError:
                remedy = "correct the URL, or start the model's server there"
                raise EndpointFailed(f"{self.endpoint} has not answered within {LIST_S:g} s; {remedy}") from None
            except Passing as error:
                failed += 1
                if failed > self.settings.retries:
                    remedy = _advice() or "; start the model's server there, or correct the URL"
                    raise EndpointFailed(self._hidden(f"{error}{_tries(failed)}{remedy}")) from None
                await self.sleep(wait.next())
        if found.status in (401, 403):
            try:
                read_reply(found, hiding=self._hiding)
            except EndpointFailed as error:
                raise EndpointFailed(self._hidden(f"{self.endpoint}: {error}")) from None
        return found

    async def _once(self, messages: Messages) -> Reply:
        body = request(self.settings, messages, self._without)
        sent = [name for name in (*OPTIONAL, "max_completion_tokens") if f'"{name}": '.encode() in body]
        began = time.monotonic()
        try:
            async with asyncio.timeout(self.settings.timeout_s):
                answer = await http.post(self.endpoint, body, self.key, self.proxy)
        except TimeoutError:
            raise Passing(f"no answer within {self.settings.timeout_s:g} s (timeout_s)") from None
        finally:
            self.usage.ms += round((time.monotonic() - began) * 1000)
        reply = read_reply(answer, sent, self._hiding)
        if reply.tokens_in is not None or reply.tokens_out is not None:
            self.usage.counted = True
            self.usage.tokens_in += reply.tokens_in or 0
            self.usage.tokens_out += reply.tokens_out or 0
        return reply

    def _do_without(self, parameter: str, why: str) -> None:
        if parameter in self._without or parameter not in (*OPTIONAL, "max_completion_tokens"):
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
