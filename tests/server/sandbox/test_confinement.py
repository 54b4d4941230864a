"""The settings of a sandbox, and the messages where it is not available."""

import os
import subprocess
from pathlib import Path

import pytest

from palio_rules.errors import BadOption
from palio_server.sandbox.bubblewrap import Machine, SandboxLimits, environment
from palio_server.sandbox.confinement import confinement
from palio_server.sandbox.spec_files import SpecFiles, files_of

THERE = Machine("/usr/bin/bwrap", "0.8.0")
NOT_THERE = Machine("", lacks="bubblewrap is not installed", remedy="install it")


def never() -> Machine:
    raise AssertionError("nobody needs to know")


def test_auto_says_in_one_line_what_is_not_there_and_what_it_means():
    found = confinement("auto", SandboxLimits(), ask=lambda: NOT_THERE)
    assert not found.works
    assert found.warning == (
        "no sandbox: bubblewrap is not installed, so bots' programs can read your files and use the network; install it"
    )
    assert found.text(network=False) == "not confined: bubblewrap is not installed"


def test_required_it_is_refused():
    with pytest.raises(BadOption, match="--sandbox require: bubblewrap is not installed; install it"):
        confinement("require", SandboxLimits(), ask=lambda: NOT_THERE)


def test_where_strangers_programs_come_auto_confines_them_or_refuses_with_the_way_out():
    refused = "run here in a sandbox only: bubblewrap is not installed; install it, or take the risk with --sandbox off"
    with pytest.raises(BadOption, match=refused):
        confinement("auto", SandboxLimits(), ask=lambda: NOT_THERE, strangers=True)
    assert confinement("auto", SandboxLimits(), ask=lambda: THERE, strangers=True).mode == "require"
    assert confinement("off", SandboxLimits(), ask=never, strangers=True).mode == "off"


def test_off_asks_nobody_and_warns_of_nothing():
    found = confinement("off", SandboxLimits(), ask=never)
    assert (found.works, found.warning) == (False, "")
    assert found.text(network=False) == "not confined: --sandbox off"


def test_auto_asks_only_when_a_strangers_program_comes():
    confinement("auto", SandboxLimits(), ask=never)


def test_a_record_says_version_limits_and_whether_there_is_a_network():
    found = confinement("auto", SandboxLimits(), ask=lambda: THERE)
    assert found.text(network=False) == f"bubblewrap 0.8.0, {SandboxLimits()}"
    assert found.text(network=True).endswith(", network")


def test_only_a_program_with_a_network_keeps_ours(tmp_path: Path):
    (tmp_path / "mine.py").touch()
    found = confinement("auto", SandboxLimits(), ask=lambda: THERE)
    files = SpecFiles("x", (tmp_path / "mine.py",))
    alone, out = (found.command(["/bin/true"], files, socket=None, report=9, network=each) for each in (False, True))
    assert "--unshare-net" in alone
    assert "--unshare-net" not in out
    assert {"--unshare-pid", "--unshare-ipc", "--die-with-parent", "--clearenv"} <= set(alone)


@pytest.mark.usefixtures("bubblewrap")
def test_a_file_that_is_removed_before_the_program_starts_stops_nothing(tmp_path: Path):
    (tmp_path / "mine.py").touch()
    (tmp_path / "results.tmp").touch()
    found, files = confinement("require", SandboxLimits()), SpecFiles("x", (tmp_path / "mine.py",))
    shown = found.shown(files, network=False)
    (tmp_path / "results.tmp").unlink()
    with Path(os.devnull).open("wb") as report:
        words = found.command(
            ["/bin/ls", str(tmp_path)], files, socket=None, report=report.fileno(), network=False, shown=shown
        )
        done = subprocess.run(words, capture_output=True, text=True, pass_fds=[report.fileno()], check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["mine.py"]), done.stderr


IN_THERE = """
import errno, os, pathlib, resource
try:
    pathlib.Path("{folder}", "mark").touch()
    written = "written"
except OSError as error:
    written = errno.errorcode[error.errno]
print(os.getsid(0) > 0, written, resource.getrlimit(resource.RLIMIT_CORE))
"""


@pytest.mark.usefixtures("bubblewrap")
def test_a_program_has_a_session_of_its_own_folders_that_nobody_can_write_to_and_no_core_files(tmp_path: Path):
    """Without a session of its own it could type into the operator's terminal; the folder is of the server's user."""
    (tmp_path / "mine.py").write_text(IN_THERE.replace("{folder}", str(tmp_path)))
    found, files = confinement("require", SandboxLimits()), SpecFiles("x", (tmp_path / "mine.py",))
    with Path(os.devnull).open("wb") as report:
        words = found.command(
            ["/usr/bin/env", "python3", str(tmp_path / "mine.py")],
            files,
            socket=None,
            report=report.fileno(),
            network=False,
        )
        done = subprocess.run(words, capture_output=True, text=True, pass_fds=[report.fileno()], check=False)
    assert done.stdout.split(" ", 2) == ["True", "EROFS", "(0, 0)\n"], done.stderr


def test_the_environment_is_clean_and_keys_of_services_go_with_the_network_only():
    ours = {
        "LANG": "C",
        "PALIO_DB": "x",
        "PGPASSWORD": "x",
        "OPENAI_API_KEY": "k",
        "PALIO_API_KEY": "x",
        "PALIO_LLM_KEY": "x",
        "HTTPS_PROXY": "http://ann:open-sesame@p:1",
        "all_proxy": "http://p:1",
        "HOME": "/root",
    }
    alone, out = (environment(ours, {}, network=each) for each in (False, True))
    assert alone["HOME"] == "/scratch"
    assert {"PALIO_DB", "PGPASSWORD", "OPENAI_API_KEY", "PALIO_API_KEY", "PALIO_LLM_KEY"}.isdisjoint(alone)
    assert {"HTTPS_PROXY", "all_proxy"}.isdisjoint(alone)
    assert (out["HTTPS_PROXY"], out["all_proxy"]) == ("http://ann:open-sesame@p:1", "http://p:1")
    assert out["OPENAI_API_KEY"] == "k"
    assert {"PALIO_DB", "PGPASSWORD", "PALIO_API_KEY", "PALIO_LLM_KEY"}.isdisjoint(out)


def test_a_failed_bots_author_reads_which_files_are_hidden_and_how_to_ask_for_them_but_not_for_our_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "bots"
    folder.mkdir()
    for name in ("mine.py", *(f"book{number}.sqlite" for number in range(5)), "palio.db"):
        (folder / name).write_text("" if name == "mine.py" else "SQLite format 3\0")
    found = confinement("auto", SandboxLimits(), [folder / "palio.db"], ask=lambda: THERE)
    shown = found.shown(files_of("bots/mine.py"), network=False)
    assert found.explained("bots/mine.py", shown, "no such table") == []
    assert found.explained("bots/mine.py", shown, "cannot read palio.db") == []
    assert found.explained("bots/mine.py", shown, "cannot read book3.sqlite") == [
        "palio: the sandbox hides bots/book3.sqlite, see docs/explanation/security.md",
        "palio: to show a hidden file, name it in the SPEC: FILE.py:SETTING=bots/book3.sqlite",
    ]
    (first, _) = found.explained("bots/mine.py", shown, "unable to open database file")
    assert first.endswith(".sqlite and 2 more, see docs/explanation/security.md")
    assert "palio.db" not in first
