"""The plan of `palio run`: from its options, or from the database for a tournament that was interrupted."""

import os
import re
import secrets
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from palio_db.event_values import Entry
from palio_rules.adjudication import Adjudication
from palio_rules.completing import BOT_SCHEMES, BOTS
from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.registry import adopt, is_file, parts, typed
from palio_rules.registry import game as rules_of
from palio_rules.spec import Spec, file_meant_by
from palio_rules.time_control import MARGIN_MS, TimeControl
from palio_server.cli.bot_folders import bots_of
from palio_server.cli.export_files import check_exports
from palio_server.cli.options import GAME_FROM, odds_of
from palio_server.cli.run_options import RunOptions, flag, pairs_of
from palio_server.processes import CpuShares, Entrant
from palio_server.processes.affinity import parse_cpus, usable_cpus
from palio_server.settings import parse_anchors
from palio_server.tournament.event import FILES, Event
from palio_server.tournament.format import Format, format_of
from palio_server.tournament.openings.choice import OpeningsChoice, parse_openings
from palio_server.tournament.round_robin import DEFAULT_TIME, never_ends, time_text
from palio_server.tournament.terms import STRIKES, Terms

ON_BROKEN = "on_broken"  # key in the settings: the value of --broken
MAX_CRASHES = "max_crashes"  # and that of --max-crashes


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
    way_on: str = ""  # the command that goes on after an interruption, if it is not `palio run --resume`

    @property
    def playing(self) -> list[Entrant]:
        """The bots that are needed."""
        return [entrant for entrant in self.entrants if entrant.name not in self.absent]

    @property
    def game_spec(self) -> str:
        """The game with its settings, as far as they are simple values."""
        simple = {key: value for key, value in self.terms.options.items() if isinstance(value, str | int)}
        chosen = ",".join(
            f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in simple.items()
        )
        return f"{self.game}:{chosen}" if chosen else self.game

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


def _for_resume(chosen: RunOptions, game: str) -> dict[str, Any]:
    """Return what `--resume` needs beside the terms: a limit of crashes, where the game is, and the files to go on
    with.
    """
    found: dict[str, Any] = {}
    if chosen.max_crashes is not None:
        found[MAX_CRASHES] = chosen.max_crashes
    if (source := typed(game)) != game:
        found[GAME_FROM] = source
    if files := chosen.files():
        found[FILES] = files
    return found


