"""The program between us and those that we start."""

import subprocess
import sys

from palio_server.console import tether


def test_a_program_that_has_been_waited_for_counts_as_dead():
    program = subprocess.Popen([sys.executable, "-c", "pass"])
    program.wait()
    assert tether._is_dead(program.pid)  # a SIGTERM may come between the end of the program and our own
