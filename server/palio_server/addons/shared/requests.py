"""Questions that one process asks another, each answered once, or not within its time."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from palio_server.addons.shared.messages import Answer, Message, Request
from palio_server.lobby.other_servers import NoAnswer

log = logging.getLogger(__name__)

ANSWER_S = 5.0  # unless the asking server has less time

SNAPSHOT = "snapshot"  # a verb: how a match stands, for those who watch it
PART = 10_000  # characters of one message: JSON within JSON may take six bytes for each, and brokers take 64 KB

Serve = Callable[[Any], Awaitable[Any]]


class Declined(Exception):
    """The other process says no: `kind` names the error there, the message is its sentence."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


@dataclass(slots=True)
class _Open:
    """One that is not answered yet, or not wholly."""

    process: str
    answer: asyncio.Future[Answer]
    heard: list[str] = field(default_factory=list)


class Requests:
    """Ours to others, and theirs to us. `send` tells another process."""

    def __init__(self, send: Callable[[str, Message], None]) -> None:
        self._send = send
        self._serving: dict[str, Serve] = {}
        self._open: dict[int, _Open] = {}
        self._asked = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def serve(self, verb: str, handler: Serve) -> None:
        """Have `handler` do what others ask for by `verb`; what it raises is told to the server that asked."""
        self._serving[verb] = handler

    async def ask(self, process: str, verb: str, about: Any = None, seconds: float = ANSWER_S) -> Any:
        """Ask `process`, and return its answer. Raises NoAnswer, and Declined."""
        self._asked += 1
        number = self._asked
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._open[number] = _Open(process, answer)
        self._send(process, Request(number, verb, about))
        try:
            async with asyncio.timeout(seconds):
                found = await answer
        except TimeoutError:
            raise NoAnswer(f"the server {process} does not answer") from None
        finally:
            del self._open[number]
        if found.error:
            raise Declined(found.error, found.reason)
        return msgspec.json.decode(found.value) if found.value else None

    def hear(self, process: str, word: Request | Answer) -> None:
        """Take in what came from `process`."""
        if isinstance(word, Request):
            task = asyncio.create_task(self._answer(process, word), name=f"request {word.verb}")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            return
        if (open_ := self._open.get(word.id)) is not None:
            open_.heard.append(word.value)
            if len(open_.heard) == word.parts and not open_.answer.done():
                open_.answer.set_result(msgspec.structs.replace(word, value="".join(open_.heard)))

    def lost(self, process: str) -> None:
        """End all requests to a process that is gone."""
        for open_ in self._open.values():
            if open_.process == process and not open_.answer.done():
                open_.answer.set_exception(NoAnswer(f"the server {process} is gone"))

    def close(self) -> None:
        """Answer nothing more."""
        for task in self._tasks:
            task.cancel()

    async def _answer(self, process: str, request: Request) -> None:
        handler = self._serving.get(request.verb)
        if handler is None:
            reason = f"this server knows no {request.verb!r}"
            self._send(process, Answer(request.id, error="Unknown", reason=reason))
            return
        try:
            value = msgspec.json.encode(await handler(request.about)).decode()
        except Exception as error:  # noqa: BLE001  # the server that asked decides what it means
            log.info("%s asks for %s in vain: %s", process, request.verb, error)
            self._send(process, Answer(request.id, error=type(error).__name__, reason=str(error)))
            return
        parts = -(-len(value) // PART)
        for part in range(parts):
            self._send(process, Answer(request.id, value[part * PART : (part + 1) * PART], parts))
