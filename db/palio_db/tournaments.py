"""Tournaments: an event, its entrants, its stage. `encounters.py` has the planned encounters."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, get_args

import msgspec
from sqlalchemy import Select, delete, func, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.audit import log_acts
from palio_db.columns import checked, now, pack, upsert
from palio_db.errors import NotFound, StoreError
from palio_db.event_values import Entry, Stage, TournamentDraft, TournamentRow
from palio_db.models import EntryRow, Match, Tournament
from palio_db.store_part import StorePart, shielded
from palio_db.values import PALIO, Act, Actor, Status

# PostgreSQL logs 32 numbers of a sequence ahead: after a crash the next tournament would be 33 numbers further on. So
# the sequence is set to the greatest number in each transaction that takes one, while no other can.
ONE_AT_A_TIME = text("LOCK TABLE tournaments IN SHARE ROW EXCLUSIVE MODE")
NEXT_NUMBER = text(
    "SELECT setval(pg_get_serial_sequence('tournaments', 'id'), coalesce(max(id), 0) + 1, false) FROM tournaments"
)
OVER: frozenset[Stage] = frozenset(("finished", "cancelled"))


class Tournaments(StorePart):
    """Creating, changing and reading of tournaments."""

    @shielded
    async def create_event(self, draft: TournamentDraft, *, by: Actor = PALIO) -> int:
        """Create an event with its entries; return its number. Raises StoreError for values that cannot be stored."""
        bots = [entry.bot for entry in draft.entries]
        if len(set(bots)) < len(bots):
            raise StoreError(f"the entrants of an event all differ; these are {', '.join(bots)}")
        line = {
            "name": checked("the tournament", draft.name, empty=False),
            "game": checked("the game", draft.game, empty=False),
            "settings": pack("the settings", dict(draft.settings)),
            "created_at": now(),
            "format": checked("the format", draft.format, empty=False),
            "rules": pack("the rules of the format", dict(draft.rules)),
            "stage": draft.stage,
            "admits": draft.admits,
            "worker": checked("the worker", draft.worker),
            "starts_at": draft.starts_at,
            "announced": draft.announced,
        }
        async with self._database.write() as connection:
            if self._database.address.kind == "postgresql":
                await connection.execute(ONE_AT_A_TIME)
                await connection.execute(NEXT_NUMBER)
            number: int = (
                await connection.execute(insert(Tournament).values(line).returning(Tournament.id))
            ).scalar_one()
            if draft.entries:
                await connection.execute(insert(EntryRow), [_line(number, entry) for entry in draft.entries])
            about = f"{draft.name}: {draft.game}, {draft.format}, {len(bots)} bots"
            await log_acts(connection, by, Act("tournament created", f"tournament {number}", about))
        return number

    @shielded
    async def tournaments(
        self, limit: int = 50, *, stage: Stage | None = None, worker: str | None = None
    ) -> list[TournamentRow]:
        """Return the newest tournaments first; only those at one stage, or of one worker, if given."""
        wanted = select(Tournament.__table__).order_by(Tournament.id.desc()).limit(limit)
        if stage is not None:
            wanted = wanted.where(Tournament.stage == stage)
        if worker is not None:
            wanted = wanted.where(Tournament.worker == worker)
        async with self._database.read() as connection:
            return await _rows(connection, wanted)

    @shielded
    async def tournament(self, number: int) -> TournamentRow | None:
        """Return the tournament, or None if there is none with this number."""
        async with self._database.read() as connection:
            rows = await _rows(connection, select(Tournament.__table__).where(Tournament.id == number))
        return rows[0] if rows else None

    @shielded
    async def set_stage(self, number: int, stage: Stage, *, only_from: Collection[Stage]) -> bool:
        """Move a tournament to another stage; False if it is at none of `only_from`, or does not exist."""
        values: dict[str, Any] = {"stage": stage, "finished_at": now() if stage in OVER else None}
        changing = update(Tournament).where(Tournament.id == number, Tournament.stage.in_(tuple(only_from)))
        async with self._database.write() as connection:
            return (await connection.execute(changing.values(values))).rowcount == 1

    async def set_rules(self, number: int, rules: Mapping[str, Any]) -> None:
        """Change the rules of the format, such as the number of rounds. Raises NotFound."""
        await self._change(number, rules=pack("the rules of the format", dict(rules)))

    async def set_settings(self, number: int, settings: Mapping[str, Any]) -> None:
        """Change the stored settings of a tournament. Raises NotFound."""
        await self._change(number, settings=pack("the settings", dict(settings)))

    async def mark_announced(self, number: int, games: str) -> None:
        """Record that the results of these games were announced, as in "1-40,43". Raises NotFound."""
        await self._change(number, announced=games)

    @shielded
    async def take_worker(self, number: int, worker: str, *, former: str) -> bool:
        """Make `worker` the director in place of `former`; False if there is another one by now."""
        changing = update(Tournament).where(Tournament.id == number, Tournament.worker == former)
        async with self._database.write() as connection:
            changed = await connection.execute(changing.values(worker=checked("the worker", worker)))
            return changed.rowcount == 1

    @shielded
    async def enter(self, number: int, entry: Entry) -> None:
        """Add an entry to a tournament, or replace the bot's former entry. Raises NotFound."""
        adding = upsert(self._database.address.kind, EntryRow).values(_line(number, entry))
        changed = {name: adding.excluded[name] for name in ("rating", "joined", "gone", "byes", "spec")}
        adding = adding.on_conflict_do_update(index_elements=[EntryRow.tournament, EntryRow.bot], set_=changed)
        async with self._database.write() as connection:
            await _known(connection, number)
            await connection.execute(adding)

    @shielded
    async def remove_entry(self, number: int, bot: str) -> None:
        """Remove an entry as if it had never been made: later starting numbers move up. Raises NotFound.

        For tournaments without planned encounters, because plans name their bots.
        """
        taking = delete(EntryRow).where(EntryRow.tournament == number, EntryRow.bot == bot).returning(EntryRow.number)
        of_event = update(EntryRow).where(EntryRow.tournament == number)
        async with self._database.write() as connection:
            await _known(connection, number)
            place = (await connection.execute(taking)).scalar_one_or_none()
            if place is None:
                raise NotFound(f"{bot!r} is not entered in tournament {number}")
            # By way of unused numbers, because both databases check each row as it changes, in any order.
            await connection.execute(of_event.where(EntryRow.number > place).values(number=-EntryRow.number))
            await connection.execute(of_event.where(EntryRow.number < 0).values(number=-EntryRow.number - 1))

    @shielded
    async def _change(self, number: int, **values: Any) -> None:
        async with self._database.write() as connection:
            changing = update(Tournament).where(Tournament.id == number).values(values)
            if (await connection.execute(changing)).rowcount == 0:
                raise NotFound(f"there is no tournament {number}; create it first")


