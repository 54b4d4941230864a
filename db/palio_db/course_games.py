"""Games of submissions against bots of the staff, kept with the check in which they were played; what programs said of
their faults in matches.

They are in no list of matches and count for no leaderboard. Of each submission those of its two newest checks are kept,
so that a regrade leaves the former ones readable; they go with the submission's files when its student is forgotten.
"""

import zlib
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.columns import pack, unpack, upsert
from palio_db.course_models import FaultText, ReferenceGame, Submission, SubmissionCheck, SubmittedFile
from palio_db.errors import Unreadable
from palio_db.store_part import StorePart, shielded
from palio_rules.records.record import Record

LARGEST = 2**20  # bytes of one check's compressed records: some five hundred short games
LARGEST_RECORD = 2**25  # bytes of a record, as it is read back
CHECKS = 2  # of a submission, whose games are kept


class CourseGames(StorePart):
    """Reading of games against bots of the staff; writing and reading of what programs said of faults."""

    @shielded
    async def keep_fault_texts(self, match: str, texts: Mapping[str, str]) -> None:
        """Keep what programs said of their faults in a match, by submission; unknown ones are left out.

        Safe to repeat.
        """
        if not texts or not self._database.has_own_dues:
            return
        async with self._database.write() as connection:
            known = await connection.scalars(select(Submission.id).where(Submission.id.in_(texts)))
            for submission in known.all():
                body = texts[submission].encode(errors="replace")
                keep = upsert(self._database.address.kind, FaultText)
                keep = keep.values(match=match, submission=submission, body=body)
                keep = keep.on_conflict_do_update(index_elements=["match", "submission"], set_={"body": body})
                await connection.execute(keep)

    @shielded
    async def fault_texts(self, match: str) -> dict[str, str]:
        """Return what programs said of their faults in a match, by submission: for authors and staff alone."""
        if not self._database.has_own_dues:
            return {}
        found = await self._all(select(FaultText.submission, FaultText.body).where(FaultText.match == match))
        return {row.submission: row.body.decode(errors="replace") for row in found}

    @shielded
    async def own_fault_texts(self, submissions: Collection[str]) -> dict[str, str]:
        """Return what the programs of an author's submissions said of their faults, by match."""
        if not self._database.has_own_dues:
            return {}
        wanted = select(FaultText.match, FaultText.body).where(FaultText.submission.in_(submissions))
        return {row.match: row.body.decode(errors="replace") for row in await self._all(wanted)}

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
