"""`palio course`: a course's term, from its folder and its database."""

import click

from palio_server.cli import (
    course_files,
    course_grades,
    course_gradescope,
    course_regrade,
    course_similar,
    course_students,
    course_submissions,
    course_term,
)
from palio_server.cli.command import Group


@click.group(cls=Group)
def course() -> None:
    """A course's term: assignments, submissions, practice, the final, grades."""


# Each subject's commands are in a file of their own.
course.add_command(course_files.new)
course.add_command(course_files.check)
course.add_command(course_students.roster)
course.add_command(course_students.links)
course.add_command(course_students.forget)
course.add_command(course_submissions.import_)
course.add_command(course_submissions.submissions)
course.add_command(course_submissions.choose)
course.add_command(course_submissions.check_all)
course.add_command(course_grades.grades)
course.add_command(course_grades.override)
course.add_command(course_grades.extend)
course.add_command(course_grades.publish)
course.add_command(course_term.tournament)
course.add_command(course_term.final)
course.add_command(course_term.leaderboard)
course.add_command(course_gradescope.gradescope)
course.add_command(course_gradescope.github)
course.add_command(course_regrade.regrade)
course.add_command(course_similar.similar)
