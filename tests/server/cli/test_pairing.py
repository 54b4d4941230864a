"""palio pairing: the next round as bbpPairings prints it, and a check that names every difference."""

import pytest
from click.testing import CliRunner

from palio_server.cli.pairing import pairing

HEAD = ["XXR 5", "XXC white1"]


def row(number: int, *cells: str, points: float = 0.0) -> str:
    return (
        f"001 {number:4}      {f'P{number}':<33} {2000 - number:4}{'':28}{points:4.1f} {number:4}  {'  '.join(cells)}"
    )


OPEN = [row(number) for number in range(1, 6)]
PLAYED = [
    row(1, "   3 w 1", points=1.0),
    row(2, "   4 b 1", points=1.0),
    row(3, "   1 b 0"),
    row(4, "   2 w 0"),
    row(5, "0000 - U", points=1.0),
]


@pytest.fixture
def run(tmp_path):
    def call(lines, *words):
        path = tmp_path / "open.trf"
        path.write_text("\r\n".join(lines))
        return CliRunner().invoke(pairing, [words[0], str(path), *words[1:]], standalone_mode=False)

    return call


def test_next_prints_the_number_of_pairs_and_a_pair_a_line(run):
    done = run([*HEAD, *OPEN], "next")
    assert (done.exit_code, done.stdout) == (0, "3\n1 3\n4 2\n5 0\n")
    assert run([*HEAD, *OPEN], "next", "--system", "dutch").stdout == done.stdout


def test_whoever_has_a_bye_for_the_next_round_is_not_paired(run):
    done = run([*HEAD, *OPEN[:4], row(5, "0000 - H", points=0.5)], "next")
    assert done.stdout == "2\n1 3\n4 2\n"


def test_why_goes_to_stderr_with_the_articles(run):
    done = run([*HEAD, *PLAYED], "next", "--why")
    assert "C.04.3" in done.stderr
    assert "bye:" in done.stderr
    assert done.stdout.startswith("3\n")


def test_check_says_that_a_round_is_the_same(run):
    done = run([*HEAD, *PLAYED], "check")
    assert done.return_value == 0
    assert done.stdout == "round 1: the same, 3 boards\n1 rounds checked, 0 differ\n"


def test_check_lists_what_differs_board_by_board(run):
    wrong = [
        row(1, "   2 w 1", points=1.0),
        row(2, "   1 b 0"),
        row(3, "   4 w 1", points=1.0),
        row(4, "   3 b 0"),
        row(5, "0000 - U", points=1.0),
    ]
    done = run([*HEAD, *wrong], "check")
    assert done.return_value == 1
    assert "round 1: 2 of 3 boards differ" in done.stdout
    assert "only in the file: 1 - 2" in done.stdout
    assert "only in ours:     1 - 3" in done.stdout


def test_check_tells_turned_colours_apart(run):
    turned = [line.replace("   4 b 1", "   4 w 1").replace("   2 w 0", "   2 b 0") for line in PLAYED]
    done = run([*HEAD, *turned], "check")
    assert done.return_value == 1
    assert "colours: the file has 2 - 4, we have 4 - 2" in done.stdout


def test_a_file_that_cannot_be_read_is_told_with_line_and_column(run):
    done = run([*HEAD, *PLAYED[:4], row(5, "0000 - U", points=0.5)], "next")
    assert "open.trf, line 7, column 81" in str(done.exception)


def test_a_round_that_cannot_be_paired_is_a_failure_with_a_sentence(run):
    met = [row(1, "   2 w 1", points=1.0), row(2, "   1 b 0")]
    done = run([*HEAD, *met], "next")
    assert "no pairing fulfils the absolute criteria" in str(done.exception)


def test_what_the_file_does_not_say_is_told_with_its_name(run):
    done = run([HEAD[1], *OPEN], "next")
    assert "open.trf: the file does not say how many rounds there are; add a line such as XXR 9" in str(done.exception)
