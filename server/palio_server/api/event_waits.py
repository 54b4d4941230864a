"""The reasons why pairings of an event wait: which of its bots are here, and which events take their slots."""

from collections import Counter
from collections.abc import Iterable

from palio_db.event_values import TournamentRow
from palio_rules.errors import BadOption
from palio_server.api.event_items import Wait
from palio_server.api.event_views import EventView
from palio_server.app_state import ServerParts
from palio_server.tournament.format import format_type
from palio_server.tournament.waits import BotLoad, EventLoad, open_pairings, why_waits

SHOWN = 20  # pairings


async def waits_of(parts: ServerParts, view: EventView) -> list[Wait]:
    """Return what the first open pairings wait for; none unless the event is being played on this server."""
    row = view.row
    here = row.worker in ("", parts.tournaments.worker) or parts.others.sharing
    if not here or row.stage != "running" or not row.scheduled or view.event is None:
        return []
    pairings = open_pairings(view.event, SHOWN)
    loads = await _loads(parts, row, {bot for pairing in pairings for bot in pairing.bots})
    held_back = parts.arena.held_back
    return [
        Wait(each.encounter, list(each.bots), each.matches, why_waits([loads[bot] for bot in each.bots], held_back))
        for each in pairings
    ]


async def _loads(parts: ServerParts, row: TournamentRow, bots: Iterable[str]) -> dict[str, BotLoad]:
    lobby = parts.lobby
    held = {bot: lobby.matches(bot) for bot in bots}
    places = await parts.store.events_of([match for matches in held.values() for match in matches])
    events = {None: EventLoad("single matches"), row.id: EventLoad("this event")}
    for number in {number for number, _ in places.values()} - events.keys():
        events[number] = await _event(parts, number)
    found = {}
    for bot, matches in held.items():
        playing = (_load(events, *places.get(match, (None, ""))) for match in matches)
        sessions = lobby.connections(bot)
        slots = sum(session.slots for session in sessions if row.game in session.games)
        before = parts.arena.before(bot, row.id)
        found[bot] = BotLoad(bot, slots, Counter(playing), before, elsewhere=bool(sessions) and not slots)
    return found


def _load(events: dict[int | None, EventLoad], number: int | None, title: str) -> EventLoad:
    return EventLoad(f"matches of {title}") if number is None and title else events[number]


async def _event(parts: ServerParts, number: int | None) -> EventLoad:
    other = None if number is None else await parts.store.tournament(number)
    if other is None:
        return EventLoad("an event")
    try:
        title = format_type(other.format).title
    except BadOption:  # it is not installed here
        title = other.format
    return EventLoad(f"{title} {other.id}", other.scheduled)
