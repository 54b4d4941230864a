"""Clients that programs make of the server's own description start a match and follow it to its end."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from command import Palio
from conftest import lacking
from serving import ROOT

FOLDER = ROOT / "tools" / "clients"
GAME = "dominoes"
PYTHON = """
import json, sys, time
from client import Client
from client.api.matches import get_match, start_match
from client.models import MatchDetail, Scheduled, StartRequest

url, game, *bots = sys.argv[1:]
palio = Client(url, raise_on_unexpected_status=True)
begun = start_match.sync(client=palio, body=StartRequest(game=game, bots=bots))
assert isinstance(begun, Scheduled), begun
while True:
    match = get_match.sync(begun.id, client=palio)
    assert isinstance(match, MatchDetail), match
    if match.status == "finished":
        break
    time.sleep(0.05)
print(json.dumps(match.to_dict()))
"""


@pytest.fixture
def tools(node: str) -> Path:
    """The folder with the programs of the tools."""
    if not (FOLDER / "node_modules").is_dir():
        lacking("the generators of clients", "npm --prefix tools/clients ci")
    return FOLDER / "node_modules" / ".bin"


@pytest.fixture
def url(palio: Palio) -> str:
    """A server with two bots."""
    serving = palio.start("serve", "--port", "0", "--bot", "random", "--bot", "greedy")
    return str(re.search(r"http://[0-9.:]+", serving.line_with("http://"))[0])


@pytest.fixture
def description(url: str, tmp_path: Path) -> Path:
    file = tmp_path / "openapi.json"
    file.write_bytes(httpx.get(f"{url}/api/openapi.json").content)
    return file


def run(*words: object, folder: Path) -> str:
    beside = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [*map(str, words)], cwd=folder, env=beside, capture_output=True, text=True, timeout=90, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check(url: str, told: str) -> None:
    """Check that the client's report of the match equals the server's record."""
    match = json.loads(told)
    record = httpx.get(f"{url}/api/matches/{match['id']}/record").json()
    assert match["result"]["scores"] == record["result"]["scores"]
    assert len(record["plies"]) > 10


@pytest.mark.slow
def test_a_client_that_is_made_for_python_plays(url, description, tmp_path):
    made = ("--path", description, "--output-path", tmp_path / "client", "--meta", "none", "--fail-on-warning")
    run("openapi-python-client", "generate", *made, folder=tmp_path)
    check(url, run(sys.executable, "-c", PYTHON, url, GAME, "random", "greedy", folder=tmp_path))


@pytest.mark.slow
def test_a_client_that_is_made_for_typescript_plays_and_its_types_hold(url, description, tmp_path, tools, node):
    for name in ("match.mjs", "tsconfig.json", "package.json"):
        shutil.copy(FOLDER / name, tmp_path)
    (tmp_path / "node_modules").symlink_to(FOLDER / "node_modules")
    run(
        tools / "openapi-typescript",
        description,
        "-o",
        tmp_path / "made" / "palio.d.ts",
        "--default-non-nullable=false",
        folder=tmp_path,
    )
    run(tools / "tsc", "--project", tmp_path, folder=tmp_path)
    check(url, run(node, tmp_path / "match.mjs", url, GAME, "random", "greedy", folder=tmp_path))


@pytest.mark.slow
def test_the_description_keeps_the_rules_that_redocly_recommends(description, tmp_path, tools):
    run(tools / "redocly", "lint", description, "--extends", "recommended", folder=tmp_path)
