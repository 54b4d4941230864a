"""The bots that README.md and docs/tutorials/first-bot.md show can be pasted and play."""

import re

import pytest
from serving import ROOT, bots, connected, played, server_in

from palio_rules.records import Setup, fault
from palio_rules.time_control import TimeControl


def shown(page: str) -> str:
    """The first Python listing of a page that is a file called mine.py."""
    return re.search(r"```python\n(# mine\.py\n.*?)```", (ROOT / page).read_text(), re.DOTALL)[1]


@pytest.mark.parametrize("page", ["README.md", "docs/tutorials/first-bot.md"])
async def test_the_bot_on_the_page_plays_as_it_stands(palio, tmp_path, page):
    mine = tmp_path / "mine.py"
    mine.write_text(shown(page))
    async with server_in(tmp_path) as server, bots(palio, server.url, str(mine), "random"):
        await connected(server, "mine", "random")
        record = await played(server, Setup("breakthrough", ("mine", "random"), time=TimeControl(base_ms=20_000)))
    assert record.result.termination == "rule"
    assert not record.refusals
    assert fault(record) is None
