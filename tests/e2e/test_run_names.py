"""One name is one program, as the user of `palio run` meets it."""

import pytest
from command import Palio

MINE = """
from palio_clients import Bot

class Mine(Bot):
    def choose(self, state, clock):
        return next(iter(state.legal_moves()))
"""


@pytest.mark.slow
def test_another_program_under_a_known_name_is_told_once_with_the_remedy(palio: Palio):
    def told(*bots: str) -> str:
        return palio("run", "breakthrough:rows=5,cols=4", *bots, "random").stderr

    mine = palio.folder / "mine.py"
    mine.write_text(MINE)
    assert [told("./mine.py"), told("./mine.py")] == ["", ""]
    mine.write_text(f"{MINE}# changed")
    assert told("./mine.py").startswith("mine (mine.py ")
    assert told("./mine.py") == ""
    assert told("mine=greedy").endswith("to keep them apart, give it a name of its own: NAME=SPEC\n")
