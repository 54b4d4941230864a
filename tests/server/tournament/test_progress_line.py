"""The line that says how an event is going has what is known, and nothing else."""

import msgspec
import pytest

from palio_server.tournament.progress import best_text, duration, llr_text, pace_text, progress_line
from palio_server.tournament.standing import SprtState, Standing


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (progress_line(0, 40), "0 of 40 games"),
        (progress_line(17, 40, 2.1, 11, ["best so far: ada 9/12"]),
         "17 of 40 games, 2.1 games/s, ETA 0:11, best so far: ada 9/12"),
        (progress_line(17, 40, 2.1, 11, about=True), "17 of about 40 games, 2.1 games/s, ETA 0:11"),
        (progress_line(17, None, 2.1, None, ["", "LLR: 1.20"]), "17 games, 2.1 games/s, LLR: 1.20"),
        (progress_line(40, 40, 2.1, 0), "40 of 40 games, 2.1 games/s"),
        (progress_line(1, 1), "1 of 1 game"),
        (progress_line(1, None), "1 game"),
        (progress_line(0, None), "0 games"),
    ],
)  # fmt: skip
def test_the_line(line, text):
    assert line == text


@pytest.mark.parametrize(
    ("per_s", "text"), [(123.4, "123 games/s"), (2.14, "2.1 games/s"), (0.25, "0.25 games/s"), (0.03, "1.8 games/min")]
)
def test_a_pace_in_figures_that_can_be_read(per_s, text):
    assert pace_text(per_s) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0:00"), (10.6, "0:11"), (59.9, "1:00"), (725, "12:05"), (10930, "3:02:10"), (200_000, "2 d 7 h")],
)
def test_a_duration(seconds, text):
    assert duration(seconds) == text


def stands(bot, rank, points, played=12):
    return Standing(rank, bot, points, played)


@pytest.mark.parametrize(
    ("standings", "text"),
    [
        ([stands("ada", 1, 9.5), stands("bob", 2, 2.5)], "best so far: ada 9.5/12"),
        ([stands("ada", 1, 10 / 3), stands("bob", 1, 10 / 3), stands("cat", 3, 1)],
         "best so far: ada 3.33/12, bob 3.33/12"),
        ([*(stands(bot, 1, 12345.5, 20000) for bot in "abcde"), stands("f", 6, 0)],
         "best so far: a 12345.5/20000, b 12345.5/20000, c 12345.5/20000 and 2 more"),
        ([stands("ada", 1, 0, 0), stands("bob", 2, 0, 0)], ""),
        ([stands("ada", 1, 1), stands("bob", 1, 1)], ""),  # all level: there is no leader
        ([], ""),
    ],
)  # fmt: skip
def test_who_is_in_front(standings, text):
    assert best_text(standings) == text


def test_the_ratio_of_a_test_stands_between_its_bounds():
    test = SprtState(
        first="a", second="b", model="normalized", elo0=0, elo1=2.5, alpha=0.05, beta=0.05, llr=1.2, lower=-2.944,
        upper=2.944, state="continue", wins=5, draws=1, losses=2, pairs=[0, 0, 1, 1, 2], elo=None,
        elo_error=None, los=0.9,
    )  # fmt: skip
    assert llr_text(test) == "LLR: 1.20 (-2.94, 2.94) [0, 2.5] in 8 games"
    alone = msgspec.structs.replace(test, pairs=None, wins=1, draws=0, losses=0, state="H1")
    assert llr_text(alone) == "LLR: 1.20 (-2.94, 2.94) [0, 2.5] H1 in 1 game"
