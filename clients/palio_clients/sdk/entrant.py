"""A bot that can be entered into matches: its usual name, the games it plays, and how to make a player."""

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace

from palio_clients.sdk.bot import Bot, MoveT, StateT
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.player import BotPlayer, Player, Report
from palio_rules import registry
from palio_rules.contract.messages import Omission
from palio_rules.contract.names import is_name, no_name
from palio_rules.errors import nearest

Make = Callable[[Report], Player]


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot before any match. `make` makes the player of one match."""

    name: str
    games: tuple[str, ...]
    make: Make
    own_process: bool = False  # whatever its code does, it does in another process than ours
    command: tuple[str, ...] = ()  # of a program on stdin and stdout; its players do nothing but pass on messages
    without: tuple[Omission, ...] = ()  # what its players make no use of, and the server need not send
    about: str = ""  # its author's line
    notes: tuple[str, ...] = ()  # what was decided on loading it, for whoever wants to check that
    staying: Callable[[], AbstractAsyncContextManager[Make]] | None = None  # see `stay`

    def stay(self) -> AbstractAsyncContextManager[Make]:
        """What makes players, for many matches: they may share what takes long to start, which ends with this."""
        return nullcontext(self.make) if self.staying is None else self.staying()

    def named(self, name: str) -> "Entrant":
        """The same bot under another name. Raises BadBot if the protocol does not allow that name."""
        if not is_name(name):
            raise BadBot(no_name(name))
        return replace(self, name=name)

    def only(self, games: Sequence[str]) -> "Entrant":
        """The same bot for `games`; for all of its own where none are given. Raises BadBot if it does not play one."""
        for game in games:
            if game not in self.games:
                raise BadBot(f"{self.name} does not play {game!r}; {nearest(game, self.games)}")
        return replace(self, games=tuple(dict.fromkeys(games)) or self.games)


def entrant_of(
    bot: type[Bot[StateT, MoveT]], make: Callable[[], Bot[StateT, MoveT]] | None = None, name: str = ""
) -> Entrant:
    """The entrant that plays as the class `bot`; `make` makes an instance where calling the class alone does not."""
    games = tuple(bot.games) or registry.games()
    return Entrant(
        name or bot.__name__.lower(),
        games,
        lambda report: BotPlayer(make or bot, report, bot),
        without=unused(bot),
        about=bot.about,
    )


def unused(bot: type[Bot[StateT, MoveT]]) -> tuple[Omission, ...]:
    """What a bot of this class need not be sent: it asks its position for moves, and may not care what others play."""
    return ("moves", "played") if bot.opponent_moved is Bot.opponent_moved else ("moves",)


def name_from(text: str) -> str:
    """The name that the protocol allows and that is most like `text`, a file's name with settings, for example."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")[:40] or "bot"
