"""`palio pairing`: rounds of a TRF file by the Swiss system, as bbpPairings and JaVaFo are used."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from palio_server.cli.command import Group
from palio_server.cli.printing import say

if TYPE_CHECKING:
    from palio_server.tournament.trf import TrfFile
    from palio_server.tournament.trf.rounds import PairedBoard, RoundCheck

EXAMPLES = """
\b
Examples:
  palio pairing next open.trf
  palio pairing next open.trf --why
  palio pairing check open.trf
"""

file_argument = click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
system_option = click.option(
    "--system",
    "_system",
    type=click.Choice(["dutch"]),
    default="dutch",
    show_default=True,
    help="How rounds are paired.",
)


@click.group(cls=Group, epilog=EXAMPLES)
def pairing() -> None:
    """Pair the next round of a TRF file by the Swiss system, or check the rounds that are in it."""


@pairing.command(name="next")
@file_argument
@system_option
@click.option("--why", is_flag=True, help="Say on stderr, board by board, why these meet.")
def next_(*, file: str, _system: str, why: bool) -> None:
    """Print the number of pairs, then WHITE BLACK a line by starting number; a bye is PLAYER 0.

    FILE is TRF16 with an XXR (or 142) line; - reads it from stdin. A player with a cell such as `0000 - H` for
    the round to be paired is not paired.
    """
    from palio_server.cli.command import CommandFailed
    from palio_server.tournament.dutch import NoPairing, why_board, why_bye
    from palio_server.tournament.trf import TrfError
    from palio_server.tournament.trf.rounds import boards_of, pair_next

    read = _read(file)
    try:
        found = pair_next(read)
    except NoPairing as error:
        raise CommandFailed(f"{file}: {error}; a bye for a bot, or fewer rounds, would help") from None
    except TrfError as error:
        raise TrfError(f"{file}: {error}") from None
    boards = boards_of(found)
    say(str(len(boards)))
    for white, black in boards:
        say(f"{white} {black}")
    if why:
        for number, board in enumerate(found.boards, 1):
            say(f"board {number}: {' '.join(why_board(found, board))}", err=True)
        if found.bye:
            say(f"bye: {' '.join(why_bye(found))}", err=True)


@pairing.command()
@file_argument
@system_option
def check(*, file: str, _system: str) -> int:
    """Say of each round of FILE whether we pair it in the same way; ends with 1 if one differs.

    Differences are listed board by board: what stands in the file, what we pair instead.
    """
    from palio_server.tournament.trf.rounds import check_rounds

    read = _read(file)
    checks = check_rounds(read)
    for each in checks:
        _report(each)
    wrong = sum(not each.same for each in checks)
    say(f"{len(checks)} rounds checked, {wrong} differ")
    return 1 if wrong else 0


def _read(file: str) -> "TrfFile":
    """Return the contents of a file. Raises TrfError."""
    from palio_server.tournament.trf import read_trf

    data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    return read_trf(data, "stdin" if file == "-" else file)


def _report(each: "RoundCheck") -> None:
    if each.same:
        say(f"round {each.round}: the same, {len(each.ours)} boards")
        return
    if each.problem:
        say(f"round {each.round}: cannot be paired: {each.problem}")
        return
    theirs, ours = sorted(each.theirs - each.ours), sorted(each.ours - each.theirs)
    say(f"round {each.round}: {len(theirs)} of {len(each.theirs)} boards differ")
    turned = [board for board in theirs if board[::-1] in ours]
    for board in turned:
        say(f"  colours: the file has {_text(board)}, we have {_text(board[::-1])}")
    for board in theirs:
        if board not in turned:
            say(f"  only in the file: {_text(board)}")
    for board in ours:
        if board[::-1] not in turned:
            say(f"  only in ours:     {_text(board)}")


def _text(board: "PairedBoard") -> str:
    white, black = board
    return f"{white} - {black}" if black else f"{white} has the bye"
