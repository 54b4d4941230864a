"""Matches that come from elsewhere count as if they had been played here, once, and with their identity."""

from collections.abc import Callable
from datetime import timedelta

import msgspec
import pytest
from msgspec import UNSET
from msgspec.structs import replace
from sqlalchemy import func, select

from palio_db.errors import StoreError
from palio_db.event_values import EncounterRow, Entry, ImportResult, KeptQuery, Plan, TournamentDraft
from palio_db.models import Match, Seat
from palio_db.store import Store
from palio_db.work import Exclusive
from palio_rules.contract.messages import Info
from palio_rules.records.record import Analysis, Ply, Void


@pytest.fixture
async def source(tmp_path):
    async with await Store.open(f"sqlite:///{tmp_path}/source.db") as opened:
        yield opened


async def all_of(store):
    return [kept async for kept in store.kept_matches(KeptQuery())]


async def event(store, make, name="Cup", games=2):
    """A tournament whose matches have been played."""
    entries = tuple(Entry(bot, number) for number, bot in enumerate(("anna", "ben", "cid"), 1))
    number = await store.create_event(TournamentDraft(name, "nim", "swiss", {"rounds": 1}, {}, entries))
    plans = [
        EncounterRow(1, Plan(1, 1, ("cid",), 0, kind="pairing-bye")),
        EncounterRow(2, Plan(1, 2, ("anna", "ben"), games)),
    ]
    await store.plan(number, plans, [(2, game, make.setup("anna", "ben")) for game in range(games)], name)
    for _ in range(games):
        claim = await store.claim("worker", 30, free={"nim": ("anna", "ben")})
        await store.finish(claim, make.record(claim))
    await store.set_stage(number, "finished", only_from=("open",))
    return number


async def test_what_comes_is_what_was_there(store, source, make):
    await make.play(source, "anna", "ben", "cid", scores=(1.0, 0.5, 0.0))
    await make.play(source, rated=False)
    judged = await make.play(source, game="chomp")
    await source.keep_analysis(Analysis(judged, 0.5, (), complete=True))
    await source.void(await make.play(source), "a test")
    await event(source, make)
    kept = await all_of(source)
    assert await store.import_matches(kept) == ImportResult(len(kept), 0, frozenset({"nim", "chomp"}))
    assert [msgspec.json.encode(one) for one in await all_of(store)] == [msgspec.json.encode(one) for one in kept]
    assert await store.recount() == []
    for game in ("nim", "chomp"):
        assert await store.head_to_head(game) == await source.head_to_head(game)
        assert await store.leaderboard(game) == await source.leaderboard(game)
        assert await store.history(game) == await source.history(game)
    assert await store.event_matches(1) == await source.event_matches(1)
    assert await store.encounters(1) == await source.encounters(1)
    for bot in ("anna", "ben", "cid"):
        assert await store.matches(bot=bot, status="finished") == [
            replace_worker(row) for row in await source.matches(bot=bot, status="finished")
        ]


async def test_what_language_models_have_cost_adds_up_here_as_there(store, source, make):
    told = Info(tokens_in=912, tokens_out=31, cost=0.1 / 3, latency_ms=1530)
    plies = [Ply(0, [1, 2], 30, told), Ply(1, [1, 2], 9, Info(latency_ms=70)), Ply(0, [1, 1], 30, told)]
    for scores in ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5)):
        await make.play(source, scores=scores, plies=plies)
    await make.play(source, rated=False, plies=plies)
    await source.void(await make.play(source, plies=plies), "a test")
    await make.play(store, plies=plies[:1])  # what comes is added to what was here
    kept = await all_of(source)
    for part in (kept[:2], kept, kept):
        await store.import_matches(part)
    assert await store.recount() == []
    await store.void((await all_of(store))[-1].match, "what was here")
    assert await store.recount() == []
    here, there = await store.leaderboard("nim"), await source.leaderboard("nim")
    assert [costs(each) for each in here.leaders] == [costs(each) for each in there.leaders]
    anna = next(each for each in here.leaders if each.bot == "anna")
    assert costs(anna)[1:] == (912, 31, pytest.approx(0.2 / 3), 1530)
    assert await store.standings("anna") == await source.standings("anna")


