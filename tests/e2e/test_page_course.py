"""A course on the page, with a real server and a real browser: a student's term, and what the staff sees of it."""

import io
import re
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fork_server import ForkServer
from page_axe import serious
from page_checks import complaints, low_contrasts, overflow
from page_course import BROKEN, FILE, GOOD, HALF, STUDENTS, ServedCourse, name_of, serving_course
from playwright.sync_api import Page, Response, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
SIZES = {
    "phone": PHONE,
    "1280": {},
    "1920": {"viewport": {"width": 1920, "height": 1080}},
    "dark": {"color_scheme": "dark"},
}
POLL_MS = 1990
CHECK_MS = 90_000  # for a check on a busy machine

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer) -> Iterator[ServedCourse]:
    with serving_course(tmp_path_factory.mktemp("course"), fork_server) as served:
        yield served


@pytest.fixture
def open_course(pages: Any, course: ServedCourse) -> Iterator[Open]:
    """Yield a function that opens a view of the course by a token; complaints of the browser fail the test."""
    yield lambda token="", *words, **options: pages.open(course.address(token, *words), options)
    pages.leave()


def choose(page: Page, name: str, data: str | bytes) -> None:
    content = data if isinstance(data, bytes) else data.encode()
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    page.get_by_label("Choose files").set_input_files(files=[file])


def hand_in(page: Page) -> None:
    page.get_by_role("button", name="Hand in").click()


def parts(page: Page, label: str) -> list[str]:
    return page.get_by_role("list", name=label).locator(".course-part").all_inner_texts()


def kept(page: Page) -> tuple[str, str]:
    """Return the token that the browser keeps, and that the tab keeps."""
    found = page.evaluate("() => [localStorage, sessionStorage].map((store) => store['palio-course:ai101'] ?? '')")
    return found[0], found[1]


