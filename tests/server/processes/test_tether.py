"""The program between us and those that we start."""

import os
import subprocess
import sys

import pytest

from palio_server.processes import tether


def test_a_program_that_has_been_waited_for_counts_as_dead():
    program = subprocess.Popen([sys.executable, "-c", "pass"])
    program.wait()
    assert tether._is_dead(program.pid)  # a SIGTERM may come between the end of the program and our own


def test_a_tethered_program_passes_on_how_it_ended():
    code = "import sys; sys.exit(7)"
    assert subprocess.run(tether.tethered(1.0, sys.executable, "-c", code), check=False).returncode == 7


def test_a_tethered_program_that_closes_its_stdout_is_seen_to_have_done_so():
    code = "import os, time; os.close(1); time.sleep(600)"
    words = tether.tethered(0.0, sys.executable, "-c", code)
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        try:
            assert program.stdout.read() == b""
            assert program.poll() is None
        finally:
            program.terminate()


def test_a_tethered_program_that_closes_its_stdin_is_seen_to_have_done_so():
    code = "import os, time; os.close(0); print('closed', flush=True); time.sleep(600)"
    words = tether.tethered(0.0, sys.executable, "-c", code)
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        try:
            assert program.stdout.readline() == b"closed\n"
            with pytest.raises(BrokenPipeError):
                os.write(program.stdin.fileno(), b"x")
        finally:
            program.terminate()


def test_a_copy_of_a_pipe_that_was_left_to_the_tether_is_closed():
    code = "import os, time; os.close(1); time.sleep(600)"
    reading, writing = os.pipe()
    copy = os.dup(writing)
    words = tether.tethered(0.0, sys.executable, "-c", code)
    with subprocess.Popen(words, stdout=writing, pass_fds=(copy,)) as program:
        os.close(writing)
        os.close(copy)
        try:
            assert os.read(reading, 1) == b""
            assert program.poll() is None
        finally:
            program.terminate()
            os.close(reading)
