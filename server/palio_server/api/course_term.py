"""`/api/courses/…`: leaderboard, matches, practice and similar submissions of an assignment.

Students see each other by what `shown_as` says: a pseudonym, or the name if its student wants that.
"""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta
from starlette.requests import Request

from palio_db.course_values import PracticeRow, PracticeState, StudentRow, TermKind
from palio_db.errors import DayLimit, NotFound
from palio_rules.registry import adopt
from palio_server.api.answers import ApiError, Json
from palio_server.api.bodies import Body
from palio_server.api.courses import ERRORS, NOT_KEPT, CourseName, Member, assignment_in, member
from palio_server.api.operations import Routes
from palio_server.app_state import ServerParts
from palio_server.arena.house import catalogue
from palio_server.courses.evening import TermBody, decode_term
from palio_server.courses.gradebook import last_tournament
from palio_server.courses.practice import HOUR, Opponent, chosen, first_state, left_text, opponents
from palio_server.courses.similar_course import Similar, similar_of
from palio_server.courses.similar_page import HINT
from palio_server.courses.submitted_names import Refused
from palio_server.courses.values import Assignment

routes = Routes("courses")


class TermStanding(msgspec.Struct, frozen=True):
    """A line of an assignment's leaderboard. `me`: it is the asker's bot; `bot` is its name in matches."""

    rank: int
    bot: str
    shown_as: str
    points: float
    played: int
    wins: int
    draws: int
    losses: int
    rating: float | None
    me: bool
    faults: list[str]  # why games were lost; empty for bots of others


class TermLeaderboard(msgspec.Struct, frozen=True):
    """The standings of the last tournament, or of the final; `kind` null: none was played."""

    kind: TermKind | None
    at: datetime | None
    tournament: int | None
    note: str
    standings: list[TermStanding]
    left_out: str  # why the asker's submission did not play; "" if it did


class TermMatch(msgspec.Struct, frozen=True):
    """A match of the asker's bot: with which submission, in what. `score` null: it is not over.

    `detail`: what the rules say of a duel beyond its scores, as in a list of matches. `fault`: what the asker's own
    program said when it failed; all others are told the kind only.
    """

    match: str
    kind: Annotated[str, Meta(description="nightly, final, rehearsal, practice")]
    tournament: int | None
    submission: str
    against: list[str]
    score: float | None
    termination: str | None
    detail: str | None = None
    fault: str = ""


class CourseFault(msgspec.Struct, frozen=True):
    """The words of a submission's program about its fault in a match."""

    submission: str
    text: str


class PracticeRequest(Body, frozen=True):
    """`against`: `reference` for the first bot of the staff, or a name of the list of opponents."""

    WRITE: ClassVar = {"against": '"against": "reference"'}

    against: Annotated[str, Meta(min_length=1, max_length=200)]


class PracticeAnswer(Body, frozen=True):
    """The answer of a classmate who was asked."""

    WRITE: ClassVar = {"accept": '"accept": true'}

    accept: bool


class PracticeItem(msgspec.Struct, frozen=True):
    """A practice game. `asks_me`: the asker is to accept or decline it; `why`: it could not be played."""

    id: str
    state: PracticeState
    at: datetime
    student: str
    against: str
    asks_me: bool
    match: str | None
    why: str


class PracticeOpponent(msgspec.Struct, frozen=True):
    """An opponent for practice. `asks`: the classmate is asked first."""

    name: str
    shown_as: str
    classmate: bool
    asks: bool


class PracticeList(msgspec.Struct, frozen=True):
    """Practice of an assignment: `left` games may begin within this hour, as `said` tells."""

    left: int
    games_an_hour: int
    said: str
    opponents: list[PracticeOpponent]
    games: list[PracticeItem]


class SimilarLines(msgspec.Struct, frozen=True):
    """Lines of both that are alike: files, first and last lines."""

    file: str
    lines: tuple[int, int]
    other_file: str
    other_lines: tuple[int, int]


class SimilarPair(msgspec.Struct, frozen=True):
    """Two similar submissions, with the IDs and names of their students. Shares are 0 to 1, of each one's own code."""

    submissions: tuple[str, str]
    students: tuple[str, str]
    names: tuple[str, str]
    shares: tuple[float, float]
    tokens: int
    lines: list[SimilarLines]
    sources: list[dict[str, str]]  # the files of both by name, if they were asked for


class SimilarList(msgspec.Struct, frozen=True):
    """The similar pairs of an assignment, the most alike first. `hint` says what they are not."""

    hint: str
    submissions: int
    pairs: list[SimilarPair]


