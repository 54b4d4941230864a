"""The page's pure modules, tested where they run: in JavaScript. And what of it is checked best from outside."""

import hashlib
import json
import re
import subprocess
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

HERE = Path(__file__).parent
WEB = HERE.parents[1] / "server" / "palio_server" / "web"
SOURCES = sorted(
    path for path in WEB.rglob("*") if path.suffix in {".js", ".html", ".css"} and "vendor" not in path.parts
)


IMPORT = "for (const file of process.argv.slice(1)) await import(file);"


@pytest.mark.node
def test_the_modules_keep_their_promises(node):
    """All in one process, which takes a quarter of the time of one for each file."""
    files = sorted(HERE.glob("*.test.mjs"))
    command = [node, "--input-type=module", "--eval", IMPORT, *files]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    counted = re.search(r"^\W*tests (\d+)$", done.stdout, re.MULTILINE)
    assert counted
    assert int(counted[1]) > 5 * len(files)


PARSE = """
import { readFileSync } from "node:fs";
import { SourceTextModule } from "node:vm";
for (const path of process.argv.slice(1)) new SourceTextModule(readFileSync(path, "utf8"), { identifier: path });
"""


@pytest.mark.node
def test_every_module_can_be_parsed(node):
    command = [node, "--experimental-vm-modules", "--input-type=module", "--eval", PARSE]
    sources = [path for path in SOURCES if path.suffix == ".js"]
    done = subprocess.run([*command, *sources], check=False, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr


def test_no_module_reaches_itself_by_its_imports():
    imported = re.compile(r'(?:^import|^export|\bimport\()[^;"]*"(\.[^"]+\.js)"', re.MULTILINE)
    needs = {}
    for path in SOURCES:
        if path.suffix == ".js":
            needs[path] = {
                (path.parent / name).resolve()
                for name in imported.findall(re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL))
            }
    assert (WEB / "components" / "play.js").resolve() in needs[WEB / "lib" / "views.js"], "those on demand count"
    assert needs[WEB / "lib" / "routes.js"] == set()
    assert len(list(TopologicalSorter(needs).static_order())) >= len(needs)  # CycleError names the modules of a circle


def test_vendored_files_are_those_that_the_list_names():
    table = (WEB / "vendor" / "README.md").read_text()
    listed = dict(re.findall(r"^\| `([^`]+)` .*`([0-9a-f]{64})` \|$", table, re.MULTILINE))
    files = {path.name: path for path in (WEB / "vendor").iterdir() if path.suffix in {".js", ".css", ".mjs"}}
    assert listed == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_the_page_asks_no_other_host_and_has_no_inline_script(source):
    text = source.read_text()
    text = text.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://\w|//cdn", text)
    assert "<script>" not in text
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=\"", text)


def test_what_checks_the_page_is_pinned_and_its_lock_file_names_no_host():
    tools = HERE.parents[1] / "tools" / "web"
    assert "://" not in (tools / "package-lock.json").read_text()
    wanted = json.loads((tools / "package.json").read_text())["devDependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values())


def test_the_stream_of_the_lobby_is_opened_in_one_place():
    naming = {path.name for path in SOURCES if re.search(r'"ws/live["?]|`ws/live[`?]', path.read_text())}
    assert naming == {"lobby_stream.js"}
