"""The courses of a server: checks of what is handed in, practice games, nightly tournaments and finals.

Its rooms are loaded by a server that has courses; others never enter them.
"""

import logging
from collections.abc import Callable, Coroutine
from functools import partial

from palio_db.address import Address
from palio_db.store import Store
from palio_server.app_state import ServerParts
from palio_server.arena.arena import Arena
from palio_server.arena.practice import PracticeGames, Start
from palio_server.courses.check import check
from palio_server.courses.check_queue import Checker
from palio_server.courses.live_tournaments import LiveTournaments
from palio_server.courses.served_courses import ServedCourses
from palio_server.courses.term_clock import TermClock, in_process
from palio_server.courses.trial import Trials
from palio_server.courses.values import Course
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.programs import forfeit
from palio_server.lobby.session import Expulsion
from palio_server.network.listeners import Listeners
from palio_server.processes import BotProcess, Entrant
from palio_server.sandbox.bubblewrap import SandboxLimits, parse_size
from palio_server.sandbox.confinement import SHIPPED, Confinement, confinement
from palio_server.sandbox.spec_files import is_untrusted
from palio_server.settings import Settings, database_files

log = logging.getLogger(__name__)


def read_courses(settings: Settings, store: Store) -> ServedCourses:
    """Return the courses of a server; not for use in a running event loop.

    Raises BadOption for a faulty one, and where there is no sandbox that it needs.
    """
    trials, folders = partial(_trials, settings), settings.course_folders
    return ServedCourses.read(store, folders, partial(_checker, settings), trials, settings.check_slots)


def practice_games(
    settings: Settings, listeners: Listeners, store: Store, arena: Arena, lobby: Lobby, courses: ServedCourses
) -> PracticeGames:
    """Return the practice games of the courses; they begin when they are run."""
    return PracticeGames(store, arena, lobby, courses, _starter(settings, listeners, lobby))


def course_tasks(
    parts: ServerParts, courses: ServedCourses, practice: PracticeGames
) -> dict[str, Callable[[], Coroutine[None, None, None]]]:
    """Return the permanent tasks of a server with these courses, by name."""
    settings, store = parts.settings, parts.store
    tasks: dict[str, Callable[[], Coroutine[None, None, None]]] = {"courses": courses.run}
    if settings.plays:
        tasks["practice"] = practice.run
    if Address.parse(settings.db).memory_uri is None:  # its tournaments are played by processes of their own
        play = in_process(settings.db, confined=settings.sandbox != "off")
        shown = LiveTournaments(store, parts.feed, parts.bus, settings.worker, lambda: courses.by_name)
        tasks["course-tournaments"] = TermClock(store, lambda: courses.courses, play).run
        tasks["course-matches"] = shown.run
    return tasks


def _checker(settings: Settings, course: Course) -> Checker:
    """Return the check of a course's submissions. Raises BadOption where it needs a sandbox and there is none."""
    return partial(check, confinement=_confinement(settings, course))


def _trials(settings: Settings, course: Course) -> Trials:
    return Trials(course.folder, _confinement(settings, course), log.info)


def _confinement(settings: Settings, course: Course) -> Confinement:
    limits = SandboxLimits(memory=parse_size(settings.memory), processes=settings.processes)
    mode = settings.sandbox if course.sandbox else "off"
    return confinement(mode, limits, database_files(settings.db), strangers=True)


def _starter(settings: Settings, listeners: Listeners, lobby: Lobby) -> Start:
    """Return a function that starts a bot of a practice game; each bot keeps the address of its own."""
    addresses: dict[tuple[str, str], str] = {}

    async def start(course: Course, bot: Entrant) -> BotProcess:
        confined = _confinement(settings, course)
        sandboxed = is_untrusted(bot.spec) and confined.works
        how = confined.text(network=bot.network) if is_untrusted(bot.spec) else SHIPPED
        if (url := addresses.get((bot.name, how))) is None:
            url = addresses[bot.name, how] = listeners.open_for(bot.name, how)

        def used_up(limit: str) -> None:
            forfeit(lobby, url, Expulsion("crashed", "limit-used-up", limit))

        process = await BotProcess.start(
            url,
            bot,
            1,
            log.debug,
            confinement=confined if sandboxed else None,
            hit_limit=used_up,
            account=listeners.account_of(url),
        )
        listeners.tell_awaited(url, process.awaited)
        return process

    return start
