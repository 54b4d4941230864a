"""Questions that one process asks another, each answered once, or not within its time."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from palio_server.nodes.words import Answer, Request, Word

log = logging.getLogger(__name__)

ANSWER_S = 5.0  # unless whoever asks has less time

Serve = Callable[[Any], Awaitable[Any]]


class NoAnswer(Exception):
    """The other process is gone, or does not answer in time; nobody knows whether it has done what was asked."""


class Declined(Exception):
    """The other process says no: `kind` names the error there, the message is its sentence."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


class Requests:
    """Ours to others, and theirs to us. `send` tells another process."""

    def __init__(self, send: Callable[[str, Word], None]) -> None:
        self._send = send
        self._serving: dict[str, Serve] = {}
        self._open: dict[int, tuple[str, asyncio.Future[Answer]]] = {}
        self._asked = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def serve(self, verb: str, handler: Serve) -> None:
        """From now on `handler` does what others ask for by `verb`; what it raises is told to whoever has asked."""
        self._serving[verb] = handler

    async def ask(self, process: str, verb: str, about: Any = None, seconds: float = ANSWER_S) -> Any:
        """What `process` answers. Raises NoAnswer, and Declined."""
        self._asked += 1
        number = self._asked
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._open[number] = process, answer
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
        return found.value

    def hear(self, process: str, word: Request | Answer) -> None:
        """Take in what came from `process`."""
        if isinstance(word, Request):
            task = asyncio.create_task(self._answer(process, word), name=f"request {word.verb}")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            return
        _, answer = self._open.get(word.id, ("", None))
        if answer is not None and not answer.done():
            answer.set_result(word)

    def lost(self, process: str) -> None:
        """It will not answer any more."""
        for of, answer in self._open.values():
            if of == process and not answer.done():
                answer.set_exception(NoAnswer(f"the server {process} is gone"))

    def close(self) -> None:
        """Answer nothing more."""
        for task in self._tasks:
            task.cancel()

    async def _answer(self, process: str, request: Request) -> None:
        handler = self._serving.get(request.verb)
        if handler is None:
            answer = Answer(request.id, error="Unknown", reason=f"this server knows no {request.verb!r}")
        else:
            try:
                answer = Answer(request.id, await handler(request.about))
            except Exception as error:  # noqa: BLE001  # whoever has asked decides what it means
                log.info("%s asks for %s in vain: %s", process, request.verb, error)
                answer = Answer(request.id, error=type(error).__name__, reason=str(error))
        self._send(process, answer)
