"""Counts of matches."""

from palio_server.arena.running_match import CODES, OTHERS, TIMED, MatchCounts


def test_codes_that_games_make_up_without_end_are_one_series():
    counts = MatchCounts()
    for number in range(CODES + 50):
        counts.reject(f"code-{number}")
    counts.reject("code-0")
    assert len(counts.rejections) == CODES + 1
    assert (counts.rejections["code-0"], counts.rejections[OTHERS]) == (2, 50)


def test_of_some_plies_one_is_timed():
    counts, timed = MatchCounts(), 0
    for _ in range(10 * TIMED):
        counts.plies += 1
        if counts.plies >= counts.next_timed:
            counts.time_turn("m", 0.001)
            timed += 1
    assert timed == counts.turns.count == 10
