"""The search for the next scheduled match: the oldest one whose bots are all free.

Usually one of the oldest qualifies. If not, groups of matches are searched instead of matches: the matches of one game
between the same bots, which an index keeps together (game, `seat0`, `others`). Both the index and the names of the free
bots are sorted, so each can skip ahead to the other's next value (a skip scan with leapfrog; Veldhuizen, "Leapfrog
Triejoin", 2014). Twenty thousand matches of which none is playable take some hundred steps.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

import msgspec

from palio_db.connections import Connection, Sql

FEW = 8  # up to so many free bots, groups are found sooner than by walking the queue
WALK = (8, 120)  # of the oldest matches, in two steps: usually the first few suffice


class MatchGroup(NamedTuple):
    """Scheduled matches of one game between the same bots; `oldest` is the first of them."""

    seat0: str
    others: str
    oldest: str


class _Statements(NamedTuple):
    """The statements for all matches, or for those of a tournament: then its number is the first parameter."""

    oldest: Sql
    walk: Sql
    seat: Sql  # SQLite's two steps of a leapfrog
    other: Sql
    leapfrog: Sql  # PostgreSQL's, all in one
    lock: Sql  # PostgreSQL only, like the next one
    lock_of_groups: Sql


def others_of(bots: Sequence[str]) -> str:
    """Return all bots of a match but the first, as `matches.others` stores them: a JSON array, or ""."""
    return msgspec.json.encode(bots[1:]).decode() if len(bots) > 1 else ""


def bots_of(others: str) -> list[str]:
    """Read what `others_of` wrote."""
    return msgspec.json.decode(others, type=list[str]) if others else []


def playable(
    connection: Connection, free: Mapping[str, frozenset[str]] | None, tournament: int | None, most: int = 1
) -> list[str]:
    """Return the identities of at most `most` matches, locked, the oldest first; matches locked by others are skipped.

    No bot is in two of them, because a bot may be free for one match only; so each group gives only its oldest match.
    """
    search = _Search(connection, tournament)
    if most > 1 and free is not None and (found := search.some(free, most)):
        return found
    one = search.oldest() if free is None else search.among(free)
    return [] if one is None else [one]


class _Search:
    def __init__(self, connection: Connection, tournament: int | None) -> None:
        self._connection = connection
        self._sql = _ALL if tournament is None else _OF_TOURNAMENT
        self._own = () if tournament is None else (tournament,)

    def oldest(self) -> str | None:
        return self._one(self._sql.oldest, self._own)

    def among(self, free: Mapping[str, frozenset[str]]) -> str | None:
        after = ""
        if sum(map(len, free.values())) > FEW:
            for size in WALK:
                page = self._connection.rows(self._sql.walk, (*self._own, after, size))
                for match, game, seat0, others in page:
                    if all_free(free.get(game, frozenset()), seat0, others) and self._lock(match):
                        return str(match)
                if len(page) < size:
                    return None  # the whole queue was searched
                after = page[-1][0]
        return self._by_groups(free)

    def some(self, free: Mapping[str, frozenset[str]], most: int) -> list[str]:
        """Return matches from groups; none if all that were found are locked."""
        groups = [group for game, bots in free.items() for group in self._groups(game, bots)]
        found: list[str] = []
        busy: set[str] = set()
        for group in sorted(groups, key=attrgetter("oldest")):
            bots = (group.seat0, *bots_of(group.others))
            if len(found) == most or not busy.isdisjoint(bots):
                break  # later matches may be younger than another match of the same bots
            busy.update(bots)
            if self._lock(group.oldest):
                found.append(group.oldest)
        return found

    def _by_groups(self, free: Mapping[str, frozenset[str]]) -> str | None:
        found = {game: self._groups(game, bots) for game, bots in free.items()}
        oldest = min((group.oldest for groups in found.values() for group in groups), default=None)
        if oldest is None or self._lock(oldest):
            return oldest
        locked = []  # another process is claiming it: its group's next match may be younger than other groups' oldest
        for game, groups in found.items():
            seats, others = [group.seat0 for group in groups], [group.others for group in groups]
            if groups and (one := self._one(self._sql.lock_of_groups, (*self._own, game, seats, others))):
                locked.append(one)
        return min(locked, default=None)

    def _groups(self, game: str, free: frozenset[str]) -> list[MatchGroup]:
        """Return the playable groups."""
        names = sorted(free)  # by code points, as both databases sort the columns
        found = self._leapfrog(game, names) if self._connection.kind == "postgresql" else self._steps(game, names)
        return [group for group in found if all_free(free, group.seat0, group.others)]

    def _leapfrog(self, game: str, names: list[str]) -> list[MatchGroup]:
        own = (*self._own, game)
        found = self._connection.rows(self._sql.leapfrog, (names, _keys(names), *own, names[0], *own))
        return [MatchGroup(*row) for row in found]

    def _steps(self, game: str, names: list[str]) -> Iterator[MatchGroup]:
        keys, rows, own = _keys(names), self._connection.rows, (*self._own, game)
        place = 0
        while place < len(names) and (found := rows(self._sql.seat, (*own, names[place]))):
            group = MatchGroup(*found[0])
            place = bisect_left(names, group.seat0)
            if place == len(names) or names[place] != group.seat0:
                continue  # not free; try the next free bot after it
            while True:
                at = bisect_right(keys, group.others)
                bound: str | None = None
                if not group.others or (at and group.others.startswith(keys[at - 1])):
                    yield group
                    bound = group.others + "\x01"  # the least text after it
                elif at < len(keys):
                    bound = keys[at]
                if bound is None or not (found := rows(self._sql.other, (*own, group.seat0, bound))):
                    break
                group = MatchGroup(group.seat0, *found[0])
            place += 1

    def _lock(self, match: str) -> bool:
        """Return whether the match is still available. On SQLite it always is, because there is one writer."""
        return self._connection.kind == "sqlite" or self._one(self._sql.lock, (*self._own, match)) is not None

    def _one(self, sql: Sql, parameters: Sequence[object]) -> str | None:
        found = self._connection.rows(sql, parameters)
        return found[0][0] if found else None


def all_free(free: frozenset[str], seat0: str, others: str) -> bool:
    """Return whether all of these bots are free."""
    return seat0 in free and free.issuperset(bots_of(others))


def _keys(names: Sequence[str]) -> list[str]:
    """Return the prefixes of `others` whose first bot is one of these, sorted; no prefix begins another one."""
    return sorted(msgspec.json.encode([name])[:-1].decode() for name in names)


def _statements(also: str) -> _Statements:
    scheduled = f"FROM matches WHERE status = 'scheduled'{also}"
    first = " ORDER BY seat0, others, id LIMIT 1"
    skip = " FOR UPDATE SKIP LOCKED"
    return _Statements(
        oldest=Sql.of(f"SELECT id {scheduled} ORDER BY id LIMIT 1{{lock}}", lock=("", skip)),
        walk=Sql.of(f"SELECT id, game, seat0, others {scheduled} AND id > ? ORDER BY id LIMIT ?"),
        seat=Sql.of(f"SELECT seat0, others, id {scheduled} AND game = ? AND seat0 >= ?{first}"),
        other=Sql.of(f"SELECT others, id {scheduled} AND game = ? AND seat0 = ? AND others >= ?{first}"),
        leapfrog=Sql.of(_LEAPFROG.format(scheduled=scheduled, first=first)),
        lock=Sql.of(f"SELECT id {scheduled} AND id = ?{skip}"),
        lock_of_groups=Sql.of(
            "SELECT id {scheduled} AND game = ? AND (seat0, others) IN "
            "(SELECT * FROM unnest(?::text[], ?::text[])) ORDER BY id LIMIT 1{skip}",
            scheduled=scheduled,
            skip=skip,
        ),
    )


# The statement of `_steps` for PostgreSQL. width_bucket finds the last of a sorted array that is not greater; `seated`:
# the first bot is free; `met`: and so is the second. Then the next start: after this group, at the next key, or at the
# next name. OFFSET 0 stops the planner from copying each expression to every use.
_LEAPFROG = """
WITH RECURSIVE free AS MATERIALIZED (SELECT ?::text[] AS names, ?::text[] AS keys), step AS (
    (SELECT seat0, others, id {scheduled} AND game = ? AND seat0 >= ?{first})
    UNION ALL
    SELECT next.seat0, next.others, next.id
    FROM step CROSS JOIN free
    CROSS JOIN LATERAL (
        SELECT width_bucket(step.seat0, names) AS i, width_bucket(step.others, keys) AS j OFFSET 0
    ) place
    CROSS JOIN LATERAL (
        SELECT
            i > 0 AND names[i] = step.seat0 AS seated,
            step.others = '' OR (j > 0 AND starts_with(step.others, keys[j])) AS met
        OFFSET 0
    ) bots
    CROSS JOIN LATERAL (
        SELECT
            CASE WHEN seated AND (met OR j < cardinality(keys)) THEN step.seat0 ELSE names[i + 1] END AS a,
            CASE WHEN NOT seated THEN '' WHEN met THEN step.others || chr(1) ELSE coalesce(keys[j + 1], '') END AS b
        OFFSET 0
    ) bound
    CROSS JOIN LATERAL (SELECT seat0, others, id {scheduled} AND game = ? AND (seat0, others) >= (a, b){first}) next
)
SELECT seat0, others, id FROM step
"""
_ALL = _statements("")
_OF_TOURNAMENT = _statements(" AND tournament = ?")