def test_a_link_signs_in_once_and_stays_out_of_addresses(open_course: Open, course: ServedCourse):
    page = open_course()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.url} {request.headers.get('referer', '')}"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in to ai101")
    field = page.get_by_label("Personal link")
    field.fill("no link")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("this is no personal link")
    field.fill("course_" + "x" * 32)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("this link is unknown, or a newer one has replaced it")
    assert kept(page) == ("", "")
    field.fill(course.address(course.tokens[0]))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Artificial Intelligence 101")
    expect(page.locator(".course-who")).to_contain_text(name_of(0))
    assert kept(page) == (course.tokens[0], "")
    page.evaluate(f"location.hash = '{course.tokens[2]}'")  # another link, followed in the same tab
    expect(page.locator(".course-who")).to_contain_text(name_of(2))
    assert page.url == course.address()
    page.reload()
    expect(page.locator(".course-who")).to_contain_text(name_of(2))
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Personal link")).to_be_visible()
    assert kept(page) == ("", "")
    page.goto(course.address(course.tokens[0], "dominoes"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Dominoes")
    assert page.url == course.address("", "dominoes")
    expect(page).to_have_title("Dominoes · Artificial Intelligence 101 · Palio")
    page.get_by_role("link", name="Artificial Intelligence 101").click()
    expect(page).to_have_title("Artificial Intelligence 101 · Palio")
    assert not [each for each in asked if any(token in each for token in course.tokens.values())]


def test_a_student_hands_in_by_keys_is_told_why_not_and_reads_feedback(open_course: Open, course: ServedCourse):
    page = open_course(course.tokens[1], "dominoes")
    looks: dict[str, list[float]] = defaultdict(list)
    page.on("requestfinished", lambda request: looks[request.url].append(request.timing["startTime"]))
    page.get_by_label("Choose files").focus()
    with page.expect_file_chooser() as chooser:
        page.evaluate("0")  # its answer shows that choosers are caught now: on a busy machine the key was there before
        page.keyboard.press("Enter")
    chooser.value.set_files(files=[{"name": "bot.ipynb", "mimeType": "", "buffer": b"{}"}])
    expect(page.get_by_text("bot.ipynb", exact=True)).to_be_visible()
    hand_in(page)
    expect(page.get_by_role("alert").filter(has_text="notebook")).to_have_text(
        f"'bot.ipynb' is a notebook; export it as a Python file and hand in {FILE}"
    )
    expect(page.get_by_text("bot.ipynb", exact=True)).to_be_visible()  # nothing is lost
    page.get_by_role("button", name="leave out bot.ipynb").press("Enter")
    choose(page, FILE, BROKEN)
    hand_in(page)
    expect(page.get_by_role("status").filter(has_text="Handed in: ")).to_be_visible()
    expect(page.get_by_text("Nothing of it can run: adversarial_search.py, line 1")).to_be_visible(timeout=CHECK_MS)
    expect(page.get_by_text("4 submissions left today")).to_be_visible()

    choose(page, FILE, HALF)
    hand_in(page)
    expect(page.locator(".course-status")).to_contain_text("; checked in", timeout=CHECK_MS)
    assert parts(page, "Parts that cost points") == [
        "test_examples.py::test_two",
        "test_examples.py::test_extra extra",
        "test_hidden.py::test_secret",
    ]
    assert parts(page, "Parts with all points") == ["test_examples.py::test_one"]
    expect(page.locator(".course-total")).to_have_text("2 of 8 points")
    expect(page.get_by_text("expected 2, got 1")).to_be_visible()
    expect(page.get_by_text("This test is hidden: its reason is not told.")).to_be_visible()
    expect(page.get_by_text("1 more part is told when the assignment has closed")).to_be_visible()
    page.get_by_text("What your code printed").click()
    expect(page.locator(".course-said pre")).to_contain_text("a word of my own")
    assert "4711" not in page.content()

    former = page.get_by_role("region", name="Your submissions")
    expect(former.locator("li")).to_have_count(2)
    former.get_by_role("button", name="Choose again").click()
    expect(page.get_by_text("Nothing of it can run")).to_be_visible()
    expect(former.locator("li[data-current]")).to_contain_text("cannot run")
    for path, times in looks.items():
        if re.search(r"/submissions/[^/]+$", path):
            assert all(later - one >= POLL_MS for one, later in pairwise(times)), path


def test_files_are_dropped_and_a_zip_or_a_folder_is_taken(open_course: Open, course: ServedCourse, tmp_path: Path):
    page = open_course(course.tokens[2], "dominoes")
    expect(page.get_by_role("form", name="Hand in")).to_be_visible()
    page.evaluate(
        """([name, text]) => {
            const dropped = new DataTransfer();
            dropped.items.add(new File([text], name));
            const zone = document.querySelector(".course-drop");
            zone.dispatchEvent(new DragEvent("dragover", { dataTransfer: dropped, bubbles: true, cancelable: true }));
            zone.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
        }""",
        [FILE, GOOD],
    )
    expect(page.get_by_role("list", name="Files to hand in")).to_contain_text(FILE)
    hand_in(page)
    expect(page.get_by_text(f"Handed in: {FILE}.")).to_be_visible()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"work/{FILE}", GOOD)
    choose(page, "work.zip", packed.getvalue())
    hand_in(page)
    expect(page.get_by_text("These files are your current submission already.")).to_be_visible()
    folder = tmp_path / "work"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "__pycache__" / "old.pyc").write_bytes(b"x")
    (folder / FILE).write_text(GOOD)
    page.get_by_label("Choose a folder").set_input_files(folder)
    expect(page.get_by_role("list", name="Files to hand in").locator("li")).to_have_count(1)
    hand_in(page)
    expect(page.get_by_text("These files are your current submission already.")).to_be_visible()
    expect(page.get_by_text("4 submissions left today")).to_be_visible()
    choose(page, FILE, "#" * 400_000)
    hand_in(page)
    expect(page.get_by_role("alert").filter(has_text="400 kB")).to_contain_text("20 kB are taken at most")


def test_a_file_that_changed_since_it_was_chosen_and_a_lost_server_are_told(
    open_course: Open, course: ServedCourse, tmp_path: Path
):
    page = open_course(course.tokens[2], "dominoes")
    file = tmp_path / FILE
    file.write_text(HALF)
    page.get_by_label("Choose files").set_input_files(file)
    file.unlink()
    hand_in(page)
    expect(page.get_by_role("alert").filter(has_text="changed")).to_contain_text("choose it again")
    choose(page, FILE, HALF)
    page.route("**/assignments/dominoes/submissions", lambda route: route.abort())
    hand_in(page)
    expect(page.get_by_role("alert").filter(has_text="did not arrive")).to_be_visible()
    expect(page.get_by_role("list", name="Files to hand in").locator("li")).to_have_count(1)


