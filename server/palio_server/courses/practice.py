"""Practice: whom a student's bot may play, and what a student is told before a limit bites."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from palio_db.course_values import Agreed, PracticeState, StudentRow
from palio_rules.errors import nearest, quoted
from palio_server.courses.submitted_names import Refused
from palio_server.courses.values import Assignment

HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Opponent:
    """An opponent that a student may name: a bot of the staff or the server by its SPEC, or a classmate."""

    name: str
    bot: str = ""
    classmate: StudentRow | None = None
    consent: Agreed = "all"  # "on request": the classmate is asked first


def opponents(
    assignment: Assignment, student: StudentRow, students: Sequence[StudentRow], house: Sequence[tuple[str, str]]
) -> list[Opponent]:
    """Return whom a student may name. `house` are the server's bots for the game, by name with their SPECs.

    Classmates are listed if they, or the assignment for those who have said nothing, do not refuse; a student's own
    team is left out.
    """
    if assignment.practice is None:
        return []
    found = [Opponent(each.bot, each.bot) for each in assignment.against]
    found += [Opponent(name, spec) for name, spec in house if name not in {each.name for each in found}]
    for mate in students:
        consent = mate.consent or assignment.practice.classmates
        same = mate.number == student.number or (mate.team and mate.team == student.team)
        if not same and mate.forgotten_at is None and consent != "nobody":
            found.append(Opponent(mate.pseudonym, "", mate, consent))
    return found


def chosen(named: str, among: Sequence[Opponent], assignment: Assignment) -> Opponent:
    """Return the opponent of that name; "reference" is the first bot of the staff. Raises Refused."""
    if assignment.practice is None:
        raise Refused(f"{assignment.name} has no practice games")
    if named == "reference" and among:
        return among[0]
    for each in among:
        if named == each.name or (each.classmate is not None and named == each.classmate.shown_as):
            return each
    known = [each.name for each in among]
    raise Refused(f"nobody who can be challenged is called {quoted(named)}; {nearest(named, known)}")


def first_state(opponent: Opponent) -> PracticeState:
    """Return the state of a new game: `asked` until the classmate accepts, or `waiting` to be played."""
    return "asked" if opponent.consent == "on request" else "waiting"


def left_text(left: int, most: int) -> str:
    """Return how many practice games a student may still begin within this hour.

    >>> left_text(3, 10), left_text(0, 10)
    ('3 of 10 games are left in this hour', 'all 10 games of this hour are used up; wait a while')
    """
    if left <= 0:
        return f"all {most} games of this hour are used up; wait a while"
    return f"{left} of {most} games are left in this hour"
