"""Specs, and the sentence for each misuse; a key is never repeated."""

import pytest

from palio_clients.addons.llm.settings import Endpoint, key, read
from palio_clients.sdk.failures import BadBot

HERE = "http://127.0.0.1:8080/v1"
SECRET = "sk-proj-abcdefghijklmnop"


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        (HERE, Endpoint("127.0.0.1", 8080, False, "/v1/chat/completions")),
        ("https://api.example.com/v1/", Endpoint("api.example.com", 443, True, "/v1/chat/completions")),
        ("http://h", Endpoint("h", 80, False, "/chat/completions")),
        ("http://h/a/chat/completions", Endpoint("h", 80, False, "/a/chat/completions")),
        ("https://h/a?api-version=1", Endpoint("h", 443, True, "/a/chat/completions?api-version=1")),
        ("http://[::1]:9/v1", Endpoint("::1", 9, False, "/v1/chat/completions")),
    ],
)
def test_an_endpoint_is_a_url_with_its_base_path(url: str, endpoint: Endpoint):
    assert read(f"{url},model=m")[0] == endpoint


def test_a_host_is_named_as_its_header_has_it():
    assert Endpoint("::1", 9, False, "/").authority == "[::1]:9"
    assert Endpoint("h", 443, True, "/").authority == "h"


def test_all_settings_are_read():
    _, settings = read(
        f"{HERE},model=meta/llama:8b,temperature=0.2,max_tokens=100,seed=-1,timeout_s=5,retries=0,think=read,"
        "check=local,give_up=random,solutions=2,price_in=0.15,price_out=0.6,key_env=MY_KEY,template=./mine.txt"
    )
    assert (settings.model, settings.temperature, settings.max_tokens, settings.seed) == ("meta/llama:8b", 0.2, 100, -1)
    assert (settings.timeout_s, settings.retries, settings.think, settings.check) == (5.0, 0, "read", "local")
    assert (settings.give_up, settings.solutions, settings.key_env, settings.template) == (
        "random",
        2,
        "MY_KEY",
        "./mine.txt",
    )
    assert settings.cost(1_000_000, 500_000) == pytest.approx(0.45)


def test_without_a_price_nobody_knows_the_cost():
    assert read(f"{HERE},model=m")[1].cost(10, 10) is None
    assert read(f"{HERE},model=m,price_out=2")[1].cost(10, 10) == pytest.approx(2e-5)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("", "names no endpoint; write its URL first, as in llm:http"),
        ("model=m", "names no endpoint"),
        (HERE, "needs the setting 'model'; add model=NAME"),
        ("ftp://h/v1,model=m", "write http:// or https://"),
        ("h/v1,model=m", "write http:// or https://"),
        ("http://h:port/v1,model=m", "is no URL"),
        ("http://[h/v1,model=m", "is no URL"),
        ("http://h/v1#top,model=m", "after #"),
        ("http://h/ü,model=m", "no URL has"),
        (f"{HERE},model=m,temprature=1", "no setting 'temprature'; did you mean 'temperature'"),
        (f"{HERE},model=m,stream", "is no setting of llm:; write key=value"),
        (f"{HERE},model=m,", "is no setting"),
        (f"{HERE},model=m,seed=1,seed=2", "sets 'seed' twice"),
        (f"{HERE},model=m,temperature=hot", "setting temperature='hot'"),
        (f"{HERE},model=m,temperature=nan", "setting temperature='nan'"),
        (f"{HERE},model=m,price_in=inf", "setting price_in='inf'"),
        (f"{HERE},model=m,retries=-1", "setting retries='-1'"),
        (f"{HERE},model=m,give_up=ranom", "did you mean 'random'"),
        (f"{HERE},model=m,key_env=my-key", "no name of an environment variable"),
    ],
)
def test_a_misuse_is_one_sentence_with_the_remedy(spec: str, words: str):
    with pytest.raises(BadBot) as raised:
        read(spec)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "spec",
    [
        f"{HERE},model=m,api_key={SECRET}",
        f"{HERE},model=m,key=abc{SECRET}",
        f"{HERE},model=m,token={SECRET}",
        f"{HERE},model=m,authorization=Bearer {SECRET}",
        f"{HERE},model=m,key_env={SECRET}",
        f"{HERE},model=m,template={SECRET}",
        f"http://user:{SECRET}@h/v1,model=m",
        f"http://{SECRET}@h/v1,model=m",
        f"https://h/v1?key={SECRET},model=m",
        f"https://h/v1?x=1&api_key={SECRET},model=m",
        f"{HERE},model=m,{SECRET}=1",
    ],
)
def test_a_key_in_a_spec_is_refused_and_not_repeated(spec: str):
    with pytest.raises(BadBot, match="put it into the environment variable PALIO_LLM_KEY") as raised:
        read(spec)
    assert SECRET not in str(raised.value)


def test_a_key_comes_from_the_environment():
    endpoint, settings = read(f"{HERE},model=m")
    both = {"PALIO_LLM_KEY": "one", "OPENAI_API_KEY": "two"}
    assert key(settings, endpoint, both) == "one"
    assert key(settings, endpoint, {"OPENAI_API_KEY": " two\n"}) == "two"
    assert key(settings, endpoint, {}) == ""
    named = read(f"{HERE},model=m,key_env=OTHER")[1]
    assert key(named, endpoint, {**both, "OTHER": "three"}) == "three"


def test_openais_own_key_goes_to_nobody_unencrypted_unless_that_is_asked_for():
    environ = {"OPENAI_API_KEY": "two"}
    far, settings = read("http://far.example/v1,model=m")
    assert key(settings, far, environ) == ""
    assert key(settings, far, {"PALIO_LLM_KEY": "one"}) == "one"
    assert key(read("http://far.example/v1,model=m,key_env=OPENAI_API_KEY")[1], far, environ) == "two"
    assert key(settings, read("https://far.example/v1,model=m")[0], environ) == "two"


def test_a_variable_that_is_not_set_or_holds_no_key_is_named():
    endpoint, settings = read(f"{HERE},model=m,key_env=OTHER")
    with pytest.raises(BadBot, match="the environment has no OTHER"):
        key(settings, endpoint, {})
    with pytest.raises(BadBot, match="what OTHER holds is no key") as raised:
        key(settings, endpoint, {"OTHER": "se\r\ncret: x"})
    assert "secret" not in str(raised.value)
