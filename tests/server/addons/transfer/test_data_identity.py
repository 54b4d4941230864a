"""Whatever is played, said and written: out of a store, through any form, into another store, and out the same."""

import asyncio
import tempfile
from pathlib import Path

import made_matches
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from palio_db.event_values import KeptQuery, as_kept
from palio_db.store import Store
from palio_rules.contract.messages import MAX_MONEY, Info
from palio_rules.records.faults import fault
from palio_rules.records.record import RejectedMove, Void
from palio_server.addons.transfer.outputs import table_on
from palio_server.addons.transfer.pgn import pgn_of
from palio_server.addons.transfer.reading import Found, read_records
from palio_server.addons.transfer.rows import MatchRows

GAMES = {
    "breakthrough": ({"rows": 4, "cols": 3}, 2), "dominoes": ({"rows": 3, "cols": 4}, 2), "end_of_the_track": ({}, 2),
    "chexers": ({}, 3), "chexers_solo": ({}, 2), "rush_hour": ({"board": "b.../b.../aa.c/.d.."}, 3),
    "tsp": ({"size": 5}, 2),
}  # fmt: skip
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)
optional = st.just(UNSET)
infos = st.none() | st.builds(
    Info,
    depth=optional | st.integers(0, 99),
    nodes=optional | st.integers(0, 2**53 - 1),
    score=optional | st.floats(-1e9, 1e9),
    pv=optional | st.lists(texts, max_size=3),
    text=optional | texts,
    tokens_in=optional | st.integers(0, 10**9),
    tokens_out=optional | st.integers(0, 10**9),
    cost=optional | st.floats(0, MAX_MONEY),
    latency_ms=optional | st.integers(0, 10**9),
)


@st.composite
def matches(draw, game):
    options, seats = GAMES[game]
    bots = draw(st.lists(texts.filter(bool), min_size=seats, max_size=seats, unique=True))
    said = draw(st.lists(infos, min_size=8, max_size=8))
    record = made_matches.played(
        game,
        *bots,
        options=options,
        longest=draw(st.integers(0, 8)),
        random_seed=draw(st.integers(0, 999)),
        say=said.__getitem__,
    )
    refusals = tuple(
        RejectedMove(0, draw(st.integers(0, seats - 1)), *draw(st.tuples(texts, texts, texts)))
        for _ in range(draw(st.integers(0, 2)))
    )
    void = draw(optional | st.builds(Void, texts, texts, st.just(made_matches.THEN)))
    return as_kept(replace(record, refusals=refusals, event=draw(texts), void=void), created_at=made_matches.THEN)


def written(form, kept, path):
    if form == "jsonl":
        path.write_bytes(msgspec.json.encode(kept) + b"\n")
    elif form == "pgn":
        path.write_text(pgn_of(kept), encoding="utf-8", newline="\n")
    else:
        with path.open("wb") as file:
            table = table_on(file, "parquet", "matches")
            table.write(list(MatchRows(kept).of("matches")))
            table.close()


async def through(kept, path):
    """The match as it comes out of a store that it has come into from a file."""
    [found] = read_records(path)
    assert isinstance(found, Found)
    async with await Store.open("sqlite://") as store:
        await store.import_matches([found.match])
        assert await store.recount() == []
        [back] = [each async for each in store.kept_matches(KeptQuery())]
    return back


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
@given(data=st.data())
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
def test_out_and_in_again_is_the_identity(game, data):
    kept = data.draw(matches(game))
    assert fault(kept) is None
    with tempfile.TemporaryDirectory() as folder:
        for form in ("jsonl", "pgn", "parquet"):
            path = Path(folder) / form
            written(form, kept, path)
            assert msgspec.json.encode(asyncio.run(through(kept, path))) == msgspec.json.encode(kept)
