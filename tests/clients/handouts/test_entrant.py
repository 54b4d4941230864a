"""A spec names a student's file, and every way to get it wrong is one sentence with the remedy."""

import pytest
from student_files import DOMINOES

from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.loader import load


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("handout:dominoes", r"names no file; write handout:COURSE:path/to/file\.py"),
        ("handout:dominoes:", "names no file"),
        ("handout:domino:hw4.py", r"there is no course 'domino'; did you mean 'dominoes'\?"),
        ("handout:dominoes:hw5.py", r"there is no file 'hw5\.py'; check the path"),
        (f"handout:dominoes:{'x' * 5000}.py", r"cannot be read: File name too long; check the path"),
        ("handout:dominoes:hw4.py:limt=3", r"has no setting 'limt'; did you mean 'limit'\?"),
        ("handout:dominoes:hw4.py:limit=x", "setting limit='x': expected `int`"),
        ("handout:dominoes:hw4.py:limit=3,limit=4", "sets 'limit' twice"),
        ("handout:dominoes:broken.py", r"broken\.py cannot be loaded: SyntaxError: .*line 1"),
    ],
)
def test_a_spec_that_cannot_be_meant_is_reported_with_the_remedy(write, spec, message):
    write("hw4.py", DOMINOES)
    write("broken.py", "def f(:\n")
    with pytest.raises(BadBot, match=message):
        load(spec)


def test_its_usual_name_has_the_folder_because_in_a_course_all_files_are_called_alike(write):
    write("alice/adversarial_search.py", DOMINOES)
    assert load("handout:dominoes:alice/adversarial_search.py").name == "alice-adversarial_search"
    assert load("handout:dominoes:alice/adversarial_search.py:limit=2").name == "alice-adversarial_search-limit2"
    assert load("handout:dominoes:alice/adversarial_search.py").games == ("dominoes",)
