"""A path that names no program yet is answered with how to come by one."""

import pytest

from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.loader import load


@pytest.mark.parametrize(
    ("files", "spec", "message"),
    [
        (
            ["hw3/rh.cpp", "hw3/board.cpp", "hw3/Makefile"],
            "hw3",
            r"C\+\+ sources \(board\.cpp, rh\.cpp\) .*: build it first: make -C hw3, .*: handout:rush_hour:hw3/rh$",
        ),
        (["hw3/rh.cc"], "hw3", r"build it first: make, or g\+\+ -O2 -o hw3/rh hw3/\*\.cpp, and name"),
        (["hw3/rh.cpp", "hw3/Makefile"], "hw3/rh.cpp", r"hw3/rh\.cpp is no program .* build it first: make -C hw3"),
        (["hw3/my.py", "hw3/x.ipynb"], "hw3", r"the file: handout:rush_hour:hw3/my\.py or handout:rush_hour:hw3/x"),
        (["hw3/README"], "hw3", r"nor any other Python file in that folder"),
    ],
)
def test_a_folder_without_a_program_says_what_to_do(write, files, spec, message):
    for name in files:
        write(name, "")
    with pytest.raises(BadBot, match=message):
        load(f"handout:rush_hour:{spec}")


def test_sources_are_no_bot_of_a_course_in_python(write):
    write("hw4.cpp", "")
    with pytest.raises(BadBot, match=r"hw4\.cpp is no Python file, and dominoes is played by those only"):
        load("handout:dominoes:hw4.cpp")


def test_a_folder_with_its_program_is_the_program(write):
    write("hw3/rh.cpp", "")
    write("hw3/rh", "#!/bin/sh\n").chmod(0o755)
    assert load("handout:rush_hour:hw3").name == "hw3-rh"
