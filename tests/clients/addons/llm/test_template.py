"""Templates: those that ship, one's own, and the sentence for each mistake in one."""

import pytest

from palio_clients.addons.llm.template import PLACEHOLDERS, Template, parse, read, shipped
from palio_clients.sdk.failures import BadBot
from palio_rules.registry import games

OWN = """
[system]
You play {title} as JSON: {"move": "..."} or {x}.
[user]
{board}
"""


@pytest.mark.parametrize("game", [*games(), "a_game_of_somebody_else"])
def test_every_game_has_a_template_that_shows_the_rules_and_the_moves(game: str):
    found = shipped(game)
    for text in ("{rules}", "{answer}"):
        assert text in found.system
    assert "{moves}" in found.user


def test_every_shipped_game_has_one_of_its_own():
    assert len({shipped(game) for game in [*games(), "another"]}) == len(games()) + 1


def test_placeholders_are_filled_and_other_braces_stay():
    template = parse(OWN.replace("{x}", "{X}"), "mine.txt")
    values = dict.fromkeys(PLACEHOLDERS, "?") | {"title": "Go {board}", "board": "+"}
    assert template.filled(values) == [
        {"role": "system", "content": 'You play Go {board} as JSON: {"move": "..."} or {X}.'},
        {"role": "user", "content": "+"},
    ]


def test_a_template_without_parts_is_what_the_user_asks():
    assert parse("{position}?", "mine.txt") == Template("", "{position}?")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (OWN.replace("{x}", "{bord}"), "mine.txt, line 3: {bord} is no placeholder; did you mean 'board'"),
        ("{board} {zzzzzz}", "no placeholder; known: answer, board"),
        ("hello", "shows no position; put {board} or {position} into [user]"),
        ("[system]\n{board}", "shows no position"),
        ("x\n[user]\n{board}", "text before [user]"),
        ("[user]\n{board}\n[user]\n{board}", "[user] is there twice"),
        ("[users]\n{board}", "[users] is no part of a template; did you mean 'user'"),
    ],
)
def test_a_mistake_is_one_sentence_that_names_the_place(text: str, words: str):
    with pytest.raises(BadBot) as raised:
        parse(text, "mine.txt")
    assert words in str(raised.value)


def test_a_file_is_read(tmp_path):
    (tmp_path / "mine.txt").write_text("{board} ü", "utf-8")
    assert read(str(tmp_path / "mine.txt")).user == "{board} ü"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "cannot be read: No such file"),
        (b"{board} \xff", "no UTF-8, at byte 8"),
        (b"x" * 100_000, "has 100000 bytes"),
    ],
)
def test_a_file_that_is_none_is_one_sentence(tmp_path, data, words):
    if data is not None:
        (tmp_path / "mine.txt").write_bytes(data)
    with pytest.raises(BadBot, match=words):
        read(str(tmp_path / "mine.txt"))
    with pytest.raises(BadBot, match="cannot be read"):
        read("nul\0l")
