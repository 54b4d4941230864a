"""A program that counts the points of ready assignments' tests for many submissions, each in a child process.

`python points_counter.py TESTS MOST SUBMISSION …` writes SUBMISSION.json: a list of (file::function, points, whether
they are extra, whether the test passed); what pytest says goes to SUBMISSION.txt. A test has the seconds of its marker
`points`, at most MOST.
"""

import json
import os
import signal
import sys
from fractions import Fraction
from pathlib import Path

import pytest

OPTIONS = ("-q", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--tb=short")


class Counter:
    """The points of one submission, and the CPU time of each test."""

    def __init__(self, most):
        self.most, self.counted = most, {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        seconds = item.get_closest_marker("points").kwargs.get("seconds", 60)
        signal.signal(signal.SIGPROF, _time_over)
        signal.setitimer(signal.ITIMER_PROF, min(seconds, self.most))
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def pytest_collection_finish(self, session):
        for item in session.items:
            marker = item.get_closest_marker("points")
            points, extra = str(Fraction(str(marker.args[0]))), marker.kwargs.get("extra", False)
            self.counted[item.nodeid] = [f"{item.path.stem}::{item.originalname}", points, extra, False]

    def pytest_runtest_logreport(self, report):
        if report.when == "call":
            self.counted[report.nodeid][3] = report.passed


def _time_over(_number, _frame):
    raise TimeoutError("the test's time is over")


def main(tests, most, *submissions):
    for submission in submissions:
        if (child := os.fork()) == 0:
            os.chdir(submission)
            sys.path.insert(0, submission)
            said = os.open(f"{submission}.txt", os.O_WRONLY | os.O_CREAT)
            os.dup2(said, 1)
            os.dup2(said, 2)
            counter = Counter(float(most))
            pytest.main([*OPTIONS, tests], plugins=[counter])
            Path(f"{submission}.json").write_text(json.dumps(list(counter.counted.values())))
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    sys.path.pop(0)  # this folder
    main(*sys.argv[1:])
