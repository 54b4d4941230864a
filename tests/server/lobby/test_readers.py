"""Sessions of browsers that read, and the sockets that are closed with their token."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.lobby.access import SESSION_S, Readers


def test_a_session_is_known_again_for_half_a_day_and_by_nobody_else():
    now = [1000.0]
    readers = Readers(lambda: now[0])
    session = readers.session(7)
    assert readers.token_of(session) == 7
    assert Readers(lambda: now[0]).token_of(session) is None
    now[0] += SESSION_S
    assert readers.token_of(session) is None


@given(st.text(), st.integers(0, 80))
def test_a_session_cannot_be_made_up_or_changed(junk, place):
    readers = Readers()
    session = readers.session(7)
    for made in (junk, junk + session, session + "0", session[:place] + "x" + session[place + 1 :], "8" + session[1:]):
        assert readers.token_of(made) is None or made == session


@pytest.mark.parametrize("hostile", ["", ".", "..", "7.1e999.x", "\ud800.\ud800", "ä.1.ä", "\0"])
def test_a_hostile_session_is_only_a_wrong_one(hostile):
    assert Readers().token_of(hostile) is None


def test_the_sockets_of_a_token_are_closed_and_no_others():
    readers, closed = Readers(), []
    with readers.reading(7, lambda code, why: closed.append((7, code, why))), readers.reading(None, print):
        with readers.reading(8, lambda *_: closed.append(8)):
            assert readers.tokens() == {7, 8}
            readers.close(7, 1008, "token-revoked")
        readers.close(8, 1008, "token-revoked")
    assert closed == [(7, 1008, "token-revoked")]
    assert readers.tokens() == set()
