"""Models play by the official TypeScript client, which holds every answer to the schema of its tool."""

import asyncio
import json

import pytest
from conftest import lacking
from model import PALIO
from serving import ROOT, server_in

FOLDER = ROOT / "tools" / "clients"


@pytest.fixture
def typescript(node):
    """Runs the client against a server; what it has found."""
    if not (FOLDER / "node_modules").is_dir():
        lacking("the TypeScript client of the Model Context Protocol", "npm --prefix tools/clients ci")

    async def run(*words):
        pipe = asyncio.subprocess.PIPE
        program = await asyncio.create_subprocess_exec(
            node, FOLDER / "model.mjs", *map(str, words), stdout=pipe, stderr=pipe
        )
        out, err = await asyncio.wait_for(program.communicate(), 90)
        assert program.returncode == 0, err.decode()
        return json.loads(out)

    return run


@pytest.mark.slow
@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_every_error_reaches_the_model_as_a_sentence_and_it_plays_to_the_end(tmp_path, typescript, way):
    async with server_in(tmp_path) as server:
        where = (f"{server.url}/mcp",) if way == "http" else (*PALIO, "mcp", server.url)
        found = await typescript(way, *where)
        assert {each["tool"] for each in found["refused"]} == {*found["tools"]}
        said = {each["sentence"] for each in found["refused"]}
        assert any("unknown game 'shogi'" in sentence for sentence in said), said
        assert not [sentence for sentence in said if "schema" in sentence or "validation" in sentence.lower()]
        record = await server.store.record(found["end"]["match"])
        assert any("typescript" in bot for bot in record.setup.bots)
        assert record.result.termination == "rule"
