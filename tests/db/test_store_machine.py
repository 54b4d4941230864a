"""The store against a dictionary: matches are scheduled, claimed, kept, lost, taken over, given back, finished and
called off, in whatever order, also by workers that have lost them without knowing. Leases end here by being given for
less than no time, so that no test waits for a clock.
"""

import asyncio
import itertools
import secrets
import shutil
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from palio_db.errors import LeaseLost
from palio_db.store import Store
from palio_db.values import Claim, JournalEntry
from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, Setup

LONG, OVER = 1000.0, -1.0  # seconds of a lease: beyond the test, and over when it begins
WORKERS = ["w1", "w2"]
BOTS = ["ann", "bob", "cid"]
GAMES = ["nim", "go"]
STARTED = datetime(2026, 5, 1, 12, tzinfo=UTC)
SCORES = [(1.0, 0.0), (0.5, 0.5), (0.0, 1.0)]


@dataclass
class Kept:
    """What the model knows of a match."""

    setup: Setup
    status: str = "scheduled"
    epoch: int = 0
    worker: str = ""
    over: bool = False  # its lease
    plies: int = 0  # in the journal
    record: Record | None = None


def ply(number: int) -> Ply:
    return Ply(number % 2, [number], number * 10)


def record_of(claim: Claim, scores: tuple[float, float], plies: int) -> Record:
    return Record(
        match=claim.match,
        setup=claim.setup,
        plies=tuple(map(ply, range(plies))),
        result=Result("rule", "last-stone", list(scores)),
        started_at=STARTED,
        finished_at=STARTED + timedelta(seconds=5),
        event=claim.event,
    )


