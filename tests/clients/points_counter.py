"""A program that counts the points of ready assignments' tests for many submissions, each in one student's process.

`python points_counter.py HANDOUT TESTS MOST SUBMISSION …` writes SUBMISSION.json: a list of (file::function, points,
whether they are extra, whether the test passed); what pytest says goes to SUBMISSION.txt. A test has the seconds of
processor time of its marker `points`, at most MOST. `palio grade` forks processes for each test, which takes longer.
"""

import json
import os
import signal
import socket
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from palio_clients.grading import plugin
from palio_clients.grading.child import Nursery, Output
from palio_clients.grading.processor_time import below, used_s
from palio_clients.grading.remote import Student
from palio_clients.grading.staff_files import StaffModules, read
from palio_clients.handouts.courses import COURSES

OPTIONS = ("-q", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--tb=short", "--noconftest")
LOOK_S = 0.1


class Counter(plugin.CourseTests):
    """The points of one submission."""

    def __init__(self, nursery, handout, tests, most, submission):
        super().__init__(StaffModules(read(tests, sys.stdin.buffer), Path(tests), ()), submission)
        sys.meta_path.insert(0, self._modules)
        self.most, self.counted, self.nursery = most, {}, nursery
        self.order = {"folder": str(submission), "handout": str(handout), "memory": 0, "user": 0}
        self.output, self.kept, self.limit_s = Output(), None, 0.0

    def pytest_sessionstart(self, session):
        """Keep what pytest prints."""

    @pytest.fixture
    def student(self):
        if self.kept is None:
            ours, theirs = socket.socketpair()
            self.nursery.start(self.order, theirs, self.output)
            theirs.close()
            self.kept = Student(ours)
        return self.kept

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        seconds = min(item.get_closest_marker("points").kwargs.get("seconds", 60), self.most)
        self.limit_s = self.used_s() + seconds
        signal.signal(signal.SIGALRM, self.look)
        signal.setitimer(signal.ITIMER_REAL, LOOK_S, LOOK_S)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def used_s(self):
        return used_s(below(self.nursery.student)) if self.nursery.student else 0.0

    def look(self, _number, _frame):
        while self.output.read():  # a program that prints much must not wait
            pass
        if self.kept is not None and self.used_s() > self.limit_s:
            self.end_student()

    def end_student(self):
        if self.nursery.student:
            self.nursery.finish()
        self.kept = None

    def pytest_collection_finish(self, session):
        for item in session.items:
            marker = item.get_closest_marker("points")
            points, extra = str(Fraction(str(marker.args[0]))), marker.kwargs.get("extra", False)
            self.counted[item.nodeid] = [f"{item.path.stem}::{item.originalname}", points, extra, True]

    def pytest_runtest_logreport(self, report):
        self.counted[report.nodeid][3] &= report.passed
        if report.failed:  # its process may have ended
            self.end_student()


def main(handout, tests, most, *submissions):
    nurseries = [Nursery() for _ in submissions]
    for nursery, submission in zip(nurseries, submissions, strict=True):
        if (child := os.fork()) == 0:
            said = os.open(f"{submission}.txt", os.O_WRONLY | os.O_CREAT)
            os.dup2(said, 1)
            os.dup2(said, 2)
            counter = Counter(nursery, COURSES[handout].path, tests, float(most), Path(submission))
            pytest.main([*OPTIONS, f"--rootdir={tests}", tests], plugins=[counter])
            Path(f"{submission}.json").write_text(json.dumps(list(counter.counted.values())))
            os._exit(0)
        os.waitpid(child, 0)
        nursery.end()


if __name__ == "__main__":
    sys.path.pop(0)  # this folder
    main(*sys.argv[1:])
