"""Style sheets do not leak: a class belongs to one sheet of a view. Sizes and breakpoints are few."""

import re
from pathlib import Path

import pytest

from style_sheets import SHEETS, WEB, queries_of, rules_of

RULES = [rule for name, text in SHEETS.items() for rule in rules_of(name, text)]
VIEWS = frozenset(re.findall(r'view: "([^"]+)"', (WEB / "lib" / "routes.js").read_text()))

# Sheets of parts that views share. All others hold classes within the scopes of views.
SHARED = {"tokens", "layout", "masthead", "parts", "form", "tables", "board", "face", "card"}
SIZES = 7
BREAKPOINTS = {"width": {"40rem", "60rem", "100rem"}, "height": {"30rem"}}
OTHER_MEDIA = r"\(prefers-[\w-]+: \w+\)|\(pointer: coarse\)|\(orientation: landscape\)"

# Classes that other views use, without the look that they have in these scopes: their modules are shared.
PLAIN_ELSEWHERE = {"copy", "wide", "small", "side", "upper", "lower", "race", "match", "games"}
# Modules of which a view takes functions, and no component: (view, module).
FUNCTIONS_ONLY = {("try", "games.js"), ("try", "legend.js"), ("play", "info.js")}

SCRIPTS = "\n".join(path.read_text() for path in [*WEB.rglob("*.js")])
_CLASS = r'\bclass(?:Name)?(?:=|: ?)("[^"]*"|\$\{(?:[^{}]|\{[^{}]*\})*\})'
_VIEW = r'"?([\w-]+)"?: async \(\) => \(await import\("(\.\./components/\w+\.js)"'
_IMPORT = r'(?:\bfrom |\bimport\()"(\.{1,2}/[^"]+)"'


def classes_of(script: str) -> set[str]:
    return {name for text in re.findall(_CLASS, script) for name in re.findall(r"[A-Za-z][\w-]*", text)}


USED = classes_of(SCRIPTS)


def modules_of(start: Path) -> set[Path]:
    """Return a module of the page, and all that it imports, now or later."""
    found, waiting = set(), [start.resolve()]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            script = re.sub(r"/\*.*?\*/", "", module.read_text(), flags=re.DOTALL)  # without imports of types
            waiting += [(module.parent / name).resolve() for name in re.findall(_IMPORT, script)]
    return found


def test_sheets_are_those_that_the_page_loads_and_shared_ones_come_first():
    linked = re.findall(r'href="styles/(\w+)\.css"', (WEB / "index.html").read_text())
    assert sorted(linked) == sorted(SHEETS)
    assert set(linked[: len(SHARED)]) == SHARED, "a view's sheet adjusts shared parts, so it comes after them"


def test_a_class_outside_shared_sheets_is_within_the_scope_of_known_views():
    bare = [f"{r.sheet}: {r.selector}" for r in RULES if r.sheet not in SHARED and not r.views and r.classes]
    assert bare == []
    assert {view for rule in RULES for view in rule.views} <= VIEWS


def test_no_class_of_a_view_is_styled_by_two_sheets():
    owners: dict[tuple[str, str], set[str]] = {}
    for rule in RULES:
        for view in rule.views or VIEWS:
            if rule.owner:
                owners.setdefault((view, rule.owner), set()).add(rule.sheet)
    assert {key: sheets for key, sheets in owners.items() if len(sheets) > 1} == {}


def test_a_class_is_styled_in_each_view_that_shows_it():
    """A part that two views share, and whose rules are in the scope of one, falls apart in the other."""
    scopes: dict[str, set[str]] = {}
    for rule in RULES:
        for name in rule.classes:
            scopes.setdefault(name, set()).update(rule.views or VIEWS)
    starts = re.findall(_VIEW, (WEB / "lib" / "views.js").read_text())
    assert {view for view, _ in starts} == VIEWS
    bare = {
        (view, module.name, name)
        for view, start in starts
        for module in modules_of(WEB / "lib" / start)
        if (view, module.name) not in FUNCTIONS_ONLY
        for name in classes_of(module.read_text()) - PLAIN_ELSEWHERE
        if view not in scopes.get(name, VIEWS)
    }
    assert bare == set()


@pytest.mark.parametrize(
    ("first", "second", "owners"),
    [
        (".rail { width: 1px }", ".gauge .rail { fill: red }", ["rail", "gauge"]),
        (':where([data-view="tv"]) { .rail { width: 1px } }', ".board .rail:not(.x) { fill: red }", ["rail", "board"]),
        ("@media (width < 40rem) { li > .a.b { top: 0 } }", ":has(.c) .d { top: 0 }", ["a", "d"]),
    ],
)
def test_a_rule_belongs_to_the_first_class_of_its_selector(first, second, owners):
    assert [rule.owner for text in (first, second) for rule in rules_of("x", text)] == owners


def test_a_style_sheet_names_no_class_that_no_script_names():
    made = r"seat-\w+|tint-\w+|form-[WDL]|line-(?:way|pass)|opinion(?:-name)?-\d"  # a word and a value of data
    made += r"|ahead|area|behind|disc|hex|label|plain|stone|u-[\w-]+|uplot"  # words of data, or of the vendored chart
    unused = {name for rule in RULES for name in rule.classes if name not in USED}
    assert {name for name in unused if not re.fullmatch(made, name)} == set()


def test_text_has_one_of_a_few_sizes():
    """Pixels are units of a drawing, at its text; a board of letters is as large as its frame; html is the hall's."""
    tokens = set(re.findall(r"--text[\w-]*(?=:)", SHEETS["tokens"]))
    assert len(tokens) == SIZES
    wrong = []
    for rule in RULES:
        for name, value in re.findall(r"(?<![\w-])(font|font-size):\s*([^;]+)", rule.body):
            drawn = re.search(r"(?:\btext|\.text)$", rule.selector) and re.search(r"\b\d+px", value)
            letters = rule.selector == ".board-text" and value == "min(var(--text), 4.5cqi)"
            root = rule.selector.startswith((":root", "html"))
            size = re.search(r"var\((--text[\w-]*)\)", value)
            if not (drawn or letters or root or value == "inherit" or (size and size[1] in tokens)):
                wrong.append(f"{rule.sheet}: {rule.selector} {{ {name}: {value} }}")
    assert wrong == []


def test_media_queries_have_four_breakpoints():
    asked = [query for text in SHEETS.values() for query in queries_of(text)]
    asked += re.findall(r'(?:useMedia|matchMedia)\("([^"]+)"\)', SCRIPTS)
    assert asked
    wrong = set()
    for condition in (part for query in asked for part in query.split(" and ")):
        size = re.fullmatch(r"\((width|height) (?:<|>=) (\d+rem)\)", condition)
        if not (size and size[2] in BREAKPOINTS[size[1]]) and not re.fullmatch(OTHER_MEDIA, condition):
            wrong.add(condition)
    assert wrong == set()
