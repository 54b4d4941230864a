"""Leaderboards: in order of rating, one game at a time, and free of surprises for viewers."""

from palio_db.values import UNRATED_ERROR, PairScore, Rating


async def test_nobody_has_played(store):
    board = await store.leaderboard("nim")
    assert (board.game, board.leaders) == ("nim", [])
    assert await store.rated_games() == []
    assert await store.head_to_head("nim") == []


async def test_bots_stand_in_order_of_rating(store, make):
    await make.play(store, "anna", "ben")
    await make.play(store, "cleo", "ben", scores=(0.5, 0.5))
    await store.save_ratings(
        "nim", {"ben": Rating(1612.5, 80, False), "anna": Rating(1400, 300, True), "cleo": Rating(1612.5, 90, False)}
    )
    leaders = (await store.leaderboard("nim")).leaders
    assert [(one.rank, one.bot, one.rating, one.error, one.provisional) for one in leaders] == [
        (1, "ben", 1612.5, 80, False),
        (2, "cleo", 1612.5, 90, False),
        (0, "anna", 1400, 300, True),
    ]
    assert [(one.games, one.wins, one.draws, one.losses, one.points) for one in leaders] == [
        (2, 0, 1, 1, 0.5),
        (1, 0, 1, 0, 0.5),
        (1, 1, 0, 0, 1.0),
    ]


async def test_a_provisional_bot_outranks_no_settled_one(store, make):
    await make.play(store, "anna", "ben")
    await make.play(store, "cleo", "dan")
    await store.save_ratings(
        "nim",
        {
            "anna": Rating(2400, 600, True),
            "ben": Rating(1300, 40, False),
            "cleo": Rating(1500, 30, False),
            "dan": Rating(1400, 500, True),
        },
    )
    leaders = (await store.leaderboard("nim")).leaders
    assert [(one.rank, one.bot) for one in leaders] == [(1, "cleo"), (2, "ben"), (0, "anna"), (0, "dan")]


async def test_the_history_has_every_match_by_seats(store, make):
    await make.play(store, "ben", "anna")
    await make.play(store, "anna", "ben", scores=(0.5, 0.5))
    await make.play(store, "anna", "ben", game="go")
    found = await store.history("nim")
    assert [pair for _, pair in found] == [PairScore("ben", "anna", 1, 0, 0), PairScore("anna", "ben", 0, 1, 0)]
    assert [at for at, _ in found] == sorted(at for at, _ in found)
    assert found[0][0].tzinfo is not None
    assert await store.history("chess") == []


async def test_a_bot_that_nobody_has_rated_yet_is_provisional(store, make):
    await make.play(store)
    for leader in (await store.leaderboard("nim")).leaders:
        assert (leader.rating, leader.error, leader.provisional) == (1500, UNRATED_ERROR, True)


async def test_a_result_keeps_the_rating_and_a_rating_keeps_the_counters(store, make):
    await make.play(store)
    await store.save_ratings("nim", {"anna": Rating(1700, 50, False)})
    await make.play(store)
    leader = (await store.leaderboard("nim")).leaders[0]
    assert (leader.bot, leader.rating, leader.provisional, leader.games) == ("anna", 1700, False, 2)


async def test_each_game_has_its_own_leaderboard(store, make):
    await make.play(store, "anna", "ben")
    await make.play(store, "anna", "cleo", game="go")
    assert await store.rated_games() == ["go", "nim"]
    assert {leader.bot for leader in (await store.leaderboard("go")).leaders} == {"anna", "cleo"}


async def test_the_form_is_the_last_ten_results_newest_last(store, make):
    for scores in [(1, 0)] * 3 + [(0, 1)] * 4 + [(0.5, 0.5)] * 4 + [(1, 0)]:
        await make.play(store, scores=scores)
    forms = {leader.bot: leader.form for leader in (await store.leaderboard("nim")).leaders}
    assert forms == {"anna": "WLLLLDDDDW", "ben": "LWWWWDDDDL"}


async def test_head_to_head_is_seen_from_the_bot_that_asks(store, make):
    await make.play(store, "ben", "anna")
    await make.play(store, "ben", "cleo")
    await make.play(store, "cleo", "anna", scores=(0.5, 0.5))
    assert await store.head_to_head("nim", "ben") == [
        PairScore("ben", "anna", 1, 0, 0),
        PairScore("ben", "cleo", 1, 0, 0),
    ]
    assert len(await store.head_to_head("nim")) == 3
    assert await store.head_to_head("nim", "nobody") == []