@routes.get("/courses/{course}/assignments/{assignment}/leaderboard", TermLeaderboard, *ERRORS, scope=None)
async def get_course_leaderboard(
    parts: ServerParts, request: Request, course: CourseName, assignment: str, *, final: bool = False
) -> Json:
    """Return the standings of an assignment's last tournament, with `final` those of the final."""
    asker = await member(request, parts, course)
    found = assignment_in(asker, assignment)
    last = await last_tournament(parts.store, asker.course, found, final=final)
    if last is None:
        return Json(TermLeaderboard(None, None, None, "", [], ""), headers=NOT_KEPT)
    row, body = last
    people = {each.pseudonym: each for each in await parts.store.students(asker.course.name)}
    mine = "" if asker.student is None else asker.student.pseudonym
    out = next((each.why for each in body.left_out if mine in each.members), "")
    answer = TermLeaderboard(row.kind, row.at, row.number, body.note, _standings(body, people, asker), out)
    return Json(answer, headers=NOT_KEPT)


def _standings(body: TermBody, people: Mapping[str, StudentRow], asker: Member) -> list[TermStanding]:
    members = {each.bot: each.members for each in body.entries}
    found = []
    for line in body.standings:
        who = [people[each] for each in members.get(line.bot, (line.bot,)) if each in people]
        me = asker.student is not None and asker.student.pseudonym in members.get(line.bot, ())
        shown_as = ", ".join(each.shown_as for each in who) or line.bot
        faults = list(line.faults) if me or asker.student is None else []
        counts = (line.points, line.played, line.wins, line.draws, line.losses, line.rating)
        found.append(TermStanding(line.rank, line.bot, shown_as, *counts, me, faults))
    return found


@routes.get("/courses/{course}/assignments/{assignment}/matches", list[TermMatch], *ERRORS, scope=None)
async def list_own_course_matches(parts: ServerParts, request: Request, course: CourseName, assignment: str) -> Json:
    """Return the matches of the asker's bot in tournaments and practice, the newest first, with its submissions."""
    asker = await member(request, parts, course)
    student, found = asker.as_student(), assignment_in(asker, assignment)
    people = {each.pseudonym: each for each in await parts.store.students(asker.course.name)}
    matches = list[TermMatch]()
    for row in await parts.store.course_tournaments(asker.course.name, found.name):
        entry = next((each for each in decode_term(row.body).entries if student.pseudonym in each.members), None)
        if entry is None or row.number is None:
            continue
        for each in await parts.store.event_matches(row.number):
            if entry.bot in each.bots:
                others = [people[bot].shown_as if bot in people else bot for bot in each.bots if bot != entry.bot]
                score = None if each.scores is None else each.scores[each.bots.index(entry.bot)]
                place = (row.kind, row.number, entry.submission)
                matches.append(TermMatch(each.match, *place, others, score, each.termination, each.detail))
    for game in await parts.store.practice_games(asker.course.name, found.name, student.id):
        if game.match is not None and (played := await parts.store.match(game.match)) is not None:
            bot = student.pseudonym
            others = [people[each].shown_as if each in people else each for each in played.bots if each != bot]
            seat = played.bots.index(bot)
            score = None if played.scores is None else played.scores[seat]
            submission = game.submissions[seat] if seat < len(game.submissions) else ""
            ended = (played.termination, played.detail)
            matches.append(TermMatch(game.match, "practice", None, submission, others, score, *ended))
    own = [row.id for row in await parts.store.submissions(asker.course.name, found.name, student.id)]
    texts = await parts.store.own_fault_texts(own)
    told = [msgspec.structs.replace(each, fault=texts.get(each.match, "")) for each in matches]
    return Json(sorted(told, key=lambda each: each.match, reverse=True), headers=NOT_KEPT)


@routes.get("/courses/{course}/matches/{match}/faults", list[CourseFault], *ERRORS, scope=None)
async def list_course_faults(parts: ServerParts, request: Request, course: CourseName, match: str) -> Json:
    """Return what programs said of their faults in a match of the course: those of the asker, for the staff all."""
    asker = await member(request, parts, course)
    whose = None if asker.student is None else asker.student.id
    known = {row.id for row in await parts.store.submissions(asker.course.name, student=whose)}
    texts = await parts.store.fault_texts(match)
    return Json([CourseFault(name, text) for name, text in texts.items() if name in known], headers=NOT_KEPT)


# Practice.


@routes.get("/courses/{course}/assignments/{assignment}/practice", PracticeList, *ERRORS, scope=None)
async def list_practice(parts: ServerParts, request: Request, course: CourseName, assignment: str) -> Json:
    """Return whom the asker may challenge, how many games are left in this hour, and the games so far."""
    asker = await member(request, parts, course)
    student, found = asker.as_student(), assignment_in(asker, assignment)
    if found.practice is None:
        return Json(PracticeList(0, 0, f"{found.name} has no practice games", [], []), headers=NOT_KEPT)
    students = await parts.store.students(asker.course.name)
    most = found.practice.games_an_hour
    since = datetime.now(UTC) - HOUR
    left = max(0, most - await parts.store.count_practice(asker.course.name, found.name, student.id, since))
    items = [
        PracticeOpponent(
            each.name,
            each.name if each.classmate is None else each.classmate.shown_as,
            each.classmate is not None,
            each.consent == "on request",
        )
        for each in _opponents(found, student, students)
    ]
    rows = await parts.store.practice_games(asker.course.name, found.name, student.id)
    games = [_game(row, student, students) for row in reversed(rows)]
    return Json(PracticeList(left, most, left_text(left, most), items, games), headers=NOT_KEPT)


