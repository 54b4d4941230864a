"""An event that is made of setups: what tests of the store, of servers and of commands begin with."""

from collections.abc import Mapping, Sequence
from typing import Any

from palio_db.event_values import EncounterRow, Entry, Plan, TournamentDraft
from palio_db.store import Store
from palio_rules.records.record import Setup
from palio_server.tournament.event import Event
from palio_server.tournament.format import format_of
from palio_server.tournament.terms import Terms


async def made_event(
    store: Store, name: str, game: str, settings: Mapping[str, Any], setups: Sequence[tuple[int, Setup]]
) -> int:
    """A round robin with these matches, given as (round, setup) in the order of play: the same bots on one opening
    or instance are an encounter."""
    bots = dict.fromkeys(bot for _, setup in setups for bot in setup.bots)
    entries = tuple(Entry(bot, number) for number, bot in enumerate(bots, 1))
    rules = {"rounds": settings["rounds"]} if "rounds" in settings else {}
    draft = TournamentDraft(name, game, "round_robin", rules, settings, entries, stage="running")
    number = await store.create_event(draft)
    found: dict[Any, list[int]] = {}
    for place, (round_, setup) in enumerate(setups):
        found.setdefault((round_, *sorted(setup.bots), str(setup.opening), setup.seed), []).append(place)
    rows, matches = [], []
    boards: dict[int, int] = {}
    for encounter, places in enumerate(found.values(), 1):
        round_, first = setups[places[0]]
        boards[round_] = boards.get(round_, 0) + 1
        rows.append(EncounterRow(encounter, Plan(round_, boards[round_], first.bots, len(places))))
        matches += [(place, (encounter, game, setups[place][1])) for game, place in enumerate(places)]
    await store.plan(number, rows, [match for _, match in sorted(matches)], name)
    return number


async def made_round_robin(
    store: Store, name: str, bots: Sequence[str], rounds: int, settings: Mapping[str, Any] | None = None, **terms: Any
) -> int:
    """A round robin as `palio run` would make it, all of which is scheduled."""
    found = Terms(**terms)
    entries = tuple(Entry(bot, number) for number, bot in enumerate(bots, 1))
    made = format_of("round_robin", {"rounds": rounds})
    event = Event(found.game, entries)
    draft = TournamentDraft(
        name, found.game, made.name, made.settings, {**found.settings, **(settings or {})}, entries, stage="running"
    )
    number = await store.create_event(draft)
    while plans := made.next(event, 10_000):
        rows = [EncounterRow(place, plan) for place, plan in enumerate(plans, len(event.encounters) + 1)]
        for row in rows:
            event.add(row)
        games = [(row.number, game, setup) for row in rows for game, setup in found.setups(row.plan) if row.plan.games]
        await store.plan(number, rows, games, name)
    return number
