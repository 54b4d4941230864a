"""Bots of `palio run` that cannot play: all of them are found before the first game, and `--broken` decides about them.

A bot cannot play if its program ends twice, or sends nothing for a minute, before it has joined, if it cannot be
started, or if it does not play the game. Each is told in one line, with its file as it was typed.
"""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from palio_db.event_values import Entry
from palio_rules.errors import BadOption
from palio_rules.plain_text import one_line
from palio_rules.records.fault_kinds import kind_of
from palio_server.cli.run_plan import ON_BROKEN, RunPlan
from palio_server.lobby.programs import joined
from palio_server.processes import BotFailed, Entrant
from palio_server.tournament.event import BROKEN, Event

if TYPE_CHECKING:
    from palio_server.lobby.lobby import Lobby

LONGEST = 300  # characters of a reason


class BrokenBots:
    """The bots of a plan that cannot play. `say` is called with them."""

    def __init__(self, plan: RunPlan, choice: str | None, say: Callable[[str], None]) -> None:
        """`choice` is the value of --broken; None: as the tournament began, or the default for its size."""
        usual = "refuse" if plan.format.name == "sprt" or len(plan.entrants) <= 2 else "forfeit"
        said = choice or plan.settings.get(ON_BROKEN)
        self.choice = said or usual
        self._goes_on_with_wrong_options = said not in (None, "refuse")
        self._plan, self._say = plan, say
        self._found: dict[str, str] = {}  # why, by name
        self._of_other_games: set[str] = set()
        self._fates = {bot.name: asyncio.Event() for bot in plan.playing}
        self._decided = False

    def note(self, name: str, why: str) -> bool:
        """Note that a bot cannot play. Returns False after the decision who plays: then a bot fails as any other."""
        if self._decided or name not in self._fates:
            return False
        self._found.setdefault(name, why)
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
                self._of_other_games.add(bot.name)
                games = ", ".join(here[bot.name])
                self.note(bot.name, await asyncio.to_thread(wrong_game, bot, self._plan.game, games))

    def plan(self) -> RunPlan:
        """Return the plan to carry out, with those who play and those who forfeit. Raises BotFailed if there is no
        tournament.
        """
        self._decided = True
        plan, found = self._plan, self._found
        if not found:
            return plan
        listed, usage = self._listed(), self._of_other_games.issuperset(found)  # else files are wrong, not the command
        rest = [bot for bot in plan.playing if bot.name not in found]
        wrong = not self._goes_on_with_wrong_options and any(map(self._has_wrong_options, found))
        alone = next(iter(found)) if len(found) == 1 and (wrong or self.choice == "refuse") else None
        if alone is not None and (unusable := self._named_wrongly(alone)):
            raise BotFailed(unusable, usage=True)
        if wrong:
            raise BotFailed(listed, usage=True)
        if self.choice == "refuse" or not rest:
            hint = _HINT if self.choice == "refuse" and _may_go_on(plan, len(rest)) else ""
            raise BotFailed(listed + hint, usage=usage)
        play = f"{len(rest)} of {len(plan.playing)} bots play"
        if self.choice == "forfeit":
            remedy = "; --broken leave-out plays without them" if plan.number is None and len(rest) > 1 else ""
            self._say(f"{listed}\nthe tournament goes on: {_games(found)} lost by forfeit, {play}{remedy}")
            return _forfeiting(plan, {name: self.reason(name) for name in found})
        if plan.number is not None:
            self._say(f"{listed}\nthe tournament goes on without {_them(found)}: {play}")
            return replace(plan, leaving=frozenset(found))
        try:
            without = _without(plan, found)
        except BadOption as error:
            failure = f"{listed}\nwithout {_them(found)} the tournament cannot begin: {error}"
            raise BotFailed(failure, usage=usage) from None
        self._say(f"{listed}\nthe tournament begins without {_them(found)}: {play}")
        return without

    def reason(self, name: str) -> str:
        """Return why a bot cannot play, see `reason`."""
        return reason(self._plan, name, self._found[name])

    def failure(self, why: str) -> BotFailed:
        """Return the error that the tournament cannot go on."""
        return BotFailed(f"{self._listed()}\n{why}")

    def _listed(self) -> str:
        """Return each of them with its reason, one a line; the only one of two bots with all that it said."""
        plan = self._plan
        found = [bot for bot in plan.entrants if bot.name in self._found]
        if len(plan.entrants) <= 2 and len(found) == 1:
            return _at_home(found[0], self._found[found[0].name])
        lines = (f"  {line_about(bot, self._found[bot.name])}" for bot in found)
        return "\n".join((f"{len(found)} of {len(plan.entrants)} bots cannot play:", *lines))

    def _has_wrong_options(self, name: str) -> bool:
        """Return True for an engine that started, and has not the options that its spec or the game needs."""
        bot = _bot(self._plan, name)
        return bot.is_engine and _refusal(bot, _at_home(bot, self._found[name])) is not None

    def _named_wrongly(self, name: str) -> str | None:
        """Return one sentence for a bot that cannot be loaded: a typo in its settings, or no such bot; None for
        others.
        """
        bot, why = _bot(self._plan, name), self._found[name]
        sentence = _refusal(bot, _at_home(bot, why))
        return None if sentence is None else f"the bot {name} ({bot.spec}) cannot be used: {sentence}"


_HINT = (
    "\n--broken forfeit lets the others play, and these lose their games by forfeit; "
    "--broken leave-out plays without them"
)


# The reason, from what a bot's program has left behind: a sentence of `palio join`, or its end and its last line.


