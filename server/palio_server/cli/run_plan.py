"""The plan of `palio run`: from its options, or from the database for a tournament that was interrupted."""

import asyncio
import os
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

import msgspec

from palio_db.event_values import Entry
from palio_rules.adjudication import Adjudication
from palio_rules.completing import BOT_SCHEMES, BOTS
from palio_rules.errors import BadOption, nearest
from palio_rules.plain_text import one_line
from palio_rules.registry import adopt, typed
from palio_rules.registry import game as rules_of
from palio_rules.spec import Spec, file_meant_by
from palio_rules.time_control import TimeControl
from palio_server.cli.export_files import check_exports
from palio_server.cli.options import GAME_FROM
from palio_server.cli.run_options import RunOptions, flag, pairs_of
from palio_server.lobby.programs import joined
from palio_server.processes import BotFailed, Entrant, entrants
from palio_server.settings import parse_anchors
from palio_server.tournament.event import BROKEN, Event
from palio_server.tournament.format import Format, format_of
from palio_server.tournament.openings.choice import OpeningsChoice, parse_openings
from palio_server.tournament.round_robin import DEFAULT_TIME, never_ends, time_text
from palio_server.tournament.terms import Terms

if TYPE_CHECKING:
    from palio_server.lobby.lobby import Lobby


ON_BROKEN = "on_broken"  # key in the settings: the value of --broken