def _opponents(assignment: Assignment, student: StudentRow, students: list[StudentRow]) -> list[Opponent]:
    game = adopt(assignment.game).name
    house = [(each.name, each.spec) for each in catalogue() if game in each.games]
    return opponents(assignment, student, students, house)


def _game(row: PracticeRow, asker: StudentRow, students: list[StudentRow]) -> PracticeItem:
    shown = {each.id: each.shown_as for each in students}
    against = row.bot if row.classmate is None else shown.get(row.classmate, row.classmate)
    asks_me = row.state == "asked" and row.classmate == asker.id
    return PracticeItem(
        row.id, row.state, row.at, shown.get(row.student, row.student), against, asks_me, row.match, row.why
    )


@routes.operation(
    "POST",
    "/courses/{course}/assignments/{assignment}/practice",
    PracticeItem,
    *ERRORS,
    409,
    statuses=(201,),
    scope=None,
)
async def begin_practice(
    parts: ServerParts, request: Request, course: CourseName, assignment: str, body: PracticeRequest
) -> Json:
    """Begin a practice game of the asker's current submission, also after the assignment has closed.

    A classmate who wants to be asked accepts it first. 409: nothing was handed in, or the hour's games are used up.
    """
    asker = await member(request, parts, course)
    student, found = asker.as_student(), assignment_in(asker, assignment)
    students = await parts.store.students(asker.course.name)
    try:
        opponent = chosen(body.against, _opponents(found, student, students), found)
    except Refused as error:
        raise ApiError(422, "refused", str(error)) from None
    rows = await parts.store.submissions(asker.course.name, found.name, student.id)
    if not any(row.current for row in rows):
        raise ApiError(409, "not-now", f"you have handed in nothing to {found.name}; hand in first")
    mate = None if opponent.classmate is None else opponent.classmate.id
    now = datetime.now(UTC)
    new = PracticeRow(
        "", asker.course.name, found.name, student.id, mate, opponent.bot, first_state(opponent), now
    )  # fmt: skip
    most = 0 if found.practice is None else found.practice.games_an_hour
    try:
        row = await parts.store.ask_practice(new, now - HOUR, most)
    except DayLimit as error:
        raise ApiError(409, "not-now", f"{error}; wait a while") from None
    if parts.practice is not None:
        parts.practice.wake()
    return Json(_game(row, student, students), 201)


@routes.operation("POST", "/courses/{course}/practice/{game}", PracticeItem, *ERRORS, 409, scope=None)
async def answer_practice(
    parts: ServerParts, request: Request, course: CourseName, game: str, body: PracticeAnswer
) -> Json:
    """Accept or decline a practice game that a classmate asks for."""
    asker = await member(request, parts, course)
    student = asker.as_student()
    rows = await parts.store.practice_games(asker.course.name, student=student.id)
    if not any(row.id == game and row.classmate == student.id for row in rows):
        raise ApiError(404, "unknown-game", f"nobody asks you for the practice game {game[:40]!r}")
    try:
        row = await parts.store.set_practice(game, "waiting" if body.accept else "declined", only_from="asked")
    except NotFound as error:
        raise ApiError(409, "not-now", str(error)) from None
    if parts.practice is not None:
        parts.practice.wake()
    return Json(_game(row, student, await parts.store.students(asker.course.name)))


# For the staff.


@routes.get("/courses/{course}/assignments/{assignment}/similar", SimilarList, *ERRORS, scope=None)
async def list_similar(
    parts: ServerParts, request: Request, course: CourseName, assignment: str, *, sources: bool = False
) -> Json:
    """Return pairs of submissions that share more than the handout gave: a hint, never a verdict. For the staff."""
    asker = await member(request, parts, course)
    asker.as_staff()
    found = assignment_in(asker, assignment)
    try:
        alike = await similar_of(parts.store, asker.course, found)
    except Refused as error:
        raise ApiError(422, "refused", f"submissions cannot be compared: {error}") from None
    hint = " ".join(filter(None, (HINT, alike.note)))
    pairs = await asyncio.to_thread(_similar_pairs, alike, sources=sources)
    return Json(SimilarList(hint, len(alike.files), pairs), headers=NOT_KEPT)


def _similar_pairs(alike: Similar, *, sources: bool) -> list[SimilarPair]:
    pairs = []
    for pair in alike.pairs:
        both = (pair.first, pair.second)
        texts = [
            {name: data.decode("utf-8", "replace") for name, data in alike.files[each].items()}
            for each in (both if sources else ())
        ]
        pairs.append(
            SimilarPair(
                both,
                (alike.students[pair.first], alike.students[pair.second]),
                (alike.names[pair.first], alike.names[pair.second]),
                (round(pair.shares[0], 3), round(pair.shares[1], 3)),
                pair.tokens,
                [SimilarLines(*block) for block in pair.blocks],
                texts,
            )
        )
    return pairs
