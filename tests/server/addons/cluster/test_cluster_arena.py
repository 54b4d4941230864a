"""A coordinator with a worker that does its work, and with workers that die, hang or lie."""

import asyncio
import time
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import msgspec
import pytest
from distributed import KilledWorker

from palio_db.errors import LeaseLost
from palio_db.values import Claim
from palio_rules.records.faults import fault
from palio_rules.records.record import Record
from palio_rules.time_control import TimeControl
from palio_server.addons.cluster import cluster_arena, fleet, game_server, wire, worker

pytestmark = [
    pytest.mark.timeout(60),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # Dask's own
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


async def test_games_are_played_committed_and_told_once_each(coordinator):
    begun = []
    async with coordinator() as here:
        here.arena.on_start.append(begun.append)
        matches = await here.games(12)
        assert await here.over(matches) == [None] * 12
        assert sorted(record.match for record in here.results) == sorted(begun) == sorted(matches)
        assert [fault(record) for record in here.results] == [None] * 12
        record = here.results[0]
        assert record == await here.server.store.record(record.match)
        assert record.started_at < record.finished_at


@pytest.mark.slow
async def test_a_result_that_comes_again_counts_no_second_time(coordinator):
    async with coordinator() as here:
        [match] = await here.games(1)
        assert await here.over([match]) == [None]
        [record] = here.results
        claim = (await here.server.store.match(match)).epoch
        other = msgspec.structs.replace(record, event="another")
        late = Claim(match, claim, record.setup)
        with pytest.raises(LeaseLost):
            await here.server.store.finish(late, other)
        await here.arena._settle(late, record)  # word for word the same: harmless
        await here.arena._settle(late, other)
        await here.arena._settle(replace(late, epoch=claim + 1), other)
        assert await here.server.store.record(match) == record
        [pair] = await here.server.store.head_to_head(record.setup.leaderboard)
        assert pair.games == 1


def liar(portion: bytes) -> bytes:
    """Ends a game that it was not given, one with a record of another, one with none at all; is silent of the last."""
    found = wire.portion_of(portion)
    ended: list[wire.Ended] = [wire.Aborted("nobodys", "because")]
    invented = msgspec.Raw(b'{"match": 7}')
    ended += [wire.Finished(claim.match, invented) for claim in found.claims if claim.setup.bots == ("a", "b")]
    return wire.encode(ended)


async def test_what_a_worker_makes_up_is_no_result(coordinator, monkeypatch):
    monkeypatch.setattr(worker, "play", liar)
    async with coordinator() as here:
        made_up, kept_silent = await here.games(1), await here.games(1, bots=("b", "a"))
        [first] = await here.over(made_up)
        [second] = await here.over(kept_silent)
        assert first.startswith("its worker sent what is no record of it")
        assert second == "its worker says nothing of it"
        assert here.results == []


@pytest.mark.slow
async def test_a_record_of_another_match_is_refused(coordinator):
    async with coordinator() as here:
        one, other = await here.games(2)
        assert await here.over([one, other]) == [None, None]
        record = next(record for record in here.results if record.match == one)
        claim = Claim(other, 1, record.setup)
        with pytest.raises(ValueError, match=f"it is of match {one}"):
            cluster_arena.record_of(msgspec.Raw(msgspec.json.encode(record)), claim)
        assert cluster_arena.record_of(msgspec.Raw(msgspec.json.encode(record)), replace(claim, match=one)) == record


def dies(portion: bytes) -> bytes:
    raise KilledWorker("a task", SimpleNamespace(address="tcp://dead:1"), 3)


def fails(portion: bytes) -> bytes:
    raise RuntimeError("out of order")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("play", "why"),
    [
        (dies, "the workers that played it died, 4 of them, the last one tcp://dead:1"),
        (fails, "its worker failed: RuntimeError: out of order"),
    ],
)
async def test_a_game_that_no_worker_survives_is_aborted_with_the_reason(coordinator, monkeypatch, play, why):
    monkeypatch.setattr(worker, "play", play)
    async with coordinator() as here:
        matches = await here.games(3)
        assert await here.over(matches) == [why] * 3
        monkeypatch.undo()
        assert await here.over(await here.games(2)) == [None, None], "the others go on"
        assert here.said.count(f"games are played again: {why}") == 1


@pytest.mark.slow
async def test_a_game_that_takes_longer_than_its_clocks_allow_is_taken_from_its_worker(coordinator, monkeypatch):
    monkeypatch.setattr(cluster_arena, "longest_s", lambda setup, factor: 0.5 if setup.bots == ("a", "b") else 60.0)
    given_up = []

    async def give_up(address: str, why: str) -> None:
        given_up.append(why)

    async with coordinator("a=random", "b=alpha_beta:seconds=20") as here:
        here.fleet.give_up = give_up
        [match] = await here.games(1, TimeControl(60_000))
        [why] = await here.over([match])
        assert why == f"match {match} takes longer than its clocks allow"
        assert given_up == [why] * 2


