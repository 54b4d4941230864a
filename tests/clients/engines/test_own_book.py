"""An engine with an opening book of its own plays from it, and is asked where the book ends."""

import struct

import pytest
from engine_table import EngineTable

from palio_clients.engines.own_book import OwnBook
from palio_clients.engines.player import Settings
from palio_clients.engines.uci import UCI
from palio_clients.sdk.failures import PlayerFailed
from palio_rules.games.chess_book import key
from palio_rules.registry import game


class ChessTable(EngineTable):
    language = UCI

    def __init__(self, folder, book, how="well", **kwargs):
        super().__init__(folder, how, "chess", settings=Settings(book=book), **kwargs)

    async def plays(self, reply):
        """Let the engine move, and its opponent reply; return the engine's move."""
        move = (await self.think()).move
        self.play(move)
        self.play(reply)
        return move


def book(folder, lines, **settings):
    """Return a book of moves by the moves before, squares counted from a1 as in the format."""
    entries = []
    for before, move in lines:
        state = game("chess").start(game("chess").options_type())
        for each in before.split():
            state = state.play(each)
        src, dst = ("abcdefgh".index(move[at]) + 8 * (int(move[at + 1]) - 1) for at in (0, 2))
        entries.append(struct.pack(">QHHI", key(state), src << 6 | dst, 1, 0))
    file = folder / "book.bin"
    file.write_bytes(b"".join(sorted(entries)))
    return OwnBook(str(file), **settings)


LINES = [("", "e2e4"), ("e2e4 a7a6", "d2d4"), ("e2e4 a7a6 d2d4 a6a5", "c2c4")]


async def test_it_plays_from_its_book_while_that_lasts(tmp_path):
    async with ChessTable(tmp_path, book(tmp_path, LINES)) as table:
        assert [await table.plays(reply) for reply in ("a7a6", "a6a5", "a5a4")] == ["e2e4", "d2d4", "c2c4"]
        assert table.told("go") == []
        assert (await table.think()).move == next(table.state.legal_moves())
        assert table.told("position") == ["position startpos moves e2e4 a7a6 d2d4 a6a5 c2c4 a5a4"]
        assert table.said == []


async def test_the_depth_counts_moves(tmp_path):
    async with ChessTable(tmp_path, book(tmp_path, LINES, depth=2)) as table:
        assert [await table.plays(reply) for reply in ("a7a6", "a6a5")] == ["e2e4", "d2d4"]
        assert table.told("go") == []
        assert (await table.think()).move == next(table.state.legal_moves()) != "c2c4"


async def test_viewers_are_told_where_the_move_is_from(tmp_path):
    async with ChessTable(tmp_path, book(tmp_path, LINES)) as table:
        assert (await table.think()).info.text == "from its book"


async def test_illegal_moves_are_left_out_and_told_once(tmp_path):
    wrong = book(tmp_path, [("", "e2e5"), ("e2e4 a7a6", "d1d8"), ("", "e2e4")])
    async with ChessTable(tmp_path, wrong) as table:
        assert await table.plays("a7a6") == "e2e4"
        await table.plays("a6a5")
    start = "`rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1`"
    assert table.said == [f"the book {wrong.file} has illegal moves, which are left out: e2e5 in {start}"]


async def test_the_seed_decides_between_moves(tmp_path):
    both = book(tmp_path, [("", "e2e4"), ("", "d2d4")])
    played = []
    for seed in (1, 1, 2, 3, 4, 5, 6, 7):
        async with ChessTable(tmp_path, OwnBook(both.file, seed=seed)) as table:
            played.append((await table.think()).move)
    assert played[0] == played[1]
    assert set(played) == {"e2e4", "d2d4"}


async def test_a_book_needs_chess(tmp_path):
    table = EngineTable(tmp_path, settings=Settings(book=book(tmp_path, LINES)))
    with pytest.raises(
        PlayerFailed, match=r"engine has the book .*book\.bin, which is for chess, and plays breakthrough"
    ):
        await table.__aenter__()
