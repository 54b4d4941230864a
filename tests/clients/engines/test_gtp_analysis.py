"""Reports of engines of Go that analyse are read as their documents say, and no other line is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.engines.gtp_analysis import Report, View, read_report

# The examples of KataGo's document, and of Leela Zero, shortened.
KATA = (
    "info move E4 visits 487 utility -0.0408357 winrate 0.480018 scoreMean -0.611848 scoreStdev 24.7058 scoreLead "
    "-0.611848 scoreSelfplay -0.515178 prior 0.221121 lcb 0.477221 utilityLcb -0.0486664 order 0 pv E4 E3 F3 D3 info "
    "move P16 visits 470 utility -0.0414945 winrate 0.479712 scoreLead -0.61463 order 1 pv P16 P17 O17"
)
LEELA = (
    "info move D16 visits 6 winrate 4197 prior 1760 lcb 3838 order 0 pv D16 Q16 D4 Q4 "
    "info move D4 visits 4 winrate 4198 prior 1730 lcb 2346 order 1 pv D4 Q16"
)


@pytest.mark.parametrize(
    ("line", "most", "report"),
    [
        (KATA, 1.0, Report(0.480018, 957, -0.611848, ("E4", "E3", "F3", "D3"))),
        (LEELA, 10_000.0, Report(0.4197, 10, None, ("D16", "Q16", "D4", "Q4"))),
        (f"{KATA} pvVisits 470 12 3 isSymmetryOf Q4", 1.0, Report(0.480018, 957, -0.611848, ("E4", "E3", "F3", "D3"))),
        (f"{KATA} rootInfo visits 9 winrate 0.9", 1.0, Report(0.480018, 957, -0.611848, ("E4", "E3", "F3", "D3"))),
        (f"{KATA} ownership 0.5 -1 1", 1.0, Report(0.480018, 957, -0.611848, ("E4", "E3", "F3", "D3"))),
        ("info pv C3 pass order 0 winrate 1 visits 2 move C3", 1.0, Report(1.0, 2, None, ("C3", "pass"))),
        ("info move pass visits 5 winrate 0.25 pv", 1.0, Report(0.25, 5, None, ("pass",))),
        ("info move A1 visits 9 winrate 0.5 order 2 info move B1 visits 1 winrate 0.75 order 0", 1.0,
         Report(0.75, 10, None, ("B1",))),
        ("info move A1 visits 0 winrate 0.9 order 0 info move B1 visits 1 winrate 0.5 order 1", 1.0,
         Report(0.5, 1, None, ("B1",))),
    ],
)  # fmt: skip
def test_a_report_is_its_best_move_and_all_visits(line, most, report):
    assert read_report(line, most) == report


@pytest.mark.parametrize("line", [
    "", "info", "info move", "info move E4", "info move E4 visits 3", "info move E4 winrate 0.5",
    "info move E4 visits 3 winrate nan", "info move E4 visits 3 winrate 1.5", "info move E4 visits -3 winrate 0.5",
    "info move E4 visits 1e99 winrate 0.5", "info move E44x visits 3 winrate 0.5", "info depth 3 score cp 20 pv e2e4",
])  # fmt: skip
def test_a_line_without_a_visited_move_is_no_report(line):
    assert read_report(line, 1.0) is None


WORDS = st.sampled_from(["info", "move", "visits", "winrate", "order", "pv", "rootInfo", "E4", "0.5", "7", "-", "nan"])


@given(st.one_of(st.text(), st.lists(WORDS).map(" ".join)), st.sampled_from([1.0, 10_000.0]))
def test_a_line_of_any_words_never_fails_and_its_share_is_one(line, most):
    report = read_report(line, most)
    assert report is None or (0 <= report.share <= 1 and report.visits >= 1 and report.line)


@given(st.sampled_from(list(View)), st.floats(0, 1), st.floats(-99, 99), st.integers(0, 1))
def test_a_report_is_the_same_for_both_sides_but_for_its_sign(view, share, lead, seat):
    report = Report(share, 9, lead)
    ours, theirs = view.for_mover(report, seat), view.for_mover(report, 1 - seat)
    if view is View.MOVER:
        assert ours == theirs == report
    else:
        assert ours.share == pytest.approx(1 - theirs.share)
        assert ours.lead == -theirs.lead
        assert report in (ours, theirs)


@pytest.mark.parametrize(
    ("shares", "view"),
    [
        ((0.99, 0.01), View.MOVER),
        ((0.99, 0.98), View.BLACK),
        ((0.01, 0.02), View.WHITE),
        ((0.6, 0.6), View.MOVER),  # a network that knows nothing
    ],
)
def test_the_view_is_seen_by_a_board_that_black_has_won(shares, view):
    assert View.seen(*shares) is view
