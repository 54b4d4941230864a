"""Games of submissions against bots of the staff: kept with the check in which they were played.

They are in no list of matches and count for no leaderboard. Of each submission those of its two newest checks are kept,
so that a regrade leaves the former ones readable; they go with the submission's files when its student is forgotten.
"""

import zlib
from collections.abc import Mapping, Sequence

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.columns import pack, unpack
from palio_db.course_models import ReferenceGame, SubmissionCheck, SubmittedFile
from palio_db.errors import Unreadable
from palio_db.store_part import StorePart, shielded
from palio_rules.records.record import Record

LARGEST = 2**20  # bytes of one check's compressed records: some five hundred short games
LARGEST_RECORD = 2**25  # bytes of a record, as it is read back
CHECKS = 2  # of a submission, whose games are kept


class CourseGames(StorePart):
    """Reading of games against bots of the staff."""

    @shielded
    async def reference_games(self, submission: str) -> frozenset[str]:
        """Return the games of a submission's checks that can be replayed."""
        found = await self._all(select(ReferenceGame.match).where(ReferenceGame.submission == submission))
        return frozenset(row.match for row in found)

    @shielded
    async def reference_game(self, submission: str, match: str) -> Record | None:
        """Return the record of a game; None if it is not kept. Raises Unreadable."""
        wanted = select(ReferenceGame.record).where(
            ReferenceGame.submission == submission, ReferenceGame.match == match
        )
        found = await self._all(wanted)
        return unpack("the record", _inflated(match, found[0].record), Record) if found else None


async def keep_games(connection: AsyncConnection, submission: str, revision: str, games: Mapping[str, bytes]) -> None:
    """Keep the games of a finished check as `packed_games` gave them, and delete those of checks before the last one.

    Nothing is kept of a student who was forgotten while the check ran.
    """
    if (
        await connection.scalar(select(SubmittedFile.name).where(SubmittedFile.submission == submission).limit(1))
        is None
    ):
        return
    newest = select(SubmissionCheck.revision).where(
        SubmissionCheck.submission == submission, SubmissionCheck.body.is_not(None)
    )
    newest = newest.order_by(SubmissionCheck.at.desc()).limit(CHECKS)
    revisions = set((await connection.scalars(newest)).all()) | {revision}
    mine = ReferenceGame.submission == submission
    await connection.execute(delete(ReferenceGame).where(mine, ReferenceGame.revision.not_in(revisions)))
    rows = [
        {"submission": submission, "match": match, "revision": revision, "record": body}
        for match, body in games.items()
    ]
    if rows:
        await connection.execute(insert(ReferenceGame), rows)


def packed_games(records: Sequence[Record], most: int = LARGEST) -> dict[str, bytes]:
    """Return compressed records by match: the first ones, `most` bytes of them. Raises StoreError."""
    games: dict[str, bytes] = {}
    left = most
    for record in records:
        body = zlib.compress(pack("the record", record))
        left -= len(body)
        if left < 0:
            break
        games[record.match] = body
    return games


def _inflated(match: str, body: bytes) -> bytes:
    reader = zlib.decompressobj()
    try:
        data = reader.decompress(body, LARGEST_RECORD)
    except zlib.error:
        data = b""
    if not reader.eof:
        raise Unreadable(f"the record of match {match} in the database is damaged")
    return data
