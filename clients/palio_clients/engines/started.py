"""The start of an engine: its greeting, and the engine that stays for another match."""

from dataclasses import dataclass

from palio_clients.engines.language import Language, Offered
from palio_clients.engines.lines import READYOK, Word
from palio_clients.engines.process import EngineProcess
from palio_clients.sdk.failures import PlayerFailed


@dataclass(frozen=True, slots=True)
class StartedEngine:
    """An engine that stays for another match, and the options that it offered."""

    engine: EngineProcess
    offered: list[Offered]

    @property
    def usable(self) -> bool:
        return is_usable(self.engine)


def is_usable(engine: EngineProcess) -> bool:
    """Return whether an engine can still be spoken to."""
    return not (engine.stdout_closed or engine.stdin_closed or engine.ended)


async def greet(engine: EngineProcess, language: Language) -> list[Offered]:
    """Greet an engine that was started; return the options that it offers. Raises PlayerFailed if it ends."""
    engine.ask(language.hello)
    offered: list[Offered] = []
    while (said := await engine.said()) != Word(language.hello_answer):
        if isinstance(said, Offered):
            offered.append(said)
        elif isinstance(said, Word):
            other = said.text.removesuffix("ok")
            if said.text != READYOK:
                raise PlayerFailed(
                    f"{engine.called} answers `{engine.asked}` with `{said.text}`: it speaks {other.upper()}, write "
                    f"{other}:{engine.called}"
                )
    return offered


async def be_ready(engine: EngineProcess) -> None:
    """Wait until the engine has done what it was told. Raises PlayerFailed if it ends."""
    engine.ask("isready")
    while await engine.said() != Word(READYOK):
        pass
