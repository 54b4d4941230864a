"""`palio gtp` as controllers start it: scripts talk to it line by line, and a referee of Go plays it against GNU Go."""

import re
import subprocess
import sys

import pytest

from palio_rules.registry import game_from_spec

COMMAND = [sys.executable, "-m", "palio_clients", "gtp"]


def talk(arguments, *lines):
    """Return the answers that it gives to `lines`, and the finished process."""
    told = "".join(f"{line}\n" for line in lines)
    done = subprocess.run([*COMMAND, *arguments], input=told, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "" or done.stdout.endswith("\n\n")
    return done.stdout.split("\n\n")[:-1], done


def answers(*lines, spec="random:seed=1"):
    return talk([spec], *lines)[0]


def test_each_command_has_its_answer_with_its_number():
    said = answers("1 protocol_version", "name", "  ", "# a comment", "3 nonesuch # why", "known_command play", "quit")
    assert said == ["=1 2", "= random-seed1 (Palio)", "?3 unknown command", "= true", "="]


def test_what_follows_quit_is_not_done_and_the_end_of_the_input_ends_it():
    said, done = talk(["random"], "quit", "name")
    assert (said, done.returncode) == (["="], 0)
    assert talk(["random"], "name")[1].returncode == 0


def test_all_commands_of_the_standard_for_play_are_listed():
    listed = answers("list_commands")[0].removeprefix("= ").split("\n")
    wanted = (
        "protocol_version name version known_command list_commands quit boardsize clear_board komi fixed_handicap "
        "place_free_handicap set_free_handicap play genmove undo time_settings time_left final_score final_status_list "
        "showboard reg_genmove kgs-time_settings kgs-rules loadsgf cputime"
    )
    assert sorted(wanted.split()) == listed


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["boardsize 20"], "? unacceptable size"),
        (["boardsize x"], "? unacceptable size"),
        (["komi much"], "? komi not a float"),
        (["komi nan"], "? komi nan is no multiple of 0.25 up to 400"),
        (["kgs-rules japanese"], "? area is counted here, not territory; say chinese, aga or new_zealand"),
        (["kgs-rules fun"], "? unknown rules; say chinese, aga, new_zealand"),
        (["loadsgf"], "? cannot load file"),
        (["loadsgf /dev/null"], "? cannot load file: no game in SGF begins in it"),
        (["play b C3", "play w c3"], "? illegal move: C3: black has a stone there"),
        (["play x C3"], "? invalid color"),
        (["play b"], "? invalid color or coordinate"),
        (["play b I3"], "? invalid coordinate 'I3'"),
        (["play b K10"], "? illegal move: K10 is off the board"),
        (["genmove"], "? invalid color"),
        (["undo"], "? cannot undo"),
        (["fixed_handicap 1"], "? invalid number of stones"),
        (["fixed_handicap 99"], "? invalid number of stones"),
        (["play b C3", "fixed_handicap 2"], "? board not empty"),
        (["set_free_handicap C3 C3"], "? bad vertex list"),
        (["set_free_handicap C3 pass"], "? bad vertex list"),
        (["time_left b 9"], "? syntax error"),
        (["time_settings 1 2"], "? syntax error"),
        (["kgs-time_settings often 3"], "? syntax error"),
        (["final_status_list odd"], "? syntax error"),
    ],
)
@pytest.mark.first(8)
def test_what_cannot_be_done_is_refused_with_the_reason(lines, answer):
    assert answers(*lines)[-1] == answer


def test_a_board_is_played_scored_and_taken_back():
    said = answers(
        "boardsize 5", "komi 0.5", "play b C3", "play w B2", "final_score", "undo", "final_score", "showboard",
        "final_status_list alive", "final_status_list dead", "clear_board", "final_score",
    )  # fmt: skip
    assert said[4] == "= W+0.5"
    assert said[6] == "= B+24.5"
    assert "\n 3 . . X . . 3\n" in said[7]
    assert said[8:] == ["= C3", "=", "=", "= W+0.5"]


def test_dead_stones_do_not_count_in_the_score():
    """Each side has two eyes, and a stone behind the other's wall."""
    pytest.importorskip("numba")
    black = [f"D{row}" for row in range(1, 10)] + ["C5", "B5", "A5", "B7", "B3", "H7"]
    white = [f"E{row}" for row in range(1, 10)] + ["F5", "G5", "H5", "J5", "G8", "G3", "B8"]
    moves = [f"play {colour} {point}" for colour, points in (("b", black), ("w", white)) for point in points]
    said = answers("komi 0.5", *moves, "final_score", "final_status_list dead", "final_status_list alive", "quit")
    assert said[-4:-2] == ["= W+9.5", "= H7\nB8"]
    assert "B8" not in said[-2]


def test_rules_of_kgs_give_white_what_they_give_for_handicap_stones():
    said = answers(
        "boardsize 9", "komi 0.25", "kgs-rules chinese", "fixed_handicap 3", "final_score", "kgs-rules aga",
        "final_score", "kgs-rules new_zealand", "final_score", "komi 0.5", "final_score", "clear_board",
        "kgs-rules chinese", "final_score",
        "boardsize 5", *(f"play w {point}" for point in ("A2", "B2", "C1")), "play b A1", "play b B1",
        "kgs-rules new_zealand", "play b B1", "cputime",
    )  # fmt: skip
    scores = [each for each in said if each.startswith(("= B+", "= W+"))]
    assert scores == ["= B+77.75", "= B+78.75", "= B+80.75", "= B+80.5", "= W+0.5"]
    assert said[-4].startswith("? illegal move: B1 is suicide")
    assert said[-2] == "="
    assert float(said[-1].removeprefix("= ")) > 0