def costs(leader):
    return leader.bot, leader.tokens_in, leader.tokens_out, leader.cost, leader.latency_ms


def replace_worker(row):
    """Who has played a match is known only where it was played."""
    from dataclasses import replace as changed

    return changed(row, worker=None)


async def test_to_bring_in_again_changes_nothing(store, source, make):
    for _ in range(3):
        await make.play(source)
    kept = await all_of(source)
    assert await store.import_matches(kept[:2]) == ImportResult(2, 0, frozenset({"nim"}))
    board = await store.leaderboard("nim")
    assert await store.import_matches(kept[:2]) == ImportResult(0, 2)
    assert await store.leaderboard("nim") == board
    assert await store.import_conflicts(kept) == ({}, 2)
    assert await store.import_matches(kept) == ImportResult(1, 2, frozenset({"nim"}))
    assert await store.recount() == []


async def test_another_match_of_the_same_identity_stays_and_nothing_of_the_batch_comes(store, source, make):
    ids = [await make.play(source) for _ in range(2)]
    first, second = await all_of(source)
    await store.import_matches([second])
    longer = replace(second, finished_at=second.finished_at + timedelta(seconds=1))
    voided = replace(second, void=Void("a test", "somebody", second.finished_at))
    for other in (longer, voided):
        wrong, known = await store.import_conflicts([first, other])
        assert list(wrong) == [second.match]
        assert known == 0
        with pytest.raises(StoreError, match=f"match {second.match} is in the database already, with another record"):
            await store.import_matches([first, other])
    assert [kept.match for kept in await all_of(store)] == [ids[1]]


async def test_another_analysis_is_a_difference_and_one_where_there_was_none_is_kept(store, source, make):
    judged, other = await make.play(source), await make.play(source)
    await store.import_matches(await all_of(source))
    await source.keep_analysis(Analysis(judged, 0.5, (), complete=True))
    kept = await all_of(source)
    assert await store.import_matches(kept) == ImportResult(0, 2)  # nothing was known of it here
    assert await store.analysis(judged) == await source.analysis(judged)
    assert await store.import_conflicts(kept) == ({}, 2)
    assert await store.import_conflicts([replace(one, analysis=UNSET) for one in kept]) == ({}, 2)
    await source.keep_analysis(Analysis(judged, 2.0, (), complete=True))
    longer = await all_of(source)
    sentence = f"match {judged} is in the database already, with another analysis; nothing is put in its place"
    assert await store.import_conflicts(longer) == ({judged: sentence}, 1)
    with pytest.raises(StoreError, match=sentence):
        await store.import_matches(longer)
    assert await store.analysis(judged) == kept[0].analysis
    assert await store.analysis(other) is None


async def test_a_match_that_waits_here_is_not_ended_by_a_file(store, source, make):
    await make.play(source)
    [kept] = await all_of(source)
    waiting = await store.schedule(make.setup())
    with pytest.raises(StoreError, match="with a match that is scheduled"):
        await store.import_matches([replace(kept, match=waiting)])


async def test_recent_form_is_by_the_end_of_matches_whatever_order_they_come_in(store, source, make):
    for scores in ((1.0, 0.0), (0.5, 0.5), (0.0, 1.0)):
        await make.play(source, scores=scores)
    kept = [
        replace(one, finished_at=one.finished_at + timedelta(seconds=at)) for at, one in enumerate(await all_of(source))
    ]
    for one in reversed(kept):
        await store.import_matches([one])
    forms = {leader.bot: leader.form for leader in (await store.leaderboard("nim")).leaders}
    assert forms == {"anna": "WDL", "ben": "LDW"}


async def test_a_tournament_whose_number_is_taken_gets_the_next_one_and_is_found_again(store, source, make):
    await event(source, make)
    own = await event(store, make, "Another cup")
    kept = await all_of(source)
    await store.import_matches(kept[:1])
    await store.import_matches(kept[1:])
    rows = await store.tournaments()
    assert [(row.id, row.name, row.finished, row.stage) for row in rows] == [
        (own + 1, "Cup", 2, "finished"),
        (own, "Another cup", 2, "finished"),
    ]
    assert await store.create_event(TournamentDraft("Third", "nim", "swiss", {}, {})) == own + 2