@pytest.mark.slow
async def test_a_worker_that_falls_silent_is_given_up_and_its_games_wait_for_the_next(coordinator, monkeypatch):
    async with coordinator() as here:
        assert await here.over(await here.games(2)) == [None, None]
        [address] = here.fleet.cores

        async def is_said() -> bool:
            if address in here.fleet.cores:  # its last words may still be on their way
                here.fleet._heard[address] = time.monotonic() - 1000
            return any("it says nothing any more" in line for line in here.said)

        await here.until(is_said)
        assert address not in here.fleet.cores


@pytest.mark.slow
async def test_what_is_called_off_has_no_result_and_is_over_at_once(coordinator):
    async with coordinator("a=random", "b=alpha_beta:seconds=3") as here:
        [match] = await here.games(1)

        async def is_played() -> bool:
            return (task := here.arena._tasks.of(match)) is not None and bool(task.worker)

        await here.until(is_played)
        assert here.arena.playing() == [match]
        assert here.arena.setup_of(match).bots == ("a", "b")
        assert here.arena.call_off(match, "the event is decided")
        assert await here.over([match]) == ["the event is decided"]
        assert not here.arena.call_off("unknown", "why")
        assert here.results == []


@pytest.mark.slow
async def test_a_bot_that_cannot_be_started_is_left_out_or_ends_all(coordinator):
    async with coordinator("a=random", "b=no_such_bot", goes_on=True) as here:
        [why] = await here.over(await here.games(1))
        assert "the bot b (no_such_bot) ended with exit code 2 before it joined" in why
        assert here.said[-1].endswith("\nb stays away")
    async with coordinator("a=random", "b=no_such_bot") as here:
        await here.games(1)
        async with asyncio.timeout(20):
            failure = await asyncio.shield(here.arena._unplayables.failed)
        assert "the bot b (no_such_bot)" in str(failure)


async def test_workers_that_differ_play_nothing_and_it_is_said_why(coordinator):
    async with coordinator() as here:
        await here.fleet.first_worker()
        [address] = here.fleet.cores
        here.fleet._forget(address)
        here.fleet._needed = {**here.fleet._needed, "msgspec": "0.0.1"}
        here.fleet._look.set()
        async with asyncio.timeout(20):
            said = await here.fleet.first_worker()
        assert said.startswith(f"at {address} the package msgspec is ")
        assert said.endswith("here it is 0.0.1; install msgspec==0.0.1 there")


@pytest.mark.slow
async def test_clocks_of_a_slower_worker_are_scaled_and_the_record_says_so(coordinator, monkeypatch):
    monkeypatch.setattr(worker, "nodes_per_second", lambda: 500.0)
    async with coordinator(reference=1000.0) as here:
        [match] = await here.games(1, TimeControl(10_000))
        assert await here.over([match]) == [None]
        [record] = here.results
        assert isinstance(record, Record)
        assert (record.time_factor, record.setup.time.base_ms) == (2.0, 10_000)
        assert any(line.endswith("all times are multiplied by 2.0") for line in here.said)


@pytest.mark.slow
@pytest.mark.parametrize(("wrong_s", "words"), [(-7200.0, "7200 s behind"), (7200.0, "7200 s ahead"), (0.0, "")])
async def test_a_record_has_the_time_of_here_whatever_the_clocks_of_the_worker_say(
    coordinator, monkeypatch, wrong_s, words
):
    booted_s = 5000.0  # another machine has another monotonic clock
    monkeypatch.setattr(game_server, "monotonic", lambda: time.monotonic() + booted_s)
    monkeypatch.setattr(worker, "monotonic", lambda: time.monotonic() + booted_s)
    monkeypatch.setattr(worker, "time", lambda: time.time() + wrong_s)
    async with coordinator() as here:
        [match] = await here.games(1)
        assert await here.over([match]) == [None]
        row = await here.server.store.match(match)
        [record] = here.results
        assert row.created_at <= record.started_at <= record.finished_at <= datetime.now(UTC)
        said = [line.partition("its clock is ")[2] for line in here.said if "its clock is" in line]
        assert said == ([f"{words}; records have the time of this machine"] if words else [])


def test_code_is_compared_beside_versions():
    assert len(fleet.code_digest()) == 64


async def test_a_worker_without_a_bots_key_plays_nothing_and_names_bot_variable_and_remedy(coordinator):
    async with coordinator("a=llm:https://127.0.0.1:9/v1,model=m,key_env=PALIO_TEST_NOBODY_HAS", "b=random") as here:
        matches = await here.games(1)
        why = await here.fleet.first_worker()
        assert why.endswith(
            "the environment of this worker has no PALIO_TEST_NOBODY_HAS, from which the bot a takes its key; "
            "export it where the worker is started, since keys do not travel"
        )
        assert await here.server.store.still_open(matches)
        assert (await here.server.store.match(matches[0])).status == "scheduled"
