"""`palio watch` goes on through every restart of its server, and misses and repeats no ply."""

import re
import socket

import pytest
from command import Palio
from restarts import HOW, Restarted

PLY = re.compile(r"\s*(\d+)\. (\S+ \S+) \(")


def told(lines: list[str]) -> list[str]:
    """Return the moves as a reader knows them: those that a killed server had not written down are taken back."""
    moves: list[str] = []
    for line in lines:
        if back := re.fullmatch(r"the match goes on after ply (\d+)", line):
            del moves[int(back[1]) :]
        elif ply := PLY.match(line):
            assert int(ply[1]) == len(moves) + 1, lines
            moves.append(ply[2])
    return moves


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_it_comes_back_after_each_of_four_restarts_and_tells_every_ply_once(palio: Palio):
    server = Restarted(palio)
    with socket.socket() as probe:  # one without a server
        probe.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{probe.getsockname()[1]}"
    watching = palio.start("watch", server.match, "--url", f"{server.url},{nobody}")
    for restart in range(len(HOW)):
        known = len(told(watching.lines))
        server.restart()
        watching.wait_for(lambda lines, known=known: len(told(lines)) > known, 30)
        losses = [line for line in watching.errors if "looking for another server again" in line]
        assert 1 <= len(losses) == len(watching.errors) <= restart + 1, watching.errors
    record = server.finished()
    assert watching.wait() == 0
    assert len(told(watching.lines)) == len(record.plies)
    assert told(watching.lines) == told(palio("watch", server.match, "--url", server.url).stdout.splitlines())
