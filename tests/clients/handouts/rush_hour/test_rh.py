"""`rh.py` in the terminal: the handout's transcripts to the letter, and whatever else may be typed."""

import io
import os
import pty
import re
import subprocess
import sys
from contextlib import redirect_stdout

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

PROMPT = "Enter a vehicle and move amount (+ = dn/rt, - = up/lt), 'Q', '?', or 'Z' : "

GAMEPLAY = """\
...b..
...b..
aa.b.d
..cccd
......
......
Enter a vehicle and move amount (+ = dn/rt, - = up/lt), 'Q', '?', or 'Z' : c -2

...b..
...b..
aa.b.d
ccc..d
......
......
Enter a vehicle and move amount (+ = dn/rt, - = up/lt), 'Q', '?', or 'Z' : b 3

......
......
aa...d
cccb.d
...b..
...b..
Enter a vehicle and move amount (+ = dn/rt, - = up/lt), 'Q', '?', or 'Z' : d 1
You win!

......
......
aa....
cccb.d
...b.d
...b..
You win!
"""

SAMPLE_1 = """\
...b..
...bee
aa.b.d
.....d
...c..
...c..
Enter a vehicle and move amount (+ = dn/rt, - = up/lt), 'Q', '?', or 'Z' : ?
No Solution exists!

...b..
...bee
aa.b.d
.....d
...c..
...c..
Enter a vehicle and move amount (+ = dn/rt, - = up/lt), 'Q', '?', or 'Z' : Z
No move to undo

...b..
...bee
aa.b.d
.....d
...c..
...c..
Enter a vehicle and move amount (+ = dn/rt, - = up/lt), 'Q', '?', or 'Z' : Q
Don't give up that easily!
"""

SAMPLE_2 = """\
...b..
...b..
aa.b.d
..cccd
......
......
Enter a vehicle and move amount (+ = dn/rt, - = up/lt), 'Q', '?', or 'Z' : ?
Solution found with expansions: 19
d 2
c -2
b 3

...b..
...b..
aa.b.d
..cccd
......
......
Enter a vehicle and move amount (+ = dn/rt, - = up/lt), 'Q', '?', or 'Z' : d 2

...b..
...b..
aa.b..
..ccc.
.....d
.....d
Enter a vehicle and move amount (+ = dn/rt, - = up/lt), 'Q', '?', or 'Z' : c -2

...b..
...b..
aa.b..
ccc...
.....d
.....d
Enter a vehicle and move amount (+ = dn/rt, - = up/lt), 'Q', '?', or 'Z' : b 3

......
......
aa....
cccb..
...b.d
...b.d
You win!
"""

TRANSCRIPTS = [("inboard1", GAMEPLAY), ("inboard0", SAMPLE_1), ("inboard1", SAMPLE_2)]
UNTOUCHED = "\n".join(GAMEPLAY.split("\n")[:6]) + "\n"


def typed_in(transcript):
    return re.findall(f"{re.escape(PROMPT)}(.*)\n", transcript)


@pytest.fixture(scope="module")
def folder(handout_folder):
    return handout_folder("rush_hour")


@pytest.fixture(scope="module")
def command(folder):
    def command(board="inboard1", heur=2):
        return [sys.executable, f"{folder}/rh.py", f"{folder}/boards/{board}.in", str(heur)]

    return command


@pytest.fixture(scope="module")
def rh(command):
    """What the program prints, and the code with which it exits, where no terminal shows what is typed."""

    def rh(typed, board="inboard1", heur=2):
        done = subprocess.run(command(board, heur), input=typed, capture_output=True, timeout=60, check=False)
        assert done.stderr == b""
        return done.stdout.decode(), done.returncode

    return rh


