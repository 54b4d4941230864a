"""A student's Player beside two shipped bots, over real connections: it hears of every action that is played."""

import subprocess
import sys
import textwrap
import zipfile

import pytest
from serving import ROOT, bots, connected, played, server_in

from palio_rules.records import Setup, fault
from palio_rules.time_control import TimeControl

LAST = 4  # plies, a round and its own: the programs are ended with the match, perhaps before they have heard them

# It plays only moves that its own board, kept up by `update` alone, allows; and it writes down its input.
PLAYER = """
    STARTS = {"red": [(-3, 0), (-3, 1), (-3, 2), (-3, 3)], "green": [(0, -3), (1, -3), (2, -3), (3, -3)],
              "blue": [(3, 0), (2, 1), (1, 2), (0, 3)]}
    HEXES = {(q, r) for q in range(-3, 4) for r in range(-3, 4) if abs(q + r) <= 3}

    class ExamplePlayer:
        def __init__(self, colour):
            self.colour = colour
            self.board = {where: name for name, start in STARTS.items() for where in start}

        def action(self):
            exit_from = {"red": lambda q, r: q, "green": lambda q, r: r, "blue": lambda q, r: -q - r}[self.colour]
            found = []
            for q, r in [where for where, name in self.board.items() if name == self.colour]:
                if exit_from(q, r) == 3:
                    return ("EXIT", (q, r))
                for dq, dr in [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]:
                    near, far = (q + dq, r + dr), (q + 2 * dq, r + 2 * dr)
                    if near in HEXES - self.board.keys():
                        found.append((exit_from(dq, dr), ("MOVE", ((q, r), near))))
                    elif near in self.board and far in HEXES - self.board.keys():
                        found.append((2 * exit_from(dq, dr), ("JUMP", ((q, r), far))))
            return max(found)[1] if found else ("PASS", None)

        def update(self, colour, action):
            with open(__file__ + ".heard", "a") as heard:
                print(colour, action, file=heard)
            kind, where = action
            if kind == "EXIT":
                assert self.board.pop(where) == colour
            elif kind != "PASS":
                src, dst = where
                assert dst not in self.board and self.board[src] == colour
                self.board[dst] = self.board.pop(src)
                if kind == "JUMP":
                    self.board[(src[0] + dst[0]) // 2, (src[1] + dst[1]) // 2] = colour
"""


def spoken(seat, move):
    kind, where = move
    exact = tuple(map(tuple, where)) if kind in ("MOVE", "JUMP") else tuple(where) if where else None
    return f"{('red', 'green', 'blue')[seat]} {(kind, exact)}"


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 2])
async def test_a_students_player_plays_a_match_against_two_bots(palio, tmp_path, seat):
    file = tmp_path / "player.py"
    file.write_text(textwrap.dedent(PLAYER))
    names = ["greedy", "random"]
    names.insert(seat, "student")
    async with (
        server_in(tmp_path) as server,
        bots(palio, server.url, "greedy=greedy", "random=random:seed=2", f"student=handout:chexers:{file}"),
    ):
        await connected(server, *names)
        setup = Setup("chexers", tuple(names), options={"max_turns": 40}, time=TimeControl(base_ms=60_000))
        record = await played(server, setup, 100)
    assert record.result.termination == "rule", record.result
    assert sum(record.result.scores) == pytest.approx(1)
    assert fault(record) is None
    heard = (tmp_path / "player.py.heard").read_text().splitlines()
    assert heard == [spoken(ply.seat, ply.move) for ply in record.plies][: len(heard)]
    assert len(heard) > len(record.plies) - LAST


@pytest.mark.slow
async def test_a_student_that_crashes_is_thrown_out_and_the_bots_play_on(palio, tmp_path):
    file = tmp_path / "player.py"
    file.write_text(f"{textwrap.dedent(PLAYER)}        assert colour != 'blue', 'I have never seen blue'\n")
    names = ("one", "student", "three")
    async with (
        server_in(tmp_path) as server,
        bots(palio, server.url, "one=greedy", f"student=handout:chexers:{file}", "three=random:seed=2"),
    ):
        await connected(server, *names)
        setup = Setup("chexers", names, options={"max_turns": 40}, time=TimeControl(base_ms=60_000))
        record = await played(server, setup, 100)
    assert fault(record) is None
    assert [(ply.seat, ply.out) for ply in record.plies if ply.out] == [(1, "crashed")]
    assert record.result.termination == "rule"
    assert record.result.scores[1] == 0
    assert len(record.plies) > 5


