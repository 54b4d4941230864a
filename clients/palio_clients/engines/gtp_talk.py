"""The conversation with an engine that speaks GTP: commands with their answers, and its greeting."""

from collections.abc import Iterable

from palio_clients.engines.gtp_commands import NEEDED, RulesWord, rules_words
from palio_clients.engines.gtp_lines import GtpReader
from palio_clients.engines.lines import Answer
from palio_clients.engines.process import EngineProcess
from palio_clients.engines.started import is_usable
from palio_clients.sdk.failures import PlayerFailed
from palio_rules.errors import nearest
from palio_rules.games.go import GoOptions

SHOWN = 120  # characters of a command or an answer that a sentence quotes


class GtpTalk:
    """An engine that was started. It may stay for another match."""

    def __init__(self, engine: EngineProcess) -> None:
        self.engine, self.reader = engine, GtpReader()
        engine.reads = self.reader
        self.commands: frozenset[str] = frozenset()  # that it knows, after `greet`
        self.about: dict[str, Answer] = {}  # what it says of itself, by command
        self._sent: dict[int, str] = {}  # commands without an answer, by number

    @property
    def usable(self) -> bool:
        return is_usable(self.engine)

    def tell(self, *commands: str) -> int:
        """Send commands, without waiting; return the number of the last one."""
        lines = []
        number = 0
        for command in commands:
            number, line = self.reader.numbered(command)
            self._sent[number] = command
            lines.append(line)
        self.engine.ask(*lines)
        return number

    async def answer(self, number: int) -> Answer:
        """Return the answer to a command. Raises PlayerFailed if one before it has failed, or the engine ends."""
        while True:
            said = await self.engine.said()
            if not isinstance(said, Answer):
                continue
            command = self._sent.get(said.number, "")
            self._sent = {later: sent for later, sent in self._sent.items() if later > said.number}
            if said.number == number:
                return said
            if not said.good:
                raise self.refused(command, said.text)

    async def ask(self, *commands: str) -> Answer:
        """Send commands and return the answer to the last one."""
        return await self.answer(self.tell(*commands))

    async def do(self, *commands: str) -> None:
        """Send commands, all of which have to succeed. Raises PlayerFailed."""
        if commands and not (last := await self.ask(*commands)).good:
            raise self.refused(commands[-1], last.text)

    def refused(self, command: str, text: str) -> PlayerFailed:
        """Return the failure of a command that a match needs."""
        called, said = self.engine.called, f"`? {text[:SHOWN]}`" if text else "`?`"
        how = f"{called} answers `{command[:SHOWN]}` with {said}"
        if command.startswith("play "):
            rules = "area scoring and positional superko; tell it by its command to play by these rules"
            return PlayerFailed(f"{how}, a move that was played here; the rules are {rules}")
        return PlayerFailed(f"{how}; {self.engine.words}")

    async def tell_rules(self, options: GoOptions) -> tuple[RulesWord | None, str]:
        """Tell the engine the rules as it has words for them; return the words, and a sentence on what differs."""
        differs = ""
        for word in rules_words(options, self.commands):
            answer = await self.ask(word.command)
            if answer.good:
                return word, f"{self.engine.called}: {word.differs}" if word.differs else ""
            said = f"`? {answer.text[:SHOWN]}`" if answer.text else "`?`"
            how = f"{self.engine.called} answers `{word.command}` with {said}"
            differs = f"{how}: it may count otherwise than the server"
        return None, differs

    async def greet(self) -> None:
        """Ask the engine who it is and what it knows. Raises PlayerFailed if it cannot play by GTP."""
        for command in ("protocol_version", "name", "version"):
            self.about[command] = await self.ask(command)
        listed = self.about["list_commands"] = await self.ask("list_commands")
        self.commands = frozenset(listed.text.split()) if listed.good else frozenset(NEEDED)
        if missing := missing_commands(self.commands):
            remedy = nearest(missing[0], self.commands)
            raise PlayerFailed(f"{self.engine.called} does not list {missing[0]!r} among its commands; {remedy}")

    def not_ready(self, seconds: float) -> str:
        """Return a sentence on an engine that has not answered in time."""
        engine = self.engine
        begun = self.reader.is_cut_off
        remedy = "an answer ends with an empty line" if begun else "it must read stdin while it starts"
        return (
            f"{engine.called} has not answered `{engine.asked}` within {seconds:g} s; "
            f"{remedy}, and flush what it prints; {engine.words}"
        )


def missing_commands(known: Iterable[str]) -> list[str]:
    """Return the commands that a match needs and the engine does not know."""
    return sorted(set(NEEDED) - set(known))
