"""Another program pairs the same rounds in the same way: gacrux, by Otto Milvang, which checks whole TRF files."""

import contextlib
import io

import pytest
from gacrux.pairingchecker import pairingchecker

from palio_server.tournament.trf import write_trf


def differences(tournament, folder, monkeypatch) -> list:
    """Rounds that gacrux pairs in another way: its boards, ours."""
    path = folder / "random.trf"
    path.write_text(
        write_trf("random", tournament.cards, tournament.rounds, tournament.initial, drawn=tournament.drawn)
    )
    words = ["gacrux", "-c", "-i", str(path), "-o", str(folder / "out.json"), "-F", "JSON", "-f", "TRF", "-m", "dutch"]
    monkeypatch.setattr("sys.argv", words)
    checker = pairingchecker()
    with contextlib.redirect_stdout(io.StringIO()):
        checker.common_main()
    rounds = checker.chessfile.result["roundpairing"]
    assert len(rounds) == len(tournament.pairings)
    found = [(each["round"], set(map(tuple, each["pairs"])), set(map(tuple, each["current"]))) for each in rounds]
    return [(round_, theirs - ours, ours - theirs) for round_, theirs, ours in found if theirs != ours]


@pytest.mark.first(6)
@pytest.mark.parametrize("seed", range(16))
def test_gacrux_pairs_a_random_tournament_as_we_do(seed, simulate, tmp_path, monkeypatch):
    assert differences(simulate(seed), tmp_path, monkeypatch) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 400, 25))
def test_gacrux_pairs_hundreds_of_random_tournaments_as_we_do(first, simulate, tmp_path, monkeypatch):
    for seed in range(first, first + 25):
        assert differences(simulate(seed), tmp_path, monkeypatch) == [], seed


@pytest.mark.slow
@pytest.mark.parametrize("size", [101, 180])
def test_gacrux_pairs_large_tournaments_as_we_do(size, simulate, tmp_path, monkeypatch):
    assert differences(simulate(size, size=size, rounds=9), tmp_path, monkeypatch) == []
