"""The audit: a line for each administrative act, in the act's own transaction; lines are added and never change."""

from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from palio_db.columns import now
from palio_db.errors import StoreError
from palio_db.event_values import TournamentDraft
from palio_db.values import Act, Actor

AGAIN = "INSERT INTO audit SELECT 1, at, 'nobody', token, address, act, what, outcome, detail FROM audit"
STAFF = Actor("token 7 (palio_abc123) of staff", 7, "192.0.2.1")


async def lines(store, **wanted):
    return [(line.act, line.what, line.outcome) for line in await store.audit(**wanted)]


async def test_each_act_of_the_store_has_its_line(store, make):
    await store.add_bot("anna", owner="Anna", by=STAFF)
    issued = await store.issue_token(["play"], bot="anna", by=STAFF)
    rotated, _ = await store.rotate_token("anna", timedelta(hours=1), by=STAFF)
    await store.revoke_token(2, by=STAFF)
    await store.revoke_bot("anna", by=STAFF)
    await store.create_event(TournamentDraft("cup", "nim", "round_robin", {}, {}), by=STAFF)
    match = await make.play(store)
    await store.void(match, "it was rigged", by=STAFF)
    waiting = await store.schedule(make.setup(), by=STAFF)
    await store.abort(waiting, "stopped", by=STAFF)
    assert await lines(store) == [
        ("bot added", "anna", "done"),
        ("token issued", "token 1 of anna", "done"),
        ("token rotated", "token 2 of anna", "done"),
        ("token revoked", "token 2 of anna", "done"),
        ("bot revoked", "anna", "done"),
        ("tournament created", "tournament 1", "done"),
        ("match voided", f"match {match}", "done"),
        ("match scheduled", f"match {waiting}", "done"),
        ("match aborted", f"match {waiting}", "done"),
    ]
    found = await store.audit()
    assert {(line.who, line.token, line.address) for line in found} == {(STAFF.who, 7, "192.0.2.1")}
    assert not any(secret in str(found) for secret in (issued, rotated))
    assert abs(found[0].at - now()) < timedelta(minutes=5)


async def test_an_act_that_fails_leaves_no_line(store):
    await store.add_bot("anna")
    before = await store.audit()
    for act in (store.add_bot("Anna"), store.issue_token(["play"], bot="nobody"), store.void("m1", "why")):
        with pytest.raises(StoreError):
            await act
    assert await store.audit() == before


async def test_an_act_whose_line_cannot_be_written_does_not_happen(store, make, monkeypatch):
    def broken(*_args):
        raise RuntimeError("disk full")

    await store.add_bot("anna")
    token = await store.issue_token(["play"], bot="anna")
    match = await make.play(store)
    board = await store.leaderboard("nim")
    monkeypatch.setattr("palio_db.audit._line", broken)
    for act in (store.revoke_bot("anna"), store.void(match, "why"), store.add_bot("ben")):
        with pytest.raises(RuntimeError):
            await act
    assert await store.grant(token) is not None
    assert [bot.name for bot in await store.bots()] == ["anna"]
    assert await store.leaderboard("nim") == board
    assert (await store.match(match)).void is None


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET who = 'nobody'",
        "UPDATE audit SET who = 'nobody' WHERE id = 1",
        "DELETE FROM audit",
        "DELETE FROM audit WHERE id = 1",
        AGAIN,
        AGAIN.replace("INSERT", "REPLACE"),
        AGAIN + " WHERE true ON CONFLICT (id) DO UPDATE SET who = 'nobody'",
        "TRUNCATE audit",
    ],
)
async def test_the_database_itself_keeps_every_line_as_it_was(store, statement):
    await store.log_act(Act("bot added", "anna"), STAFF)
    before = await store.audit()
    with pytest.raises(DBAPIError):
        async with store._database.engine.begin() as connection:
            await connection.execute(text(statement))
    assert await store.audit() == before


async def test_lines_are_looked_for_by_who_and_since_when_and_the_newest_are_shown(store):
    for number in range(5):
        await store.log_act(
            Act("match stopped", f"match {number}"), STAFF if number % 2 else Actor("command line (eve)")
        )
    assert [what for _, what, _ in await lines(store, limit=2)] == ["match 3", "match 4"]
    assert [what for _, what, _ in await lines(store, by="STAFF")] == ["match 1", "match 3"]
    assert await lines(store, by="%") == []
    assert await lines(store, since=now() + timedelta(hours=1)) == []
    assert len(await lines(store, since=now() - timedelta(hours=1))) == 5


@pytest.mark.parametrize("hostile", ["\0", "\ud800", "x" * 100_000, "'); DROP TABLE audit; --"])
async def test_an_audit_refuses_no_text(store, hostile):
    await store.log_act(Act("match stopped", hostile, hostile, "refused"), Actor(hostile, None, hostile))
    assert len(await store.audit()) == 1