def test_a_game_in_sgf_is_loaded_up_to_a_move(tmp_path):
    (tmp_path / "game.sgf").write_text("(;GM[1]SZ[9]KM[5.5]HA[2]AB[cc][gg];W[ee];B[gc];W[cg])")  # not finished
    said = answers(f"loadsgf {tmp_path}/game.sgf", "play w C3", "undo", "showboard", f"loadsgf {tmp_path}/game.sgf 2",
                   "showboard", "genmove b")  # fmt: skip
    assert said[0] == "= black"
    assert said[1].startswith("? illegal move: C3: white has a stone there")
    assert said[4] == "= black"
    assert "\n 5 . . . . O . . . . 5\n" in said[5]
    assert said[5].count("X") == 2
    assert re.fullmatch(r"= ([A-HJ]\d|pass)", said[6])


def test_suicide_and_ko_are_refused():
    ko = ["B1", "C1", "A2", "D2", "B3", "C3", "C2", "B2"]  # White takes at C2 by B2
    lines = ["boardsize 5", *(f"play {'bw'[at % 2]} {point}" for at, point in enumerate(ko)), "play b C2"]
    assert answers(*lines)[-1] == "? illegal move: C2 would repeat the position after move 7 (positional superko)"


def test_handicap_stones_and_moves_out_of_turn():
    said = answers("fixed_handicap 4", "genmove w", "clear_board", "place_free_handicap 30", "clear_board",
                   "set_free_handicap A1 B2 C3", "play b D4", "play b D5", "genmove b", "genmove b")  # fmt: skip
    assert set(said[0][2:].split()) == {"C3", "G3", "C7", "G7"}
    assert len(said[3][2:].split()) == 9
    assert all(each.startswith("= ") for each in said[-2:])


def test_it_answers_moves_after_two_passes():
    said = answers("boardsize 5", "play b pass", "play w pass", "genmove b", "play w A1", "genmove b")
    assert all(each.startswith("=") for each in said)


@pytest.mark.parametrize(
    "lines",
    [["time_settings 1 0 0"], ["time_settings 0 5 10", "time_left b 1 5"], ["kgs-time_settings byoyomi 0 1 3"],
     ["kgs-time_settings canadian 0 1 5"], ["time_left b 1 0"],
     ["kgs-time_settings byoyomi 60 1 3", "time_left b 1 2"]],
)  # fmt: skip
@pytest.mark.slow
def test_a_search_keeps_to_the_time_that_it_is_told(lines):
    """Its own limit is a day: only the controller's time ends it."""
    (answer,) = answers("boardsize 5", *lines, "genmove b", spec="mcts:seconds=86400")[-1:]
    assert re.fullmatch(r"= ([A-HJ]\d|pass)", answer)


def test_a_bot_that_fails_says_so_and_ends(tmp_path):
    (tmp_path / "bad.py").write_text(
        "from palio import Bot\nclass Bad(Bot):\n    games = ('go',)\n"
        "    def choose(self, state, clock):\n        1 / 0\n"
    )
    said, done = talk([str(tmp_path / "bad.py")], "genmove b", "name")
    assert said[0].endswith(" has failed: ZeroDivisionError: division by zero")
    assert (len(said), done.returncode) == (1, 1)


def test_what_a_bot_prints_does_not_disturb_the_answers(tmp_path):
    (tmp_path / "loud.py").write_text(
        "from palio import Bot\nclass Loud(Bot):\n    games = ('go',)\n    def choose(self, state, clock):\n"
        "        print('= hello')\n        return next(iter(state.legal_moves()))\n"
    )
    said, done = talk([str(tmp_path / "loud.py")], "genmove b", "quit")
    assert said == ["= A9", "="]
    assert "= hello" in done.stderr


def test_another_game_is_refused():
    said, done = talk(["random", "--game", "breakthrough"], "name")
    assert (said, done.returncode) == ([], 2)
    assert "GTP is for go, not for breakthrough" in done.stderr


class Program:
    """One program in a match of a controller, as twogtp starts it."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command):
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline().rstrip("\n")) or not lines:
            lines.append(line)
        assert lines[0].startswith("="), (command, lines)
        return lines[0][1:].strip()

    def end(self):
        self.ask("quit")
        assert self.process.wait(timeout=30) == 0
        self.process.stdin.close()
        self.process.stdout.close()


def test_a_controller_plays_it_against_gnu_go(gnugo):
    """As twogtp does: both are told each move, and both must accept what the other plays."""
    rules, options = game_from_spec("go:size=7,komi=5.5")
    state = rules.start(options)
    ours = Program(*COMMAND, "random:seed=4")
    theirs = Program(
        gnugo, "--mode", "gtp", "--level", "1", "--chinese-rules", "--positional-superko", "--never-resign"
    )
    for program in (ours, theirs):
        for command in ("boardsize 7", "clear_board", "komi 5.5"):
            program.ask(command)
    while state.to_move is not None:
        mover, other = (ours, theirs) if state.to_move == 0 else (theirs, ours)
        colour = "bw"[state.to_move]
        move = rules.read_move(state, mover.ask(f"genmove {colour}"))
        other.ask(f"play {colour} {move}")
        state = state.play(move)
    assert ours.ask("final_score") == theirs.ask("final_score")  # without dead stones
    for program in (ours, theirs):
        program.end()
