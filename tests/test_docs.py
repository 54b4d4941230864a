"""The documentation: links lead somewhere, the navigation names each page, each page says for whom it is; the site."""

import re
from pathlib import Path

import msgspec
import pytest

from palio_server.settings import PREFIX, Settings

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
TOP = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
KINDS = ("tutorials", "how-to", "reference", "explanation")
PAGES = sorted([*(ROOT / name for name in TOP), *DOCS.rglob("*.md")])
OF_KINDS = [path for path in PAGES if path.is_relative_to(DOCS) and path.relative_to(DOCS).parts[0] in KINDS]
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
MESSAGE = re.compile(r"(?<![\w/.])docs/[\w/-]+\.(?:md|png|svg)")
PACKAGES = ("palio/palio", "rules/palio_rules", "clients/palio_clients", "server/palio_server", "db/palio_db", "deploy")


def name(path):
    return path.relative_to(ROOT).as_posix()


def prose(page):
    return FENCE.sub("", page.read_text("utf-8"))


def anchors(page):
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.fixture
def build(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from tools.site import build

    return build


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_to_a_file_and_a_heading(page):
    lost = []
    for target, anchor in re.findall(r"\]\((?![a-z][a-z+]*:)([^)#\s]*)(?:#([^)\s]+))?\)", prose(page)):
        path = page.parent / target if target else page
        if not path.exists() or (anchor and path.suffix == ".md" and anchor not in anchors(path)):
            lost.append(f"{target}#{anchor}")
    assert lost == []


def test_the_navigation_names_each_page_once(build):
    named = build.navigation()
    assert sorted(named) == sorted([*build.pages(), *build.OTHERS.values()])


@pytest.mark.parametrize("page", OF_KINDS, ids=name)
def test_a_page_begins_with_its_title_and_for_whom_it_is(page):
    title, _, first, *_ = page.read_text("utf-8").split("\n")
    assert title.startswith("# ")
    assert first.startswith("For ")


def test_every_setting_of_a_server_is_explained(build):
    page = (DOCS / "reference" / "settings.md").read_text("utf-8")
    made = re.findall(r"^\| `(\w+)` \| .*\| \S.* \|$", build.MADE["settings"](), re.MULTILINE)
    variables = [f"{PREFIX}{field.name.upper()}" for field in msgspec.structs.fields(Settings)]
    assert [name for name in variables if name not in made and not re.search(rf"{name}\b", page)] == []


def test_a_page_has_one_kind():
    folders = {path.relative_to(DOCS).parts[0] for path in DOCS.rglob("*.md")}
    assert folders == {*KINDS, "decisions", "evidence", "index.md"}


def test_a_decision_has_a_reason_and_names_where_a_change_begins_and_each_page_is_listed():
    listed = (DOCS / "decisions" / "index.md").read_text("utf-8")
    rows = [line.strip("|").split(" | ") for line in listed.splitlines() if line.startswith("| ")]
    places = [places.strip(" `") for decision, reason, places in rows if decision.strip() != "decision"]
    assert len(places) > 50
    assert [place for place in places if not (ROOT / place).exists()] == []
    pages = {path.name for path in (DOCS / "decisions").glob("*.md")} - {"index.md"}
    assert {page for page in pages if f"({page})" not in listed} == set()


def test_pages_that_the_code_names_exist():
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*") if "vendor" not in path.parts]
    texts = [path for path in files if path.suffix in {".py", ".js", ".txt", ".yml", ".conf", ".toml"}]
    named = {(name(path), page) for path in texts for page in MESSAGE.findall(path.read_text("utf-8"))}
    assert len(named) > 20
    assert sorted(each for each in named if not (ROOT / each[1]).exists()) == []


def test_links_to_sources_become_names_and_links_to_pages_stay_links(build):
    links = "[rules](../../rules/palio_rules/game.py), [map](../../ARCHITECTURE.md#the-map), [bots](bots.md)"
    shown = build.linked(f"{links}\n```\n[a](b.md)\n```", "docs/reference/games.md", "reference/games.md")
    assert shown == "rules, [map](../architecture.md#the-map), [bots](bots.md)\n```\n[a](b.md)\n```"


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        ("options", "### palio run\n"),
        ("settings", "| `PALIO_PORT` | `8000` |"),
        ("operations", "### `GET /api/games`\n"),
        ("contents of positions", '`state[row, col]` is "B" for a black pawn'),
        ("columns", "| `match` | text | identity of the match; sorts by age |"),
        ("hidden files", "| repositories | `*.git` `*.hg` `*.svn` |"),
        ("planes", "| `breakthrough` | 0: own pawns<br>1: enemy pawns<br>"),
        ("names of palio", "::: palio_clients.sdk.bot.Bot"),
        ("names of palio plugins", ".Format\n"),
    ],
)
def test_what_is_made_from_the_code_is_asked_for_and_made(build, part, shown):
    assert shown in build.MADE[part]()
    asked = {mark for page in OF_KINDS for mark in build.MARK.findall(page.read_text("utf-8"))}
    assert asked == set(build.MADE)


def test_inline_scripts_become_files_and_data_stay(build, tmp_path):
    (tmp_path / "assets" / "javascripts").mkdir(parents=True)
    (tmp_path / "how-to" / "play").mkdir(parents=True)
    page = tmp_path / "how-to" / "play" / "index.html"
    page.write_text('<script>let a=1</script><script id="__config" type="application/json">{}</script>')
    build.without_inline_scripts(tmp_path)
    (script,) = (tmp_path / "assets" / "javascripts").iterdir()
    assert script.read_text() == "let a=1"
    assert page.read_text().startswith(f'<script src="../../assets/javascripts/{script.name}"></script><script id=')
