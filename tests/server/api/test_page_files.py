"""The page's files: one digest for all of them, which changes with any of them."""

import pytest

from palio_server.api.page_files import PageFiles, PageView, float_of, pack, page_of, read
from palio_server.api.page_joiner import build
from palio_server.api.pages import WEB

SOURCES = {path.relative_to(WEB).as_posix(): path.read_bytes() for path in WEB.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def tree():
    return read(SOURCES)


def test_every_view_has_all_its_scripts_at_hand(tree):
    assert {"lobby", "match", "tournament"} <= {view.name for view in tree.views}
    for view in tree.views:
        page = page_of(tree, view, "", "").decode()
        assert all(f'<link rel="modulepreload" href="{tree.base}{file}">' in page for file in tree.needs[view.module])
        assert page.count('<script type="module"') == page.count('.css">') == 1
        sheets = {name for name in tree.files if name.startswith("view_") and name.endswith(".css")}
        own = sheets & {f"view_{view.name}.css"}
        assert {name for name in sheets if f'href="{tree.base}{name}" data-view=' in page} == sheets
        assert page.count(" disabled>") == len(sheets - own), "a view's style sheet is loaded with the view"
        assert all(f'data-view="{view.name}">' in page for _ in own)


def test_the_digest_changes_with_a_script_and_with_a_style_and_not_with_a_comment_alone(tree):
    styled = read(SOURCES | {"styles/board.css": SOURCES["styles/board.css"] + b"\n.x { color: red; }\n"})
    scripted = read(SOURCES | {"lib/words.js": SOURCES["lib/words.js"] + b"\nconst more = 1;\n"})
    assert len({tree.digest, styled.digest, scripted.digest, read(SOURCES).digest}) == 3


def test_a_page_that_was_built_before_is_served_as_the_modules_would_be(tree):
    built = build(SOURCES).sources()
    assert not [name for name in built if name.startswith(("lib/", "components/"))]
    assert read(built) == tree


def test_files_that_are_changed_while_the_server_runs_are_seen(tmp_path):
    for name, content in SOURCES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    files = PageFiles(tmp_path)
    first = files.tree()
    assert files.tree() is first
    (tmp_path / "styles" / "board.css").write_text(".other {}\n")
    assert files.tree().digest != first.digest


def test_the_page_works_below_another_path_and_has_its_head(tree):
    page = page_of(tree, None, "/hall", "    <title>\\1 &amp; more</title>\n").decode()
    assert '<base href="/hall/">' in page
    assert "<title>\\1 &amp; more</title>" in page
    assert page.count("<title>") == 1


@pytest.mark.parametrize(
    ("pattern", "words", "fits"),
    [
        ("", "", True),
        ("", "x", False),
        ("match/:id", "match/1", True),
        ("match/:id", "match", False),
        ("match/:id", "match/1/2", False),
        ("tournaments/:id/:part?/:number?", "tournaments/3", True),
        ("tournaments/:id/:part?/:number?", "tournaments/3/rounds/2", True),
        ("tournaments", "match", False),
    ],
)
def test_an_address_is_a_views_as_the_page_itself_has_it(pattern, words, fits):
    assert PageView("any", pattern, "any.js").fits([word for word in words.split("/") if word]) is fits


def test_what_does_not_get_smaller_is_sent_as_it_is():
    assert pack(b"x", "image/png").packed is None
    assert pack(b"x" * 1000, "text/css").kind == "text/css; charset=utf-8"


@pytest.mark.parametrize(("text", "number"), [("0", 0.0), ("0.5", 0.5), ("1e9", 0.0), ("", 0.0), ("nan", 0.0)])
def test_a_weight_is_read_strictly(text, number):
    assert float_of(text) == number