def reason(plan: RunPlan, name: str, why: str) -> str:
    """Return why a bot cannot play, in one line for tables: the sentence about its file, or how its program ended and
    its last words.

    `./a.py cannot be loaded: SyntaxError: invalid syntax (./a.py, line 3)`
    `ended with exit code 9 before it joined: no licence found`

    Of a bot of a course only the kind of its error.
    """
    if plan.terms.submissions:
        return kind_of(why)  # all viewers of a course's tournament read it
    bot = _bot(plan, name)
    why = _at_home(bot, why)
    return one_line(_OF_THIS_MACHINE.sub("", _refusal(bot, why) or _end(bot, why)))[:LONGEST]


def line_about(bot: Entrant, why: str) -> str:
    """Return a bot with the reason why it cannot play, as one line: `ada: subs/ada.py, line 3: …`."""
    why = _at_home(bot, why)
    sentence = _refusal(bot, why)
    if sentence is None:
        place = f"{bot.spec}, {found[1]}" if (found := _PLACE.search(why)) else bot.spec
        return f"{bot.name} ({place}) {one_line(_end(bot, why))[:LONGEST]}"
    path = _file(bot.spec)
    where = bot.name if path and path in sentence else f"{bot.name} ({bot.spec})"
    return f"{where}: {one_line(sentence)[:LONGEST]}"


def wrong_game(bot: Entrant, game: str, games: str) -> str:
    """Return why a bot of other `games` cannot play `game`, with the line of its file that says so, if there is one."""
    from palio_server.courses.inspection import bot_file

    line = bot_file(Path(path)).line_of_games if (path := _file(bot.spec)).endswith(".py") else 0
    return f"the bot {bot.name} ({bot.spec}) does not play {game}, but {games}{f' (line {line})' if line else ''}"


_PLACE = re.compile(r"^the bot [^\n]*\((line \d+)\)$")
_REFUSED = re.compile(
    r"the bot [^\n]* ended with exit code 2 before it joined; its last lines on stderr:\n"
    r"(?:[^\n]*\n)*  Error: (?P<said>.*)",
    re.DOTALL,
)
_OF_THIS_MACHINE = re.compile(r"; is it installed in [^?]*\?$| \(here is [^)]*\)")  # a table may be read elsewhere
_HERE = re.compile(r"\(here is [^)]*\)")
_OURS = "palio: "  # begins a line about the sandbox after a bot's own lines


def _refusal(bot: Entrant, why: str) -> str | None:
    """Return the sentence with which `palio join` refused a bot, with its file as it was typed; None if it did not."""
    found = _REFUSED.fullmatch(why)
    if found is None:
        return None
    said, *more = (line.strip() for line in found["said"].splitlines())
    sentence = "; ".join([said, *(line.removeprefix(_OURS) for line in more if line.startswith(_OURS))])
    sentence = _HERE.sub(lambda _: f"(here is {Path.cwd()})", sentence)  # the program may run in another folder
    path = _file(bot.spec).rstrip("/")
    if not path or (name := Path(path).name) in ("", "..", "."):
        return sentence
    return re.sub(rf"(?<![\w./-])(?:/\S*/)?{re.escape(name)}(?![\w-])", lambda _: path, sentence)


def _end(bot: Entrant, why: str) -> str:
    """Return how a bot's program ended, and its last line on stderr."""
    _, _, said = why.partition(f"the bot {bot.name} ({bot.spec}) ")
    first, *lines = (said or why).splitlines() or [""]
    how, *_ = first.split("; ")
    lines = [line.strip() for line in lines if line.strip()]
    ours = [line.removeprefix(_OURS) for line in lines if line.startswith(_OURS)]
    own = [line for line in lines if not line.startswith(_OURS)][-1:]
    if lines:
        return ": ".join((how, "; ".join([*own, *ours])))
    return _PLACE_AT_END.sub("", first.removesuffix("; it said nothing on stderr"))


_PLACE_AT_END = re.compile(r" \(line \d+\)$")


def _at_home(bot: Entrant, why: str) -> str:
    """Return the reason with the bot's own path, not with the one that it has on a worker of a cluster."""
    found = re.match(rf"the bot {re.escape(bot.name)} \(.*?\) (?=ended |was |has |cannot |does |made )", why)
    return why if found is None else f"the bot {bot.name} ({bot.spec}) {why[found.end() :]}"


_HANDOUT = re.compile(r"handout:[^:]*:(?P<file>.*?)(?::[^:/\\]*=[^:]*)?", re.DOTALL)


def _file(spec: str) -> str:
    """Return the file that a SPEC names, as it was typed; "" for others."""
    if found := _HANDOUT.fullmatch(spec):
        return found["file"]
    head = spec.removeprefix("policy:").partition(":")[0]
    return head if head.endswith(".py") or "/" in head else ""


def _bot(plan: RunPlan, name: str) -> Entrant:
    return next(bot for bot in plan.entrants if bot.name == name)


# What `--broken` makes of the plan.


def _may_go_on(plan: RunPlan, rest: int) -> bool:
    return plan.format.name != "sprt" and rest >= 2


def _forfeiting(plan: RunPlan, broken: Mapping[str, str]) -> RunPlan:
    """Return the plan in which they stay entrants; `broken` says why each loses its games. Earlier reasons are kept."""
    settings = {**plan.settings, BROKEN: {**plan.settings.get(BROKEN, {}), **broken}}
    return replace(plan, settings=settings, broken=frozenset(broken))


def _without(plan: RunPlan, names: Mapping[str, str]) -> RunPlan:
    """Return the same tournament of the other bots. Raises BadOption if these are too few."""
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