@dataclass
class StoreMachine(RuleBasedStateMachine):
    """One store, one dictionary, and the claims that workers have ever had."""

    url: str
    model: dict[str, Kept] = field(default_factory=dict)
    ends: int = 50

    claims = Bundle("claims")

    def __post_init__(self) -> None:
        super().__init__()
        self.loop = asyncio.Runner()

    @initialize()
    def open(self):
        self.store = self.run(Store.open(self.url))

    def run(self, coroutine):
        return self.loop.run(coroutine)

    def teardown(self):
        self.run(self.store.close())
        self.loop.close()

    def __hash__(self) -> int:  # hypothesis keeps machines in sets
        return id(self)

    # --- what may happen ----------------------------------------------------------------------------------------------

    @rule(
        bots=st.permutations(BOTS).map(lambda bots: (bots[0], bots[1])),
        game=st.sampled_from(GAMES),
        rated=st.booleans(),
    )
    def schedule(self, bots, game, rated):
        setup = Setup(game, bots, rated=rated)
        self.model[self.run(self.store.schedule(setup))] = Kept(setup)

    @rule(
        target=claims,
        worker=st.sampled_from(WORKERS),
        lease_s=st.sampled_from([LONG, LONG, OVER]),
        free=st.none() | st.dictionaries(st.sampled_from(GAMES), st.sets(st.sampled_from(BOTS)), max_size=2),
    )
    def claim(self, worker, lease_s, free):
        """The oldest whose bots are all free."""
        could = [
            match
            for match, kept in sorted(self.model.items())
            if kept.status == "scheduled" and (free is None or set(kept.setup.bots) <= free.get(kept.setup.game, set()))
        ]
        claim = self.run(self.store.claim(worker, lease_s, free=free))
        assert (claim and claim.match) == (could[0] if could else None)
        return multiple() if claim is None else self._taken(claim, worker, lease_s)

    @rule(target=claims, worker=st.sampled_from(WORKERS), lease_s=st.sampled_from([LONG, OVER]), data=st.data())
    def claim_these(self, worker, lease_s, data):
        asked = data.draw(st.lists(st.sampled_from(sorted(self.model)), unique=True)) if self.model else ["unknown"]
        found = self.run(self.store.claim_these(worker, lease_s, asked))
        assert [claim.match for claim in found] == sorted(m for m in asked if self._status(m) == "scheduled")
        return multiple(*[self._taken(claim, worker, lease_s) for claim in found])

    @rule(target=claims, worker=st.sampled_from(WORKERS), lease_s=st.sampled_from([LONG, OVER]), own=st.booleans())
    def reclaim(self, worker, lease_s, own):
        lost = [
            match
            for match, kept in sorted(self.model.items())
            if kept.status == "running" and (kept.over or (own and kept.worker == worker))
        ]
        found = self.run(self.store.reclaim(worker, lease_s, own=own))
        assert [claim.match for claim in found] == lost
        return multiple(*[self._taken(claim, worker, lease_s) for claim in found])

    @rule(claims_=st.lists(claims, max_size=4), lease_s=st.sampled_from([LONG, OVER]))
    def renew(self, claims_, lease_s):
        held = {claim.match for claim in claims_ if self._holds(claim)}
        assert self.run(self.store.renew(claims_, lease_s)) == held
        for match in held:
            self.model[match].over = lease_s == OVER

    @rule(claim=claims)
    def release(self, claim):
        held = self._holds(claim)
        assert self.run(self.store.release(claim)) == held
        if held:
            kept = self.model[claim.match]
            kept.status, kept.over = "scheduled", False

    @rule(claim=claims, again=st.integers(0, 3), more=st.integers(1, 4))
    def journal(self, claim, again, more):
        """The next plies, and some that have been written before."""
        kept = self.model[claim.match]
        first = max(0, kept.plies - again)
        numbers = range(first, kept.plies + more)
        entries = [JournalEntry(claim.match, claim.epoch, number + 1, ply(number)) for number in numbers]
        held = self._holds(claim)
        self.run(self.store.journal(entries))
        if held:
            kept.plies += more

    @rule(claim=claims, scores=st.sampled_from(SCORES))
    def finish(self, claim, scores):
        kept = self.model[claim.match]
        record = record_of(claim, scores, kept.plies)
        if self._holds(claim):
            kept.status, kept.record = "finished", record
        if kept.record == record:  # it may be said again, by whoever does not know whether it was heard
            self.run(self.store.finish(claim, record))
        else:
            with pytest.raises(LeaseLost):
                self.run(self.store.finish(claim, record))

    @rule(claims_=st.lists(claims, min_size=2, max_size=4))
    def finish_at_once(self, claims_):
        """All who believe that they hold a match end it, each in another way."""
        self.ends += 10  # no two of these records are ever the same
        records = [record_of(claim, SCORES[at % 3], self.ends + at) for at, claim in enumerate(claims_)]
        ends = itertools.starmap(self.store.finish, zip(claims_, records, strict=True))

        async def end():
            return await asyncio.gather(*ends, return_exceptions=True)

        outcomes = self.run(end())
        accepted = Counter(claim.match for claim, error in zip(claims_, outcomes, strict=True) if error is None)
        assert all(error is None or isinstance(error, LeaseLost) for error in outcomes)
        assert accepted == Counter({claim.match for claim in claims_ if self._holds(claim)})
        for claim, record, error in zip(claims_, records, outcomes, strict=True):
            if error is None:
                assert self._holds(claim)
                kept = self.model[claim.match]
                kept.status, kept.record = "finished", record

    @rule(claim=claims, fenced=st.booleans())
    def abort(self, claim, fenced):
        kept = self.model[claim.match]
        could = kept.status in ("scheduled", "running") and (not fenced or kept.epoch == claim.epoch)
        assert self.run(self.store.abort(claim.match, "off", epoch=claim.epoch if fenced else None)) == could
        if could:
            kept.status, kept.epoch, kept.plies = "aborted", kept.epoch + 1, 0

    @rule()
    def restart(self):
        self.run(self.store.close())
        self.open()

    # --- what must hold -----------------------------------------------------------------------------------------------

    @invariant()
    def matches_are_as_the_dictionary_says(self):
        rows = {row.id: row for row in self.run(self.store.matches(limit=1000))}
        assert {match: (row.status, row.epoch) for match, row in rows.items()} == {
            match: (kept.status, kept.epoch) for match, kept in self.model.items()
        }
        for match, kept in self.model.items():
            if kept.status == "running":
                assert rows[match].worker == kept.worker
            if kept.record is not None:
                assert rows[match].scores == tuple(kept.record.result.scores)

    @invariant()
    def leaderboards_are_a_recount(self):
        rated = [kept.record for kept in self.model.values() if kept.record is not None and kept.setup.rated]
        for game in GAMES:
            points = Counter[str]()
            games = Counter[str]()
            for record in (record for record in rated if record.setup.game == game):
                for bot, score in zip(record.setup.bots, record.result.scores, strict=True):
                    points[bot] += score
                    games[bot] += 1
            leaders = self.run(self.store.leaderboard(game)).leaders
            assert {one.bot: (one.games, one.points) for one in leaders} == {
                bot: (games[bot], points[bot]) for bot in games
            }
            pairs = self.run(self.store.head_to_head(game))
            assert sum(pair.wins + pair.draws + pair.losses for pair in pairs) == games.total() // 2

    # --- the model ----------------------------------------------------------------------------------------------------

    def _status(self, match):
        return self.model[match].status if match in self.model else None

    def _holds(self, claim):
        kept = self.model[claim.match]
        return kept.status == "running" and kept.epoch == claim.epoch

    def _taken(self, claim, worker, lease_s):
        kept = self.model[claim.match]
        kept.status, kept.worker, kept.over = "running", worker, lease_s == OVER
        kept.epoch += 1
        assert (claim.epoch, claim.setup) == (kept.epoch, kept.setup)
        assert claim.journal == tuple(map(ply, range(kept.plies)))
        return claim


def emptied(url: str) -> str:
    """The same database without a row in it: to make its tables anew for each example would take most of the time."""
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(
            "SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables "
            "WHERE schemaname = 'public' AND tablename NOT IN ('palio_version', 'palio_migration')"
        ).fetchone()
        if found is not None and found[0] is not None:
            connection.execute("SET session_replication_role = replica")  # or the audit's triggers would forbid it
            connection.execute(f"TRUNCATE {found[0]}")
    return url


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def test_the_store_is_as_good_as_a_dictionary(kind, request, new_file, tmp_path):
    if kind == "sqlite":
        run_state_machine_as_test(lambda: StoreMachine(copied(new_file, tmp_path)), settings=LENGTH)
    else:
        url = request.getfixturevalue("postgres_database")
        asyncio.run(prepared(url))
        run_state_machine_as_test(lambda: StoreMachine(emptied(url)), settings=settings(LENGTH, max_examples=10))


LENGTH = settings(max_examples=settings().max_examples, stateful_step_count=25)


def copied(new_file, folder):
    path = folder / f"{secrets.token_hex(6)}.db"
    shutil.copy(new_file, path)
    return f"sqlite:///{path}"


async def prepared(url):
    await (await Store.open(url)).close()