def new_plan(
    chosen: RunOptions, game: str, options: Mapping[str, Any], specs: Sequence[str], instance: str = ""
) -> RunPlan:
    """Return a tournament of the bots that `specs` describe; `instance` is the name of its only one.
    Raises BadOption.
    """
    check_time_is_one_word(specs, chosen.tc)
    bots, remarks = bots_of(specs)
    _check_installed(bots, len(rules_of(game).seats))
    names = [bot.name for bot in bots]
    margin_ms = MARGIN_MS if chosen.margin is None else chosen.margin
    rules, time = rules_of(game), TimeControl.parse(chosen.tc, chosen.st, margin_ms)
    hints = [*remarks]
    if never_ends(rules, time):
        time = replace(DEFAULT_TIME, margin_ms=margin_ms)
        hints.append(f"{game} goes on until time is up: {time_text(rules, time)}; --st gives it another time")
    by_processor = _is_by_processor(chosen)
    format_ = _format(chosen)
    terms = Terms(
        game=game,
        options=msgspec.to_builtins(rules.parse_options(options)) if rules.kind != "race" else dict(options),
        time=time,
        seed=1 if chosen.seed is None else chosen.seed,
        openings=parse_openings(chosen.openings).kept(game) if chosen.openings else OpeningsChoice(),
        by_time=chosen.by_time,
        rated=chosen.rated,
        strikes=chosen.strikes or STRIKES,
        lenient=chosen.strikes is not None,
        max_plies=chosen.max_plies,
        adjudication=_adjudication(chosen),
        seating=chosen.seats or "swapped",
        order=tuple(names) if chosen.seats == "fixed" else (),
        times=odds_of(chosen.odds, names, margin_ms),
        clock="processor" if by_processor else UNSET,
    )
    terms.check()
    if chosen.rated is None and not terms.is_even:
        hints.append("the games are not rated, because a handicap or time odds favour a seat; --rated counts them")
    check_exports(chosen.exports)
    event = Event(game, [Entry(bot.name, number) for number, bot in enumerate(bots, 1)])
    format_.check(event)
    hints += terms.source.check(format_.rules.rounds or 1)
    once = format_.name in ("round_robin", "gauntlet") and (format_.rules.rounds or 1) == 1
    if rules.kind != "race" and not terms.openings.any and not once:
        hints.append(
            "every game starts from the same position, so deterministic bots repeat the same game; "
            "--openings 2 varies the start"
        )
    anchors = parse_anchors(",".join(chosen.anchors))
    if stranger := next((name for name in anchors if name not in names), None):
        raise BadOption(f"--anchor names {stranger!r}, who does not play; {nearest(stranger, names)}")
    # in a race all bots think at once: a second one beside it would cost each of them time
    alone = rules.kind == "race" or by_processor
    concurrency = chosen.concurrency or (1 if alone else os.cpu_count() or 1)
    if (shares := cpu_shares(chosen, rules.kind, bots)) is not None and chosen.concurrency is None:
        concurrency = max(1, min(concurrency, shares.games))
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
    settings |= _for_resume(chosen, game)
    name = chosen.name or " ".join(filter(None, (game, instance, *names)))[:200]
    return RunPlan(game, name, bots, concurrency, worker, format_, terms, settings, hints=hints)


def _is_by_processor(chosen: RunOptions) -> bool:
    """Return whether moves cost processor time, which is measured for one game at a time. Raises BadOption."""
    if chosen.clock != "processor":
        return False
    if sys.platform != "linux":
        raise BadOption("--clock processor needs Linux; leave it out")
    if chosen.cluster is not None or (chosen.concurrency or 1) > 1:
        raise BadOption("--clock processor is for one game at a time on this machine; write --concurrency 1")
    if chosen.tc is None and chosen.st is None:
        raise BadOption("--clock processor needs a time; write --st 1 or --tc 10+0.1 beside it")
    return True


def cpu_shares(chosen: RunOptions, kind: str, bots: Sequence[Entrant]) -> CpuShares | None:
    """Return the CPUs of --affinity, by the `kind` of the game; None without it. Raises BadOption."""
    if chosen.affinity is None:
        return None
    if chosen.cluster is not None:
        raise BadOption("--affinity is for bots on this machine; leave --cluster or --affinity out")
    at_once = len(bots) if kind == "race" else 2 if any(bot.ponders for bot in bots) else 1
    return CpuShares(parse_cpus(chosen.affinity, usable_cpus()), at_once)


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


_PLAYED_BY_ENGINES = {"uci": "chess", "gtp": "go"}
_NAMED = re.compile(r"(?:[^:/=\s]+=)?(.+)", re.DOTALL)  # NAME=SPEC, or SPEC


def forgotten_game(first: str, others: Sequence[str]) -> str:
    """Return the sentence about a command line that begins with a bot, "" if `first` is none.

    It has the command as it should be, with the game that the bot's class names, or that engines of its language play;
    else with breakthrough.
    """
    found = _NAMED.fullmatch(first)
    spec = found[1] if found else first
    if (meant := _as_bot(spec)) is None:
        return ""
    written, game = meant
    first = f"{first.removesuffix(spec)}{written}"
    bots = [first, *others] if others else [first, "greedy" if spec == "random" else "random"]
    command = shlex.join(["palio", "run", game, *bots])
    return f"{quoted(spec)} is a bot; name the game before the bots, as in `{command}`"


