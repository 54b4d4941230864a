"""The Dockerfile without an engine: its own `RUN` on what .dockerignore lets through, and both environments at work."""

import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from command import Started, program
from compose_file import ROOT, let_through, stages

from palio_server.api.page_joiner import build

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SERVER_ONLY = ("starlette", "uvicorn", "sqlalchemy", "alembic", "psycopg", "numpy", "rich")


@dataclass
class Image:
    """One of the two environments, in an empty working directory."""

    bin: Path
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.folder), "PYTHONUNBUFFERED": "1"}

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.bin / words[0]), *words[1:]],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def start(self, *words: str) -> Started:
        return Started(program([str(self.bin / words[0]), *words[1:]], self.folder), self.environment)


def send_context(context: Path) -> None:
    """Copy what the Dockerfile copies, as far as .dockerignore lets it through."""
    for line in stages()["build"].all("COPY"):
        for source in line.split()[:-1]:
            top = ROOT / source
            for file in [top] if top.is_file() else (each for each in top.rglob("*") if each.is_file()):
                path = file.relative_to(ROOT)
                if let_through(str(path)):
                    (context / path).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(file, context / path)


@pytest.fixture(scope="module")
def opt(tmp_path_factory) -> Path:
    """Build the image's /opt, by the exact commands of the Dockerfile."""
    folder = tmp_path_factory.mktemp("image")
    context, opt = folder / "src", folder / "opt"
    send_context(context)
    (run,) = stages()["build"].all("RUN")
    assert "--constraint constraints.txt" in run
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    done = subprocess.run(
        ["/bin/sh", "-c", run.replace("/opt/", f"{opt}/")],
        cwd=context,
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.rmtree(context)  # what is installed has to do without its source
    return opt


@pytest.fixture
def server(opt: Path, tmp_path: Path) -> Image:
    return Image(opt / "server" / "bin", tmp_path)


@pytest.fixture
def bot(opt: Path, tmp_path: Path) -> Image:
    return Image(opt / "bot" / "bin", tmp_path)


@pytest.fixture
def url(server: Image) -> Iterator[str]:
    """A server from its image, with the ladder."""
    started = server.start("palio", "serve", "--port", "0", "--ladder")
    try:
        yield re.search(r"http://[\d.:]+", started.line_with("serves on"))[0]
    finally:
        started.close()


def test_both_images_start(server: Image, bot: Image):
    for image, word in ((server, "serve"), (bot, "join")):
        for words in (["--help"], [word, "--help"]):
            shown = image("palio", *words)
            assert shown.returncode == 0, shown.stderr
            assert "Examples:" in shown.stdout
            assert "cannot be loaded" not in shown.stdout


def test_the_server_brings_its_page_and_its_tables(url: str, server: Image):
    (web,) = server.bin.parent.glob("lib/python*/site-packages/palio_server/web")
    source = ROOT / "server" / "palio_server" / "web"
    sources = {each.relative_to(source).as_posix(): each.read_bytes() for each in source.rglob("*") if each.is_file()}
    assert {each.relative_to(web).as_posix() for each in web.rglob("*") if each.is_file()} == set(
        build(sources).sources()
    )
    with urllib.request.urlopen(url, timeout=10) as answer:
        page = answer.read().decode()
    assert "<title>Palio</title>" in page
    files = re.findall(r'(?:src|href)="(?:/|\./)?([^":]+\.(?:js|css|svg))"', page)
    assert files
    for file in files:
        with urllib.request.urlopen(f"{url}/{file}", timeout=10) as answer:
            assert answer.status == 200
    assert (server.folder / "palio.db").stat().st_size > 0


def test_a_bot_needs_nothing_of_the_servers(url: str, bot: Image):
    there = f"import importlib.util as u; print([m for m in {SERVER_ONLY} if u.find_spec(m)])"
    assert bot("python", "-c", there).stdout == "[]\n"
    players = [
        bot.start("palio", "join", url.replace("http", "ws"), spec, "--name", spec, "--matches", "1")
        for spec in ("greedy", "planner")
    ]
    try:
        assert [player.wait() for player in players] == [0, 0], [player.errors for player in players]
    finally:
        for player in players:
            player.close()


@pytest.mark.parametrize("words", [["serve"], ["run", "dominoes", "random", "greedy"], ["leaderboard"], ["watch"]])
def test_what_a_bot_has_not_got_is_one_sentence_with_the_extra_to_install(bot: Image, words):
    refused = bot("palio", *words)
    assert refused.returncode == 1
    assert len(refused.stderr.splitlines()) == 1
    assert "pip install 'palio[server]'" in refused.stderr