def test_a_student_says_what_classmates_may_and_sees_a_published_grade(open_course: Open, course: ServedCourse):
    page = open_course(course.tokens[1])
    you = page.get_by_role("region", name="You among classmates")
    expect(you).not_to_contain_text(f"They see you as {name_of(1)}")
    you.get_by_label("show my name").focus()
    page.keyboard.press("Space")
    expect(you).to_contain_text(f"They see you as {name_of(1)}")
    you.get_by_label("those who ask me first").check()
    expect(you.get_by_role("status")).to_have_text("Saved")
    page.reload()
    expect(you.get_by_label("show my name")).to_be_checked()
    expect(you.get_by_label("those who ask me first")).to_be_checked()
    you.get_by_label("show my name").uncheck()
    expect(you.get_by_role("status")).to_have_text("Saved")
    page.get_by_role("link", name="Warm-up").click()
    grade = page.get_by_role("region", name="Your grade")
    expect(grade).to_contain_text("5 of 5 points + 1 extra")
    expect(grade).to_contain_text("1 late day")
    expect(page.get_by_text("This assignment is closed.")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="Chexers").click()
    expect(page.get_by_text("It opens on Wed 1 Mar 2090, 09:00.")).to_be_visible()
    page.goto(course.address("", "nowhere"))
    expect(page.get_by_role("alert")).to_have_text("There is no assignment nowhere in this course.")


def test_a_students_page_gets_nothing_of_others(open_course: Open, course: ServedCourse):
    page = open_course()
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108  # a method of C has no signature
    page.goto(course.address(course.tokens[4]))
    page.get_by_role("link", name="Dominoes").click()
    expect(page.locator(".course-parts").first).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="Warm-up").click()
    expect(page.get_by_text("This assignment is closed.")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="The cup").click()
    expect(page.get_by_role("region", name="Leaderboard")).to_be_visible()
    page.wait_for_load_state("networkidle")
    asked = [answer for answer in answers if "/api/" in answer.url]
    told = "".join(answer.text() for answer in asked) + page.content()
    assert len([answer for answer in asked if "/api/courses/" in answer.url]) > 4
    assert name_of(4) in told
    others = [number for number in range(STUDENTS) if number != 4]
    for number in others:
        for word in (name_of(number), f"s{number}@x.edu", f'"{1000 + number}"'):
            assert word not in told
    assert "4711" not in told  # what a hidden test asks
    assert not [answer.url for answer in asked if re.search("/(roster|all|points|publish)$", answer.url)]


def test_a_student_sees_its_matches_and_plays_practice_games(open_course: Open, course: ServedCourse):
    page = open_course(course.tokens[4], "cup")
    board = page.get_by_role("region", name="Leaderboard")
    expect(board.locator("li")).to_have_count(3)
    expect(board.locator("li[data-me]")).to_contain_text("you")
    matches = page.get_by_role("region", name="Your matches").first.locator("tbody tr")
    expect(matches).to_have_count(4)
    expect(matches.filter(has_text="crashed")).to_have_count(2)
    its_submission = matches.first.locator("td").last
    expect(its_submission).to_have_text(re.compile("^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) "))
    practice = page.get_by_role("region", name="Practice")
    expect(practice).to_contain_text("3 of 3 games are left in this hour")
    practice.get_by_label("Against").select_option("random")
    practice.get_by_role("button", name="Play").click()
    games = practice.get_by_role("list", name="Practice games").locator("li")
    expect(games.first.get_by_role("link")).to_be_visible(timeout=CHECK_MS)
    expect(practice).to_contain_text("2 of 3 games are left in this hour")
    expect(games.first).to_contain_text("over", timeout=CHECK_MS)
    expect(matches).to_have_count(5)
    mate = next(row["pseudonym"] for row in course.palio.json("course", "roster", "ai101") if row["id"] == "1003")
    practice.get_by_label("Against").select_option(label=mate)
    practice.get_by_role("button", name="Ask for a game").click()
    expect(games.first).to_contain_text("waits for an answer")
    games.last.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Dominoes")
    page.go_back()
    expect(board.locator("li")).to_have_count(3)
    other = open_course(course.tokens[3], "cup", viewport={"width": 390, "height": 844})
    asked = other.get_by_role("list", name="Practice games").locator("li")
    expect(asked).to_contain_text(f"against {mate}")
    asked.get_by_role("button", name="Decline").click()
    expect(asked).to_contain_text("declined")


