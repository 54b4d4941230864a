"""`palio uci` as GUIs start it: python-chess's client plays with it, and scripts talk to it line by line."""

import random
import subprocess
import sys

import chess
import chess.engine
import pytest
from click.testing import CliRunner

from palio_clients.engines.cli import uci

COMMAND = [sys.executable, "-m", "palio_clients", "uci"]


def talk(arguments, *lines):
    """Return the lines that it says to `lines`, and the finished process."""
    told = "".join(f"{line}\n" for line in lines)
    done = subprocess.run([*COMMAND, *arguments], input=told, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout.splitlines(), done


def engine(spec="random:seed=1", *arguments):
    return chess.engine.SimpleEngine.popen_uci([*COMMAND, spec, *arguments], timeout=30)


def play(player, board, limit, plies, choices):
    """Let the engine play both sides of a game to an end, or for so many plies."""
    for ply in range(plies):
        if board.is_game_over():
            return
        if ply % 2:
            board.push(choices.choice(list(board.legal_moves)))
        else:
            board.push(player.play(board, limit).move)  # python-chess refuses an illegal one


def test_the_client_of_python_chess_plays_a_game():
    with engine() as player:
        assert player.id["name"].startswith("random-seed1 (Palio ")
        assert player.id["author"] == "Palio"
        play(player, chess.Board(), chess.engine.Limit(time=0.1), 120, random.Random(1))


@pytest.mark.parametrize("number", [0, 356, 518, 959])
def test_it_plays_chess960_as_the_gui_writes_it(number):
    board = chess.Board.from_chess960_pos(number)
    with engine("random:seed=2") as player:
        play(player, board, chess.engine.Limit(time=0.1), 80, random.Random(number))


def test_it_castles_as_the_gui_writes_it():
    """Castling is `e1h1` in chess960, `e1g1` in the usual game."""
    for is_960 in (False, True):
        seen = set()
        with engine("random") as player:
            for _ in range(500):  # some fifteen moves, drawn at random
                board = chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1", chess960=is_960)
                seen.add(player.play(board, chess.engine.Limit(time=0.05), game=object()).move.uci())
                if {"e1h1", "e1g1"} & seen:
                    break
        assert ("e1h1" if is_960 else "e1g1") in seen


def test_settings_are_options_and_limits_are_kept():
    with engine("alpha_beta") as player:
        assert {"depth", "nodes", "seed"} <= set(player.options)
        player.configure({"depth": 1})
        result = player.play(chess.Board(), chess.engine.Limit(depth=1), info=chess.engine.INFO_ALL)
        assert result.info["depth"] == 1
        assert result.move in result.info["pv"][:1]


def test_the_clocks_of_a_gui_are_kept():
    limit = chess.engine.Limit(white_clock=1.0, black_clock=1.0, white_inc=0.1, black_inc=0.1, remaining_moves=20)
    with engine("alpha_beta") as player:
        assert player.play(chess.Board(), limit).move in chess.Board().legal_moves


def test_an_analysis_runs_until_it_is_stopped():
    with engine("alpha_beta") as player, player.analysis(chess.Board()) as analysis:
        first = next(info for info in analysis if "pv" in info)
        assert first["pv"][0] in chess.Board().legal_moves


def test_a_conversation_on_pipes():
    said, done = talk(
        ["random:seed=1"],
        *("uci", "isready", "ucinewgame", "position startpos moves e2e4", "go wtime 1000 btime 1000 movestogo 40"),
        *("isready", "quit"),
    )
    assert said[0].startswith("id name random-seed1 (Palio ")
    assert "option name UCI_Chess960 type check default false" in said
    assert "uciok" in said
    assert said.count("readyok") == 2
    [best] = [line for line in said if line.startswith("bestmove ")]
    board = chess.Board()
    board.push_uci("e2e4")
    assert chess.Move.from_uci(best.split()[1]) in board.legal_moves
    assert (done.returncode, done.stderr) == (0, "")


def test_a_gui_that_ponders_gets_a_move_after_ponderhit():
    said, _ = talk(["random:seed=1"], "position startpos", "go ponder wtime 1000 btime 1000", "ponderhit")
    assert said[-1].startswith("bestmove ")
    said, _ = talk(["random:seed=1"], "position startpos", "go ponder wtime 1000 btime 1000", "stop")
    assert said[-1].startswith("bestmove ")


def test_python_chess_lets_a_bot_ponder(caplog):
    board, limit = chess.Board(), chess.engine.Limit(white_clock=2.0, black_clock=2.0)
    with caplog.at_level("DEBUG", "chess.engine"), engine("alpha_beta:depth=2") as player:
        first = player.play(board, limit, ponder=True)
        assert first.ponder is not None
        board.push(first.move)
        board.push(first.ponder)
        second = player.play(board, limit, ponder=True)
        assert second.move in board.legal_moves
        board.push(second.move)
        board.push(next(move for move in board.legal_moves if move != second.ponder))
        assert player.play(board, limit).move in board.legal_moves
    sent = [record.getMessage().partition("<< ")[2] for record in caplog.records if "<< " in record.getMessage()]
    assert [word for line in sent if (word := line.split()[0]) in ("ponderhit", "stop")] == ["ponderhit", "stop"]
    assert sum(line.startswith("go ponder ") for line in sent) == 2


def test_windows_line_ends_are_read():
    said, _ = talk(["random:seed=1"], "uci\r", "position fen 7k/8/8/8/8/8/1q6/K7 w - - 0 1\r", "go movetime 50\r")
    assert said[-1] == "bestmove a1b2"


def test_a_game_that_is_over_has_no_move():
    mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
    said, _ = talk(["random:seed=1"], f"position fen {mated}", "go movetime 50")
    assert said == ["info string the game is over", "bestmove (none)"]


def test_another_game_has_its_name_in_uci_variant():
    words = "uci", "setoption name UCI_Variant value breakthrough", "go"
    said, _ = talk(["random:seed=1", "--game", "breakthrough"], *words)
    assert "option name UCI_Variant type combo default breakthrough var breakthrough" in said
    assert said[-1].startswith("bestmove ")


def test_help_says_what_it_is_for():
    assert "as an engine in any GUI for chess" in CliRunner().invoke(uci, ["--help"]).output