def _as_bot(spec: str) -> tuple[str, str] | None:
    """Return the spec of a bot as it must be written, and a game that it plays; None if `spec` means no bot."""
    if looks_like_a_bot(spec):
        return spec, _PLAYED_BY_ENGINES.get(spec.partition(":")[0], "breakthrough")
    if game := _game_of_bot(spec):
        return spec, game
    if game := _game_of_bot(f"{spec}.py"):
        return f"./{spec}.py", game
    if _is_program(spec):
        return f"exec:{spec if '/' in spec else f'./{spec}'}", "breakthrough"
    return None


def _is_program(spec: str) -> bool:
    path = Path(spec)
    if not (path.is_file() and os.access(path, os.X_OK)):
        return False
    from palio_rules.instances.files import READERS

    return path.suffix.lower() not in READERS


def _game_of_bot(spec: str) -> str | None:
    """Return the game that the bot in a Python file names, breakthrough if it names none; None if there is no bot, or
    a game.
    """
    if not is_file(spec):
        return None
    from palio_server.courses.inspection import bot_file

    found = bot_file(Path(parts(spec)[0]))
    return found.game if found.bot and not found.has_game else None


def _check_installed(bots: Sequence[Entrant], seats: int) -> None:
    """Raise BadOption for names that are no installed bots, but a file of the current folder, `mine` for `./mine.py`,
    or programs: `stockfish` for `uci:stockfish`.

    A file is found here because a sandbox does not show that folder. Another name is left to `palio join`.
    """
    programs = []
    for bot in bots:
        head = bot.spec.partition(":")[0]
        if head.endswith(".py") or "/" in head or looks_like_a_bot(bot.spec):
            continue
        if meant := file_meant_by(head):
            raise BadOption(f"no bot called {head!r} is installed; {meant}")
        if shutil.which(head) is not None:
            programs.append(head)
    if programs:
        scheme, language = ("uci", "UCI") if seats == 2 else ("exec", "JSON lines")
        missing = " and ".join(map(repr, programs))
        written = " ".join(f"{scheme}:{program}" for program in programs)
        raise BadOption(
            f"no bot called {missing} is installed, but a program is; if it speaks {language}, write {written}"
        )


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


async def resumed_plan(chosen: RunOptions, number: int, *, of_course: bool = False) -> RunPlan:
    """Return the interrupted tournament `number`. Raises BadOption if there is none, or none that `palio run` made.

    One of a course is gone on with by its own command, which writes the files of its bots.
    """
    from palio_server.arena.kept_event import stored_event
    from palio_server.cli.source import open_store

    chosen.check_resumable(number)
    async with open_store(chosen.db) as store:
        if (kept := await store.tournament(number)) is None:
            known = ", ".join(str(row.id) for row in await store.tournaments(10)) or "none"
            raise BadOption(f"there is no tournament {number} in {store.url}; the newest are: {known}")
        if source := kept.settings.get(GAME_FROM):
            adopt(source)
        if (course := kept.settings.get("course")) and not of_course:
            verb = f"palio course {'final' if course['kind'] == 'final' else 'tournament'}"
            remedy = f"go on with {verb} {course['name']} {course['assignment']}"
            raise BadOption(f"tournament {number} is of the course {course['name']}; {remedy}")
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
    terms = Terms.of(row.game, row.settings)
    chosen = chosen.with_files(row.settings.get(FILES, {}))
    check_exports(chosen.exports)
    if terms.openings.digest:
        terms.source  # noqa: B018  # refuses a book that has changed
    settings = {**row.settings, **({} if chosen.max_crashes is None else {MAX_CRASHES: chosen.max_crashes})}
    if files := chosen.files():
        settings[FILES] = files
    return RunPlan(
        row.game,
        row.name,
        bots,
        chosen.concurrency or int(row.settings["concurrency"]),
        row.settings["worker"],
        longer,
        terms,
        settings,
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