@dataclass(frozen=True, slots=True)
class RunPlan:
    """A tournament that can be played: `number` if it is in the database already."""

    game: str
    name: str
    entrants: Sequence[Entrant]
    concurrency: int  # matches at once
    worker: str  # of the process that plays it; the same name takes interrupted matches up again at once
    format: Format
    terms: Terms
    settings: Mapping[str, Any]  # the part of all this that is kept with the tournament
    number: int | None = None
    rounds: int | None = None  # in all, for a tournament that is resumed
    hints: Sequence[str] = ()  # remarks for the user on unexpected effects
    absent: frozenset[str] = frozenset()  # bots without matches left to play
    broken: frozenset[str] = frozenset()  # bots that cannot play, and lose their games by forfeit
    leaving: frozenset[str] = frozenset()  # bots that cannot continue, and are withdrawn

    @property
    def playing(self) -> list[Entrant]:
        """The bots that are needed."""
        return [entrant for entrant in self.entrants if entrant.name not in self.absent]

    @property
    def slots(self) -> int:
        """The number of matches that each bot must play at once so that `concurrency` of them keep going."""
        rules = rules_of(self.game)
        whole = rules.kind == "race" and self.format.name == "round_robin"
        seats = len(self.entrants) if whole else max(2, len(rules.seats))
        return -(-seats * self.concurrency // len(self.entrants))

    @property
    def thinking(self) -> int:
        """The number of bots that think at once: one of each match, and all of a race."""
        return self.concurrency * (len(self.entrants) if rules_of(self.game).kind == "race" else 1)

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(Entry(bot.name, number, spec=bot.text) for number, bot in enumerate(self.entrants, 1))


def new_plan(
    chosen: RunOptions, game: str, options: Mapping[str, Any], specs: Sequence[str], instance: str = ""
) -> RunPlan:
    """Return a tournament of the bots that `specs` describe; `instance` is the name of its only one.
    Raises BadOption.
    """
    check_time_is_one_word(specs, chosen.tc)
    bots = entrants(specs)
    _check_installed(bots)
    names = [bot.name for bot in bots]
    rules, time = rules_of(game), TimeControl.parse(chosen.tc, chosen.st)
    hints = []
    if never_ends(rules, time):
        time = DEFAULT_TIME
        hints.append(f"{game} goes on until time is up: {time_text(rules, time)}; --st gives it another time")
    format_ = _format(chosen)
    terms = Terms(
        game=game,
        options=msgspec.to_builtins(rules.parse_options(options)) if rules.kind != "race" else dict(options),
        time=time,
        seed=1 if chosen.seed is None else chosen.seed,
        openings=parse_openings(chosen.openings).read() if chosen.openings else OpeningsChoice(),
        by_time=chosen.by_time,
        max_plies=chosen.max_plies,
        adjudication=_adjudication(chosen),
    )
    terms.check()
    check_exports(chosen.exports)
    event = Event(game, [Entry(bot.name, number) for number, bot in enumerate(bots, 1)])
    format_.check(event)
    hints += terms.source.check(format_.rules.rounds or 1)
    once = format_.name in ("round_robin", "gauntlet") and (format_.rules.rounds or 1) == 1
    if rules.kind != "race" and not terms.openings.any and not once:
        hints.append(
            "all games begin alike, so bots that leave nothing to chance repeat theirs; --openings 2 varies them"
        )
    anchors = parse_anchors(",".join(chosen.anchors))
    if stranger := next((name for name in anchors if name not in names), None):
        raise BadOption(f"--anchor names {stranger!r}, who does not play; {nearest(stranger, names)}")
    # in a race all bots think at once: a second one beside it would cost each of them time
    concurrency = chosen.concurrency or (1 if rules.kind == "race" else os.cpu_count() or 1)
    worker = f"run-{secrets.token_hex(4)}"
    settings = {
        **terms.settings,
        "bots": [[bot.name, bot.text] for bot in bots],
        "concurrency": concurrency,
        "worker": worker,
        "anchors": anchors,
    }
    if chosen.broken is not None:
        if format_.name == "sprt" and chosen.broken != "refuse":
            raise BadOption(f"an SPRT needs both of its bots; leave --broken {chosen.broken} out")
        settings[ON_BROKEN] = chosen.broken  # so that --resume does the same
    if (source := typed(game)) != game:
        settings[GAME_FROM] = source  # so that --resume finds it
    name = chosen.name or " ".join(filter(None, (game, instance, *names)))[:200]
    return RunPlan(game, name, bots, concurrency, worker, format_, terms, settings, hints=hints)


_NUMBER = re.compile(r"\d+(?:\.\d+)?", re.ASCII)


def check_time_is_one_word(words: Sequence[str], tc: str | None) -> None:
    """Raise BadOption for a number among games and bots after `--tc`: `--tc 10 0.1`."""
    number = next((word for word in words if _NUMBER.fullmatch(word)), None)
    if tc is not None and number is not None:
        raise BadOption(f"{number!r} is no game and no bot; write time and increment as one word: --tc {tc}+{number}")


def looks_like_a_bot(spec: str) -> bool:
    """Return whether a text in the place of a game names a bot: an installed one, or a scheme of bots."""
    head, colon, _ = spec.partition(":")
    return bool(entry_points(group=BOTS, name=head) or (colon and entry_points(group=BOT_SCHEMES, name=head)))


def _check_installed(bots: Sequence[Entrant]) -> None:
    """Raise BadOption for a name that is no installed bot, but a file of the current folder: `mine` for `./mine.py`.

    It is found here because a sandbox does not show that folder. A name without such a file is left to `palio join`.
    """
    for bot in bots:
        head = bot.spec.partition(":")[0]
        if head.endswith(".py") or "/" in head or looks_like_a_bot(bot.spec):
            continue
        if meant := file_meant_by(head):
            raise BadOption(f"no bot called {head!r} is installed; {meant}")


def _format(chosen: RunOptions) -> Format:
    """Return the format of `--format swiss:rounds=7` and the options beside it. Raises BadOption."""
    spec = Spec.parse(chosen.format or ("sprt" if chosen.sprt else "round_robin"))
    settings: dict[str, Any] = dict(spec.settings)
    if chosen.sprt is not None:
        if spec.name != "sprt":
            raise BadOption(f"--sprt is a format of its own; leave --format {spec.name} out")
        settings |= pairs_of("--sprt", chosen.sprt)
    for name in ("rounds", "games_per_encounter", "tie_breaks"):
        if (value := getattr(chosen, name)) is not None:
            if name in settings:
                raise BadOption(f"--format {chosen.format} and {flag(name)} both say it; keep one of them")
            settings[name] = value
    return format_of(spec.name, settings)


def _adjudication(chosen: RunOptions) -> Adjudication:
    """Return when the bots' own scores end a game. Raises BadOption."""
    draw = None if chosen.draw is None else Adjudication.parse_draw(chosen.draw)
    resign = None if chosen.resign is None else Adjudication.parse_resign(chosen.resign)
    return Adjudication(draw, resign)


async def resumed_plan(chosen: RunOptions, number: int) -> RunPlan:
    """Return the interrupted tournament `number`. Raises BadOption if there is none, or none that `palio run` made."""
    from palio_server.arena.kept_event import stored_event
    from palio_server.cli.source import open_store

    chosen.check_resumable(number)
    check_exports(chosen.exports)
    async with open_store(chosen.db) as store:
        if (kept := await store.tournament(number)) is None:
            known = ", ".join(str(row.id) for row in await store.tournaments(10)) or "none"
            raise BadOption(f"there is no tournament {number} in {store.url}; the newest are: {known}")
        if source := kept.settings.get(GAME_FROM):
            adopt(source)
        stored = await stored_event(store, number)
        row, event = stored.row, stored.event
        if not {"bots", "concurrency", "worker"} <= set(row.settings):
            raise BadOption(f"tournament {number} was not made by palio run; start a server with its bots instead")
        if row.stage == "cancelled":
            raise BadOption(f"tournament {number} was cancelled; run a new one")
        longer = stored.format
        if chosen.rounds is not None and chosen.rounds != longer.rules.rounds:
            longer = longer.extended(event, chosen.rounds)
    bots = [Entrant.read(name, text) for name, text in row.settings["bots"]]
    return RunPlan(
        row.game,
        row.name,
        bots,
        chosen.concurrency or int(row.settings["concurrency"]),
        row.settings["worker"],
        longer,
        Terms.of(row.game, row.settings),
        row.settings,
        number,
        rounds=None if longer is stored.format else chosen.rounds,
        absent=_absent(longer, event),
    )


def _absent(format_: Format, event: Event) -> frozenset[str]:
    """Return the bots without matches left: those that have left, and when all is planned, those in no
    open encounter.
    """
    gone = {entry.bot for entry in event.entries if entry.left is not None}
    if format_.over(event):
        return frozenset(entry.bot for entry in event.entries)
    if format_.total(event) == event.planned and event.open:
        needed = {bot for encounter in event.open for bot in encounter.bots}
        gone |= {entry.bot for entry in event.entries if entry.bot not in needed}
    return frozenset(gone)


# Bots of `palio run` that cannot play: all of them are found before the first game, and `--broken` decides about them.
#
# A bot cannot play if its program ends twice, or sends nothing for a minute, before it has joined, if it cannot be
# started, or if it does not play the game.

LONGEST = 200  # characters of a reason in a table


class BrokenBots:
    """The bots of a plan that cannot play. `say` is called with them."""

    def __init__(self, plan: RunPlan, choice: str | None, say: Callable[[str], None]) -> None:
        """`choice` is the value of --broken; None: as the tournament began, or the default for its size."""
        usual = "refuse" if plan.format.name == "sprt" or len(plan.entrants) <= 2 else "forfeit"
        self.choice = choice or plan.settings.get(ON_BROKEN) or usual
        self._plan, self._say = plan, say
        self._found: dict[str, str] = {}  # why, by name
        self._fates = {bot.name: asyncio.Event() for bot in plan.playing}
        self._decided = False

    def note(self, name: str, why: str) -> bool:
        """Note that a bot cannot play. Returns False after the decision who plays: then a bot fails as any other."""
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
        """Return the plan to carry out, with those who play and those who forfeit. Raises BotFailed if there is no
        tournament.
        """
        self._decided = True
        plan, found = self._plan, self._found
        if not found:
            return plan
        listed = self._listed()
        rest = [bot for bot in plan.playing if bot.name not in found]
        if self.choice == "refuse" and len(found) == 1 and (unusable := _named_wrongly(next(iter(found.values())))):
            raise BotFailed(unusable, usage=True)
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
        """Return the error that the tournament cannot go on."""
        return BotFailed(f"{self._listed()}\n{why}")

    def _listed(self) -> str:
        """Return each of them with its reason."""
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
    """Return why a bot cannot play, in one line for tables: how its program ended, and its last words.

    `ended with exit code 2 before it joined: palio: ./a.py: line 3: invalid syntax`
    """
    _, _, said = _at_home(plan, name, why).partition(f"the bot {name} ({_spec(plan, name)}) ")
    first, *lines = (said or why).splitlines() or [""]
    how, *_ = first.split("; ")
    return one_line(": ".join((how, lines[-1].strip())) if lines else first)[:LONGEST]


_UNUSABLE = re.compile(
    r"(the bot [^\n]*) ended with exit code 2 before it joined; its last lines on stderr:\n(?:.*\n)*  Error: (.*)"
)


def _named_wrongly(why: str) -> str | None:
    """Return one sentence for a bot that cannot be loaded: a typo in its settings, or no such bot; None for others."""
    found = _UNUSABLE.fullmatch(why)
    return None if found is None else f"{found[1]} cannot be used: {found[2]}"


def _at_home(plan: RunPlan, name: str, why: str) -> str:
    """Return the reason with the bot's own path, not with the one that it has on a worker of a cluster."""
    found = re.match(rf"the bot {re.escape(name)} \(.*?\) (?=ended |was |has |cannot |does )", why)
    return why if found is None else f"the bot {name} ({_spec(plan, name)}) {why[found.end() :]}"


def _spec(plan: RunPlan, name: str) -> str:
    return next(bot.spec for bot in plan.entrants if bot.name == name)


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
