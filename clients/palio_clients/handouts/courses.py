"""The courses whose files can play, by their names in specs."""

from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from palio_clients.handouts.adapters.breakthrough import BreakthroughCoursework
from palio_clients.handouts.adapters.chexers import ChexersCoursework
from palio_clients.handouts.adapters.chexers_solo import ChexersSoloCoursework
from palio_clients.handouts.adapters.dominoes import DominoesCoursework
from palio_clients.handouts.adapters.end_of_the_track import EndOfTheTrackCoursework
from palio_clients.handouts.adapters.rush_hour import RushHourCoursework, RushHourExecutable
from palio_clients.handouts.adapters.tsp import TspCoursework
from palio_clients.handouts.coursework import Coursework, Unfit
from palio_clients.handouts.entering import entry_of
from palio_clients.handouts.executable import Executable
from palio_clients.handouts.loading import load
from palio_clients.sdk.failures import BadBot
from palio_rules.errors import nearest, quoted


class Course(NamedTuple):
    adapter: type[Coursework]
    path: Path  # of the folder with the handout's modules, for files that import them
    file: str  # the name of the file that plays, in a folder with a submission of several files
    executable: type[Executable] | None = None  # for programs in other languages, if the handout asks for a program


_HERE = Path(__file__).parent
COURSES = {
    "breakthrough": Course(BreakthroughCoursework, _HERE / "tsp_and_breakthrough", "ps2.py"),
    "chexers": Course(ChexersCoursework, _HERE / "chexers", "player.py"),
    "chexers_solo": Course(ChexersSoloCoursework, _HERE / "chexers", "search.py"),
    "dominoes": Course(DominoesCoursework, _HERE / "dominoes", "adversarial_search.py"),
    "end_of_the_track": Course(EndOfTheTrackCoursework, _HERE / "end_of_the_track", "search.py"),
    "rush_hour": Course(RushHourCoursework, _HERE / "rush_hour", "rh.py", RushHourExecutable),
    "tsp": Course(TspCoursework, _HERE / "tsp_and_breakthrough", "ps2.py"),
}
_ALSO = {"tsp_and_breakthrough": "breakthrough"}  # the folder's name


def course_named(name: str) -> Course:
    """Return the course called `name`. Raises BadBot with the nearest known one."""
    course = COURSES.get(_ALSO.get(name, name))
    if course is None:
        raise BadBot(f"there is no course {quoted(name)}; {nearest(name, COURSES)}")
    return course


def entered(submission: Path, course: str) -> ModuleType:
    """Run the file that plays in the folder `submission` as a module: the staff's tests enter it as the bot does.

    Its exceptions are raised here; raises Unfit if the folder has no such file.
    """
    known = course_named(course)
    if (entry := entry_of(submission, known.file)) is None:
        raise Unfit(f"there is neither {known.file} nor one package that has it; hand in {known.file}")
    return load(entry, known.path)
