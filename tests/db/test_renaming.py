"""Voids, undone voids, new names and forgotten bots: whatever an operator does, all that is counted follows from the
results that count, under the names that they have then.
"""

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from palio_db.errors import NameTaken, NotFound, StoreError
from palio_db.event_values import EncounterRow, Entry, KeptQuery, Plan, TournamentDraft
from palio_db.store import Store
from palio_db.values import Actor, Seen
from palio_db.voiding import Suspects
from palio_rules.contract.messages import Info
from palio_rules.records.record import Ply, RejectedMove, Setup
from palio_rules.records.record import Record as PlayedRecord

BOTS = ("anna", "ben", "cleo", "dora")
STAFF = Actor("command line (eve)", None, "198.51.100.9")


async def moved(store):
    while (await store.move_names()).matches:
        pass


async def sums(store, bots):
    board = await store.leaderboard("nim")
    return {
        "board": sorted(
            [msgspec.structs.asdict(line) | {"points": pytest.approx(line.points)} for line in board.leaders],
            key=lambda line: line["bot"],
        ),
        "pairs": await store.head_to_head("nim"),
        "bots": {
            bot: (
                await store.outcomes(bot),
                await store.form(bot, "nim", 10),
                sorted((one.bot, one.wins, one.losses) for one in await store.opponents(bot, "nim")),
                len(await store.matches(bot=bot)),
            )
            for bot in bots
        },
    }


acts = st.lists(
    st.one_of(
        st.tuples(
            st.just("play"),
            st.lists(st.sampled_from(range(4)), min_size=1, max_size=3, unique=True),
            st.sampled_from([(1.0, 0.0, 0.0), (0.5, 0.5, 0.5), (0.0, 1.0, 0.25)]),
            st.booleans(),
        ),
        st.tuples(st.just("void"), st.integers(0, 30)),
        st.tuples(st.just("unvoid"), st.integers(0, 30)),
        st.tuples(st.just("void all"), st.sampled_from(range(4))),
        st.tuples(st.just("unvoid all"), st.sampled_from(range(4))),
        st.tuples(st.just("rename"), st.sampled_from(range(4))),
        st.tuples(st.just("forget"), st.sampled_from(range(4))),
        st.tuples(st.just("archive"), st.integers(0, 30)),
    ),
    min_size=3,
    max_size=14,
)


class Operator:
    """Does acts to a store, and remembers what should count: the results, and each bot's present name."""

    def __init__(self, store, make):
        self.store, self.make = store, make
        self.names, self.fresh = list(BOTS), 0
        self.played = []  # match, bots by number, scores, rated
        self.void = set()

    async def do(self, act, *more):
        if act == "play":
            await self.play(*more)
        elif act in ("rename", "forget"):
            await self.rename(act, *more)
        elif act == "archive":
            if match := self.chosen(more[0]):
                kept = [one async for one in self.store.kept_matches(KeptQuery()) if one.match == match]
                await self.store.archive(kept, "moves.parquet")
        elif act in ("void", "unvoid"):
            if match := self.chosen(more[0]):
                done = await (self.store.void(match, "why") if act == "void" else self.store.unvoid(match))
                assert done == ((match in self.void) == (act == "unvoid"))
                self.void = self.void | {match} if act == "void" else self.void - {match}
        else:
            await self.turn_all(act, *more)

    def chosen(self, number):
        return self.played[number % len(self.played)][0] if self.played else None

    async def play(self, bots, scores, rated):
        names = [self.names[bot] for bot in bots]
        await self.store.schedule(self.make.setup(*names, rated=rated))
        claim = await self.store.claim("worker", 30)
        plies = [Ply(seat, [1, 1], 7, Info(text="hm", tokens_in=9)) for seat in range(len(bots))]
        await self.store.finish(claim, self.make.record(claim, scores[: len(bots)], plies=plies))
        self.played.append((claim.match, bots, scores, rated))

    async def rename(self, act, bot):
        if not any(bot in bots for _, bots, *_ in self.played):
            return
        if act == "rename":
            self.fresh += 1
            new = f"{BOTS[bot]}-{self.fresh}"
            await self.store.rename_bot(self.names[bot], new)
        else:
            new = await self.store.forget_bot(self.names[bot])
        self.names[bot] = new
        await moved(self.store)

    async def turn_all(self, act, bot):
        if not any(bot in bots for _, bots, *_ in self.played):
            return
        own, turn = Suspects(self.names[bot]), act == "void all"
        waiting = {match for match, bots, *_ in self.played if bot in bots and (match in self.void) != turn}
        assert await self.store.count_suspects(own, void=not turn) == len(waiting)
        await (self.store.void_some(own, "cheat") if turn else self.store.unvoid_some(own))
        self.void = self.void | waiting if turn else self.void - waiting

    async def afresh(self, other):
        """Play what counts into another store, under the present names."""
        for match, bots, scores, rated in self.played:
            if match not in self.void:
                await Operator.play(_Named(other, self.make, self.names), bots, scores, rated)


class _Named(Operator):
    def __init__(self, store, make, names):
        super().__init__(store, make)
        self.names = names


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(acts)
async def test_after_any_acts_of_an_operator_all_sums_are_those_of_the_results_that_count(make, sequence):
    async with await Store.open("sqlite://") as store, await Store.open("sqlite://") as afresh:
        operator = Operator(store, make)
        for act in sequence:
            await operator.do(*act)
        await operator.afresh(afresh)
        found, wanted = await sums(store, operator.names), await sums(afresh, operator.names)
        for bot in operator.names:  # lists of matches have the void ones as well
            void = sum(
                match in operator.void and operator.names.index(bot) in bots for match, bots, *_ in operator.played
            )
            own = wanted["bots"][bot]
            wanted["bots"][bot] = (*own[:3], own[3] + void)
        assert found == wanted
        assert await store.recount() == []
