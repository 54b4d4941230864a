"""Messages to viewers: their names on the wire, independent of those in the code."""

from typing import get_args

import msgspec

from palio_server import live

TYPES = {
    live.MatchSnapshot: "match",
    live.LobbySnapshot: "lobby",
    live.LobbyUpdate: "update",
    live.Started: "started",
    live.Played: "played",
    live.Rejected: "refused",
    live.Absent: "absent",
    live.Back: "back",
    live.Finished: "finished",
    live.Analysed: "analysed",
    live.Viewers: "viewers",
    live.ServerStopping: "server_stopping",
    live.Heartbeat: "heartbeat",
}


def test_every_message_has_its_type_on_the_wire():
    assert {kind: kind.__struct_config__.tag for kind in get_args(live.LiveMessage)} == TYPES
    assert {kind.__struct_config__.tag_field for kind in TYPES} == {"type"}


def test_a_rejected_move_keeps_the_names_that_pages_know():
    rejected = live.RejectedMoveView(3, 1, "z9", "off-board", "z9 is off the board", 2)
    delta = live.Rejected(7, "m1", rejected, [1, 2])
    decoded = msgspec.json.decode(msgspec.json.encode(delta))
    assert decoded == {
        "type": "refused",
        "seq": 7,
        "match": "m1",
        "refusal": {
            "ply": 3, "seat": 1, "move": "z9", "code": "off-board", "reason": "z9 is off the board", "strikes_left": 2,
        },
        "clocks_ms": [1, 2],
    }  # fmt: skip
