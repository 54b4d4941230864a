"""The checks after a run: each match has one result, no worker wrote without a claim, viewers saw it."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

from palio_db.connections import Sql
from palio_db.store import Store
from palio_rules.records.record import Record
from palio_server.live.replay import ended

FAULTS = Sql("", "SELECT who, match, what, count(*) FROM chaos_faults GROUP BY 1, 2, 3 ORDER BY 2 LIMIT 20")
STATUS = Sql("", "SELECT status, count(*) FROM matches GROUP BY 1")
EPOCHS = Sql("", "SELECT coalesce(sum(epoch - 1), 0) FROM matches WHERE epoch > 1")


class Verdict:
    """The counts, and the errors."""

    def __init__(self) -> None:
        self.complaints: list[str] = []
        self.results = self.heard = self.seen = self.moved_on = 0
        self.stale = 0  # writes without holding the match


async def judge(store: Store, matches: int, folder: Path) -> Verdict:
    """Check the database, and the files of bots and viewers."""
    found = Verdict()
    ask = store._database.query  # noqa: SLF001  # no public name exists for it
    states = dict(await ask(lambda connection: connection.rows(STATUS)))
    found.results = states.get("finished", 0)
    if states != {"finished": matches}:
        found.complaints.append(f"of {matches} matches: {states}")
    faults = await ask(lambda connection: connection.rows(FAULTS))
    found.stale = sum(count for *_, count in faults)
    found.complaints += [f"{who} wrote to match {match}: {what} ({count} times)" for who, match, what, count in faults]
    [(taken_up,)] = await ask(lambda connection: connection.rows(EPOCHS))
    found.moved_on = int(taken_up)
    found.complaints += [f"a sum is wrong: {wrong}" for wrong in await store.recount()]
    records: dict[str, Record] = {}
    async for record in _records(store):
        if record.match in records:
            found.complaints.append(f"match {record.match} has two records")
        records[record.match] = record
    _judge_heard(found, records, folder / "heard")
    _judge_seen(found, records, folder / "seen")
    return found


async def _records(store: Store) -> AsyncIterator[Record]:
    async for record in store.records():
        yield record


def _judge_heard(found: Verdict, records: dict[str, Record], file: Path) -> None:
    """Check that the results that bots got are the stored ones."""
    for line in file.read_text().splitlines() if file.exists() else ():
        said = json.loads(line)
        found.heard += 1
        record = records.get(said["match"])
        if record is None or list(record.result.scores) != said["scores"]:
            found.complaints.append(f"{said['bot']} heard {said['scores']} of match {said['match']}, kept is {record}")


def _judge_seen(found: Verdict, records: dict[str, Record], file: Path) -> None:
    """Check that the last position and every move that a viewer saw are those of the record."""
    for line in file.read_text().splitlines() if file.exists() else ():
        seen = json.loads(line)
        found.seen += 1
        if "failed" in seen:
            found.complaints.append(f"a viewer of match {seen['match']} gave up: {seen['failed']}")
            continue
        if seen["match"] not in records:
            found.complaints.append(f"a viewer saw the end of match {seen['match']}, which has no result")
            continue
        shown = ended(records[seen["match"]]).snapshot()
        kept = [[each.ply, each.seat, each.move] for each in shown.lines]
        if (seen["ply"], seen["text"], seen["lines"]) != (shown.summary.view.ply, shown.summary.view.text, kept):
            found.complaints.append(f"a viewer's last position of match {seen['match']} is not the record's")
