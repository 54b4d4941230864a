"""Docstrings, comments and docs pages use plain words, and the allowance for older ones only shrinks."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("plain_words", ROOT / "tools" / "plain_words.py")
assert SPEC is not None
assert SPEC.loader is not None
tool = importlib.util.module_from_spec(SPEC)
sys.modules["plain_words"] = tool
SPEC.loader.exec_module(tool)
WORDS = tool.phrases()


def python(source):
    return [(hit.line, hit.text) for hit in tool.in_python(source, WORDS)]


def markdown(source):
    return [(hit.line, hit.text) for hit in tool.in_markdown(source, WORDS)]


@pytest.mark.slow
def test_the_tree_keeps_to_its_allowance():
    assert tool.complaints(tool.findings(ROOT, WORDS), tool.allowance(), ROOT) == []


def test_a_phrase_in_a_docstring_or_comment_is_found_with_its_line():
    source = '"""A queue.\n\nIt asks nobody.\n"""\n\nx = 1  # whoever comes\n'
    assert python(source) == [(3, "nobody"), (6, "whoever")]


def test_a_phrase_across_two_lines_is_found_where_it_begins():
    assert python('"""A queue that lasts for\n    ever."""\n') == [(1, "for ever")]
    assert python("# it is not read any\n# more\nx = 1\n") == [(1, "any more")]
    assert markdown("It lasts for\never.\n") == [(1, "for ever")]


def test_comments_of_two_statements_are_two_texts():
    assert python("x = 1  # made for\ny = 2  # ever so often\n") == []


def test_other_strings_and_names_are_code():
    assert python('nobody = "whoever"\nprint(f"{nobody} at all")\n') == []


@pytest.mark.parametrize("text", ["passed on as it is.", "kept as they are"])
def test_as_it_is_is_found_at_the_end_of_a_clause(text):
    assert len(python(f"# {text}\n")) == 1


@pytest.mark.parametrize("text", ["as it is called", "any more than five", "the lowest", "forever", "at allowed times"])
def test_longer_words_and_other_senses_are_none(text):
    assert python(f"# {text}\n") == []


@pytest.mark.parametrize("opening", ["What", "Where", "Whether", "How", "Who", "Whose", "Which", "That", "Why"])
def test_a_docstring_that_begins_with_a_relative_clause_is_found(opening):
    assert python(f'class Queue:\n    """{opening} it is."""\n') == [(2, f"{opening} ...")]


@pytest.mark.parametrize("text", ["Return what is left.", "However many there are.", "Whole numbers."])
def test_other_openings_are_plain(text):
    assert python(f'def f():\n    """{text}"""\n') == []


def test_code_in_a_page_is_not_looked_at():
    page = "Write `nobody`.\n\n```sh\necho nobody\n```\n\n    ~~~\nanybody\n~~~\n\nAsk nobody.\n"
    assert markdown(page) == [(11, "nobody")]


def test_more_than_allowed_names_each_finding_and_its_alternative(tmp_path):
    (tmp_path / "a.py").write_text("# nobody\n# whatever\n")
    lines = tool.complaints(tool.findings(tmp_path, WORDS), {"a.py": 1}, tmp_path)
    assert lines[0] == "a.py: 2 findings, 1 allowed"
    assert lines[1].startswith('a.py:1: "nobody"; write: no bot')
    assert lines[2].startswith('a.py:2: "whatever"; write: any')


def test_fewer_than_allowed_asks_to_lower_the_allowance(tmp_path):
    (tmp_path / "a.py").write_text("# nobody\n")
    lines = tool.complaints(tool.findings(tmp_path, WORDS), {"a.py": 2, "gone.py": 1}, tmp_path)
    assert lines == [
        "a.py: 1 findings, 2 allowed; run --update to lower it",
        "gone.py: does not exist; run --update to drop it, or rename its allowance",
    ]


def test_lowering_never_raises_and_drops_what_is_not_needed():
    hits = {"a.py": [1, 2], "b.py": [1], "new.py": [1]}
    assert tool.lowered(hits, {"a.py": 1, "b.py": 3, "clean.py": 2, "gone.py": 1}) == {"a.py": 1, "b.py": 1}


def test_a_written_allowance_reads_back(tmp_path):
    file = tmp_path / "allowance.toml"
    file.write_text(tool.written({"b/c.py": 2, "a.md": 1}))
    assert tool.allowance(file) == {"a.md": 1, "b/c.py": 2}


def test_files_of_others_and_the_changelog_are_left_out(tmp_path):
    for name in ("vendor/a.py", "node_modules/b.md", ".venv/c.py", "CHANGELOG.md", "own/d.py", ".github/e.md"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("# nobody\n")
    assert list(tool.findings(tmp_path, WORDS)) == [".github/e.md", "own/d.py"]