async def _known(connection: AsyncConnection, number: int) -> None:
    if await connection.scalar(select(Tournament.id).where(Tournament.id == number)) is None:
        raise NotFound(f"there is no tournament {number}; create it first")


def _line(tournament: int, entry: Entry) -> dict[str, Any]:
    return {
        "tournament": tournament,
        "number": entry.number - 1,
        "bot": checked("the bot", entry.bot, empty=False),
        "rating": entry.rating,
        "joined": entry.joined,
        "gone": entry.left,
        "byes": msgspec.json.encode(sorted(entry.byes)).decode(),
        "spec": checked("the bot's spec", entry.spec),
    }


async def _rows(connection: AsyncConnection, wanted: Select[Any]) -> list[TournamentRow]:
    found = (await connection.execute(wanted)).all()
    numbers = [row.id for row in found]
    entries: dict[int, list[Entry]] = {number: [] for number in numbers}
    for row in await connection.execute(
        select(EntryRow.__table__)
        .where(EntryRow.tournament.in_(numbers))
        .order_by(EntryRow.tournament, EntryRow.number)
    ):
        byes = frozenset(msgspec.json.decode(row.byes, type=list[int]))
        entries[row.tournament].append(Entry(row.bot, row.number + 1, row.rating, row.joined, row.gone, byes, row.spec))
    counts: dict[tuple[int | None, str], int] = {}
    void: dict[int | None, int] = {}
    for line in await connection.execute(
        select(Match.tournament, Match.status, func.count().label("matches"), func.count(Match.voided_at).label("void"))
        .where(Match.tournament.in_(numbers))
        .group_by(Match.tournament, Match.status)
    ):
        counts[line.tournament, line.status] = line.matches - line.void
        void[line.tournament] = void.get(line.tournament, 0) + line.void
    for number, matches in void.items():  # to an event, they are the same as aborted ones
        counts[number, "aborted"] = counts.get((number, "aborted"), 0) + matches
    return [_row(row, entries[row.id], counts) for row in found]


def _row(row: Any, entries: Sequence[Entry], counts: Mapping[tuple[int | None, str], int]) -> TournamentRow:
    return TournamentRow(
        id=row.id,
        name=row.name,
        game=row.game,
        format=row.format,
        rules=msgspec.json.decode(row.rules),
        settings=msgspec.json.decode(row.settings),
        stage=row.stage,
        admits=row.admits,
        worker=row.worker,
        entries=tuple(entries),
        created_at=row.created_at,
        starts_at=row.starts_at,
        finished_at=row.finished_at,
        announced=row.announced,
        **{status: counts.get((row.id, status), 0) for status in get_args(Status)},
    )