@pytest.mark.slow
async def test_what_was_played_before_the_match_is_reported_as_well(palio, tmp_path):
    file = tmp_path / "player.py"
    file.write_text(textwrap.dedent(PLAYER))
    opening = (["MOVE", [[-3, 0], [-2, 0]]], ["MOVE", [[0, -3], [0, -2]]], ["MOVE", [[3, 0], [2, 0]]])
    names = ("one", "two", "student")
    async with (
        server_in(tmp_path) as server,
        bots(palio, server.url, "one=greedy", "two=random:seed=2", f"student=handout:chexers:{file}"),
    ):
        await connected(server, *names)
        setup = Setup("chexers", names, options={"max_turns": 5}, opening=opening, time=TimeControl(base_ms=60_000))
        record = await played(server, setup, 100)
    assert record.result.termination == "rule", record.result
    heard = (tmp_path / "player.py.heard").read_text().splitlines()
    assert heard[:3] == [spoken(seat, move) for seat, move in enumerate(opening)]
    assert heard[3:] == [spoken(ply.seat, ply.move) for ply in record.plies][: len(heard) - 3]
    assert len(heard) > 3 + len(record.plies) - LAST


@pytest.mark.slow
async def test_solvers_race_and_a_wrong_line_costs_the_race_and_nobody_else(palio, tmp_path):
    ours = ROOT / "clients/palio_clients/handouts/chexers/search.py"
    (tmp_path / "search.py").write_text("print('MOVE from (0, 0) to (3, 3).')\n")
    names = ("ours", "wrong", "greedy")
    async with (
        server_in(tmp_path) as server,
        bots(
            palio,
            server.url,
            f"ours=handout:chexers_solo:{ours}",
            f"wrong=handout:chexers_solo:{tmp_path}/search.py",
            "greedy=greedy",
        ),
    ):
        await connected(server, *names)
        options = {"board": "..../...../..r..#/..#r.../.r#.#./...../...."}
        record = await played(server, Setup("chexers_solo", names, options, time=TimeControl(base_ms=60_000)), 100)
    assert fault(record) is None
    solved, lost, _ = record.result.finishes
    assert (solved.reason, solved.cost) == ("solved", 10.0)
    assert (lost.termination, lost.cost) == ("crashed", None)
    assert "printed line 1, 'MOVE from (0, 0) to (3, 3).': (3, 3) is off the board" in lost.detail


@pytest.mark.slow
def test_packages_of_part_b_play_however_they_import_themselves_and_wherever_they_lie(palio):
    """`team` is each package's name at home; the folders in which they are handed in are called otherwise."""
    board = textwrap.dedent(PLAYER).replace('open(__file__ + ".heard", "a")', "open('/dev/null', 'a')")
    inits = {
        "ann": ("from team.board import ExamplePlayer as Player", ""),
        "bob": ("import team.board\nPlayer = team.board.ExamplePlayer", ""),
        "eve": ("from team.board import ExamplePlayer", "team/"),
        "kim": ("from .board import ExamplePlayer as Player", "team/"),
    }
    for name, (init, inner) in inits.items():
        folder = palio.folder / "subs" / name / inner
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(init)
        (folder / "board.py").write_text(board)
        checked = palio("check-bot", f"handout:chexers:subs/{name}").stdout
        assert "FAIL" not in checked, checked
    bots = [f"{name}=handout:chexers:subs/{name}" for name in inits]
    palio("run", "chexers:max_turns=20", *bots, "--rounds", "1", "--st", "20", "--concurrency", "1")
    results = [palio.json("match", "show", each["id"])["result"] for each in palio.json("match", "list")]
    assert results
    assert {result["termination"] for result in results} == {"rule"}, results


@pytest.mark.slow
def test_a_package_that_is_handed_in_with_its_folder_gets_the_points_of_the_ready_assignment(palio):
    new = ["-m", "palio_clients.grading.new", "chexers", "chexers", "--seed", "7"]
    new += ["--opens", "2027-02-01", "--due", "2027-02-15"]
    subprocess.run([sys.executable, *new], cwd=palio.folder, check=True)
    home = palio.folder / "chexers" / "assignment.toml"
    home.write_text(home.read_text().replace("games = 6", "games = 1"))
    board = textwrap.dedent(PLAYER).replace('open(__file__ + ".heard", "a")', "open('/dev/null', 'a')")
    files = {"__init__": "from team.player import Player", "player": "from team.board import *\nPlayer = ExamplePlayer"}
    with zipfile.ZipFile(palio.folder / "in.zip", "w") as handed_in:
        for name, text in {**files, "board": board}.items():
            handed_in.writestr(f"team/{name}.py", text)
    parts = palio.json("grade", "chexers", "in.zip", "--json")["parts"]
    assert [part for part in parts if part["points"] < part["max_points"] and "against" not in part["name"]] == []
    assert sum(part["points"] for part in parts if "against" not in part["name"]) == 60
    assert [part["why"] for part in parts if "against random" in part["name"]] == [""]
