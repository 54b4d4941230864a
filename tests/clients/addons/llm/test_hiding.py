"""Secrets are taken out of texts before those are cut, so that not even half of one is left."""

import json

import pytest

from palio_clients.addons.llm import model
from palio_clients.addons.llm.http import EndpointFailed, Hiding, Response, proxy
from palio_clients.addons.llm.settings import Endpoint

KEY = "sk-very-secret-0123456789"
BETWEEN = proxy(Endpoint("far", 443, True, "/"), {"HTTPS_PROXY": "http://ann:open-sesame@p:1"})


@pytest.mark.parametrize("secret", [KEY, "open-sesame", BETWEEN.credentials])
def test_key_password_and_login_are_hidden(secret: str):
    hiding = Hiding(KEY, BETWEEN)
    assert hiding.sentence(f"wrong: {secret}!") == "wrong: ***!"
    assert hiding.answer(f"wrong: {secret}!") == "wrong: ***!"
    assert secret not in repr(hiding)


def test_a_key_is_hidden_as_json_and_python_write_it_too():
    key = 'quote"d\\key-of-some-length'
    assert "key-of" not in Hiding(key).sentence(json.dumps(key) + repr(key))


def test_a_key_that_is_an_ordinary_word_does_not_garble_a_models_moves():
    assert Hiding("a").answer("MOVE: a2-a3") == "MOVE: a2-a3"
    assert Hiding().sentence("as it is") == "as it is"


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
def test_a_key_at_the_place_where_words_are_cut_is_hidden_whole(status: int):
    for before in range(model.MAX_QUOTED - len(KEY) - 2, model.MAX_QUOTED + 2):
        for body in ({"error": {"message": "x" * before + KEY}}, {"error": "x" * before + KEY}, "x" * before + KEY):
            answer = Response(status, {}, json.dumps(body).encode())
            with pytest.raises(EndpointFailed) as raised:
                model.read_reply(answer, hiding=Hiding(KEY))
            assert KEY[:6] not in str(raised.value)


def test_a_key_in_the_address_of_a_redirect_is_hidden():
    with pytest.raises(EndpointFailed, match=r"to https://other/\?key=\*\*\*; write that URL"):
        model.read_reply(Response(302, {"Location": f"https://other/?key={KEY}"}, b""), hiding=Hiding(KEY))


def test_a_model_that_is_told_its_key_does_not_tell_it_to_viewers():
    body = {"choices": [{"message": {"content": f"My key is {KEY}.\nMOVE: a2-a3"}}]}
    assert model.read_reply(Response(200, {}, json.dumps(body).encode()), hiding=Hiding(KEY)).text == (
        "My key is ***.\nMOVE: a2-a3"
    )