@pytest.fixture(scope="module")
def answers(handout):
    """What is printed below the first board, for what is typed: without a process."""
    course = handout("rush_hour", "board", "heur", "solver", "rh").rh

    def answers(text):
        with redirect_stdout(io.StringIO()) as printed:
            typed = course.Typed(iter(text.splitlines(keepends=True)))
            course.play(course.Board(UNTOUCHED), course.IndirectHeuristic(), typed)
        return printed.getvalue().removeprefix(UNTOUCHED)

    return answers


def in_a_terminal(argv, lines):
    """Everything that a terminal shows; each line is typed as soon as it is asked for."""
    ours, its = pty.openpty()
    with subprocess.Popen(argv, stdin=its, stdout=its, stderr=its) as process:
        os.close(its)
        shown, asked = "", 0
        while True:
            try:
                chunk = os.read(ours, 4096).decode()
            except OSError:  # on Linux the end of a terminal is an error
                break
            if not chunk:
                break
            shown += chunk
            if shown.count(PROMPT) > asked and shown.endswith(PROMPT):
                os.write(ours, f"{lines[asked]}\n".encode())
                asked += 1
        os.close(ours)
    assert process.returncode == 0
    return shown.replace("\r\n", "\n")


@pytest.mark.parametrize(("board", "transcript"), TRANSCRIPTS)
def test_the_transcripts_of_the_handout_appear_in_a_terminal_to_the_letter(command, board, transcript):
    assert in_a_terminal(command(board), typed_in(transcript)) == transcript


@pytest.mark.parametrize(("board", "transcript"), TRANSCRIPTS)
def test_without_a_terminal_only_what_was_typed_is_missing(rh, board, transcript):
    lines = typed_in(transcript)
    shown = re.sub(f"({re.escape(PROMPT)}).*\n", r"\1", transcript)
    assert rh("".join(f"{line}\n" for line in lines).encode(), board) == (shown, 0)


@pytest.mark.parametrize(("heur", "expansions"), [(0, 72), (1, 30), (2, 19)])
def test_the_cheat_tells_its_expansions(rh, heur, expansions):
    assert f"Solution found with expansions: {expansions}\n" in rh(b"?\nQ\n", heur=heur)[0]


@pytest.mark.parametrize(
    ("options", "expansions", "moves"),
    [
        ([], 1110, 8),
        (["--closed-list", "strict"], 1964, 9),
        (["--closed-list=strict"], 1964, 9),
        (["--closed-list", "shortest"], 1110, 8),
    ],
)
def test_the_closed_list_is_read_literally_if_asked(folder, tmp_path, options, expansions, moves):
    board = tmp_path / "board.in"
    board.write_text("...b..\naa.b.c\n.....c\nghff.c\nghdiii\ng.d.ee\n")
    command = [sys.executable, f"{folder}/rh.py", *options, str(board), "2"]
    done = subprocess.run(command, input="?\nQ\n", capture_output=True, text=True, timeout=60, check=True)
    head, _, rest = done.stdout.partition("Solution found with expansions: ")[2].partition("\n")
    assert int(head) == expansions
    assert len(rest.partition("\n\n")[0].splitlines()) == moves


