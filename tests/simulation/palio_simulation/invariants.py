"""The invariants of a world that is over, after any faults."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from palio_db.columns import unpack
from palio_rules.records.faults import fault
from palio_rules.records.record import Ply, Record, RejectedMove
from palio_server.arena.ladder import RESTED
from palio_simulation.absences import wrong_absence
from palio_simulation.clocks import wrong_forfeit, wrong_refusals, wrong_times
from palio_simulation.ledger import NO_RESULT
from palio_simulation.sums import wrong_sums

if TYPE_CHECKING:
    from palio_simulation.ledger import Ledger
    from palio_simulation.process import Incarnation
    from palio_simulation.world import World

AGAIN_S = 1.0  # until a server that heard nothing of its commit has asked again, and has been answered
REASONS = ("nobody was ready",)  # why a match may end without a result
OF_LADDER = ("a bot left before it began", RESTED)
OF_TABLES = ("left", "the person has left")


def broken(world: "World") -> Iterator[str]:
    """Sentences about what does not hold."""
    ledger = world.ledger
    records = {
        match: unpack(f"the record of match {match}", data, Record)
        for match, data in ledger.query("SELECT id, record FROM matches WHERE record IS NOT NULL")
    }
    yield from _every_match_is_over(world)
    yield from _records_reproduce(world, records)
    yield from _journals_are_kept(ledger, records)
    yield from _what_was_announced_is_recorded(ledger, records)
    yield from _whoever_was_there_was_told(ledger)
    yield from _triggers_saw_nothing_wrong(ledger)
    yield from _writers_held_the_match(world)
    yield from _pairings_are_played_once(world)
    yield from _analyses_are_kept(world)
    yield from wrong_sums(ledger, records)


def _every_match_is_over(world: "World") -> Iterator[str]:
    schedule = world.schedule
    reasons = REASONS + OF_LADDER * schedule.ladder + OF_TABLES * (schedule.tables > 0)
    found = dict(world.ledger.query("SELECT id, status FROM matches"))
    for match in sorted(world.scheduled - found.keys()):
        yield f"match {match} was scheduled, and is gone"
    for match, status, reason in world.ledger.query("SELECT id, status, reason FROM matches"):
        if status not in ("finished", "aborted"):
            yield f"match {match} is {status} at the end"
        elif status == "aborted" and not (reason or "").startswith(reasons):
            yield f"match {match} was aborted: {reason}"


def _records_reproduce(world: "World", records: dict[str, Record]) -> Iterator[str]:
    decided = {
        match: (moment - world.right_time() + world.loop.time(), writer)
        for match, moment, writer in world.ledger.query(
            "SELECT id, moment, writer FROM seen_matches WHERE status = 'finished'"
        )
    }
    for match, record in records.items():
        if record.match != match:
            yield f"the record of match {record.match} is that of match {match}"
        if (wrong := fault(record)) is not None:
            yield f"the record of match {match} does not reproduce: {wrong}"
            continue
        turns = world.ledger.turns_of.get(match, [])
        yield from wrong_times(record, turns)
        yield from wrong_refusals(record, turns)
        at, writer = decided[match]
        yield from wrong_forfeit(record, turns, at)
        yield from wrong_absence(world.ledger, record, at, writer)


def _journals_are_kept(ledger: "Ledger", records: dict[str, Record]) -> Iterator[str]:
    """Yield plies of the journal that are not in the record."""
    for match, kind, first, body in ledger.query("SELECT id, kind, first, body FROM seen_journal"):
        record = records.get(match)
        if record is None:
            continue
        lines = msgspec.json.decode(body, type=list[Ply] if kind == "ply" else list[RejectedMove])
        kept = (record.plies if kind == "ply" else record.refusals)[first - 1 : first - 1 + len(lines)]
        if list(kept) != lines:
            yield f"the journal of match {match} had {kind} {first} as {lines}, its record has {list(kept)}"


def _what_was_announced_is_recorded(ledger: "Ledger", records: dict[str, Record]) -> Iterator[str]:
    for label, match, result in ledger.heard:
        if result.reason not in NO_RESULT and (match not in records or records[match].result != result):
            yield f"{label} was told that match {match} ended by {result.reason}, which is not recorded"


def _whoever_was_there_was_told(ledger: "Ledger") -> Iterator[str]:
    """The server that ended a match has told all of its bots that were connected then."""
    for match, writer, moment in ledger.query("SELECT id, writer, moment FROM seen_matches WHERE status = 'finished'"):
        at = moment - ledger.world.right_time() + ledger.world.loop.time()
        for (label, of, bot), link in ledger.introduced.items():
            if label != writer or of != match or (label, match, bot) in ledger.overs:
                continue
            server = link.incarnation
            there = link.opened_at < at
            if there and _goes_well(server, at, at + AGAIN_S) and link.speaks_until(at + AGAIN_S):
                yield f"{label} has ended match {match}, and has not told {bot}, which was there"


def _goes_well(server: "Incarnation", at: float, until: float) -> bool:
    """Return True if it lives all that time, without a disaster that could keep it from writing, or
    from being told so.
    """
    return (
        (server.ended_at is None or server.ended_at > until)
        and not any(start <= until and end >= at for start, end in server.paused)
        and not any(start <= until and _felt_until(start, end) >= at for start, end in server.world.disk.bad_times)
    )


def _felt_until(start: float, end: float) -> float:
    """Return the end of a wait: after failed attempts for so long, the next one may be up to twice as long away."""
    return end + 2 * (end - start) + 0.1


def _triggers_saw_nothing_wrong(ledger: "Ledger") -> Iterator[str]:
    for writer, match, what in ledger.query("SELECT writer, id, what FROM seen_faults"):
        yield f"{writer} at match {match}: {what}"


def _writers_held_the_match(world: "World") -> Iterator[str]:
    holder: dict[str, tuple[str, int]] = {}
    renewed = {(match, epoch): moment for match, epoch, moment in world.ledger.query("SELECT * FROM seen_leases")}
    ends, lease_s = Counter[str](), world.schedule.lease_ms / 1000
    rows = world.ledger.query(
        "SELECT moment, writer, id, old_status, status, old_epoch, epoch, old_worker, worker "
        "FROM seen_matches ORDER BY number"
    )
    for moment, writer, match, old, status, old_epoch, epoch, old_worker, worker in rows:
        if status not in ("running", "scheduled"):
            ends[match] += 1
        over_s = moment - renewed.get((match, old_epoch), 0.0) - lease_s  # the lease is over for so long
        nobodys = old == "scheduled" and status == "aborted" and (world.schedule.ladder or world.schedule.tables)
        ours = holder.get(match) == (writer, epoch if status != "aborted" else old_epoch)
        if status == "running":
            if old not in ("scheduled", "running") or epoch != old_epoch + 1:
                yield f"{writer} takes match {match}, which was {old} under epoch {old_epoch}, under epoch {epoch}"
            if old == "running" and old_worker != worker:
                yield from _taken_too_early(f"{writer} takes match {match}", 0.0, over_s)
                yield from _taken_from_the_living(world, f"{writer} takes match {match}", holder.get(match), moment)
            holder[match] = (writer, epoch)
        elif status == "scheduled" and old == "running" and not ours:  # no server has the bots to go on with it
            yield from _taken_too_early(f"{writer} puts match {match} back", lease_s, over_s)
            yield from _taken_from_the_living(world, f"{writer} puts match {match} back", holder.get(match), moment)
        elif not ours and writer != "observer" and not nobodys:  # the ladder and tables take back what did not begin
            yield f"{writer} makes match {match} {status} under epoch {epoch}, which {holder.get(match)} holds"
    for match, count in ends.items():
        if count != 1:
            yield f"match {match} was ended {count} times"


def _taken_too_early(what: str, least_s: float, over_s: float) -> Iterator[str]:
    if over_s < least_s - 0.001:
        yield f"{what}, {least_s - over_s:.3f} s too early"


def _taken_from_the_living(world: "World", what: str, holder: tuple[str, int] | None, moment: float) -> Iterator[str]:
    """A server that nothing has kept from renewing its leases has lost one. It may not know what it has claimed."""
    unheard = {each.whom for each in world.schedule.faults if each.kind.endswith("-unanswered")}
    at = moment - world.right_time() + world.loop.time()
    for server in world.incarnations:
        if holder is not None and server.label == holder[0] and server.name not in unheard:
            began = max(server.since, at - world.schedule.lease_ms / 1000)
            if _goes_well(server, began, at):
                yield f"{what} from {server.label}, which goes well"


def _pairings_are_played_once(world: "World") -> Iterator[str]:
    if world.tournament is None:
        return
    ledger = world.ledger
    names = world.schedule.bot_names()[: world.schedule.entrants]
    bots: dict[str, list[str]] = defaultdict(list)
    for match, bot in ledger.query("SELECT match, bot FROM seats ORDER BY match, seat"):
        bots[match].append(bot)
    games = Counter(
        tuple(bots[match])
        for match, status in ledger.query("SELECT id, status FROM matches WHERE tournament = ?", world.tournament)
        if status in ("finished", "aborted")
    )
    for pair in sorted({*itertools.permutations(names, 2), *games}):  # an encounter is two games, one in each order
        if games[pair] != 1:
            yield f"{' against '.join(pair)} was played {games[pair]} times in the event"


def _analyses_are_kept(world: "World") -> Iterator[str]:
    """Each server that was there at the end has kept all analyses that it was asked for."""
    kept = {match for (match,) in world.ledger.query("SELECT match FROM analyses")}
    for server in world.incarnations:
        for match in server.beside.analysed if server.at_the_end else ():
            if match not in kept:
                yield f"{server.label} was asked to analyse match {match}, whose analysis is not kept"
