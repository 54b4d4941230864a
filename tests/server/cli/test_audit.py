"""`palio audit`: who did what by the command line."""

import json

import pytest

from palio_server.cli.palio import call as palio


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PALIO_DB", raising=False)
    monkeypatch.setenv("LOGNAME", "eve")
    assert palio(["bot", "add", "mine", "--scope", "watch", "--expires", "30d"]) == 0
    return capsys.readouterr().out.strip()


def shown(capsys, *words):
    assert palio(["audit", "--json", *words]) == 0
    return json.loads(capsys.readouterr().out)


def test_what_was_done_by_whom_is_listed_without_a_secret(folder, capsys):
    assert palio(["bot", "rotate", "mine"]) == 0
    assert palio(["bot", "revoke", "mine"]) == 0
    second = capsys.readouterr().out.splitlines()[0]
    found = shown(capsys)
    assert [line["act"] for line in found] == ["bot added", "token issued", "token rotated", "bot revoked"]
    assert {line["who"] for line in found} == {"command line (eve)"}
    assert "for watch, until" in found[1]["detail"]
    assert palio(["audit"]) == 0
    table = capsys.readouterr().out
    assert "token rotated" in table
    assert not any(secret in table + json.dumps(found) for secret in (folder, second))


def test_lines_can_be_chosen(capsys):
    assert [line["act"] for line in shown(capsys, "--limit", "1")] == ["token issued"]
    assert shown(capsys, "--by", "bob") == []
    assert len(shown(capsys, "--by", "EVE", "--since", "1h")) == 2
    assert palio(["audit", "--by", "bob"]) == 0
    assert capsys.readouterr().out == "nothing of that kind was done\n"
    assert palio(["audit", "--since", "lately"]) == 2
    assert "'lately' is no moment" in capsys.readouterr().err