def test_another_closed_list_is_refused(folder):
    command = [sys.executable, f"{folder}/rh.py", f"{folder}/boards/inboard1.in", "2", "--closed-list", "loose"]
    done = subprocess.run(command, input="", capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (1, "--closed-list is shortest or strict, got 'loose'\n")


def test_moves_can_be_undone_one_after_the_other(answers):
    moved = UNTOUCHED.replace("..cccd", "ccc..d")
    printed = answers("c -2\nd -1\nZ\nZ\nZ\nQ\n")
    boards = [moved, moved.replace("...b..\naa.b.d\nccc..d", "...b.d\naa.b.d\nccc..."), moved, UNTOUCHED]
    between = "".join(f"{PROMPT}\n{board}" for board in boards)
    assert printed == f"{between}{PROMPT}No move to undo\n\n{UNTOUCHED}{PROMPT}Don't give up that easily!\n"


@pytest.mark.parametrize("typed", ["c -2 Z Q", "c-2\nZ\nQ\n", "c\n\n-2\n Z\tQ", "c -2Z\nQ\n", "Z\nQ"])
def test_white_space_and_ends_of_lines_only_part_words(answers, typed):
    printed = answers(typed)
    assert printed.endswith(f"\n{UNTOUCHED}{PROMPT}Don't give up that easily!\n")
    assert printed.count(PROMPT) == (2 if typed[0] == "Z" else 3)
    assert "Illegal" not in printed


@pytest.mark.parametrize(
    "typed",
    ["b 1", "z 0", "c 5", "x 1", "c", "c -", "c two", "help me", "! 1", ". 1", "\0 1", "ä -1", f"c {10**11}", "c -Z"],
)
def test_what_is_no_move_is_reported_and_changes_nothing(answers, typed):
    refused = f"{PROMPT}Illegal move...try again!\n\n{UNTOUCHED}"
    assert answers(f"{typed}\nQ\n") == f"{refused}{PROMPT}Don't give up that easily!\n"


def test_a_move_by_0_is_taken_and_changes_nothing_as_in_the_course(answers):
    assert answers("c 0\nQ\n") == f"{PROMPT}\n{UNTOUCHED}{PROMPT}Don't give up that easily!\n"


@pytest.mark.first(2)
@pytest.mark.parametrize("typed", [b"", b"\n\n", b"c", b"c ", b"c -2", b"?", b"Z\n", b"\xff\xfe 1\n", b"Q", b"\x00"])
def test_the_end_of_the_input_gives_up(rh, typed):
    shown, code = rh(typed)
    assert shown.endswith(f"{PROMPT}Don't give up that easily!\n")
    assert code == 0


@settings(max_examples=2 * settings().max_examples)
@given(st.text(st.sampled_from("abcdxQZ?+-0123 \n\t."), max_size=40))
def test_whatever_is_typed_the_game_ends(answers, text):
    printed = answers(text)
    assert printed.endswith(("You win!\n", f"{PROMPT}Don't give up that easily!\n"))
    assert printed.count(PROMPT) <= len(text) + 1


def test_a_clear_way_has_won_before_the_first_move(command, tmp_path):
    board = "b...\nb...\n.aa.\n...."
    (tmp_path / "clear.in").write_text(board)
    argv = [*command()[:2], str(tmp_path / "clear.in"), "1"]
    done = subprocess.run(argv, input="", capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr, done.returncode) == (f"{board}\nYou win!\n", "", 0)


@pytest.mark.parametrize("heuristic", ["02", "+2", "00"])
def test_a_heuristic_may_be_written_as_atoi_reads_it(command, heuristic):
    argv = [*command()[:2], str(command()[2]), heuristic]
    done = subprocess.run(argv, input="Q", capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.endswith(f"{PROMPT}Don't give up that easily!\n")


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        ([], "Provide the input file name and heuristic\n"),
        (["inboard1.in"], "Provide the input file name and heuristic\n"),
        (["inboard1.in", "3"], "Heuristic must be in the range 0 to 2...exiting\n"),
        (["inboard1.in", "-1"], "Heuristic must be in the range 0 to 2...exiting\n"),
        (["inboard1.in", "two"], "Heuristic must be in the range 0 to 2...exiting\n"),
        (["nowhere.in", "2"], "nowhere.in: cannot be read: No such file or directory; check the path (here is .)\n"),
        (["bent.in", "2"], "bent.in:3: row 2, column 2: vehicle 'b' bends: it began on row 1, column 3\n"),
    ],
)
def test_a_wrong_command_line_or_board_is_answered_in_one_sentence(folder, tmp_path, arguments, printed):
    (tmp_path / "bent.in").write_text("....\naa.b\n..bb\n....\n")
    argv = [sys.executable, f"{folder}/rh.py", *arguments]
    done = subprocess.run(argv, input="", capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", printed.replace("is .)", f"is {tmp_path})"))
