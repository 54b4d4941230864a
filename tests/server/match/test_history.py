"""The earlier plies of a race's entrant, as its own turns take them up."""

from palio_rules.records.record import Ply, RejectedMove
from palio_server.match.events import History


def test_an_entrant_has_its_own_part_in_seat_0():
    plies = [Ply(0, ["c", 1], 5), Ply(1, ["b", 1], 7), Ply(1, None, 0, None, "crashed")]
    rejected = [RejectedMove(1, 1, "x", "no-such-vehicle", "there is no vehicle x")]
    history = History(3, plies, rejected)
    assert history.of(0) == History(3, [Ply(0, ["c", 1], 5)], [])
    assert history.of(1) == History(
        3,
        [Ply(0, ["b", 1], 7), Ply(0, None, 0, None, "crashed")],
        [RejectedMove(1, 0, "x", "no-such-vehicle", "there is no vehicle x")],
    )
    assert history.of(2) == History(3, [], [])
