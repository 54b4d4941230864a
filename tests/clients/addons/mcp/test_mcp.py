"""`palio mcp`: how a server is named, and what is said where the library is missing."""

import sys

import pytest
from click.testing import CliRunner

from palio_clients.addons.mcp.cli import endpoint_of, mcp
from palio_clients.cli import Misuse


@pytest.mark.parametrize(
    ("url", "found"),
    [
        (None, "http://127.0.0.1:8000/mcp"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000/mcp"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/mcp"),
        ("ws://palio.example", "http://palio.example/mcp"),
        ("https://palio.example/mcp", "https://palio.example/mcp"),
        ("wss://palio.example/behind/a/path", "https://palio.example/behind/a/path/mcp"),
        ("http://[::1]:8000", "http://[::1]:8000/mcp"),
    ],
)
def test_a_server_is_named_in_any_of_the_usual_ways(url, found):
    assert endpoint_of(url) == found


@pytest.mark.parametrize("url", [" ", "ftp://x", "http://", "http://x:y", "http://x:0", "a b", "mqtt://broker"])
def test_what_is_no_address_is_refused_in_one_sentence(url):
    with pytest.raises(Misuse, match="is no address of a server; write http://HOST:PORT"):
        endpoint_of(url)


def test_a_token_in_the_address_is_not_read():
    with pytest.raises(Misuse, match="give it as --token TOKEN or in PALIO_TOKEN"):
        endpoint_of("http://127.0.0.1:8000?token=secret")


def test_without_the_library_it_says_what_to_install(monkeypatch):
    monkeypatch.delitem(sys.modules, "palio_clients.addons.mcp.bridge", raising=False)
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    done = CliRunner().invoke(mcp, [])
    assert done.exit_code == 1
    assert done.output == "Error: `palio mcp` needs the package `mcp`; pip install 'palio[mcp]'\n"
