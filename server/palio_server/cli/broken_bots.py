"""Bots of `palio run` that cannot play: all of them are found before the first game, and `--broken` says what follows.

A bot cannot play if its program ends twice, or says nothing for a minute, before it has joined, if it cannot be started
at all, or if it does not play the game.
"""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from palio_db.event_values import Entry
from palio_rules.errors import BadOption
from palio_rules.plain_text import one_line
from palio_server.cli.run_plan import ON_BROKEN, RunPlan
from palio_server.lobby.programs import joined
from palio_server.processes import BotFailed
from palio_server.tournament.entrants import BROKEN
from palio_server.tournament.event import Event

if TYPE_CHECKING:
    from palio_server.lobby.lobby import Lobby

Choice = Literal["leave-out", "forfeit", "refuse"]
LONGEST = 200  # characters of a reason in a table


class BrokenBots:
    """Who cannot play of a plan's bots. `say` is told of them."""

    def __init__(self, plan: RunPlan, choice: str | None, say: Callable[[str], None]) -> None:
        """`choice` is what --broken says; None: as the tournament began, or as is usual for its size."""
        usual = "refuse" if plan.format.name == "sprt" or len(plan.entrants) <= 2 else "forfeit"
        self.choice = choice or plan.settings.get(ON_BROKEN) or usual
        self._plan, self._say = plan, say
        self._found: dict[str, str] = {}  # why, by name
        self._fates = {bot.name: asyncio.Event() for bot in plan.playing}
        self._decided = False

    def note(self, name: str, why: str) -> bool:
        """Take in that a bot cannot play. False once it is decided who plays: then a bot fails as any other."""
        if self._decided or name not in self._fates:
            return False
        self._found.setdefault(name, _at_home(self._plan, name, why))
        self._fates[name].set()
        return True

    async def all_known(self, lobby: "Lobby") -> None:
        """Return when every bot has joined, or is known to be broken."""
        for name, fate in self._fates.items():
            either = asyncio.ensure_future(joined(lobby, name)), asyncio.ensure_future(fate.wait())
            try:
                await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in either:
                    task.cancel()
        here = {bot.name: bot.games for bot in lobby.connected()}
        for bot in self._plan.playing:
            if bot.name in here and self._plan.game not in here[bot.name]:
                games = ", ".join(here[bot.name])
                self.note(bot.name, f"the bot {bot.name} ({bot.spec}) does not play {self._plan.game}, but {games}")

    def plan(self) -> RunPlan:
        """Who plays, and who forfeits: the plan as it is carried out. Raises BotFailed if there is no tournament."""
        self._decided = True
        plan, found = self._plan, self._found
        if not found:
            return plan
        listed = self._listed()
        rest = [bot for bot in plan.playing if bot.name not in found]
        if self.choice == "refuse" or not rest:
            raise BotFailed(listed + (_HINT if self.choice == "refuse" and _may_go_on(plan, len(rest)) else ""))
        if self.choice == "forfeit":
            self._say(f"{listed}\nthe tournament goes on: {_games(found)} lost by forfeit")
            return _forfeiting(plan, {name: self._reason(name) for name in found})
        if plan.number is not None:
            self._say(f"{listed}\nthe tournament goes on without {_them(found)}")
            return replace(plan, leaving=frozenset(found))
        try:
            without = _without(plan, found)
        except BadOption as error:
            raise BotFailed(f"{listed}\nwithout {_them(found)} the tournament cannot begin: {error}") from None
        self._say(f"{listed}\nthe tournament begins without {_them(found)}")
        return without

    def failure(self, why: str) -> BotFailed:
        """That the tournament cannot go on."""
        return BotFailed(f"{self._listed()}\n{why}")

    def _listed(self) -> str:
        """Each of them with its reason."""
        found = [self._found[bot.name] for bot in self._plan.entrants if bot.name in self._found]
        if len(self._plan.entrants) <= 2 and len(found) == 1:
            return found[0]
        said = (f"  {line}" for why in found for line in why.splitlines())
        return "\n".join((f"{len(found)} of {len(self._plan.entrants)} bots cannot play:", *said))

    def _reason(self, name: str) -> str:
        return reason(self._plan, name, self._found[name])


_HINT = (
    "\n--broken forfeit lets the others play, and these lose their games by forfeit; "
    "--broken leave-out plays without them"
)


def reason(plan: RunPlan, name: str, why: str) -> str:
    """Why a bot cannot play, in one line for tables: how its program ended, and its last words.

    `ended with exit code 2 before it joined: palio: ./a.py: line 3: invalid syntax`
    """
    _, _, said = _at_home(plan, name, why).partition(f"the bot {name} ({_spec(plan, name)}) ")
    first, *lines = (said or why).splitlines() or [""]
    how, *_ = first.split("; ")
    return one_line(": ".join((how, lines[-1].strip())) if lines else first)[:LONGEST]


def _at_home(plan: RunPlan, name: str, why: str) -> str:
    """The same with the bot's own path, not with the one that it has on a worker of a cluster."""
    found = re.match(rf"the bot {re.escape(name)} \(.*?\) (?=ended |was |has |cannot |does )", why)
    return why if found is None else f"the bot {name} ({_spec(plan, name)}) {why[found.end() :]}"


def _spec(plan: RunPlan, name: str) -> str:
    return next(bot.spec for bot in plan.entrants if bot.name == name)


def _may_go_on(plan: RunPlan, rest: int) -> bool:
    return plan.format.name != "sprt" and rest >= 2


def _forfeiting(plan: RunPlan, broken: Mapping[str, str]) -> RunPlan:
    """They stay entrants; `broken` says why each loses its games. Of bots that were broken before, those are kept."""
    settings = {**plan.settings, BROKEN: {**plan.settings.get(BROKEN, {}), **broken}}
    return replace(plan, settings=settings, broken=frozenset(broken))


def _without(plan: RunPlan, names: Mapping[str, str]) -> RunPlan:
    """The same tournament of the other bots. Raises BadOption if these are too few."""
    bots = [bot for bot in plan.entrants if bot.name not in names]
    plan.format.check(Event(plan.game, [Entry(bot.name, number) for number, bot in enumerate(bots, 1)]))
    anchors = {bot: rating for bot, rating in plan.settings.get("anchors", {}).items() if bot not in names}
    settings = {**plan.settings, "bots": [[bot.name, bot.text] for bot in bots], "anchors": anchors}
    usual = " ".join(bot.name for bot in plan.entrants)
    name = (
        plan.name.removesuffix(usual) + " ".join(bot.name for bot in bots) if plan.name.endswith(usual) else plan.name
    )
    return replace(plan, entrants=bots, settings=settings, name=name[:200])


def _games(found: Mapping[str, str]) -> str:
    return "its games are" if len(found) == 1 else "their games are"


def _them(found: Mapping[str, str]) -> str:
    return "it" if len(found) == 1 else "them"
