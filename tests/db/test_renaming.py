"""Voids, undone voids, new names and forgotten bots: after any act of an operator, all that is counted follows from the
results that count, under the names that they have then.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text, update

from palio_db.bodies import unpack_body
from palio_db.errors import NameTaken, NotFound, StoreError
from palio_db.event_values import EncounterRow, Entry, KeptQuery, Plan, TournamentDraft
from palio_db.match_search import MatchQuery
from palio_db.models import Base, FormerName
from palio_db.store import Store
from palio_db.values import Actor, Seen
from palio_db.voiding import Suspects
from palio_rules.contract.messages import Info
from palio_rules.records.record import Ply, RejectedMove

BOTS = ("anna", "ben", "cleo", "dora")
STARTED = datetime(2026, 1, 1, tzinfo=UTC)
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
        if self.names[bot].startswith("forgotten-"):
            with pytest.raises(StoreError, match="is the pseudonym of a forgotten bot, and stays so"):
                await self.store.forget_bot(self.names[bot])
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


async def everything(store):
    """Every text of the database, bodies unpacked, by table."""
    found = []
    async with store._database.read() as connection:
        for table in Base.metadata.sorted_tables:
            for row in (await connection.execute(table.select())).all():
                for value in row:
                    body = unpack_body(value).decode() if isinstance(value, bytes) and table.name != "tokens" else value
                    found.append((table.name, str(body)))
    return found


async def lived(store, make):
    """Let anna leave a trace wherever a bot leaves one: a token, a profile, an event, words in records, an archive."""
    await store.add_bot("Anna", "Anna Berg", by=STAFF)
    await store.add_bot("ben")
    token = await store.issue_token(["play"], bot="Anna", note="Anna's laptop")
    await store.set_about("Anna", "written by Anna Berg")
    await store.ban("bot", "Anna", "rude")
    number = await store.create_event(
        TournamentDraft(
            "Anna ben", "nim", "round_robin", {}, {"broken": {"Anna": "Traceback of Anna"}, "first": ["Anna"]}
        )
    )
    for place, bot in enumerate(("Anna", "ben"), 1):
        await store.enter(number, Entry(bot, place, spec="./anna/secret.py" if bot == "Anna" else "random"))
    setup = make.setup("ben", "Anna")
    await store.plan(number, [EncounterRow(1, Plan(1, 1, setup.bots, 1))], [(1, 0, setup)], "Anna ben")
    for match in range(3):
        if match:
            await store.schedule(make.setup("Anna", "ben"))
        claim = await store.claim("worker", 30)
        seat = claim.setup.bots.index("Anna")
        record = make.record(
            claim,
            (0.0, 1.0) if seat == 0 else (1.0, 0.0),
            plies=[Ply(seat, [1, 1], 7, Info(text="I am Anna Berg"))],
            refusals=[RejectedMove(0, seat, "Anna says hello", "off-board", "'Anna says hello' is no move")],
            termination="crashed",
            seat=seat,
        )
        result = msgspec.structs.replace(record.result, detail="Traceback: /home/Anna/bot.py")
        await store.finish(claim, msgspec.structs.replace(record, result=result), ("203.0.113.7", "203.0.113.7"))
    await store.set_stage(number, "finished", only_from=("open", "running"))
    kept = [one async for one in store.kept_matches(KeptQuery())]
    await store.archive(kept[-1:], "moves.parquet")
    await store.schedule(make.setup("ben", "Anna"))
    await store.void(kept[0].match, "Anna was drunk", by=Actor("token 1 (palio_ab...) of Anna"))
    return number, token, kept


async def test_of_a_forgotten_bot_nothing_is_left_but_results_under_a_pseudonym(store, make):
    number, token, _ = await lived(store, make)
    before = await store.leaderboard("nim")
    pseudonym = await store.forget_bot("anna", by=STAFF)
    await moved(store)
    await store.note_seen([Seen("Anna", STARTED, STARTED)])  # a server writes with a delay who was here
    async with store._database.write() as connection:
        await connection.execute(update(FormerName).where(FormerName.erased_at.is_not(None)).values(erased_at=STARTED))
    await store.move_names()
    traces = [(table, value) for table, value in await everything(store) if "anna" in value.lower()]
    assert traces == []
    assert await store.token(token) is None
    assert set((await store.withdrawn([1]))[0]) == {1}  # a reader who came with it is disconnected
    board = await store.leaderboard("nim")
    assert {line.bot for line in board.leaders} == {pseudonym, "ben"}
    assert sorted(line.games for line in board.leaders) == sorted(line.games for line in before.leaders)
    assert {entry.bot for entry in (await store.tournament(number)).entries} == {pseudonym, "ben"}
    assert [row.plan.bots for row in await store.encounters(number)] == [("ben", pseudonym)]
    assert len(await store.search(MatchQuery(bot="ben", against=pseudonym))) == 4
    assert [(line.act, line.what, line.who) for line in await store.audit()][-1] == (
        "bot forgotten", pseudonym, STAFF.who,
    )  # fmt: skip
    assert await store.recount() == []
    with pytest.raises(NameTaken, match=f"'{pseudonym}' is given to no bot"):
        await store.add_bot(pseudonym)
    await store.add_bot("Anna")  # the name is free again


async def test_a_renamed_bot_has_its_results_token_and_events_under_the_new_name_and_the_old_one_is_kept(store, make):
    number, token, kept = await lived(store, make)
    await store.rename_bot("Anna", "Bea", by=STAFF)
    await store.rename_bot("Anna", "Bea", by=STAFF)  # as after a crash in between
    await moved(store)
    assert (await store.grant(token)).bot == "Bea"
    assert (await store.profiles(["Bea"]))["Bea"].about == "written by Anna Berg"
    assert len(await store.matches(bot="Bea")) == 4
    assert await store.matches(bot="Anna") == []
    assert len(await store.search(MatchQuery(bot="ben", against="Bea"))) == 4
    record = await store.record(kept[1].match)
    assert record.setup.bots == ("Bea", "ben")
    assert record.plies[0].info.text == "I am Anna Berg"  # what it has said stays its word
    assert (await store.match(kept[0].match)).void.by == "token 1 (palio_ab...) of Bea"
    assert [entry.bot for entry in (await store.tournament(number)).entries] == ["Bea", "ben"]
    assert [ban.value for ban in await store.bans()] == ["Bea"]
    assert (await store.barred()).former == (("anna", "Bea"),)
    assert await store.recount() == []
    with pytest.raises(NameTaken, match="'anna' was a bot that is called 'Bea' now"):
        await store.add_bot("anna")
    with pytest.raises(NotFound, match="it is called 'Bea' now"):
        await store.rename_bot("Anna", "Cleo")
    await store.rename_bot("Bea", "Anna")  # it may have its own name again
    await moved(store)
    assert (await store.barred()).former == (("bea", "Anna"),)
    assert len(await store.matches(bot="Anna")) == 4


@pytest.mark.parametrize("act", ["rename", "forget"])
async def test_what_was_exported_or_archived_before_comes_back_under_the_present_name(store, make, act):
    _, _, kept = await lived(store, make)
    new = "Bea" if act == "rename" else await store.forget_bot("Anna")
    if act == "rename":
        await store.rename_bot("Anna", "Bea")
    await moved(store)
    unvoided = kept[1:]
    wrong, known = await store.import_conflicts(unvoided)
    assert (wrong, known) == ({}, 2)
    assert (await store.import_matches(unvoided)).restored == 1
    record = await store.record(kept[2].match)
    assert record.setup.bots == (new, "ben")
    assert ("Anna" in str(record)) == (act == "rename")  # in what it has said
    assert await store.recount() == []


async def test_a_name_of_another_bot_is_refused_and_so_is_a_bot_that_plays(store, make):
    await store.add_bot("Anna")
    await store.add_bot("ben")
    await make.play(store, "cleo", "dora")
    for taken, sentence in {
        "BEN": "a bot called 'ben' already", "cleo": "called 'cleo' already", "anna": "in case at most",
        "guest-anna": "is no name", "an na": "is no name",
    }.items():  # fmt: skip
        with pytest.raises(StoreError, match=sentence):
            await store.rename_bot("Anna", taken)
    with pytest.raises(NotFound, match="did you mean 'Anna'"):
        await store.rename_bot("Annna", "zoe")
    match = await store.schedule(make.setup("Anna", "ben"))
    claim = await store.claim("worker", 30)
    for refused in (store.rename_bot("Anna", "zoe"), store.forget_bot("Anna")):
        with pytest.raises(StoreError, match=f"Anna plays match {match} now; stop its program"):
            await refused
    await store.finish(claim, make.record(claim))
    number = await store.create_event(TournamentDraft("cup", "nim", "round_robin", {}, {}))
    await store.enter(number, Entry("Anna", 1))
    with pytest.raises(StoreError, match=f"Anna plays in tournament {number}, which is not over"):
        await store.rename_bot("Anna", "zoe")


async def test_matches_of_an_address_or_network_are_voided_together_and_only_those(store, make):
    places = {"203.0.113.7": [], "203.0.113.99": [], "2001:db8:1:2::": [], "": []}
    for address, matches in places.items():
        for _ in range(2):
            await store.schedule(make.setup("anna", "ben"))
            claim = await store.claim("worker", 30)
            await store.finish(claim, make.record(claim), (address, ""))
            matches.append(claim.match)
    network = Suspects("anna", "203.0.113.0/24")
    assert await store.count_suspects(network) == 4
    assert (await store.void_some(network, "a farm", by=STAFF)).matches == 4
    assert (await store.void_some(network, "a farm", by=STAFF)).matches == 0
    assert (await store.void_some(Suspects(address="2001:db8:1:2:aaaa::1"), "a farm")).matches == 2
    assert await store.count_suspects(Suspects("ben", "203.0.113.7"), void=True) == 0  # it has played from elsewhere
    assert [row.id for row in await store.matches() if row.void is None] == places[""][::-1]
    assert (await store.unvoid_some(Suspects("anna"), "another reason")).matches == 0
    assert (await store.unvoid_some(Suspects("anna"), "a farm", by=STAFF)).matches == 6
    acts = [(line.act, line.what, line.detail) for line in await store.audit()]
    assert acts[0] == ("matches voided", "4 matches of anna from 203.0.113.0/24", "a farm")
    assert acts[-1] == ("matches count again", "6 matches of anna", "a farm")
    with pytest.raises(NotFound, match="no bot called 'annna' has played; did you mean 'anna'"):
        await store.count_suspects(Suspects("annna"))


async def test_after_a_time_the_audit_and_the_matches_lose_their_addresses_and_nothing_else(store, make):
    await store.add_bot("Anna", by=STAFF)
    await store.schedule(make.setup("Anna", "ben"))
    claim = await store.claim("worker", 30)
    await store.finish(claim, make.record(claim), ("203.0.113.7", ""))
    [line] = await store.audit()
    assert line.address == STAFF.address
    long_ago, soon = (moment + timedelta(days=days) for moment, days in ((STARTED, -1), (line.at, 1)))
    assert await store.clear_addresses(long_ago) == 0
    assert await store.clear_addresses(soon) == 2
    assert await store.audit() == [replace(line, address="")]
    assert await store.count_suspects(Suspects(address="203.0.113.7")) == 0
    assert await store.clear_addresses(soon) == 0


@pytest.mark.parametrize(
    "forged",
    ["what = 'other'", "act = ''", "outcome = ''", "address = 'x'", "token = 7", "at = '2020-01-01'", "id = 77"],
)
async def test_a_line_of_the_audit_can_lose_what_it_says_and_say_nothing_else(store, forged):
    await store.add_bot("Anna", by=STAFF)
    with pytest.raises(Exception, match="lines of the audit are never changed or taken off"):  # the driver's
        async with store._database.write() as connection:
            await connection.execute(text(f"UPDATE audit SET {forged}"))
    async with store._database.write() as connection:
        await connection.execute(text("UPDATE audit SET who = '', what = '', detail = '', address = ''"))
