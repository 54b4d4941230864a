"""The balance of a position of chess, by Stockfish. A number of nodes ends a search on one thread with an empty hash
table, so that the same version gives the same result on every machine.
"""

import shutil
import subprocess

PROGRAMS = ("stockfish", "/usr/games/stockfish")  # Debian keeps it where PATH may not lead
PAWN = 100  # of the engine's units, in which it is as likely to win as not to
MATE = 100.0  # pawns; more than any evaluation


class Stockfish:
    """A running Stockfish. Raises FileNotFoundError if it is not installed."""

    def __init__(self) -> None:
        found = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
        if found is None:
            raise FileNotFoundError("Stockfish is not installed; on Debian, apt install stockfish")
        self._process = subprocess.Popen(  # noqa: S603 - the program of this name that the maker has installed
            [found], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.name = self._said("uci", "id name").removeprefix("id name ")
        self._say("setoption name Threads value 1", "setoption name Hash value 16")

    def lead(self, fen: str, nodes: int) -> float:
        """Return by how many pawns the side to move is ahead."""
        self._say("ucinewgame", f"position fen {fen}", f"go nodes {nodes}")
        score = 0.0
        while not (line := self._line()).startswith("bestmove"):
            words = line.split()
            if "score" in words and "lowerbound" not in words and "upperbound" not in words:
                unit, value = words[words.index("score") + 1 :][:2]
                score = int(value) / PAWN if unit == "cp" else MATE if int(value) > 0 else -MATE
        return score

    def close(self) -> None:
        self._process.communicate("quit\n")

    def _said(self, question: str, start: str) -> str:
        self._say(question)
        while not (line := self._line()).startswith(start):
            pass
        return line

    def _line(self) -> str:
        assert self._process.stdout is not None
        if not (line := self._process.stdout.readline()):
            raise EOFError("Stockfish has ended")
        return line.strip()

    def _say(self, *lines: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"{line}\n" for line in lines))
        self._process.stdin.flush()
