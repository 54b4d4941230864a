"""Sites: which names a server answers to, and whose pages may act there."""

import pytest

from palio_rules.errors import BadOption
from palio_server.edge.sites import Sites, parse_origin

LOCAL = Sites.parse("127.0.0.1", None, "")
PUBLIC = Sites.parse("127.0.0.1", "https://palio.example", "https://club.example, http://other.example:8080")
OPEN_TO_ALL = Sites.parse("0.0.0.0", None, "")  # parsed, not bound to


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8000", "[::1]:8000", "palio.localhost:1", "LOCALHOST"])
def test_loopback_names_are_known_everywhere(host: str) -> None:
    assert LOCAL.knows(host)
    assert PUBLIC.knows(host)
    assert OPEN_TO_ALL.knows(host)


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "203.0.113.7", "", "[::1", "a b"])
def test_on_loopback_no_other_name_is_known(host: str) -> None:
    assert LOCAL.refusal(host, None, acts=False) is not None
    refusal = LOCAL.refusal(host, f"http://{host}", acts=True)
    assert refusal is not None
    assert refusal[0] == "foreign-host"


def test_the_public_name_is_known_with_any_port() -> None:
    assert PUBLIC.knows("palio.example")
    assert PUBLIC.knows("Palio.Example:443")
    assert not PUBLIC.knows("evil.palio.example")


@pytest.mark.parametrize(("host", "known"), [("203.0.113.7:80", True), ("server:8000", True), ("evil.example", False)])
def test_beyond_this_machine_only_names_that_strangers_could_make_are_foreign(host: str, known: bool) -> None:
    assert OPEN_TO_ALL.knows(host) is known


@pytest.mark.parametrize(
    ("host", "origin", "behind", "allowed"),
    [
        ("localhost:8000", None, "", True),  # a program
        ("localhost:8000", "http://localhost:8000", "", True),
        ("localhost:8000", "http://localhost:9000", "", False),
        ("localhost:8000", "null", "", False),
        ("localhost:8000", "", "", False),
        ("localhost:8000", "https://evil.example", "", False),
        ("palio.example", "https://palio.example", "", True),
        ("127.0.0.1:8000", "https://palio.example", "", True),  # a proxy has changed the Host
        ("127.0.0.1:8000", "https://club.example", "", True),
        ("127.0.0.1:8000", "http://club.example", "", False),
        ("127.0.0.1:8000", "http://other.example:8080", "", True),
        ("127.0.0.1:8000", "https://third.example", "third.example", True),  # what a trusted proxy was asked for
    ],
)
def test_only_our_own_pages_and_those_named_may_act(host: str, origin: str | None, behind: str, allowed: bool) -> None:
    refusal = PUBLIC.refusal(host, origin, acts=True, behind=behind)
    assert (refusal is None) is allowed
    if refusal is not None:
        assert refusal[0] == "foreign-origin"
        assert "--origin" in refusal[1]


def test_whoever_only_reads_may_come_from_anywhere() -> None:
    assert LOCAL.refusal("localhost", "https://evil.example", acts=False) is None


@pytest.mark.parametrize(
    "text", ["palio.example", "ftp://palio.example", "https://palio.example/path", "https://", "https://a:b", "*"]
)
def test_what_is_no_site_is_refused_with_its_option(text: str) -> None:
    with pytest.raises(BadOption, match=r"--public-url .*https://palio\.example"):
        Sites.parse("127.0.0.1", text, "")
    with pytest.raises(BadOption, match="--origin"):
        Sites.parse("127.0.0.1", None, text)


def test_an_origin_is_written_as_browsers_do() -> None:
    assert parse_origin("HTTPS://Palio.Example:443/", "--origin") == "https://palio.example"
    assert PUBLIC.secure
    assert not LOCAL.secure
