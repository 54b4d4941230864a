"""Matches that another server plays: what is known of them here."""

import asyncio
import logging

import msgspec

from palio_db.errors import StoreError
from palio_db.values import MatchRow
from palio_server import live
from palio_server.app_state import ServerParts
from palio_server.live.feed import first_of
from palio_server.live.match_live import MatchLive
from palio_server.live.replay import ended, without_record
from palio_server.nodes.requests import SNAPSHOT, Declined, NoAnswer

log = logging.getLogger(__name__)

ANSWER_S = 1.5  # then the journal has to do


async def snapshot_elsewhere(parts: ServerParts, match: str) -> live.MatchSnapshot | None:
    """How a match stands: as the server says that plays it, or else as the database has it; None: nobody knows."""
    try:
        row = await parts.store.match(match)
        if row is None:
            return None
        if (told := await _told(parts, row)) is not None:
            return told
        return (await stored(parts, row)).snapshot()
    except (StoreError, ValueError) as error:
        log.warning("how match %s stands cannot be told: %s", match, error)
        return None


async def stored(parts: ServerParts, row: MatchRow) -> MatchLive:
    """The match as far as it is written down. Raises StoreError, ValueError."""
    if (record := await parts.store.record(row.id)) is not None:
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
    """As the server says that plays it; None if there is none, or it does not answer."""
    node = parts.node
    if node is None or row.status != "running" or (process := node.process_of(row.worker)) is None:
        return None
    try:
        value = await node.requests.ask(process, SNAPSHOT, row.id, ANSWER_S)
        return None if value is None else msgspec.convert(value, live.MatchSnapshot)
    except (NoAnswer, Declined, msgspec.ValidationError) as error:
        log.info("match %s is shown as its journal has it: %s", row.id, error)
        return None
