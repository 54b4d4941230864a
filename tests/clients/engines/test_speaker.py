"""Our bots as engines: what a GUI asks is answered, while they think, too."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from palio_clients.engines.info_lines import info_line
from palio_clients.engines.speaker import Speaker
from palio_clients.engines.thinker import Thinker
from palio_clients.engines.uci import UCI
from palio_clients.engines.ugi import UGI
from palio_rules.contract.messages import Info
from palio_rules.registry import game_from_spec


class Gui:
    def __init__(self, spec, game, language=UGI):
        self.rules, options = game_from_spec(game)
        self.lines, self.news, self.faults = [], asyncio.Event(), []
        thinker = Thinker(spec, self.rules, options, self.faults.append)
        self.speaker = Speaker(language, self.rules, self.rules.start(options), thinker, self._write, "9")

    def _write(self, line):
        self.lines.append(line)
        self.news.set()

    async def say(self, *lines):
        return [await self.speaker.hear(line) for line in lines]

    async def until(self, word):
        """All lines until one begins with `word`, it included."""
        async with asyncio.timeout(20):
            while not (at := [i for i, line in enumerate(self.lines) if line.split()[0] == word]):
                self.news.clear()
                await self.news.wait()
        found, self.lines = self.lines[: at[0] + 1], self.lines[at[0] + 1 :]
        return found


@asynccontextmanager
async def gui(spec="alpha_beta", game="breakthrough", language=UGI):
    made = Gui(spec, game, language)
    try:
        yield made
    finally:
        await made.speaker.close()


async def test_it_thinks_while_it_ponders_and_moves_after_ponderhit_by_its_clock():
    async with gui("alpha_beta:depth=0", "chess", UCI) as screen:
        await screen.say("position startpos moves e2e4 e7e5", "go ponder wtime 3000 btime 3000")
        assert await screen.until("info")  # its search has begun
        await screen.say("isready")
        assert not any(line.startswith("bestmove") for line in await screen.until("readyok"))
        await screen.say("ponderhit")
        assert (await screen.until("bestmove"))[-1].split()[0] == "bestmove"


async def test_a_search_that_ends_while_it_ponders_waits_for_ponderhit_or_stop():
    for word in ("ponderhit", "stop"):
        async with gui("alpha_beta:depth=1", "chess", UCI) as screen:
            await screen.say("position startpos", "go ponder wtime 3000 btime 3000")
            await screen.until("info")
            async with screen.speaker._busy:  # the search is over
                assert not any(line.startswith("bestmove") for line in screen.lines)
            await screen.say(word)
            await screen.until("bestmove")


async def test_a_game_that_ends_with_the_expected_move_is_answered_after_ponderhit():
    mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
    async with gui("random", "chess", UCI) as screen:
        await screen.say(f"position fen {mated}", "go ponder wtime 3000 btime 3000", "isready")
        assert await screen.until("readyok") == ["info string the game is over", "readyok"]
        await screen.say("ponderhit")
        assert await screen.until("bestmove") == ["bestmove (none)"]


async def test_the_expected_answer_is_told_to_a_gui_that_lets_engines_ponder():
    async with gui("alpha_beta:depth=2", "chess", UCI) as screen:
        await screen.say("uci", "position startpos", "go")
        assert "option name Ponder type check default false" in await screen.until("uciok")
        assert "ponder" not in (await screen.until("bestmove"))[-1]
        await screen.say("setoption name Ponder value true", "position startpos", "go")
        assert len((await screen.until("bestmove"))[-1].split(" ponder ")) == 2


async def test_it_introduces_itself_with_its_settings_as_options():
    async with gui("alpha_beta:depth=3") as screen:
        await screen.say("ugi")
        assert await screen.until("ugiok") == [
            "id name alpha_beta-depth3 (Palio 9, Breakthrough)",
            "id author Palio",
            "option name MultiPV type spin default 1 min 1 max 256",
            "option name depth type spin default 3 min -2147483648 max 2147483647",
            "option name nodes type spin default 0 min -2147483648 max 2147483647",
            "option name seconds type string default 0.0",
            "option name seed type spin default 0 min -2147483648 max 2147483647",
            "ugiok",
        ]
        await screen.say("isready")
        assert await screen.until("readyok") == ["readyok"]


async def test_a_search_tells_of_each_depth_and_ends_in_a_legal_move():
    async with gui() as screen:
        await screen.say("position startpos moves a5a4", "go depth 3")
        *infos, best = await screen.until("bestmove")
        assert [line.split()[:3] for line in infos] == [["info", "depth", str(depth)] for depth in (1, 2, 3)]
        assert all({"score", "cp", "time", "nodes", "pv"} <= set(line.split()) for line in infos)
        assert len(best.split()) == 2
        assert infos[-1].split("pv ")[1].split()[0] == best.split()[1]


@pytest.mark.first(5)
@pytest.mark.parametrize("go", ["go depth 2", "go nodes 200", "go movetime 60", "go p1time 500 p2time 500", "go"])
@pytest.mark.parametrize("spec", ["alpha_beta", "mcts", "greedy", "random"])
async def test_every_limit_ends_a_search(go, spec):
    async with gui(f"{spec}:seed=1") as screen:
        await screen.say(go)
        best = (await screen.until("bestmove"))[-1]
        assert best.split()[1][:2] in {"a5", "b5", "c5", "d5", "e5", "f5"}


async def test_a_search_without_end_waits_for_stop_and_hears_isready_meanwhile():
    async with gui() as screen:
        await screen.say("go infinite")
        await screen.until("info")
        await screen.say("isready")
        assert not any(line.startswith("bestmove") for line in await screen.until("readyok"))
        await screen.say("stop")
        await screen.until("bestmove")


async def test_one_that_has_thought_all_it_can_waits_for_stop_too():
    async with gui("random") as screen:
        await screen.say("go infinite")
        await asyncio.sleep(0)
        await screen.say("isready")
        await screen.until("readyok")
        await screen.say("stop")
        await screen.until("bestmove")


async def test_a_second_go_ends_the_first_search():
    async with gui() as screen:
        await screen.say("go infinite", "go depth 1")
        assert sum(line.startswith("bestmove") for line in await screen.until("bestmove")) == 1
        await screen.until("bestmove")


@pytest.mark.parametrize(
    ("position", "p1turn", "gameover", "result"),
    [
        ("startpos", "true", "false", "none"),
        ("startpos moves a5a4", "false", "false", "none"),
        ("fen B...../....../....../....../....../W....B white", "true", "true", "p1win"),
        ("fen W...../....../.....B/....../....../...... black", "false", "true", "p2win"),
        ("fen pppppp/pppppp/6/6/PPPPPP/PPPPPP w 0 1", "false", "false", "none"),
    ],
)
async def test_queries_are_answered(position, p1turn, gameover, result):
    async with gui() as screen:
        await screen.say(f"position {position}")
        for question, answer in (("gameover", gameover), ("result", result), ("p1turn", p1turn)):
            await screen.say(f"query {question}")
            if question != "p1turn" or gameover == "false":
                assert screen.lines[-1] == f"response {answer}"


async def test_player_one_is_who_moves_first():
    async with gui("random", "breakthrough:first=white") as screen:
        await screen.say("query p1turn")
        assert screen.lines == ["response true"]


async def test_a_position_that_is_none_is_left_out_with_a_sentence():
    async with gui() as screen:
        await screen.say("position startpos moves a5a4", "position startpos moves a1a2", "query p1turn")
        assert screen.lines[0].startswith("info string this position is left out: ")
        assert screen.lines[1] == "response false"
        await screen.say("position fen nonsense", "bogus", "")
        assert len(screen.lines) == 3


async def test_options_change_the_settings_and_bad_ones_say_why():
    async with gui() as screen:
        await screen.say("setoption name Depth value 2", "go")
        assert sum("depth" in line for line in await screen.until("bestmove")) == 2
        await screen.say(
            "setoption name Hash value 64", "setoption name depth value deep", "setoption name depth value -1"
        )
        assert [line.split(";")[0][:40] for line in screen.lines] == [
            "info string there is no option 'Hash'",
            "info string AlphaBetaBot setting depth='",
            "info string AlphaBetaBot refuses its set",
        ]


async def test_a_game_that_is_over_has_no_move():
    async with gui() as screen:
        await screen.say("position fen B...../....../....../....../....../W....B white", "go depth 3")
        assert await screen.until("bestmove") == ["info string the game is over", "bestmove (none)"]


async def test_quit_ends_it_in_the_middle_of_a_search():
    async with gui() as screen:
        assert await screen.say("go infinite", "quit") == [True, False]
    assert screen.lines[-1].startswith("bestmove")


async def test_a_bot_that_keeps_a_tree_hears_of_the_moves_between_its_turns(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree.py").write_text(
        "from palio_clients import Bot\n"
        "class Tree(Bot):\n"
        "    heard = ()\n"
        "    def opponent_moved(self, seat, move):\n"
        "        self.heard += (seat,)\n"
        "    def choose(self, state, clock):\n"
        "        self.tell(text=f'heard {self.heard}')\n"
        "        return next(state.legal_moves())\n"
    )
    async with gui("./tree.py") as screen:
        await screen.say("position startpos", "go")
        assert (await screen.until("bestmove"))[-2] == "info string heard ()"
        await screen.say("position startpos moves a5a4 a2a3", "go")
        assert (await screen.until("bestmove"))[-2] == "info string heard (1,)"
        await screen.say("position startpos moves b5b4 a2a3", "go")  # another game: another instance
        assert (await screen.until("bestmove"))[-2] == "info string heard (1,)"
        await screen.say("uginewgame", "go")
        assert (await screen.until("bestmove"))[-2] == "info string heard ()"


async def test_a_bot_that_fails_says_why_and_ends_it(tmp_path):
    (tmp_path / "fails.py").write_text(
        "from palio_clients import Bot\nclass Fails(Bot):\n    def choose(self, state, clock):\n        return 1 / 0\n"
    )
    async with gui(f"{tmp_path}/fails.py") as screen:
        await screen.say("go")
        assert (await screen.until("info"))[-1] == "info string fails has failed: ZeroDivisionError: division by zero"
        assert await screen.say("isready") == [False]
        assert "ZeroDivisionError" in str(screen.speaker.failure)


@pytest.mark.parametrize(
    ("language", "fen", "line", "mate"),
    [
        (UCI, "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", ["Ra8#"], "mate 1"),
        (UGI, "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", ["Ra8#"], "mate 1"),
        (UCI, "7k/8/5K2/6Q1/8/8/8/8 b - - 0 1", ["Kh7", "Qg7#"], "mate -1"),
        (UGI, "7k/8/5K2/6Q1/8/8/8/8 b - - 0 1", ["Kh7", "Qg7#"], "mate -2"),
        (UCI, "7k/8/5K2/6Q1/8/8/8/8 b - - 0 1", ["Kh7"], "cp -100000"),
    ],
)
def test_a_line_that_ends_in_mate_is_told_as_mate_in_the_unit_of_the_language(language, fen, line, mate):
    rules, _ = game_from_spec("chess")
    info = Info(depth=2, score=1000.0 if "-" not in mate else -1000.0, pv=line)
    [told] = info_line(language, rules, rules.read_state(fen), info, 0.01)
    assert f" score {mate} time 10 " in told


async def test_multipv_shows_the_next_best_moves_beside_the_bots_own():
    async with gui(game="chess", language=UCI) as screen:
        await screen.say("uci", "setoption name MultiPV value 3")
        await screen.until("uciok")
        await screen.say("position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "go depth 2")
        *infos, best = await screen.until("bestmove")
        words = [line.split() for line in infos[-3:]]
        assert [line[line.index("multipv") + 1] for line in words] == ["1", "2", "3"]
        moves = [line[line.index("pv") + 1] for line in words]
        assert len(set(moves)) == 3
        assert best == "bestmove a1a8" == f"bestmove {moves[0]}"


async def test_a_bot_that_tells_nothing_has_a_line_for_its_move_too():
    async with gui("random", game="chess", language=UCI) as screen:
        await screen.say("position startpos", "go movetime 50")
        *_, info, best = await screen.until("bestmove")
        assert info.split()[:2] == ["info", "time"]
        assert info.split()[-2:] == ["pv", best.split()[1]]
