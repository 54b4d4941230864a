"""Whoever waits for a compilation hears of it, once."""

from pathlib import Path

from palio_clients.kernels.compilation import Compilation


def test_it_is_said_once_and_where_the_result_is_kept():
    said: list[str] = []
    compilation = Compilation()
    compilation.tell = said.append
    compilation.begins("dominoes", Path("/home/me/.cache/x"))
    compilation.begins("dominoes", Path("/home/me/.cache/x"))
    assert said == ["compiling the searches of dominoes (once, kept in /home/me/.cache/x)"]


def test_where_nothing_can_be_kept_the_remedy_is_said():
    said: list[str] = []
    compilation = Compilation()
    compilation.tell = said.append
    compilation.begins("tsp", None)
    assert "set NUMBA_CACHE_DIR to a folder" in said[0]


def test_a_bot_says_it_as_a_remark(capsys):
    Compilation().begins("tsp", None)
    assert capsys.readouterr().err.startswith("remark: compiling the searches of tsp")
