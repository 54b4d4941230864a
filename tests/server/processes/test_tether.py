"""The program between us and those that we start."""

import subprocess
import sys

from palio_server.processes import tether


def test_a_program_that_has_been_waited_for_counts_as_dead():
    program = subprocess.Popen([sys.executable, "-c", "pass"])
    program.wait()
    assert tether._is_dead(program.pid)  # a SIGTERM may come between the end of the program and our own


def test_a_tethered_program_passes_on_how_it_ended():
    code = "import sys; sys.exit(7)"
    assert subprocess.run(tether.tethered(1.0, sys.executable, "-c", code), check=False).returncode == 7
