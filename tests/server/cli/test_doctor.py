"""`palio doctor`: what is missing is named with the remedy, and the exit code says whether it is needed."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from palio_server.cli import doctor_checks
from palio_server.cli.doctor import doctor
from palio_server.cli.doctor_checks import Check, checks, sync_ms
from palio_server.sandbox.bubblewrap import Machine


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch):
    """To let numba compile takes seconds, and is tried by the command itself."""
    monkeypatch.setattr(doctor_checks, "COMPILES", "print('0.60')")


def by_name(database: str, *, must_confine: bool = False) -> dict[str, Check]:
    return {each.name: each for each in checks(database, must_confine=must_confine)}


def test_all_that_is_asked_for_is_told(tmp_path: Path):
    found = by_name(f"sqlite:///{tmp_path}/palio.db")
    names = ("palio", "python", "sandbox", "cgroups", "numba", "disk", "fsync", "monotonic clock", "wall clock")
    assert {*names, "open files", "memory", "event loop", "processors", "database", "msgspec"} <= found.keys()
    assert found["numba"].found.startswith("0.60, compiles")
    assert "GiB free" in found["disk"].found
    assert sync_ms(tmp_path) > 0


def test_whatever_is_not_well_comes_with_a_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(doctor_checks, "this_machine", lambda: Machine("", lacks="there is none", remedy="install it"))
    monkeypatch.setattr(doctor_checks, "SLOW_SYNC_MS", 0.0)
    monkeypatch.setattr(doctor_checks, "LITTLE_DISK", 1 << 60)
    monkeypatch.setattr(doctor_checks, "LITTLE_MEMORY", 1 << 60)
    monkeypatch.setattr(doctor_checks, "FEW_FILES", 1 << 30)
    monkeypatch.setattr(doctor_checks, "COMPILES", "raise SystemExit('no')")
    found = by_name(f"sqlite:///{tmp_path}/palio.db")
    unwell = {each.name for each in found.values() if each.state == "warning"}
    assert {"sandbox", "fsync", "disk", "memory", "open files", "numba"} <= unwell
    assert all(found[name].remedy for name in unwell)
    assert by_name(f"sqlite:///{tmp_path}/palio.db", must_confine=True)["sandbox"].state == "missing"


def test_what_is_needed_and_missing_ends_it_with_1(tmp_path: Path):
    good = CliRunner().invoke(doctor, ["--db", f"sqlite:///{tmp_path}/palio.db", "--json"], standalone_mode=False)
    assert (good.return_value, {each["state"] for each in json.loads(good.stdout)} - {"ok", "warning"}) == (0, set())
    bad = CliRunner().invoke(doctor, ["--db", f"sqlite:///{tmp_path}/nowhere/palio.db"], standalone_mode=False)
    assert bad.return_value == 1
    assert "MISSING  database" in bad.output
    assert "database: make it, or name another database with --db" in bad.output


def test_a_database_that_does_not_answer_is_named_without_its_password():
    found = by_name("postgresql://palio:secret@127.0.0.1:1/palio")["database"]
    assert found.state == "missing"
    assert "postgresql://127.0.0.1:1/palio does not answer" in found.found
    assert "secret" not in found.found
