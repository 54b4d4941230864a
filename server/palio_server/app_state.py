"""The parts of a running server. `server.py` builds them; pages, commands and tests get them as one object."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from palio_db.store import Store
from palio_server.arena.analysis_queue import AnalysisQueue
from palio_server.arena.arena import Arena
from palio_server.arena.leaderboards import Leaderboards
from palio_server.arena.tables import Tables
from palio_server.arena.tournaments import Tournaments
from palio_server.bus import Bus
from palio_server.live.feed import Feed
from palio_server.lobby.access import Access
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.other_servers import ALONE, OtherServers
from palio_server.lobby.visits import Visits
from palio_server.processes.hint_process import HintProcess
from palio_server.settings import Settings

if TYPE_CHECKING:
    from palio_server.arena.practice import PracticeGames
    from palio_server.courses.served_courses import ServedCourses


@dataclass(frozen=True, slots=True)
class ServerParts:
    """The parts of a running server."""

    url: str  # of the page; bots connect to the same address
    local_url: str  # for bots on this machine
    settings: Settings
    store: Store
    bus: Bus
    lobby: Lobby
    visits: Visits
    access: Access
    feed: Feed
    arena: Arena
    leaderboards: Leaderboards
    tournaments: Tournaments
    tables: Tables
    hints: HintProcess
    analyses: AnalysisQueue
    courses: "ServedCourses | None" = None  # None: it has no courses
    practice: "PracticeGames | None" = None
    others: OtherServers = ALONE  # those that share the work
