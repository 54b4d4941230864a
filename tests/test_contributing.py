"""The contributors' pages are true: targets, paths and links exist, forms parse, the code of the walks works."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from palio_db.event_values import EncounterRow, Entry, EventMatch
from palio_rules.registry import game
from palio_server.tournament.event import Event

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", ROOT / ".github" / "PULL_REQUEST_TEMPLATE.md"]
FORMS = sorted([ROOT / ".pre-commit-config.yaml", *(ROOT / ".github").rglob("*.yml")])
MADE = {  # by the walks, so they do not exist yet
    "clients/palio_clients/agents/mobility.py", "tests/clients/agents/test_mobility.py",
    "server/palio_server/tournament/formats/king.py", "tests/server/tournament/formats/test_king.py",
    "tests/rules/games/test_three_in_a_row.py",
}  # fmt: skip
TOP = "|".join(re.escape(path.name) for path in ROOT.iterdir() if path.is_dir() and path.name not in {".git", ".venv"})
PATH = re.compile(rf"(?<![\w/.])(?:{TOP})/[\w./-]*")
CONTRIBUTING = PAGES[0].read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", CONTRIBUTING, re.DOTALL)
pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def code(text: str) -> str:
    """All that stands in backticks or in blocks of a shell."""
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    return "\n".join([*blocks, *re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text)])


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def walk(name: str) -> dict[str, object]:
    """The names that the walk's block with this class defines."""
    (text,) = (block for block in BLOCKS if f"class {name}(" in block)
    found: dict[str, object] = {"__name__": f"walk_{name.lower()}"}
    exec(compile(text, f"CONTRIBUTING.md: {name}", "exec"), found)
    return found


@pages
def test_every_target_of_make_that_is_named_exists(page):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = re.findall(r"\bmake (?:\w+=\S+ )*([a-z-]+)", code(page.read_text("utf-8")))
    assert [target for target in named if target not in targets] == []


@pages
def test_every_path_that_is_named_exists(page):
    named = {path.rstrip(".") for path in PATH.findall(code(page.read_text("utf-8")))}
    files = {name for name in re.findall(r"`([A-Z][\w]*(?:\.md)?)`", page.read_text("utf-8")) if name.endswith(".md")}
    assert sorted(name for name in named | files if name not in MADE and not (ROOT / name).exists()) == []


def test_what_the_walks_make_is_not_there_yet_and_is_told():
    assert [name for name in sorted(MADE) if (ROOT / name).exists() or name not in CONTRIBUTING] == []


@pages
def test_every_relative_link_leads_to_a_file_and_a_heading(page):
    links = re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)", page.read_text("utf-8"))
    targets = [((page.parent / target) if target else page, anchor) for target, anchor in links]
    assert [f"{path.name}#{anchor}" for path, anchor in targets if not path.exists()] == []
    assert [f"{path.name}#{anchor}" for path, anchor in targets if anchor and anchor not in anchors(path)] == []


def test_the_readme_leads_to_both():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [name for name in ("CONTRIBUTING.md", "SECURITY.md") if f"]({name})" not in readme] == []


def test_every_group_of_entry_points_that_is_named_exists():
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    named = re.findall(r'entry-points\."([\w.]+)"', CONTRIBUTING)
    assert named
    assert [name for name in named if name not in groups] == []


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_a_yaml_file_for_contributors_parses(form):
    assert isinstance(yaml.safe_load(form.read_text("utf-8")), dict)


def test_hooks_run_tools_of_the_development_extra():
    """A tool that .venv lacks would fail each commit."""
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    hooks = [hook for repo in config["repos"] for hook in repo["hooks"]]
    packages = {"ruff": "ruff", "mypy": "mypy", "lint-imports": "import-linter"}
    extra = " ".join(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["dev"])
    tools = [re.fullmatch(r"\.venv/bin/([\w-]+)", hook["entry"].split()[0])[1] for hook in hooks]
    assert set(tools) == set(packages)
    assert all(packages[tool] in extra for tool in tools)


def test_ci_runs_the_script_on_every_python_that_the_package_names():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8"))["jobs"]
    (job,) = jobs.values()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert job["strategy"]["matrix"]["python"] == named
    assert job["steps"][-1]["run"] == ".ci/run"
    assert (ROOT / ".ci" / "run").exists()


def test_the_bot_of_the_walk_plays_as_its_test_says():
    bot = walk("MobilityBot")["MobilityBot"]
    (test,) = (block for block in BLOCKS if "import MobilityBot" in block)
    test = re.sub(r"^from .* import MobilityBot$", "", test, flags=re.MULTILINE)
    names = {"MobilityBot": bot}
    exec(compile(test, "CONTRIBUTING.md", "exec"), names)
    names["test_no_other_move_leaves_fewer_replies"]()
    assert "dominoes" in bot.games


def test_the_format_of_the_walk_keeps_the_winner_on_the_hill():
    made = walk("King")["King"]
    king = made(made.rules_type())
    event = Event("breakthrough", [Entry(bot, number) for number, bot in enumerate("abc", 1)])
    king.check(event)
    while not king.over(event):
        (plan,) = king.next(event, 4)
        encounter = event.add(EncounterRow(len(event.encounters) + 1, plan))
        strong = plan.bots.index(max(plan.bots))  # the later letter wins every game
        for number in range(plan.games):
            seated = plan.bots if number % 2 == 0 else plan.bots[::-1]
            scores = tuple(float(bot == plan.bots[strong]) for bot in seated)
            event.note(EventMatch(f"{encounter.number}-{number}", encounter.number, number, seated, "finished", scores))
    assert [each.bots for each in event.encounters] == [("a", "b"), ("b", "c")]
    assert [line.bot for line in king.standings(event)][-1] == "a"


def test_the_game_of_the_walk_has_a_free_name():
    with pytest.raises(ValueError, match="unknown game"):
        game("three_in_a_row")
