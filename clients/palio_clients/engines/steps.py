"""A check of an engine step by step, for `palio check-bot`: what all languages share.

A step that fails does not end the check, unless the engine is gone or has never answered.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from palio_clients.checks.subject import CheckFailed, CheckResult
from palio_clients.engines.process import EngineProcess, start_engine
from palio_clients.sdk.failures import PlayerFailed
from palio_clients.sdk.stdio import how_it_ended

SHOWN = 2  # lines of an answer that a result quotes, at each end
WIDTH = 100  # characters of each
ASKED = 6  # lines of a question that a result quotes, at each end


@dataclass(slots=True)
class Exchange:
    """The lines since a step began: what was asked, and what was answered."""

    asked: list[str]
    said: list[str]

    def __str__(self) -> str:
        """Return `asked` and `answered`, long ones without their middle."""
        asked = _ends([line[:WIDTH] for line in self.asked], ASKED)
        said = _ends([line.strip()[:WIDTH] for line in self.said if line.strip()], SHOWN)
        return f"asked {asked}; answered {said or 'nothing'}"


def _ends(lines: Sequence[str], shown: int) -> str:
    quoted = [f"`{line}`" for line in lines]
    if len(quoted) > 2 * shown:
        quoted = [*quoted[:shown], f"({len(quoted) - 2 * shown} lines)", *quoted[-shown:]]
    return ", ".join(quoted)


class StepCheck:
    """The check of one engine; a language adds its steps."""

    def __init__(self, argv: Sequence[str], called: str, patience: float) -> None:
        """Prepare a check; `patience`: seconds for each answer."""
        self._argv, self._called, self._patience = argv, called, patience
        self._engine: EngineProcess | None = None
        self._exchange = Exchange([], [])
        self._all: list[str] = []  # every line that it said

    def _steps(self) -> Iterator[tuple[str, Callable[[], Any], bool]]:
        """Yield the name of each step, the step, and whether nothing can follow its failure."""
        raise NotImplementedError

    def remedy(self) -> str:
        """Return what to do about an engine that does not answer."""
        raise NotImplementedError

    async def calm(self) -> None:
        """End what a failed step has left running. Raises CheckFailed and PlayerFailed."""

    async def results(self, begins: Callable[[str], None]) -> AsyncGenerator[CheckResult, None]:
        """Yield a result for each step, in order; `begins` is called before each of them."""
        because = ""
        try:
            for name, step, vital in self._steps():
                if because:
                    yield CheckResult(name, "skip", because)
                    continue
                begins(name)
                result = await self._examined(name, step)
                yield result
                if result.verdict == "FAIL" and (vital or self._is_gone()):
                    because = f"not examined, because {name!r} failed"
        finally:
            if self._engine is not None:
                await self._engine.end_program()

    async def _examined(self, name: str, step: Callable[[], Any]) -> CheckResult:
        self._exchange = Exchange([], [])
        try:
            async with asyncio.timeout(self._patience * 3):  # steps have times of their own for each answer
                detail = await step()
            return CheckResult(name, "ok", detail)
        except CheckFailed as failed:
            heard = f"; {self._exchange}" if self._exchange.asked else ""  # a step may look at earlier answers only
            result = CheckResult(name, "FAIL", f"{failed}{heard}", failed.remedy)
        except PlayerFailed as failed:
            result = CheckResult(name, "FAIL", str(failed), self.remedy())
        except TimeoutError:
            result = CheckResult(name, "FAIL", f"takes too long; {self._exchange}", self.remedy())
        with suppress(CheckFailed, PlayerFailed):  # the next step begins with an idle engine
            await self.calm()
        return result

    def _is_gone(self) -> bool:
        return self._engine is None or self._engine.stdout_closed or self._engine.ended

    @property
    def engine(self) -> EngineProcess:
        assert self._engine is not None
        return self._engine

    def _overhear(self, direction: str, line: str) -> None:
        if direction == ">":
            self._exchange.asked.append(line)
        else:
            self._exchange.said.append(line)
            self._all.append(line)

    async def _starts(self) -> str:
        self._engine = await start_engine(self._argv, self._called)
        self._engine.overheard = self._overhear
        return " ".join(self._argv)[:WIDTH]

    async def _quits(self) -> str:
        self.engine.send("quit")
        try:
            async with asyncio.timeout(self._patience):
                status = await self.engine.wait()
        except TimeoutError:
            raise CheckFailed(f"it still runs {self._patience:g} s after `quit`", "end the program on `quit`") from None
        return f"asked `quit`; it {how_it_ended(status)}"
