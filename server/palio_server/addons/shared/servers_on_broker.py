"""Servers that share the work and meet on an MQTT broker: what this one tells them, asks them, and does for them."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from palio_db.event_values import TournamentDraft
from palio_db.values import Actor
from palio_rules.errors import BadOption
from palio_rules.records.record import Record
from palio_server import live
from palio_server.addons.shared.mqtt import MqttBus
from palio_server.addons.shared.node import Node
from palio_server.addons.shared.requests import SNAPSHOT, Declined
from palio_server.addons.shared.shared_tournaments import SharedTournaments
from palio_server.app_state import ServerParts
from palio_server.bus import Bus
from palio_server.live.feed import Feed
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.other_servers import NoAnswer, OtherServers
from palio_server.lobby.session import Expulsion, Session
from palio_server.operating import Draining, Operating, ServerFigures
from palio_server.settings import Settings

log = logging.getLogger(__name__)

HOLD_S = 5.0  # beyond a dead server's leases, its matches' bots are kept: so long it takes to take them up
SNAPSHOT_S = 1.5  # for another server to answer a viewer; then the journal has to do
FIGURES_S = 2.0  # for another server to say how it is; then it counts as silent
STOP, CALL_OFF, FIGURES, DRAIN = "stop", "call-off", "figures", "drain"  # what one server asks another for
SCHEDULED, BEGUN, OVER, STALE, RATED = "scheduled", "begun", "over", "stale", "rated"  # what it tells all


class Ended(msgspec.Struct, frozen=True):
    """A match is over, with a result, or none of its bots was ready. `absent` names the bots that did not come."""

    match: str
    game: str  # its leaderboard
    rated: bool
    absent: tuple[str, ...] = ()


class ServersOnBroker:
    """`OtherServers` for servers on one broker and one database."""

    sharing = True
    node: Node  # from `connect_lobby` on
    tournaments: SharedTournaments  # from `connect` on

    def __init__(self, settings: Settings, bus: MqttBus) -> None:
        self._settings, self._bus = settings, bus
        self.on_missed: list[Callable[[], None]] = []

    def connect_lobby(self, lobby: Lobby) -> None:
        """Make the node, which knows the bots of the other servers."""
        own = self._settings
        self.node = Node(self._bus, lobby, worker=own.worker, role=own.role, hold_s=own.lease_s + HOLD_S)
        self.node.on_gone.append(lambda _process: self._missed())
        self.node.on_reconnected.append(self._missed)

    def connect(self, parts: ServerParts) -> None:
        self.connect_lobby(parts.lobby)
        node, arena, leaderboards = self.node, parts.arena, parts.leaderboards
        self._parts = parts
        self._teller = LobbyTeller(parts.feed, node)
        self.tournaments = SharedTournaments(parts.store, parts.tournaments, node, runs=self._settings.plays)
        arena.on_start.append(lambda match: node.tell_all(BEGUN, match))
        arena.on_result.append(self._tell_result)
        arena.on_unplayed.append(self._tell_result)
        node.on_settled.append(leaderboards.count_all_if_leading)
        node.on_gone.append(lambda _process: leaderboards.count_all_if_leading())
        node.hear_of(SCHEDULED, lambda _process, _about: arena.nudge())
        node.hear_of(BEGUN, lambda _process, match: self._hear(str(match), over=False))
        node.hear_of(OVER, self._hear_result)
        node.hear_of(STALE, lambda _process, game: leaderboards.recount(str(game), told=True))
        node.hear_of(RATED, lambda _process, game: leaderboards.heard(str(game)))
        node.requests.serve(SNAPSHOT, self._snapshot)
        node.requests.serve(STOP, self._stop)
        node.requests.serve(CALL_OFF, self._call_off)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.node.run(), name="node")
            tasks.create_task(self._teller.run(), name="lobby-teller")
            if self._settings.plays:
                tasks.create_task(self.tournaments.run(), name="shared-tournaments")

    def stop(self) -> None:
        self.node.stop()

    async def settled(self) -> None:
        await self.node.settled.wait()

    def leads(self) -> bool:
        return self.node.leads()

    def can_take_over(self) -> bool:
        others = [member.beat for member in self.node.roster.members.values()]
        return any(beat.referee and not (beat.draining or beat.stopping) for beat in others)

    def _missed(self) -> None:
        for listener in self.on_missed:
            listener()

    # --- the lobby ----------------------------------------------------------------------------------------------------

    def tell_connections(self, name: str) -> None:
        self.node.tell_connections(name)

    def tell_expelled(self, session: Session, match: str, why: Expulsion) -> None:
        self.node.tell_expelled(session, match, why)

    def ask_for_slot(self, session: Session, match: str, epoch: int) -> None:
        self.node.seating.ask_for_slot(session, match, epoch)

    # --- the arena ----------------------------------------------------------------------------------------------------

    async def borrow_slots(self, match: str, epoch: int, game: str, names: Sequence[str], *, absent_ok: bool) -> None:
        await self.node.seating.seat(match, epoch, game, names, absent_ok=absent_ok)

    def return_slots(self, match: str) -> None:
        self.node.seating.release(match)

    def tell_scheduled(self) -> None:
        self.node.tell_all(SCHEDULED)

    async def call_off(self, match: str, reason: str) -> bool:
        for process in list(self.node.roster.members):
            try:
                if await self.node.requests.ask(process, CALL_OFF, [match, reason]):
                    return True
            except (NoAnswer, Declined) as error:
                log.info("match %s is not called off there: %s", match, error)
        return False

    async def stop_match(self, worker: str | None, match: str, reason: str) -> bool:
        process = self.node.process_of(worker)
        if process is None:
            return False
        try:
            return bool(await self.node.requests.ask(process, STOP, [match, reason]))
        except Declined as error:
            log.info("%s is declined: %s", STOP, error)
            return False

    # --- operators ----------------------------------------------------------------------------------------------------

    def serve_operator(self, operating: Operating) -> None:
        async def own(_about: Any) -> ServerFigures:
            return operating.figures()

        async def drain(how: Any) -> bool:
            operating.drain(None if how is None else msgspec.convert(how, Draining))
            return True

        self.node.requests.serve(FIGURES, own)
        self.node.requests.serve(DRAIN, drain)

    def tell_draining(self, *, draining: bool) -> None:
        self.node.update(draining=draining)

    async def figures(self) -> list[ServerFigures]:
        return await asyncio.gather(*map(self._figures_of, [*self.node.roster.members]))

    async def _figures_of(self, process: str) -> ServerFigures:
        beat = self.node.roster.members[process].beat
        try:
            found = await self.node.requests.ask(process, FIGURES, seconds=FIGURES_S)
            return msgspec.convert(found, ServerFigures)
        except (NoAnswer, Declined, msgspec.ValidationError) as error:  # the last two: an older or a newer release
            log.info("the server %s does not say how it is: %s", process, error)
            return ServerFigures(beat.worker, beat.role, beat.release, "silent", reason=str(error))

    async def drain(self, worker: str, how: Draining | None) -> bool:
        process = self.node.process_of(worker)
        if process is None:
            return False
        try:
            return bool(await self.node.requests.ask(process, DRAIN, how))
        except Declined as error:
            raise BadOption(f"the server {worker} is not drained: {error}") from None

    # --- leaderboards and viewers -------------------------------------------------------------------------------------

    def tell_stale(self, game: str) -> None:
        self.node.tell_all(STALE, game)

    def tell_rated(self, game: str) -> None:
        self.node.tell_all(RATED, game)

    def tell_watched(self, watched: bool) -> None:  # noqa: FBT001  # the hub's callback
        self.node.update(watched=watched)

    async def snapshot(self, worker: str | None, match: str) -> object:
        process = self.node.process_of(worker)
        if process is None:
            return None
        try:
            found: object = await self.node.requests.ask(process, SNAPSHOT, match, SNAPSHOT_S)
        except (NoAnswer, Declined) as error:
            log.info("match %s is shown as its journal has it: %s", match, error)
            return None
        return found

    # --- tournaments --------------------------------------------------------------------------------------------------

    async def create_tournament(self, draft: TournamentDraft, by: Actor) -> int | None:
        return await self.tournaments.create(draft, by)

    async def change_tournament(self, number: int, act: str, arguments: Sequence[Any]) -> list[Any]:
        return await self.tournaments.change(number, act, arguments)

    # --- what others tell and ask -------------------------------------------------------------------------------------

    def _tell_result(self, record: Record) -> None:
        absent = tuple(record.setup.bots[seat] for seat in record.absent or ())
        self.node.tell_all(OVER, Ended(record.match, record.setup.leaderboard, record.rated, absent))

    def _hear(self, match: str, *, over: bool) -> None:
        for listener in list(self._parts.arena.on_remote):
            listener(match, over)

    def _hear_result(self, _process: str, about: Any) -> None:
        ended = msgspec.convert(about, Ended)
        self._hear(ended.match, over=True)
        for bot in ended.absent:
            self._parts.arena.absent(bot, ended.match)
        if ended.rated:
            self._parts.leaderboards.recount(ended.game, told=True)

    async def _snapshot(self, match: Any) -> live.MatchSnapshot | None:
        return self._parts.feed.snapshot(str(match))

    async def _stop(self, about: Any) -> bool:
        match, reason = about
        return self._parts.arena.stop(str(match), str(reason))

    async def _call_off(self, about: Any) -> bool:
        match, reason = about
        return self._parts.arena.call_off(str(match), str(reason))


def servers_on_broker(settings: Settings, bus: Bus) -> OtherServers:
    """Make the other servers of a server whose settings share the work."""
    assert isinstance(bus, MqttBus)
    return ServersOnBroker(settings, bus)


# What is played here, told to servers where a viewer watches the lobby; what they tell, for viewers here.

TICK_S = 0.25  # as often as viewers of the lobby are told of changes
PART = 10  # matches in one message: each has a board, and brokers take 64 KB
SUBJECT = "lobby"


class Played(msgspec.Struct, frozen=True):
    """Matches as the lobby shows them; if `whole`, the server plays no others."""

    matches: list[live.Summary]
    whole: bool = False


class LobbyTeller:
    """Tells other servers of the matches played here, while `run` runs."""

    def __init__(self, feed: Feed, node: Node) -> None:
        self._feed, self._node = feed, node
        self._watching: set[str] = set()  # servers that have heard of all
        node.hear_of(SUBJECT, self._hear)
        node.on_gone.append(feed.remote.forget)
        node.on_reconnected.append(self._tell_all_again)

    async def run(self) -> None:
        """Tell until cancelled."""
        while True:
            watching = {process for process, member in self._node.roster.members.items() if member.beat.watched}
            if watching - self._watching:
                self._feed.tell_others(wanted=True)
                self._tell(self._feed.playing(), whole=True)
            elif watching:
                if changes := self._feed.changes_for_others():
                    self._tell(changes, whole=False)
            elif self._watching:
                self._feed.tell_others(wanted=False)
            self._watching = watching
            await asyncio.sleep(TICK_S)

    def _tell_all_again(self) -> None:
        """Tell the watching servers everything again: messages were lost while the broker was away."""
        self._watching = set()

    def _tell(self, summaries: Sequence[live.Summary], *, whole: bool) -> None:
        for begin in range(0, max(1, len(summaries)), PART):
            self._node.tell_all(SUBJECT, Played([*summaries[begin : begin + PART]], whole and begin == 0))

    def _hear(self, process: str, about: Any) -> None:
        try:
            told = msgspec.convert(about, Played)
        except msgspec.ValidationError as error:
            log.info("what %s plays cannot be read: %s", process, error)
            return
        self._feed.remote.take(process, told.matches, whole=told.whole)
