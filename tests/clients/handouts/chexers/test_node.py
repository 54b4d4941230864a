"""COMP30024's nodes: when they are final, what they expand to, and actions that are read as they are written."""

from hypothesis import given
from hypothesis import strategies as st

from palio_rules.boards.chexers import HEXES, Action


def test_a_node_knows_its_end_and_can_be_expanded_until_then(node):
    start = node({"colour": "red", "pieces": [[3, -3]], "blocks": [[2, -3]]})
    expanded = dict(start.expand())
    assert list(expanded) == [
        Action("MOVE", ((3, -3), (3, -2))),
        Action("MOVE", ((3, -3), (2, -2))),
        Action("JUMP", ((3, -3), (1, -3))),
        Action("EXIT", (3, -3)),
    ]
    end = expanded[Action("EXIT", (3, -3))]
    assert not start.is_final()
    assert end.is_final()
    assert list(end.expand()) == []


@given(st.sampled_from(["MOVE", "JUMP"]), st.sampled_from(HEXES), st.sampled_from(HEXES))
def test_what_is_written_can_be_read(course, kind, src, dst):
    for action in (Action(kind, (src, dst)), Action("EXIT", src)):
        assert course.utils.read_action(course.utils.written(action)) == action
