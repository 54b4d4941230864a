"""Options are set by the engine's own names; what it cannot be told is refused, with the remedy."""

import pytest

from palio_clients.engines.language import Offered, commands
from palio_clients.sdk.failures import PlayerFailed

OFFERED = [
    Offered("Hash", "spin", "16", 1, 1024),
    Offered("Ponder", "check", "false"),
    Offered("Style", "combo", "solid", choices=("solid", "wild")),
    Offered("Eval File", "string"),
    Offered("Clear Hash", "button"),
]


def test_names_are_alike_whatever_their_case():
    wanted = {"hash": "64", "EVAL FILE": "", "clear hash": ""}
    assert commands("engine", wanted, OFFERED) == [
        "setoption name Hash value 64",
        "setoption name Eval File value",
        "setoption name Clear Hash",
    ]


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("Hahs", "1", "engine has no option 'Hahs'; did you mean 'Hash'"),
        ("Hash", "many", "engine option Hash='many': it is a whole number"),
        ("Hash", "0", "the least is 1"),
        ("Hash", "2048", "the most is 1024"),
        ("Ponder", "yes", "it is switched by true or false"),
        ("Style", "wlid", "did you mean 'wild'"),
    ],
)
def test_what_it_cannot_be_told_is_refused(name, value, sentence):
    with pytest.raises(PlayerFailed, match=sentence):
        commands("engine", {name: value}, OFFERED)