async def test_a_tournament_without_its_card_has_its_bots_and_no_encounters(store, source, make):
    await event(source, make)
    kept = [replace(one, tournament=replace(one.tournament, card=UNSET)) for one in await all_of(source)]
    await store.import_matches(kept)
    [row] = await store.tournaments()
    assert (row.name, row.bots, row.finished) == ("Cup", ("anna", "ben"), 2)
    assert await store.encounters(row.id) == []
    assert await store.event_matches(row.id) == []


async def test_an_event_that_goes_on_elsewhere_is_called_off_here(store, source, make):
    number = await event(source, make)
    await source.set_stage(number, "running", only_from=("finished",))
    await store.import_matches(await all_of(source))
    assert [row.stage for row in await store.tournaments()] == ["cancelled"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"match": "a/b"}, "'a/b' is no identity of a match"),
        ({"match": "x" * 65}, "is no identity of a match"),
        ({"event": "\0"}, "the event"),
        ({"event": "x" * 1001}, "the event has 1001 characters"),
    ],
)
async def test_what_no_database_keeps_is_refused_and_all_with_it(store, source, make, change, sentence):
    await make.play(source)
    await make.play(source)
    good, other = await all_of(source)
    with pytest.raises(StoreError, match=sentence):
        await store.import_matches([good, replace(other, **change)])
    async with store._database.read() as connection:
        assert await connection.scalar(select(func.count()).select_from(Match)) == 0
        assert await connection.scalar(select(func.count()).select_from(Seat)) == 0


async def steps_counter(store: Store) -> Callable[[], int]:
    """Return a function that returns the steps of SQLite's virtual machine, in tens, since it was called last."""
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1

    def taken() -> int:
        nonlocal steps
        found, steps = steps, 0
        return found

    await store._database.submit(Exclusive(lambda connection: connection._connection.set_progress_handler(count, 10)))
    return taken


async def test_a_batch_costs_the_same_however_many_matches_there_are(source, make):
    await make.play(source)
    [kept] = await all_of(source)
    steps_taken, spent, voided, number = await steps_counter(source), [], [], 0
    for _ in range(10):
        batch = []
        for _ in range(100):
            number += 1
            batch.append(replace(kept, match=f"m{number:05}", finished_at=kept.finished_at + timedelta(seconds=number)))
        steps_taken()
        await source.import_matches(batch)
        spent.append(steps_taken())
        if number in (600, 1000):
            await source.void(f"m{number:05}", "a test")
            voided.append(steps_taken())
    assert spent[0] > 100
    assert spent[-1] < 1.1 * spent[1]
    assert voided[1] < 1.1 * voided[0]


async def test_forms_stay_right_when_others_change_them_between_two_imports(store, source, make):
    await make.play(source)
    [kept] = await all_of(source)

    def some(first: int, ours: float) -> list:
        scores = replace(kept.result, scores=[ours, 1.0 - ours])
        moments = [kept.finished_at + timedelta(days=1, seconds=number) for number in range(first, first + 3)]
        return [
            replace(kept, match=f"n{number}", result=scores, finished_at=at) for number, at in enumerate(moments, first)
        ]

    await store.import_matches(some(30, 1.0))
    await make.play(store, scores=(0.5, 0.5))  # ends before those that were imported
    await store.import_matches(some(60, 0.0))
    [anna] = [leader for leader in (await store.leaderboard("nim")).leaders if leader.bot == "anna"]
    assert anna.form == "DWWWLLL"
    await store.void("n60", "a test")
    await store.import_matches(some(10, 1.0))
    [anna] = [leader for leader in (await store.leaderboard("nim")).leaders if leader.bot == "anna"]
    assert anna.form == "DWWWWWWLL"


async def test_the_audit_and_other_processes_hear_of_it(store, source, make):
    await make.play(source)
    await store.import_matches(await all_of(source))
    [line] = await store.audit()
    assert (line.act, line.what, line.detail) == ("matches imported", "1 matches", "nim")
    assert (await store.changes())["results/nim"] == 1


async def test_a_match_given_twice_is_refused(store, source, make):
    await make.play(source)
    [kept] = await all_of(source)
    with pytest.raises(StoreError, match="given twice"):
        await store.import_matches([kept, kept])