def test_the_staff_sees_faults_and_similar_submissions(open_course: Open, course: ServedCourse):
    page = open_course(course.staff, "cup")
    board = page.get_by_role("region", name="Leaderboard")
    expect(board.locator("li").last).to_contain_text(name_of(6))  # not the pseudonym
    expect(board.locator(".course-why")).to_contain_text("crashed")
    board.get_by_role("link", name="matches that ended by a fault").click()
    expect(page.get_by_role("region", name="results").locator("tbody tr")).to_have_count(4)
    page.go_back()
    page.get_by_role("link", name="Similar submissions").click()
    expect(page.get_by_text("a hint, never a verdict")).to_be_visible()
    pairs = page.get_by_role("list", name="Pairs").get_by_role("button")
    expect(pairs).to_have_count(3)  # of three bots, each is like the others
    pairs.filter(has_text=name_of(3)).filter(has_text=name_of(4)).click()
    for number in (3, 4):
        code = page.get_by_role("region", name=f"Code of {name_of(number)}")
        assert code.locator("[data-block]").count() > 10
    expect(page.get_by_text("steps = list(self.legal_moves(vertical))")).to_be_visible()
    for size in ({"width": 1280, "height": 900}, PHONE["viewport"]):
        page.set_viewport_size(size)
        check(page)


def test_the_staff_finds_who_has_nothing_and_where_points_are_lost(open_course: Open, course: ServedCourse):
    page = open_course(course.staff)
    expect(page.locator(".course-who")).to_contain_text("Staff: carla")
    page.wait_for_function("() => !localStorage['palio-course:ai101']")  # the effect comes after the drawing
    assert kept(page) == ("", course.staff)  # in the tab alone
    rows = page.get_by_role("region", name="roster").locator("tbody tr")
    expect(rows).to_have_count(STUDENTS)
    page.get_by_label("Handed in").select_option(label="nothing to Dominoes")
    expect(rows.filter(has_text=name_of(4))).to_have_count(0)
    expect(rows.filter(has_text=name_of(9))).to_have_count(0)  # of the team that handed in
    page.get_by_label("Search").and_(page.get_by_placeholder("a name, an address, a team")).fill("s11@x")
    expect(rows).to_have_count(1)
    page.get_by_role("navigation", name="Parts of the course").get_by_role("link", name="Dominoes").click()
    table = page.get_by_role("region", name="submissions").locator("tbody tr")
    page.get_by_label("Status").select_option("broken")
    expect(table.filter(has_text=name_of(5))).to_contain_text("SyntaxError")
    expect(table.filter(has_text=name_of(4))).to_have_count(0)
    page.get_by_label("Status").select_option("")
    page.get_by_placeholder("a student, a test, an error").fill("dobson4 test_secret")
    expect(table).to_have_count(1)
    expect(page.get_by_role("img", name=re.compile(r"^Points of \d+ students: mean"))).to_be_visible()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    failing = page.get_by_role("region", name="Where points are lost")
    failing.get_by_text("test_one").click()
    failing.get_by_role("button", name=re.compile("Copy addresses .*test_one")).click()
    expect(failing.get_by_text("Copied")).to_be_visible()
    assert "s5@x.edu" in page.evaluate("navigator.clipboard.readText()").split(", ")
    table.get_by_role("link").click()
    expect(page.get_by_text("4711")).to_be_visible()  # the staff is told why
    expect(page.locator(".course-back")).to_contain_text(name_of(4))
    page.get_by_role("link", name="All submissions to Dominoes").click()
    expect(table.first).to_be_visible()


def test_the_staff_publishes_after_a_second_question(open_course: Open, course: ServedCourse):
    page = open_course(course.staff, "warm_up")
    opener = page.get_by_role("button", name="Publish again …")
    opener.press("Enter")
    expect(page.get_by_role("button", name="Publish now")).to_be_focused()
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()
    opener.press("Enter")
    expect(page.get_by_role("button", name="Publish now")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"The grades of {STUDENTS} students are published.")).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
def test_every_view_fits_reads_well_and_is_sound(open_course: Open, course: ServedCourse, size: str):
    options = {"reduced_motion": "reduce", **SIZES[size]}
    students = [(), ("dominoes",), ("cup",), ("warm_up",), ("chexers",)]
    page = open_course(**options)
    expect(page.get_by_label("Personal link")).to_be_visible()
    check(page)
    for token, views in ((course.tokens[4], students), (course.staff, [(), ("dominoes",), ("cup",)])):
        page.goto("about:blank")
        for words in views:
            page.goto(course.address(token, *words))
            expect(page.get_by_role("button", name="Sign out")).to_be_visible()
            expect(page.locator("[aria-busy=true]")).to_have_count(0)
            check(page)


def check(page: Page) -> None:
    assert (serious(page), complaints(page), low_contrasts(page), overflow(page)) == ([], [], [], 0), page.url
