"""The free bots in order: after any changes, the list equals a full sort."""

from hypothesis import given
from hypothesis import strategies as st

from palio_server.lobby.register import IdleList

changes = st.lists(st.tuples(st.sampled_from("abcdef"), st.none() | st.integers(0, 5), st.booleans()), max_size=40)


@given(changes)
def test_names_are_in_the_order_in_which_they_got_free(steps: list[tuple[str, int | None, bool]]) -> None:
    idle, plain = IdleList(), dict[str, tuple[int, int]]()
    for name, since, ask in steps:
        plain.pop(name, None)
        if since is not None:
            plain[name] = (since, ord(name))
        idle.put(name, plain.get(name))
        assert len(idle) == len(plain)
        assert (name in idle) == (name in plain)
        if ask:
            assert idle.names() == sorted(plain, key=plain.__getitem__)
    assert idle.names() == sorted(plain, key=plain.__getitem__)
