"""What `palio run` is to play: by its options, or by the database where a tournament was interrupted."""

import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from palio_db.event_values import Entry
from palio_rules.adjudication import Adjudication
from palio_rules.errors import BadOption, nearest
from palio_rules.registry import adopt, typed
from palio_rules.registry import game as rules_of
from palio_rules.spec import Spec
from palio_rules.time_control import TimeControl
from palio_server.cli.export_files import check_exports
from palio_server.cli.game_from import GAME_FROM
from palio_server.cli.run_options import RunOptions, flag, pairs_of
from palio_server.processes import Entrant, entrants
from palio_server.settings import parse_anchors
from palio_server.tournament.event import Event
from palio_server.tournament.format import Format, format_of
from palio_server.tournament.heat import DEFAULT_TIME, never_ends, time_text
from palio_server.tournament.openings.choice import OpeningsChoice, parse_openings
from palio_server.tournament.terms import Terms

ON_BROKEN = "on_broken"  # among the settings: what --broken says


@dataclass(frozen=True, slots=True)
class RunPlan:
    """A tournament that can be played: `number` where it is in the database already."""

    game: str
    name: str
    entrants: Sequence[Entrant]
    concurrency: int  # matches at once
    worker: str  # who plays it; the same name takes interrupted matches up again at once
    format: Format
    terms: Terms
    settings: Mapping[str, Any]  # what is kept of all this with the tournament
    number: int | None = None
    rounds: int | None = None  # to play so many in all, where a tournament is gone on with
    hints: Sequence[str] = ()  # what whoever runs it may not expect
    absent: frozenset[str] = frozenset()  # who has nothing left to play
    broken: frozenset[str] = frozenset()  # bots that cannot play, and lose their games by forfeit
    leaving: frozenset[str] = frozenset()  # bots that cannot play on, and are withdrawn

    @property
    def playing(self) -> list[Entrant]:
        """The bots that are needed."""
        return [entrant for entrant in self.entrants if entrant.name not in self.absent]

    @property
    def slots(self) -> int:
        """How many matches each bot must play at once, so that `concurrency` of them keep going."""
        rules = rules_of(self.game)
        whole = rules.kind == "race" and self.format.name == "round_robin"
        seats = len(self.entrants) if whole else max(2, len(rules.seats))
        return -(-seats * self.concurrency // len(self.entrants))

    @property
    def thinking(self) -> int:
        """How many bots think at once: one of each match, and all of a race."""
        return self.concurrency * (len(self.entrants) if rules_of(self.game).kind == "race" else 1)

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(Entry(bot.name, number, spec=bot.text) for number, bot in enumerate(self.entrants, 1))


def new_plan(
    chosen: RunOptions, game: str, options: Mapping[str, Any], specs: Sequence[str], instance: str = ""
) -> RunPlan:
    """A tournament of the bots that `specs` describe; `instance` is what its only one is called. Raises BadOption."""
    bots = entrants(specs)
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


def _format(chosen: RunOptions) -> Format:
    """As `--format swiss:rounds=7` and the options beside it say. Raises BadOption."""
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
    """When what bots tell ends a game. Raises BadOption."""
    draw = None if chosen.draw is None else Adjudication.parse_draw(chosen.draw)
    resign = None if chosen.resign is None else Adjudication.parse_resign(chosen.resign)
    return Adjudication(draw, resign)


async def resumed_plan(chosen: RunOptions, number: int) -> RunPlan:
    """The interrupted tournament `number`. Raises BadOption if there is none, or none that `palio run` made."""
    from palio_server.arena.stored_event import stored_event
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
    """Who has nothing left to play: whoever has left, and where all is planned, whoever is in no open encounter."""
    gone = {entry.bot for entry in event.entries if entry.left is not None}
    if format_.over(event):
        return frozenset(entry.bot for entry in event.entries)
    if format_.total(event) == event.planned and event.open:
        needed = {bot for encounter in event.open for bot in encounter.bots}
        gone |= {entry.bot for entry in event.entries if entry.bot not in needed}
    return frozenset(gone)
