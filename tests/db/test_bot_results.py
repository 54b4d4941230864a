"""What one bot has done, on both databases."""

import pytest
from sqlalchemy import text

from palio_db.values import Rating


@pytest.fixture
async def played(store, make):
    """ann beats bob twice and loses to cyd; they play another game, too."""
    await make.play(store, "ann", "bob")
    await make.play(store, "bob", "ann", scores=(0.0, 1.0))
    await make.play(store, "ann", "cyd", scores=(0.0, 1.0))
    await make.play(store, "ann", "cyd", scores=(0.5, 0.5), game="chess")
    ratings = {"ann": Rating(1500, 20, False), "bob": Rating(1450, 10, False), "cyd": Rating(1600, 30, False)}
    await store.save_ratings("nim", ratings | {"dot": Rating(1900, 900, True)})
    return store


async def test_a_standing_has_the_place_and_between_which_places_it_is_with_certainty(played):
    nim, chess = await played.standings("ann")
    assert (nim.game, nim.games, nim.wins, nim.losses, nim.points) == ("nim", 3, 2, 1, 2.0)
    assert (nim.place, nim.best, nim.worst, nim.of) == (2, 2, 2, 3)  # dot is provisional: it outranks nobody
    assert (chess.game, chess.provisional, chess.place, chess.draws) == ("chess", True, None, 1)
    await played.save_ratings("nim", {"ann": Rating(1500, 200, False)})
    nim, _ = await played.standings("ann")
    assert (nim.place, nim.best, nim.worst) == (2, 1, 3)
    assert await played.standings("nobody") == []


async def test_ends_are_counted_by_game(played):
    assert await played.outcomes("ann") == {"nim": {"won": 2, "lost": 1}, "chess": {"drawn": 1}}
    assert await played.outcomes("ann", "chess") == {"chess": {"drawn": 1}}
    assert await played.form("ann", "nim", 20) == ["won", "won", "lost"]
    assert await played.form("ann", "nim", 2) == ["won", "lost"]


async def test_opponents_are_seen_from_the_bots_side(played):
    cyd, bob = await played.opponents("ann", "nim")
    assert (cyd.bot, cyd.wins, cyd.losses, cyd.rating) == ("cyd", 0, 1, 1600)
    assert (bob.bot, bob.wins, bob.losses) == ("bob", 2, 0)
    (ann,) = await played.opponents("bob", "nim")
    assert (ann.bot, ann.wins, ann.losses, ann.provisional) == ("ann", 0, 2, False)


async def test_the_newest_records_are_read_whole(played):
    (newest,) = await played.newest_records("ann", "nim", 1)
    assert newest.setup.bots == ("ann", "cyd")
    assert len(await played.newest_records("ann", "nim", 9)) == 3
    assert await played.has_played("ann")


async def test_a_damaged_record_is_left_out(played, make, caplog):
    async with played._database.write() as connection:
        [(match,)] = (await connection.execute(text("SELECT id FROM matches ORDER BY id DESC LIMIT 1 OFFSET 1"))).all()
        await connection.execute(
            text("UPDATE matches SET record = :junk WHERE id = :match"), {"junk": b"{", "match": match}
        )
    assert len(await played.newest_records("ann", "nim", 9)) == 2
    assert f"the record of match {match}" in caplog.text


async def test_who_has_played_what_is_known(played):
    assert await played.has_played("ann")
    assert not await played.has_played("dot")
    assert [each.game for each in (await played.ratings_of(["ann", "dot"]))["ann"]] == ["nim", "chess"]
