"""What a worker must have as we do."""

import sys

import pytest

from palio_server.addons.cluster import fleet
from palio_server.addons.cluster.parcels import File

HERE = ".".join(map(str, sys.version_info[:3]))


def test_what_bots_import_is_compared_beside_what_every_game_needs():
    bot = [
        File("0/bot.py", b"import numpy as np\nimport helper, os\nfrom hypothesis import given\n"),
        File("0/helper.py"),
    ]
    broken = [File("0/broken.py", b"import (")]
    found = fleet.needed([bot, broken], "breakthrough")
    assert {"palio", "msgspec", "websockets", "numpy", "hypothesis"} <= found.keys()
    assert not {"helper", "os", "pytest"} & found.keys()


@pytest.mark.parametrize(
    ("theirs", "python", "said"),
    [
        ({"palio": "0.1.0", "numpy": "2.1"}, HERE, ""),
        (
            {"palio": "0.0.9", "numpy": "2.1"},
            HERE,
            "the package palio is 0.0.9, here it is 0.1.0; install palio==0.1.0",
        ),
        (
            {"palio": "0.1.0", "numpy": None},
            HERE,
            "the package numpy is missing, here it is 2.1; install numpy==2.1 there",
        ),
        ({"palio": "0.1.0"}, HERE, "the package numpy is missing"),
        (
            {"palio": "0.1.0", "numpy": "2.1"},
            "2.7.18",
            f"tcp://w:1 runs Python 2.7.18, we run {HERE}; start its workers",
        ),
    ],
)
def test_a_difference_is_one_sentence_with_worker_package_versions_and_remedy(theirs, python, said):
    found = fleet.mismatch("tcp://w:1", {"palio": "0.1.0", "numpy": "2.1"}, theirs, python)
    assert said in found
    assert bool(found) == bool(said)
    assert not said or "tcp://w:1" in found


def test_code_has_a_digest_that_stays():
    assert fleet.code_digest() == fleet.code_digest()
    assert "its code is another" in fleet.other_code("tcp://w:1")


def test_the_library_whose_game_is_played_is_compared_too():
    needed = fleet.needed([], "openspiel_tic_tac_toe")
    assert "open_spiel" in needed
    assert "open_spiel" not in fleet.needed([], "breakthrough")
    said = fleet.mismatch("tcp://w:1", {"open_spiel": "1.6"}, {"open_spiel": None}, HERE)
    assert said == ("at tcp://w:1 the package open_spiel is missing, here it is 1.6; install open_spiel==1.6 there")
