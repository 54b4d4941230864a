"""Matches that another server plays, as they are known here."""

import asyncio
import logging

import msgspec

from palio_db.errors import StoreError
from palio_db.values import MatchRow
from palio_server import live
from palio_server.app_state import ServerParts
from palio_server.live.feed import first_of
from palio_server.live.match_live import MatchLive
from palio_server.live.mirror import Fetched
from palio_server.live.replay import ended, without_record

log = logging.getLogger(__name__)


async def remote_snapshot(parts: ServerParts, match: str) -> Fetched | None:
    """Return a match's state from the server that plays it, or else from the database; None if neither has it."""
    try:
        row = await parts.store.match(match)
        if row is None:
            return None
        if (told := await _told(parts, row)) is not None:
            return Fetched(told)
        return Fetched((await stored(parts, row)).snapshot(), saved=row.status == "running")
    except (StoreError, ValueError) as error:
        log.warning("how match %s stands cannot be told: %s", match, error)
        return None


async def stored(parts: ServerParts, row: MatchRow) -> MatchLive:
    """Return the match as far as it is saved. Raises StoreError, ValueError."""
    if (record := await parts.store.outline(row.id)) is not None:
        found = await asyncio.to_thread(ended, record, row.tournament)
    elif row.status == "aborted" or row.epoch == 0:
        found = without_record(row)
    else:
        plies, rejected = await parts.store.played_so_far(row.id)
        found = await asyncio.to_thread(
            MatchLive, row.id, row.setup, row.event, plies, rejected, tournament=row.tournament
        )
    found.seq = max(
        0, first_of(row.epoch + 1) - 1
    )  # newer than all that was told, older than what its next server tells
    return found


async def _told(parts: ServerParts, row: MatchRow) -> live.MatchSnapshot | None:
    """Return the match from the server that plays it; None if there is none, or it does not answer."""
    if row.status != "running" or (value := await parts.others.snapshot(row.worker, row.id)) is None:
        return None
    try:
        return msgspec.convert(value, live.MatchSnapshot)
    except msgspec.ValidationError as error:
        log.info("match %s is shown as its journal has it: %s", row.id, error)
        return None
