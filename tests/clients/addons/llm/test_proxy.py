"""Which proxy the environment names for an endpoint, and that its URL is never repeated."""

import pytest

from palio_clients.addons.llm.entrant import model
from palio_clients.addons.llm.http import Proxy, proxy
from palio_clients.addons.llm.settings import Endpoint
from palio_clients.sdk.failures import BadBot

FAR = Endpoint("api.example.com", 443, True, "/v1/chat/completions")
PLAIN = Endpoint("models.lab", 8080, False, "/v1/chat/completions")
PASSWORD = "open-sesame"


def of(endpoint: Endpoint, **environ: str) -> str | None:
    found = proxy(endpoint, environ)
    return None if found is None else f"{found.host}:{found.port}"


def test_each_kind_of_endpoint_has_its_variable():
    assert of(FAR, HTTPS_PROXY="http://one:1", HTTP_PROXY="http://two:2") == "one:1"
    assert of(PLAIN, HTTPS_PROXY="http://one:1", HTTP_PROXY="http://two:2") == "two:2"
    assert of(PLAIN, HTTPS_PROXY="http://one:1") is None
    assert of(FAR, ALL_PROXY="http://three:3") == of(PLAIN, all_proxy="http://three:3") == "three:3"
    assert of(FAR) is None


def test_small_letters_count_before_capitals_and_an_empty_variable_is_none():
    assert of(FAR, HTTPS_PROXY="http://one:1", https_proxy="http://two:2") == "two:2"
    assert of(FAR, https_proxy="", HTTPS_PROXY="http://one:1") == "one:1"
    assert of(FAR, HTTPS_PROXY=" ", ALL_PROXY="http://three:3") == "three:3"


def test_what_a_stranger_has_sent_to_a_cgi_program_is_no_proxy():
    assert of(PLAIN, HTTP_PROXY="http://evil:1", REQUEST_METHOD="POST") is None
    assert of(PLAIN, http_proxy="http://one:1", REQUEST_METHOD="POST") == "one:1"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("http://p.example:3128", Proxy("p.example", 3128, False, "HTTPS_PROXY")),
        ("p.example:3128", Proxy("p.example", 3128, False, "HTTPS_PROXY")),
        ("http://p.example", Proxy("p.example", 80, False, "HTTPS_PROXY")),
        ("https://p.example/", Proxy("p.example", 443, True, "HTTPS_PROXY")),
        ("http://[::1]:9", Proxy("::1", 9, False, "HTTPS_PROXY")),
        ("http://ann:a%40b@p:1", Proxy("p", 1, False, "HTTPS_PROXY", "YW5uOmFAYg==", "a@b")),
        ("http://ann@p:1", Proxy("p", 1, False, "HTTPS_PROXY", "YW5uOg==", "")),
    ],
)
def test_a_proxy_is_a_url(text: str, found: Proxy):
    assert proxy(FAR, {"HTTPS_PROXY": text}) == found


@pytest.mark.parametrize(
    ("exempt", "host"),
    [
        ("*", "api.example.com"),
        ("api.example.com", "api.example.com"),
        ("example.com", "api.example.com"),
        (".example.com", "api.example.com"),
        ("other, EXAMPLE.com.", "api.example.com"),
        ("other example.com", "Api.Example.COM."),
        ("10.1.2.3", "10.1.2.3"),
        ("10.0.0.0/8", "10.1.2.3"),
        ("2001:db8::/32", "2001:db8::5"),
        ("[2001:db8::5]", "2001:db8:0::5"),
    ],
)
def test_whom_no_proxy_names_is_reached_directly(exempt: str, host: str):
    endpoint = Endpoint(host, 443, True, "/")
    assert of(endpoint, HTTPS_PROXY="http://p:1", NO_PROXY=exempt) is None
    assert of(endpoint, HTTPS_PROXY="http://p:1", no_proxy=exempt, NO_PROXY="") is None


@pytest.mark.parametrize(
    ("exempt", "host"),
    [
        ("", "api.example.com"),
        ("ample.com", "api.example.com"),
        ("www.api.example.com", "api.example.com"),
        ("*.example.com", "api.example.com"),
        ("*,other", "api.example.com"),
        ("api.example.com:443", "api.example.com"),
        ("1.2.3", "10.1.2.3"),
        ("10.0.0.0/99", "10.1.2.3"),
        ("2.3", "10.1.2.3"),
        (".", "api.example.com"),
    ],
)
def test_whom_no_proxy_does_not_name_is_not(exempt: str, host: str):
    assert of(Endpoint(host, 443, True, "/"), HTTPS_PROXY="http://p:1", NO_PROXY=exempt) == "p:1"


def test_small_letters_of_no_proxy_count_before_capitals():
    assert of(FAR, HTTPS_PROXY="http://p:1", no_proxy="other", NO_PROXY="example.com") == "p:1"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "::1"])
def test_this_machine_is_never_asked_for_through_a_proxy(host: str):
    assert of(Endpoint(host, 8080, False, "/"), HTTP_PROXY="http://p:1", ALL_PROXY="http://p:1") is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"socks5://ann:{PASSWORD}@p:1", "HTTPS_PROXY names a socks5 proxy, and only http and https ones"),
        (f"{PASSWORD}://p:1", "HTTPS_PROXY names another proxy"),
        (f"http://ann:{PASSWORD}@p:port", "what HTTPS_PROXY holds is no URL of a proxy"),
        (f"http://ann:{PASSWORD}@", "what HTTPS_PROXY holds is no URL of a proxy"),
        (f"http://ann:{PASSWORD}@p q:1", "what HTTPS_PROXY holds is no URL of a proxy"),
        (f"http://ann:{PASSWORD}@[p", "what HTTPS_PROXY holds is no URL of a proxy"),
    ],
)
def test_what_is_no_proxy_is_one_sentence_when_the_bot_is_loaded(text: str, words: str, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", text)
    monkeypatch.delenv("https_proxy", raising=False)
    with pytest.raises(BadBot) as raised:
        model("https://api.example.com/v1,model=m")
    assert words in str(raised.value)
    assert "or put api.example.com into NO_PROXY" in str(raised.value)
    assert PASSWORD not in str(raised.value)


def test_a_proxy_says_itself_without_user_and_password():
    found = proxy(FAR, {"HTTPS_PROXY": f"http://ann:{PASSWORD}@p:3128"})
    assert str(found) == "the proxy http://p:3128"
    assert PASSWORD not in repr(found)
    assert found.credentials not in repr(found)
